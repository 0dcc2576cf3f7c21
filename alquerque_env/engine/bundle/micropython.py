"""Rewrites source code for MicroPython: what it has no syntax for, and methods and classes that it lacks.

| Python | MicroPython |
|---|---|
| `[*a, b]`, `(*a, b)`, `{*a, b}`, `{**a, "b": b}` | `list_of(*a, b)` and so on: only calls take `*` and `**` |
| `{"a": 1}`, `{a: b for …}`, `dict(…)` | `OrderedDict(…)`: other dictionaries there have no order |
| dataclasses and named tuples | classes with `__init__` and `_fields`, and a base of `standins.records` |
| f-strings | `"{}".format(…)`, since its f-strings cannot be nested |
| `sorted(…, key=…)`, `list.sort(key=…)` | `sorted_stably(…)`, since its sort is not stable |
| `n.bit_length()`, `text.removeprefix(…)`, … | functions, since its integers and strings lack these methods |
| `items[::-1]` | `sliced(items, None, None, -1)` |
| `isinstance(a, B | C)` | `isinstance(a, (B, C))` |
| `def f(a, /)` | `def f(a)` |
| `raise A from b` | `raise A` |
| `C.__new__(C)` | `object.__new__(C)` |
| `Protocol` as a base | nothing |

Functions and modules of the standard library that it lacks have stand-ins, see `STANDINS`.
"""

import ast
from collections.abc import Mapping

from .bundler import BundleError, Origin

_PACKAGE = f"{__package__}.standins"
_PREFIX = "standin_"
_DISPLAYS = {ast.List: "list_of", ast.Tuple: "tuple_of", ast.Set: "set_of"}
_TEXTS = "removeprefix", "removesuffix", "isdecimal", "isascii", "isprintable"
_METHODS = {"bit_length": "numbers", **dict.fromkeys(_TEXTS, "texts")}
"""Methods that become functions, with the module that has them."""

_WRITTEN_OUT = {
    **dict.fromkeys(("list_of", "tuple_of", "set_of", "dict_of", "sorted_stably", "sort_stably"), "collections_of"),
    **dict.fromkeys(("OrderedDict", "keys_in_order", "sliced"), "collections_of"),
    **dict.fromkeys(("Record", "TupleRecord"), "records"),
    **_METHODS,
}

STANDINS: Mapping[Origin, Origin] = {
    **{
        Origin(module, name): Origin(f"{_PACKAGE}.{where}", name)
        for (module, where), names in {
            ("functools", "functions"): ("cache", "lru_cache", "cached_property"),
            ("itertools", "functions"): ("pairwise", "combinations"),
            ("operator", "functions"): ("index",),
            ("contextlib", "functions"): ("contextmanager",),
            ("math", "numbers"): ("dist", "hypot"),
            ("collections", "collections_of"): ("Counter",),
            ("dataclasses", "records"): ("replace",),
            ("types", "records"): ("SimpleNamespace",),
            ("difflib", "texts"): ("get_close_matches",),
            ("xml.sax.saxutils", "texts"): ("escape", "quoteattr"),
        }.items()
        for name in names
    },
    **{
        Origin(module, ""): Origin(f"{_PACKAGE}.{where}", "")
        for module, where in {
            "math": "numbers",
            "numpy": "chance",
            "re": "regular_expressions",
            "time": "ticks",
            "datetime": "calendar_days",
            "textwrap": "texts",
            "io": "texts",
        }.items()
    },
}
"""What stands in the place of functions and modules that MicroPython lacks, or has without what is needed."""


def for_micropython(module: ast.Module, name: str) -> ast.Module:
    """Rewrites a module.

    Args:
      module: The parsed module; it is changed.
      name: Its name, for errors.

    Returns:
      The module, with imports of what its new source needs.

    Raises:
      BundleError: If it has a construct that is not rewritten.
    """
    rewriter = _Rewriter(name)
    module = rewriter.visit(module)
    imports: list[ast.stmt] = [
        ast.ImportFrom(f"{_PACKAGE}.{_WRITTEN_OUT[needed]}", [ast.alias(needed, _PREFIX + needed)], 0)
        for needed in sorted(rewriter.needed)
    ]
    module.body[:0] = imports
    return ast.fix_missing_locations(module)


