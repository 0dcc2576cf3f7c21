"""Exact values of an endgame table as results of self-play, so that they do not depend on how endings are played."""

import numpy as np

from alquerque_env.errors import TableError
from alquerque_env.game.game import Game
from alquerque_env.solve.tables import load_table
from alquerque_training.config.loader import ConfigError


class TableValues:
    """Looks up the exact results of positions with few pieces.

    Args:
      game: The game.
      discount: Factor per ply before the end.
      limit: Plies without progress after which a match ends, if lower than in the rules.

    Raises:
      ConfigError: If the game has no table.
    """

    def __init__(self, game: Game, discount: float, limit: int | None = None) -> None:
        try:
            self._table = load_table(game)
        except TableError as error:
            raise ConfigError(f"self_play.exact_values needs an endgame table: {error}") from None
        self._table.load()
        usual = game.rules.no_progress_limit
        # Plies until a match without progress ends and the majority wins.
        self._patience = limit or (0 if usual == "off" else usual)
        self._discount = discount

    def results(self, states: np.ndarray) -> np.ndarray:
        """Discounted exact values of positions.

        Args:
          states: int64 `[B, S]` of matches that are not over.

        Returns:
          float32 `[B]` in [-1, 1] for the player to move; NaN where the table has no value.
        """
        found = self._table.probe(states)
        plies = np.where(found.distance < 0, self._patience, found.distance)
        return np.where(found.known, found.value * self._discount**plies, np.nan).astype(np.float32)
