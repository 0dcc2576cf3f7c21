"""The forms of an observation: planes of points, planes of a grid for convolutions, or one row of numbers."""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from ..errors import UnknownNameError
from .planes import plane_scale, planes
from .ruleset import Ruleset

PLANES, GRID, FLAT = FORMS = "planes", "grid", "flat"


class ObservationForm:
    """How an observation of a game is given to a network.

    | form | dtype | shape | |
    |---|---|---|---|
    | `planes` | int8 | `[C, P]` | the planes, point by point |
    | `grid` | int8 | `[D, rows, columns]` | each point at its place on the board, 0 at places that are no points |
    | `flat` | float32 | `[C * P]` | the planes one after another, each divided by its maximum |

    Row 0 of a grid is nearest to the player to move. If some places are no points, `D` is `C + 1`, and the last plane
    is 1 there and 0 on points; otherwise `D` is `C`. `game.board.grid` has the places.

    Args:
      game: The game.
      name: `planes`, `grid` or `flat`.

    Attributes:
      name: The form.
      shape: Shape of one observation.
      low, high: Arrays of this shape, bounds of each number.
      scale: float32, what `high` is in `planes`, `[C, P]`.
      cells: int64 `[P]`, the place of each point in a plane of `rows * columns`, for a grid; else None.

    Raises:
      UnknownNameError: If there is no such form.
    """

    def __init__(self, game: Ruleset, name: str = "planes") -> None:
        if name not in FORMS:
            raise UnknownNameError("observation", name, FORMS)
        self.name = name
        points = len(game.board.points)
        self.scale = np.repeat(plane_scale(game)[:, None], points, axis=1)
        self.cells: np.ndarray | None = None
        self.shape: tuple[int, ...] = len(planes(game)), points
        high = self.scale.astype(np.int8)
        if name == GRID:
            self.cells, rows, columns = _cells(game)
            off = np.ones(rows * columns, np.int8)
            off[self.cells] = 0
            self.shape = len(high) + bool(off.any()), rows, columns
            self._empty = np.zeros((self.shape[0], len(off)), np.int8)
            self._empty[len(high) :] = off
            maxima = np.append(high[:, 0], np.int8(1))[: self.shape[0]]
            high = np.broadcast_to(maxima[:, None, None], self.shape).copy()
        elif name == FLAT:
            self.shape = (high.size,)
            high = np.ones(self.shape, np.float32)
        self.low, self.high = np.zeros_like(high), high

    def converted(self, array: Callable[[np.ndarray], Any]) -> "ObservationForm":
        """This form for arrays of another kind, to which `array` converts those of NumPy."""
        form = copy(self)
        form.scale = array(self.scale)
        if self.cells is not None:
            form.cells, form._empty = array(self.cells), array(self._empty)
        return form

    def __call__(self, observation: Any) -> Any:
        """Returns int8 `[..., C, P]` in this form: the array itself for `planes`, else a new one."""
        before = observation.shape[:-2]
        if self.name == PLANES:
            return observation
        if self.cells is None:
            return (observation / self.scale).reshape(*before, *self.shape)
        grid = self._empty + 0 * observation[..., :1, :1]  # one for each observation
        grid[..., : observation.shape[-2], self.cells] = observation
        return grid.reshape(*before, *self.shape)


def _cells(game: Ruleset) -> tuple[np.ndarray, int, int]:
    """The place of each point, and the numbers of rows and columns."""
    x, y = np.array(game.board.grid, np.int64).T
    columns = int(x.max()) + 1
    return y * columns + x, int(y.max()) + 1, columns
