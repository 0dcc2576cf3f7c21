"""Heads that tell how a match will end. They teach the hidden layers of a network, and are no part of the player."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from alquerque_training.config.settings import AlphaZeroConfig
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.networks.layers import linear

OWNERS = 3  # the opponent, nobody, the player to move


class EndOfMatch(nn.Module):
    """Whose piece is on each point at the end of the match, and how many choices are left until then.

    Source: Wu 2019, arXiv:1902.10565, section 4.1 (ownership).
    """

    def __init__(self, width: int, points: int, generator: torch.Generator) -> None:
        super().__init__()
        self.owner = linear(width, OWNERS * points, gain=0.1, generator=generator)
        self.left = linear(width, 1, gain=0.1, generator=generator)

    def find_loss(self, hidden: Tensor, rows: Positions, config: AlphaZeroConfig) -> Tensor:
        """The loss from `[N, width]` hidden features, with the weights of the config.

        That of owners is cross-entropy, the mean over the points; that of choices left is the squared error of their
        logarithm.
        """
        owner, left = (torch.from_numpy(numbers).to(hidden.device) for numbers in (rows.owner, rows.left))
        shares = self.owner(hidden.float()).view(len(owner), OWNERS, -1)
        owner_loss = functional.cross_entropy(shares, owner.long() + 1)
        left_loss = ((self.left(hidden.float()).squeeze(-1) - left.log()) ** 2).mean()
        return config.owner_weight * owner_loss + config.left_weight * left_loss