class _Rewriter(ast.NodeTransformer):
    """Rewrites the constructs, and notes the functions that the new source needs."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.needed: set[str] = set()

    def call(self, name: str, *arguments: ast.expr, **keywords: ast.expr) -> ast.Call:
        """A call of a function of the stand-ins."""
        return ast.Call(self.name(name), list(arguments), [ast.keyword(key, value) for key, value in keywords.items()])

    def name(self, name: str) -> ast.Name:
        """A name of the stand-ins, which no name of the module hides."""
        if self.module == f"{_PACKAGE}.{_WRITTEN_OUT[name]}":
            return ast.Name(name, ast.Load())
        self.needed.add(name)
        return ast.Name(_PREFIX + name, ast.Load())

    def visit_List(self, node: ast.List | ast.Tuple | ast.Set) -> ast.AST:
        """A display; with `*` a call."""
        self.generic_visit(node)
        is_read = not isinstance(node, ast.List | ast.Tuple) or isinstance(node.ctx, ast.Load)
        if is_read and any(isinstance(item, ast.Starred) for item in node.elts):
            return self.call(_DISPLAYS[type(node)], *node.elts)
        return node

    visit_Tuple = visit_Set = visit_List  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """A dictionary in order."""
        self.generic_visit(node)
        parts: list[list[ast.expr]] = [[]]
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                parts += [[value], []]
            else:
                parts[-1].append(ast.Tuple([key, value], ast.Load()))
        pairs = [ast.Tuple(part, ast.Load()) if n % 2 == 0 else part[0] for n, part in enumerate(parts) if part]
        return self.call("OrderedDict" if len(parts) == 1 else "dict_of", *pairs)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        """A dictionary in order."""
        self.generic_visit(node)
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return self.call("OrderedDict", ast.GeneratorExp(pair, node.generators))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call, of another function where one is missing."""
        self.generic_visit(node)
        keywords = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        if isinstance(node.func, ast.Name):
            return self._function(node, node.func.id, keywords)
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func, keywords)
        return node

    def _function(self, node: ast.Call, name: str, keywords: Mapping[str, ast.expr]) -> ast.AST:
        if name == "dict":
            node.func = self.name("OrderedDict")
        elif name == "sorted" and "key" in keywords:
            node.func = self.name("sorted_stably")
        elif name == "isinstance":
            node.args[1] = _as_tuple(node.args[1])
        return node

    def _method(self, node: ast.Call, function: ast.Attribute, keywords: Mapping[str, ast.expr]) -> ast.AST:
        owner, attribute = function.value, function.attr
        if attribute in _METHODS:
            return ast.Call(self.name(attribute), [owner, *node.args], node.keywords)
        if attribute == "sort" and "key" in keywords:
            return ast.Call(self.name("sort_stably"), [owner, *node.args], node.keywords)
        if attribute == "fromkeys" and isinstance(owner, ast.Name) and owner.id in ("dict", "OrderedDict"):
            return ast.Call(self.name("keys_in_order"), node.args, [])
        if attribute == "__new__" and isinstance(owner, ast.Name):
            function.value = ast.Name("object", ast.Load())
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """An item or a slice; one with a step is a call."""
        self.generic_visit(node)
        if isinstance(node.slice, ast.Slice) and node.slice.step is not None and isinstance(node.ctx, ast.Load):
            lower, upper = (each or ast.Constant(None) for each in (node.slice.lower, node.slice.upper))
            return self.call("sliced", node.value, lower, upper, node.slice.step)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """An f-string as a call of `format`."""
        self.generic_visit(node)
        template, values = "", []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                conversion = "" if part.conversion < 0 else "!s" if part.conversion == ord("s") else "!r"
                # A format is a string of its own, which has been rewritten already.
                spec, computed = "", []
                if isinstance(part.format_spec, ast.Call) and isinstance(part.format_spec.func, ast.Attribute):
                    spec = f":{ast.literal_eval(part.format_spec.func.value)}"
                    computed = part.format_spec.args
                template += f"{{{conversion}{spec}}}"
                values += [part.value, *computed]
            elif isinstance(part, ast.Constant):
                template += str(part.value).replace("{", "{{").replace("}", "}}")
        return ast.Call(ast.Attribute(ast.Constant(template), "format", ast.Load()), values, [])

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        """Arguments, all of which may be given by name."""
        self.generic_visit(node)
        node.args, node.posonlyargs = [*node.posonlyargs, *node.args], []
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """An error without its cause."""
        self.generic_visit(node)
        node.cause = None
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Refused."""
        raise BundleError(f"{self.module}: line {node.lineno} has a match statement")

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A class; a dataclass or named tuple with the methods that it has in Python."""
        decorators = [each for each in node.decorator_list if _name_of(each) == "dataclass"]
        is_tuple = any(_name_of(base) == "NamedTuple" for base in node.bases)
        node.decorator_list = [each for each in node.decorator_list if each not in decorators]
        node.bases = [base for base in node.bases if _name_of(base) not in ("Protocol", "NamedTuple")]
        if decorators or is_tuple:
            _write_out(node)
            node.bases.append(self.name("TupleRecord" if is_tuple else "Record"))
        self.generic_visit(node)
        return node


