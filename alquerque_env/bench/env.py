"""Speed of the environments beside the framework's own floor and a peer: `alquerque bench env`."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from pettingzoo import AECEnv

from ..envs.aec import MatchEnv, wrap
from ..envs.vector import SelfPlayVectorEnv
from ..game import Game
from ..random_play import rollouts
from ..storage import JIT
from .clock import rate
from .floor import FloorEnv

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
    checkers = checkers_rate(seconds)
    if checkers is not None:
        yield Figure("pyspiel checkers, stepped in Python with mask and tensor", checkers)
    kind = "compiled" if JIT else "NumPy"
    yield _beside(f"rollouts inside the engine ({kind})", rate(_rollouts(game), seconds), "checkers", checkers)
    for batch in BATCHES:
        speed = rate(_vector(game, batch), seconds)
        yield _beside(f"SelfPlayVectorEnv, {batch} games", speed, "checkers", checkers)
    floor = rate(_aec(FloorEnv(game.num_actions)), seconds)
    yield Figure("AEC raw, an environment that does nothing", floor)
    yield _beside("AEC raw", rate(_aec(MatchEnv(game)), seconds), "doing nothing", floor)
    floor = rate(_aec(wrap(FloorEnv(game.num_actions))), seconds)
    yield Figure("AEC env(), an environment that does nothing", floor)
    wrapped = wrap(MatchEnv(game))
    yield _beside("AEC env()", rate(_aec(wrapped), seconds), "doing nothing", floor)


def checkers_rate(seconds: float) -> float | None:
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

    return rate(work, seconds)


def _beside(name: str, speed: float, what: str, other: float | None) -> Figure:
    return Figure(name, speed, what, speed / other) if other else Figure(name, speed)


def _rollouts(game: Game) -> Callable[[int], int]:
    def work(units: int) -> int:
        return int(rollouts(game, units * ROLLOUT_GAMES, seed=0).length.sum())

    return work


def _vector(game: Game, batch: int) -> Callable[[int], int]:
    env = SelfPlayVectorEnv(game, batch)
    env.reset(seed=0)

    def work(units: int) -> int:
        for _ in range(units):
            env.step(env.sample_actions())
        return units * batch

    return work


def _aec(env: AECEnv) -> Callable[[int], int]:
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
