"""Augmentation: positions turned and mirrored by the symmetries of their game."""

import numpy as np

from alquerque_env.game.game import Game
from alquerque_training.experience.replay_buffer import Positions


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
