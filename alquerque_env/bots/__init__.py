"""Players by spec: bots that play every game under every option.

>>> from alquerque_env import Match, load_bot, load_game
>>> match = Match(load_game("alquerque"), "W:Wa1,e1:Bb2,b3,e2")
>>> str(load_bot("greedy", match.game).choose(match))
'a1xc3'
"""

from typing import TYPE_CHECKING, Any

from .analysis import Analysis, Candidate, Limits
from .bot import Bot, GameBot
from .load import load_bot

if TYPE_CHECKING:
    from .alphabeta import AlphaBetaBot
    from .mcts import MctsBot

__all__ = ["AlphaBetaBot", "Analysis", "Bot", "Candidate", "GameBot", "Limits", "MctsBot", "load_bot"]


def __getattr__(name: str) -> Any:
    # Imported when they are asked for, since their kernels import the compiler.
    if name == "AlphaBetaBot":
        from .alphabeta import AlphaBetaBot

        return AlphaBetaBot
    if name == "MctsBot":
        from .mcts import MctsBot

        return MctsBot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
