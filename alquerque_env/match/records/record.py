"""A match with what a match file says of it, and the text of that file."""

import datetime
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...errors import AlquerqueError, RecordError, one_line, shorten
from ...game.step import Step, join_turn
from ..match import REASONS, Match
from ..replay import first_position
from ..variations import Branch, arrange, first_place
from .tokens import (
    BEGIN,
    DOTS,
    END,
    GAME_FILE,
    MAX_COMMENT,
    MAX_HEADERS,
    MAX_TURNS,
    RESULTS,
    TABLE_HASH,
    format_header,
    spelled,
)

WIDTH = 80
UNKNOWN_NAME = "?"
UNKNOWN_DATE = "????.??.??"
RESIGNED = "resigned"

_DATE = re.compile(r"([0-9?]{4})\.([0-9?]{2})\.([0-9?]{2})")
_NO_HEADERS: Mapping[str, str] = {}


class Comment(NamedTuple):
    """What a file says of a moment: the texts of all steps from the start of the match up to there, and the comment."""

    steps: tuple[str, ...]
    text: str


class Record:
    """A match with what a match file says of it: names, date, result, further headers, variations and comments.

    `str(record)` is its text, with a line break at the end; several texts, one after the other, make a file.
    `read_records` reads them.

    Example:
      >>> record = Record(Match("fetaix"), south="Ann", north="alphabeta:3", date="2026.11.21")
      >>> record.match.push("c2-c3")
      >>> record.resign(1)
      >>> print(record)
      [Game "fetaix"]
      [Version "1"]
      [South "Ann"]
      [North "alphabeta:3"]
      [Date "2026.11.21"]
      [Result "1-0"]
      [Reason "resigned"]
      <BLANKLINE>
      1. c2-c3 1-0
      <BLANKLINE>

    Args:
      match: The match. It need not be over, and may be in the middle of a turn.
      south: Who played South, "?" if unknown.
      north: Who played North, "?" if unknown.
      date: When the match was played, None if unknown; text is such as "2026.11.21", with "?" for unknown digits.
      result: How people ended the match, see `end`.
      reason: Why they did.
      headers: Headers that this package gives no meaning, such as `Event`.
      variations: Other lines, each with all its steps from the start of the match.
      comments: Comments, each as the texts of the steps before it from the start of the match, and its own.

    Attributes:
      match: The match, to play on or to take steps back.
      south: Who played South, "?" if unknown.
      north: Who played North, "?" if unknown.
      date: When the match was played, such as "2026.11.21", with "?" for unknown digits.
      headers: The further headers by their names.
      variations: Other lines, each with all its steps from the start of the match. One that another line contains is
        not written.
      comments: The comments. One before the first turn of a variation is read as one after it; one of no line is not
        written.

    Raises:
      RecordError: If the result or the reason contradicts the board, or the date is none. `str(record)` raises it too
        if a header or a comment cannot be written, a variation is not legal, or the match is too long.
    """

    def __init__(
        self,
        match: Match,
        *,
        south: str = UNKNOWN_NAME,
        north: str = UNKNOWN_NAME,
        date: datetime.date | str | None = None,
        result: str | None = None,
        reason: str | None = None,
        headers: Mapping[str, str] = _NO_HEADERS,
        variations: Iterable[Sequence[Step]] = (),
        comments: Iterable[tuple[Sequence[str], str]] = (),
    ) -> None:
        self.match = match
        self.south = south
        self.north = north
        self.date = as_date(date)
        self.headers = dict(headers)
        self.variations = [tuple(steps) for steps in variations]
        self.comments = [Comment(tuple(steps), text) for steps, text in comments]
        self._ended: tuple[str, str | None] = ("*", None)
        self.end(result or self.result, reason)

    @property
    def result(self) -> str:
        """The result: "1-0" if South won, "0-1" if North won, "1/2-1/2" for a draw, "*" while there is none.

        It is that of the board if the match is over there.
        """
        outcome = self.match.outcome
        return self._ended[0] if outcome is None else RESULTS[2 if outcome.winner is None else outcome.winner]

    @property
    def reason(self) -> str | None:
        """Why the match ended: the reason on the board, or what people said. None if it is not known."""
        outcome = self.match.outcome
        return self._ended[1] if outcome is None else outcome.reason

    @property
    def is_over(self) -> bool:
        """Whether the match has a result, on the board or by `end`."""
        return self.result != "*"

    @property
    def winner(self) -> int | None:
        """0 or 1; None for a draw, and while there is no result."""
        return {RESULTS[0]: 0, RESULTS[1]: 1}.get(self.result)

    def end(self, result: str, reason: str | None = None) -> None:
        """Gives the match a result that the board does not: a player resigned, or both agreed on a draw.

        Args:
          result: "1-0", "0-1" or "1/2-1/2"; "*" takes the result back.
          reason: Why the match ended, in words of your own.

        Raises:
          RecordError: If they contradict the board.
        """
        if result not in RESULTS:
            raise RecordError(f"the result is {shorten(result)!r}, expected one of {', '.join(RESULTS)}")
        outcome = self.match.outcome
        if outcome is None:
            if reason in REASONS.values():
                raise RecordError(f"the reason is {reason!r}, but the match is not over in {self.match.position!r}")
            self._ended = result, reason
        elif result != self.result:
            raise RecordError(f"the result is {result}, but the match ended on the board: {self.result} is expected")
        elif reason not in (None, outcome.reason):
            raise RecordError(
                f"the reason is {shorten(str(reason))!r}, but the match ended on the board: "
                f"{outcome.reason!r} is expected"
            )

    def resign(self, player: int, reason: str = RESIGNED) -> None:
        """Ends the match with a win of the other player.

        Args:
          player: Who gives up, 0 or 1.
          reason: Why.

        Raises:
          RecordError: If the match is over already, or there is no such player.
        """
        if self.is_over:
            raise RecordError("the match is over")
        if player not in (0, 1):
            raise RecordError(f"player is {player!r}, expected 0 for South or 1 for North")
        self.end(RESULTS[1 - player], reason)

    def take_back(self, players: Iterable[int] = (0, 1)) -> tuple[Step, ...]:
        """Takes back the result of `end` or, without one, the last turn of a player and what followed.

        Args:
          players: Whose turn it is. The steps of an unfinished turn come first.

        Returns:
          The steps that were taken back; none if it was the result.

        Raises:
          RecordError: If there is nothing to take back. Nothing is changed.
        """
        is_ended = self.is_over and not self.match.is_over
        before, sides = self.match.copy(), tuple(players)
        begins_turn = is_ended
        while not begins_turn:
            if not before.num_steps:
                raise RecordError("there is nothing to take back")
            before.pop()
            begins_turn = before.player in sides and not (before.turn_goes_on and before.num_steps)
        self._ended = "*", None
        return tuple(self.match.pop() for _ in range(self.match.num_steps - before.num_steps))[::-1]

    def __str__(self) -> str:
        match, game = self.match, self.match.game
        known = {
            "Game": game.name,
            "Version": str(game.version),
            "Options": " ".join(game.option_texts) or None,
            "South": self.south,
            "North": self.north,
            "Date": as_date(self.date),
            "Position": first_position(match),
            "Result": self.result,
            "Reason": self.reason,
            TABLE_HASH: game.table_hash if game.file_text else None,
            GAME_FILE: game.file_text or None,
        }
        if clash := next((name for name in self.headers if spelled(name)), None):
            raise RecordError(f"header {clash} cannot be among the headers: it is written from the rest of the record")
        if len(self.headers) > MAX_HEADERS:
            raise RecordError(
                f"there are {len(self.headers)} further headers, but a record holds at most {MAX_HEADERS}"
            )
        written = {name: value for name, value in known.items() if value is not None} | self.headers
        lines = [format_header(name, value) for name, value in written.items()]
        turns = _format_turns(match, self.variations, self.comments)
        text = textwrap.fill(f"{turns} {self.result}".lstrip(), WIDTH, break_long_words=False, break_on_hyphens=False)
        return "\n".join([*lines, "", text, ""])


