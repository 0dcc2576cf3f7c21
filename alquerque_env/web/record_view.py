"""Match files and links as the page has them; free of the server, so that the static page has them too."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import AlquerqueError, RecordError
from ..match.link import format_link
from ..match.match import Match
from ..match.records import Record, format_record
from ..match.records.parsed import parse_matches
from ..match.records.reader import replay
from .match_view import legal_lines

MAX_LOADED = 50  # matches of a file that an answer has
MAX_VARIATIONS = 200  # of a match
MAX_COMMENTS = 1_000  # of a match
MAX_LOADED_STEPS = 20_000  # of the variations of a match, and as many before its comments, each counted from its start

NO_HEADERS: Mapping[str, str] = {}


def write_record(
    match: Match,
    *,
    south: str,
    north: str,
    date: str | None = None,
    result: str | None = None,
    reason: str | None = None,
    headers: Mapping[str, str] = NO_HEADERS,
    variations: Sequence[Sequence[str]] = (),
    comments: Sequence[Mapping[str, Any]] = (),
) -> dict[str, str]:
    """Writes a match as the text of a match file; `result` and `reason` are those of one that people ended."""
    if match.is_over:
        result = reason = None
    lines, _ = legal_lines(match, variations)
    text = format_record(
        match,
        south=south,
        north=north,
        date=date,
        result=result,
        reason=reason,
        headers=headers,
        variations=lines,
        comments=[(comment["steps"], comment["text"]) for comment in comments],
    )
    return {"text": text}


NameMatch = Callable[[Match, str | None], dict[str, Any]]
"""Makes what requests call a match with a first position."""


def show_records(
    text: str, name_match: NameMatch, *, number: int = 0, line: int = 1, is_inside: bool = False, is_last: bool = True
) -> dict[str, Any]:
    """The first matches of a part of a match file.

    Args:
      text: The part. It may end anywhere unless it is the last.
      name_match: Makes what requests call a match.
      number: The matches before the part.
      line: The line of the file in which it begins.
      is_inside: Whether it begins within a match that was longer than the part before.
      is_last: Whether the file ends with it.

    Returns:
      The `matches`, one that cannot be read as its `problem`; how many characters were `read`; and `next`, the number,
      the line and `is_inside` of a part that begins behind them, None at the end of the file.

    Raises:
      RecordError: If this is the whole file and none of its matches can be read.
      AlquerqueError: If the file has no match.
    """
    whole = text if is_last else text[: text.rfind("\n") + 1]  # a result such as 1-1 may be the half of a turn
    shown: list[dict[str, Any]] = []
    problems: list[RecordError] = []
    is_first, read, end = number == 0 and not is_inside, 0, line
    for parsed in parse_matches(whole, number, line, is_inside=is_inside):
        if len(shown) == MAX_LOADED or (parsed.end is None and not is_last):
            break
        try:
            record = replay(parsed)
            with parsed.located():
                match = name_match(record.match, record.headers.get("Position"))
            shown.append({"number": parsed.number, **_show_record(record), "match": match})
        except RecordError as error:
            problems.append(error)
            shown.append({"number": parsed.number, "problem": str(error)})
        number, is_inside = parsed.number, False
        end, read = parsed.end or (line, len(text))
    else:
        if is_last and is_first and len(problems) == len(shown):
            raise problems[0] if problems else AlquerqueError("the file has no match; expected headers and turns")
        end, read = line + whole.count("\n"), len(whole)
        if is_last:
            return {"matches": shown, "read": read, "next": None}
    if read == 0:
        end, read, is_inside = line + text.count("\n"), len(text), True
    return {"matches": shown, "read": read, "next": {"number": number, "line": end, "is_inside": is_inside}}


def _show_record(record: Record) -> dict[str, Any]:
    is_forfeit = record.result != "*" and not record.match.is_over
    lines = _first_variations(record)
    comments = _first_comments(record)
    return {
        "headers": dict(record.headers),
        "others": record.other_headers,
        "variations": lines,
        "left_out": len(record.variations) - len(lines),
        "comments": comments,
        "comments_left_out": len(record.comments) - len(comments),
        "ended": {"result": record.result, "reason": record.reason} if is_forfeit else None,
    }


def _first_variations(record: Record) -> list[list[str]]:
    """As many variations as the page can keep."""
    lines, room = [], MAX_LOADED_STEPS
    for steps in record.variations[:MAX_VARIATIONS]:
        room -= len(steps)
        if room < 0:
            break
        lines.append([step.text for step in steps])
    return lines


def _first_comments(record: Record) -> list[dict[str, Any]]:
    """As many comments as the page can keep."""
    comments, room = [], MAX_LOADED_STEPS
    for steps, text in record.comments[:MAX_COMMENTS]:
        room -= len(steps)
        if room < 0:
            break
        comments.append({"steps": list(steps), "text": text})
    return comments


def show_link(match: Match) -> dict[str, str]:
    """The link to a match, and one that can be read."""
    return {"link": format_link(match), "readable": format_link(match, readable=True)}
