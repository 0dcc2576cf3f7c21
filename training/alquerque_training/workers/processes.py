"""Workers on this machine: one process for each actor."""

import multiprocessing as mp
import signal
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import torch

from alquerque_env.cli.console.memory import keep_freed_memory
from alquerque_env.cli.console.signals import signals_for_parent_only
from alquerque_training.config.settings import Config
from alquerque_training.experience.state_arrays import Arrays, group
from alquerque_training.workers.backend import MakeActor, WorkerError


class ProcessWorkers:
    """Workers in processes of this machine, spawned, so that they behave the same on every system; see `Workers`."""

    def __init__(self, config: Config, make_actor: MakeActor) -> None:
        context = mp.get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        for number in range(1, config.processes):
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there, config, make_actor, number), daemon=True)
            with signals_for_parent_only():  # the learner saves, then ends the workers
                process.start()
            there.close()
            self._pipes.append(here)
            self._processes.append(process)
        self._seconds = [0.0] * len(self._processes)

    @property
    def processor_time(self) -> float:
        """As `Workers.processor_time`."""
        return sum(self._seconds)

    def begin(self, order: Arrays) -> None:
        """As `Workers.begin`."""
        for pipe in self._pipes:
            self._send(pipe, ("play", dict(order)))

    def collect(self) -> list[Arrays]:
        """As `Workers.collect`."""
        found = [self._receive(pipe) for pipe in self._pipes]
        self._seconds = [seconds for _, seconds in found]
        return [experience for experience, _ in found]

    def get_state(self) -> dict[str, np.ndarray]:
        """As `Workers.get_state`."""
        state: dict[str, np.ndarray] = {}
        for number, pipe in enumerate(self._pipes):
            self._send(pipe, ("get_state",))
            state |= {f"{number}.{name}": array for name, array in self._receive(pipe).items()}
        return state

    def set_state(self, state: Arrays) -> None:
        """As `Workers.set_state`."""
        for number, pipe in enumerate(self._pipes):
            self._send(pipe, ("set_state", group(state, f"{number}.")))

    def close(self) -> None:
        """As `Workers.close`."""
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(5)
            if process.is_alive():
                process.kill()

    def _send(self, pipe: Connection, message: tuple[Any, ...]) -> None:
        try:
            pipe.send(message)
        except OSError:
            raise WorkerError("a process of self-play has died") from None

    def _receive(self, pipe: Connection) -> Any:
        try:
            return pipe.recv()
        except (EOFError, OSError):
            raise WorkerError("a process of self-play has died") from None


def _work(pipe: Connection, config: Config, make_actor: MakeActor, number: int) -> None:
    """The loop of a process: plays when asked, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where signals cannot be blocked
    keep_freed_memory()
    torch.set_num_threads(config.run.threads)
    actor = make_actor(config, number)
    with suppress(ConnectionError):  # the learner is gone
        while (message := _next_message(pipe)) is not None:
            command, *values = message
            if command == "set_state":
                actor.set_state(values[0])
            elif command == "get_state":
                pipe.send(actor.get_state())
            else:
                pipe.send((actor.play(values[0]), time.process_time()))


def _next_message(pipe: Connection) -> Any:
    """The next message; None if the learner is gone, also if it was killed within a message."""
    try:
        return pipe.recv()
    except (EOFError, OSError):
        return None
