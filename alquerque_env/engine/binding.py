"""Binds functions that are written once to a kind of words: integers for one match, tensors for many.

The text of the rules is `rules/`, with `moves.py` for one match and `torch_moves.py` for many.
To bind a function is to compile its source again:

1. Fields become places: `state.chain` becomes `state[5]` and `state.memory[relation]` becomes `state[9 + relation]`. A
   field of several words, such as `state.men`, is two arguments of a call: `state, 0`. The places of fields that only
   some games have are in the step table: `state.stage` becomes `state[rules[42]]`.
2. Names of integers in the module of the text, and in modules such as `TABLE` there, become these integers.
3. Calls of functions without a decorator are written out: `where(flag, a, b)` becomes `a if flag else b`.
4. Other names are those of the module that binds, else of its kind of words, else of the text. Functions of the text
   are bound in turn.

Lines keep their numbers, so that a traceback shows the text. `python -m alquerque_env.engine.binding apply_action
torch` prints a function as it is bound to a kind of words.
"""

import ast
from argparse import ArgumentParser
from collections import ChainMap, Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, TypeVar, cast

from . import fields

F = TypeVar("F", bound=Callable[..., Any])


class Bound(NamedTuple):
    """What a module has bound.

    Attributes:
      functions: The functions of the text by name, as they are compiled.
      sources: Modules that have the other names in these, the first one before the others.
    """

    functions: dict[str, ast.FunctionDef]
    sources: list[str]


_TEXT: set[Callable[..., Any]] = set()
_BOUND: dict[str, Bound] = {}
_WORDS: dict[tuple[str, str], tuple[tuple[ModuleType, ...], dict[str, Callable[..., Any]]]] = {}
"""By module and function, the kind of words that it is bound to, and what it calls instead."""


def kernel(function: F) -> F:
    """Marks a function of the text that is compiled by itself; the module that binds it has the decorator."""
    _TEXT.add(function)
    return function


def inlined(function: F) -> F:
    """Marks a function of the text that is compiled into those that call it."""
    _TEXT.add(function)
    return function


def bind(
    function: Callable[..., Any], namespace: dict[str, Any], *kind: ModuleType, **instead: Callable[..., Any]
) -> Any:
    """Binds a function of the text.

    Args:
      function: The function.
      namespace: The globals of the module that binds it. What the function calls is added to them.
      kind: Modules with the words of a kind and what steps are found with. Their functions without a decorator are
        written out.
      instead: Functions to call in place of those with these names, there and in what the function calls.

    Returns:
      The function, with the decorators of the module.
    """
    text = cast(FunctionType, function)
    tree = bound_source(text, namespace, kind, instead)
    code = compile(ast.Module([tree], []), text.__code__.co_filename, "exec")
    _add_missing(code, text, namespace, kind, instead)
    made: dict[str, Any] = {}
    exec(code, namespace, made)
    here = _BOUND.setdefault(namespace["__name__"], Bound({}, []))
    here.functions[tree.name] = tree
    here.sources.extend(name for name in _sources(text, kind) if name not in here.sources)
    _WORDS[namespace["__name__"], text.__name__] = kind, instead
    return made[tree.name]


def bind_again(function: Callable[..., Any], namespace: dict[str, Any]) -> Any:
    """Binds a function as the module of these globals has bound it before, for instance after a change of its text."""
    kind, instead = _WORDS[namespace["__name__"], function.__name__]
    return bind(function, namespace, *kind, **instead)


def bound_in(module: str) -> Bound:
    """The functions of the text that a module has bound."""
    return _BOUND.get(module, Bound({}, []))


def bound_source(
    text: FunctionType,
    namespace: Mapping[str, Any],
    kind: Sequence[ModuleType],
    instead: Mapping[str, Callable[..., Any]],
) -> ast.FunctionDef:
    """The source of a function of the text for a kind of words."""
    tree = _parsed(source_of(text.__code__.co_filename)[text.__name__])
    annotated = {arg.arg: _name_of(arg.annotation) for arg in tree.args.args}
    records = {name: record for name, record in annotated.items() if record in fields.LAYOUTS}
    tree.returns = None
    for arg in tree.args.args:
        arg.annotation = None
    templates: dict[str, ast.FunctionDef] = {}
    numbers = _numbers(text)
    for module in kind:
        for name, template in _undecorated(str(module.__file__)).items():
            # A module may have a function of its own by that name, which then stays a call.
            used = next(names[name] for names in (namespace, *map(vars, kind), text.__globals__) if name in names)
            if used is vars(module)[name]:
                templates[name] = template
                numbers |= _numbers(cast(FunctionType, used))
    tree = _Binder(records, numbers, templates, {name: other.__name__ for name, other in instead.items()}).visit(tree)
    return ast.fix_missing_locations(tree)


