"""A convolutional residual network over the grid of the board's points.

The grid is that of `Board.grid`. Some cells may have no point: one more input plane marks the points, and the outputs
of each convolution outside them are set to 0.

    h = input(grid)
    h = h + second(relu(first(relu(h)) + pool(relu(h))))        for each block
    logits = origin(relu(h))[its origin] + target(relu(h))[its target]

`pool` adds the mean and the maximum over all points to each cell, as in KataGo (Wu 2019, arXiv:1902.10565, 3.3). The
second convolution of a block starts with small weights, so that the network needs no normalisation (as in Fixup, Zhang
et al. 2019, arXiv:1901.09321). The direction of an action is its displacement and that of its victim; `origin` and
`target` give a number for each direction at each point.
"""

import torch
from torch import Tensor, nn

from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks.board_geometry import Geometry, Move
from alquerque_training.networks.interface import PolicyValueNetwork, Shape
from alquerque_training.networks.layers import PooledValue, conv, linear

Displacement = tuple[int, int]
Direction = tuple[Displacement, Displacement | None]


class Block(nn.Module):
    """A residual block: `h + second(relu(first(relu(h)) + pool(relu(h))))`, on points only."""

    def __init__(self, width: int, generator: torch.Generator | None) -> None:
        super().__init__()
        self.first = conv(width, width, gain=2**0.5, generator=generator)
        self.second = conv(width, width, gain=0.1, generator=generator)
        self.pool = linear(2 * width, width, gain=1, generator=generator)

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

    def __init__(
        self, config: NetworkConfig, shape: Shape, plane_scale: Tensor, generator: torch.Generator | None
    ) -> None:
        super().__init__(shape, plane_scale, config)
        geometry, width = shape.require_geometry("network.kind = 'conv'"), config.width
        breadth, height = (1 + max(axis) for axis in zip(*geometry.grid, strict=True))
        cells = [row * breadth + column for column, row in geometry.grid]
        on_board = torch.zeros(height * breadth)
        on_board[cells] = 1
        self.keep("cells", cells)
        self.keep("on_board", on_board.view(height, breadth))
        found = dict.fromkeys(_direction(geometry, move) for move in geometry.moves)
        directions = {direction: number for number, direction in enumerate(found)}
        moves = [(move, directions[_direction(geometry, move)]) for move in geometry.moves]
        self.keep("starts", [move.origin * len(directions) + direction for move, direction in moves])
        self.keep("ends", [move.target * len(directions) + direction for move, direction in moves])
        self.input = conv(shape.planes + 1, width, gain=2**0.5, generator=generator)
        self.blocks = nn.ModuleList(Block(width, generator) for _ in range(config.blocks))
        self.origin = linear(width, len(directions), gain=0.01, generator=generator)
        self.target = linear(width, len(directions), gain=0.01, generator=generator)
        self.stop = linear(2 * width, 1, gain=0.01, generator=generator) if geometry.has_pass else None
        self.value = PooledValue(2 * width, width, generator)

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
        return logits, self.value(pooled)

    def _grid(self, planes: Tensor) -> Tensor:
        """`[B, C, P]` planes to `[B, C + 1, height, width]`; the last plane marks the points."""
        grid = planes.new_zeros(planes.shape[0], self.shape.planes + 1, self.on_board.numel())
        grid[:, :-1, self.cells] = planes
        grid[:, -1] = self.on_board.flatten()
        return grid.view(*grid.shape[:2], *self.on_board.shape).contiguous(memory_format=torch.channels_last)


def _direction(geometry: Geometry, move: Move) -> Direction:
    (x, y), (to_x, to_y) = geometry.grid[move.origin], geometry.grid[move.target]
    if move.victim is None:
        return (to_x - x, to_y - y), None
    victim_x, victim_y = geometry.grid[move.victim]
    return (to_x - x, to_y - y), (victim_x - x, victim_y - y)
