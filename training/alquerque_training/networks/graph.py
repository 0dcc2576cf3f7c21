"""A graph network over the points of any board and the steps between them, equivariant under the game's symmetries.

The input has no coordinates, so a symmetry of the game permutes the policy and keeps the value. The graph has two kinds
of nodes, as a factor graph: points, and links, which are the steps that some piece of either side can make. A link
joins two points, or three for a capture. In each block the points of a link send it messages, one for each role, and
the link answers:

    l = relu(sum of to_links[role](relu(h)) over its points + kind + memory)
    h = h + second(relu(self(relu(h)) + sum of from_links[role](l) over its links + pool(relu(h))))

`kind` is learned for each combination of makers, capture and distance; `memory` is the value of the plane that belongs
to the link; `pool` is the mean and the maximum over all points, as in `networks.conv`. The logit of an action is a
layer over the messages of its points, the same layer for all actions.
"""

from collections.abc import Sequence
from itertools import accumulate, chain

import torch
from torch import Tensor, nn
from torch.nn import functional

from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.board_geometry import Geometry, Move
from alquerque_training.networks.interface import PolicyValueNetwork, Shape
from alquerque_training.networks.layers import PooledValue, linear, parameter

ROLES = ("origin", "target", "victim")


class Incidence(nn.Module):
    """The points of `L` moves with their roles; a place is `role * P + point`."""

    places: Tensor
    first_places: Tensor
    moves: Tensor
    first_moves: Tensor

    def __init__(self, moves: Sequence[Move], points: int) -> None:
        super().__init__()
        places = [[role * points + point for role, point in enumerate(move) if point is not None] for move in moves]
        joined: list[list[int]] = [[] for _ in range(len(ROLES) * points)]
        for row, of_move in enumerate(places):
            for place in of_move:
                joined[place].append(row)
        for name, lists in (("places", places), ("moves", joined)):
            firsts = [0, *accumulate(len(entries) for entries in lists[:-1])]
            self.register_buffer(name, torch.tensor(list(chain(*lists)), dtype=torch.int64), persistent=False)
            self.register_buffer(f"first_{name}", torch.tensor(firsts, dtype=torch.int64), persistent=False)

    def gather(self, messages: Tensor) -> Tensor:
        """Sums the messages of the points of each move: `[3 P, B, E]` to `[L, B, E]`."""
        return _sum_rows(messages, self.places, self.first_places)

    def scatter(self, links: Tensor) -> Tensor:
        """Sums the answers of the moves of each place: `[L, B, E]` to `[3 P, B, E]`."""
        return _sum_rows(links, self.moves, self.first_moves)


class Roles(nn.Module):
    """A linear layer without bias for each role of a point."""

    def __init__(self, inputs: int, outputs: int, generator: torch.Generator | None) -> None:
        super().__init__()
        self.weight = parameter(len(ROLES), inputs, outputs, generator=generator, draw=_draw_roles)

    def forward(self, features: Tensor) -> Tensor:
        """`[3 or 1, N, inputs]` to `[3, N, outputs]`."""
        return features @ self.weight


