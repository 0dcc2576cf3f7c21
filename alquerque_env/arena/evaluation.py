"""Matches of one player against one opponent, from both seats."""

from dataclasses import dataclass

import numpy as np

from ..bots import Bot
from ..bots.load import as_bot
from ..bots.policy import Policy
from ..errors import BotError
from ..game.array_check import check_at_least
from ..game.game import Game, GameId, as_game
from .match_runner import FAULT, play_matches
from .openings import draw_match
from .schedule import derive_seed
from .score import Estimate, Score, estimate_share

Player = str | Bot | Policy  # a bot spec, a bot, or a function from an observation and an action mask to an action


@dataclass(frozen=True)
class Evaluation(Score):
    """Results of a player against one opponent, from both seats together.

    Attributes:
      seats: As `player_0` and as `player_1`.
      opponent: The name of the opponent.
      roles: What the player's pieces are called in each seat; None where the sides are alike.
    """

    seats: tuple[Score, Score]
    opponent: str = "random"
    roles: tuple[str, str] | None = None

    @classmethod
    def of_seats(
        cls, first: Score, second: Score, opponent: str = "random", roles: tuple[str, str] | None = None
    ) -> "Evaluation":
        """Returns the results from both seats with their sum."""
        both = first + second
        return cls(both.wins, both.draws, both.losses, (first, second), opponent, roles)

    @property
    def win_rate(self) -> Estimate:
        """The share of wins with its 95% interval."""
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

    def seated(player: Player, part: str) -> Bot:
        return as_bot(player, game, seed=derive_seed(seed, part), observation=observation, batched=batched)

    players = seated(policy, "policy"), seated(opponent, "opponent")
    generator = np.random.default_rng(derive_seed(seed, "openings"))
    starts = [draw_match(game, opening_plies, generator) for _ in range((games + 1) // 2)]
    matches = [starts[number // 2].copy() for number in range(games)]
    seats = [players if number % 2 == 0 else players[::-1] for number in range(games)]
    points: tuple[list[float], list[float]] = ([], [])
    for number, end in play_matches(matches, seats, max_steps):
        if end.reason == FAULT:
            raise BotError(str(end.fault))
        own = number % 2
        points[own].append(0.5 if end.winner is None else float(end.winner == own))
    name = getattr(players[1], "name", type(players[1]).__name__)
    first, second = map(Score.of, points)
    return Evaluation.of_seats(first, second, name, game.seats if game.has_roles else None)
