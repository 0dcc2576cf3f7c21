"""Speed of self-play and of training: `alquerque bench search` and `alquerque bench train`.

Self-play is measured beside what limits it, the network alone at the same number of positions, with one thread of
torch: matrices as small as these are sooner multiplied by one core than shared out, and the other cores play games of
their own.
"""

import math
import multiprocessing as mp
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from alquerque_env import SelfPlayVectorEnv, load_game
from alquerque_env.benchmark.speed.rate import Clock, Work, rate, repeat
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.planes import plane_scale
from alquerque_training.config.loader import load_config, parse_config
from alquerque_training.config.settings import Config, NetworkConfig, SearchConfig, SelfPlayConfig
from alquerque_training.config.shipped_configs import shipped_configs
from alquerque_training.networks import PolicyValueNetwork, Shape, build_network
from alquerque_training.networks.inference import Inference, choose_precision
from alquerque_training.run.learner import make_learner
from alquerque_training.self_play.generator import SelfPlay

SIMULATIONS = 32
# Random steps before the positions with which a network alone is measured: in the middle of matches.
RANDOM_STEPS = 15
BATCHES = (64, 256, 1024)
NETWORKS = (
    NetworkConfig(),
    NetworkConfig(width=256, blocks=2),
    NetworkConfig(width=256, search_features=0),
    NetworkConfig.model_validate({"kind": "conv"}),
    NetworkConfig.model_validate({"kind": "graph"}),
)
KINDS = ("mlp", "mlp-search-features", "conv", "graph")
# Sides of the square matrices whose product shows what a device can do at most.
MATRIX = {"cpu": 1024, "cuda": 8192}
# AlphaZero learns nothing until the first matches have ended; after so many iterations it is measured all the same.
MOST_WARM_UP = 12


_all_ready: Barrier
"""In a process of several: passed when all of them are ready to play."""


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
        precision on the same device; only for `mlp` without search features.
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
    """What self-play came to: seconds by the setup's clock, and by the one on the wall when it began and ended."""

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
      kinds: Of networks, of `KINDS`; all if empty.
      batches: Games at once; 64, 256 and 1024 if empty.
    """
    with one_thread():
        for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
            for network in NETWORKS:
                if kinds and _choice(network) not in kinds:
                    continue
                for precision in _precisions(network, device):
                    peak = _peak(device, precision, seconds) if _choice(network) == "mlp" else None
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
    barrier = (context.Barrier(processes),)
    with ProcessPoolExecutor(processes, context, initializer=_keep_barrier, initargs=barrier) as pool:
        try:
            played = list(pool.map(_play_beside, [fastest] * processes, [seconds] * processes))
        except BrokenProcessPool:
            raise BenchError("a process of the measurement has died") from None
    elapsed = max(each.end for each in played) - min(each.begin for each in played)
    return TogetherFigure(
        network=str(fastest.network),
        precision=fastest.precision,
        games=fastest.games,
        processes=processes,
        simulations_per_second=sum(each.simulations / each.seconds for each in played),
        simulations_per_clock_second=sum(each.simulations for each in played) / elapsed,
    )


def fastest_on_processor(game: Game, figures: Sequence[SearchFigure]) -> Setup:
    """The setup of the fastest figure of the CPU."""
    best = max((figure for figure in figures if figure.device == "cpu"), key=lambda each: each.simulations_per_second)
    network = next(network for network in NETWORKS if str(network) == best.network)
    return Setup(game.name, network, best.precision, best.device, best.games)


def configs_to_measure(given: str, overrides: Sequence[str]) -> list[Config]:
    """The runs to measure.

    Args:
      given: The name or path of a config; or of a game, for PPO and AlphaZero with their defaults.
      overrides: Texts `section.key=value` that change the config.

    Raises:
      AlquerqueError: If there is neither such a config nor such a game, or overrides are given for a game.
    """
    if Path(given).suffix == ".toml" or given in shipped_configs():
        return [load_config(given, overrides)]
    if overrides:
        known = ", ".join(shipped_configs())
        raise AlquerqueError(f"{overrides[0]!r} changes a config, and {given!r} is none (known: {known})")
    name = load_game(given).name
    return [parse_config({"run": {"game": name, "algorithm": kind}}, name) for kind in ("ppo", "alphazero")]


def measure_training(config: Config, iterations: int) -> TrainFigure:
    """Measures iterations of a run, from the first on after one that has learned something.

    Args:
      config: Of the run; nothing of it is written anywhere.
      iterations: How many.
    """
    with one_thread(config.run.threads):
        learner = make_learner(config, load_game(config.run.game, **config.run.options))
        try:
            record = learner.iterate()
            while "policy_loss" not in record and learner.iteration < MOST_WARM_UP:
                record = learner.iterate()
            updates = record.get("updates", 0)
            processor, playing = time.process_time(), 0.0
            start = begun = time.perf_counter()
            for _ in range(iterations):
                record = learner.iterate()
                now = time.perf_counter()
                playing += record.get("playing_share", math.nan) * (now - begun)
                begun = now
            wall, processor = begun - start, time.process_time() - processor
        finally:
            learner.close()
    steps = iterations * config.steps_per_iteration
    share = None if math.isnan(playing) else min(1.0, playing / wall)
    learned = steps * config.ppo.epochs
    if config.run.algorithm == "alphazero":
        learned = int(record["updates"] - updates) * config.alphazero.batch_size
    return TrainFigure(
        algorithm=config.run.algorithm,
        iterations=iterations,
        steps_per_second=steps / wall,
        steps_per_processor_second=steps / processor,
        playing_share=share,
        positions_per_second=None if share is None else learned / max(wall - playing, 1e-9),
    )


@contextmanager
def one_thread(threads: int = 1) -> Iterator[None]:
    """Lets torch use no more threads than that, then as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _precisions(network: NetworkConfig, device: str) -> tuple[str, ...]:
    """What is worth measuring: of the slower networks, and on a GPU, only what a run would choose."""
    place = torch.device(device)
    fast = _name(choose_precision("auto", place))
    if _choice(network) == "mlp" and device == "cpu" and fast != "float32":
        return "float32", fast
    return (_name(choose_precision("auto", place, network)),)


