"""Writes TOML; the standard library only reads it."""

import json
import re
from collections.abc import Mapping, Sequence

_LONG = 100  # characters of a list from which on each entry has a line of its own


_BARE = re.compile(r"[A-Za-z0-9_-]+")


def format_toml(tables: Mapping[str, object]) -> str:
    """TOML text of values and tables, which become sections. None, which TOML cannot express, becomes a comment."""
    sections = ["\n".join(_lines({key: value for key, value in tables.items() if not isinstance(value, Mapping)}))]
    for name, table in tables.items():
        if isinstance(table, Mapping):
            sections.append("\n".join([f"[{_key(name)}]", *_lines(table)]))
    return "\n\n".join(section for section in sections if section)


def _lines(table: Mapping[str, object]) -> list[str]:
    return [
        f"# {key} is not set" if value is None else f"{_key(key)} = {_format(value)}" for key, value in table.items()
    ]


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _format(value: object) -> str:
    if isinstance(value, Mapping):
        entries = ", ".join(f"{_key(key)} = {_format(entry)}" for key, entry in value.items())
        return f"{{{entries}}}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Sequence):
        listed = [_format(entry) for entry in value]
        line = f"[{', '.join(listed)}]"
        return line if len(line) <= _LONG else "".join(["[\n", *(f"  {entry},\n" for entry in listed), "]"])
    return json.dumps(value)
