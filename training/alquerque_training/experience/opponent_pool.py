"""A pool of earlier versions of a network to play against, so that self-play does not run in cycles."""

import copy
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from alquerque_training.config.settings import PpoConfig
from alquerque_training.experience.numbers_ahead import NumbersAhead, rows_of
from alquerque_training.experience.self_play_games import SelfPlayGames
from alquerque_training.experience.state_arrays import group, weight_tensors
from alquerque_training.networks import PolicyValueNetwork, masked_log_probs, sample

Weights = Mapping[str, Tensor]


class OpponentPool:
    """The newest versions of the network, one every so many iterations; none if they would play in no games."""

    def __init__(self, config: PpoConfig, num_games: int) -> None:
        self._is_used = num_games > 0
        self._size, self._every = config.pool_size, config.pool_every
        self._versions: Sequence[Weights] = []

    def draw(self, network: PolicyValueNetwork, iteration: int, generator: torch.Generator) -> Weights | None:
        """Adds the network to the pool when it is due, and draws the opponent of this iteration, None for none."""
        if not self._is_used:
            return None
        if iteration and iteration % self._every == 0:
            weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
            self._versions = [*self._versions, weights][-self._size :]
        if not self._versions:
            return None
        return self._versions[int(torch.randint(len(self._versions), (), generator=generator))]

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
        self._versions = [weight_tensors(group(state, f"{number}.")) for number in range(count)]


class EarlierVersion:
    """An earlier version of the network, which plays one seat of some games: `player_0` and `player_1` in turn."""

    def __init__(self, network: PolicyValueNetwork, games: range, num_games: int) -> None:
        self._network = copy.deepcopy(network).requires_grad_(False)
        self._games = slice(games.start, games.stop)
        numbers = torch.arange(num_games, device=network.plane_scale.device)
        self._is_here, self._seats = (numbers >= games.start) & (numbers < games.stop), numbers % 2
        self.plays = False

    def begin(self, weights: Weights | None) -> None:
        """Plays with these weights until the next call; not at all if they are None."""
        self.plays = weights is not None
        if weights is not None:
            self._network.load_state_dict(dict(weights))

    def choose(
        self, _games: SelfPlayGames, planes: Tensor, mask: Tensor, players: Tensor, numbers: NumbersAhead
    ) -> tuple[Tensor, Tensor]:
        """As `rollout.Chooser.choose`."""
        flags = self._is_here & mask.any(-1) & (players == self._seats)
        rows, actions = rows_of(flags, self._games), torch.zeros_like(self._seats)
        log_probs = masked_log_probs(self._network(planes[rows])[0], mask[rows])
        actions[rows] = sample(log_probs, numbers.uniform(flags)[rows])
        return flags, actions
