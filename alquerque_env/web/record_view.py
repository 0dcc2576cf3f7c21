"""Match files and links as the page has them; free of the server, so that the static page has them too."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import AlquerqueError
from ..match.link import format_link
from ..match.match import Match
from ..match.records import Record, format_record, read_records
from .variations_view import legal_lines

MAX_LOADED = 50  # matches that are taken from a file with several
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


def show_records(text: str, name_match: Callable[[Match, str | None], dict[str, Any]]) -> dict[str, Any]:
    """The first matches of a match file; `name_match` makes what requests call a match with a first position."""
    matches: list[dict[str, Any]] = []
    for record in read_records(text):
        if len(matches) == MAX_LOADED:
            return {"matches": matches, "more": True}
        is_forfeit = record.result != "*" and not record.match.is_over
        lines = _first_variations(record)
        comments = _first_comments(record)
        matches.append(
            {
                "match": name_match(record.match, record.headers.get("Position")),
                "headers": dict(record.headers),
                "others": record.other_headers,
                "variations": lines,
                "left_out": len(record.variations) - len(lines),
                "comments": comments,
                "comments_left_out": len(record.comments) - len(comments),
                "ended": {"result": record.result, "reason": record.reason} if is_forfeit else None,
            }
        )
    if not matches:
        raise AlquerqueError('the file has no match; expected headers such as [Game "fetaix"], and turns')
    return {"matches": matches, "more": False}


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
