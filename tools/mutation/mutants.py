"""Finds the places of the source that mutants change, and writes a file with one of them changed."""

import ast
import copy
import textwrap
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from alquerque_env.game import table_layout as TABLE

ROOT = Path(__file__).resolve().parents[2]
SURVIVED = "survived"
"""What became of a mutant that nothing tells from the original; other results say how it was killed."""

RULES = "rules"
GROUPS = {
    RULES: "alquerque_env/engine/**/*.py",
    "position_text": "alquerque_env/match/position_text.py",
    "records": "alquerque_env/match/records/*.py",
    "tables": "alquerque_env/solve/tables/*.py",
    "gae": "training/alquerque_training/gae.py",
    "arena": "alquerque_env/arena/*.py",
}
"""The files of each group of mutants. All their functions are changed, except in the engine."""

RULES_FUNCTIONS = {
    "actions": ("legal_actions",),
    "transition": ("apply_action", "_follow_schedule"),
    "ends": ("outcome", "winner_of", "reward_of", "_more_pieces"),
    "compared_captures": (
        *("keep_best", "_keep_continuing", "_has_continuing_rival", "_keep_longest", "_longest_chain"),
        *("_was_seen", "_list_captures"),
    ),
    "shut_points": ("closed_points",),
    "states": ("is_start", "position_key", "copy_state"),
    "moves": (
        *("look", "_look", "_take", "find_captures", "find_steps", "keep_opening", "add_pass", "can_continue"),
        *("count_capturable", "_narrow", "list_actions", "_list", "_section", "step_of"),
    ),
    "undo_memory": ("remember", "forget", "remember_points", "forget_points", "forbid_remembered", "_within_steps"),
}
"""The functions of the engine that find legal actions, apply one or return the outcome."""

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
EXTREMES = {"max": "min", "min": "max"}
UNCHANGED_FIELDS = ("args", "decorator_list", "returns", "type_params")
"""Fields of a function other than its body."""


class Function(NamedTuple):
    """A function in a file.

    Attributes:
      name: Module and name, as `ends.outcome` or `sprt.Question.bounds`.
      file: The file, from the top folder of the checkout.
      source: The text of the file.
      tree: The function.
    """

    name: str
    file: Path
    source: str
    tree: ast.FunctionDef


class Place(NamedTuple):
    """A node of a function, where its parent has it, and the innermost statement around it."""

    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    statement: ast.stmt

    @contextmanager
    def changed_to(self, node: ast.AST) -> Iterator[None]:
        """Within this context another node stands in this place."""
        self._put(node)
        try:
            yield
        finally:
            self._put(self.node)

    def _put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


class Mutant(NamedTuple):
    """A changed place.

    Attributes:
      function: Module and name, as `ends.outcome`.
      before: The line of the statement that is changed.
      after: The same line after the change.
      number: Counts mutants that are alike so far.
      code: The function.
      place: What is changed in it.
      change: What stands there after the change.
    """

    function: str
    before: str
    after: str
    number: int
    code: Function
    place: Place
    change: ast.AST

    @property
    def name(self) -> str:
        return f"{self.function}: {self.before}  ->  {self.after}" + (f"  #{self.number}" if self.number else "")

    @property
    def file(self) -> Path:
        """The file, from the top folder of the checkout."""
        return self.code.file

    def function_text(self) -> str:
        """The changed function."""
        with self.place.changed_to(self.change):
            return ast.unparse(self.code.tree)

    def file_text(self) -> str:
        """The file with the changed function."""
        tree, lines = self.code.tree, self.code.source.splitlines(keepends=True)
        first = min(node.lineno for node in (tree, *tree.decorator_list))
        changed = textwrap.indent(self.function_text(), " " * tree.col_offset) + "\n"
        return "".join([*lines[: first - 1], changed, *lines[tree.end_lineno :]])


