"""A match with its headers and result, and the text of one."""

import datetime
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from ...errors import RecordError, shorten
from ...game.step import Step
from ..match import REASONS, Match, Outcome
from .tokens import GAME_FILE, KNOWN_HEADERS, MAX_HEADERS, RESULTS, TABLE_HASH, format_header, spelled
from .turns_text import format_turns

WIDTH = 80
UNKNOWN_NAME = "?"
UNKNOWN_DATE = "????.??.??"

_DATE = re.compile(r"([0-9?]{4})\.([0-9?]{2})\.([0-9?]{2})")
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Comment(NamedTuple):
    """What a file says of a moment: the texts of all steps from the start of the match up to there, and the comment."""

    steps: tuple[str, ...]
    text: str


@dataclass(frozen=True, eq=False)
class Record:
    """A match read from a file; `str(record)` is its text.

    Attributes:
      headers: All headers in the order of the file, those of PDN by their names here; read-only.
      match: The match with all its steps, which can be taken back. It may be in the middle of a chain.
      result: "1-0" if South won, "0-1" if North won, "1/2-1/2" for a draw, "*" if unknown.
      variations: The other lines in the order of the file, each with all its steps from the start of the match.
      comments: The comments in the order of the file. One before the first turn of a variation counts as one after it.
    """

    headers: Mapping[str, str]
    match: Match
    result: str
    variations: tuple[tuple[Step, ...], ...] = ()
    comments: tuple[Comment, ...] = ()

    @property
    def south(self) -> str:
        """Who played South, "?" if unknown."""
        return self.headers.get("South", UNKNOWN_NAME)

    @property
    def north(self) -> str:
        """Who played North, "?" if unknown."""
        return self.headers.get("North", UNKNOWN_NAME)

    @property
    def date(self) -> str:
        """When the match was played, such as "2026.11.21", with question marks for unknown digits."""
        return self.headers.get("Date", UNKNOWN_DATE)

    @property
    def reason(self) -> str | None:
        """Why the match ended, None if the file does not say."""
        return self.headers.get("Reason")

    @property
    def other_headers(self) -> dict[str, str]:
        """The headers that this package gives no meaning, such as `Event`."""
        return {name: value for name, value in self.headers.items() if name not in KNOWN_HEADERS}

    def __str__(self) -> str:
        return format_record(
            self.match,
            south=self.south,
            north=self.north,
            date=self.date,
            result=self.result,
            reason=self.reason,
            headers=self.other_headers,
            variations=self.variations,
            comments=self.comments,
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
    variations: Iterable[Sequence[Step]] = (),
    comments: Iterable[tuple[Sequence[str], str]] = (),
) -> str:
    """Returns the text of a match. Several texts, one after the other, make a file.

    Args:
      match: The match. It need not be over and may be in the middle of a turn.
      south: Who played South.
      north: Who played North.
      date: When the match was played, None if unknown; text is such as "2026.11.21", with "?" for unknown digits.
      result: "1-0", "0-1", "1/2-1/2" or "*"; by default the result on the board, "*" if the match is not over.
      reason: Why the match ended; by default the reason on the board.
      headers: Further headers.
      variations: Other lines, each with all its steps from the start of the match. Those that another line contains are
        left out.
      comments: Comments, each as the texts of the steps before it from the start of the match, and its own; those of no
        line are left out.

    Returns:
      Lines of text with a line break at the end of each.

    Raises:
      RecordError: If the result or the reason contradicts the board, a header or a comment cannot be written, a
        variation is not legal, or the match is too long.
    """
    outcome = match.outcome
    result = result or ("*" if outcome is None else result_of(outcome))
    reason = reason or (None if outcome is None else outcome.reason)
    check_end(match, result, reason)
    start = starting_point(match)
    if isinstance(date, datetime.date):
        date = f"{date.year:04}.{date.month:02}.{date.day:02}"
    check_date(date)
    known = {
        "Game": match.game.name,
        "Version": str(match.game.version),
        "Options": " ".join(match.game.option_texts) or None,
        "South": south,
        "North": north,
        "Date": date or UNKNOWN_DATE,
        "Position": None if start.position == Match(match.game).position else start.position,
        "Result": result,
        "Reason": reason,
        TABLE_HASH: match.game.table_hash if match.game.file_text else None,
        GAME_FILE: match.game.file_text or None,
    }
    if clash := next((name for name in headers if spelled(name)), None):
        raise RecordError(
            f"header {clash} cannot be given in headers: it is written from the match and the other arguments"
        )
    if len(headers) > MAX_HEADERS:
        raise RecordError(f"there are {len(headers)} further headers, but a record holds at most {MAX_HEADERS}")
    written = {name: value for name, value in known.items() if value is not None} | dict(headers)
    lines = [format_header(name, value) for name, value in written.items()]
    turns = format_turns(match, variations, comments)
    text = textwrap.fill(f"{turns} {result}".lstrip(), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*lines, "", text, ""])


def starting_point(match: Match) -> Match:
    """Returns a copy of a match without its steps."""
    start = match.copy()
    for _ in match.steps:
        start.pop()
    return start


def result_of(outcome: Outcome) -> str:
    """Returns the result of a match that is over on the board, one of `RESULTS`."""
    return RESULTS[2 if outcome.winner is None else outcome.winner]


def check_end(match: Match, result: str, reason: str | None) -> None:
    """Checks that a result and a reason agree with the board.

    If the match is not over there, any result is allowed, with any reason but those of the rules: a player may have
    resigned, or both agreed on a draw.

    Raises:
      RecordError: If they do not agree, or the result is not one of `RESULTS`.
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
        stated = shorten(str(reason))
        raise RecordError(f"the reason is {stated!r}, but the match ended on the board: {outcome.reason!r} is expected")


def check_date(text: str | None) -> None:
    """Checks the date of a match; None is no date.

    Raises:
      RecordError: If the text is not such as "2026.11.21", or there is no such day.
    """
    if text is None:
        return
    parts = _DATE.fullmatch(text)
    # A part with unknown digits could be any; 2000 is a leap year.
    known = zip(parts.groups(), ("2000", "01", "01"), strict=True) if parts else ()
    day = "-".join(default if "?" in part else part for part, default in known)
    try:
        datetime.date.fromisoformat(day)
    except ValueError:
        expected = "a date such as 2026.11.21, with ? for unknown digits"
        raise RecordError(f"the date is {shorten(text)!r}, expected {expected}") from None
