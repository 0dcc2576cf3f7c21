"""Replay buffer: the newest positions of self-play with their outcomes."""

from typing import NamedTuple

import numpy as np

from alquerque_env.game.game import Game
from alquerque_training.experience.state_arrays import Arrays

# Positions with more legal actions are left out: they are rare, and room for them would double the buffer.
MAX_CHOICES = 48


class Positions(NamedTuple):
    """`N` positions in which a player had a choice. All numbers are from the perspective of that player.

    Attributes:
      planes: int8 `[N, C, P]`.
      actions: int16 `[N, K]`, the legal actions, padded with -1.
      policy: float32 `[N, K]`, their probabilities under the improved policy of the search.
      policy_weight: float32 `[N]`, 1, or 0 where the search was a quick one.
      outcome: float32 `[N]`, 1, 0 or -1, discounted if the config says so.
      value: float32 `[N]`, value of the root after the search.
    """

    planes: np.ndarray
    actions: np.ndarray
    policy: np.ndarray
    policy_weight: np.ndarray
    outcome: np.ndarray
    value: np.ndarray

    @classmethod
    def empty(cls, count: int, shape: tuple[int, int]) -> "Positions":
        """Room for `count` positions of `[C, P]` planes."""
        return cls(
            planes=np.zeros((count, *shape), np.int8),
            actions=np.full((count, MAX_CHOICES), -1, np.int16),
            policy=np.zeros((count, MAX_CHOICES), np.float32),
            policy_weight=np.zeros(count, np.float32),
            outcome=np.zeros(count, np.float32),
            value=np.zeros(count, np.float32),
        )

    def take(self, index: np.ndarray | slice) -> "Positions":
        """The rows at an index or slice."""
        return Positions(*(field[index] for field in self))


class ReplayBuffer:
    """Holds the newest of the positions `added` so far; the oldest are overwritten first. The planes have `(C, P)`."""

    def __init__(self, capacity: int, shape: tuple[int, int]) -> None:
        self._rows = Positions.empty(capacity, shape)
        self._capacity = capacity
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, self._capacity)

    def add(self, rows: Positions) -> None:
        """Adds positions; if there are more than the capacity, the last ones."""
        rows = rows.take(slice(-self._capacity, None))
        places = (self.added + np.arange(len(rows.outcome))) % self._capacity
        for room, field in zip(self._rows, rows, strict=True):
            room[places] = field
        self.added += len(rows.outcome)

    def sample(self, count: int, window: int, generator: np.random.Generator) -> Positions:
        """Draws `count` positions uniformly from the newest `window`, with replacement."""
        newest = min(window, len(self))
        drawn = self.added - 1 - generator.integers(newest, size=count)
        return self._rows.take(drawn % self._capacity)

    def get_state(self) -> dict[str, np.ndarray]:
        """All positions."""
        kept = self._rows.take(slice(len(self)))
        return {"added": np.array([self.added]), **kept._asdict()}

    def set_state(self, state: Arrays) -> None:
        """Restores a result of `get_state`."""
        self.added = int(state["added"][0])
        for name, room in self._rows._asdict().items():
            room[: len(self)] = state[name]


class Augmenter:
    """Replaces each position by its image under a random symmetry of the game."""

    def __init__(self, game: Game) -> None:
        symmetries = game.symmetries
        points = np.array([symmetry.points for symmetry in symmetries])
        planes = np.array([symmetry.planes for symmetry in symmetries])
        # Where each plane and point of the image comes from.
        self._points, self._planes = points.argsort(1), planes.argsort(1)
        # -1, which pads rows, stays -1.
        actions = np.array([symmetry.actions for symmetry in symmetries], np.int16)
        self._actions = np.concatenate([actions, np.full((len(symmetries), 1), -1, np.int16)], axis=1)

    def __call__(self, rows: Positions, generator: np.random.Generator) -> Positions:
        """The images of `N` positions, each under its own random symmetry."""
        count = len(rows.outcome)
        chosen = generator.integers(len(self._points), size=count)
        planes, points = self._planes[chosen], self._points[chosen]
        image = rows.planes[np.arange(count)[:, None, None], planes[:, :, None], points[:, None, :]]
        actions = self._actions[chosen[:, None], rows.actions]
        return rows._replace(planes=image, actions=actions)
