"""An mlp that is also given which steps either player could make if it were to move.

PYTHONPATH=training/research alquerque train strong network.kind=masks_network:MasksMlp
"""

import torch
from alquerque_training import Shape
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.mlp import ResidualMlp
from torch import Tensor

from alquerque_env.engine.both_masks import BothMasks


class MasksMlp(ResidualMlp):
    """Residual blocks over the flattened planes and the steps that either player could make."""

    def __init__(self, config: NetworkConfig, shape: Shape, plane_scale: Tensor) -> None:
        generator = torch.Generator().manual_seed(torch.initial_seed())
        super().__init__(config, shape, plane_scale, generator, shape.planes * shape.points + 2 * shape.actions)
        self._masks = BothMasks(shape.require_game("a network with masks"))

    def evaluate(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.evaluate`."""
        seen = self._masks(planes.to("cpu", torch.int8).numpy())
        scaled = self.scaled(planes).flatten(1)
        return self.judge(torch.cat([scaled, torch.from_numpy(seen).to(planes.device).flatten(1).to(scaled.dtype)], 1))
