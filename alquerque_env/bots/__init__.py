"""Players by spec: bots that play every game under every option.

>>> from alquerque_env import Match, load_bot, load_game
>>> match = Match(load_game("alquerque"), "W:Wa1,e1:Bb2,b3,e2")
>>> str(load_bot("greedy", match.game).choose(match))
'a1xc3'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .analysis import Analysis, Candidate, Limits
from .bot import Bot, GameBot
from .load import load_bot

if TYPE_CHECKING:
    from .alphabeta import AlphaBetaBot
    from .mcts import MctsBot

__all__ = ["AlphaBetaBot", "Analysis", "Bot", "Candidate", "GameBot", "Limits", "MctsBot", "load_bot"]

_MODULES = {"AlphaBetaBot": ".alphabeta", "MctsBot": ".mcts"}


def __getattr__(name: str) -> Any:
    # Imported when they are asked for, since kernels import the compiler.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name], __name__), name)
