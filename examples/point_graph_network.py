"""A network of one's own for the trainer: a graph network over the points of any board and the steps between them.

    PYTHONPATH=examples alquerque train quickstart network.kind=point_graph_network:LinkGraph network.width=64
    python examples/point_graph_network.py fetaix

It is equivariant under the symmetries of the game. On a CPU it scored less than the trainer's `mlp` for the same time
(training/EXPERIMENTS.md, 2026-11-24).

The input has no coordinates, so a symmetry of the game permutes the policy and keeps the value. The graph has two kinds
of nodes, as a factor graph: points, and links, which are the steps that some piece of either side can make. A link
joins two points, or three for a capture. In each block the points of a link send it messages, one for each role, and
the link answers:

    l = relu(sum of to_links[role](relu(h)) over its points + kind + memory)
    h = h + second(relu(self(relu(h)) + sum of from_links[role](l) over its links + pool(relu(h))))

`kind` is learned for each combination of makers, capture and distance; `memory` is the value of the plane that belongs
to the link; `pool` is the mean and the maximum over all points. The logit of an action is a
layer over the messages of its points, the same layer for all actions.

Source: https://arxiv.org/abs/1704.01212 (message passing)
"""

import sys
import time
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import torch
from alquerque_training import PolicyValueNetwork, Shape, train
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks import linear
from torch import Tensor, nn
from torch.nn import functional

from alquerque_env import Game
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.planes import planes as planes_of
from alquerque_env.game.ruleset import NORTH, SOUTH

STEPS = 200_000
# The least number of points on the path of a step and of a capture, the target included.
NEAREST_STEP, NEAREST_CAPTURE = 1, 2


class Move(NamedTuple):
    """The effect of an action: points of origin, target and captured piece, which is None for a simple step."""

    origin: int
    target: int
    victim: int | None


class Maker(NamedTuple):
    """Pieces that can make a step: those of one side and kind."""

    is_enemy: bool
    is_king: bool


class Link(NamedTuple):
    """A step that some piece can make by the rules, or a pair of points in the no-undo memory."""

    move: Move
    makers: frozenset[Maker]  # pieces that can make it somewhere in the game; empty if only the memory names it
    is_far: bool  # whether its path is longer than that of a man's step or capture
    # Plane and point where the observation says that it is forbidden; None if there is no such plane.
    memory: tuple[int, int] | None


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
        game, width = shape.require_game("a graph network"), config.width
        moves = _moves(game)
        self._read(game, moves)
        facts, kinds = len(self.fact_planes) + self.zones.shape[1], self.kinds.shape[1]
        has_memory = len(self.remembering) > 0
        self.input = linear(facts, width, gain=2**0.5, generator=generator)
        self.blocks = nn.ModuleList(
            Block(width, kinds, has_memory=has_memory, generator=generator) for _ in range(config.blocks)
        )
        self.actors = Roles(width, width, generator)
        self.policy = linear(width, 1, gain=0.01, generator=generator)
        self.stop = linear(2 * width, 1, gain=0.01, generator=generator) if len(moves) < game.num_actions else None
        self.judge = linear(2 * width, width, gain=2**0.5, generator=generator)
        self.value = linear(width, 1, gain=0.03, generator=generator)

    def _read(self, game: Game, moves: Sequence[Move]) -> None:
        memory_planes = _memory(game)
        points, links = range(len(game.board.points)), _links(game, memory_planes)
        self.links = Incidence([link.move for link in links], len(points))
        self.actions = Incidence(moves, len(points))
        promotion = game.promotion_points(SOUTH), game.promotion_points(NORTH)
        of_memory = {plane for plane, _ in memory_planes.values()}
        zones = [[float(point in zone) for zone in promotion if zone] for point in points]
        of_links = [(link.makers, link.move.victim is not None, link.is_far) for link in links]
        kinds = list(dict.fromkeys(of_links))
        memory = {row: link.memory for row, link in enumerate(links) if link.memory is not None}
        self.keep("fact_planes", [plane for plane in range(len(planes_of(game))) if plane not in of_memory])
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
        return logits, torch.tanh(self.value(torch.relu(self.judge(pooled)))).squeeze(-1)

    def _facts(self, planes: Tensor) -> Tensor:
        """`[P, B, facts]`: the planes of points and the promotion zones."""
        shown = planes[:, self.fact_planes].permute(2, 0, 1)
        return torch.cat([shown, self.zones[:, None].expand(-1, planes.shape[0], -1)], -1)

    def _memory(self, planes: Tensor) -> Tensor:
        """`[L, B, 1]`: the values of the planes of links."""
        said = planes.new_zeros(len(self.kinds), planes.shape[0])
        said[self.remembering] = planes.flatten(1)[:, self.memories].T
        return said[..., None]


