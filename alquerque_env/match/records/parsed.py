"""Divides a match file into its matches, which are not yet checked against the rules."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, TextIO

from ...errors import AlquerqueError, RecordError, shorten
from .tokens import BEGIN, COMMENT, END, KNOWN_HEADERS, MAX_HEADERS, MAX_TURNS, RESULTS, Token, read_tokens

# Longer than any turn on a board with some dozens of pieces.
_MAX_TURN = 1_000


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
      result: Its result; empty until that was read.
    """

    number: int
    line: int
    headers: dict[str, str] = field(default_factory=dict)
    opening: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    result: str = ""

    @contextmanager
    def located(self, line: int | None = None, where: str = "") -> Iterator[None]:
        """Adds the place in the file to errors raised inside.

        Raises:
          RecordError: For every error of this package.
        """
        try:
            yield
        except AlquerqueError as error:
            raise RecordError(f"match {self.number}, line {line or self.line}{where}: {error}") from None


def parse_matches(source: str | TextIO) -> Iterator[ParsedMatch]:
    """Divides a match file into its matches, one after the other.

    Raises:
      RecordError: If the text is not that of matches.
    """
    parsed: ParsedMatch | None = None
    number: Token | None = None
    found = 0
    for token in read_tokens(source):
        if token.kind == "comment":
            if parsed is not None and token.text:  # those between matches belong to none
                _add_comment(parsed, token)
            continue
        if parsed is None:
            found += 1
            parsed = ParsedMatch(found, token.line)
        elif number is not None and (token.kind in ("number", "parenthesis") or token.text in RESULTS):
            with parsed.located(number.line):
                raise RecordError(f"number {number.text} has no turn; remove it, or add the turn")
        with parsed.located(token.line):
            if token.kind == "header":
                _add_header(parsed, token, number)
            elif not parsed.headers:
                raise RecordError('expected the headers of a match, beginning with one such as [Game "fetaix"]')
            elif token.kind == "number":
                number = token
            elif token.kind == "parenthesis":
                _add_parenthesis(parsed, token)
            elif token.text in RESULTS:
                _check_ended(parsed)
                parsed.result = token.text
            else:
                _add_turn(parsed, token, number)
                number = None
        if parsed.result:
            yield parsed
            parsed = None
    if parsed is not None:
        _check_ended(parsed)
        with parsed.located():
            raise RecordError(f"the match has no end; expected its result, one of {', '.join(RESULTS)}")


def _add_header(parsed: ParsedMatch, header: Token, number: Token | None) -> None:
    name = header.text
    if parsed.turns or number is not None:
        raise RecordError(f"header {name} follows turns; expected the result of the match, one of {', '.join(RESULTS)}")
    if name in parsed.headers:
        raise RecordError(f"header {name} is given twice; remove one")
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


def _check_ended(parsed: ParsedMatch) -> None:
    if parsed.open:
        with parsed.located(parsed.open[-1]):
            raise RecordError("the variation that begins here has no end, expected a ')' before the result")


def _add_turn(parsed: ParsedMatch, word: Token, number: Token | None) -> None:
    if len(word.text) > _MAX_TURN:
        raise RecordError(f"cannot read {shorten(word.text)!r} as a turn: it is too long")
    if len(parsed.turns) > MAX_TURNS:  # dots for a missing turn do not count
        raise RecordError(f"there are more than {MAX_TURNS} turns")
    parsed.turns.append(Turn(word.line, word.text, number))
