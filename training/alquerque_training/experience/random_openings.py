"""Random first steps, so that the matches of a nearly deterministic policy differ."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from alquerque_training.experience.self_play_games import SelfPlayGames
from alquerque_training.networks import masked_log_probs, sample

_BEGINS = -1


class RandomOpenings:
    """Chooses the first steps of every match.

    Args:
      most: Each match begins with 0 to `most` random steps.
      num_games: Games in the batch.
    """

    def __init__(self, most: int, num_games: int) -> None:
        self._most = most
        self._left = torch.full((num_games,), _BEGINS)

    def choose(
        self, _games: SelfPlayGames, _planes: Tensor, mask: Tensor, _players: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """As `rollout.Chooser.choose`."""
        drawn = torch.randint(self._most + 1, self._left.shape, generator=generator).to(mask.device)
        left = self._left.to(mask.device)
        left = torch.where(left == _BEGINS, drawn, left)
        live = mask.any(-1)
        opens = live & (left > 0)
        self._left = torch.where(live, left - opens.long(), _BEGINS)
        legal = mask[opens]
        return opens.nonzero()[:, 0], sample(
            masked_log_probs(torch.zeros(legal.shape, device=legal.device), legal), generator
        )

    def get_state(self) -> dict[str, np.ndarray]:
        """The number of random steps that each match has left."""
        return {"left": self._left.cpu().numpy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        self._left = torch.from_numpy(np.array(state["left"]))
