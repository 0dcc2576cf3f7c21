"""Self-play training of players for the games of `alquerque_env`. Needs the extra `train`.

Runs
  `train` trains a player from a config, as `alquerque train` does, and returns a `TrainingResult`. `load_config` reads
  a `Config`.
Learners
  A `Learner` plays and learns; `PPOLearner`, `AlphaZeroLearner`, `ExactLearner` and `ImitationLearner` are those of
  the package. A `Metric` describes a figure that a learner logs.
Rollouts and networks
  A `Rollout` holds the steps that were played, and `compute_advantages` gives their advantages and returns. A
  `PolicyValueNetwork` is made for the `Shape` of a game; `masked_log_probs` and `sample` turn its logits into actions.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from alquerque_env.start import check_unpacked as _check_unpacked

if TYPE_CHECKING:
    from .alphazero import AlphaZeroLearner
    from .config.settings import Config
    from .exact import ExactLearner
    from .gae import compute_advantages
    from .imitation import ImitationLearner
    from .learning import Learner
    from .measure.metrics import Metric
    from .networks import PolicyValueNetwork, Shape, masked_log_probs, sample
    from .ppo import PPOLearner
    from .rollout import Rollout
    from .run.config_file import load_config
    from .run.train import train
    from .run.training_session import TrainingResult

_check_unpacked(__file__)

# Loaded on first use, since a module of the trainer imports this package before itself.
_LAZY = {
    "AlphaZeroLearner": ".alphazero",
    "Config": ".config.settings",
    "ExactLearner": ".exact",
    "ImitationLearner": ".imitation",
    "Learner": ".learning",
    "Metric": ".measure.metrics",
    "PolicyValueNetwork": ".networks",
    "PPOLearner": ".ppo",
    "Rollout": ".rollout",
    "Shape": ".networks",
    "TrainingResult": ".run.training_session",
    "compute_advantages": ".gae",
    "load_config": ".run.config_file",
    "masked_log_probs": ".networks",
    "sample": ".networks",
    "train": ".run.train",
}

__all__ = [
    "AlphaZeroLearner",
    "Config",
    "ExactLearner",
    "ImitationLearner",
    "Learner",
    "Metric",
    "PPOLearner",
    "PolicyValueNetwork",
    "Rollout",
    "Shape",
    "TrainingResult",
    "compute_advantages",
    "load_config",
    "masked_log_probs",
    "sample",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
