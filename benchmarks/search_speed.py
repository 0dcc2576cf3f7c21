"""Simulations a second of self-play with Gumbel search, beside the network alone at the same number of positions.

    python benchmarks/search_speed.py alquerque
    python benchmarks/search_speed.py fetaix --games 256 --processes 2

Rates are per second of processor time, by the clock on a GPU. Each process uses one thread of torch, because products
of matrices as small as these gain nothing from a second core. The last figure is of several processes at once, which
do what was fastest in one.
"""

import argparse
import multiprocessing as mp
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import torch
from alquerque_training.config.settings import Config, NetworkConfig, SelfPlayConfig
from alquerque_training.networks.inference import Inference, choose_precision, make_network
from alquerque_training.self_play.generator import SearchConfig, SelfPlay
from speed import Clock, rate, repeat

from alquerque_env import SelfPlayVectorEnv, load_game
from alquerque_env.engine.forms import compile_at_once
from alquerque_env.processors import count_processors

SIMULATIONS = 32
RANDOM_STEPS = 15  # before the positions with which a network alone is measured
NETWORKS = (
    NetworkConfig(),
    NetworkConfig(width=256, blocks=2),
    NetworkConfig(width=256, search_features=0),
)


class Setup(NamedTuple):
    """What is measured: some games at once, of one process and one network with random weights."""

    game: str
    network: NetworkConfig
    precision: str
    device: str
    games: int

    @property
    def clock(self) -> Clock:
        return time.perf_counter if self.device == "cuda" else time.process_time

    def __str__(self) -> str:
        return f"{self.network} {self.precision} {self.device}, {self.games} games"


class Played(NamedTuple):
    """A measurement of self-play: seconds by the setup's clock; begin and end by the wall clock."""

    simulations: int
    seconds: float
    network_seconds: float
    begin: float
    end: float


def prepare(setup: Setup) -> tuple[Inference, SelfPlay]:
    """The network, and games that have begun, with everything compiled."""
    torch.set_num_threads(1)
    compile_at_once()
    game, device = load_game(setup.game), torch.device(setup.device)
    network = make_network(Config(network=setup.network), game, torch.Generator().manual_seed(0))
    inference = Inference(network, device, choose_precision(setup.precision, device))
    play = SelfPlay(game, setup.games, SelfPlayConfig(), SearchConfig(simulations=SIMULATIONS), seed=0)
    play.play(inference, 1, SIMULATIONS)
    return inference, play


def measure_play(setup: Setup, inference: Inference, play: SelfPlay, seconds: float) -> Played:
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
    return Played(decisions * setup.games * SIMULATIONS, spent, inside, wall, time.perf_counter())


def measure(setup: Setup, seconds: float) -> float:
    """Measures one process, and prints the figures; returns its simulations a second."""
    inference, play = prepare(setup)
    played = measure_play(setup, inference, play, seconds)
    env = SelfPlayVectorEnv(setup.game, setup.games)
    asked, _ = env.reset(seed=0)
    for _ in range(RANDOM_STEPS):
        asked, *_ = env.step(env.sample_actions())
    alone = rate(repeat(lambda: inference(asked), setup.games), seconds, setup.clock)
    speed = played.simulations / played.seconds
    print(
        f"{setup!s:<64} {speed:>11,.0f} simulations/s, {played.network_seconds / played.seconds:.0%} of it in the "
        f"network; network alone {alone:,.0f} positions/s"
    )
    return speed


def play_beside(setup: Setup, seconds: float, barrier: Any) -> Played:
    """Plays in one process of several; all begin at the same time."""
    inference, play = prepare(setup)
    barrier.wait()
    return measure_play(setup, inference, play, seconds)


def measure_together(setup: Setup, seconds: float, processes: int) -> None:
    """Measures several processes at once, and prints their figures together."""
    context = mp.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(processes, context) as pool:
        barrier = manager.Barrier(processes)
        played = list(pool.map(play_beside, *zip(*[(setup, seconds, barrier)] * processes, strict=True)))
    elapsed = max(each.end for each in played) - min(each.begin for each in played)
    print(
        f"{f'{setup} in each of {processes} processes':<64} "
        f"{sum(each.simulations / each.seconds for each in played):>11,.0f} simulations/s of processor time, "
        f"{sum(each.simulations for each in played) / elapsed:,.0f} by the clock"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", help="its id, or the path of a game file")
    parser.add_argument("--games", type=int, nargs="*", default=[64, 256, 1024], help="games at once")
    parser.add_argument("--seconds", type=float, default=1.0, help="time of each figure")
    parser.add_argument("--processes", type=int, default=min(2, count_processors()))
    chosen = parser.parse_args()
    speeds = {}
    for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
        fastest = str(choose_precision("auto", torch.device(device))).removeprefix("torch.")
        for network, precision, games in product(NETWORKS, sorted({"float32", fastest}), chosen.games):
            setup = Setup(chosen.game, network, precision, device, games)
            speeds[setup] = measure(setup, chosen.seconds)
    best = max((setup for setup in speeds if setup.device == "cpu"), key=lambda setup: speeds[setup])
    measure_together(best, chosen.seconds, chosen.processes)


if __name__ == "__main__":
    main()
