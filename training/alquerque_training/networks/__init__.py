"""Networks that give a policy and a value for a position, behind one interface.

The trainer's own kinds are the `mlp`, with or without `search_features`, and `family`, which plays all games by the
same weights. A network of your own is `module:name` of a subclass of `PolicyValueNetwork`, which is called with the
config, the shape and the scale of the planes.
"""

from typing import Any

import torch
from torch import Tensor

from alquerque_env.bots.shipped import FAMILY
from alquerque_training.config.own_code import load_own
from alquerque_training.config.settings import MLP, NetworkConfig
from alquerque_training.networks.interface import (
    MASK_FILL,
    NetworkError,
    PolicyValueNetwork,
    Shape,
    masked_log_probs,
    sample,
)
from alquerque_training.networks.message_passing import FamilyNetwork
from alquerque_training.networks.mlp import ResidualMlp

__all__ = [
    "MASK_FILL",
    "NetworkError",
    "PolicyValueNetwork",
    "Shape",
    "build_network",
    "masked_log_probs",
    "sample",
]


def build_network(
    config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator | None
) -> PolicyValueNetwork:
    """Makes a network with random weights.

    Args:
      config: The architecture. Where its kind is `module:name`, that module is imported.
      shape: Sizes of the game, `Shape.of(game)`.
      plane_scale: float32 `[C]`; the planes are divided by it.
      generator: Source of the weights; None for weights that are to be loaded, which in an mlp have no memory yet.

    Raises:
      ConfigError: If the network cannot be imported.
      NetworkError: If what was imported is no network, or the network needs a game and the shape has none.
    """
    if config.kind == MLP:
        return ResidualMlp(config, shape, plane_scale, generator)
    if config.kind == FAMILY:
        return FamilyNetwork(config, shape, plane_scale, generator)
    own = load_own("network.kind", config.kind)
    if not (isinstance(own, type) and issubclass(own, PolicyValueNetwork)):
        raise NetworkError(f"network.kind is {config.kind!r}, expected a subclass of PolicyValueNetwork")
    make: Any = own
    with torch.random.fork_rng(devices=[]):  # a network of a user's own draws its weights as torch does
        torch.manual_seed(0 if generator is None else generator.initial_seed())
        made: PolicyValueNetwork = make(config, shape, plane_scale)
        return made
