"""A network of one's own for the trainer: a convolutional residual network over the grid of the board's points.

    PYTHONPATH=examples alquerque train quickstart network.kind=conv_network:ResidualConv network.width=32
    python examples/conv_network.py fetaix

On a CPU it scored less than the trainer's `mlp` for the same time (training/EXPERIMENTS.md, 2026-11-22).

The grid is that of `Board.grid`. Some cells may have no point: one more input plane marks the points, and the outputs
of each convolution outside them are set to 0.

    h = input(grid)
    h = h + second(relu(first(relu(h)) + pool(relu(h))))        for each block
    logits = origin(relu(h))[its origin] + target(relu(h))[its target]

`pool` adds the mean and the maximum over all points to each cell, as in KataGo (Wu 2019, arXiv:1902.10565, 3.3). The
second convolution of a block starts with small weights, so that the network needs no normalisation (as in Fixup, Zhang
et al. 2019, arXiv:1901.09321). The direction of an action is its displacement and that of its victim; `origin` and
`target` give a number for each direction at each point.

Sources: https://arxiv.org/abs/1902.10565 (pooling), https://arxiv.org/abs/1901.09321 (small first weights)
"""

import sys
import time
from typing import Any, NamedTuple

import torch
from alquerque_training import PolicyValueNetwork, Shape, train
from torch import Tensor, nn

from alquerque_env import Game

STEPS = 500_000


def drawn(layer: nn.Module, gain: float) -> nn.Module:
    """Gives a layer orthogonal weights; biases start at 0."""
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def conv(inputs: int, outputs: int, gain: float) -> nn.Module:
    """A 3x3 convolution that keeps the size of the grid."""
    return drawn(nn.Conv2d(inputs, outputs, kernel_size=3, padding=1), gain)


class Move(NamedTuple):
    """An action: the points where it begins and ends, and its direction, equal for actions of the same shape."""

    start: int
    end: int
    direction: tuple[object, ...]

    @classmethod
    def of(cls, game: Game, action: tuple[int | None, int | None, int | None]) -> "Move":
        points = [point for point in action if point is not None]  # a drop or a removal has a single one
        (x, y), *others = (game.board.grid[point] for point in points)
        shape = tuple((to_x - x, to_y - y) for to_x, to_y in others)
        return cls(points[0], points[min(1, len(others))], (action[1] is None, shape))


class Block(nn.Module):
    """A residual block: `h + second(relu(first(relu(h)) + pool(relu(h))))`, on points only."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = conv(width, width, 2**0.5)
        self.second = conv(width, width, 0.1)
        self.pool = drawn(nn.Linear(2 * width, width), 1)

    def forward(self, hidden: Tensor, on_board: Tensor) -> Tensor:
        """`[B, width, height, width]` and `[height, width]`, 1 where a cell is a point, to what `hidden` was."""
        active = torch.relu(hidden)
        mean, highest = active.sum((2, 3)) / on_board.sum(), active.amax((2, 3))
        pooled = self.pool(torch.cat([mean, highest], -1))
        # In place: on a CPU most of the time would go into allocating memory.
        inner = self.first(active).add_(pooled[:, :, None, None]).mul_(on_board).relu_()
        return self.second(inner).mul_(on_board).add_(hidden)


class ResidualConv(PolicyValueNetwork):
    """Residual blocks over the grid; see the top of this file."""

    cells: Tensor
    on_board: Tensor
    starts: Tensor
    ends: Tensor

    def __init__(self, config: Any, shape: Shape, plane_scale: Tensor) -> None:
        super().__init__(shape, plane_scale, config)
        game, width = shape.require_game("a convolution"), config.width
        moves = [Move.of(game, action) for action in game.actions if action is not None]
        breadth, height = (1 + max(axis) for axis in zip(*game.board.grid, strict=True))
        cells = [row * breadth + column for column, row in game.board.grid]
        on_board = torch.zeros(height * breadth)
        on_board[cells] = 1
        self.keep("cells", cells)
        self.keep("on_board", on_board.view(height, breadth))
        directions = dict.fromkeys(move.direction for move in moves)
        numbers = {direction: number for number, direction in enumerate(directions)}
        self.keep("starts", [move.start * len(numbers) + numbers[move.direction] for move in moves])
        self.keep("ends", [move.end * len(numbers) + numbers[move.direction] for move in moves])
        self.input = conv(shape.planes + 1, width, 2**0.5)
        self.blocks = nn.ModuleList(Block(width) for _ in range(config.blocks))
        self.origin = drawn(nn.Linear(width, len(numbers)), 0.01)
        self.target = drawn(nn.Linear(width, len(numbers)), 0.01)
        self.stop = drawn(nn.Linear(2 * width, 1), 0.01) if len(moves) < game.num_actions else None
        self.value = nn.Sequential(
            drawn(nn.Linear(2 * width, width), 2**0.5), nn.ReLU(), drawn(nn.Linear(width, 1), 0.03), nn.Tanh()
        )

    def evaluate(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """As `PolicyValueNetwork.evaluate`."""
        hidden = self.input(self._grid(self.scaled(planes))) * self.on_board
        for block in self.blocks:
            hidden = block(hidden, self.on_board)
        points = torch.relu(hidden).flatten(2)[:, :, self.cells].transpose(1, 2)
        pooled = torch.cat([points.mean(1), points.amax(1)], -1)
        logits = self.origin(points).flatten(1)[:, self.starts] + self.target(points).flatten(1)[:, self.ends]
        if self.stop is not None:
            logits = torch.cat([logits, self.stop(pooled)], -1)
        return logits, self.value(pooled).squeeze(-1)

    def _grid(self, planes: Tensor) -> Tensor:
        """`[B, C, P]` planes to `[B, C + 1, height, width]`; the last plane marks the points."""
        grid = planes.new_zeros(planes.shape[0], self.shape.planes + 1, self.on_board.numel())
        grid[:, :-1, self.cells] = planes
        grid[:, -1] = self.on_board.flatten()
        return grid.view(*grid.shape[:2], *self.on_board.shape).contiguous(memory_format=torch.channels_last)


if __name__ == "__main__":
    kind = ["network.kind=conv_network:ResidualConv", "network.width=32", "network.blocks=4"]
    for game in sys.argv[1:] or ["alquerque", "fetaix"]:
        start = time.monotonic()
        result = train("quickstart", [f"run.game={game}", f"run.total_steps={STEPS}", *kind])
        print(f"{game}: {STEPS} steps in {time.monotonic() - start:.0f} s")
        print(f"{game}: won {sum(seat.wins for seat in result.evaluation.seats)} of {result.evaluation.games}")
