"""Opponents: bots that play every game under every option.

    >>> from alquerque_env import Match, load_bot, load_game
    >>> game = load_game("alquerque")
    >>> str(load_bot("alphabeta:5", game).choose(Match(game)))
    'c2-c3'
"""

from .alphabeta import AlphaBetaBot, Analysis
from .bot import Bot
from .load import load_bot
from .mcts import MctsBot, StepStatistics

__all__ = ["AlphaBetaBot", "Analysis", "Bot", "MctsBot", "StepStatistics", "load_bot"]
