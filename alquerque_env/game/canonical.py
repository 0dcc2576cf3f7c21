"""Canonical images: one and the same for all positions, or observations, that are images of each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import AlquerqueError
from . import state_layout as STATE, table_layout as TABLE
from .game import Game
from .hidden_clock import looks_like_start
from .symmetry import Symmetry

# A place of an observation weighs a power of a primitive root of a prime, so that images of equal weight are equal but
# by rare chance; then they have more than one canonical image. Sums of weights are exact in double precision.
_ROOT, _PRIME = 7, (1 << 31) - 1

_BYTE = 8  # bits of a set whose images are looked up together
_SETS = (STATE.MEN, STATE.MEN + 1, STATE.KINGS, STATE.KINGS + 1, STATE.CAPTURED, STATE.BARRED)


def has_images(game: Game) -> bool:
    """Whether a state is one of pieces and a chain alone, whose images are known, and earlier positions do not matter.

    The board's symmetries and its half-turn have to commute, so that they are the same for both players.
    """
    commutes = (
        each.points[game.turn[point]] == game.turn[image]
        for each in game.symmetries
        for point, image in enumerate(each.points)
    )
    return game.table.words[TABLE.STATE_SIZE] == STATE.MEMORY and game.rules.repetition == "off" and all(commutes)


def find_canonical(t: Any, state: Any, symmetries: Sequence[Symmetry]) -> tuple[Any, Symmetry]:
    """The canonical image of a state, the least of all, and a symmetry that maps the state to it.

    An opening rule holds in the start but not in its images. So a start with such a rule, whatever the plies without
    progress, is its own image, and that of no other state. `t` is the game's table; the first symmetry changes nothing.
    """
    if looks_like_start(t, state):
        return state, symmetries[0]
    images = ((_image(state, symmetry.points), symmetry) for symmetry in symmetries)
    return min(
        (found for found in images if not looks_like_start(t, found[0])), key=lambda found: [*map(int, found[0])]
    )


def _image(state: Any, points: Sequence[int]) -> Any:
    image = state.copy()
    for word in _SETS:
        if members := int(state[word]):  # most sets are empty
            image[word] = _image_set(members, points)
    if state[STATE.CHAIN] != STATE.NO_POINT:
        image[STATE.CHAIN] = points[int(state[STATE.CHAIN])]
    return image


def _image_set(members: Any, points: Sequence[int]) -> Any:
    """The image of a set of points, or of an array of sets."""
    return sum((members >> point & 1) << image for point, image in enumerate(points))


class CanonicalStates:
    """Finds the canonical images of many states of a game that has them."""

    def __init__(self, game: Game) -> None:
        self.symmetries, self._table = game.symmetries, game.table.words
        members = np.arange(1 << _BYTE)
        begins = range(0, len(game.board.points), _BYTE)
        # int64 [B, S, 256], by the byte of a set and its value.
        self._sets = np.array(
            [[_image_set(members << begin, each.points) for each in self.symmetries] for begin in begins]
        )
        self._points = np.array([[*each.points, STATE.NO_POINT] for each in self.symmetries])

    def find(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `find_canonical`, for int64 `[N, S]` states: their images, and the number of a symmetry for each."""
        best, chosen, rows = states, np.zeros(len(states), np.int64), np.arange(len(states))
        images = np.repeat(states[None], len(self.symmetries), 0)
        sets = states[:, _SETS]
        images[:, :, _SETS] = sum(
            found[:, sets >> _BYTE * place & (1 << _BYTE) - 1] for place, found in enumerate(self._sets)
        )
        images[:, :, STATE.CHAIN] = self._points[:, states[:, STATE.CHAIN]]
        for number, image in enumerate(images):
            first = (image != best).argmax(1)
            is_less = (image[rows, first] < best[rows, first]) & (looks_like_start(self._table, image.T) == 0)
            best = np.where(is_less[:, None], image, best)
            chosen[is_less] = number
        opens = np.broadcast_to(looks_like_start(self._table, states.T), len(states))
        return np.where(opens[:, None], states, best), np.where(opens, 0, chosen)


class CanonicalImages:
    """Of all images of an observation under the symmetries of a game, the canonical one weighs least.

    With `C` planes, `P` points, `A` actions and `S` symmetries:

    Attributes:
      weights: float64 `[C * P, S]`, what a place of an observation weighs in each of its images.
      places: int64 `[S, C * P]`, the place of an observation that each place of an image shows.
      actions: int64 `[S, A]`, the images of actions.

    Raises:
      AlquerqueError: If the game has no such images, see `has_images`.
    """

    def __init__(self, game: Game) -> None:
        if not has_images(game):
            raise AlquerqueError(
                "network.canonical = true is for games whose positions are pieces alone and may be repeated; "
                f"{game.name} is another: set it to false"
            )
        images = np.array([image_places(symmetry, len(game.board.points)) for symmetry in game.symmetries])
        self.weights = np.array([float(weight(place)) for place in range(images.shape[1])])[images].T
        self.places = images.argsort(1)
        self.actions = np.array([symmetry.actions for symmetry in game.symmetries])

    def find(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The canonical images of int8 `[N, C, P]` observations; int64 `[N, A]`, the images of the actions there."""
        rows = seen.reshape(len(seen), self.places.shape[1])
        chosen = (rows @ self.weights).argmin(1)
        images = np.take_along_axis(rows, self.places[chosen], 1)
        return images.reshape(seen.shape), self.actions[chosen]


def weight(place: int) -> int:
    """What one counter of an image weighs in the place `plane * P + point`."""
    return pow(_ROOT, place, _PRIME)


def image_places(symmetry: Symmetry, points: int) -> list[int]:
    """The image of each place of an observation of planes with so many points."""
    return [plane * points + point for plane in symmetry.planes for point in symmetry.points]
