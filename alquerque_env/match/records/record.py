"""A match with what a file says about it, and its text."""

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ...errors import RecordError, shorten
from ...game.game import Game
from ...game.options import spell
from ..match import REASONS, Match, Outcome
from .tokens import DOTS, KNOWN, MAX_HEADERS, MAX_TURNS, RESULTS, format_header

WIDTH = 80
UNKNOWN_NAME = "?"
UNKNOWN_DATE = "????.??.??"

_DATE = re.compile(r"([0-9?]{4})\.([0-9?]{2})\.([0-9?]{2})")
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Record:
    """A match as a file has it; `str(record)` is its text.

    Attributes:
      headers: All headers of the file, in its order; read-only.
      match: The match as it was left, in the middle of a chain too. Its steps can be taken back.
      result: "1-0", "0-1", "1/2-1/2" or "*".
    """

    headers: Mapping[str, str]
    match: Match
    result: str

    @property
    def south(self) -> str:
        """Who played South, "?" if that is not known."""
        return self.headers.get("South", UNKNOWN_NAME)

    @property
    def north(self) -> str:
        """Who played North, "?" if that is not known."""
        return self.headers.get("North", UNKNOWN_NAME)

    @property
    def date(self) -> str:
        """When it was played, with question marks for the digits that are not known."""
        return self.headers.get("Date", UNKNOWN_DATE)

    @property
    def reason(self) -> str | None:
        """Why it ended, None if that is not said."""
        return self.headers.get("Reason")

    @property
    def other_headers(self) -> dict[str, str]:
        """The headers that have no meaning here."""
        return {name: value for name, value in self.headers.items() if name not in KNOWN}

    def __str__(self) -> str:
        return format_record(
            self.match,
            south=self.south,
            north=self.north,
            date=self.date,
            result=self.result,
            reason=self.reason,
            headers=self.other_headers,
        )


def format_record(
    match: Match,
    *,
    south: str = UNKNOWN_NAME,
    north: str = UNKNOWN_NAME,
    date: datetime.date | str | None = None,
    result: str | None = None,
    reason: str | None = None,
    headers: Mapping[str, str] = _NO_HEADERS,
) -> str:
    """The text of a match. Texts of several, one after the other, make a file.

    Args:
      match: The match, over or not, also in the middle of a chain.
      south: Who played South.
      north: Who played North.
      date: When it was played, None if that is not known; a text is of the form `2026.11.21`, with `?` for digits that
        are not known.
      result: One of `RESULTS`; that on the board if None, `*` if there is none.
      reason: Why it ended; that on the board if None.
      headers: Further headers.

    Returns:
      Lines, the last of which ends too.

    Raises:
      RecordError: If result or reason contradict the board, a header cannot be written, or the match is too long.
    """
    outcome = match.outcome
    result = result or ("*" if outcome is None else result_of(outcome))
    reason = reason or (None if outcome is None else outcome.reason)
    check_end(match, result, reason)
    start = starting_point(match)
    options = format_options(match.game)
    known = {
        "Game": match.game.name,
        "Version": str(match.game.version),
        "Options": options or None,
        "South": south,
        "North": north,
        "Date": _format_date(date),
        "Position": None if start.position == Match(match.game).position else start.position,
        "Result": result,
        "Reason": reason,
    }
    if clash := next((name for name in headers if name in KNOWN), None):
        raise RecordError(f"header {clash} is not a further one: it is written from what the match and the caller say")
    if len(headers) > MAX_HEADERS:
        raise RecordError(f"there are {len(headers)} further headers, of which a record holds at most {MAX_HEADERS}")
    written = {name: value for name, value in known.items() if value is not None} | dict(headers)
    lines = [format_header(name, value) for name, value in written.items()]
    return "\n".join([*lines, "", _format_turns(match, start.player, result), ""])


def _format_turns(match: Match, first_mover: int, result: str) -> str:
    turns = list(match.turns)
    if len(turns) > MAX_TURNS:
        raise RecordError(f"the match has {len(turns)} turns, of which a record holds at most {MAX_TURNS}")
    if turns and match.chain is not None:
        turns[-1] += DOTS
    if turns and first_mover != match.game.first_player:
        turns.insert(0, DOTS)
    words = [turn if place % 2 else f"{place // 2 + 1}. {turn}" for place, turn in enumerate(turns)]
    return _fill([*words, result])


def _fill(words: list[str]) -> str:
    lines = words[:1]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    return "\n".join(lines)


def starting_point(match: Match) -> Match:
    """The match before its first step."""
    start = match.copy()
    for _ in match.steps:
        start.pop()
    return start


def result_of(outcome: Outcome) -> str:
    """The result of a match that is over on the board."""
    return RESULTS[2 if outcome.winner is None else outcome.winner]


def check_end(match: Match, result: str, reason: str | None) -> None:
    """Compares what is said about the end of a match with the board.

    Raises:
      RecordError: If they contradict each other. Where the match is not over, any result may be given, with any reason
        but those of the rules: somebody resigned, or both agreed.
    """
    if result not in RESULTS:
        raise RecordError(f"the result is {shorten(result)!r}, expected one of {', '.join(RESULTS)}")
    outcome = match.outcome
    if outcome is None:
        if reason in REASONS.values():
            raise RecordError(f"the reason is {reason!r}, but the match is not over in {match.position!r}")
        return
    if result != result_of(outcome):
        raise RecordError(f"the result is {result}, but the match ended on the board: {result_of(outcome)} is expected")
    if reason not in (None, outcome.reason):
        said = shorten(str(reason))
        raise RecordError(f"the reason is {said!r}, but the match ended on the board: {outcome.reason!r} is expected")


def format_options(game: Game) -> str:
    """The options of a game that are not the defaults, as `name=value name=value`."""
    chosen = {name: value for name, value in game.options.items() if value != game.option_table[name].default}
    return " ".join(f"{name}={spell(value)}" for name, value in chosen.items())


def _format_date(date: datetime.date | str | None) -> str:
    if isinstance(date, datetime.date):
        return f"{date.year:04}.{date.month:02}.{date.day:02}"
    text = UNKNOWN_DATE if date is None else date
    check_date(text)
    return text


def check_date(text: str) -> None:
    """Refuses what is no date.

    Raises:
      RecordError: If it is not of the form `2026.11.21`, or such a day does not exist.
    """
    parts = _DATE.fullmatch(text)
    problem = f"the date is {shorten(text)!r}, expected the like of 2026.11.21, with ? for digits that are not known"
    if parts is None:
        raise RecordError(problem)
    try:
        # A day that is known in part may be any; 2000 is a leap year.
        year, month, day = (
            known if "?" in part else int(part) for part, known in zip(parts.groups(), (2000, 1, 1), strict=True)
        )
        datetime.date(year, month, day)
    except ValueError:
        raise RecordError(problem) from None
