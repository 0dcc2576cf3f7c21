"""Imports point one way, in the order in which CONTRIBUTING.md lists the folders, and never in a circle."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = {"alquerque_env": ROOT, "alquerque_training": ROOT / "training"}

FILES = {
    ".".join(file.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"): file
    for package, folder in SOURCES.items()
    for file in sorted((folder / package).rglob("*.py"))
}


def listed_layout() -> dict[str, list[str]]:
    """For each package the names directly under it in the listing of CONTRIBUTING.md, lowest first."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listing = text.partition("## Layout")[2].partition("```\n")[2].partition("```")[0]
    layout: dict[str, list[str]] = {}
    for line in listing.splitlines():
        if head := re.match(r"(?:training/)?(\w+)/", line):
            package = head[1]
            layout[package] = []
        elif entry := re.match(r"  (\w+)(?:/|\.py)", line):
            layout[package].append(entry[1])
    return layout


LAYOUT = listed_layout()
# The package itself offers what the folders below `benchmark` hold; `python -m` starts the command line.
_ABOVE = LAYOUT["alquerque_env"].index("benchmark")
ROWS = {
    "alquerque_env": [*LAYOUT["alquerque_env"][:_ABOVE], "__init__", *LAYOUT["alquerque_env"][_ABOVE:], "__main__"],
    "alquerque_training": [*LAYOUT["alquerque_training"], "__init__"],
}
HEIGHT = {(package, name): height for package, names in ROWS.items() for height, name in enumerate(names)}


def row_of(module: str) -> tuple[str, str]:
    """The package and the entry of its listing under which a module stands."""
    package, _, rest = module.partition(".")
    return package, rest.partition(".")[0] or "__init__"


def imports(module: str, source: str, *, is_package: bool = False) -> set[str]:
    """Absolute names of all that a module imports: inside functions and for type checkers too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            base = parts[: len(parts) + is_package - node.level] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{origin}.{alias.name}"
                found.add(inner if inner in FILES else origin)
    return found


@cache
def imports_of(module: str) -> set[str]:
    file = FILES[module]
    return imports(module, file.read_text(encoding="utf-8"), is_package=file.name == "__init__.py")


def upward(module: str, imported: set[str]) -> list[str]:
    """Those of the imports that do not point to a lower row, or to another module of the same row."""
    own = row_of(module)
    inside = {name for name in imported if row_of(name)[0] == own[0]}
    return sorted(name for name in inside if row_of(name) != own and HEIGHT[row_of(name)] >= HEIGHT[own])


def test_the_listing_names_every_folder_and_module_on_top_and_nothing_else():
    assert {row_of(module) for module in FILES} == set(HEIGHT)
    listing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    folders = {file.parent.name for file in FILES.values()} - set(SOURCES)
    assert {name for name in folders if f" {name}/ " not in listing} == set()


def test_modules_import_from_lower_rows_only():
    assert {module: found for module in FILES if (found := upward(module, imports_of(module)))} == {}


def test_the_package_needs_neither_the_trainer_nor_torch():
    """Modules of the backend of this name import torch; no other module imports them."""
    for module in FILES:
        if module.startswith("alquerque_env"):
            imported = imports_of(module)
            assert "alquerque_training" not in {name.split(".")[0] for name in imported}, module
            assert "torch" in module or not [name for name in imported if "torch" in name], module
            # Modules that are loaded by name are named in no import.
            assert "alquerque_training." not in FILES[module].read_text(encoding="utf-8"), module


def circles(graph: dict[str, set[str]]) -> list[str]:
    left = dict(graph)
    while ready := [module for module, needed in left.items() if not needed & left.keys()]:
        for module in ready:
            del left[module]
    return sorted(left)


def test_modules_do_not_import_each_other_in_a_circle():
    assert circles({module: imports_of(module) - {module} for module in FILES}) == []
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == ["a", "b", "c", "d"]


def test_two_modules_with_different_jobs_have_different_names():
    """A command's file has the name of the command."""
    names = Counter(
        module.rpartition(".")[2]
        for module, file in FILES.items()
        if file.name not in ("__init__.py", "__main__.py") and not module.startswith("alquerque_env.cli.commands.")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_every_folder_says_its_job():
    for file in FILES.values():
        if file.name == "__init__.py":
            first = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]
            assert first.endswith("."), file


def test_boards_and_rules_are_read_with_the_standard_library_alone():
    """The exported player and a page without a server read them too."""
    for module in ("errors", "game.board", "game.options", "game.ruleset"):
        roots = {name.split(".")[0] for name in imports_of(f"alquerque_env.{module}")}
        assert roots.isdisjoint({"numpy", "numba", "gymnasium", "pettingzoo", "click"}), module


def test_no_test_imports_another_test():
    """What several tests share is a module of its own."""
    for file in sorted((ROOT / "tests").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if re.search(r"^\s*(from|import) .*\btest_|^\s+test_\w+,$", text, re.MULTILINE):
            nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
            names = [getattr(node, "module", None) or "" for node in nodes]
            names += [alias.name for node in nodes for alias in node.names]
            assert not [name for name in names if name.rpartition(".")[2].startswith("test_")], file
