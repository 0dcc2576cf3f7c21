"""Rollouts: many matches of random play, and their results."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..engine.compiler import long_kernel
from ..engine.kernel_types import Table, Words
from ..engine.random_play import play_out
from ..engine.rules_scalar import copy_state
from ..errors import AlquerqueError
from ..game import state_layout as STATE, table_layout as TABLE
from ..game.array_check import check_at_least
from ..game.game import Game, GameId
from ..game.kernel_arrays import copied, state_rows, words
from ..game.outcomes import NO_WINNER, NOBODY, ONGOING
from ..match.match import REASONS, Match
from .batch import HOLD, PLAY, Batch, StepResult
from .make_batch import make_batch

AT_ONCE = 1024
"""Matches played at once. Results at a seed depend on it, so it is the same on every machine."""
LONGEST_QUIET_PLAY = 1 << 16
"""Plies without progress after which a match counts as a draw in a game with a repetition rule and no limit of them."""


class Rollouts(NamedTuple):
    """The results of `N` random matches.

    Attributes:
      winner: int8 `[N]`, 0, 1, or -1 for a draw.
      length: int32 `[N]`, numbers of actions.
      reason: int8 `[N]`, keys of `match.REASONS`.
    """

    winner: np.ndarray
    length: np.ndarray
    reason: np.ndarray

    def share(self, winner: int) -> float:
        """Share of the matches that a player won, or that were drawn for -1."""
        return float((self.winner == winner).mean())

    def endings(self) -> dict[str, int]:
        """Numbers of matches by reason of their end, for reasons that occurred."""
        return {name: count for code, name in REASONS.items() if (count := int((self.reason == code).sum()))}


def rollouts(start: Match | Game | GameId, count: int, *, seed: int | None = None) -> Rollouts:
    """Plays matches to their ends by uniformly random legal actions.

    Args:
      start: An ongoing match to begin from, which is not changed, or a game.
      count: Number of matches.
      seed: Seed of the draws. The same seed gives the same matches, with and without Numba; a larger count adds further
        ones. Random if None.

    Returns:
      Result, length and reason of the end of every match, as arrays `[count]`.

    Raises:
      UnknownNameError: If there is no such game.
      AlquerqueError: If `count` is not a positive integer, `seed` not a natural number, or the match has ended.
    """
    match, count = ongoing_match(start, count, seed), int(count)
    outcomes, lengths = _play_randomly(match, count, _draw(seed))
    return Rollouts(winners(outcomes), lengths, outcomes >> 2)


def _play_randomly(match: Match, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Plays a match to its end `count` times; returns int8 `[N]`, the outcomes, and int32 `[N]`, numbers of actions."""
    t = match.game.table.words
    outcomes, lengths = np.zeros(count, np.int8), np.zeros(count, np.int32)
    limit = int(t[TABLE.NO_PROGRESS_LIMIT]) or LONGEST_QUIET_PLAY
    past = match.keys(max(limit, int(match.state[STATE.QUIET])) + 2) if t[TABLE.THREEFOLD] else words(t, 1)
    scratch, actions = words(t, t[TABLE.SCRATCH_SIZE]), words(t, match.game.num_actions)
    start = copied(t, match.state)
    arrays = copied(t, start), scratch, actions, copied(t, past), copied(t, past)
    play_all(t, count, start, *arrays, len(past), copied(t, [seed]), outcomes, lengths)
    return outcomes, lengths


@long_kernel
def play_all(
    t: Table, count: int, start: Table, state: Words, scratch: Words, actions: Words, past: Table, keys: Words,
    room: int, rng: Words, outcomes: Words, lengths: Words,
) -> None:  # fmt: skip
    """As `_play_randomly`, from `start` and the hashes `past` of its earlier positions; the others are for use.

    `room` is the length of `keys`.
    """
    for game in range(count):
        copy_state(t, start, state)
        if t[TABLE.THREEFOLD]:
            for clock in range(state[STATE.QUIET] + 1):
                keys[clock] = past[clock]
        outcomes[game], lengths[game] = play_out(t, state, scratch, actions, keys, room, rng)


def ongoing_match(start: Match | Game | GameId, count: int, seed: int | None) -> Match:
    """The match that random matches begin with.

    Raises:
      UnknownNameError, AlquerqueError: As `rollouts`.
    """
    match = start if isinstance(start, Match) else Match(start)
    check_at_least(1, "count", count)
    if seed is not None:
        check_at_least(0, "seed", seed)
    if match.outcome is not None:
        what = f"the match has ended ({match.outcome.reason}): nothing can be played from {match.position}"
        raise AlquerqueError(what)
    return match


def _draw(seed: int | None) -> int:
    """The state of a sampler of actions by a seed."""
    return int(np.random.default_rng(seed).integers(2**62))


def winners(outcomes: np.ndarray) -> np.ndarray:
    """int8 `[N]`, the winners of outcomes of the engine: 0, 1, or -1 for a draw."""
    return np.where(outcomes & 3 == NOBODY, NO_WINNER, outcomes & 3).astype(np.int8)


def batches_from(match: Match, count: int, seed: int) -> Iterator[tuple[slice, Batch, StepResult]]:
    """Batches that hold `count` copies of a match together, each with its place among all and what is seen of it."""
    for first in range(0, count, AT_ONCE):
        games = make_batch(match.game, min(AT_ONCE, count - first))
        states = state_rows([match.state], match.game.board.is_wide)
        room = max(games.keys.shape[1], int(match.state[STATE.QUIET]) + 2)
        keys = np.repeat(np.array([match.keys(room)], np.int64), games.num_games, axis=0)
        result = games.set(states, keys, np.array([(seed + first) % 2**62]))
        yield slice(first, first + AT_ONCE), games, result


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
    for place, games, result in batches_from(match, count, _draw(seed)):
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
