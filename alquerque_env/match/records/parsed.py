"""Divides a match file into its matches, which are not yet checked against the rules."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, TextIO

from ...errors import AlquerqueError, RecordError, shorten
from .tokens import (
    BEGIN,
    COMMENT,
    END,
    ENDS,
    KNOWN_HEADERS,
    MAX_HEADERS,
    MAX_TURNS,
    RESULTS,
    Token,
    read_tokens,
    spelled,
)

# Longer than any turn on a board with some dozens of pieces.
_MAX_TURN = 1_000


class _PlacedError(RecordError):
    """An error with its place in the file."""


class Turn(NamedTuple):
    """The text of a turn, its line in the file, and the number before it if there is one.

    A parenthesis stands here, too, for the beginning or the end of a variation, and a comment with its left brace.
    """

    line: int
    text: str
    number: Token | None


@dataclass
class ParsedMatch:
    """The text of a match, divided into its parts. `turns` has dots for a missing one.

    Attributes:
      number: Its place in the file, from 1.
      line: The line in which it begins.
      headers: Its headers.
      opening: The comments before its first turn.
      turns: Its turns, the parentheses of its variations, and its other comments.
      open: The lines in which the variations begin that have not ended.
      count: The number before a turn that has not come yet.
      result: Its result; empty until that was read.
      problem: Why it cannot be read; None if it can.
      end: The line and the characters of the source up to its end; None if the source ended first.
    """

    number: int
    line: int
    headers: dict[str, str] = field(default_factory=dict)
    opening: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    count: Token | None = None
    result: str = ""
    problem: RecordError | None = None
    end: tuple[int, int] | None = None

    @contextmanager
    def located(self, line: int | None = None, where: str = "") -> Iterator[None]:
        """Adds the place in the file to errors raised inside.

        Raises:
          RecordError: For every error of this package.
        """
        try:
            yield
        except AlquerqueError as error:
            raise self._placed(error, line or self.line, where) from None

    def add(self, token: Token) -> None:
        """Adds a token, or notes the first problem."""
        if self.problem is None:
            try:
                _add(self, token)
            except RecordError as error:
                self.problem = self._placed(error, token.line)

    def _placed(self, error: AlquerqueError, line: int, where: str = "") -> RecordError:
        if isinstance(error, _PlacedError):
            return error
        return _PlacedError(f"match {self.number}, line {line}{where}: {error}")


def parse_matches(
    source: str | TextIO, number: int = 0, line: int = 1, *, is_inside: bool = False
) -> Iterator[ParsedMatch]:
    """Divides a match file into its matches, one after the other.

    One that cannot be divided has a `problem`. It ends before the next headers.

    Args:
      source: The file, or a part of it.
      number: The matches before the part.
      line: The line in which the part begins.
      is_inside: Whether the part begins within a match, of which nothing was kept.

    Raises:
      RecordError: If the source is a stream that is not text in its encoding.
    """
    parsed: ParsedMatch | None = None
    if is_inside:
        number += 1
        parsed = ParsedMatch(number, line)
        parsed.add(Token(line, 0, "problem", "the match is too long to be read in a part of the file"))
    in_headers = False
    for token in read_tokens(source, line):
        if token.kind == "comment":
            if parsed is not None and token.text:  # those between matches belong to none
                parsed.add(token)
            continue
        was_in_headers, in_headers = in_headers, token.kind == "header" or token.value == "["
        if parsed is not None and in_headers and not was_in_headers:
            parsed.add(token)  # which is a problem
            parsed.end = token.line, token.place
            yield parsed
            parsed = None
        if parsed is None:
            number += 1
            parsed = ParsedMatch(number, token.line)
        parsed.add(token)
        if parsed.result:
            parsed.end = token.line, token.place + len(token.text)
            yield parsed
            parsed = None
    if parsed is not None:
        parsed.add(Token(parsed.line, 0, "end", ""))
        yield parsed


def _add(parsed: ParsedMatch, token: Token) -> None:
    is_end = token.kind == "end" or (token.kind == "word" and token.text in ENDS)
    if parsed.count is not None and (token.kind in ("number", "parenthesis") or is_end):
        with parsed.located(parsed.count.line):
            raise RecordError(f"number {parsed.count.text} has no turn; remove it, or add the turn")
    if token.kind == "problem":
        raise RecordError(token.text)
    if token.kind == "comment":
        _add_comment(parsed, token)
    elif token.kind == "header":
        _add_header(parsed, token)
    elif not parsed.headers:
        raise RecordError('expected the headers of a match, beginning with one such as [Game "fetaix"]')
    elif token.kind == "number":
        parsed.count = token
    elif token.kind == "parenthesis":
        _add_parenthesis(parsed, token)
    elif is_end:
        _check_ended(parsed, token.text)
        parsed.result = token.text
    else:
        _add_turn(parsed, token)


def _add_header(parsed: ParsedMatch, header: Token) -> None:
    name = header.text
    if parsed.turns or parsed.count is not None:
        raise RecordError(f"header {name} follows turns; expected the result of the match, one of {', '.join(RESULTS)}")
    if name in parsed.headers:
        raise RecordError(f"header {name} is given twice; remove one")
    if (known := spelled(name)) not in (None, name):
        raise RecordError(f"header {name} is spelled {known}; write [{known} ...], or choose another name")
    if name not in KNOWN_HEADERS and len(parsed.headers.keys() - KNOWN_HEADERS) == MAX_HEADERS:
        raise RecordError(f"there are more than {MAX_HEADERS} further headers")
    parsed.headers[name] = header.value


def _add_comment(parsed: ParsedMatch, token: Token) -> None:
    if parsed.turns:
        parsed.turns.append(Turn(token.line, COMMENT + token.text, None))
    else:
        parsed.opening.append(token.text)


def _add_parenthesis(parsed: ParsedMatch, token: Token) -> None:
    before = parsed.turns[-1].text if parsed.turns else ""
    if token.text == END and not parsed.open:
        raise RecordError("there is no variation that could end here; remove the ')'")
    if before == BEGIN:
        raise RecordError("the variation has no turn; expected one after the '('")
    if token.text == BEGIN:
        parsed.open.append(token.line)
    else:
        parsed.open.pop()
    parsed.turns.append(Turn(token.line, token.text, None))


def _check_ended(parsed: ParsedMatch, result: str) -> None:
    if parsed.open:
        with parsed.located(parsed.open[-1]):
            raise RecordError("the variation that begins here has no end, expected a ')' before the result")
    if not result:
        raise RecordError(f"the match has no end; expected its result, one of {', '.join(RESULTS)}")


def _add_turn(parsed: ParsedMatch, word: Token) -> None:
    if len(word.text) > _MAX_TURN:
        raise RecordError(f"cannot read {shorten(word.text)!r} as a turn: it is too long")
    if len(parsed.turns) > MAX_TURNS:  # dots for a missing turn do not count
        raise RecordError(f"there are more than {MAX_TURNS} turns")
    parsed.turns.append(Turn(word.line, word.text, parsed.count))
    parsed.count = None
