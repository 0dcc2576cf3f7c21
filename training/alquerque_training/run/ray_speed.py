"""Speed of each part of training on a Ray cluster: `alquerque bench ray`.

The parts are measured apart, so that one machine shows where a cluster of any size saturates: what an actor plays, what
its experience takes on the wire, and what the learner's process can take in and learn from. At last many senders, which
sleep instead of playing, send real experience to this process through Ray.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import ray

from alquerque_env.benchmark.speed.rate import rate, repeat
from alquerque_training.alphazero import SelfPlayActor
from alquerque_training.config.loader import ConfigError
from alquerque_training.config.settings import Config
from alquerque_training.experience.replay_buffer import Positions, ReplayBuffer
from alquerque_training.experience.state_arrays import Arrays, group, weight_arrays
from alquerque_training.ppo import RolloutActor
from alquerque_training.rollout import Rollout
from alquerque_training.run.learner import make_learner
from alquerque_training.run.train_speed import measure_training, one_thread
from alquerque_training.workers.backend import Actor
from alquerque_training.workers.wire import pack, unpack

ENOUGH_ROWS = 2000
"""Positions of experience with which the wire is measured."""
MOST_ROUNDS = 10_000
"""Rounds after which a game that gives too few rows is given up."""


class RayFigures(NamedTuple):
    """Speeds of one actor and one learner. A row is a position of AlphaZero or a step of PPO.

    Rates are rows a second of processor time.

    Attributes:
      algorithm: `ppo` or `alphazero`.
      played: Played by one actor.
      raw_bytes: Bytes of a row before it is packed.
      wire_bytes: Bytes of a row on the wire.
      packed: Packed by an actor.
      unpacked: Unpacked by the learner's process.
      stored: Added to the replay buffer, or joined with the other rollouts.
      learned: Learned from; each row as often as the config says.
      state_bytes: Bytes of the state of one actor on the wire, once a round in each direction.
      weight_bytes: Bytes of the weights, once a round to each machine.
    """

    algorithm: str
    played: float
    raw_bytes: float
    wire_bytes: float
    packed: float
    unpacked: float
    stored: float
    learned: float
    state_bytes: int
    weight_bytes: int

    @property
    def taken_in(self) -> float:
        """Positions a second that the learner's process can receive if it does not learn."""
        return 1 / (1 / self.unpacked + 1 / self.stored)

    @property
    def trained(self) -> float:
        """Positions a second that it can receive and learn from."""
        return 1 / (1 / self.taken_in + 1 / self.learned)


class SendersFigures(NamedTuple):
    """Many senders of real experience and one receiver.

    Attributes:
      senders: Number of senders, each a process.
      wanted: Positions a second that all of them send if nothing holds them up; None if they do not sleep.
      received: Positions a second that arrived, unpacked and stored, by the clock.
      processor_share: Processor time of the receiving process, as a share of the time.
    """

    senders: int
    wanted: float | None
    received: float
    processor_share: float


class BroadcastFigures(NamedTuple):
    """Times to bring weights to the tasks of a round, in milliseconds by the clock; medians.

    Attributes:
      put: Putting them into the object store, once a round.
      task: A task that reads them.
      empty_task: A task without them.
    """

    put: float
    task: float
    empty_task: float


