"""Earlier selves of a network to play against, so that self-play does not go round in circles."""

import copy
from collections.abc import Mapping

import numpy as np
import torch

from training.arrays import group
from training.networks import PolicyValueNetwork


class OpponentPool:
    """Plays one seat in the first games of a batch.

    Args:
      network: Whose earlier selves they are.
      games: In which they play; `player_0` in every other of them, `player_1` in the rest.
      size: Selves kept; the oldest goes first.
      every: Iterations between two.

    Attributes:
      opponent: The self that plays now, None while there is none.
    """

    def __init__(self, network: PolicyValueNetwork, games: int, size: int, every: int) -> None:
        self._network = copy.deepcopy(network).requires_grad_(False)
        self._seats = torch.arange(games) % 2
        self._size, self._every = size, every
        self._selves: list[dict[str, torch.Tensor]] = []
        self.opponent: PolicyValueNetwork | None = None

    def begin(self, network: PolicyValueNetwork, iteration: int, generator: torch.Generator) -> None:
        """Keeps the network as it is, if it is time to, and draws who plays in this iteration."""
        if len(self._seats) == 0:
            return
        if iteration and iteration % self._every == 0:
            weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
            self._selves = [*self._selves, weights][-self._size :]
        if self._selves:
            chosen = int(torch.randint(len(self._selves), (), generator=generator))
            self._network.load_state_dict(self._selves[chosen])
            self.opponent = self._network

    def to_move(self, players: torch.Tensor) -> torch.Tensor:
        """Bool `[B]`, the games in which an earlier self is to move; `players` is `[B]`."""
        moves = torch.zeros(len(players), dtype=torch.bool)
        if self.opponent is not None:
            moves[: len(self._seats)] = players[: len(self._seats)] == self._seats
        return moves

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
