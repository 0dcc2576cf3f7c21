"""Positions as matches lead to them, for measuring and for training."""

from collections.abc import Iterator

import numpy as np

from ..batch.make_batch import make_batch
from ..batch.step_result import HOLD, PLAY, RESET
from ..game import state_layout as STATE
from ..game.array_check import check_at_least
from ..game.game import Game, GameId, as_game
from ..game.outcomes import ONGOING
from ..search import SearchFeatures

PLAYERS = "random", "material:0", "material:1", "material:2"
"""Who plays: steps at random, or those that gain most pieces after so many further turns and all captures."""
RANDOM_STEPS = 0.2
"""Share of the steps that those who search draw at random."""
LONGEST = 256
"""Steps after which a match is broken off."""

_MATCHES = 1024  # in a lot
_FEWEST = 0.02  # share of new positions in a lot below which matches lead to hardly any others
_DEPTHS = len(PLAYERS) - 1


def natural_states(game: Game | GameId, count: int, *, seed: int = 0) -> np.ndarray:
    """Positions of matches between weak and middling players, in which there is a choice.

    Each side of each match draws one of `PLAYERS`. Those who search take a random step every fifth time, and draw
    among equal steps. No two positions differ in the plies without progress alone; that number is as in the match.

    Example:
      >>> natural_states("felli_simplified", 1000).shape
      (1000, 9)

    Args:
      game: The game, its id, or the path of a game file.
      count: How many different positions; fewer are returned where matches lead to hardly any others.
      seed: Seed of the matches.

    Returns:
      int64 `[N, S]`, states as in `Match.state`.

    Raises:
      AlquerqueError: If `count` is not a positive integer, or `seed` not a natural number.
      RulesError: If the board has too many points for the compiled search.
    """
    parts, left = [], check_at_least(1, "count", count)
    for states in natural_lots(as_game(game), seed):
        parts.append(states[:left])
        left -= len(parts[-1])
        if not left:
            break
    return np.concatenate(parts)


def natural_lots(game: Game, seed: int) -> Iterator[np.ndarray]:
    """Yields different positions, see `natural_states`, as those of one lot of matches after another, shuffled."""
    generator = np.random.default_rng(check_at_least(0, "seed", seed))
    seen: set[bytes] = set()
    number_of_new, visited = 1, 1
    while number_of_new >= _FEWEST * visited:
        states = _play_matches(game, generator)
        clockless = states.copy()
        clockless[:, STATE.QUIET] = 0
        new = {state.tobytes(): place for place, state in reversed(list(enumerate(clockless)))}
        places = [place for key, place in new.items() if key not in seen]
        seen.update(new)
        number_of_new, visited = len(places), len(states)
        yield states[generator.permutation(np.array(places, np.int64))]


def _play_matches(game: Game, generator: np.random.Generator) -> np.ndarray:
    """Plays a lot of matches; returns their positions with a choice."""
    batch, swings = make_batch(game, _MATCHES), SearchFeatures(game)
    depths = generator.integers(-1, _DEPTHS, size=(_MATCHES, 2))  # how far each player searches, -1 for random steps
    seen = batch.step(np.zeros(_MATCHES, np.int64), np.full(_MATCHES, RESET, np.int8))
    states = [np.zeros((0, len(game.table.start)), np.int64)]
    for _ in range(LONGEST):
        is_ongoing = seen.outcome == ONGOING
        if not is_ongoing.any():
            break
        has_choice = is_ongoing & (seen.mask.sum(1) > 1)
        states.append(np.array(batch.states[has_choice], np.int64))
        depth = depths[np.arange(_MATCHES), seen.player]
        depth[~has_choice | (generator.random(_MATCHES) < RANDOM_STEPS)] = -1
        scores = generator.random(seen.mask.shape) - np.where(seen.mask == 1, 0, 1)
        for turns in range(_DEPTHS):
            asked = depth == turns
            scores[asked] += swings(seen.observation[asked], turns)
        seen = batch.step(scores.argmax(1), np.where(is_ongoing, PLAY, HOLD).astype(np.int8))
    return np.concatenate(states)
