"""The keys of a kind of file as a table, from the dataclass that describes the file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from alquerque_env.files.schema import Key, noun

Meanings = Mapping[str, Mapping[str, str]]
"""What keys mean that no `Key` says, by the name of the dataclass and the key."""


def schema_table(kind: type, meanings: Meanings) -> str:
    """The keys of a file in Markdown: type, meaning and default."""
    return "\n".join(["| key | type | meaning | default |", "|---|---|---|---|", *_rows(kind, "", meanings)]) + "\n"


def _rows(kind: Any, path: str, meanings: Meanings) -> Iterable[str]:
    """The rows of the tables that a value holds."""
    inner = get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        for field in fields(kind):
            hint = get_type_hints(kind, include_extras=True)[field.name]
            place = f"{path}.{field.name}" if path else field.name
            said = [key.meaning for key in get_args(hint)[1:] if isinstance(key, Key) and key.meaning]
            meaning = said[0] if said else meanings.get(kind.__name__, {}).get(field.name, "")
            is_required = field.default is MISSING and field.default_factory is MISSING
            default = "" if field.default in (MISSING, None, ()) else f"`{json.dumps(field.default)}`"
            yield f"| `{place}` | {noun(hint)} | {meaning} | {'required' if is_required else default} |"
            yield from _rows(hint, place, meanings)
    elif get_origin(kind) is tuple:
        yield from _rows(inner[0], f"{path}[]", meanings)
    elif get_origin(kind) is dict:
        yield from _rows(inner[1], f"{path}.NAME", meanings)
    elif get_origin(kind) in (Union, UnionType, Annotated):
        for choice in inner:
            yield from _rows(choice, path, meanings)
