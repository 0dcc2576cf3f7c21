"""Hashes of source code, so that what code has made is not taken for the work of other code."""

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]

_IMPORT = re.compile(
    rf"^[ \t]*from[ \t]+(?:(\.+)|{PACKAGE.name}\b\.?)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|.*)", re.MULTILINE
)


@cache
def source_digest(file: Path) -> str:
    """A hash of a module and of all modules of the package that it imports, directly or not.

    Imports are found in the text of the modules, also those that are made only sometimes.

    Raises:
      OSError: If a source file cannot be read.
    """
    to_do, found = [file], set[Path]()
    while to_do:
        module = to_do.pop()
        if module not in found:
            found.add(module)
            to_do.extend(_read(module)[1])
    total = hashlib.sha256()
    for module in sorted(found):
        name = module.relative_to(PACKAGE) if module.is_relative_to(PACKAGE) else module
        total.update(f"{name.as_posix()} {_read(module)[0]}\n".encode())
    return total.hexdigest()


def _module_at(place: Path) -> Path:
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


@cache
def _read(file: Path) -> tuple[str, tuple[Path, ...]]:
    """The hash of a module, and the modules of the package that it imports."""
    source = file.read_bytes()
    found: list[Path] = []
    for dots, base, names in _IMPORT.findall(source.decode(errors="replace")):
        place = (file.parents[len(dots) - 1] if dots else PACKAGE).joinpath(*base.split("."))
        found.append(_module_at(place))
        if place.is_dir():
            found += [_module_at(place / name) for name in re.findall(r"\w+", names)]
    return hashlib.sha256(source).hexdigest(), tuple(module for module in found if module.is_file())
