"""A pool of earlier versions of a network to play against, so that self-play does not run in cycles."""

import copy
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from alquerque_training.config.settings import PpoConfig
from alquerque_training.experience.self_play_games import SelfPlayGames
from alquerque_training.experience.state_arrays import group
from alquerque_training.networks import PolicyValueNetwork, masked_log_probs, sample


class OpponentPool:
    """An earlier version of the network plays one seat of some games: `player_0` and `player_1` in turn.

    Args:
      network: The network that is trained.
      config: Gives the size of the pool and how often a version is added.
      games: Indices of the games in which the pool plays.
    """

    def __init__(self, network: PolicyValueNetwork, config: PpoConfig, games: range) -> None:
        self._opponent = copy.deepcopy(network).requires_grad_(False)
        self._games = torch.tensor(games, dtype=torch.int64, device=network.plane_scale.device)
        self._seats = self._games % 2
        self._size, self._every = config.pool_size, config.pool_every
        self._versions: list[dict[str, Tensor]] = []

    def begin(self, network: PolicyValueNetwork, iteration: int, generator: torch.Generator) -> None:
        """Adds the network to the pool when it is due, and draws the opponent of this iteration."""
        if len(self._games) == 0:
            return
        if iteration and iteration % self._every == 0:
            weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
            self._versions = [*self._versions, weights][-self._size :]
        if self._versions:
            chosen = int(torch.randint(len(self._versions), (), generator=generator))
            self._opponent.load_state_dict(self._versions[chosen])

    def choose(
        self, _games: SelfPlayGames, planes: Tensor, mask: Tensor, players: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """As `ppo.Chooser.choose`."""
        if not self._versions:
            return self._games[:0], self._games[:0]
        rows = self._games[mask[self._games].any(-1) & (players[self._games] == self._seats)]
        return rows, sample(masked_log_probs(self._opponent(planes[rows])[0], mask[rows]), generator)

    def get_state(self) -> dict[str, np.ndarray]:
        """The weights in the pool."""
        return {
            f"{number}.{name}": tensor.cpu().numpy()
            for number, version in enumerate(self._versions)
            for name, tensor in version.items()
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restores a result of `get_state`."""
        count = len({name.partition(".")[0] for name in state})
        self._versions = [
            {name: torch.from_numpy(np.array(array)) for name, array in group(state, f"{number}.").items()}
            for number in range(count)
        ]
