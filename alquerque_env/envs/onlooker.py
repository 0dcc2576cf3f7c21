"""What a player sees who is not to move."""

import numpy as np

from .. import layout as e
from ..game import Game
from ..matches import make_matches
from ..observation import planes


class Onlooker:
    """Observes positions of a game from the side that is not to move."""

    def __init__(self, game: Game) -> None:
        names = [plane.name for plane in planes(game)]
        self._earlier = names.index("earlier") if "earlier" in names else None
        self._games = make_matches(game, 1)

    def observe(self, state: np.ndarray, player: int, of_mover: np.ndarray) -> np.ndarray:
        """int8 `[C, P]`, a position as `player` sees it.

        Args:
          state: The engine's state.
          player: 0 or 1.
          of_mover: What the player to move sees; how often the position occurred before is read from it.
        """
        self._games.states[0] = state
        self._games.states[0, e.PLAYER] = player
        return self._games.observe(0 if self._earlier is None else int(of_mover[self._earlier, 0]))
