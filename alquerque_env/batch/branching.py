"""Branching: how many turns random matches have, and among how many legal actions they choose."""

from typing import NamedTuple

import numpy as np

from ..game.game import Game, GameId
from ..game.outcomes import ONGOING
from ..match.match import Match
from .rollouts import Rollouts, batches_from, ongoing_match, winners
from .step_result import HOLD, PLAY


class Branching(NamedTuple):
    """What was seen in `N` random matches.

    Attributes:
      rollouts: Their results.
      turns: int32 `[N]`, numbers of turns. A chain of captures is one turn of several actions.
      choices: int64 `[N]`, numbers of legal actions, added up over the match.
      most: The largest number of legal actions in any position.
    """

    rollouts: Rollouts
    turns: np.ndarray
    choices: np.ndarray
    most: int

    @property
    def factor(self) -> float:
        """The mean number of legal actions in a position."""
        return float(self.choices.sum() / self.rollouts.length.sum())


def measure_branching(start: Match | Game | GameId, count: int, *, seed: int | None = None) -> Branching:
    """Plays random matches as `rollouts` does, and counts turns and legal actions.

    Its matches at a seed are others than those of `rollouts`, and it takes longer.

    Args:
      start: An ongoing match to begin from, which is not changed, or a game.
      count: Number of matches.
      seed: Seed of the draws. The same seed and count give the same matches, another count gives others. Random
        if None.

    Raises:
      UnknownNameError, AlquerqueError: As `rollouts`.
    """
    match, count = ongoing_match(start, count, seed), int(count)
    outcomes, lengths, turns = np.zeros(count, np.int8), np.zeros(count, np.int32), np.zeros(count, np.int32)
    choices, most = np.zeros(count, np.int64), 0
    for place, games, result in batches_from(match, count, int(np.random.default_rng(seed).integers(2**62))):
        ongoing = result.outcome == ONGOING
        while ongoing.any():
            legal, mover = result.mask.sum(axis=1, dtype=np.int64), result.player
            most = max(most, int(legal[ongoing].max()))
            choices[place] += np.where(ongoing, legal, 0)
            lengths[place] += ongoing
            result = games.step(games.sample(), games.commands(ongoing, PLAY, HOLD))
            ends = result.outcome != ONGOING
            turns[place] += ongoing & ((result.player != mover) | ends)
            ongoing = ~ends
        outcomes[place] = result.outcome
    return Branching(Rollouts(winners(outcomes), lengths, outcomes >> 2), turns, choices, most)
