"""Rows a second of each part of training on a Ray cluster. A row is a position of AlphaZero or a step of PPO.

The parts are measured apart, so that one machine shows where a cluster of any size saturates: what an actor plays, what
its experience takes on the wire, and what the learner's process can take in and learn from, each on one core. At last
many senders, which sleep instead of playing, send real experience to this process through Ray, by the clock.

    python benchmarks/cluster.py strong run.game=fetaix --senders 100
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import ray
from alquerque_training.alphazero import AlphaZeroConfig, SelfPlayActor
from alquerque_training.config.settings import Config, ConfigError
from alquerque_training.experience.replay_buffer import Positions, ReplayBuffer
from alquerque_training.experience.state_arrays import Arrays, group, pack, unpack, weight_arrays
from alquerque_training.ppo import PpoConfig, RolloutActor
from alquerque_training.rollout import Rollout
from alquerque_training.run.config_file import load_config
from alquerque_training.run.learner import make_learner
from alquerque_training.self_play.generator import SearchConfig
from alquerque_training.workers.backend import Actor
from speed import rate, repeat
from train import measure

from alquerque_env.adapters.ray import connect

ENOUGH_ROWS = 2000
"""Positions of experience with which the wire is measured."""
MOST_ROUNDS = 10_000
"""Rounds after which a game that gives too few rows is given up."""


def measure_parts(config: Config, seconds: float) -> None:
    """Measures actor, wire and learner in this process, each for some seconds of processor time."""
    actor, order = _make_actor(config)
    played = rate(repeat(lambda: actor.play(order), config.games_of(1) * config.self_play.rollout_steps), seconds)
    experience, count = _gather(actor, order)
    packed = pack(experience)
    unpacked = rate(repeat(lambda: unpack(packed), count), seconds)
    stored = rate(repeat(_storer(config, experience), count), seconds)
    often = config.of(PpoConfig).epochs if config.run.algorithm == "ppo" else config.of(AlphaZeroConfig).reuse
    learned = measure(_alone(config), 2)["learned"] / often
    received = 1 / (1 / unpacked + 1 / stored)
    for name, speed in (
        ("played by one actor", played),
        ("packed by an actor", rate(repeat(lambda: pack(experience), count), seconds)),
        ("unpacked by the learner", unpacked),
        ("stored by the learner", stored),
        ("learned from, as often as the config says", learned),
        ("received: unpacked and stored", received),
        ("trained: received and learned from", 1 / (1 / received + 1 / learned)),
    ):
        print(f"{name:<48} {speed:>13,.0f}  {speed / played:8.1f} x one actor")
    raw = sum(array.nbytes for array in experience.values()) / count
    print(f"{'bytes of a row on the wire':<48} {len(packed) / count:>13,.1f}  of {raw:,.0f}")
    print(f"{'bytes of the state of an actor, a round':<48} {len(pack(actor.get_state())):>13,}")
    print(f"{'bytes of the weights, a round':<48} {sum(array.nbytes for array in order.values()):>13,}")


def measure_broadcast(config: Config, seconds: float) -> None:
    """Measures how weights reach the tasks of this machine. Ray must be connected."""
    _, order = _make_actor(config)

    @ray.remote(num_cpus=0.001)
    def read(given: Any) -> int:
        return 0 if given is None else sum(int(array.nbytes) for array in given.values())

    reference = ray.put(order)
    put = _median_ms(lambda: ray.put(order), seconds)
    task = _median_ms(lambda: ray.get(read.remote(reference)), seconds)
    empty = _median_ms(lambda: ray.get(read.remote(None)), seconds)
    print(f"weights: {put:.1f} ms to store, {task:.1f} ms for a task that reads them, {empty:.1f} ms for one without")


def measure_senders(config: Config, senders: int, rows_per_second: float | None, seconds: float) -> None:
    """Measures what this process receives from many processes of this machine. Ray must be connected.

    Args:
      config: Settings of a run with `alphazero`.
      senders: Number of processes that send.
      rows_per_second: Positions that each of them sends in a second; None for as many as it can.
      seconds: Time by the clock, after all of them have sent once.
    """
    actor, order = _make_actor(config)
    experience, count = _gather(actor, order)
    packed, state = pack(experience), pack(actor.get_state())
    pause = 0.0 if rows_per_second is None else count / rows_per_second

    # Ray sends its code, and it imports nothing else: a hundred of these processes fit into one machine.
    @ray.remote(num_cpus=0.001, max_retries=0)
    def send(payload: bytes, _order: Any, state: bytes, pause: float) -> tuple[bytes, bytes]:
        import time

        time.sleep(pause)
        return payload, state

    payload, weights = ray.put(packed), ray.put(order)
    buffer = _make_buffer(config, experience)

    def start(state: bytes) -> Any:
        return send.remote(payload, weights, state, pause)

    running = {start(state): number for number in range(senders)}
    begun: set[int] = set()
    received, clock, processor = 0, time.perf_counter(), time.process_time()
    while True:
        (ended,), _ = ray.wait(list(running))
        number = running.pop(ended)
        played, state = ray.get(ended)
        running[start(state)] = number
        buffer.add(Positions(**group(unpack(played), "rows.")))
        if len(begun) < senders:
            begun.add(number)
            received, clock, processor = 0, time.perf_counter(), time.process_time()
            continue
        received += count
        if (elapsed := time.perf_counter() - clock) >= seconds:
            break
    share = (time.process_time() - processor) / elapsed
    for task in running:
        ray.cancel(task, force=True)
    goal = "as many as they can" if rows_per_second is None else f"{senders * rows_per_second:,.0f}"
    print(f"{senders} senders of {goal} rows/s: {received / elapsed:,.0f} received, {share:.0%} of a processor")


def _alone(config: Config) -> Config:
    """The settings with the games of one actor, played by the process that learns."""
    one = {"num_games": config.games_of(1)}
    return config.replaced("self_play", **one).replaced(config.run.algorithm, processes=1)


def _make_actor(config: Config) -> tuple[Actor, Arrays]:
    """An actor with as many games as one of the run, and an order for it."""
    makers: dict[str, Callable[[Config, int], Actor]] = {"ppo": RolloutActor, "alphazero": SelfPlayActor}
    if config.run.algorithm not in makers:
        raise ConfigError(f"run.algorithm is {config.run.algorithm!r}, expected 'ppo' or 'alphazero'")
    alone = _alone(config)
    game = config.run.load_game()
    learner = make_learner(alone, game)
    order = {f"weights.{name}": array for name, array in weight_arrays(learner.network.state_dict()).items()}
    order["simulations"] = np.array(config.of(SearchConfig).simulations if config.run.algorithm == "alphazero" else 0)
    return makers[config.run.algorithm](alone, 0), order


def _gather(actor: Actor, order: Arrays) -> tuple[dict[str, np.ndarray], int]:
    """Experience of enough rows, and their number."""
    experience = dict(actor.play(order))
    if "rows.outcome" not in experience:
        return experience, experience["actions"].size
    for _ in range(MOST_ROUNDS):
        if (found := len(experience["rows.outcome"])) >= ENOUGH_ROWS:
            return experience, found
        for name, array in actor.play(order).items():
            if name.startswith("rows."):
                experience[name] = np.concatenate([experience[name], array])
    raise ConfigError(
        f"{MOST_ROUNDS} rounds of self-play gave {found} positions to learn from, expected {ENOUGH_ROWS}: play more "
        "games at once, or shorter ones"
    )


def _storer(config: Config, experience: Arrays) -> Callable[[], object]:
    """What the learner does with experience that it has unpacked."""
    if config.run.algorithm == "ppo":
        return lambda: Rollout.join([Rollout.from_arrays(experience)] * 2)
    buffer = _make_buffer(config, experience)
    return lambda: buffer.add(Positions(**group(experience, "rows.")))


def _make_buffer(config: Config, experience: Arrays) -> ReplayBuffer:
    """An empty replay buffer for positions such as those of the experience."""
    planes, points = experience["rows.planes"].shape[1:]
    return ReplayBuffer(config.of(AlphaZeroConfig).window, (planes, points))


def _median_ms(task: Callable[[], object], seconds: float) -> float:
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin = time.perf_counter()
        task()
        times.append(time.perf_counter() - begin)
    return 1000 * float(np.median(times))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("config", nargs="?", default="strong", help="name or path of a config")
    parser.add_argument("overrides", nargs="*", metavar="SECTION.KEY=VALUE")
    parser.add_argument("--seconds", type=float, default=2.0, help="processor time of each figure")
    parser.add_argument("--senders", type=int, default=10, help="processes that send rows at once, for AlphaZero")
    parser.add_argument("--rows", type=int, default=1000, help="rows that each of them sends a second")
    chosen = parser.parse_args()
    config = load_config(chosen.config, chosen.overrides)
    measure_parts(config, chosen.seconds)
    with connect("local"):
        measure_broadcast(config, chosen.seconds)
        if config.run.algorithm == "alphazero":
            for rows in (chosen.rows, None):
                measure_senders(config, chosen.senders, rows, 5 * chosen.seconds)


if __name__ == "__main__":
    main()