@cache
def mutants(group: str) -> list[Mutant]:
    """All mutants of a group."""
    files = [file.relative_to(ROOT) for file in sorted(ROOT.glob(GROUPS[group]))]
    if group == RULES:
        chosen = [file for file in files if file.stem in RULES_FUNCTIONS]
        return [mutant for file in chosen for mutant in mutants_of_file(ROOT, file, RULES_FUNCTIONS[file.stem])]
    return [mutant for file in files for mutant in mutants_of_file(ROOT, file)]


def mutants_of_file(root: Path, file: Path, names: Collection[str] | None = None) -> Iterator[Mutant]:
    """The mutants of a file below the top folder of a checkout, of all its functions or of those with these names."""
    source = (root / file).read_text(encoding="utf-8")
    seen: Counter[tuple[str, str, str]] = Counter()
    for name, tree in functions_of(ast.parse(source)):
        if names is not None and name not in names:
            continue
        code = Function(f"{file.stem}.{name}", file, source, tree)
        for place in places_in(tree):
            for change in changes(place.node):
                key = code.name, *changed_line(place, change)
                # A change that the text does not show is none.
                if key[1] != key[2]:
                    yield Mutant(*key, seen[key], code, place, change)
                    seen[key] += 1


def functions_of(parent: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions and methods of a module with their names. Functions in a function are parts of it."""
    for node in parent.body:
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions_of(node, f"{prefix}{node.name}.")


def places_in(function: ast.FunctionDef) -> list[Place]:
    """The places in the body of a function, the outer ones first, without docstrings and types."""
    found: list[Place] = []
    to_do: list[tuple[ast.AST, ast.stmt]] = [(function, function)]
    for parent, around in to_do:
        for field, value in ast.iter_fields(parent):
            if field == "annotation" or (isinstance(parent, ast.FunctionDef) and field in UNCHANGED_FIELDS):
                continue
            for index, node in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(node, ast.AST) and not is_docstring(node):
                    statement = node if isinstance(node, ast.stmt) else around
                    found.append(Place(node, parent, field, index if isinstance(value, list) else None, statement))
                    to_do.append((node, statement))
    return found


def changed_line(place: Place, change: ast.AST) -> tuple[str, str]:
    """The first line of a statement that a change changes, before and after it."""
    before = ast.unparse(place.statement)
    with place.changed_to(change):
        after = ast.unparse(change if place.node is place.statement else place.statement)
    for lines in zip_longest(before.splitlines(), after.splitlines(), fillvalue=""):
        if lines[0] != lines[1]:
            return lines[0].strip(), lines[1].strip()
    return before, after


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Every changed form of one node."""
    if isinstance(node, ast.Compare):
        for index, found in enumerate(node.ops):
            for operator in COMPARISONS[type(found)]:
                yield ast.Compare(node.left, [*node.ops[:index], operator(), *node.ops[index + 1 :]], node.comparators)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield ast.Constant(node.value * 2 or 1.0)
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
        for left_out in range(len(node.values)):
            values = [value for index, value in enumerate(node.values) if index != left_out]
            yield values[0] if len(values) == 1 else ast.BoolOp(node.op, values)
    is_nothing_added = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and value_of(node.right) == 0
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS and not is_nothing_added:
        changed = copy.copy(node)
        changed.op = OPERATORS[type(node.op)]()
        yield changed
    if isinstance(node, ast.UnaryOp):
        yield node.operand
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        negated = copy.copy(node)
        negated.test = ast.UnaryOp(ast.Not(), node.test)
        yield negated
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Continue | ast.Raise):
        yield ast.Pass()
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        for value in (0, 1):
            if value != value_of(node.value):
                yield ast.Return(ast.Constant(value))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EXTREMES:
        yield ast.Call(ast.Name(EXTREMES[node.func.id], ast.Load()), node.args, node.keywords)


def value_of(node: ast.AST) -> int | None:
    """The value of a name of the table's layout, such as TABLE.ORIGIN, which is 0."""
    return (
        vars(TABLE).get(node.attr) if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "TABLE" else None
    )


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
