"""The option `position` of `reset`: the text of the position in which a match begins."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import AlquerqueError, PositionError
from ..game.game import Game
from ..match.match import Match


def check_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Returns the options of `reset`, a dictionary or None."""
    if not isinstance(options, Mapping | None):
        raise AlquerqueError(f"options is {options!r}, expected a dictionary such as {{'position': 'W:Wc2:Bc4'}}")
    return options or {}


def match_from(game: Game, position: str | None) -> Match | None:
    """The match that begins in a position that is not over, or None for the start of the game."""
    return None if position is None else _begun(game, position)


def matches_from(game: Game, position: str | Sequence[str | None] | None, chosen: np.ndarray) -> dict[int, Match]:
    """Returns the matches that begin in positions, by their places in a batch. Places may share one.

    Args:
        game: The game.
        position: Text; or a list, or an array `[B]`, with text or None for each match of the batch. None stands for the
            start of the game.
        chosen: Bool `[B]`, the matches that begin. What a list has for the others is ignored.
    """
    if position is None:
        return {}
    places = np.flatnonzero(chosen).tolist()
    if not _is_list(position):
        return dict.fromkeys(places, _begun(game, position))
    if len(position) != len(chosen):
        raise PositionError(f"position is a list of {len(position)}, expected a text for each of {len(chosen)} matches")
    begun: dict[str, Match] = {}  # the same position is often given to many matches
    found: dict[int, Match] = {}
    for place in places:
        text = position[place]
        if text is None:
            continue
        if not isinstance(text, str) or text not in begun:
            try:
                match = _begun(game, text)
            except PositionError as error:
                raise PositionError(f"match {place}: {error}") from None
            begun[text] = match
        found[place] = begun[text]
    return found


def _is_list(position: Any) -> bool:
    if isinstance(position, np.ndarray):
        return position.ndim == 1
    return isinstance(position, Sequence) and not isinstance(position, str | bytes | bytearray)


def _begun(game: Game, text: Any) -> Match:
    match = Match(game, str(text) if isinstance(text, str) else text)  # NumPy's texts look otherwise in messages
    if match.outcome is not None:
        raise PositionError(f"no match can begin in position {str(text)!r}: it is over there ({match.outcome.reason})")
    return match
