"""The hash of source code changes with every file from which a module takes something, and with no other."""

import ast
import shutil
from importlib.util import resolve_name
from pathlib import Path
from runpy import run_path

import pytest

import alquerque_env

PACKAGE = Path(alquerque_env.__file__).parent
KERNELS = sorted(file for file in PACKAGE.rglob("*.py") if b"kernel\ndef " in file.read_bytes())


def imported(file: Path) -> set[Path]:
    """The modules of the package that a module imports, by Python's parser."""
    package = ".".join(file.relative_to(PACKAGE.parent).parent.parts)
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = resolve_name("." * node.level + (node.module or ""), package)
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    places = [PACKAGE.parent.joinpath(*name.split(".")) for name in names]
    return {file for place in places for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()}


def reached_from(file: Path) -> set[Path]:
    """A module and those that it imports, directly or not."""
    found, to_do = {file}, [file]
    while to_do:
        fresh = imported(to_do.pop()) - found
        found |= fresh
        to_do += fresh
    return found


def digests(package: Path) -> dict[Path, str]:
    """The hash of each module with kernels, as a process finds it that begins now."""
    source_digest = run_path(str(package / "engine" / "source_digest.py"))["source_digest"]
    return {file: source_digest(package / file.relative_to(PACKAGE)) for file in KERNELS}


@pytest.mark.slow
def test_a_change_to_a_file_changes_the_hashes_of_the_modules_that_import_it(tmp_path):
    copy = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    needed = {file: reached_from(file) for file in KERNELS}
    known = digests(copy)

    assert len(KERNELS) > 10
    for file in [
        *sorted(set().union(*needed.values())),
        PACKAGE / "cli" / "main.py",
        PACKAGE / "render" / "svg.py",
    ]:
        changed = copy / file.relative_to(PACKAGE)
        source = changed.read_bytes()
        changed.write_bytes(source + b"# another version\n")
        found = digests(copy)
        changed.write_bytes(source)

        assert {each for each in KERNELS if found[each] != known[each]} == {
            each for each in KERNELS if file in needed[each]
        }
    assert digests(copy) == known


@pytest.mark.parametrize(
    "line",
    [
        "from .other import NUMBER",
        "from . import other",
        "from . import (  # a comment\n    first,\n    other as another,\n)",
        "from ..package.other import *",
        "if True:\n    from .other import NUMBER",
        "from alquerque_env.engine.moves import look",
        "from .inner import NUMBER",
        "from . import inner",
    ],
)
def test_every_form_of_import_is_found(tmp_path, line):
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    for name in ("first.py", "other.py", "inner/__init__.py"):
        (folder / name).write_text("NUMBER = 1\n")
    (folder / "module.py").write_text(f"{line}\n")
    modules = [folder / "other.py", folder / "inner" / "__init__.py"]
    copy = tmp_path / PACKAGE.name
    (copy / "engine").mkdir(parents=True)
    modules.append(copy / "engine" / "moves.py")
    for name in ("source_digest.py", "moves.py"):
        shutil.copy(PACKAGE / "engine" / name, copy / "engine" / name)

    def digest() -> str:
        return run_path(str(copy / "engine" / "source_digest.py"))["source_digest"](folder / "module.py")

    known = digest()
    for module in modules:
        module.write_text(module.read_text() + "NUMBER = 2\n")

    assert digest() != known
