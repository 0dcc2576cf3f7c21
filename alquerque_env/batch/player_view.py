"""What a player sees, whether or not that player is to move."""

import numpy as np

from ..game.game import Game
from ..game.planes import planes
from .single import Solo


class Onlooker:
    """Observes positions of a game from either side."""

    def __init__(self, game: Game) -> None:
        names = [plane.name for plane in planes(game)]
        self._earlier = names.index("earlier") if "earlier" in names else None
        self._solo = Solo(game)

    def observe(self, state: np.ndarray, player: int, earlier: int) -> np.ndarray:
        """int8 `[C, P]`, a position as `player` sees it.

        Args:
          state: The engine's state.
          player: 0 or 1.
          earlier: How often the position occurred before in the match.
        """
        self._solo.show(state, earlier)
        return self._solo.observe(player)

    def turn(self, observation: np.ndarray, state: np.ndarray, player: int) -> np.ndarray:
        """int8 `[C, P]`, what `player` sees where the player to move sees `observation` of a state."""
        return self.observe(state, player, 0 if self._earlier is None else int(observation[self._earlier, 0]))
