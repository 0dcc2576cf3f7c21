"""Games drawn at random, for training and for measuring how far a player gets in games that it has never seen.

Example:
  >>> from alquerque_env.drawn import draw_game
  >>> draw_game(11007).name
  'drawn-1-11007'
"""

from .games import DISTRIBUTION, draw_game
from .splits import SPLITS, DrawnGame, drawn_games

__all__ = ["DISTRIBUTION", "SPLITS", "DrawnGame", "draw_game", "drawn_games"]