@cache
def source_of(file: str) -> dict[str, str]:
    """The source of each function of a file, behind as many empty lines as there are lines before it."""
    source = Path(file).read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            found[node.name] = "\n" * (first - 1) + "".join(lines[first - 1 : node.end_lineno])
    return found


@cache
def _undecorated(file: str) -> dict[str, ast.FunctionDef]:
    functions = {name: _parsed(source) for name, source in source_of(file).items()}
    return {name: function for name, function in functions.items() if not function.decorator_list}


def _parsed(source: str) -> ast.FunctionDef:
    # To parse a function is faster than to copy its tree.
    return cast(ast.FunctionDef, ast.parse(source).body[0])


def _sources(text: FunctionType, kind: Sequence[ModuleType]) -> list[str]:
    return [*(module.__name__ for module in kind), text.__module__]


def _numbers(function: FunctionType) -> dict[str, int]:
    """The names in a function that stand for integers, of its module or, behind a point, of one that it names."""
    numbers: dict[str, int] = {}
    names = function.__code__.co_names
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            numbers |= {f"{name}.{inner}": n for inner in names if type(n := vars(value).get(inner)) is int}
        elif type(value) is int:
            numbers[name] = value
    return numbers


def _name_of(annotation: ast.expr | None) -> str:
    return annotation.id if isinstance(annotation, ast.Name) else ""


def _add_missing(
    code: CodeType,
    text: FunctionType,
    namespace: dict[str, Any],
    kind: Sequence[ModuleType],
    instead: Mapping[str, Callable[..., Any]],
) -> None:
    """Adds what the function and its decorators name and the module lacks."""
    names = ChainMap(*(vars(module) for module in kind), text.__globals__)
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    for name in (name for each in (code, *inner) for name in each.co_names):
        if name in names and name not in namespace:
            value = namespace[name] = names[name]
            if isinstance(value, FunctionType) and value in _TEXT:
                namespace[name] = bind(value, namespace, *kind, **instead)