def _choice(network: NetworkConfig) -> str:
    """What of `KINDS` a network is."""
    return network.kind if network.feature_depth is None else KINDS[1]


def _name(precision: torch.dtype) -> str:
    return str(precision).removeprefix("torch.")


def _measure(setup: Setup, seconds: float, peak: float | None) -> SearchFigure:
    game = load_game(setup.game)
    network = _make_network(setup, game)
    inference = _make_inference(setup, network)
    play = _warm_up(setup, game, inference)
    played = _play(setup, play, inference, seconds)
    alone = rate(_ask(game, inference, setup.games), seconds, setup.clock)
    speed = played.simulations / played.seconds
    operations = 2 * sum(parameter.numel() for parameter in network.parameters())
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
        peak_share=None if peak is None else operations * alone / peak,
    )


def _make_network(setup: Setup, game: Game) -> PolicyValueNetwork:
    scale = torch.from_numpy(plane_scale(game))
    return build_network(setup.network, Shape.of(game), scale, torch.Generator().manual_seed(0))


def _make_inference(setup: Setup, network: PolicyValueNetwork) -> Inference:
    device = torch.device(setup.device)
    return Inference(network, device, choose_precision(setup.precision, device))


def _warm_up(setup: Setup, game: Game, inference: Inference) -> SelfPlay:
    """Matches that have begun, with everything compiled."""
    search = SearchConfig(simulations=SIMULATIONS)
    play = SelfPlay(game, setup.games, SelfPlayConfig(), search, seed=0)
    play.play(inference, 1, SIMULATIONS)
    return play


def _play(setup: Setup, play: SelfPlay, inference: Inference, seconds: float) -> _Played:
    """Plays for so long and adds up what passes inside the network's call."""
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


def _ask(game: Game, inference: Inference, count: int) -> Work:
    """Asks the network alone, always for so many positions."""
    env = SelfPlayVectorEnv(game, count)
    asked, _ = env.reset(seed=0)
    for _ in range(RANDOM_STEPS):
        asked, *_ = env.step(env.sample_actions())
    return repeat(lambda: inference(asked), count)


def _peak(device: str, precision: str, seconds: float) -> float:
    """Operations a second in products of large matrices, which nothing that multiplies matrices exceeds by much."""
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


def _keep_barrier(barrier: Barrier) -> None:
    global _all_ready
    _all_ready = barrier


def _play_beside(setup: Setup, seconds: float) -> _Played:
    """What a process of several does: it gets ready, waits for the others, and plays."""
    torch.set_num_threads(1)
    game = load_game(setup.game)
    inference = _make_inference(setup, _make_network(setup, game))
    play = _warm_up(setup, game, inference)
    _all_ready.wait()
    return _play(setup, play, inference, seconds)