class Block(nn.Module):
    """One round of messages between points and links; see the top of this file."""

    def __init__(self, width: int, kinds: int, *, has_memory: bool, generator: torch.Generator | None) -> None:
        super().__init__()
        inner = -(-width // 2)
        self.to_links = Roles(width, inner, generator)
        self.kind = linear(kinds, inner, gain=1, generator=generator)
        self.memory = parameter(inner, generator=generator, draw=_draw_memory) if has_memory else None
        self.from_links = Roles(inner, width, generator)
        self.self = linear(width, width, gain=1, generator=generator)
        self.pool = linear(2 * width, width, gain=1, generator=generator)
        self.second = linear(width, width, gain=0.1, generator=generator)

    def forward(self, points: Tensor, incidence: Incidence, kinds: Tensor, memory: Tensor) -> Tensor:
        """The `[P, B, width]` points after one round, with `[L, K]` one-hot kinds and `[L, B, 1]` memory of links."""
        active = torch.relu(points)
        # In place: on a CPU most of the time would go into allocating memory.
        links = incidence.gather(_messages(self.to_links, active)).add_(self.kind(kinds)[:, None])
        if self.memory is not None:
            links = links.addcmul_(memory, self.memory)
        answers = incidence.scatter(links.relu_()).view(len(ROLES), points[..., 0].numel(), links.shape[-1])
        inner = self.self(active).add_(self.pool(_pooled(active)))
        for answer in self.from_links(answers):
            # Divided by the average number of links of a point: the same for all, so that the number of links counts.
            inner = inner.add_(answer.view_as(points), alpha=len(points) / len(kinds))
        return self.second(inner.relu_()).add_(points)


class LinkGraph(PolicyValueNetwork):
    """Points and links; see the top of this file."""

    fact_planes: Tensor
    zones: Tensor
    kinds: Tensor
    remembering: Tensor
    memories: Tensor

    def __init__(
        self, config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator | None
    ) -> None:
        super().__init__(shape, plane_scale, config)
        geometry, width = shape.require_geometry("network.kind = 'graph'"), config.width
        self._read(geometry)
        facts, kinds = len(self.fact_planes) + self.zones.shape[1], self.kinds.shape[1]
        has_memory = len(self.remembering) > 0
        self.input = linear(facts, width, gain=2**0.5, generator=generator)
        self.blocks = nn.ModuleList(
            Block(width, kinds, has_memory=has_memory, generator=generator) for _ in range(config.blocks)
        )
        self.actors = Roles(width, width, generator)
        self.policy = linear(width, 1, gain=0.01, generator=generator)
        self.stop = linear(2 * width, 1, gain=0.01, generator=generator) if geometry.has_pass else None
        self.value = PooledValue(2 * width, width, generator)

    def _read(self, geometry: Geometry) -> None:
        points, links = range(len(geometry.grid)), geometry.links
        self.links = Incidence([link.move for link in links], len(points))
        self.actions = Incidence(geometry.moves, len(points))
        zones = [[float(point in zone) for zone in geometry.zones if zone] for point in points]
        of_links = [(link.makers, link.move.victim is not None, link.is_far) for link in links]
        kinds = list(dict.fromkeys(of_links))
        memory = {row: link.memory for row, link in enumerate(links) if link.memory is not None}
        self.keep("fact_planes", geometry.fact_planes)
        self.keep("zones", torch.tensor(zones))
        self.keep("kinds", torch.eye(len(kinds))[[kinds.index(kind) for kind in of_links]])
        self.keep("remembering", torch.tensor(list(memory), dtype=torch.int64))
        places = [plane * len(points) + point for plane, point in memory.values()]
        self.keep("memories", torch.tensor(places, dtype=torch.int64))

    def evaluate(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.evaluate`."""
        scaled = self.scaled(planes)
        points, memory = self.input(self._facts(scaled)), self._memory(scaled)
        for block in self.blocks:
            points = block(points, self.links, self.kinds, memory)
        points = torch.relu(points)
        pooled = _pooled(points)
        logits = self.policy(self.actions.gather(_messages(self.actors, points)).relu_()).squeeze(-1).T.contiguous()
        if self.stop is not None:
            logits = torch.cat([logits, self.stop(pooled)], -1)
        return logits, self.value(pooled)

    def _facts(self, planes: Tensor) -> Tensor:
        """`[P, B, facts]`: the planes of points and the promotion zones."""
        shown = planes[:, self.fact_planes].permute(2, 0, 1)
        return torch.cat([shown, self.zones[:, None].expand(-1, planes.shape[0], -1)], -1)

    def _memory(self, planes: Tensor) -> Tensor:
        """`[L, B, 1]`: the values of the planes of links."""
        said = planes.new_zeros(len(self.kinds), planes.shape[0])
        said[self.remembering] = planes.flatten(1)[:, self.memories].T
        return said[..., None]


def _draw_roles(weight: Tensor, generator: torch.Generator) -> None:
    for role in weight:
        nn.init.orthogonal_(role, generator=generator)


def _draw_memory(memory: Tensor, generator: torch.Generator) -> None:
    nn.init.normal_(memory, generator=generator)


def _sum_rows(rows: Tensor, chosen: Tensor, firsts: Tensor) -> Tensor:
    """Sums the chosen `[N, B, E]` rows from each first to the next. Five times as fast as a dense product."""
    if rows.numel() == 0:  # embedding_bag refuses rows without numbers
        return rows.new_zeros(len(firsts), *rows.shape[1:])
    if torch.onnx.is_in_onnx_export():  # ONNX has no such operator and would loop over the sums
        ends = functional.pad(firsts[1:], (0, 1), value=len(chosen))
        place = torch.arange(len(chosen))
        is_summed = (firsts[:, None] <= place) & (place < ends[:, None])
        weights = is_summed.to(rows.dtype) @ functional.one_hot(chosen, len(rows)).to(rows.dtype)
        return (weights @ rows.flatten(1)).view(len(firsts), *rows.shape[1:])
    return functional.embedding_bag(chosen, rows.flatten(1), firsts, mode="sum").view(len(firsts), *rows.shape[1:])


def _messages(roles: Roles, points: Tensor) -> Tensor:
    """`[P, B, width]` to `[3 P, B, outputs]`. Points are the first axis, so that whole rows are copied."""
    return roles(points.flatten(0, 1)[None]).view(len(ROLES) * len(points), points.shape[1], roles.weight.shape[-1])


def _pooled(points: Tensor) -> Tensor:
    """`[P, B, width]` to the mean and maximum `[B, 2 width]`."""
    return torch.cat([points.mean(0), points.amax(0)], -1)
