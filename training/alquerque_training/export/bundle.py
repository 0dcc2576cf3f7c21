"""Bundles the source code that a program needs into one file.

It starts from a few names and takes their definitions, the definitions of the names in these, and so on, through the
modules of this project. Imports from the standard library stay imports. Annotations, branches of fixed conditions, and
docstrings after their first paragraph are removed. If two modules define the same name, one of them is renamed.
"""

import ast
import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from alquerque_training.export.linking import Linker, bound_names


class BundleError(RuntimeError):
    """The sources cannot be bundled: an error in this project, not of the user."""


class Origin(NamedTuple):
    """The definition of a name. The name of a module itself is empty."""

    module: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The packages, and what to change in them.

    Attributes:
      packages: The project's packages: name, and parent folder.
      given: Modules whose names another part of the file defines.
      unchanged: Modules whose names are never changed; the other module's name is.
      replaced: Definitions that are replaced by others; whole modules if both names are empty.
      fixed: Names in conditions, with their value.
      dropped: Decorators to remove.
      left_out: Members of classes to remove, as `Class.member`.
    """

    packages: Mapping[str, Path]
    given: frozenset[str] = frozenset()
    unchanged: tuple[str, ...] = ()
    replaced: Mapping[Origin, Origin] = field(default_factory=dict)
    fixed: Mapping[str, bool] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Module:
    """A parsed module.

    Attributes:
      statements: Its top level, without imports and docstring.
      defined: Index of the statement that defines each name.
      imported: What each imported name stands for.
      starred: Modules that are imported with `*`.
    """

    statements: tuple[ast.stmt, ...]
    defined: Mapping[str, int]
    imported: Mapping[str, Origin]
    starred: tuple[str, ...]


def bundle(recipe: Recipe, roots: Iterable[Origin]) -> str:
    """The source code of everything that some names need, standard library imports first.

    Args:
      recipe: The packages, and what to change in them.
      roots: The names to start from; they keep their names.

    Raises:
      BundleError: If a name cannot be found.
    """
    roots, avoided = list(roots), set[str]()
    while True:
        bundler = _Bundler(recipe, avoided)
        for root in roots:
            bundler.names[root] = root.name
        bundler.take_all()
        if not bundler.hidden:
            return bundler.text()
        if kept := bundler.hidden & {*avoided, *(root.name for root in roots)}:
            raise BundleError(f"{', '.join(sorted(kept))} would be hidden by a local name")
        avoided |= bundler.hidden


class _Bundler:
    """Collects the definitions.

    Args:
      recipe: The packages, and what to change in them.
      avoided: Names not to use in the file, because a local name would hide them.
    """

    def __init__(self, recipe: Recipe, avoided: set[str]) -> None:
        self.recipe = recipe
        self.avoided = avoided
        self.hidden: set[str] = set()
        self.modules: dict[str, _Module] = {}
        self.names: dict[Origin, str] = {}
        self.taken: dict[tuple[str, int], ast.stmt | None] = {}
        self.needs: dict[str, dict[str, None]] = {}
        self.to_do: list[Origin] = []

    def flat_name(self, origin: Origin, wanted: str) -> str:
        """The name of a definition in the file: the wanted one if it is free. Queues the definition."""
        if origin not in self.names:
            name = wanted
            used = {*self.names.values(), *self.avoided}
            if name in used or self.is_reserved(origin):
                name = f"{origin.module.rpartition('.')[2]}_{name.lstrip('_')}"
            if name in used:
                raise BundleError(f"more than two definitions of {origin.name}, one in {origin.module}")
            self.names[origin] = name
            self.to_do.append(origin)
        return self.names[origin]

    def is_reserved(self, origin: Origin) -> bool:
        """Whether a module whose names are never changed defines the same name."""
        unchanged = self.recipe.unchanged
        return origin.module not in unchanged and any(origin.name in self.load(module).defined for module in unchanged)

    def take_all(self) -> None:
        """Takes definitions until none is missing."""
        self.to_do = list(self.names)
        while self.to_do:
            origin = self.to_do.pop()
            if self.is_ours(origin.module) and origin.module not in self.recipe.given:
                self.take(origin)

    def take(self, origin: Origin) -> None:
        """Takes the statement that defines a name."""
        module = self.load(origin.module)
        index = module.defined[origin.name]
        if (origin.module, index) in self.taken:
            return
        self.taken[origin.module, index] = None
        statement = module.statements[index]
        for name in bound_names([statement]):
            self.flat_name(Origin(origin.module, name), name)
        linker = Linker(
            find=lambda name: self.link(origin.module, name),
            member=lambda name, attribute: self.link_member(origin.module, name, attribute),
            dropped=self.recipe.dropped,
            left_out=self.recipe.left_out,
        )
        self.taken[origin.module, index] = linker.visit(statement)
        self.hidden |= linker.hidden

    def link(self, module: str, name: str) -> str:
        """The name in the file of a global name of a module."""
        origin = self.find(module, name)
        if origin is None:
            return name
        if not self.is_ours(origin.module):
            return self.flat_name(origin, name)
        self.needs.setdefault(module, {})[origin.module] = None
        return self.flat_name(origin, origin.name)

    def link_member(self, module: str, name: str, attribute: str) -> str | None:
        """The name in the file of `name.attribute`, if `name` is a module of ours."""
        origin = self.find(module, name)
        if origin is None or origin.name or not self.is_ours(origin.module):
            return None
        found = self.find(origin.module, attribute)
        if found is None:
            raise BundleError(f"{module}: {name} has no {attribute}")
        self.needs.setdefault(module, {})[found.module] = None
        return self.flat_name(found, attribute)

    def find(self, module: str, name: str) -> Origin | None:
        """Where a global name of a module is defined; None for builtins.

        Raises:
          BundleError: If it is not defined.
        """
        if (found := self.look_up(module, name)) is not None:
            return found
        if hasattr(builtins, name):
            return None
        raise BundleError(f"{module}: {name} is not defined")

    def look_up(self, module: str, name: str) -> Origin | None:
        """As `find`, but None where the name is not defined."""
        there = self.load(module)
        if name in there.defined:
            return Origin(module, name)
        if name in there.imported:
            return self.follow(there.imported[name])
        return next((found for star in there.starred if (found := self.look_up(star, name)) is not None), None)

    def follow(self, target: Origin) -> Origin:
        """The definition that an import refers to."""
        if target in self.recipe.replaced:
            return self.recipe.replaced[target]
        if not self.is_ours(target.module) or not target.name:
            return target
        submodule = Origin(f"{target.module}.{target.name}", "")
        if self.path(submodule.module) is not None:
            return self.recipe.replaced.get(submodule, submodule)
        found = self.look_up(target.module, target.name)
        if found is None:
            raise BundleError(f"{target.module} has no {target.name}")
        return found

    def is_ours(self, module: str) -> bool:
        """Whether a module belongs to the project."""
        return module.partition(".")[0] in self.recipe.packages

    def path(self, module: str) -> Path | None:
        """The file of a module."""
        folder = self.recipe.packages.get(module.partition(".")[0])
        if folder is None:
            return None
        base = folder.joinpath(*module.split("."))
        return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)

    def load(self, module: str) -> _Module:
        """Reads a module."""
        if module not in self.modules:
            path = self.path(module)
            if path is None:
                raise BundleError(f"no module {module}")
            package = module if path.name == "__init__.py" else module.rpartition(".")[0]
            tree = _Folder(self.recipe.fixed).visit(ast.parse(path.read_text(encoding="utf-8")))
            self.modules[module] = _read_module(tree, package)
        return self.modules[module]

    def text(self) -> str:
        """The file: each module after those that it needs."""
        sections = [_imports({o: name for o, name in self.names.items() if not self.is_ours(o.module)})]
        for module in self.in_order():
            indices = sorted(index for name, index in self.taken if name == module)
            if indices:
                code = _join([self.taken[module, index] for index in indices])
                sections.append(f"# {module.replace('.', '/')}.py\n\n{code}")
        return "\n\n\n".join(sections) + "\n"

    def in_order(self) -> list[str]:
        """The modules, each after those that it needs."""
        ordered: dict[str, None] = {}
        entered: set[str] = set()

        def enter(module: str) -> None:
            if module not in entered:
                entered.add(module)
                for needed in self.needs.get(module, {}):
                    enter(needed)
                ordered[module] = None

        for module in sorted({module for module, _ in self.taken}):
            enter(module)
        return list(ordered)


def _read_module(tree: ast.Module, package: str) -> _Module:
    statements: list[ast.stmt] = []
    defined: dict[str, int] = {}
    imported: dict[str, Origin] = {}
    starred: list[str] = []
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            imported |= {alias.asname or alias.name: Origin(alias.name, "") for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            base = _absolute(statement, package)
            for alias in statement.names:
                if alias.name == "*":
                    starred.append(base)
                else:
                    imported[alias.asname or alias.name] = Origin(base, alias.name)
        else:
            defined |= dict.fromkeys(bound_names([statement]), len(statements))
            statements.append(statement)
    return _Module(tuple(statements), defined, imported, tuple(starred))


def _absolute(statement: ast.ImportFrom, package: str) -> str:
    if not statement.level:
        return statement.module or ""
    parts = package.split(".")
    return ".".join([*parts[: len(parts) + 1 - statement.level], *([statement.module] if statement.module else [])])


def _join(statements: list[ast.stmt | None]) -> str:
    """The text of statements, with blank lines around functions and classes."""
    text = ""
    spaced = False
    for statement in statements:
        assert statement is not None
        is_simple = isinstance(statement, ast.Assign)
        text += "" if not text else "\n" if is_simple and not spaced else "\n\n\n"
        text += ast.unparse(statement)
        spaced = not is_simple
    return text


def _imports(names: Mapping[Origin, str]) -> str:
    """The import statements for some names of the standard library."""
    whole, members = [], dict[str, list[str]]()
    for origin, name in sorted(names.items()):
        renamed = f" as {name}" if name not in origin else ""
        if origin.name:
            members.setdefault(origin.module, []).append(origin.name + renamed)
        else:
            whole.append(f"import {origin.module}{renamed}")
    return "\n".join([*whole, *(f"from {module} import {', '.join(listed)}" for module, listed in members.items())])


class _Folder(ast.NodeTransformer):
    """Resolves conditions with a known value."""

    def __init__(self, fixed: Mapping[str, bool]) -> None:
        self.fixed = fixed

    def visit_If(self, node: ast.If | ast.IfExp) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        value = self._value(node.test)
        if value is None:
            return node
        return node.body if value else node.orelse

    visit_IfExp = visit_If  # noqa: N815

    def _value(self, test: ast.expr) -> bool | None:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            value = self._value(test.operand)
            return None if value is None else not value
        return self.fixed.get(test.id) if isinstance(test, ast.Name) else None
