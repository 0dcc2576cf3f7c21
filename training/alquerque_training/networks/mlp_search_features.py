"""The residual network of `mlp` with search features as further inputs.

A search feature is the number of pieces that a legal step gains or loses after `network.search_features` turns of
full-width search and the captures that follow; see `alquerque_env.search.quiescence` for gains and their codes. Each
legal action has two inputs, (4 + gain) / 8 and (4 - gain) / 8; both are 0 for an illegal action. A learned weight for
each gain is added to the logit of the action:

    logits = policy(h) + worth[code of the action]

`worth` starts at FIRST_WORTH for each piece, so that an untrained network plays for material. It changes slowly in
training, since some gains are rare. The other tensors are those of `mlp`.
"""

import torch
from torch import Tensor, nn

from alquerque_env.search.quiescence import CODES, EVEN, ILLEGAL
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.interface import Shape
from alquerque_training.networks.mlp import ResidualMlp

NUMBERS_PER_ACTION = 2
FIRST_WORTH = 2.0  # in units of logits


class SearchFeaturesMlp(ResidualMlp):
    """Residual blocks over the flattened planes and the search features; see the top of this file."""

    for_and_against: Tensor

    def __init__(
        self, config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator | None
    ) -> None:
        inputs = shape.planes * shape.points + NUMBERS_PER_ACTION * shape.actions
        super().__init__(config, shape, plane_scale, generator, inputs)
        self._gains = shape.require_geometry("network.search_features").gains
        self._depth = config.feature_depth or 0
        gained = torch.arange(len(CODES), dtype=torch.float32) - EVEN
        gained[ILLEGAL] = 0
        self.worth = nn.Parameter(FIRST_WORTH * gained)
        self.keep("for_and_against", torch.tensor(CODES, dtype=torch.float32).T)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.forward`."""
        seen = self._gains(planes.to("cpu", torch.int8).numpy(), self._depth)
        codes = torch.from_numpy(seen).to(planes.device, torch.int64)
        gains = [torch.take(numbers, codes) for numbers in self.for_and_against]
        logits, values = self.judge(torch.cat([self.scaled(planes).flatten(1), *gains], 1))
        return logits + torch.take(self.worth, codes), values
