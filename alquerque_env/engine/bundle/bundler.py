"""Bundles the source code that a program needs into one file.

It starts from a few names and takes their definitions, the definitions of the names in these, and so on, through the
modules of this project. Imports from the standard library stay imports. Annotations, branches of fixed conditions, and
docstrings after their first paragraph are removed. If two modules define the same name, one of them is renamed. A local
name that is also a global name of its module counts as that one, so a definition may be taken that nothing needs.
"""

import ast
import builtins
import copy
import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from importlib import import_module
from importlib.util import resolve_name
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from ..binding import bound_in

_SCOPES = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SIMPLE_TYPES = ("int", "str", "bool", "float")


class BundleError(RuntimeError):
    """The sources cannot be bundled: an error in this project, not of the user."""


class Origin(NamedTuple):
    """The definition of a name. The name of a module itself is empty."""

    module: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The packages, and what to change in them."""

    packages: Mapping[str, Path]  # the project's packages: name, and parent folder
    given: frozenset[str] = frozenset()  # modules whose names another part of the file defines
    unchanged: tuple[str, ...] = ()  # modules whose names are never changed; the other module's name is
    # Definitions that are replaced by others; whole modules if both names are empty.
    replaced: Mapping[Origin, Origin] = field(default_factory=dict)
    fixed: Mapping[str, bool] = field(default_factory=dict)  # names in conditions, with their value
    dropped: frozenset[str] = frozenset()  # decorators to remove
    left_out: frozenset[str] = frozenset()  # members of classes to remove, as `Class.member`
    rewrite: Callable[[ast.Module, str], ast.Module] | None = None  # changes a parsed module with this name
    has_docstrings: bool = True  # whether docstrings stay


@dataclass
class _Module:
    defined: dict[str, ast.stmt] = field(default_factory=dict)  # the statement that defines each name
    imported: dict[str, Origin] = field(default_factory=dict)  # what each imported name stands for
    starred: list[str] = field(default_factory=list)  # modules that are imported with `*`


def bundle(recipe: Recipe, roots: Iterable[Origin]) -> str:
    """The source code of everything that the roots, which keep their names, need, standard library imports first."""
    roots, avoided = list(roots), set[str]()
    bundler = _Bundler(recipe, roots)
    while hidden := bundler.choose_names(avoided):
        if kept := hidden & {*avoided, *(root.name for root in roots)}:
            raise BundleError(f"{', '.join(sorted(kept))} would be hidden by a local name")
        avoided |= hidden
    return bundler.text()


class _Use(NamedTuple):
    """A place where a definition is named, which gets the name of the definition in the file."""

    node: ast.Name | ast.FunctionDef | ast.ClassDef
    module: str
    origin: Origin
    name: str  # what the definition is called here; empty if it is a member of a module
    local: Set[str]  # names of local variables around it


class _Bundler:
    """Takes definitions until none is missing. Their names in the file are chosen when all are known."""

    def __init__(self, recipe: Recipe, roots: list[Origin]) -> None:
        self.recipe = recipe
        self.modules: dict[str, _Module] = {}
        self.found: dict[tuple[str, str], Origin | None] = {}
        self.names: dict[Origin, str] = {}
        self.used: set[str] = set()
        self.uses: list[_Use] = []
        self.taken: dict[str, dict[ast.stmt, ast.stmt]] = {}
        self.needs: dict[str, dict[str, None]] = {}
        self.roots, self.to_do = roots, list(roots)
        while self.to_do:
            self.take(self.to_do.pop())

    def take(self, origin: Origin) -> None:
        """Takes the statement that defines a name."""
        if origin.module in self.recipe.given or not self.is_ours(origin.module):
            return
        statement = self.load(origin.module).defined[origin.name]
        taken = self.taken.setdefault(origin.module, {})
        if statement not in taken:
            taken[statement] = statement
            taken[statement] = _Linker(self, origin.module, statement).visit(statement)

    def use(self, use: _Use) -> None:
        """Notes that a module needs a definition, and queues that."""
        if self.is_ours(use.origin.module) and use.origin.module != use.module:
            self.needs.setdefault(use.module, {})[use.origin.module] = None
        self.to_do.append(use.origin)
        self.uses.append(use)

    def choose_names(self, avoided: set[str]) -> set[str]:
        """Names all definitions, and returns the names that local ones hide where they are needed.

        Args:
          avoided: Names that no definition gets, except for the roots.
        """
        self.names = {root: root.name for root in self.roots}
        self.used = {*self.names.values(), *avoided}
        for module in self.recipe.unchanged:
            for name in self.load(module).defined:
                self.flat_name(Origin(module, name), name)
        hidden = set()
        for node, module, origin, name, local in self.uses:
            flat = self.flat_name(origin, origin.name if self.is_ours(origin.module) else name or origin.name)
            if flat != name and flat in local:
                hidden.add(flat)
            if flat != name and name in local:
                raise BundleError(f"{module}: {name} is the name of a local variable too")
            if isinstance(node, ast.Name):
                node.id = flat
            else:
                node.name = flat
        return hidden

    def flat_name(self, origin: Origin, wanted: str) -> str:
        """The name of a definition in the file: the wanted one if it is free."""
        if origin not in self.names:
            name = f"{origin.module.rpartition('.')[2]}_{wanted.lstrip('_')}"
            further = (f"{name}_{number}" for number in count(2))
            self.names[origin] = next(free for free in chain((wanted, name), further) if free not in self.used)
            self.used.add(self.names[origin])
        return self.names[origin]

    def find(self, module: str, name: str) -> Origin | None:
        """Where a global name of a module is defined; None if it is not."""
        if (module, name) not in self.found:
            self.found[module, name] = self.look_up(module, name)
        return self.found[module, name]

    def look_up(self, module: str, name: str) -> Origin | None:
        """Finds it in the module and in what that imports."""
        there = self.load(module)
        if name in there.defined:
            return Origin(module, name)
        if name in there.imported:
            target = there.imported[name]
            whole = self.recipe.replaced.get(Origin(target.module, ""))
            # What stands in for a module may take the rest from it.
            if target.name and whole is not None and whole.module != module and target not in self.recipe.replaced:
                target = Origin(whole.module, target.name)
            return self.follow(target)
        return next((found for star in there.starred if (found := self.find(star, name)) is not None), None)

    def follow(self, target: Origin) -> Origin:
        """The definition that an import refers to."""
        if target in self.recipe.replaced:
            return self.recipe.replaced[target]
        if not self.is_ours(target.module) or not target.name:
            return target
        submodule = Origin(f"{target.module}.{target.name}", "")
        if self.path(submodule.module) is not None:
            return self.recipe.replaced.get(submodule, submodule)
        found = self.find(target.module, target.name)
        if found is None:
            raise BundleError(f"{target.module} has no {target.name}")
        return found

    def is_ours(self, module: str) -> bool:
        """Whether a module belongs to the project."""
        return module.partition(".")[0] in self.recipe.packages

    def path(self, module: str) -> Path | None:
        """The file of a module of the project."""
        base = self.recipe.packages[module.partition(".")[0]].joinpath(*module.split("."))
        return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)

    def load(self, module: str) -> _Module:
        """Reads a module of the project."""
        if module not in self.modules:
            if (path := self.path(module)) is None:
                raise BundleError(f"no module {module}")
            package = module if path.name == "__init__.py" else module.rpartition(".")[0]
            tree = _Folder(self.recipe.fixed).visit(ast.parse(path.read_text(encoding="utf-8")))
            if self.recipe.rewrite is not None:
                tree = self.recipe.rewrite(tree, module)
            self.modules[module] = _add_bound(_read_module(tree, package), module)
        return self.modules[module]

    def text(self) -> str:
        """The file: each module after those that it needs."""
        sections = [_imports({o: name for o, name in self.names.items() if not self.is_ours(o.module)})]
        graph = {module: self.needs.get(module, {}) for module in sorted(self.taken)}
        for module in TopologicalSorter(graph).static_order():
            if taken := self.taken.get(module):
                in_order = dict.fromkeys(s for s in self.load(module).defined.values() if s in taken)
                sections.append(f"# {module.replace('.', '/')}.py\n\n{_join(taken[s] for s in in_order)}")
        return "\n\n\n".join(sections) + "\n"


def _read_module(tree: ast.Module, package: str) -> _Module:
    module = _Module()
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            module.imported |= {alias.asname or alias.name: Origin(alias.name, "") for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            base = _base_of(statement, package)
            for alias in statement.names:
                if alias.name == "*":
                    module.starred.append(base)
                else:
                    module.imported[alias.asname or alias.name] = Origin(base, alias.name)
        else:
            hoister = _Hoister(package)
            module.defined |= dict.fromkeys(_bound(statement, inner=False), hoister.visit(statement))
            module.imported |= hoister.imported
    return module


def _base_of(statement: ast.ImportFrom, package: str) -> str:
    return resolve_name("." * statement.level + (statement.module or ""), package)


class _Hoister(ast.NodeTransformer):
    """Takes the relative imports out of functions: in one file there is nothing to wait for."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.imported: dict[str, Origin] = {}

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        """An import inside a function."""
        if node.level == 0:
            return node
        base = _base_of(node, self.package)
        self.imported |= {alias.asname or alias.name: Origin(base, alias.name) for alias in node.names}
        return ast.Pass()


