"""Requests about match files, links and pictures."""

from typing import Any

from pydantic import ValidationError

from ..errors import AlquerqueError
from ..game.game import Game
from ..game.options import OptionValue
from ..match.link import MAX_STEPS, read_link
from ..match.match import Match
from ..match.replay import first_position
from ..render import draw_svg
from .catalogue import Catalogue
from .record_view import show_link, show_records, write_record
from .request_bodies import LinkBody, LoadBody, MatchBody, PictureBody, SaveBody, VariationsBody
from .variations_view import show_variations


def variations(body: VariationsBody, catalogue: Catalogue) -> dict[str, Any]:
    """The variations of a match, arranged beside its turns."""
    return show_variations(body.match.replay(catalogue), body.variations)


def save(body: SaveBody, catalogue: Catalogue) -> dict[str, str]:
    """Writes a match as the text of a match file."""
    return write_record(body.match.replay(catalogue), **body.model_dump(exclude={"match"}))


def load(body: LoadBody, catalogue: Catalogue) -> dict[str, Any]:
    """Reads the first matches of a part of a match file; refuses a text without any."""
    place = body.model_dump(exclude={"text"})
    return show_records(body.text, lambda match, start: _name_match(match, start, catalogue), **place)


def write_link(body: MatchBody, catalogue: Catalogue) -> dict[str, str]:
    """Writes the link to a match."""
    return show_link(body.replay(catalogue))


def open_link(body: LinkBody, catalogue: Catalogue) -> dict[str, Any]:
    """Reads a link; returns its match as a request names it."""

    def load(name: str, **options: OptionValue) -> Game:
        return catalogue.load(name, options)

    match = read_link(body.link, load)
    return _name_match(match, first_position(match), catalogue)


def draw(body: PictureBody, catalogue: Catalogue) -> dict[str, str]:
    """Draws the position of a match as SVG."""
    return {"svg": draw_svg(body.match.replay(catalogue).picture(turned=body.turned))}


def _name_match(match: Match, start: str | None, catalogue: Catalogue) -> dict[str, Any]:
    try:
        return MatchBody.of(match, start, catalogue).model_dump()
    except ValidationError:
        raise AlquerqueError(f"the page shows matches of at most {MAX_STEPS} steps: divide this one") from None