def format_record(match: Match) -> str:
    """Returns the text of a match without names and date, as `str(Record(match))` does.

    Raises:
      RecordError: If the match is too long.
    """
    return str(Record(match))


def as_date(date: datetime.date | str | None) -> str:
    """The text of a date; raises `RecordError` if a text is not such as 2026.11.21, or there is no such day."""
    if isinstance(date, datetime.date):
        return f"{date.year:04}.{date.month:02}.{date.day:02}"
    if date is None:
        return UNKNOWN_DATE
    parts = _DATE.fullmatch(date)
    # A part with unknown digits could be any; 2000 is a leap year.
    known = zip(parts.groups(), ("2000", "01", "01"), strict=True) if parts else ()
    day = "-".join(default if "?" in part else part for part, default in known)
    try:
        datetime.date.fromisoformat(day)
    except ValueError:
        expected = "a date such as 2026.11.21, with ? for unknown digits"
        raise RecordError(f"the date is {shorten(date)!r}, expected {expected}") from None
    return date


def _format_turns(match: Match, lines: Sequence[tuple[Step, ...]], comments: Iterable[Comment]) -> str:
    """The turns in numbered pairs, with variations in parentheses after the turn that they replace."""
    said = _Said(comments)
    try:
        branches = arrange(match, lines)
    except AlquerqueError as error:
        raise RecordError(f"a variation: {error}") from None
    main = Branch(None, 0, first_place(match), 0, list(match.history), match.turn_goes_on)
    if (count := sum(len(branch.turns) for branch in (main, *branches))) > MAX_TURNS:
        raise RecordError(f"the match has {count} turns, but a record holds at most {MAX_TURNS}")
    leaving: dict[tuple[int | None, int], list[int]] = {}
    for number, branch in enumerate(branches):
        leaving.setdefault((branch.parent, branch.start), []).append(number)
    # Not by recursion: each variation may leave the one before it.
    words: list[str] = []
    left = [*said.take(0), *_parts(None, main, leaving, said, match.steps)][::-1]
    while left:
        part = left.pop()
        if isinstance(part, str):
            words.append(part)
        else:
            branch = branches[part]
            if branch.parent is None and branch.start == len(match.steps) and main.turns:
                branch = _with_last_turn(main, branch)
            left += [END, *_parts(part, branch, leaving, said, lines[branch.line])[::-1], BEGIN]
    return "".join(word if before == BEGIN or word == END else f" {word}" for before, word in pairwise([BEGIN, *words]))