def _add_bound(found: _Module, module: str) -> _Module:
    """Puts the functions that a module binds in the place of the statements that bind them."""
    if any(origin.name == "bind" for origin in found.imported.values()):
        import_module(module)
        functions, sources = bound_in(module)
        functions = copy.deepcopy(functions)
        for name, statement in found.defined.items():
            text = _bound_text(statement)
            if text not in (None, name) and text in functions:
                functions[name] = functions.pop(text)
                functions[name].name = name
        found.defined |= functions
        found.starred += sources
    return found


def _bound_text(statement: ast.stmt) -> str | None:
    """The name of the function of the text that a statement binds."""
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "bind"):
        return None
    return value.args[0].attr if isinstance(value.args[0], ast.Attribute) else None


def _bound(tree: ast.AST, *, inner: bool) -> list[str]:
    """The names that code binds in its own scope, or in inner scopes too; without methods, which only objects have."""
    members = {member for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for member in node.body}
    found, nodes = [], [tree]
    while nodes:
        node = nodes.pop()
        if inner or not isinstance(node, _SCOPES):
            nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.append(node.id)
        elif isinstance(node, ast.arg):
            found.append(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler) and node not in members:
            found += [node.name] if node.name else []
        elif isinstance(node, ast.alias):
            found.append(node.asname or node.name)
    return found


