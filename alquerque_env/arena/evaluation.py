"""Matches of one player against one opponent, from both seats."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bots import Bot, load_bot
from ..bots.policy import Policy, PolicyBot
from ..errors import BotError
from ..game.array_check import check_at_least
from ..game.game import Game, GameId, as_game
from .intervals import Estimate, estimate_share
from .match_runner import FAULT, play_matches
from .openings import draw_match
from .schedule import derive_seed

Player = str | Bot | Policy  # a bot spec, a bot, or a function from an observation and an action mask to an action


@dataclass(frozen=True)
class SeatResult:
    """Results of a player in one seat."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> Estimate:
        """Share of points. With draws the interval, that of a share of wins, is too wide rather than too narrow."""
        return estimate_share(self.wins + self.draws / 2, self.games)

    @property
    def mirrored(self) -> "SeatResult":
        """The results of the opponent, in the other seat."""
        return SeatResult(self.losses, self.draws, self.wins)


@dataclass(frozen=True)
class Evaluation:
    """Results of a player against one opponent.

    Attributes:
      seats: As `player_0` and as `player_1`.
      opponent: The name of the opponent.
      roles: What the player's pieces are called in each seat; None where the sides are alike.
    """

    seats: tuple[SeatResult, SeatResult]
    opponent: str = "random"
    roles: tuple[str, str] | None = None

    @property
    def wins(self) -> int:
        """Games won, both seats."""
        return sum(seat.wins for seat in self.seats)

    @property
    def draws(self) -> int:
        """Games drawn, both seats."""
        return sum(seat.draws for seat in self.seats)

    @property
    def losses(self) -> int:
        """Games lost, both seats."""
        return sum(seat.losses for seat in self.seats)

    @property
    def games(self) -> int:
        """Games played, both seats."""
        return sum(seat.games for seat in self.seats)

    @property
    def win_rate(self) -> Estimate:
        """The share of wins, both seats, with its 95% interval."""
        return estimate_share(self.wins, self.games)

    def __str__(self) -> str:
        rate = self.win_rate
        tells_draws = self.roles is not None or self.draws > 0
        by_seat = ", ".join(
            f"{seat.wins} of {seat.games} as {role}{f' ({seat.draws} drawn)' * tells_draws}"
            for role, seat in zip(self.roles or ("player_0", "player_1"), self.seats, strict=True)
        )
        return (
            f"won {by_seat} against {self.opponent}: {rate.value:.1%}, 95% interval {rate.low:.1%} to {rate.high:.1%}"
        )


def evaluate(
    policy: Player,
    game: Game | GameId,
    opponent: Player = "random",
    games: int = 200,
    *,
    observation: str = "planes",
    batched: bool = False,
    opening_plies: int = 0,
    max_steps: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """Plays a policy against an opponent, half of the games from either seat.

    Example:
      >>> result = evaluate(lambda observation, action_mask: action_mask.argmax(), "fetaix", games=20)
      >>> result.wins + result.draws + result.losses
      20

    Args:
      policy: A function from an observation and an action mask to an action, a bot, or a bot spec.
      game: The game, its id, or the path of a game file.
      opponent: Likewise.
      games: Number of games. If it is odd, one more is played as `player_0`.
      observation: "planes", "grid" or "flat": the form of the observations that functions receive.
      batched: Whether functions take many positions at once, see `PolicyBot`.
      opening_plies: Each pair of games begins with so many random turns, the same in both seats. Without them two
        players that are not random play the same two games over and over.
      max_steps: A game of this length counts as a draw.
      seed: Seed of the bots that are named by specs, and of the random turns.

    Returns:
      Wins, draws and losses of the policy, in all and in each seat, and its share of wins with a 95% interval.

    Raises:
      AlquerqueError: If a number is out of range.
      UnknownNameError: If there is no such game or form.
      BotError: If a player cannot play the game, or fails.
    """
    game = as_game(game)
    games = check_at_least(1, "games", games)
    opening_plies = check_at_least(0, "opening_plies", opening_plies)
    max_steps = check_at_least(1, "max_steps", max_steps)
    seed = check_at_least(0, "seed", seed)

    def seated(player: Any, part: str) -> Any:
        if isinstance(player, str):
            return load_bot(player, game, seed=derive_seed(seed, part), tables=False)
        if hasattr(player, "choose"):
            return player
        return PolicyBot(game, player, observation=observation, batched=batched)

    players = seated(policy, "policy"), seated(opponent, "opponent")
    generator = np.random.default_rng(derive_seed(seed, "openings"))
    starts = [draw_match(game, opening_plies, generator) for _ in range((games + 1) // 2)]
    matches = [starts[number // 2].copy() for number in range(games)]
    seats = [players if number % 2 == 0 else players[::-1] for number in range(games)]
    counts = np.zeros((2, 3), np.int64)
    for number, end in play_matches(matches, seats, max_steps):
        if end.reason == FAULT:
            raise BotError(str(end.fault))
        own = number % 2
        counts[own, 1 if end.winner is None else 0 if end.winner == own else 2] += 1
    first, second = (SeatResult(*map(int, row)) for row in counts)
    name = getattr(players[1], "name", type(players[1]).__name__)
    return Evaluation((first, second), name, game.seats if game.has_roles else None)
