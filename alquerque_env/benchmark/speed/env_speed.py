"""Speed of the environments beside other libraries and an environment that does nothing: `alquerque bench env`."""

import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from ...batch.rollouts import rollouts
from ...envs.aec import MatchEnv, wrap
from ...envs.self_play_vector import SelfPlayVectorEnv
from ...game.game import Game
from ...game.kernel_arrays import JIT
from .peers import AEC_PEERS, BATCH_PEERS, ROLLOUT_PEERS, Peer, RandomAec, find_installed
from .rate import Work, rate, rates, repeat

AGENTS = ("player_0", "player_1")
LENGTH = 50


class EmptyEnv(AECEnv):
    """Two agents act in turn; all actions are legal; a match lasts 50 steps."""

    metadata = {"name": "empty_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, num_actions: int) -> None:
        super().__init__()
        self.possible_agents = list(AGENTS)
        self.render_mode = None
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (4, 25), np.int8),
                    "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces = {agent: spaces.Discrete(num_actions) for agent in AGENTS}
        self._observation = np.ones((4, 25), np.int8)
        self._mask = np.ones(num_actions, np.int8)

    def observation_space(self, agent: str) -> spaces.Space:
        """The same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        """The same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Starts a match."""
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {"action_mask": self._mask} for agent in AGENTS}
        self.agent_selection = AGENTS[0]
        self._steps = 0

    def observe(self, agent: str) -> dict[str, np.ndarray]:  # noqa: ARG002
        """The same numbers at every call, in new arrays."""
        return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}

    def step(self, action: int | None) -> None:
        """Counts a step and passes the turn."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self._cumulative_rewards[agent] = 0
        if self._steps == LENGTH:
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self._steps % 2]
        self._accumulate_rewards()


BATCHES = (1, 64, 4096, 32768)
CORE_BATCH = 4096
DEVICE_BATCHES = (4096, 65536)
ROLLOUTS = 4096  # matches in a unit of work


class Figure(NamedTuple):
    """One measured rate."""

    name: str  # what was measured
    steps_per_second: float  # steps (sub-steps) a second of one core
    # How many times as fast it is as each of its peers, by their short names; empty for the peers themselves.
    ratios: dict[str, float]
    steps_per_match: float | None = None  # mean length of a match, where whole matches are played; else None

    @property
    def matches_per_second(self) -> float | None:
        """Whole matches a second, if they are played."""
        return None if self.steps_per_match is None else self.steps_per_second / self.steps_per_match


# Names of the figures that sum a game up.
VECTOR = f"SelfPlayVectorEnv, {CORE_BATCH} games"
RANDOM_MATCHES = f"rollouts inside the engine ({'compiled' if JIT else 'NumPy'})"
ENV = "AEC env()"


class EnvSpeed:
    """Measures games beside the peers that are installed. Everything that is compared takes turns.

    On `device` PyTorch plays batches too, as PyTorch names it; None for not at all.
    """

    def __init__(self, device: str | None = None) -> None:
        self.device = device
        self.batch_peers = find_installed(BATCH_PEERS)
        self.rollout_peers = find_installed(ROLLOUT_PEERS)
        self.aec_peers = find_installed(AEC_PEERS)

    @property
    def peers(self) -> list[Peer]:
        """All peers that are installed."""
        return [*self.batch_peers, *self.rollout_peers, *self.aec_peers]

    def sum_up(self, game: Game, seconds: float) -> Iterator[Figure]:
        """Measures what sums a game up, beside the peers, each figure for so many seconds of processor time."""
        yield from self._measure_batches(game, seconds, (CORE_BATCH,))
        yield from _compare(_works(self.aec_peers), {ENV: RandomAec(wrap(MatchEnv(game))).play}, seconds)

    def measure(self, game: Game, seconds: float) -> Iterator[Figure]:
        """Measures a game, figure by figure, each for so many seconds of processor time."""
        yield from self._measure_batches(game, seconds, BATCHES)
        empty = EmptyEnv(game.num_actions)
        peers: dict[str, tuple[str, Work]] = {
            "AEC raw, an environment that does nothing": ("nothing, raw", RandomAec(empty).play),
            "AEC env(), an environment that does nothing": ("nothing, env()", RandomAec(wrap(empty)).play),
        }
        match: dict[str, Work] = {"AEC raw": RandomAec(MatchEnv(game)).play, ENV: RandomAec(wrap(MatchEnv(game))).play}
        yield from _compare(peers | _works(self.aec_peers), match, seconds)
        if self.device is not None:
            yield from _compare_devices(game, self.device, seconds)

    def _measure_batches(self, game: Game, seconds: float, batches: Iterable[int]) -> Iterator[Figure]:
        """Measures rollouts and batches of so many matches. Only rollouts are compared with rollouts."""
        works: dict[str, Work] = {RANDOM_MATCHES: _rollouts(game)}
        works |= {f"SelfPlayVectorEnv, {batch} games": _vector(game, batch) for batch in batches}
        lengths = {peer.name: peer.steps_per_match for peer in self.rollout_peers}
        lengths[RANDOM_MATCHES] = float(rollouts(game, ROLLOUTS, seed=1).length.mean())
        others = {peer.short for peer in self.rollout_peers}
        for figure in _compare(_works([*self.batch_peers, *self.rollout_peers]), works, seconds):
            ratios = figure.ratios
            if figure.name != RANDOM_MATCHES:
                ratios = {short: ratio for short, ratio in ratios.items() if short not in others}
            yield figure._replace(ratios=ratios, steps_per_match=lengths.get(figure.name))


def _works(peers: Iterable[Peer]) -> dict[str, tuple[str, Work]]:
    return {peer.name: (peer.short, peer.play) for peer in peers}


def _compare(peers: dict[str, tuple[str, Work]], works: dict[str, Work], seconds: float) -> Iterator[Figure]:
    """The rates of peers, then those of works beside them; `peers` have a short name and their work by name."""
    found = rates([*(work for _, work in peers.values()), *works.values()], seconds)
    beside = {short: speed for (short, _), speed in zip(peers.values(), found, strict=False)}
    for name, speed in zip(peers, found, strict=False):
        yield Figure(name, speed, {})
    for name, speed in zip(works, found[len(peers) :], strict=True):
        yield Figure(name, speed, {short: speed / other for short, other in beside.items()})


def _compare_devices(game: Game, device: str, seconds: float) -> Iterator[Figure]:
    """The rates of PyTorch on a device by the clock, beside a core with the best batch of compiled kernels."""
    core = rate(_vector(game, CORE_BATCH), seconds)
    for batch in DEVICE_BATCHES:
        env = SelfPlayVectorEnv(game, batch, backend="torch", device=device)
        env.reset(seed=0)
        speed = rate(repeat(partial(_step, env), batch), seconds, partial(_wait_for, env))
        yield Figure(f"SelfPlayVectorEnv, torch on {device}, {batch} games", speed, {"a core": speed / core})


def _step(env: SelfPlayVectorEnv) -> None:
    env.step(env.sample_actions())


def _wait_for(env: SelfPlayVectorEnv) -> float:
    """The time at which the device of an environment has done its work."""
    env.get_state()
    return time.perf_counter()


def _rollouts(game: Game) -> Work:
    def work(units: int) -> int:
        return int(rollouts(game, units * ROLLOUTS, seed=0).length.sum())

    return work


def _vector(game: Game, batch: int) -> Work:
    env = SelfPlayVectorEnv(game, batch)
    env.reset(seed=0)
    return repeat(partial(_step, env), batch)
