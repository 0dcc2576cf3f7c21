"""Bots as opponents: they play one seat in some of the games, so that a learner meets other styles than its own."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from alquerque_env import load_bot
from alquerque_env.bots import Bot
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_training.config.loader import ConfigError
from alquerque_training.config.settings import SelfPlayConfig
from alquerque_training.experience.numbers_ahead import NumbersAhead
from alquerque_training.experience.self_play_games import SelfPlayGames

MakeBots = Callable[[int], Sequence[Bot]]


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
