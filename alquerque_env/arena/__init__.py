"""Bots play against each other and are rated.

>>> from alquerque_env import load_game
>>> from alquerque_env.arena import Settings, play_arena
>>> result = play_arena(load_game("fetaix"), ["alphabeta:2", "random"], Settings(games=20, judge="random"))
>>> [(player.name, player.rating.value > 100) for player in result.players]
[('alphabeta:2', True), ('random', False)]
"""

from ..progress import Progress
from .arena_result import ArenaResult, PairingResult, PlayerResult, rate_together
from .evaluation import Evaluation
from .exact_errors import natural_states
from .openings import Opening, OpeningList, Openings, OpeningsError, extend_list, find_openings
from .schedule import Settings
from .score import Estimate, Meeting, Score
from .sprt import Question
from .tournament import play_arena

__all__ = [
    "ArenaResult",
    "Estimate",
    "Evaluation",
    "Meeting",
    "Opening",
    "OpeningList",
    "Openings",
    "OpeningsError",
    "PairingResult",
    "PlayerResult",
    "Progress",
    "Question",
    "Score",
    "Settings",
    "extend_list",
    "find_openings",
    "natural_states",
    "play_arena",
    "rate_together",
]
