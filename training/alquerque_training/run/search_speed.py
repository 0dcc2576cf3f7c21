"""Speed of self-play with a search: `alquerque bench search`.

Self-play is compared with the network alone at the same number of positions. Each process uses one thread of torch,
because products of matrices as small as these gain nothing from a second core.
"""

import multiprocessing as mp
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch

from alquerque_env import SelfPlayVectorEnv
from alquerque_env.benchmark.speed.rate import Clock, rate, repeat
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_training.config.settings import Config, NetworkConfig, SelfPlayConfig
from alquerque_training.networks.inference import Inference, choose_precision, make_network
from alquerque_training.self_play.generator import SearchConfig, SelfPlay

SIMULATIONS = 32
# Random steps before the positions with which a network alone is measured.
RANDOM_STEPS = 15
BATCHES = (64, 256, 1024)
NETWORKS = (
    NetworkConfig(),
    NetworkConfig(width=256, blocks=2),
    NetworkConfig(width=256, search_features=0),
)
PLAIN, WITH_FEATURES = "mlp", "mlp-search-features"
# Sides of the square matrices whose product shows the peak speed of a device.
MATRIX = {"cpu": 1024, "cuda": 8192}


class Setup(NamedTuple):
    """What is measured: some games at once, of one process and one network with random weights."""

    game: Game
    network: NetworkConfig
    precision: str
    device: str
    games: int

    @property
    def clock(self) -> Clock:
        """Processor time, which other processes do not affect; the wall clock for a GPU."""
        return time.perf_counter if self.device == "cuda" else time.process_time


class SearchFigure(NamedTuple):
    """Speed of self-play with Gumbel search, one process with one thread.

    Rates are per second of processor time, of wall-clock time on a GPU.
    """

    network: str
    precision: str
    device: str
    games: int  # at once
    simulations_per_second: float  # simulations of the search
    simulations_per_clock_second: float  # the same by the wall clock
    decisions_per_second: float  # decisions, each with all its simulations
    network_share: float  # share of the time spent in the network
    evaluations_per_second: float  # positions evaluated by the network alone, as many at once as there are games
    ratio: float  # simulations to evaluations of the network alone
    # Operations of these evaluations (two for each parameter), divided by those of large matrix products in the same
    # precision on the same device; only for `mlp` without search features.
    peak_share: float | None


class TogetherFigure(NamedTuple):
    """Speed of several processes at once; fields as in `SearchFigure`, the rates are those of all processes."""

    network: str
    precision: str
    games: int
    processes: int
    simulations_per_second: float
    simulations_per_clock_second: float


class _Played(NamedTuple):
    """A measurement of self-play: seconds by the setup's clock; begin and end by the wall clock."""

    simulations: int
    seconds: float
    network_seconds: float
    begin: float
    end: float


def measure_search(
    game: Game, seconds: float, kinds: Sequence[str] = (), batches: Sequence[int] = ()
) -> Iterator[SearchFigure]:
    """Measures self-play with each precision and device, and some kinds of networks and games at once, or all."""
    with one_thread():
        for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
            for network in NETWORKS:
                if kinds and _kind(network) not in kinds:
                    continue
                for precision in _precisions(network, device):
                    peak = _peak(device, precision, seconds) if _kind(network) == PLAIN else None
                    for games in batches or BATCHES:
                        yield _measure(Setup(game, network, precision, device, games), seconds, peak)


def measure_together(game: Game, figures: Sequence[SearchFigure], seconds: float, processes: int) -> TogetherFigure:
    """Measures several processes that do at once what the fastest figure of the CPU measured in one."""
    best = max((figure for figure in figures if figure.device == "cpu"), key=lambda each: each.simulations_per_second)
    network = next(network for network in NETWORKS if str(network) == best.network)
    setup = Setup(game, network, best.precision, best.device, best.games)
    context = mp.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(processes, context) as pool:
        try:
            barrier = manager.Barrier(processes)
            played = list(pool.map(_play_beside, [setup] * processes, [seconds] * processes, [barrier] * processes))
        except BrokenProcessPool:
            raise AlquerqueError("a process of the measurement has died") from None
    elapsed = max(each.end for each in played) - min(each.begin for each in played)
    return TogetherFigure(
        network=best.network,
        precision=best.precision,
        games=best.games,
        processes=processes,
        simulations_per_second=sum(each.simulations / each.seconds for each in played),
        simulations_per_clock_second=sum(each.simulations for each in played) / elapsed,
    )


