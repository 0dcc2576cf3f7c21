"""The canonical image of an observation: one and the same for all that are images of each other under symmetries."""

from functools import cached_property

import numpy as np

from .game import Game
from .planes import planes
from .symmetry import Symmetry

# A place of an observation weighs a power of a primitive root of a prime, so that images of equal weight are equal but
# by rare chance; then they have more than one canonical image. Sums of weights are exact in double precision.
_ROOT, _PRIME = 7, (1 << 31) - 1


class CanonicalImages:
    """Of all images of an observation under the symmetries of a game, the canonical one weighs least.

    With `C` planes, `P` points, `A` actions and `S` symmetries:

    Attributes:
      weights: float64 `[C * P, S]`, what a place of an observation weighs in each of its images.
      places: int64 `[S, C * P]`, the place of an observation that each place of an image shows.
      actions: int64 `[S, A]`, the images of actions.
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    @cached_property
    def _images(self) -> np.ndarray:
        """int64 `[S, C * P]`, the image of each place."""
        count, points = len(planes(self._game)), len(self._game.board.points)
        found = [image_places(symmetry, points) for symmetry in self._game.symmetries]
        return np.array(found).reshape(-1, count * points)

    @cached_property
    def weights(self) -> np.ndarray:
        """See the class."""
        of_places = [float(weight(place)) for place in range(self._images.shape[1])]
        return np.array(of_places)[self._images].T

    @cached_property
    def places(self) -> np.ndarray:
        """See the class."""
        return self._images.argsort(1)

    @cached_property
    def actions(self) -> np.ndarray:
        """See the class."""
        return np.array([symmetry.actions for symmetry in self._game.symmetries])

    def find(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The canonical images of int8 `[N, C, P]` observations; int64 `[N, A]`, the images of the actions there."""
        rows = seen.reshape(len(seen), -1)
        chosen = (rows @ self.weights).argmin(1)
        images = np.take_along_axis(rows, self.places[chosen], 1)
        return images.reshape(seen.shape), self.actions[chosen]


def weight(place: int) -> int:
    """What one counter of an image weighs in the place `plane * P + point`."""
    return pow(_ROOT, place, _PRIME)


def image_places(symmetry: Symmetry, points: int) -> list[int]:
    """The image of each place of an observation of planes with so many points."""
    return [plane * points + point for plane in symmetry.planes for point in symmetry.points]
