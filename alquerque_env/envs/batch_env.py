"""What the batched environments share."""

from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from ..batch.make_batch import make_batch
from ..game.game import Game
from .arguments import check_positive
from .spaces import action_space, observation_space


class BatchEnv(VectorEnv):
    """`B` matches of one game, their spaces, and which of them have ended."""

    def __init__(self, game: Game, num_envs: int) -> None:
        self.num_envs = check_positive("num_envs", num_envs)
        self.single_observation_space = observation_space(game)
        self.single_action_space = action_space(game)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._games = make_batch(game, self.num_envs)
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._ended = np.ones(self.num_envs, bool)


def batch_info(present: np.ndarray, **arrays: np.ndarray) -> dict[str, Any]:
    """Returns arrays as Gymnasium's info of a batch: beside each the mask of the matches for which it holds a value."""
    return {
        key: value for name, array in arrays.items() for key, value in ((name, array), (f"_{name}", present.copy()))
    }