def _join(statements: Iterable[ast.stmt]) -> str:
    """The text of statements, with blank lines around functions and classes."""
    text = ""
    for statement in statements:
        code = ast.unparse(statement)
        text += f"{code}\n" if isinstance(statement, ast.Assign) else f"\n\n{code}\n\n\n"
    return re.sub("\n{4,}", "\n\n\n", text).strip()


def _imports(names: Mapping[Origin, str]) -> str:
    """The import statements for some names of the standard library."""
    lines = []
    for origin, name in sorted(names.items()):
        what = f"from {origin.module} import {origin.name}" if origin.name else f"import {origin.module}"
        lines.append(what if name in origin else f"{what} as {name}")
    return "\n".join(lines)


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
        if isinstance(test, ast.BoolOp):
            decisive = isinstance(test.op, ast.Or)
            parts = [self._value(part) for part in test.values]
            return decisive if decisive in parts else None if None in parts else not decisive
        return self.fixed.get(test.id) if isinstance(test, ast.Name) else None


class _Linker(ast.NodeTransformer):
    """Gives the global names in a definition those of the file, and removes what the file does not need."""

    def __init__(self, bundler: _Bundler, module: str, definition: ast.stmt) -> None:
        self.bundler, self.module, self.definition = bundler, module, definition
        own = {name for name, statement in bundler.load(module).defined.items() if statement is definition}
        self.bound = set(_bound(definition, inner=True)) - own
        self.fields: set[ast.stmt] = set()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Gives a global name the one that it has in the file."""
        origin = self.bundler.find(self.module, node.id)
        if origin is None and node.id not in self.bound and not hasattr(builtins, node.id):
            raise BundleError(f"{self.module}: {node.id} is not defined")
        return node if origin is None else self._use(ast.Name(node.id, node.ctx), origin, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Turns a member of a module of ours into its name in the file."""
        owner = self.bundler.find(self.module, node.value.id) if isinstance(node.value, ast.Name) else None
        if owner is None or owner.name or not self.bundler.is_ours(owner.module):
            return self.generic_visit(node)
        origin = self.bundler.find(owner.module, node.attr)
        if origin is None:
            raise BundleError(f"{self.module}: {owner.module} has no {node.attr}")
        return self._use(ast.Name(origin.name, node.ctx), origin, "")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Takes off annotations and dropped decorators."""
        dropped = self.bundler.recipe.dropped
        node.decorator_list = [d for d in node.decorator_list if not (isinstance(d, ast.Name) and d.id in dropped)]
        node.returns = None
        return self._visit_body(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Takes off an annotation."""
        node.annotation = None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Leaves members out."""
        left_out = self.bundler.recipe.left_out
        node.body = [member for member in node.body if f"{node.name}.{getattr(member, 'name', '')}" not in left_out]
        self.fields.update(node.body)
        return self._visit_body(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Takes off an annotation, where nothing asks for it."""
        value = None if node.value is None else self.visit(node.value)
        target = self.visit(node.target)
        if node in self.fields:
            # The fields of a dataclass or named tuple need an annotation, whatever it says.
            is_simple = isinstance(node.annotation, ast.Name) and node.annotation.id in _SIMPLE_TYPES
            annotation = node.annotation if is_simple else ast.Name("object", ast.Load())
            return ast.AnnAssign(target, annotation, value, node.simple)
        return None if value is None else ast.copy_location(ast.Assign([target], value), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Takes `strict` off `zip`, which Python 3.9 does not know."""
        if isinstance(node.func, ast.Name) and node.func.id == "zip":
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "strict"]
        return self.generic_visit(node)

    def _visit_body(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        text = ast.get_docstring(node)
        if text is not None and self.bundler.recipe.has_docstrings:
            node.body[0] = ast.Expr(ast.Constant(text.partition("\n\n")[0]))
        elif text is not None:
            del node.body[0]
        if node is self.definition:
            self._use(node, Origin(self.module, node.name), node.name)
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node

    def _use(self, node: ast.Name | ast.FunctionDef | ast.ClassDef, origin: Origin, name: str) -> ast.AST:
        """Leaves the name of a definition that is called `name` here to the bundler; a member of a module has none."""
        self.bundler.use(_Use(node, self.module, origin, name, self.bound))
        return node
