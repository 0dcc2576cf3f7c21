"""The learners of the package, by their names.

To add your own, give `run.algorithm=module:name`: the run calls `name(config, game)` of that module. The attribute
`sections` of `name` declares settings of its own.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from torch import Tensor

from alquerque_env.bots.network.model_card import CheckpointError
from alquerque_env.game.game import Game
from alquerque_training.alphazero import AlphaZeroLearner
from alquerque_training.config.own_code import load_own
from alquerque_training.config.settings import Config, ConfigError
from alquerque_training.exact import ExactLearner
from alquerque_training.experience.state_arrays import Arrays
from alquerque_training.imitation import ImitationLearner
from alquerque_training.learning import Learner
from alquerque_training.ppo import PPOLearner
from alquerque_training.workers.backend import MakeWorkers, WorkerError
from alquerque_training.workers.processes import ProcessWorkers

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
