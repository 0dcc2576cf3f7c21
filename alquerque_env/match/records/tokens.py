"""The tokens of a match file: headers, numbers, turns, parentheses and results, read from a stream line by line.

What cannot be read is a token as well, so that the matches behind it can be.
"""

import io
import re
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple, TextIO

from ...errors import RecordError, control_character, one_line, shorten
from ...game.game_file import MOST_TEXT

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The results that end the text of a match: South wins, North wins, draw, unknown."""

ENDS = {**{result: result for result in RESULTS}, "2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2", "0-0": "*"}
"""What ends the text of a match in any program, by the result that it means; `0-0` is lost by both sides."""

GAME_FILE, TABLE_HASH = "GameFile", "TableHash"
"""The headers of a game from a file: the text that stands for the file, and the hash of its rules."""

KNOWN_HEADERS = (
    *("Game", "Version", "Options", "South", "North", "Date", "Position", "Result", "Reason"),
    *(GAME_FILE, TABLE_HASH),
    *("GameType", "FEN", "SetUp", "Setup", "White", "Black"),  # read as PDN has them, and written by the names above
)
"""The headers that this package gives a meaning."""

_BY_LETTERS = {name.lower(): name for name in KNOWN_HEADERS}

DOTS = "..."
"""Stands for the missing turn before the first one, and at the end of a turn for the rest of it."""

MAX_LINE = 1_000_000
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

_TOKEN = re.compile(
    "|".join(
        (
            r"[\s\ufeff]+|;(?P<rest>.*)|\$[0-9]+|[!?]+|\([!?]+\)",
            r"(?P<comment>\{)",
            r"(?P<parenthesis>[()])",
            r'\[\s*(?P<name>[^\s"\[\]]+)\s+"(?P<value>(?:[^"\\]|\\.)*)"\s*\]',
            r"(?P<number>[0-9]{1,6})\.(?P<dots>\.\.)?",
            r"(?P<word>(?:[0-9]+[-x:][ ]+)?[^\s;{}()\[\]!?$]+)",
        )
    )
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_ESCAPED = re.compile(r"\\(.)")
_HEADER = re.compile(r'\[[A-Za-z]\w* +"[^"]*"\]\s*\Z')
_NO_END = "the comment that begins here has no end, expected a '}'"


class Token(NamedTuple):
    """A token of a match file."""

    line: int  # its line in the file, from 1
    place: int  # the characters before it in the source
    # "header" for `[Name "value"]`, "number" for the number of a pair of turns such as `3.` or `3...`, "parenthesis"
    # for the beginning or the end of a variation, "comment", "word" for a turn, a result, or the dots of a missing
    # turn, "problem" for what cannot be read
    kind: str
    # the name of the header, the digits of the number, the parenthesis, the comment on one line, the word, or what is
    # wrong
    text: str
    value: str = ""  # the value of the header; the dots of `3...`; the bracket of a problem in a line of headers


def read_tokens(source: str | TextIO, first_line: int = 1) -> Iterator[Token]:
    """Reads the tokens of a match file without judgements such as `!?` and `$4`.

    A line is a problem if it is too long, holds NUL or is not made of tokens, and a comment if it is too long or does
    not end before a blank line with a header behind it. Reading goes on in the next line.

    Raises:
      RecordError: If the source is a stream that is not text in its encoding.
    """
    comment, opened = 0, 0  # the line in which an open comment began, and the characters before that
    said: list[str] = []  # its lines
    length = 0  # of these
    before = ""
    for number, begun, line in _lines(source, first_line):
        place = 0
        problem = ""
        if comment and before.isspace() and _HEADER.match(line):
            yield Token(comment, opened, "problem", _NO_END)
            comment, said = 0, []
        before = line
        if len(line) > MAX_LINE:
            problem = f"the line is longer than {MAX_LINE:,} characters; break it at a space"
        elif "\0" in line:
            problem = "the line holds NUL, which is no text; save the file as text in UTF-8"
        elif line.startswith("%") and not comment:
            continue  # a remark, as PDN has them
        while place < len(line) and not problem:
            if comment:
                end = line.find("}", place)
                said.append(line[place:] if end < 0 else line[place:end])
                length += len(said[-1])
                if length > MAX_COMMENT:
                    number, problem = comment, f"the comment that begins here is longer than {MAX_COMMENT} characters"
                if end < 0 or problem:
                    break
                yield Token(comment, opened, "comment", one_line(" ".join(said)))
                place, comment, said = end + 1, 0, []
                continue
            token = _TOKEN.match(line, place)
            if token is None:
                found = shorten(line[place:].rstrip())
                problem = f"unexpected {found[0]!r}; remove it or put it into a comment"
                if found[0] == "[":
                    problem = f'cannot read {found!r} as a header; expected one line such as [South "human"]'
                break
            at, place = begun + place, token.end()
            if token["comment"]:
                comment, opened, length = number, at, 0
            elif token["rest"]:
                yield Token(number, at, "comment", one_line(token["rest"].replace("}", ")")))
            elif token["name"]:
                yield _header(number, at, token["name"], token["value"])
            elif token["number"]:
                yield Token(number, at, "number", token["number"], token["dots"] or "")
            elif token["parenthesis"]:
                yield Token(number, at, "parenthesis", token["parenthesis"])
            elif token["word"]:
                yield Token(number, at, "word", token["word"])
        if problem:
            yield Token(number, begun + place, "problem", problem, "[" if line.startswith("[") else "")
            comment, said = 0, []
    if comment:
        yield Token(comment, opened, "problem", _NO_END)


def _lines(source: str | TextIO, first: int) -> Iterator[tuple[int, int, str]]:
    """Lines with their numbers and the characters before them; of a line that is too long only the beginning."""
    stream = io.StringIO(source, newline=None) if isinstance(source, str) else source
    begun = 0
    for number in count(first):
        try:
            line = stream.readline(MAX_LINE + 1)
            end = begun + len(line)
            rest = line
            while len(rest) > MAX_LINE and not rest.endswith("\n"):
                rest = stream.readline(MAX_LINE + 1)
                end += len(rest)
        except UnicodeDecodeError:
            raise RecordError("this is not a match file: it is not text in UTF-8") from None
        if not line:
            return
        yield number, begun, line
        begun = end


def _header(line: int, place: int, name: str, escaped: str) -> Token:
    wrong = next((mark for mark in _ESCAPED.findall(escaped) if mark not in '"\\'), None)
    if wrong is not None:
        problem = f'header {shorten(name)} has a backslash before {wrong!r}, expected \\" or \\\\'
        return Token(line, place, "problem", problem, "[")
    value = _ESCAPED.sub(r"\1", escaped)
    try:
        check_header(name, value)
    except RecordError as error:
        return Token(line, place, "problem", str(error), "[")
    return Token(line, place, "header", name, value)


def spelled(name: str) -> str | None:
    """The known header that a name has the letters of; None if there is none."""
    return name if name in KNOWN_HEADERS else _BY_LETTERS.get(name.lower())


def check_header(name: str, value: str) -> None:
    """Refuses a header that cannot be written and read back, by a `RecordError`."""
    if not _NAME.fullmatch(name):
        raise RecordError(f"{shorten(name)!r} cannot name a header, expected a letter, then letters, digits and _")
    most = MOST_TEXT if name == GAME_FILE else MAX_VALUE
    if len(value) > most:
        raise RecordError(f"header {name} has {len(value)} characters, expected at most {most}")
    if wrong := control_character(value):
        raise RecordError(f"header {name} holds the character {wrong!a}, expected one line of printable text")


def format_header(name: str, value: str) -> str:
    r"""Returns a header as a line, with a backslash before `"` and `\`. Errors are those of `check_header`."""
    check_header(name, value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'
