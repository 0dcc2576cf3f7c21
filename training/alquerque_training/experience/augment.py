"""Positions turned and mirrored by the symmetries of a game, which leave the rules as they are."""

import numpy as np

from alquerque_env.game.game import Game
from alquerque_training.experience.replay_buffer import Rows


class Augmenter:
    """Draws a symmetry for each position.

    Args:
      game: Whose symmetries.
    """

    def __init__(self, game: Game) -> None:
        symmetries = game.symmetries
        points = np.array([symmetry.points for symmetry in symmetries])
        planes = np.array([symmetry.planes for symmetry in symmetries])
        # Where each plane and point of the image comes from.
        self._points, self._planes = points.argsort(1), planes.argsort(1)
        # An action of -1, which fills rows up, stays what it is.
        actions = np.array([symmetry.actions for symmetry in symmetries], np.int16)
        self._actions = np.concatenate([actions, np.full((len(symmetries), 1), -1, np.int16)], axis=1)

    def __call__(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """The images of positions, each under a symmetry of its own."""
        count = len(rows.outcome)
        chosen = generator.integers(len(self._points), size=count)
        planes, points = self._planes[chosen], self._points[chosen]
        image = rows.planes[np.arange(count)[:, None, None], planes[:, :, None], points[:, None, :]]
        actions = self._actions[chosen[:, None], rows.actions]
        return rows._replace(planes=image, actions=actions)
