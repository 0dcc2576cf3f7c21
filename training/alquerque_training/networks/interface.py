"""What training, search, evaluation and export know of a network."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.planes import planes
from alquerque_training.networks.board_geometry import Geometry

# Finite, because -inf turns a row without legal actions, or a gradient through one, into NaN.
MASK_FILL = -1e9


class NetworkError(AlquerqueError):
    """A network that cannot be built."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a game shows and asks: `C` planes over `P` points, `A` actions.

    Attributes:
      planes: `C`.
      points: `P`.
      actions: `A`.
      geometry: What the planes, points and actions mean on the board, for networks that look at it.
    """

    planes: int
    points: int
    actions: int
    geometry: Geometry | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, game: Game) -> "Shape":
        """The numbers and the geometry of a game."""
        return cls(
            planes=len(planes(game)),
            points=len(game.board.points),
            actions=game.num_actions,
            geometry=Geometry.of(game),
        )


class PolicyValueNetwork(nn.Module):
    """A position's policy and value, in the frame of the player to move.

    It takes the planes as the environment gives them and divides them by their scale itself, so that its weights and
    the game are all one needs to evaluate a position. It computes and answers in the number type of its parameters:
    after `network.to(torch.bfloat16)` or `network.double()` in that one.

    Attributes:
      shape: What the game shows and asks.
      plane_scale: `[C]` divides the planes, so that they are in [0, 1].
    """

    plane_scale: Tensor

    def __init__(self, shape: Shape, plane_scale: Tensor) -> None:
        super().__init__()
        self.shape = shape
        self.register_buffer("plane_scale", plane_scale.to(torch.float32).clone())

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluates positions in the frame of the player to move.

        Args:
          planes: `[B, C, P]` of any number type, as the environment gives them.

        Returns:
          `[B, A]` logits, illegal actions included, and `[B]` values in [-1, 1] for the player to move; both in the
          number type of the parameters.
        """
        raise NotImplementedError

    def scaled(self, planes: Tensor) -> Tensor:
        """`[B, C, P]` planes as numbers in [0, 1], in the number type of the parameters."""
        # With a number for each point rather than a row's number read again and again, it runs several times as fast.
        scale = self.plane_scale[:, None].repeat(1, planes.shape[-1])
        return planes.to(scale.dtype) / scale

    def keep(self, name: str, values: Tensor | Sequence[int]) -> None:
        """Keeps constants that follow from the game as `self.<name>`: they move with the weights and are not saved."""
        self.register_buffer(name, torch.as_tensor(values), persistent=False)


def masked_log_probs(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities of the actions, all weight on the legal ones.

    Args:
      logits: `[B, A]`.
      mask: `[B, A]`, true where the action is legal. A row without any gives all actions the same.

    Returns:
      `[B, A]`, finite, in single precision or better.
    """
    exact = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return torch.log_softmax(exact.masked_fill(~mask, MASK_FILL), dim=-1)


def sample(log_probs: Tensor, generator: torch.Generator) -> Tensor:
    """Draws an action for each row, by where a random number falls among the sums of the probabilities.

    Args:
      log_probs: `[B, A]`.
      generator: Source of the draw.

    Returns:
      `[B]` int64; never an action without probability.
    """
    # In double precision the threshold stays below the last sum, so that there is always an action above it.
    sums = torch.softmax(log_probs, -1).double().cumsum(-1)
    thresholds = torch.rand(len(sums), 1, generator=generator) * sums[:, -1:]
    return (sums <= thresholds).sum(-1)
