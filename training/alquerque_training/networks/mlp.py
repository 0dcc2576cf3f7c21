"""A residual network over the flattened planes: the fastest kind, and the one that can be exported.

    h = relu(input(planes / plane_scale))
    h = relu(h + second(relu(first(h))))        for each block
    logits, value = policy(h), tanh(value(h))

with `layer(h) = weight @ h + bias`. The tensors of `weights.safetensors` have these names
(`blocks.0.first.weight`).

A search feature is the number of pieces that a legal step gains or loses after `network.search_features` turns of
full-width search and the captures that follow; see `alquerque_env.search.quiescence` for gains and their codes. Each
legal action has two inputs, (4 + gain) / 8 and (4 - gain) / 8; both are 0 for an illegal action. A learned weight for
each gain is added to the logit of the action:

    logits = policy(h) + worth[code of the action]

`worth` starts at FIRST_WORTH for each piece, so that an untrained network plays for material. It changes slowly in
training, since some gains are rare.
"""

import torch
from torch import Tensor, nn

from alquerque_env.search import SearchFeatures
from alquerque_env.search.quiescence import CODES, EVEN, ILLEGAL
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.interface import PolicyValueNetwork, Shape


def linear(inputs: int, outputs: int, *, gain: float, generator: torch.Generator | None) -> nn.Linear:
    """A linear layer with orthogonal weights; biases start at 0.

    Without a generator the weights have a shape and no memory. Such a network shows what a checkpoint must hold.
    """
    layer = nn.Linear(inputs, outputs, device="meta")
    if generator is not None:
        layer.to_empty(device="cpu")
        nn.init.orthogonal_(layer.weight, gain, generator=generator)
        nn.init.zeros_(layer.bias)
    return layer


class Block(nn.Module):
    """A residual block: `relu(h + second(relu(first(h))))`."""

    def __init__(self, width: int, generator: torch.Generator | None) -> None:
        super().__init__()
        self.first = linear(width, width, gain=2**0.5, generator=generator)
        self.second = linear(width, width, gain=0.1, generator=generator)

    def forward(self, hidden: Tensor) -> Tensor:
        """`[B, width]` to `[B, width]`."""
        return torch.relu(hidden + self.second(torch.relu(self.first(hidden))))


NUMBERS_PER_ACTION = 2
FIRST_WORTH = 2.0  # in units of logits


class ResidualMlp(PolicyValueNetwork):
    """Residual blocks over the planes and perhaps search features, or over other `inputs` of `judge`; see above."""

    for_and_against: Tensor

    def __init__(
        self,
        config: NetworkConfig,
        shape: Shape,
        plane_scale: Tensor,
        generator: torch.Generator | None,
        inputs: int | None = None,
    ) -> None:
        super().__init__(shape, plane_scale, config)
        self.depth = config.feature_depth
        if self.depth is not None:
            self._gains = SearchFeatures(shape.require_game("network.search_features"))
            gained = torch.arange(len(CODES), dtype=torch.float32) - EVEN
            gained[ILLEGAL] = 0
            self.worth = nn.Parameter(FIRST_WORTH * gained)
            self.keep("for_and_against", torch.tensor(CODES, dtype=torch.float32).T)
        features = 0 if self.depth is None else NUMBERS_PER_ACTION * shape.actions
        inputs = inputs or shape.planes * shape.points + features
        self.input = linear(inputs, config.width, gain=2**0.5, generator=generator)
        self.blocks = nn.ModuleList(Block(config.width, generator) for _ in range(config.blocks))
        self.policy = linear(config.width, shape.actions, gain=0.01, generator=generator)
        self.value = linear(config.width, 1, gain=0.1, generator=generator)

    def evaluate(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.evaluate`."""
        if self.depth is None:
            return self.judge(self.scaled(planes).flatten(1))
        seen = self._gains(planes.to("cpu", torch.int8).numpy(), self.depth)
        return self.judge_seen(planes, torch.from_numpy(seen).to(planes.device))

    def judge(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and values for `[B, inputs]` numbers."""
        hidden = torch.relu(self.input(inputs))
        for block in self.blocks:
            hidden = block(hidden)
        return self.policy(hidden), torch.tanh(self.value(hidden)).squeeze(-1)

    def judge_seen(self, planes: Tensor, codes: Tensor) -> tuple[Tensor, Tensor]:
        """As `evaluate`, for planes whose search features have these codes, int8 `[B, A]`."""
        codes = codes.to(torch.int64)
        gains = [torch.take(numbers, codes) for numbers in self.for_and_against]
        logits, values = self.judge(torch.cat([self.scaled(planes).flatten(1), *gains], 1))
        return logits + torch.take(self.worth, codes), values
