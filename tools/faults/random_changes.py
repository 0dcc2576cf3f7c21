"""Random changes of what a file or a request holds: values of the wrong type or size, parts left out or doubled."""

import copy
import json
import math
import random
from collections.abc import Iterator
from typing import Any

DEEP: Any = []
for _ in range(60):
    DEEP = [DEEP]

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 255, 2**15, 2**31, 2**63, -(2**70), 10**30, 0.5, -1e-300, 1e308),
    *(math.nan, math.inf, "", "x", "x" * 1000, "\x1b[31mred\x07", "a\nb", "ugi:false", "nowhere:make", "/dev/zero"),
    *("../..", "é\u2028", "🙂", [], {}, [[]], [0], ["a1"], {"a": 1}, DEEP),
)


def mutate(content: Any, chance: random.Random) -> Any:
    """A copy of a JSON value with one to three of its parts changed, left out, doubled or exchanged."""
    content = copy.deepcopy(content)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = list(_places(content))
        if not places:
            return chance.choice(HOSTILE)
        holder, key = chance.choice(places)
        value = holder[key]
        match chance.randrange(6):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, value)
            case 1:
                holder[chance.choice(("x", "", f"{key}s"))] = value
            case 2:
                other, place = chance.choice(places)
                holder[key] = copy.deepcopy(other[place])
            case 3 if isinstance(value, int | float):
                holder[key] = chance.choice((value + 1, value - 1, -value, value * 1000, value / 2, str(value)))
            case 3 if isinstance(value, str):
                cut = chance.randrange(len(value) + 1)
                holder[key] = chance.choice((value[:cut], value + value, value[::-1], value.upper()))
            case _:
                holder[key] = copy.deepcopy(chance.choice(HOSTILE))
    return content


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a JSON value as the list or table that holds it, and its key there."""
    keys = content.keys() if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    for key in list(keys):
        yield content, key
        yield from _places(content[key])


def mutate_bytes(data: bytes, chance: random.Random) -> bytes:
    """A copy of some bytes with a part changed, cut out, doubled or replaced."""
    first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    last = min(last, first + 200)
    other = chance.choice(
        (b"", b"\0", b"\xff\xfe", b"\x1b[2J", b"9" * 5000, chance.randbytes(20), data[first:last] * 2)
    )
    return data[:first] + other + data[last:]


def write_toml(content: dict[str, Any]) -> str:
    """The TOML text of a table, inner tables in line."""

    def text(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {text(each)}" for key, each in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(text, value)) + "]"
        return {None: '"null"'}.get(value) or json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")

    return "".join(f"{json.dumps(key)} = {text(value)}\n" for key, value in content.items())
