"""The interface between a learner and the actors that play for it.

An *actor* plays matches and returns experience. *Workers* run actors in other processes; `processes.py` does on this
machine and `ray_rounds.py` on a Ray cluster. A learner gets its workers by argument and does not know where they run.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from alquerque_env.errors import AlquerqueError
from alquerque_training.config.settings import Config
from alquerque_training.experience.state_arrays import Arrays


class WorkerError(AlquerqueError):
    """Self-play in another process cannot go on."""


class Actor(Protocol):
    """The matches of one process."""

    def play(self, order: Arrays) -> Arrays:
        """Plays one round of what the learner orders all actors; the experience depends on order and state alone."""

    def get_state(self) -> dict[str, np.ndarray]:
        """The complete state between two rounds, random numbers included."""

    def set_state(self, state: Arrays) -> None:
        """Restores a result of `get_state`."""


MakeActor = Callable[[Config, int], Actor]
"""Makes the actor of a number: 0 for the learner's own, from 1 on for those of the workers. A function of a module."""


class Workers(Protocol):
    """Actors in other processes."""

    @property
    def processor_time(self) -> float | None:
        """Seconds of processor time of these processes up to the last round; None if that is not known."""

    def begin(self, order: Arrays) -> None:
        """Starts a round in all actors; `collect` waits for the results."""

    def collect(self) -> Sequence[Arrays]:
        """The results of the round, in the order of the actors; raises `WorkerError` if one cannot go on."""

    def get_state(self) -> dict[str, np.ndarray]:
        """The complete state of all actors."""

    def set_state(self, state: Arrays) -> None:
        """Restores a result of `get_state`."""

    def close(self) -> None:
        """Ends the processes."""


MakeWorkers = Callable[[Config, MakeActor], Workers]  # makes the workers of a run: `Config.processes - 1` actors


def worker_seed(seed: int, number: int) -> int:
    """The seed of one actor; number 0 is that of the learner."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
