"""Match files as the page has them; free of the server, so that the static page has them too."""

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import AlquerqueError, RecordError
from ..match.match import Match
from ..match.records import Record
from ..match.records.reader import parse_matches, replay_parsed

MAX_LOADED = 50  # matches of a file that an answer has
MAX_VARIATIONS = 200  # of a match
MAX_COMMENTS = 1_000  # of a match
MAX_LOADED_STEPS = 20_000  # of the variations of a match, and as many before its comments, each counted from its start


def show_records(
    text: str,
    name_match: Callable[[Match], dict[str, Any]],
    *,
    number: int = 0,
    line: int = 1,
    is_inside: bool = False,
    is_last: bool = True,
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
            record = replay_parsed(parsed)
            with parsed.located():
                match = name_match(record.match)
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
    is_ended = record.is_over and not record.match.is_over  # by people
    lines = record.variations[: _count_kept(record.variations, MAX_VARIATIONS)]
    comments = record.comments[: _count_kept([comment.steps for comment in record.comments], MAX_COMMENTS)]
    return {
        "south": record.south,
        "north": record.north,
        "date": record.date,
        "result": record.result,
        "headers": record.headers,
        "variations": [[step.text for step in steps] for steps in lines],
        "left_out": len(record.variations) - len(lines),
        "comments": [{"steps": list(comment.steps), "text": comment.text} for comment in comments],
        "comments_left_out": len(record.comments) - len(comments),
        "ended": {"result": record.result, "reason": record.reason} if is_ended else None,
    }


def _count_kept(lines: Sequence[Sequence[object]], most: int) -> int:
    """How many of some lines the page can keep."""
    count, steps = 0, 0
    while count < min(most, len(lines)) and steps + len(lines[count]) <= MAX_LOADED_STEPS:
        steps += len(lines[count])
        count += 1
    return count