class _Binder(ast.NodeTransformer):
    """Changes a function of the text.

    Args:
      records: Its arguments with fields, and the classes of these.
      numbers: Names that stand for integers.
      templates: The functions to write out.
      instead: The functions to call in place of others, by the names of these.
    """

    def __init__(
        self,
        records: Mapping[str, str],
        numbers: Mapping[str, int],
        templates: Mapping[str, ast.FunctionDef],
        instead: Mapping[str, str],
    ) -> None:
        self.records, self.numbers, self.templates, self.instead = records, numbers, templates, instead

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A number, or another name."""
        if node.id in self.numbers:
            return ast.copy_location(ast.Constant(self.numbers[node.id]), node)
        return ast.copy_location(ast.Name(self.instead.get(node.id, node.id), node.ctx), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """An assignment, without the type."""
        self.generic_visit(node)
        return node if node.value is None else ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """A number, or a field of one word."""
        name = f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else ""
        if name in self.numbers:
            return ast.copy_location(ast.Constant(self.numbers[name]), node)
        field = self._field(node)
        if field is None:
            return self.generic_visit(node)
        words, place, is_one = field
        if not is_one:
            raise SyntaxError(f"line {node.lineno}: the field {ast.unparse(node)} has several places")
        return ast.copy_location(ast.Subscript(words, place, node.ctx), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """A word of a field of several."""
        field = self._field(node.value)
        if field is None:
            return self.generic_visit(node)
        words, place, _ = field
        index = self.visit_BinOp(ast.BinOp(place, ast.Add(), node.slice))
        return ast.copy_location(ast.Subscript(words, cast(ast.expr, index), node.ctx), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """An expression; sums of places are computed."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Add):
            match node.left, node.right:
                case ast.Constant(value=int(left)), ast.Constant(value=int(right)):
                    return ast.copy_location(ast.Constant(left + right), node)
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, ast.Constant) and one.value == 0:
                    return other
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call, in which fields of several words stand for two arguments, or the expression that it calls."""
        arguments: list[ast.expr] = []
        for arg in node.args:
            field = self._field(arg)
            if field is None or field[2]:
                arguments.append(self.visit(arg))
            else:
                arguments += field[:2]
        node.args = arguments
        body = self._written_out(node)
        if body is not None and isinstance(body[-1], ast.Return) and body[-1].value is not None:
            return ast.copy_location(body[-1].value, node)
        node.func = self.visit(node.func)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """A call, or the statements that it calls."""
        node.value = self.visit(node.value)
        if isinstance(node.value, ast.Call):
            body = self._written_out(node.value)
            if body is not None:
                return [ast.copy_location(statement, node) for statement in body]
        return node

    def _field(self, node: ast.expr) -> tuple[ast.expr, ast.expr, bool] | None:
        """The words, the place and whether it is one, if a node is a field."""
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.records):
            return None
        kind = self.records[node.value.id]
        declared = getattr(fields, kind).__annotations__.get(node.attr)
        name, layout = node.attr.upper(), vars(fields.LAYOUTS[kind])
        place: ast.expr = ast.Constant(layout[name]) if name in layout else self._place_in_table(name)
        return ast.Name(node.value.id, ast.Load()), place, declared is not fields.Places

    def _place_in_table(self, name: str) -> ast.expr:
        """Where the step table has the place of a field that only some games have."""
        (rules,) = (name for name, kind in self.records.items() if kind == "Rules")
        return ast.Subscript(ast.Name(rules, ast.Load()), ast.Constant(vars(fields.LAYOUTS["Rules"])[name]), ast.Load())

    def _written_out(self, call: ast.Call) -> list[ast.stmt] | None:
        """The statements of a function that is written out; None if a call stays a call."""
        template = self.templates.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if template is None:
            return None
        body = template.body[1:] if ast.get_docstring(template) is not None else template.body
        names = [arg.arg for arg in template.args.args]
        uses = Counter(node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name))
        given = dict(zip(names, call.args, strict=True))
        is_expression = len(body) == 1 and isinstance(body[0], ast.Return)
        # An argument is computed once, and before the first statement.
        most = 1 if is_expression else 0
        if any(uses[name] > most and not isinstance(given[name], ast.Name | ast.Constant) for name in names):
            return None
        if not is_expression and any(isinstance(statement, ast.Return) for statement in body):
            return None
        fold = _Binder({}, self.numbers, {}, self.instead)
        return [cast(ast.stmt, fold.visit(_filled(statement, given, call))) for statement in body]


def _filled(node: Any, given: Mapping[str, ast.expr], call: ast.Call) -> Any:
    """A copy of a part of a template with the arguments of a call in the place of the parameters."""
    if isinstance(node, list):
        return [_filled(each, given, call) for each in node]
    if not isinstance(node, ast.AST):
        return node
    if isinstance(node, ast.Name) and node.id in given:
        return given[node.id]
    parts = {name: _filled(value, given, call) for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**parts), call)


def print_bound(arguments: Sequence[str] | None = None) -> None:
    """Prints a function of the text as it is bound to a kind of words."""
    modules = {"integers": "rules_scalar", "torch": "rules_torch"}
    parser = ArgumentParser(prog="python -m alquerque_env.engine.binding", description=print_bound.__doc__)
    parser.add_argument("function", help="a function of the rules, such as apply_action")
    parser.add_argument("kind", choices=modules, help="the kind of words")
    given = parser.parse_args(arguments)
    try:
        module = import_module(f"alquerque_env.engine.{modules[given.kind]}")
    except ModuleNotFoundError as error:
        parser.error(f"{given.kind} needs {error.name}, which is not installed")
    # As a program this module is `__main__`, and nothing is bound in that copy of it.
    functions = import_module("alquerque_env.engine.binding").bound_in(module.__name__).functions
    if given.function not in functions:
        parser.error(f"no function {given.function!r} is bound to {given.kind} (known: {', '.join(sorted(functions))})")
    print(ast.unparse(functions[given.function]))


if __name__ == "__main__":
    print_bound()