def parameter(
    *size: int, generator: torch.Generator | None, draw: Callable[[Tensor, torch.Generator], object]
) -> nn.Parameter:
    """A parameter of a size whose numbers `draw` sets; without a generator it has no memory."""
    numbers = nn.Parameter(torch.empty(size, device="meta" if generator is None else "cpu"))
    if generator is not None:
        draw(numbers, generator)
    return numbers


def _draw_roles(weight: Tensor, generator: torch.Generator) -> None:
    for role in weight:
        nn.init.orthogonal_(role, generator=generator)


def _draw_memory(memory: Tensor, generator: torch.Generator) -> None:
    nn.init.normal_(memory, generator=generator)


def _sum_rows(rows: Tensor, chosen: Tensor, firsts: Tensor) -> Tensor:
    """Sums the chosen `[N, B, E]` rows from each first to the next. Five times as fast as a dense product."""
    if rows.numel() == 0:  # embedding_bag refuses rows without numbers
        return rows.new_zeros(len(firsts), *rows.shape[1:])
    return functional.embedding_bag(chosen, rows.flatten(1), firsts, mode="sum").view(len(firsts), *rows.shape[1:])


def _messages(roles: Roles, points: Tensor) -> Tensor:
    """`[P, B, width]` to `[3 P, B, outputs]`. Points are the first axis, so that whole rows are copied."""
    return roles(points.flatten(0, 1)[None]).view(len(ROLES) * len(points), points.shape[1], roles.weight.shape[-1])


def _pooled(points: Tensor) -> Tensor:
    """`[P, B, width]` to the mean and maximum `[B, 2 width]`."""
    return torch.cat([points.mean(0), points.amax(0)], -1)


def _moves(game: Game) -> list[Move]:
    """The actions without the pass."""
    pairs = zip(game.table.steps, game.table.over, strict=False)
    found = [Move(step.origin, step.target, victim) for step, victim in pairs]
    return [move for move in found if move.origin >= 0 or move.victim is not None]


def _memory(game: Game) -> dict[Move, tuple[int, int]]:
    """For each simple step that the no-undo memory can forbid, its plane and point."""
    if game.rules.undo_scope == "off":
        return {}
    number = {plane.name: index for index, plane in enumerate(planes_of(game))}
    if game.remembers_points:
        return {
            Move(origin, target, None): (number[f"remembered_{label}"], target)
            for origin, label in enumerate(game.board.labels)
            for target in range(len(game.board.points))
            if target != origin
        }
    return {
        Move(origin, target, None): (number[f"no_undo_{relation}"], origin)
        for relation, pairs in enumerate(game.relations)
        for origin, target in pairs.items()
    }


def _links(game: Game, memory: dict[Move, tuple[int, int]]) -> tuple[Link, ...]:
    makers: dict[Move, set[Maker]] = {move: set() for move in memory}
    is_far: dict[Move, bool] = {}
    for player in (SOUTH, NORTH):
        for template in game.table.templates[player]:
            victim = None if template.victim == STATE.NO_POINT else template.victim
            move = Move(template.origin, template.target, victim)
            makers.setdefault(move, set()).add(Maker(player == NORTH, template.is_king))
            is_far[move] = len(template.path) > (NEAREST_STEP if victim is None else NEAREST_CAPTURE)
    return tuple(Link(move, frozenset(who), is_far.get(move, False), memory.get(move)) for move, who in makers.items())


if __name__ == "__main__":
    kind = ["network.kind=point_graph_network:LinkGraph", "network.width=64", "network.blocks=4"]
    for game in sys.argv[1:] or ["alquerque", "fetaix"]:
        start = time.monotonic()
        result = train("quickstart", [f"run.game={game}", f"run.total_steps={STEPS}", *kind])
        print(f"{game}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        print(f"{game}: won {sum(seat.wins for seat in result.evaluation.seats)} of {result.evaluation.games}")
