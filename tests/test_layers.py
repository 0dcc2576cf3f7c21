"""Imports point one way: a module of the package imports only from rows below its own."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = "alquerque_env"

# Bottom to top. A name is a module or a package with all its modules.
ROWS = [
    "errors writing",
    "layout",
    "storage",
    "pointers",
    "jit",
    "board",
    "rules",
    "ruleset",
    "observation",
    "table",
    "symmetry step",
    "game",
    "memory blocks",
    "engine",
    "entry",
    "frames",
    "columns",
    "solo lockstep",
    "lockstep_columns lockstep_numpy",
    "search",
    "matches",
    "notation",
    "reachable",
    "render",
    "match",
    "sentences",
    "standing records",
    "counts random_play",
    "protocol solutions",
    "tables",
    "bots",
    "arena proof ugi",
    "envs",
    "__init__",
    "bench benchmark web",
    "cli",
    "__main__",
]
HEIGHT = {name: height for height, row in enumerate(ROWS) for name in row.split()}

FILES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted((ROOT / PACKAGE).rglob("*.py"))
}
TRAINING = sorted((ROOT / "training").rglob("*.py"))


def row_of(module: str) -> str:
    """The name in the table of rows that a module of the package stands under."""
    return "__init__" if module == PACKAGE else module.split(".")[1]


def height(module: str) -> int:
    row = row_of(module)
    assert row in HEIGHT, f"{module} stands in no row; say where it belongs"
    return HEIGHT[row]


def nodes(tree: ast.AST, *, lazy: bool) -> Iterator[ast.AST]:
    """Nodes of a module, those for type checkers apart; with `lazy` also those inside functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if lazy or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node
            yield from nodes(node, lazy=lazy)


def imports(module: str, source: str, known: set[str], *, lazy: bool = True, is_package: bool = False) -> set[str]:
    """Absolute names of the modules that a module imports."""
    found = set()
    for node in nodes(ast.parse(source), lazy=lazy):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            base = parts[: len(parts) + is_package - node.level] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                found.add(inner if inner in known else origin)
    return found


def imports_of(module: str, *, lazy: bool = True) -> set[str]:
    file = FILES[module]
    is_package = file.name == "__init__.py"
    return imports(module, file.read_text(encoding="utf-8"), set(FILES), lazy=lazy, is_package=is_package)


def upward(module: str, imported: set[str]) -> list[str]:
    """Those of the imports that do not point down to a lower row, or to another module of the same package."""
    inside = {name for name in imported if name.split(".")[0] == PACKAGE}
    own = row_of(module)
    siblings = {name for name in inside if row_of(name) == own != "__init__"}
    return sorted(name for name in inside - siblings if height(name) >= height(module))


def test_every_module_stands_in_one_row_and_every_row_has_a_module():
    names = [name for row in ROWS for name in row.split()]

    assert len(names) == len(set(names))
    assert {row_of(module) for module in FILES} == set(names)


@pytest.mark.parametrize("module", FILES)
def test_a_module_imports_from_lower_rows_only(module):
    assert upward(module, imports_of(module)) == []


@pytest.mark.parametrize("module", FILES)
def test_the_package_needs_neither_training_nor_torch(module):
    """Not even inside functions."""
    roots = {name.split(".")[0] for name in imports_of(module)}

    assert roots.isdisjoint({"training", "torch"})


def test_modules_do_not_import_each_other_in_a_circle():
    """At module level; rows leave only the modules of one package and of one row to be looked at."""
    graph = {module: {name for name in imports_of(module, lazy=False) if name in FILES} - {module} for module in FILES}
    left = dict(graph)
    while ready := [module for module, needed in left.items() if not needed & left.keys()]:
        for module in ready:
            del left[module]

    assert sorted(left) == []


def test_boards_and_rules_are_read_with_the_standard_library_alone():
    """A board and the rules of a game are data."""
    for module in ("errors", "board", "rules", "ruleset"):
        roots = {name.split(".")[0] for name in imports_of(f"{PACKAGE}.{module}")}
        assert roots.isdisjoint({"numpy", "numba", "gymnasium", "pettingzoo", "click"}), module


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("alquerque_env.board", "from .match import Match", ["alquerque_env.match"]),
        ("alquerque_env.board", "from . import match as m", ["alquerque_env.match"]),
        ("alquerque_env.board", "import alquerque_env.cli", ["alquerque_env.cli"]),
        ("alquerque_env.board", "def f():\n    from .match import Match", ["alquerque_env.match"]),
        (
            "alquerque_env.board",
            "try:\n    from .match import Match\nexcept ImportError:\n    pass",
            ["alquerque_env.match"],
        ),
        ("alquerque_env.board", "from . import Match", ["alquerque_env"]),
        ("alquerque_env.render.svg", "from ..match import Match", ["alquerque_env.match"]),
        ("alquerque_env.blocks", "from .memory import forget", ["alquerque_env.memory"]),
        ("alquerque_env.envs.aec", "from .. import load_game", ["alquerque_env"]),
        ("alquerque_env.match", "from .board import Board", []),
        ("alquerque_env.render.svg", "from .picture import Picture", []),
        ("alquerque_env.board", "if TYPE_CHECKING:\n    from .match import Match", []),
    ],
)
def test_an_upward_import_is_found_however_it_is_written(module, source, found):
    assert upward(module, imports(module, source, set(FILES))) == found
