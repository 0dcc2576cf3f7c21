"""Speed of the environments beside other libraries and an environment that does nothing: `alquerque bench env`."""

import time
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ...batch.rollouts import rollouts
from ...envs.aec import MatchEnv, wrap
from ...envs.self_play_vector import SelfPlayVectorEnv
from ...game.game import Game
from ...game.kernel_arrays import JIT
from .empty_env import EmptyEnv
from .peers import AEC_PEERS, BATCH_PEERS, Peer, RandomAec, find_installed
from .rate import Work, rate, rates, repeat

BATCHES = (1, 64, 4096, 32768)
CORE_BATCH = 4096
DEVICE_BATCHES = (4096, 65536)
ROLLOUTS = 4096
"""Matches in a unit of work."""


class Figure(NamedTuple):
    """One measured rate.

    Attributes:
      name: What was measured.
      steps_per_second: Steps (sub-steps) a second of one core.
      ratios: How many times as fast it is as each of its peers, by their short names; empty for the peers themselves.
    """

    name: str
    steps_per_second: float
    ratios: dict[str, float]


class EnvSpeed:
    """Measures games beside the peers that are installed. Everything that is compared takes turns.

    Args:
      device: Where PyTorch plays batches too, as PyTorch names it; None for not at all.

    Attributes:
      batch_peers: Peers of batches of matches and of rollouts.
      aec_peers: Peers of AEC environments.
    """

    def __init__(self, device: str | None = None) -> None:
        self.device = device
        self.batch_peers = find_installed(BATCH_PEERS)
        self.aec_peers = find_installed(AEC_PEERS)

    @property
    def peers(self) -> list[Peer]:
        """All peers that are installed."""
        return [*self.batch_peers, *self.aec_peers]

    def measure(self, game: Game, seconds: float) -> Iterator[Figure]:
        """Measures a game, figure by figure, each for so many seconds of processor time."""
        kind = "compiled" if JIT else "NumPy"
        batches: dict[str, Work] = {f"rollouts inside the engine ({kind})": _rollouts(game)}
        batches |= {f"SelfPlayVectorEnv, {batch} games": _vector(game, batch) for batch in BATCHES}
        yield from _compare({peer.name: (peer.short, peer.play) for peer in self.batch_peers}, batches, seconds)
        empty = EmptyEnv(game.num_actions)
        peers: dict[str, tuple[str, Work]] = {
            "AEC raw, an environment that does nothing": ("nothing, raw", RandomAec(empty).play),
            "AEC env(), an environment that does nothing": ("nothing, env()", RandomAec(wrap(empty)).play),
        }
        peers |= {peer.name: (peer.short, peer.play) for peer in self.aec_peers}
        match: dict[str, Work] = {
            "AEC raw": RandomAec(MatchEnv(game)).play,
            "AEC env()": RandomAec(wrap(MatchEnv(game))).play,
        }
        yield from _compare(peers, match, seconds)
        if self.device is not None:
            yield from _compare_devices(game, self.device, seconds)


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
