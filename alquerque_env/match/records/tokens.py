"""The tokens of a match file: headers, numbers, turns, parentheses and results, read from a stream line by line."""

import io
import re
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple, TextIO

from ...errors import RecordError, control_character, one_line, shorten
from ...game.file_text import MOST_TEXT

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The results that end the text of a match: South wins, North wins, draw, unknown."""

GAME_FILE, TABLE_HASH = "GameFile", "TableHash"
"""The headers of a game from a file: the text that stands for the file, and the hash of its rules."""

KNOWN_HEADERS = (
    *("Game", "Version", "Options", "South", "North", "Date", "Position", "Result", "Reason"),
    *(GAME_FILE, TABLE_HASH),
)
"""The headers that this package gives a meaning."""

DOTS = "..."
"""Stands for the missing turn before the first one, and at the end of a turn for the rest of it."""

MAX_LINE = 65_536
MAX_VALUE = 10_000
MAX_HEADERS = 100
MAX_TURNS = 100_000

MAX_VARIATION_STEPS = 1_000_000
"""The most steps of all variations of a match, each counted from the start of the match."""

MAX_COMMENT = 65_536
MAX_COMMENT_STEPS = 4_000_000
"""The most steps before all comments of a match, each counted from the start of the match."""

BEGIN, END = "()"
"""The parentheses of a variation."""

COMMENT = "{"

_TOKEN = re.compile(
    r"""\s+ | ;(?P<rest>.*) | \$[0-9]+ | [!?]+ | \([!?]+\)
    | (?P<comment>\{)
    | (?P<parenthesis>[()])
    | \[\s*(?P<name>[^\s"\[\]]+)\s+"(?P<value>(?:[^"\\]|\\.)*)"\s*\]
    | (?P<number>[0-9]{1,6})\.(?P<dots>\.\.)?
    | (?P<word>[^\s;{}()\[\]!?$]+)""",
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_ESCAPED = re.compile(r"\\(.)")


class Token(NamedTuple):
    """A token of a match file.

    Attributes:
      line: Its line in the file, from 1.
      kind: "header" for `[Name "value"]`, "number" for the number of a pair of turns such as `3.` or `3...`,
        "parenthesis" for the beginning or the end of a variation, "comment", "word" for a turn, a result, or the dots
        of a missing turn.
      text: The name of the header, the digits of the number, the parenthesis, the comment on one line, or the word.
      value: The value of the header; the dots of `3...`.
    """

    line: int
    kind: str
    text: str
    value: str = ""


def read_tokens(source: str | TextIO) -> Iterator[Token]:
    """Reads the tokens of a match file without judgements such as `!?` and `$4`.

    Raises:
      RecordError: If a line is too long, not UTF-8 or not made of tokens, or if a comment is too long or does not end.
    """
    comment = 0  # the line in which an open comment began
    said: list[str] = []  # its lines
    for number, line in _lines(source):
        place = 0
        while place < len(line):
            if comment:
                end = line.find("}", place)
                said.append(line[place:] if end < 0 else line[place:end])
                if sum(map(len, said)) > MAX_COMMENT:
                    raise RecordError(
                        f"line {comment}: the comment that begins here is longer than {MAX_COMMENT} characters"
                    )
                if end < 0:
                    break
                yield Token(comment, "comment", one_line(" ".join(said)))
                place, comment, said = end + 1, 0, []
                continue
            token = _TOKEN.match(line, place)
            if token is None:
                found = shorten(line[place:].rstrip())
                problem = f"unexpected {found[0]!r}; remove it or put it into a comment"
                if found[0] == "[":
                    problem = f'cannot read {found!r} as a header; expected one line such as [South "human"]'
                raise RecordError(f"line {number}: {problem}")
            place = token.end()
            if token["comment"]:
                comment = number
            elif token["rest"]:
                yield Token(number, "comment", one_line(token["rest"].replace("}", ")")))
            elif token["name"]:
                yield Token(number, "header", token["name"], _header_value(number, token["name"], token["value"]))
            elif token["number"]:
                yield Token(number, "number", token["number"], token["dots"] or "")
            elif token["parenthesis"]:
                yield Token(number, "parenthesis", token["parenthesis"])
            elif token["word"]:
                yield Token(number, "word", token["word"])
    if comment:
        raise RecordError(f"line {comment}: the comment that begins here has no end, expected a '}}'")


def _lines(source: str | TextIO) -> Iterator[tuple[int, str]]:
    stream = io.StringIO(source, newline=None) if isinstance(source, str) else source
    for number in count(1):
        try:
            line = stream.readline(MAX_LINE + 1)
        except UnicodeDecodeError:
            raise RecordError("this is not a match file: it is not text in UTF-8") from None
        if not line:
            return
        if len(line) > MAX_LINE:
            raise RecordError(f"line {number} is longer than {MAX_LINE} characters; break it at a space")
        yield number, line.removeprefix("\ufeff") if number == 1 else line


def _header_value(line: int, name: str, escaped: str) -> str:
    wrong = next((mark for mark in _ESCAPED.findall(escaped) if mark not in '"\\'), None)
    if wrong is not None:
        name = shorten(name)
        raise RecordError(f'line {line}: header {name} has a backslash before {wrong!r}, expected \\" or \\\\')
    value = _ESCAPED.sub(r"\1", escaped)
    try:
        check_header(name, value)
    except RecordError as error:
        raise RecordError(f"line {line}: {error}") from None
    return value


def check_header(name: str, value: str) -> None:
    """Checks that a header can be written and read back.

    Raises:
      RecordError: If the name is not made of letters, digits and _, or the value is too long or not one printable line.
    """
    if not _NAME.fullmatch(name):
        raise RecordError(f"{shorten(name)!r} cannot name a header, expected a letter, then letters, digits and _")
    most = MOST_TEXT if name == GAME_FILE else MAX_VALUE
    if len(value) > most:
        raise RecordError(f"header {name} has {len(value)} characters, expected at most {most}")
    if wrong := control_character(value):
        raise RecordError(f"header {name} holds the character {wrong!a}, expected one line of printable text")


def format_header(name: str, value: str) -> str:
    r"""Returns a header as a line, with a backslash before `"` and `\`.

    Raises:
      RecordError: As `check_header`.
    """
    check_header(name, value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'
