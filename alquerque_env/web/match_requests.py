"""Requests about match files, links and pictures."""

from typing import Any

from ..errors import AlquerqueError
from ..game.game import Game
from ..game.options import OptionValue
from ..match.link import format_link, read_link, split_link
from ..match.records import Record, format_record, read_records
from ..render import draw_svg
from .catalogue import Catalogue
from .request_bodies import MAX_VARIATIONS, LinkBody, LoadBody, MatchBody, PictureBody, SaveBody, VariationsBody
from .variations_view import legal_lines, show_variations

MAX_LOADED = 50  # matches that are taken from a file with several
MAX_LOADED_STEPS = 20_000  # of the variations of a match, each counted from its start


def variations(body: VariationsBody, catalogue: Catalogue) -> dict[str, Any]:
    """The variations of a match, arranged beside its turns."""
    return show_variations(body.match.replay(catalogue), body.variations)


def save(body: SaveBody, catalogue: Catalogue) -> dict[str, str]:
    """Writes a match as the text of a match file."""
    match = body.match.replay(catalogue)
    result, reason = (None, None) if match.is_over else (body.result, body.reason)
    lines, _ = legal_lines(match, body.variations)
    text = format_record(
        match,
        south=body.south,
        north=body.north,
        date=body.date,
        result=result,
        reason=reason,
        headers=body.headers,
        variations=lines,
    )
    return {"text": text}


def load(body: LoadBody, catalogue: Catalogue) -> dict[str, Any]:
    """Reads the first matches of a match file; refuses a text without any, or of a game not offered."""
    matches: list[dict[str, Any]] = []
    for record in read_records(body.text):
        if len(matches) == MAX_LOADED:
            return {"matches": matches, "more": True}
        is_forfeit = record.result != "*" and not record.match.is_over
        lines = _first_variations(record)
        matches.append(
            {
                "match": MatchBody.of(record.match, record.headers.get("Position"), catalogue).model_dump(),
                "headers": dict(record.headers),
                "others": record.other_headers,
                "variations": lines,
                "left_out": len(record.variations) - len(lines),
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


def write_link(body: MatchBody, catalogue: Catalogue) -> dict[str, str]:
    """Writes the link to a match, and one that can be read."""
    match = body.replay(catalogue)
    return {"link": format_link(match), "readable": format_link(match, readable=True)}


def open_link(body: LinkBody, catalogue: Catalogue) -> dict[str, Any]:
    """Reads a link; returns its match as a request names it."""

    def load(name: str, **options: OptionValue) -> Game:
        return catalogue.load(name, options)

    return MatchBody.of(read_link(body.link, load), split_link(body.link).position, catalogue).model_dump()


def draw(body: PictureBody, catalogue: Catalogue) -> dict[str, str]:
    """Draws the position of a match as SVG."""
    return {"svg": draw_svg(body.match.replay(catalogue).picture(turned=body.turned))}