def measure_parts(config: Config, seconds: float) -> RayFigures:
    """Measures actor, wire and learner in this process, with one thread.

    Args:
      config: Settings of a run with `ppo` or `alphazero`.
      seconds: Processor time of each figure.

    Raises:
      ConfigError: If the run has another algorithm.
    """
    with one_thread(config.run.threads):
        actor, order = _make_actor(config)
        rounds = config.games_of(1) * config.self_play.rollout_steps
        played = rate(repeat(lambda: actor.play(order), rounds), seconds)
        experience, count = _gather(actor, order)
        packed = pack(experience)
        stored = rate(repeat(_storer(config, experience), count), seconds)
        learned = measure_training(_alone(config), 2).positions_per_second
    assert learned is not None
    often = config.alphazero.reuse if config.run.algorithm == "alphazero" else config.ppo.epochs
    return RayFigures(
        algorithm=config.run.algorithm,
        played=played,
        raw_bytes=sum(array.nbytes for array in experience.values()) / count,
        wire_bytes=len(packed) / count,
        packed=rate(repeat(lambda: pack(experience), count), seconds),
        unpacked=rate(repeat(lambda: unpack(packed), count), seconds),
        stored=stored,
        learned=learned / often,
        state_bytes=len(pack(actor.get_state())),
        weight_bytes=sum(array.nbytes for array in order.values()),
    )


def measure_broadcast(config: Config, seconds: float) -> BroadcastFigures:
    """Measures how weights reach the tasks of this machine. Ray must be connected."""
    _, order = _make_actor(config)

    @ray.remote(num_cpus=0.001)
    def read(given: Any) -> int:
        return 0 if given is None else sum(int(array.nbytes) for array in given.values())

    reference = ray.put(order)
    return BroadcastFigures(
        put=_median_ms(lambda: ray.put(order), seconds),
        task=_median_ms(lambda: ray.get(read.remote(reference)), seconds),
        empty_task=_median_ms(lambda: ray.get(read.remote(None)), seconds),
    )


def measure_senders(
    config: Config, senders: int, rows_per_second: float | None, seconds: float, watch: Callable[[int], object]
) -> SendersFigures:
    """Measures what this process receives from many processes of this machine. Ray must be connected.

    Args:
      config: Settings of a run with `alphazero`.
      senders: Number of processes that send.
      rows_per_second: Positions that each of them sends in a second; None for as many as it can.
      seconds: Time by the clock, after all of them have sent once.
      watch: Called with the number of senders that have begun.

    Raises:
      ConfigError: If the run has another algorithm.
    """
    if config.run.algorithm != "alphazero":
        raise ConfigError(f"run.algorithm is {config.run.algorithm!r}, expected 'alphazero': its rows go to a buffer")
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
            watch(len(begun))
            received, clock, processor = 0, time.perf_counter(), time.process_time()
            continue
        received += count
        if (elapsed := time.perf_counter() - clock) >= seconds:
            break
    spent = time.process_time() - processor
    for task in running:
        ray.cancel(task, force=True)
    wanted = None if rows_per_second is None else senders * rows_per_second
    return SendersFigures(senders, wanted, received / elapsed, spent / elapsed)


def _alone(config: Config) -> Config:
    """The settings with the games of one actor, played by the process that learns."""
    one = {"num_games": config.games_of(1)}
    sections = {"self_play": config.self_play.model_copy(update=one)}
    sections |= {name: getattr(config, name).model_copy(update={"processes": 1}) for name in ("ppo", "alphazero")}
    return config.model_copy(update=sections)


def _make_actor(config: Config) -> tuple[Actor, Arrays]:
    """An actor with as many games as one of the run, and an order for it."""
    makers: dict[str, Callable[[Config, int], Actor]] = {"ppo": RolloutActor, "alphazero": SelfPlayActor}
    if config.run.algorithm not in makers:
        raise ConfigError(f"run.algorithm is {config.run.algorithm!r}, expected 'ppo' or 'alphazero'")
    alone = _alone(config)
    game = config.run.load_game()
    learner = make_learner(alone, game)
    order = {f"weights.{name}": array for name, array in weight_arrays(learner.network.state_dict()).items()}
    order["simulations"] = np.array(config.search.simulations)
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
    return ReplayBuffer(config.alphazero.window, (planes, points))


def _median_ms(task: Callable[[], object], seconds: float) -> float:
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin = time.perf_counter()
        task()
        times.append(time.perf_counter() - begin)
    return 1000 * float(np.median(times))
