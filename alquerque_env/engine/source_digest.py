"""Hashes of source code, so that what code has made is not taken for the work of other code."""

import hashlib
import os
import re
from functools import cache
from pathlib import Path

PACKAGE = str(Path(__file__).parents[1])

# Bytes, paths as text and a line break instead of `^`: every start of the program waits for the hashes.
_IMPORT = re.compile(
    rb"\n[ \t]*from[ \t]+(?:(\.+)|%s\b\.?)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|.*)" % os.path.basename(PACKAGE).encode()
)


@cache
def source_digest(file: Path) -> str:
    """A hash of a module and of all modules of the package that it imports, directly or not.

    Imports are found in the text of the modules, also those that are made only sometimes.

    Raises:
      OSError: If a source file cannot be read.
    """
    to_do, lines = [str(file)], dict[str, bytes]()
    while to_do:
        module = to_do.pop()
        if module not in lines:
            lines[module], imported = _read(module)
            to_do += imported
    return hashlib.sha256(b"".join(sorted(lines.values()))).hexdigest()


@cache
def _read(file: str) -> tuple[bytes, list[str]]:
    """A line with the name and the hash of a module, and the modules of the package that it imports."""
    with open(file, "rb") as stream:
        source = stream.read()
    found: list[str] = []
    for dots, base, names in _IMPORT.findall(b"\n" + source):
        folder = PACKAGE
        if dots:
            folder = file
            for _ in dots:
                folder = os.path.dirname(folder)
        place = os.path.join(folder, *base.decode().split(".")) if base else folder
        if os.path.isdir(place):
            # Not the names behind `as`: on some file systems INDEX.py is index.py.
            modules = re.findall(rb"(\w+)(?:\s+as\s+\w+)?", names)
            found += [_module_at(os.path.join(place, name.decode())) for name in modules]
        found.append(_module_at(place))
    name = os.path.relpath(file, PACKAGE) if file.startswith(PACKAGE) else file
    line = f"{name} {hashlib.sha256(source).hexdigest()}\n".encode()
    return line, [module for module in dict.fromkeys(found) if os.path.isfile(module)]


def _module_at(place: str) -> str:
    return os.path.join(place, "__init__.py") if os.path.isdir(place) else f"{place}.py"
