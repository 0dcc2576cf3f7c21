"""What chooses instead of the network in some of the games: bots, earlier versions of it, and random openings.

Bots show a learner other styles than its own. Against earlier versions self-play does not run in cycles. After random
first steps the matches of a nearly deterministic policy differ.
"""

import copy
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from alquerque_env import load_bot
from alquerque_env.bots import Bot
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_training.config.settings import ConfigError, SelfPlayConfig
from alquerque_training.experience.numbers_ahead import NumbersAhead, rows_of
from alquerque_training.experience.self_play_games import SelfPlayGames
from alquerque_training.experience.state_arrays import group, weight_tensors
from alquerque_training.networks import PolicyValueNetwork, masked_log_probs, sample

MakeBots = Callable[[int], Sequence[Bot]]
Weights = Mapping[str, Tensor]

_BEGINS = -1


class BotOpponents:
    """Assigns bots to a share of the games of a batch, the first ones, as `player_0` and `player_1` in turn.

    The games are divided evenly among the bots, which are made from a seed.
    """

    def __init__(self, make_bots: MakeBots, config: SelfPlayConfig, num_games: int) -> None:
        self.num_games = int(config.bots_share * num_games)
        self.plays = self.num_games > 0
        self._seats = np.arange(self.num_games) % 2
        self._make_bots = make_bots
        self._bots: Sequence[Bot] = ()

    def begin(self, seed: int) -> None:
        """Makes new bots, so that the iteration does not depend on what earlier bots have cached."""
        self._bots = self._make_bots(seed) if self.plays else ()

    def to_move(self, players: np.ndarray) -> list[tuple[Bot, np.ndarray]]:
        """Each bot with the games in which it is to move, for `[B]` players to move."""
        rows = np.flatnonzero(players[: self.num_games] == self._seats)
        return [(bot, rows[rows // 2 % len(self._bots) == place]) for place, bot in enumerate(self._bots)]

    def choose(
        self, games: SelfPlayGames, _planes: Tensor, mask: Tensor, players: Tensor, _numbers: NumbersAhead
    ) -> tuple[Tensor, Tensor]:
        """As `rollout.Chooser.choose`. Waits for the device: bots play on the host."""
        live = mask.any(-1).cpu().numpy()
        flags, actions = np.zeros(len(live), bool), np.zeros(len(live), np.int64)
        for bot, rows in self.to_move(players.cpu().numpy()):
            present = rows[live[rows]]
            flags[present], actions[present] = True, games.choose(bot, present)
        return torch.from_numpy(flags).to(mask.device), torch.from_numpy(actions).to(mask.device)


def bot_maker(config: SelfPlayConfig, game: Game) -> MakeBots:
    """Makes the function that makes the bots of a config from a seed; `ConfigError` if one cannot play the game."""

    def make_bots(seed: int) -> list[Bot]:
        return [load_bot(spec, game, seed=seed + place, tables=False) for place, spec in enumerate(config.bots)]

    try:
        make_bots(0)
    except AlquerqueError as error:
        raise ConfigError(f"self_play.bots: {error}") from None
    return make_bots


class OpponentPool:
    """The newest `size` versions of the network, one `every` so many iterations; none if they play in no games."""

    def __init__(self, size: int, every: int, num_games: int) -> None:
        self._is_used = num_games > 0
        self._size, self._every = size, every
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
    """An earlier version of the network, which plays one seat of some games."""

    def __init__(self, network: PolicyValueNetwork, games: range, num_games: int) -> None:
        self._network = copy.deepcopy(network).requires_grad_(False)
        self._games = slice(games.start, games.stop)
        numbers = torch.arange(num_games, device=network.plane_scale.device)
        self._is_here, self._seats = (numbers >= games.start) & (numbers < games.stop), numbers % 2
        self.plays = False

    def begin(self, weights: Weights | None) -> None:
        """Plays with these weights until the next call, in both seats in turn; not at all without weights."""
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