def _write_out(node: ast.ClassDef) -> None:
    """Writes out the fields of a dataclass or a named tuple, and what sets them."""
    declared = {
        statement: (statement.target.id, statement.value)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and _name_of(statement.annotation) != "ClassVar"
    }
    fields, others = list(declared.values()), [statement for statement in node.body if statement not in declared]
    defined = {statement.name for statement in others if isinstance(statement, ast.FunctionDef)}
    names = ast.Tuple([ast.Constant(name) for name, _ in fields], ast.Load())
    made: list[ast.stmt] = [ast.Assign([ast.Name("_fields", ast.Store())], names)]
    if "__init__" not in defined:
        made.append(_initialiser(fields, "__post_init__" in defined))
    is_documented = ast.get_docstring(node) is not None
    node.body = [*others[:is_documented], *made, *others[is_documented:]]


def _initialiser(fields: list[tuple[str, ast.expr | None]], has_more: bool) -> ast.FunctionDef:
    """The `__init__` that Python makes from fields with their defaults."""
    # A factory is called where no value is given; such fields are never given None.
    factories = {name: factory for name, value in fields if (factory := _factory(value)) is not None}
    defaults: list[ast.expr] = [
        ast.Constant(None) if name in factories else value for name, value in fields if value is not None
    ]
    with_default = [name for name, value in fields if value is not None]
    in_order = [name for name, _ in fields if name not in with_default] + with_default
    body: list[ast.stmt] = []
    for name, _ in fields:
        given: ast.expr = ast.Name(name, ast.Load())
        if name in factories:
            is_missing = ast.Compare(ast.Name(name, ast.Load()), [ast.Is()], [ast.Constant(None)])
            given = ast.IfExp(is_missing, ast.Call(factories[name], [], []), given)
        body.append(ast.Assign([ast.Attribute(ast.Name("self", ast.Load()), name, ast.Store())], given))
    if has_more:
        more = ast.Attribute(ast.Name("self", ast.Load()), "__post_init__", ast.Load())
        body.append(ast.Expr(ast.Call(more, [], [])))
    arguments = ast.arguments([], [ast.arg("self"), *map(ast.arg, in_order)], None, [], [], None, defaults)
    # Versions of Python differ in the fields of a node that is made anew.
    made = ast.parse("def __init__(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body = arguments, body or [ast.Pass()]
    return ast.fix_missing_locations(made)


def _factory(value: ast.expr | None) -> ast.expr | None:
    """The factory of a default that is `field(default_factory=…)`."""
    if not (isinstance(value, ast.Call) and _name_of(value) == "field"):
        return None
    return next((keyword.value for keyword in value.keywords if keyword.arg == "default_factory"), None)


def _name_of(node: ast.expr) -> str:
    """The name that a decorator, a base or an annotation begins with."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return ""
    return node.id


def _as_tuple(kinds: ast.expr) -> ast.expr:
    """The classes of `A | B` as a tuple."""
    if not (isinstance(kinds, ast.BinOp) and isinstance(kinds.op, ast.BitOr)):
        return kinds
    parts = [_as_tuple(kinds.left), _as_tuple(kinds.right)]
    return ast.Tuple(
        [kind for part in parts for kind in (part.elts if isinstance(part, ast.Tuple) else [part])], ast.Load()
    )