@contextmanager
def one_thread(threads: int = 1) -> Iterator[None]:
    """Limits the threads of torch within the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _kind(network: NetworkConfig) -> str:
    return network.kind if network.feature_depth is None else WITH_FEATURES


def _precisions(network: NetworkConfig, device: str) -> tuple[str, ...]:
    """The precision that a run would choose; for a plain `mlp` on a CPU also single precision."""
    place = torch.device(device)
    fast = _name(choose_precision("auto", place))
    if _kind(network) == PLAIN and device == "cpu" and fast != "float32":
        return "float32", fast
    return (_name(choose_precision("auto", place, network)),)


def _name(precision: torch.dtype) -> str:
    return str(precision).removeprefix("torch.")


def _measure(setup: Setup, seconds: float, peak: float | None) -> SearchFigure:
    inference, parameters, play = _prepare(setup)
    played = _play(setup, play, inference, seconds)
    env = SelfPlayVectorEnv(setup.game, setup.games)
    asked, _ = env.reset(seed=0)
    for _ in range(RANDOM_STEPS):
        asked, *_ = env.step(env.sample_actions())
    alone = rate(repeat(lambda: inference(asked), setup.games), seconds, setup.clock)
    speed = played.simulations / played.seconds
    return SearchFigure(
        network=str(setup.network),
        precision=setup.precision,
        device=setup.device,
        games=setup.games,
        simulations_per_second=speed,
        simulations_per_clock_second=played.simulations / (played.end - played.begin),
        decisions_per_second=speed / SIMULATIONS,
        network_share=min(1.0, played.network_seconds / played.seconds),
        evaluations_per_second=alone,
        ratio=speed / alone,
        peak_share=None if peak is None else 2 * parameters * alone / peak,
    )


def _prepare(setup: Setup) -> tuple[Inference, int, SelfPlay]:
    """The network, its number of parameters, and games that have begun, with everything compiled."""
    game, device = setup.game, torch.device(setup.device)
    network = make_network(Config(network=setup.network), game, torch.Generator().manual_seed(0))
    inference = Inference(network, device, choose_precision(setup.precision, device))
    play = SelfPlay(game, setup.games, SelfPlayConfig(), SearchConfig(simulations=SIMULATIONS), seed=0)
    play.play(inference, 1, SIMULATIONS)
    return inference, sum(parameter.numel() for parameter in network.parameters()), play


def _play(setup: Setup, play: SelfPlay, inference: Inference, seconds: float) -> _Played:
    """Plays for some seconds and adds up the time in the network."""
    clock, inside = setup.clock, 0.0

    def evaluate(asked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal inside
        begin = clock()
        answer = inference(asked)
        inside += clock() - begin
        return answer

    decisions, wall, begin = 0, time.perf_counter(), clock()
    while clock() - begin < seconds:
        play.play(evaluate, 1, SIMULATIONS)
        decisions += 1
    spent = max(clock() - begin, 1e-9)
    return _Played(decisions * setup.games * SIMULATIONS, spent, inside, wall, time.perf_counter())


def _play_beside(setup: Setup, seconds: float, barrier: Any) -> _Played:
    """Plays in one process of several; all begin at the same time."""
    torch.set_num_threads(1)
    inference, _, play = _prepare(setup)
    barrier.wait()
    return _play(setup, play, inference, seconds)


def _peak(device: str, precision: str, seconds: float) -> float:
    """Operations a second in products of large matrices."""
    side = MATRIX[device]
    where = torch.device(device)
    one = torch.ones(side, side, dtype=choose_precision(precision, where), device=where)

    def work(units: int) -> int:
        for _ in range(units):
            torch.mm(one, one)
        if device == "cuda":
            torch.cuda.synchronize()
        return units * 2 * side**3

    return rate(work, seconds, time.perf_counter if device == "cuda" else time.process_time)
