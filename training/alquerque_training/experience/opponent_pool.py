"""Earlier selves of a network to play against, so that self-play does not go round in circles."""

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
    """One earlier self at a time, in one seat of some games: `player_0` in every other of them, `player_1` in the rest.

    Args:
      network: Whose earlier selves they are.
      config: How many are kept, and how often.
      games: In which of the batch they play.
    """

    def __init__(self, network: PolicyValueNetwork, config: PpoConfig, games: range) -> None:
        self._opponent = copy.deepcopy(network).requires_grad_(False)
        self._games = torch.tensor(games, dtype=torch.int64)
        self._seats = self._games % 2
        self._size, self._every = config.pool_size, config.pool_every
        self._selves: list[dict[str, Tensor]] = []

    def begin(self, network: PolicyValueNetwork, iteration: int, generator: torch.Generator) -> None:
        """Keeps the network as it is, if it is time to, and draws who plays in this iteration."""
        if len(self._games) == 0:
            return
        if iteration and iteration % self._every == 0:
            weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
            self._selves = [*self._selves, weights][-self._size :]
        if self._selves:
            chosen = int(torch.randint(len(self._selves), (), generator=generator))
            self._opponent.load_state_dict(self._selves[chosen])

    def choose(
        self, _games: SelfPlayGames, planes: Tensor, mask: Tensor, players: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """As `ppo.Chooser.choose`."""
        if not self._selves:
            return self._games[:0], self._games[:0]
        rows = self._games[mask[self._games].any(-1) & (players[self._games] == self._seats)]
        return rows, sample(masked_log_probs(self._opponent(planes[rows])[0], mask[rows]), generator)

    def get_state(self) -> dict[str, np.ndarray]:
        """The selves that are kept."""
        return {
            f"{number}.{name}": tensor.numpy()
            for number, own in enumerate(self._selves)
            for name, tensor in own.items()
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Goes back to what `get_state` gave."""
        count = len({name.partition(".")[0] for name in state})
        self._selves = [
            {name: torch.from_numpy(np.array(array)) for name, array in group(state, f"{number}.").items()}
            for number in range(count)
        ]
