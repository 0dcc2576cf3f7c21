"""Source code with what MicroPython lacks: each construct with the name of what it leaves to compare."""

import json
from dataclasses import replace
from pathlib import Path

from alquerque_env.engine.bundle.bundler import Origin, bundle
from alquerque_env.engine.bundle.recipes import MICROPYTHON

CONSTRUCTS = {
    "stars in a list": "found = [*range(3), 7, *'ab']",
    "stars in a tuple": "found = (*range(3), 7)",
    "stars in a set": "found = sorted({*range(3), 1, 7})",
    "stars in a dictionary": "found = list({'b': 1, **{'a': 2}, 'b': 3, **{'c': 4}}.items())",
    "stars on the left stay": "first, *found = [1, 2, 3]",
    "order of a dictionary": "found = list({name: 1 for name in 'zebra crossing'})",
    "order of keys": "found = list(dict.fromkeys('zebra crossing'))",
    "order of a made dictionary": "made = {}\nfor name in 'zebra': made[name] = 1\nfound = [*made, *dict(made)]",
    "dictionaries joined": "found = list(({'z': 1, 'a': 2} | {'b': 3, 'z': 4}).items())",
    "a stable sort": "found = sorted([3, 11, 1, 13, 12, 2, 21] * 9, key=lambda number: number % 10)",
    "a stable sort backwards": "found = sorted(range(99), key=lambda number: number % 4, reverse=True)",
    "a stable sort in place": "found = list(range(99))\nfound.sort(key=lambda number: -(number % 5))",
    "bits": "found = [number.bit_length() for number in (0, 1, 2, 255, 256, 1 << 80, -5)]",
    "prefix and suffix": """
found = ["abc".removeprefix("a"), "abc".removeprefix("x"), "abc".removesuffix("c"), "abc".removesuffix("")]
""",
    "kinds of text": r"""
found = ["12".isdecimal(), "".isdecimal(), "a1".isdecimal(), "é".isascii(), "a\n".isprintable()]
""",
    "near words": """
from difflib import get_close_matches
known = ["fetaix", "fetach", "felli", "felli_simplified", "pretwa", "bagh_chal", "high_jump"]
words = ("fetaxi", "bagchal", "felly", "pretva", "jump_high", "feta", "x", "")
found = [get_close_matches(word, known, n=n, cutoff=0.5) for word in words for n in (1, 3)]
""",
    "formats": """
x, w = 3.14159, 9
found = f"{x:.2f} {x!r:>{w}} {w:03} {{}} {'a' if w else f'{x}'} {w / 12:.1%} {w:+}"
""",
    "union of classes": "found = [isinstance(each, int | str | list) for each in (1, 'a', [], (), None)]",
    "arguments by place": "def add(a, /, b, *, c=3):\n    return a + b + c\nfound = add(1, 2)",
    "slices with a step": """
row = tuple(range(9))
found = [row[::-1], row[1:8:3], row[-2::-3], list(row)[7:2:-2], "abcdef"[::-2], row[:-9:-1], row[20::-4]]
""",
    "named tuples": """
from typing import NamedTuple
class Place(NamedTuple):
    x: int
    y: int = 4
    def total(self):
        return self.x + self.y
one, other = Place(1), Place(2, y=3)
x, y = other
found = [x, y, one == (1, 4), one < other, len(one), one[1], one[:1], one.total(), {one: 5}[Place(1, 4)]]
found += [list(one), list(one._replace(y=9)), list(one._asdict().items())]
""",
    "dataclasses": """
from dataclasses import dataclass, field, replace
@dataclass(frozen=True)
class Piece:
    name: str
    tags: list = field(default_factory=list)
    size: int = 2
    def __post_init__(self):
        if self.size < 0:
            raise ValueError(f"size {self.size}")
one, other = Piece("man"), Piece("king", size=3)
one.tags.append("a")
try:
    Piece("none", [], -1)
    problem = ""
except ValueError as error:
    problem = str(error)
found = [one.name, other.tags, one == Piece("man", ["a"]), one != other, replace(one, size=7).size, problem]
found += [repr(other)]
""",
    "cached properties": """
from functools import cached_property
class Board:
    counted = 0
    @cached_property
    def points(self):
        self.counted += 1
        return (1, 2)
board = Board()
found = [board.points, board.points, board.counted, Board().points]
""",
    "caches": """
from functools import cache, lru_cache
calls = []
@cache
def one(n):
    calls.append(n)
    return n * 2
@lru_cache(maxsize=4)
def two(n):
    calls.append(n)
    return n * 3
found = [one(1), one(1), two(1), two(1), calls]
""",
    "copies of objects": """
class Match:
    def __init__(self):
        self.steps = [1]
    def copy(self):
        twin = Match.__new__(Match)
        for name, value in self.__dict__.items():
            setattr(twin, name, value)
        twin.steps = list(self.steps)
        return twin
match = Match()
twin = match.copy()
twin.steps.append(2)
found = [match.steps, twin.steps]
""",
    "iterators": """
from itertools import combinations, pairwise
found = [list(pairwise([1, 2, 3]))]
found += [list(pairwise([])), list(combinations("abcd", 2))]
""",
    "counters": """
from collections import Counter
seen = Counter("hello")
twin = seen.copy()
twin["l"] += 5
found = [seen["l"], seen["x"], twin["l"]]
""",
    "contexts": """
from contextlib import contextmanager
done = []
@contextmanager
def located(name):
    done.append("begin " + name)
    try:
        yield 7
    except ValueError as error:
        raise KeyError(name) from error
    done.append("end " + name)
with located("a") as seven:
    done.append(seven)
try:
    with located("b"):
        raise ValueError
except KeyError as error:
    done.append("key")
found = done
""",
    "numbers": """
import math
from math import dist
found = [math.inf > 5, math.ceil(1.2), round(math.tanh(0.5), 9)]
found += [round(math.dist((0, 0), (3, 4)), 9), round(math.hypot(5, 12), 9), round(dist((1,), (4,)), 9)]
""",
    "regular expressions": r"""
import re
step = re.compile(r"(?P<from>[a-z]{1,2}[0-9]+)(?:-|x)(?P<to>[a-z]+[0-9]{1,2})")
found_at = step.match("-ab12xc3", 1)
found = [found_at["from"], found_at["to"], found_at.groups(), found_at.end(), found_at.span(2), found_at.group(0)]
found += [step.match("12"), step.fullmatch("a1-b2").group("to"), step.fullmatch("a1-b2 ")]
found += [step.search("say a1-b2").start(), [match.start() for match in re.compile("").finditer("ab")]]
found += [re.compile(r"(\d)").sub(r"<\1>", "a1b2")]
found += [re.compile("[0-9]+").sub(lambda m: str(int(m[0]) + 1), "a9b10")]
found += [re.findall("a|b", "abc"), bool(re.compile(r"\Aab\Z").search("ab"))]
""",
    "lines": r"""
import io
from textwrap import fill
text = io.StringIO("a\r\nb\rc\n\nde", newline=None)
found = [text.readline(2) for _ in range(7)] + [fill("a bb cccc dd", 5)]
""",
    "days": """
from datetime import date
found = []
for day in ("2024-02-29", "2023-02-29", "2023-13-01", "2023-04-31"):
    try:
        date.fromisoformat(day)
        found.append(True)
    except ValueError:
        found.append(False)
""",
    "protocols": """
from typing import Any, Protocol
class Values(Protocol):
    def value(self) -> int: ...
class Table(Values):
    def value(self) -> int:
        return 3
found = Table().value()
""",
    "indices": "from operator import index\nfound = index(3)",
    "causes": """
try:
    try:
        int("x")
    except ValueError as error:
        raise KeyError("y") from error
except KeyError as error:
    found = str(error.args[0])
""",
    "escapes": "from xml.sax.saxutils import escape, quoteattr\nfound = [escape('<a & b>'), quoteattr('a')]",
}


def as_programs(folder: Path) -> dict[str, str]:
    """Each construct as a program for MicroPython, with a function `run` that gives the result as JSON."""
    programs = {}
    for number, (name, source) in enumerate(CONSTRUCTS.items()):
        lines = source.splitlines()
        imports = [line for line in lines if line.startswith(("import ", "from "))]
        body = [f"    {line}" for line in lines if line not in imports]
        text = "\n".join(["import json", *imports, "def run():", *body, "    return json.dumps(found)", ""])
        (folder / f"construct_{number}.py").write_text(text, encoding="utf-8")
        recipe = replace(MICROPYTHON, packages={**MICROPYTHON.packages, f"construct_{number}": folder})
        programs[name] = bundle(recipe, [Origin(f"construct_{number}", "run")])
    return programs


def meant(source: str) -> object:
    """What a construct finds in Python."""
    namespace: dict[str, object] = {"__name__": "construct"}
    exec(source, namespace)
    return plain(namespace["found"])


def plain(value: object) -> object:
    """A result as JSON has it."""
    return json.loads(json.dumps(value))
