"""The residual network of `mlp`, told in addition what each legal step comes to once the captures are played out.

A network of this size sees who can capture whom only after much learning, and then not surely; to look is cheap. For
each legal action it gets two more numbers, (4 + gain) / 8 and (4 - gain) / 8, and 0 twice for any other; and what it
thinks of a gain as such is added to the logit of the action:

    logits = policy(h) + worth[code of the action]

At first it is FIRST_WORTH for each piece, so that the network plays for material before it has learned anything: these
numbers change slowly, since some gains are rare, and a policy without a search needs them large.

With `network.turns` some turns after the step are tried in full before only captures are. See
`alquerque_env.search.quiescence` for gains and their codes. The other tensors are those of `mlp`.
"""

import torch
from torch import Tensor, nn

from alquerque_env.search.quiescence import CODES, EVEN, ILLEGAL
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.interface import NetworkError, Shape
from alquerque_training.networks.mlp import ResidualMlp

NUMBERS_PER_ACTION = 2
FIRST_WORTH = 2.0  # in units of logits


class SearchFeaturesMlp(ResidualMlp):
    """Residual blocks over the flattened planes and the gains of all steps; see the top of this file."""

    for_and_against: Tensor

    def __init__(self, config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator) -> None:
        if shape.geometry is None:
            raise NetworkError("network.search_features needs the geometry of a game")
        inputs = shape.planes * shape.points + NUMBERS_PER_ACTION * shape.actions
        super().__init__(config, shape, plane_scale, generator, inputs)
        self._gains, self._depth = shape.geometry.gains, config.feature_depth or 0
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
