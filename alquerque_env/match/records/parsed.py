"""Matches as they stand in a file, before anybody asks the rules."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TextIO

from ...errors import RecordError, shorten
from .tokens import KNOWN, MAX_HEADERS, MAX_TURNS, RESULTS, Header, Number, Word, read_words

# Longer than every turn of a board with some dozens of pieces.
_MAX_TURN = 1_000


class Turn(NamedTuple):
    """A turn as it stands in a file, with its line and the number before it, if there is one."""

    line: int
    text: str
    number: Number | None


@dataclass
class Draft:
    """A match as it stands in a file, not yet compared with the rules.

    Attributes:
      number: Its place in the file, from 1.
      line: Where it begins.
      headers: Its headers, in order.
      turns: Its turns, dots for one that is not there among them.
      result: What its text ends with.
    """

    number: int
    line: int
    headers: dict[str, str] = field(default_factory=dict)
    turns: list[Turn] = field(default_factory=list)
    result: str = ""

    def fail(self, problem: str, line: int | None = None) -> RecordError:
        """An error that says where in the file it is."""
        return RecordError(f"match {self.number}, line {line or self.line}: {problem}")


def read_drafts(source: str | TextIO) -> Iterator[Draft]:
    """Divides a match file into its matches.

    Raises:
      RecordError: If the text is not that of matches.
    """
    draft, number, count = None, None, 0
    for word in read_words(source):
        if draft is None:
            count += 1
            draft = Draft(count, word.line)
        if isinstance(word, Header):
            _add_header(draft, word, number)
        elif not draft.headers:
            raise draft.fail('expected the headers of a match, beginning with one such as [Game "fetaix"]')
        elif isinstance(word, Number):
            if number is not None:
                raise _idle(draft, number)
            number = word
        elif word.text in RESULTS:
            if number is not None:
                raise _idle(draft, number)
            draft.result = word.text
            yield draft
            draft, number = None, None
        else:
            _add_turn(draft, word, number)
            number = None
    if draft is not None:
        raise draft.fail(f"the match has no end; expected its result, one of {', '.join(RESULTS)}")


def _idle(draft: Draft, number: Number) -> RecordError:
    return draft.fail(f"number {number.value} has no turn; remove it, or add the turn", number.line)


def _add_header(draft: Draft, header: Header, number: Number | None) -> None:
    if draft.turns or number is not None:
        problem = f"header {header.name} follows turns; expected the result of the match, one of {', '.join(RESULTS)}"
        raise draft.fail(problem, header.line)
    if header.name in draft.headers:
        raise draft.fail(f"header {header.name} stands twice; remove one", header.line)
    if header.name not in KNOWN and len(draft.headers.keys() - KNOWN) == MAX_HEADERS:
        raise draft.fail(f"there are more than {MAX_HEADERS} further headers", header.line)
    draft.headers[header.name] = header.value


def _add_turn(draft: Draft, word: Word, number: Number | None) -> None:
    if len(word.text) > _MAX_TURN:
        raise draft.fail(f"cannot read {shorten(word.text)!r} as a turn: it is too long", word.line)
    if len(draft.turns) > MAX_TURNS:  # one more, for the dots
        raise draft.fail(f"there are more than {MAX_TURNS} turns", word.line)
    draft.turns.append(Turn(word.line, word.text, number))
