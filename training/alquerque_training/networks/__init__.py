"""Networks that give a policy and a value for a position, behind one interface.

| kind | sees | use |
|---|---|---|
| `mlp` | the planes as one row of numbers | the fastest; can be exported |
| `mlp` with `search_features` | the same, and the pieces that each step gains | the strongest; can be exported |
| `conv` | the points as cells of a grid | stronger than `mlp` of its size, slower |
| `graph` | points and the steps that join them | any board; equivariant under the symmetries of the game |
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from torch import Tensor

from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.board_geometry import Geometry
from alquerque_training.networks.conv import ResidualConv
from alquerque_training.networks.graph import LinkGraph
from alquerque_training.networks.interface import (
    MASK_FILL,
    NetworkError,
    PolicyValueNetwork,
    Shape,
    masked_log_probs,
    sample,
)
from alquerque_training.networks.mlp import MasksMlp, ResidualMlp, SearchFeaturesMlp

__all__ = [
    "MASK_FILL",
    "NETWORKS",
    "Geometry",
    "NetworkError",
    "PolicyValueNetwork",
    "Shape",
    "build_network",
    "masked_log_probs",
    "sample",
]

Architecture = Callable[[NetworkConfig, Shape, Tensor, torch.Generator | None], PolicyValueNetwork]

NETWORKS: Mapping[str, Architecture] = MappingProxyType({"mlp": ResidualMlp, "conv": ResidualConv, "graph": LinkGraph})


def build_network(
    config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator | None
) -> PolicyValueNetwork:
    """Makes a network with random weights.

    Args:
      config: The architecture.
      shape: Sizes and geometry of the game, `Shape.of(game)`.
      plane_scale: float32 `[C]`; the planes are divided by it.
      generator: Source of the weights; None for weights that have a shape and no memory, to be loaded.

    Raises:
      NetworkError: If the network needs the geometry of a game and the shape has none.
    """
    told = MasksMlp if config.masks else SearchFeaturesMlp if config.feature_depth is not None else None
    architecture = told or NETWORKS[config.kind]
    return architecture(config, shape, plane_scale, generator)
