"""How the observations of a game are given to a network: planes of points, a grid, one row of numbers, or a graph."""

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from ..errors import AlquerqueError, UnknownNameError
from ..game.game import Game
from ..game.planes import plane_scale
from .graph_form import GraphForm

PLANES, GRID, FLAT = ARRAYS = "planes", "grid", "flat"
GRAPH = GraphForm.name
FORMS = (*ARRAYS, GRAPH)


class ObservationForm:
    """Observations as arrays.

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
      num_actions: Actions of the game.
      shape: Shape of one observation.
      low, high: Arrays of this shape, bounds of each number.
      scale: float32, what `high` is in `planes`, `[C, P]`.
      cells: int64 `[P]`, the place of each point in a plane of `rows * columns`, for a grid; else None.

    Raises:
      UnknownNameError: If there is no such form.
    """

    def __init__(self, game: Game, name: str = "planes") -> None:
        if name not in ARRAYS:
            raise UnknownNameError("observation", name, ARRAYS)
        self.name = name
        self.num_actions = game.num_actions
        points = len(game.board.points)
        self.scale = np.repeat(plane_scale(game)[:, None], points, axis=1)
        self.cells: np.ndarray | None = None
        self.shape: tuple[int, ...] = len(game.planes), points
        high = self.scale.astype(np.int8)
        if name == GRID:
            x, y = np.array(game.board.grid, np.int64).T
            rows, columns = int(y.max()) + 1, int(x.max()) + 1
            self.cells = y * columns + x
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

    def mask(self, mask: Any) -> Any:
        """Returns an action mask of the game in this form, which leaves it as it is."""
        return mask

    def to_game(self, actions: Any) -> Any:
        """Returns actions in this form as those of the game: the same."""
        return actions

    def from_game(self, actions: Any) -> Any:
        """Returns actions of the game as those in this form: the same."""
        return actions

    def __call__(self, observation: Any) -> Any:
        """Returns int8 `[..., C, P]` in this form: the array itself for `planes`, else a new one."""
        if self.name == PLANES:
            return observation
        before = observation.shape[:-2]
        if self.cells is None:
            return (observation / self.scale).reshape(*before, *self.shape)
        grid = self._empty + 0 * observation[..., :1, :1]  # one for each observation
        grid[..., : observation.shape[-2], self.cells] = observation
        return grid.reshape(*before, *self.shape)


Form = ObservationForm | GraphForm


def observation_form(
    game: Game, name: str = PLANES, max_points: int | None = None, max_links: int | None = None
) -> Form:
    """Returns the form of observations with a name; see `ObservationForm` and `GraphForm`.

    Raises:
      UnknownNameError: If there is no such form.
      AlquerqueError: If a form that is no graph is to be padded, or the game is larger than that.
    """
    if name not in FORMS:
        raise UnknownNameError("observation", name, FORMS)
    if name == GRAPH:
        return GraphForm(game, max_points, max_links)
    if max_points is not None or max_links is not None:
        raise AlquerqueError(f"max_points and max_links pad graphs: they do not go with observation={name!r}")
    return ObservationForm(game, name)
