"""The spaces of a game, the same in every environment."""

import numpy as np
from gymnasium import spaces

from ..game.game import Game
from ..game.planes import planes


def observation_space(game: Game) -> spaces.Box:
    """Returns the space of one observation: int8 `[C, P]`, each plane from 0 to its maximum."""
    maxima = np.array([plane.maximum for plane in planes(game)], np.int8)
    high = np.repeat(maxima[:, None], len(game.board.points), axis=1)
    return spaces.Box(np.zeros_like(high), high, dtype=np.int8)


def action_space(game: Game) -> spaces.Discrete:
    """Returns the space of actions, one for each of `game.actions`."""
    return spaces.Discrete(game.num_actions)
