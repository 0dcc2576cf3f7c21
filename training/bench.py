"""Speed of self-play and of training: `alquerque bench search` and `alquerque bench train`.

Self-play is measured beside what limits it, the network alone at the same number of positions, with one thread of
torch: matrices as small as these are sooner multiplied by one core than shared out, and the other cores play games of
their own.
"""

import math
import multiprocessing as mp
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from alquerque_env import load_game
from alquerque_env.bench.clock import Clock, rate
from alquerque_env.errors import AlquerqueError
from alquerque_env.game import Game
from alquerque_env.observation import plane_scale, planes
from training.config import Config, NetworkConfig, SearchConfig, SelfPlayConfig, parse_config
from training.inference import Inference, choose_precision
from training.learners import make_learner
from training.networks import Shape, build_network
from training.selfplay import SelfPlay

SIMULATIONS = 32
BATCHES = (64, 256, 1024)
NETWORKS = (
    NetworkConfig(),
    NetworkConfig(width=256, blocks=2),
    NetworkConfig.model_validate({"kind": "conv"}),
    NetworkConfig.model_validate({"kind": "graph"}),
)
# Sides of the square matrices whose product shows what a device can do at most.
MATRIX = {"cpu": 1024, "cuda": 8192}
# AlphaZero learns nothing until the first matches have ended; after so many iterations it is measured all the same.
MOST_WARM_UP = 12


class BenchError(AlquerqueError):
    """A measurement that cannot be made."""


class Setup(NamedTuple):
    """What plays: so many games at once, of one process.

    Attributes:
      game: Its id.
      network: With fresh weights, which take as long as trained ones.
      precision: `float32` or `bfloat16`.
      device: `cpu` or `cuda`.
      games: At once.
    """

    game: str
    network: NetworkConfig
    precision: str
    device: str
    games: int

    @property
    def clock(self) -> Clock:
        """Processor time, which a busy machine does not stretch; it says nothing of what a GPU does."""
        return time.perf_counter if self.device == "cuda" else time.process_time


class SearchFigure(NamedTuple):
    """Speed of self-play with Gumbel search, one process with one thread.

    Attributes:
      network: Kind, width and blocks.
      precision: Of the network.
      device: Of the network.
      games: At once.
      simulations_per_second: Of processor time, of time by the clock on a GPU; so are all others but the next.
      simulations_per_clock_second: By the clock, whatever else the machine does.
      decisions_per_second: Each with all its simulations.
      network_share: Of the time, what passes inside the network's call.
      evaluations_per_second: Of the network alone, asked for as many positions as there are games.
      ratio: Simulations to evaluations of the network alone.
      peak_share: Operations of those evaluations, two a parameter, to those of large matrix products in the same
        precision on the same device; only for `mlp`.
    """

    network: str
    precision: str
    device: str
    games: int
    simulations_per_second: float
    simulations_per_clock_second: float
    decisions_per_second: float
    network_share: float
    evaluations_per_second: float
    ratio: float
    peak_share: float | None


class TogetherFigure(NamedTuple):
    """Speed of several processes at once, each as `SearchFigure` with the same names.

    Attributes:
      processes: How many.
      simulations_per_second: Sum over the processes, each by its processor time.
      simulations_per_clock_second: Of all, by the clock from the first's start to the last's end.
    """

    network: str
    precision: str
    games: int
    processes: int
    simulations_per_second: float
    simulations_per_clock_second: float


class TrainFigure(NamedTuple):
    """Speed of whole iterations of training.

    Attributes:
      algorithm: `ppo`, `alphazero` or another learner's name.
      iterations: Measured, those before them left out.
      steps_per_second: By the clock, learning included.
      steps_per_processor_second: Of the process that learns, whatever others do; alone where it plays all games.
      playing_share: Of the time, by the clock, what the learning process plays; None if the learner does not say.
      positions_per_second: Learned from, in time spent learning; None if the learner does not say.
    """

    algorithm: str
    iterations: int
    steps_per_second: float
    steps_per_processor_second: float
    playing_share: float | None
    positions_per_second: float | None


