"""The words of a match file: headers, numbers, turns and results, read from a stream that is never held as a whole."""

import io
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from ...errors import RecordError, shorten

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""How a match ended, and what ends its text: South wins, North wins, a draw, not known."""

KNOWN = ("Game", "Version", "Options", "South", "North", "Date", "Position", "Result", "Reason")
"""The headers that have a meaning here."""

DOTS = "..."
"""What stands for something that is not there: a turn before the first one, or the rest of a chain."""

MAX_LINE = 65_536
MAX_VALUE = 10_000
MAX_HEADERS = 100
MAX_TURNS = 100_000

_TOKEN = re.compile(
    r"""\s+ | ;.*
    | (?P<comment>\{)
    | \[\s*(?P<name>[^\s"\[\]]+)\s+"(?P<value>(?:[^"\\]|\\.)*)"\s*\]
    | (?P<number>[0-9]{1,6})\.(?P<dots>\.\.)?
    | (?P<word>[^\s;{}\[\]]+)""",
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_ESCAPED = re.compile(r"\\(.)")
# Control characters, lone surrogates, and what would begin another line.
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


class Header(NamedTuple):
    """A header, `[Name "value"]`, with the line in which it stands."""

    line: int
    name: str
    value: str


class Number(NamedTuple):
    """The number of a pair of turns, `3.`; with dots, `3...`, that of its second turn."""

    line: int
    value: int
    has_dots: bool


class Word(NamedTuple):
    """A turn, a result, or the dots of a turn that is not there."""

    line: int
    text: str


def read_words(source: str | TextIO) -> Iterator[Header | Number | Word]:
    """The words of a match file, comments dropped.

    Args:
      source: Text, or a stream of text.

    Raises:
      RecordError: If a line is too long, is no text in UTF-8, or holds what is no word; if a comment does not end.
    """
    comment = 0  # the line in which an open comment began
    for number, line in _lines(source):
        place = 0
        while place < len(line):
            if comment:
                end = line.find("}", place)
                if end < 0:
                    break
                place, comment = end + 1, 0
                continue
            token = _TOKEN.match(line, place)
            if token is None:
                raise RecordError(_unreadable(number, line, place))
            place = token.end()
            if token["comment"]:
                comment = number
            elif token["name"]:
                yield Header(number, *_read_header(number, token["name"], token["value"]))
            elif token["number"]:
                yield Number(number, int(token["number"]), bool(token["dots"]))
            elif token["word"]:
                yield Word(number, token["word"])
    if comment:
        raise RecordError(f"line {comment}: the comment that begins here has no end, expected a '}}'")


def _lines(source: str | TextIO) -> Iterator[tuple[int, str]]:
    stream = io.StringIO(source, newline=None) if isinstance(source, str) else source
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(MAX_LINE + 1)
        except UnicodeDecodeError:
            raise RecordError("this is no match file, which is text in UTF-8") from None
        if not line:
            return
        if len(line) > MAX_LINE:
            raise RecordError(f"line {number} is longer than {MAX_LINE} characters; break it where a space is")
        yield number, line.removeprefix("\ufeff") if number == 1 else line


def _read_header(line: int, name: str, value: str) -> tuple[str, str]:
    wrong = next((mark for mark in _ESCAPED.findall(value) if mark not in '"\\'), None)
    if wrong is not None:
        name = shorten(name)
        raise RecordError(f'line {line}: header {name} has a backslash before {wrong!r}, expected \\" or \\\\')
    value = _ESCAPED.sub(r"\1", value)
    try:
        check_header(name, value)
    except RecordError as error:
        raise RecordError(f"line {line}: {error}") from None
    return name, value


def check_header(name: str, value: str) -> None:
    """Refuses a header that could not be written and read again.

    Raises:
      RecordError: If the name is not a word of letters and digits, or the value not one line of some length.
    """
    if not _NAME.fullmatch(name):
        raise RecordError(f"{shorten(name)!r} cannot name a header, expected letters, digits and _ after a letter")
    if len(value) > MAX_VALUE:
        raise RecordError(f"header {name} has {len(value)} characters, expected at most {MAX_VALUE}")
    if wrong := next((mark for mark in value if unicodedata.category(mark) in _UNPRINTABLE), None):
        raise RecordError(f"header {name} holds the character {wrong!a}, expected one line of printable text")


def format_header(name: str, value: str) -> str:
    r"""A header as a line, with a backslash before `"` and `\`.

    Raises:
      RecordError: As `check_header`.
    """
    check_header(name, value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def _unreadable(number: int, line: str, place: int) -> str:
    found = shorten(line[place:].rstrip())
    if found[0] == "[":
        return f'line {number}: cannot read {found!r} as a header; expected the like of [South "human"] in one line'
    return f"line {number}: {found[0]!r} belongs to nothing; remove it, or put it into a comment"
