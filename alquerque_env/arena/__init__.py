"""Bots play against each other and are rated.

>>> from alquerque_env import load_game
>>> from alquerque_env.arena import Settings, play_arena
>>> result = play_arena(load_game("fetaix"), ["alphabeta:2", "random"], Settings(games=20, judge="random"))
>>> [(player.name, player.rating.value > 100) for player in result.players]
[('alphabeta:2', True), ('random', False)]
"""

from .arena_result import ArenaResult, PairingResult, PlayerResult, rate_together
from .arena_settings import Settings
from .progress import Progress
from .sprt import Question
from .tournament import play_arena

__all__ = [
    "ArenaResult",
    "PairingResult",
    "PlayerResult",
    "Progress",
    "Question",
    "Settings",
    "play_arena",
    "rate_together",
]
