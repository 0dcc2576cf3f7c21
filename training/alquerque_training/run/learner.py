"""The interface of a learner, and the learners of the package.

To add your own, give `run.algorithm=module:name`: the run calls `name(config, game)` of that module. The attribute
`sections` of `name` declares settings of its own.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from torch import Tensor

from alquerque_env.bots.network.model_card import CheckpointError
from alquerque_env.game.game import Game
from alquerque_training.alphazero import AlphaZeroLearner
from alquerque_training.config.own_code import load_own
from alquerque_training.config.settings import Config, ConfigError
from alquerque_training.exact import ExactLearner
from alquerque_training.experience.state_arrays import Arrays
from alquerque_training.imitation import ImitationLearner
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks import PolicyValueNetwork
from alquerque_training.ppo import PPOLearner
from alquerque_training.workers.backend import MakeWorkers, WorkerError
from alquerque_training.workers.processes import ProcessWorkers


class Learner(Protocol):
    """Everything that training changes.

    Attributes:
      config: Settings of the run.
      network: The network that is evaluated and saved.
      iteration: Number of iterations done.
      metrics: Metrics that it logs besides `measure.metrics.METRICS`, or with another meaning than there.
      sections: The sections of a config that its class declares, by their names; none if it has no such attribute.
    """

    config: Config
    network: PolicyValueNetwork
    iteration: int
    metrics: Sequence[Metric]

    @property
    def steps(self) -> int:
        """Steps of self-play done so far: `iteration` times the steps of one iteration."""

    def iterate(self) -> dict[str, float]:
        """Plays and learns.

        Its keys are names of `measure.metrics.METRICS` and of `metrics`, among them `iteration` and `steps`.

        Returns:
          The record for the log, without times and strength.
        """

    def begin_with(self, weights: Mapping[str, Tensor]) -> None:
        """Loads weights of `network` before the first iteration."""

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns everything that training changes, except the weights of `network` and the number of iterations."""

    def set_state(self, state: Mapping[str, np.ndarray], weights: Mapping[str, Tensor], steps: int) -> None:
        """Restores a state. Training then continues as if it had not been interrupted.

        Args:
          state: A result of `get_state`.
          weights: Weights of `network` at that time.
          steps: `steps` at that time.

        Raises:
          KeyError, TypeError, ValueError, RuntimeError: If something is missing or does not fit.
          WorkerError: If a process of the learner has died.
        """

    def close(self) -> None:
        """Ends the processes of the learner."""


LEARNERS: Mapping[str, type[PPOLearner | AlphaZeroLearner | ExactLearner | ImitationLearner]] = MappingProxyType(
    {"ppo": PPOLearner, "alphazero": AlphaZeroLearner, "exact": ExactLearner, "imitation": ImitationLearner}
)


def find_learner(algorithm: str) -> Any:
    """What makes the learner that `run.algorithm` names; imports it if that is `module:name`."""
    if algorithm in LEARNERS:
        return LEARNERS[algorithm]
    if ":" not in algorithm:
        raise ConfigError(f"run.algorithm is {algorithm!r}, expected {', '.join(LEARNERS)} or module:name of your own")
    return load_own("run.algorithm", algorithm)


def make_learner(config: Config, game: Game, make_workers: MakeWorkers = ProcessWorkers) -> Learner:
    """Makes the learner that a config names."""
    make = find_learner(config.run.algorithm)
    learner: Learner = make(config, game, make_workers) if config.run.algorithm in LEARNERS else make(config, game)
    return learner


def restore(learner: Learner, arrays: Arrays, weights: Mapping[str, Tensor], steps: int) -> None:
    """Restores the saved state of a learner; `CheckpointError` if it does not fit."""
    try:
        learner.set_state(arrays, weights, steps)
    except WorkerError:
        raise
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"training state does not fit this run: {error}") from None
