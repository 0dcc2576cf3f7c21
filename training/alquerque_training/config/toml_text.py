"""Writes settings as TOML; the standard library only reads it."""

import json
from collections.abc import Mapping, Sequence


def format_toml(tables: Mapping[str, Mapping[str, object]]) -> str:
    """TOML text of tables that hold numbers, texts, booleans, and lists and tables of them.

    Args:
      tables: A table for each section. A value of None, which TOML cannot express, becomes a comment.
    """
    sections = []
    for name, table in tables.items():
        keys = [f"# {key} is not set" if value is None else f"{key} = {_format(value)}" for key, value in table.items()]
        sections.append("\n".join([f"[{name}]", *keys]))
    return "\n\n".join(sections)


def _format(value: object) -> str:
    if isinstance(value, Mapping):
        entries = ", ".join(f"{json.dumps(key)} = {_format(entry)}" for key, entry in value.items())
        return f"{{{entries}}}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_format, value))}]"
    return json.dumps(value)
