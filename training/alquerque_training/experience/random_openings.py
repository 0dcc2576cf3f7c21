"""Random first steps, so that the matches of a nearly deterministic policy differ."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from alquerque_training.experience.numbers_ahead import NumbersAhead, rows_of
from alquerque_training.experience.self_play_games import SelfPlayGames
from alquerque_training.networks import masked_log_probs, sample

_BEGINS = -1


class RandomOpenings:
    """Chooses the first steps of every match, 0 to `most` random ones."""

    def __init__(self, most: int, num_games: int) -> None:
        self._most = most
        self._left = torch.full((num_games,), _BEGINS)

    def choose(
        self, _games: SelfPlayGames, _planes: Tensor, mask: Tensor, _players: Tensor, numbers: NumbersAhead
    ) -> tuple[Tensor, Tensor]:
        """As `rollout.Chooser.choose`."""
        left, live = self._left.to(mask.device), mask.any(-1)
        drawn = numbers.below(self._most + 1, torch.ones_like(live))
        left = torch.where(left == _BEGINS, drawn, left)
        opens = live & (left > 0)
        self._left = torch.where(live, left - opens.long(), _BEGINS)
        rows, actions = rows_of(opens), torch.zeros_like(left)
        legal = mask[rows]
        log_probs = masked_log_probs(torch.zeros(legal.shape, device=legal.device), legal)
        actions[rows] = sample(log_probs, numbers.uniform(opens)[rows])
        return opens, actions

    def get_state(self) -> dict[str, np.ndarray]:
        """The number of random steps that each match has left."""
        return {"left": self._left.cpu().numpy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        self._left = torch.from_numpy(np.array(state["left"]))
