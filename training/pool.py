"""Opponents of PPO beside itself: bots, and its earlier selves, so that self-play does not go round in circles."""

import copy
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from alquerque_env.bots import Bot
from training.arrays import group
from training.config import PpoConfig
from training.games import SelfPlayGames
from training.networks import PolicyValueNetwork, masked_log_probs, sample

MakeBots = Callable[[int], Sequence[Bot]]


class OpponentPool:
    """Plays one seat in the first games of a batch: `player_0` in every other of them, `player_1` in the rest.

    The bots come first and share their games evenly; after them one earlier self plays in all of its games.

    Args:
      network: Whose earlier selves they are.
      config: How many games, how many selves.
      num_games: In the batch.
      make_bots: Makes the bots anew for each iteration, from a seed, so that an iteration depends on nothing that they
        remember of earlier ones.
    """

    def __init__(self, network: PolicyValueNetwork, config: PpoConfig, num_games: int, make_bots: MakeBots) -> None:
        self._opponent = copy.deepcopy(network).requires_grad_(False)
        self._bot_games, self._self_games = (int(share * num_games) for share in (config.bots_share, config.pool_share))
        self._seats = torch.arange(self._bot_games + self._self_games) % 2
        self._size, self._every = config.pool_size, config.pool_every
        self._make_bots = make_bots
        self._bots: Sequence[Bot] = ()
        self._selves: list[dict[str, Tensor]] = []

    def begin(self, network: PolicyValueNetwork, iteration: int, generator: torch.Generator) -> None:
        """Keeps the network as it is, if it is time to, and draws who plays in this iteration."""
        if self._bot_games:
            self._bots = self._make_bots(int(torch.randint(2**31, (), generator=generator)))
        if self._self_games == 0:
            return
        if iteration and iteration % self._every == 0:
            weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
            self._selves = [*self._selves, weights][-self._size :]
        if self._selves:
            chosen = int(torch.randint(len(self._selves), (), generator=generator))
            self._opponent.load_state_dict(self._selves[chosen])

    def choose(
        self, games: SelfPlayGames, planes: Tensor, mask: Tensor, players: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Chooses where an opponent is to move.

        Args:
          games: Which are played.
          planes: `[B, C, P]`, as they show.
          mask: `[B, A]` bool, likewise.
          players: `[B]`, likewise.
          generator: Source of the choices of an earlier self.

        Returns:
          `(rows, actions)`, each `[K]` int64: in which games, and what.
        """
        seats = len(self._seats)
        rows = (mask[:seats].any(-1) & (players[:seats] == self._seats)).nonzero()[:, 0]
        chosen = [(rows[:0], rows[:0])]
        for number, bot in enumerate(self._bots):
            its = rows[(rows < self._bot_games) & (rows // 2 % len(self._bots) == number)]
            chosen.append((its, torch.from_numpy(games.choose(bot, its.numpy()))))
        if self._selves:
            its = rows[rows >= self._bot_games]
            log_probs = masked_log_probs(self._opponent(planes[its])[0], mask[its])
            chosen.append((its, sample(log_probs, generator)))
        games_of, actions = zip(*chosen, strict=True)
        return torch.cat(games_of), torch.cat(actions)

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