class _Played(NamedTuple):
    """What self-play came to: seconds by the setup's clock and by the clock on the wall, and when it began and ended."""

    simulations: int
    seconds: float
    network_seconds: float
    begin: float
    end: float


def measure_search(
    game: Game, seconds: float, kinds: Sequence[str] = (), batches: Sequence[int] = ()
) -> Iterator[SearchFigure]:
    """Measures self-play with each network, precision, number of games and device, one after another.

    Args:
      game: The rules.
      seconds: For each figure, after what it takes to get going.
      kinds: Of networks; all if empty.
      batches: Games at once; 64, 256 and 1024 if empty.
    """
    with one_thread():
        for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
            for network in NETWORKS:
                if kinds and network.kind not in kinds:
                    continue
                for precision in _precisions(network, device):
                    peak = _peak(device, precision, seconds) if network.kind == "mlp" else None
                    for games in batches or BATCHES:
                        yield _measure(Setup(game.name, network, precision, device, games), seconds, peak)


def measure_together(fastest: Setup, seconds: float, processes: int) -> TogetherFigure:
    """Measures several processes that play at once.

    Args:
      fastest: What each of them does.
      seconds: For the figure.
      processes: How many.

    Raises:
      BenchError: If one of them dies.
    """
    context = mp.get_context("spawn")
    pipes: list[Connection] = []
    started: list[Any] = []
    try:
        for _ in range(processes):
            here, there = context.Pipe()
            process = context.Process(target=_play_beside, args=(there, fastest, seconds), daemon=True)
            process.start()
            there.close()
            pipes.append(here)
            started.append(process)
        for pipe in pipes:
            _receive(pipe)  # it is ready
        for pipe in pipes:
            pipe.send("go")
        played = [_Played(*_receive(pipe)) for pipe in pipes]
    finally:
        for pipe in pipes:
            pipe.close()
        for process in started:
            process.join(10)
            if process.is_alive():
                process.terminate()
    elapsed = max(each.end for each in played) - min(each.begin for each in played)
    return TogetherFigure(
        network=describe(fastest.network),
        precision=fastest.precision,
        games=fastest.games,
        processes=processes,
        simulations_per_second=sum(each.simulations / each.seconds for each in played),
        simulations_per_clock_second=sum(each.simulations for each in played) / elapsed,
    )


def fastest_on_processor(game: Game, figures: Sequence[SearchFigure]) -> Setup:
    """The setup of the fastest figure of the CPU."""
    best = max((figure for figure in figures if figure.device == "cpu"), key=lambda each: each.simulations_per_second)
    network = next(network for network in NETWORKS if describe(network) == best.network)
    return Setup(game.name, network, best.precision, best.device, best.games)


def default_configs(game: Game) -> list[Config]:
    """PPO, as `configs/quickstart.toml` has it, and AlphaZero, both with their defaults."""
    return [
        parse_config({"run": {"game": game.name, "algorithm": algorithm}}, game.name)
        for algorithm in ("ppo", "alphazero")
    ]


def measure_training(config: Config, iterations: int) -> TrainFigure:
    """Measures iterations of a run, from the first on that learns as much as it plays.

    Args:
      config: Of the run; nothing of it is written anywhere.
      iterations: How many.
    """
    with one_thread(config.run.threads):
        learner = make_learner(config, load_game(config.run.game, **config.run.options))
        try:
            warm_up = 1
            while "policy_loss" not in learner.iterate() and warm_up < MOST_WARM_UP:
                warm_up += 1
            wall, processor = time.perf_counter(), time.process_time()
            begun = wall
            playing = 0.0
            updates: list[float] = []
            records = []
            for _ in range(iterations):
                begin = time.perf_counter()
                record = learner.iterate()
                records.append(record)
                if "playing_share" in record:
                    playing += record["playing_share"] * (time.perf_counter() - begin)
            wall, processor = time.perf_counter() - begun, time.process_time() - processor
        finally:
            learner.close()
    return updates
