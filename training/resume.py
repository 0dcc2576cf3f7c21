"""What a run must keep to go on, after an interruption, as if nothing had happened."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from training.checkpoint import Arrays, CheckpointError
from training.games import Observation
from training.ppo import Learner


def training_arrays(learner: Learner) -> dict[str, np.ndarray]:
    """Everything that changes in the course of training, but for the weights and the number of iterations."""
    arrays = {"generator": learner.generator.get_state().numpy()}
    for parameter, state in learner.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{parameter}.{key}": tensor.numpy() for key, tensor in state.items()}
    return arrays | {f"env.{key}": array for key, array in learner.env.get_state().items()}


def restore(learner: Learner, arrays: Arrays, weights: Mapping[str, Tensor], steps: int) -> None:
    """Puts a learner where it was when its state was kept.

    Args:
      learner: Fresh, made from the config of the run.
      arrays: What `training_arrays` gave.
      weights: Of the network.
      steps: Steps of self-play done by then.

    Raises:
      CheckpointError: If something is missing or does not fit.
    """
    try:
        learner.generator.set_state(torch.from_numpy(np.array(arrays["generator"])))
        _restore_optimizer(learner.optimizer, arrays)
        learner.now = Observation.of(*learner.env.set_state(_group(arrays, "env.")))
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"training state does not fit this run: {error}") from None
    learner.network.load_state_dict(weights)
    learner.iteration = steps // learner.config.steps_per_iteration


def _restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, array in _group(arrays, "optimizer.").items():
        parameter, key = name.split(".", 1)
        state.setdefault(int(parameter), {})[key] = torch.from_numpy(np.array(array))
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _group(arrays: Arrays, prefix: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
