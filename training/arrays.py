"""States of training as flat tables of arrays, `part.name`."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor


def group(state: Mapping[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    """The arrays of one part, by their names in it."""
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}


def load_optimizer(optimizer: torch.optim.Optimizer, state: Mapping[str, np.ndarray]) -> None:
    """Takes over an optimiser's arrays, by `parameter.name`; its settings stay as they are."""
    moments: dict[int, dict[str, Tensor]] = {}
    for name, array in state.items():
        parameter, key = name.split(".", 1)
        moments.setdefault(int(parameter), {})[key] = torch.from_numpy(np.array(array))
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
