"""The interface of a network for training, search, evaluation and export."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from alquerque_env.errors import AlquerqueError
from alquerque_env.game.canonical import CanonicalImages
from alquerque_env.game.game import Game
from alquerque_env.game.planes import clock_planes
from alquerque_training.config.settings import NetworkConfig

# Finite, because -inf makes a row without legal actions, or a gradient through it, NaN.
MASK_FILL = -1e9


class NetworkError(AlquerqueError):
    """A network that cannot be built."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes of a game's observations and actions.

    Attributes:
      planes: Number of planes, `C`.
      points: Number of points, `P`.
      actions: Number of actions, `A`.
      game: The game, for networks that use more of it.
    """

    planes: int
    points: int
    actions: int
    game: Game | None = field(default=None, compare=False, repr=False)

    def require_game(self, setting: str) -> Game:
        """Returns the game, which a network with this setting needs.

        Raises:
          NetworkError: If it is missing.
        """
        if self.game is None:
            raise NetworkError(f"{setting} needs a game")
        return self.game

    @classmethod
    def of(cls, game: Game) -> "Shape":
        """Returns the sizes of a game, and the game itself."""
        return cls(
            planes=len(game.planes),
            points=len(game.board.points),
            actions=game.num_actions,
            game=game,
        )


class PolicyValueNetwork(nn.Module):
    """Gives the policy and value of positions, in the frame of the player to move.

    The network takes the planes of the environment and scales them itself. It computes and returns the number type of
    its parameters, for example bfloat16 after `network.to(torch.bfloat16)`.

    Attributes:
      shape: Sizes of the game.
      plane_scale: float32 `[C]`; the planes are divided by it, so that they are in [0, 1].
      sees_clock: Whether it is given the planes of the clock; else they are 0.
      canonical: Whether it is given the canonical image of a position, so that it judges all images alike.
    """

    plane_scale: Tensor
    is_seen: Tensor
    image_weights: Tensor
    image_places: Tensor
    image_actions: Tensor

    def __init__(self, shape: Shape, plane_scale: Tensor, config: NetworkConfig) -> None:
        super().__init__()
        self.shape, self.sees_clock, self.canonical = shape, config.sees_clock, config.canonical
        self.register_buffer("plane_scale", plane_scale.to(torch.float32).clone())
        if not self.sees_clock:
            ignored = clock_planes(shape.require_game("network.sees_clock = false"))
            self.keep("is_seen", torch.tensor([[float(plane not in ignored)] for plane in range(shape.planes)]))
        if self.canonical:
            images = CanonicalImages(shape.require_game("network.canonical = true"))
            for name in ("weights", "places", "actions"):
                self.keep(f"image_{name}", torch.from_numpy(getattr(images, name)))

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluates positions in the frame of the player to move.

        Args:
          planes: `[B, C, P]` observations of the environment, of any number type.

        Returns:
          `[B, A]` logits, illegal actions included, and `[B]` values in [-1, 1] for the player to move; both in the
          number type of the parameters.
        """
        if not self.canonical:
            return self.evaluate(planes)
        image, actions = self.image(planes)
        logits, values = self.evaluate(image)
        return logits.gather(1, actions), values

    def image(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the canonical images of positions, `[B, C, P]`, and what each action is there, int64 `[B, A]`."""
        seen = planes.flatten(1)
        chosen = (seen.to(torch.float64) @ self.image_weights).argmin(1)
        return seen.gather(1, self.image_places[chosen]).view_as(planes), self.image_actions[chosen]

    def evaluate(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Returns what `forward` does, of the positions that are given."""
        raise NotImplementedError

    def scaled(self, planes: Tensor) -> Tensor:
        """Returns `[B, C, P]` planes as numbers in [0, 1], in the number type of the parameters."""
        # A scale for each point instead of each plane makes the division several times as fast.
        scale = self.plane_scale[:, None].repeat(1, planes.shape[-1])
        scaled = planes.to(scale.dtype) / scale
        return scaled if self.sees_clock else scaled * self.is_seen

    def keep(self, name: str, values: Tensor | Sequence[int]) -> None:
        """Stores constants of the game as `self.<name>`: they move with the weights and are not saved."""
        self.register_buffer(name, torch.as_tensor(values), persistent=False)


def masked_log_probs(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities of the actions; illegal actions have probability 0.

    Args:
      logits: `[B, A]`.
      mask: bool `[B, A]`, true where the action is legal. In a row without legal actions all are equally likely.

    Returns:
      `[B, A]`, finite, in single precision or better.
    """
    exact = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return torch.log_softmax(exact.masked_fill(~mask, MASK_FILL), dim=-1)


def sample(log_probs: Tensor, numbers: Tensor) -> Tensor:
    """Samples an action for each row, by inverting the cumulative distribution.

    Args:
      log_probs: `[B, A]`.
      numbers: `[B]` random numbers in [0, 1).

    Returns:
      `[B]` int64; never an action without probability.
    """
    # In double precision the threshold stays below the last sum, so that there is always an action above it.
    sums = torch.softmax(log_probs, -1).double().cumsum(-1)
    thresholds = numbers[:, None] * sums[:, -1:]
    return (sums <= thresholds).sum(-1)
