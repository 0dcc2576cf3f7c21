"""Speed of the environments beside the framework's own floor and a peer: `alquerque bench env`."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from pettingzoo import AECEnv

from ...batch.rollouts import rollouts
from ...envs.aec import MatchEnv, wrap
from ...envs.self_play_vector import SelfPlayVectorEnv
from ...game.game import Game
from ...game.kernel_arrays import JIT
from .empty_env import FloorEnv
from .rate import Work, rate, rates, repeat

BATCHES = (1, 64, 4096, 32768)
ROLLOUT_GAMES = 4096  # to a unit of work


class Figure(NamedTuple):
    """One measured rate.

    Attributes:
      name: What was measured.
      steps_per_second: Steps (sub-steps) a second of one core.
      beside: What it is compared with, if anything, and the ratio.
    """

    name: str
    steps_per_second: float
    beside: str = ""
    ratio: float | None = None


def measure(game: Game, seconds: float) -> Iterator[Figure]:
    """Measures one game, figure by figure.

    Args:
      game: The rules.
      seconds: Processor time for each figure.
    """
    kind = "compiled" if JIT else "NumPy"
    works = {f"rollouts inside the engine ({kind})": _rollouts(game)}
    works |= {f"SelfPlayVectorEnv, {batch} games": _vector(game, batch) for batch in BATCHES}
    checkers = _checkers()
    if checkers is None:
        for name, work in works.items():
            yield Figure(name, rate(work, seconds))
    else:
        yield from _compare(
            "pyspiel checkers, stepped in Python with mask and tensor", checkers, "checkers", works, seconds
        )
    nothing = "doing nothing"
    floor, raw = _aec(FloorEnv(game.num_actions)), {"AEC raw": _aec(MatchEnv(game))}
    yield from _compare("AEC raw, an environment that does nothing", floor, nothing, raw, seconds)
    floor, wrapped = _aec(wrap(FloorEnv(game.num_actions))), {"AEC env()": _aec(wrap(MatchEnv(game)))}
    yield from _compare("AEC env(), an environment that does nothing", floor, nothing, wrapped, seconds)


def _compare(peer: str, work: Work, short: str, works: dict[str, Work], seconds: float) -> Iterator[Figure]:
    """The rate of a peer, then those of others beside it."""
    beside, *found = rates([work, *works.values()], seconds)
    yield Figure(peer, beside)
    for name, speed in zip(works, found, strict=True):
        yield Figure(name, speed, short, speed / beside)


def _checkers() -> Work | None:
    """OpenSpiel's checkers, stepped in Python with legal actions, mask and tensor; None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("checkers")
    generator = np.random.default_rng(0)

    def work(units: int) -> int:
        state = game.new_initial_state()
        draws = generator.random(units)
        for draw in draws:
            legal = state.legal_actions()
            state.apply_action(legal[int(draw * len(legal))])
            if state.is_terminal():
                state = game.new_initial_state()
            state.legal_actions_mask()
            state.observation_tensor()
        return units

    return work


def _rollouts(game: Game) -> Work:
    def work(units: int) -> int:
        return int(rollouts(game, units * ROLLOUT_GAMES, seed=0).length.sum())

    return work


def _vector(game: Game, batch: int) -> Work:
    env = SelfPlayVectorEnv(game, batch)
    env.reset(seed=0)
    return repeat(lambda: env.step(env.sample_actions()), batch)


def _aec(env: AECEnv) -> Work:
    """Plays random legal actions through `last` and `step`, as any loop over an AEC environment does."""
    generator = np.random.default_rng(0)

    def work(units: int) -> int:
        env.reset(seed=0)
        for draw in generator.random(units):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            env.step(_pick(observation, draw))
        return units

    return work


def _pick(observation: Any, draw: float) -> int:
    legal = observation["action_mask"].nonzero()[0]
    return int(legal[int(draw * len(legal))])