class _Said:
    """Comments by the steps before them. Each is written once."""

    def __init__(self, comments: Iterable[Comment]) -> None:
        self._after: dict[tuple[int, str], int] = {}  # the number of a moment by that of the one before, and the step
        self._comments: dict[int, list[str]] = {}
        for steps, text in comments:
            text = one_line(text)
            if "}" in text or len(text) > MAX_COMMENT:
                raise RecordError(
                    f"a comment cannot have a }} or more than {MAX_COMMENT} characters, as it is written in braces"
                )
            *_, moment = self.moments(steps)
            self._comments.setdefault(moment, []).append(f"{{{text}}}")

    def moments(self, steps: Iterable[str]) -> Iterator[int]:
        """The numbers of the moments before, between and after steps from the start of the match."""
        moment = 0
        yield moment
        for step in steps:
            moment = self._after.setdefault((moment, step), len(self._after) + 1)
            yield moment

    def take(self, moment: int) -> list[str]:
        """The comments of a moment, unless they have been taken."""
        return self._comments.pop(moment, [])


def _with_last_turn(main: Branch, branch: Branch) -> Branch:
    """A branch that goes on after the end of the main line, with the last turn of it, which it can replace."""
    last = main.turns[-1]
    start, place = branch.start - len(last[1]), branch.place - 1
    return Branch(None, start, place, branch.line, [last, *branch.turns], branch.is_open)


def _parts(
    number: int | None,
    branch: Branch,
    leaving: dict[tuple[int | None, int], list[int]],
    said: _Said,
    steps: Sequence[Step],
) -> list[str | int]:
    """The turns of a branch with its comments, and the numbers of the branches that leave it, each after its turn.

    `steps` are those of the whole line, from the start of the match.
    """
    moments = list(said.moments(step.text for step in steps))
    parts: list[str | int] = []
    done, place, is_new = branch.start, branch.place, True
    if number is None and not branch.turns:
        return [*leaving.get((None, 0), ())]
    for _, turn in branch.turns:
        text = join_turn([step.text for step in turn])
        is_last = turn is branch.turns[-1][1]
        parts.append(_numbered(text + DOTS * (is_last and branch.is_open), place, is_new, number is None and done == 0))
        beside: list[str | int] = [*said.take(moments[done + len(turn)]), *leaving.get((number, done), [])]
        parts += beside
        done, place = done + len(turn), place + 1
        is_new = bool(beside)
    return parts + (leaving.get((None, done), []) if number is None else [])


def _numbered(text: str, place: int, is_new: bool, is_first: bool) -> str:
    """A turn with its number before the first of a pair, and before another one where a line begins or goes on."""
    if place % 2 == 0:
        return f"{place // 2 + 1}. {text}"
    if not is_new:
        return text
    return f"{place // 2 + 1}. {DOTS} {text}" if is_first else f"{place // 2 + 1}{DOTS} {text}"
