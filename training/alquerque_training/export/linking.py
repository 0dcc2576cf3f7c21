"""Rewrites a definition for another file: its global names become those of that file."""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_SIMPLE_TYPES = ("int", "str", "bool", "float")


def bound_names(nodes: Iterable[ast.AST]) -> list[str]:
    """The names that some statements bind in their own scope."""
    return list(dict.fromkeys(name for node in nodes for name in _bound(node)))


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Lambda | Comprehension):
        yield from (inner.target.id for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    if isinstance(node, ast.ExceptHandler) and node.name:
        yield node.name
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


@dataclass
class _Scope:
    names: frozenset[str]
    is_class: bool = False


@dataclass
class Linker(ast.NodeTransformer):
    """Renames the global names in a definition, and removes what the file does not need.

    Attributes:
      find: The name in the file of a global name.
      member: The name in the file of a member of a module, None if the first name is no such module.
      dropped: Decorators to leave off.
      left_out: Members of classes to leave out, as `Class.member`.
      hidden: Filled with names in the file that a local name hides where they are needed.
    """

    find: Callable[[str], str]
    member: Callable[[str, str], str | None]
    dropped: frozenset[str]
    left_out: frozenset[str]
    hidden: set[str] = field(default_factory=set)
    scopes: list[_Scope] = field(default_factory=list)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Gives a global name the one that it has in the file."""
        if self._is_local(node.id):
            return node
        return ast.Name(self._flat(self.find(node.id)), node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Turns a member of a module into its name in the file."""
        if isinstance(node.value, ast.Name) and not self._is_local(node.value.id):
            name = self.member(node.value.id, node.attr)
            if name is not None:
                return ast.Name(self._flat(name), node.ctx)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Takes off annotations and dropped decorators."""
        node.decorator_list = [
            self.visit(decorator)
            for decorator in node.decorator_list
            if not (isinstance(decorator, ast.Name) and decorator.id in self.dropped)
        ]
        self._visit_defaults(node.args)
        node.returns = None
        for argument in _arguments(node.args):
            argument.annotation = None
        if not self.scopes:
            node.name = self.find(node.name)
        names = {argument.arg for argument in _arguments(node.args)} | set(bound_names(node.body))
        _shorten_docstring(node)
        node.body = self._visit_body(node.body, _Scope(frozenset(names)))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Renames inside a lambda."""
        self._visit_defaults(node.args)
        self.scopes.append(_Scope(frozenset(argument.arg for argument in _arguments(node.args))))
        node.body = self.visit(node.body)
        self.scopes.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Leaves members out."""
        node.bases = [self.visit(base) for base in node.bases]
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.body = [
            member for member in node.body if f"{node.name}.{getattr(member, 'name', '')}" not in self.left_out
        ]
        names = bound_names(node.body)
        if not self.scopes:
            node.name = self.find(node.name)
        _shorten_docstring(node)
        node.body = self._visit_body(node.body, _Scope(frozenset(names), is_class=True))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Takes off an annotation, where nothing asks for it."""
        value = None if node.value is None else self.visit(node.value)
        target = self.visit(node.target)
        if self.scopes and self.scopes[-1].is_class:
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

    def visit_ListComp(self, node: Comprehension) -> ast.AST:
        """Renames inside a comprehension."""
        targets = (generator.target for generator in node.generators)
        self.scopes.append(_Scope(frozenset(bound_names(targets))))
        self.generic_visit(node)
        self.scopes.pop()
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp  # noqa: N815

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [self.visit(default) for default in arguments.defaults]
        arguments.kw_defaults = [default and self.visit(default) for default in arguments.kw_defaults]

    def _visit_body(self, body: list[ast.stmt], scope: _Scope) -> list[ast.stmt]:
        self.scopes.append(scope)
        visited = [found for statement in body if (found := self.visit(statement)) is not None]
        self.scopes.pop()
        return visited or [ast.Pass()]

    def _is_local(self, name: str) -> bool:
        # A class's own names are seen by its statements, not by its methods.
        inner = [scope for scope in self.scopes[:-1] if not scope.is_class] + self.scopes[-1:]
        return any(name in scope.names for scope in inner)

    def _flat(self, name: str) -> str:
        if self._is_local(name):
            self.hidden.add(name)
        return name


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [argument for argument in listed if argument is not None]


def _shorten_docstring(node: ast.FunctionDef | ast.ClassDef) -> None:
    text = ast.get_docstring(node)
    if text is not None:
        node.body[0] = ast.Expr(ast.Constant(text.partition("\n\n")[0]))
