"""The network for all games in PyTorch; `alquerque_env.bots.network.family` says what it computes."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from alquerque_env.bots.network.family import DECIMALS, NUM_ROLES, FamilyEncoder, Inputs, RowSums, View, weight_shapes
from alquerque_env.game.game import Game
from alquerque_env.search.quiescence import CODES, EVEN, ILLEGAL
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.interface import PolicyValueNetwork, Shape
from alquerque_training.networks.mlp import FIRST_WORTH

_GAINS = {"input": 1.4, "second": 0.3, "pool": 0.5, "rules": 0.3, "policy": 0.01}
"""What multiplies the orthogonal weights of a layer at the start, 1 for others; of the heads as of `policy`."""


class _Sum(torch.autograd.Function):
    """Sums of rows. The gradient is a sum by the transposed lists, so that nothing is added from several threads."""

    @staticmethod
    def forward(context: Any, rows: Tensor, bags: RowSums, back: RowSums) -> Tensor:
        context.back = back
        return _summed(rows, bags)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return _summed(gradient.contiguous(), context.back), None, None


def _summed(rows: Tensor, bags: RowSums) -> Tensor:
    index, first = (torch.from_numpy(part).to(rows.device) for part in (bags.index, bags.first))
    sums: Tensor = embedding_bag(index, rows, first, mode="sum")
    return sums


def _sum(rows: Tensor, bags: RowSums, back: RowSums) -> Tensor:
    """The sums of rows `[N, ...]`; `back` has what is summed in each place the other way round."""
    sums: Tensor = _Sum.apply(rows.flatten(1), bags, back)  # type: ignore[no-untyped-call]
    return sums.view(-1, *rows.shape[1:])


class FamilyNetwork(PolicyValueNetwork):
    """The network for all games, for positions of the game of its shape by `forward`, of any by `judge`."""

    def __init__(
        self, config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator | None
    ) -> None:
        super().__init__(shape, plane_scale, config)
        self.register_buffer("plane_scale", plane_scale, persistent=False)  # no weight of this network is of a game
        self._depth, self._rounds = config.feature_depth, config.blocks
        self.encoder = self.encoder_of(shape.require_game("network.kind = 'family'"))
        shapes = weight_shapes(config.width, config.blocks, has_features=self._depth is not None)
        for name, size in shapes.items():
            *modules, own = name.split(".")
            parent: nn.Module = self
            for module in modules:
                if not hasattr(parent, module):
                    parent.add_module(module, nn.Module())
                parent = getattr(parent, module)
            parent.register_parameter(own, nn.Parameter(_first(name, size, generator)))

    def encoder_of(self, game: Game) -> FamilyEncoder:
        """What encodes positions of a game for this network."""
        return FamilyEncoder(game, self._depth, sees_clock=self.sees_clock)

    def evaluate(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.evaluate`."""
        seen = planes.to("cpu", torch.int8).numpy()
        parts = list(self.encoder.encode(seen, *self.encoder.masks_and_codes(seen)))
        found = [self.judge(view, inputs) for _, view, inputs in parts]
        # As NumPy does, so that both choose alike among images of a step.
        if found[0][0].dtype == torch.float64 and not torch.is_grad_enabled():
            found = [(logits.round(decimals=DECIMALS), values) for logits, values in found]
        order = torch.from_numpy(np.concatenate([rows for rows, *_ in parts]).argsort()).to(planes.device)
        return torch.cat([logits for logits, _ in found])[order], torch.cat([values for _, values in found])[order]

    def judge(self, view: View, encoded: Inputs) -> tuple[Tensor, Tensor]:
        """Logits `[N, A]` and values `[N]` of positions of any game."""
        weights = dict(self.named_parameters())
        like = weights["input.bias"]
        points, links, rules, codes = (torch.from_numpy(part).to(like.device) for part in encoded)
        points, links, rules = points.to(like.dtype), links.to(like.dtype), rules.to(like.dtype)
        kinds = torch.from_numpy(view.links).to(like)
        count = len(rules)

        def apply(layer: str, inputs: Tensor) -> Tensor:
            return nn.functional.linear(inputs, weights[f"{layer}.weight"], weights[f"{layer}.bias"])

        def messages(block: str, seen: Tensor) -> Tensor:
            """The links `[L, N, half]` of a round, for points `[P, N, width]`."""
            sent = torch.matmul(seen.reshape(1, -1, seen.shape[2]), weights[f"{block}.to_links"])
            sums = _sum(sent.view(-1, count, sent.shape[2]), view.to_links, view.to_points)
            known = torch.addmm(sums.flatten(0, 1), links.flatten(0, 1), weights[f"{block}.dyn"]).view_as(sums)
            return torch.relu(known + apply(f"{block}.kind", kinds)[:, None])

        hidden = apply("input", points) + apply("globals", rules)
        for block in (f"rounds.{number}" for number in range(self._rounds)):
            seen = torch.relu(hidden)
            heard = _sum(messages(block, seen), view.to_points, view.to_links)
            inner = torch.bmm(heard.view(NUM_ROLES, -1, heard.shape[2]), weights[f"{block}.from_links"]).sum(0)
            inner = inner.view_as(seen) * (len(view.points) / len(view.links))
            fixed = apply(f"{block}.pool", _pooled(seen)) + apply(f"{block}.rules", rules)
            hidden = hidden + apply(f"{block}.second", torch.relu(inner + apply(f"{block}.self", seen) + fixed))
        seen = torch.relu(hidden)
        logits = apply("policy", messages("last", seen)).squeeze(-1).T.contiguous()
        pooled = torch.cat([_pooled(seen), rules], 1)

        def head(name: str) -> Tensor:
            return apply(f"{name}.second", torch.relu(apply(f"{name}.first", pooled)))

        if codes.shape[1] > len(view.links):
            logits = torch.cat([logits, head("stop")], 1)
        if "worth" in weights:
            logits = logits + torch.take(weights["worth"], codes)
        return logits, torch.tanh(head("value")).squeeze(-1)


def _pooled(seen: Tensor) -> Tensor:
    return torch.cat([seen.mean(0), seen.amax(0)], 1)


def _first(name: str, size: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
    """A tensor at the start of training; without a generator one of this shape without memory."""
    if generator is None:
        return torch.empty(size, device="meta")
    parts = name.split(".")
    if name == "worth":
        gained = torch.arange(len(CODES), dtype=torch.float32) - EVEN
        gained[ILLEGAL] = 0
        return FIRST_WORTH * gained
    if parts[-1] == "bias":
        return torch.zeros(size)
    if parts[-1] == "dyn":
        return 0.7 * torch.randn(size, generator=generator)
    is_head = parts[0] in ("stop", "value") and parts[1] == "second"
    gain = _GAINS["policy"] if is_head else _GAINS.get(parts[-2], 1.0)
    tensor = torch.empty(size)
    for matrix in tensor if len(size) == 3 else [tensor]:
        nn.init.orthogonal_(matrix, gain, generator=generator)
    return tensor
