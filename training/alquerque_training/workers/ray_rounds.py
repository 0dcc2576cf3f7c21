"""Workers on a Ray cluster: each round of an actor is a task, which any machine of the cluster may run.

The state of an actor passes through its tasks: a task gets the state before its round and returns the one after it. So
Ray can run a round again on another machine when one is lost, and the result is the same. A process keeps its actor
from one task to the next, and restores a state only if another process has played in between.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import ray
import torch

from alquerque_env import __version__
from alquerque_env.adapters.ray import Cluster, connect, prepare_worker, worker_options
from alquerque_env.cli.console.memory import keep_freed_memory
from alquerque_env.errors import AlquerqueError, one_line, shorten
from alquerque_training.config.settings import Config, ConfigError
from alquerque_training.experience.state_arrays import Arrays, group, pack, unpack
from alquerque_training.workers.backend import Actor, MakeActor, MakeWorkers, WorkerError

RETRIES = 32
"""Most times that a round is played again after its machine or process died. One that ends every process must stop."""

PATIENCE_SECONDS = 600.0  # how long a cluster may have no CPU left before a run gives up

_TICK_SECONDS = 1.0


@contextmanager
def connect_workers(address: str, config: Config) -> Iterator[tuple[Cluster, MakeWorkers]]:
    """Connects to a cluster during the context; yields the cluster, and what makes the workers of a run there."""
    if config.run.algorithm not in ("ppo", "alphazero"):
        raise ConfigError(f"run.algorithm is {config.run.algorithm!r}: only ppo and alphazero train on a Ray cluster")
    if config.processes == 1:
        raise ConfigError(
            f"{config.run.algorithm}.processes is 1, expected 2 or more with --ray: one process learns, others play "
            "on the cluster"
        )
    with connect(address, cpus=config.run.threads) as cluster:

        def make_workers(config: Config, make_actor: MakeActor) -> RayWorkers:
            return RayWorkers(cluster, config, make_actor)

        yield cluster, make_workers


class RayWorkers:
    """Workers on a cluster; see `workers.backend.Workers`. Actors play on CPUs, with `run.threads` threads each."""

    def __init__(self, cluster: Cluster, config: Config, make_actor: MakeActor) -> None:
        self._cluster, self._threads = cluster, config.run.threads
        options = {**worker_options(), "num_cpus": self._threads, "max_retries": RETRIES}
        self._task = ray.remote(_play_round).options(**options)
        self._setup = ray.put((_on_cpu(config), make_actor))
        self._states: list[bytes | None] = [None] * (config.processes - 1)
        self._running: dict[Any, int] = {}
        self._order: Any = None

    @property
    def processor_time(self) -> float | None:
        """As `Workers.processor_time`; other machines do not tell it."""
        return None if self._states else 0.0

    def begin(self, order: Arrays) -> None:
        """As `Workers.begin`."""
        self._order = ray.put(dict(order))
        for number in range(len(self._states)):
            self._start(number)

    def collect(self) -> list[Arrays]:
        """As `Workers.collect`."""
        played: dict[int, Arrays] = {}
        while self._running:
            number, experience = self._next()
            played[number] = experience
        return [played[number] for number in range(len(self._states))]

    def get_state(self) -> dict[str, np.ndarray]:
        """As `Workers.get_state`."""
        return {
            f"{number}.{name}": array
            for number, state in enumerate(self._states)
            if state is not None
            for name, array in unpack(state).items()
        }

    def set_state(self, state: Arrays) -> None:
        """As `Workers.set_state`."""
        self._cancel()
        groups = [group(state, f"{number}.") for number in range(len(self._states))]
        self._states = [pack(arrays) if arrays else None for arrays in groups]

    def close(self) -> None:
        """As `Workers.close`."""
        self._cancel()

    def _start(self, number: int) -> None:
        """Starts the next round of an actor."""
        task = self._task.remote(__version__, self._setup, number + 1, self._order, self._states[number])
        self._running[task] = number

    def _next(self) -> tuple[int, Arrays]:
        """Waits for a round; returns the number of its actor and the experience."""
        (task,) = self._wait()
        number = self._running.pop(task)
        try:
            experience, self._states[number] = ray.get(task)
        except AlquerqueError as error:  # raised by the actor; what Ray adds to it is the traceback
            cause = getattr(error, "cause", error)
            raise WorkerError(f"an actor cannot play: {cause}") from None
        except ray.exceptions.RayError as error:
            raise WorkerError(f"a round failed on the Ray cluster: {shorten(one_line(str(error)), 240)}") from None
        return number, unpack(experience)

    def _wait(self) -> list[Any]:
        """Waits until a round has ended, also while machines leave and come, unless there was no CPU for too long."""
        lost = None
        while True:
            ended, _ = ray.wait(list(self._running), timeout=_TICK_SECONDS)
            if ended:
                return ended
            if self._cluster.cpus >= self._threads:
                lost = None
            elif lost is None:
                lost = time.monotonic()
            elif time.monotonic() - lost > PATIENCE_SECONDS:
                raise WorkerError(f"the Ray cluster at {self._cluster.address} has no machine left that can play")

    def _cancel(self) -> None:
        for task in self._running:
            ray.cancel(task, force=True)
        self._running.clear()


class _Kept(NamedTuple):
    """The actor of a process, after a round."""

    setup: tuple[Config, MakeActor]
    actor: Actor
    state: bytes


_kept: list[_Kept] = []  # at most one


def _play_round(
    version: str, setup: tuple[Config, MakeActor], number: int, order: Arrays, state: bytes | None
) -> tuple[bytes, bytes]:
    """Runs a round on a node: returns the experience and the state of an actor after it, both packed."""
    prepare_worker(version)
    kept = _kept.pop() if _kept else None
    torch.set_num_threads(setup[0].run.threads)
    if kept is not None and state is not None and kept.setup == setup:
        actor = kept.actor
        if kept.state != state:
            actor.set_state(unpack(state))
    else:
        keep_freed_memory()
        actor = setup[1](setup[0], number)
        if state is not None:
            actor.set_state(unpack(state))
    experience, after = pack(actor.play(order)), pack(actor.get_state())
    _kept.append(_Kept(setup, actor, after))
    return experience, after


def _on_cpu(config: Config) -> Config:
    """The settings for actors, which leave the GPU to the learner."""
    for name, section in config.learner.items():
        if "device" in type(section).model_fields:
            config = config.replaced(name, device="cpu")
    return config
