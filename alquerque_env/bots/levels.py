"""Levels: bots from one that a child beats to the strongest there is, for people who do not know specs."""

from typing import NamedTuple

from ..game.game import Game
from ..game.kernel_arrays import JIT
from .shipped import shipped_bots


class Level(NamedTuple):
    """A bot for people.

    Attributes:
      name: What people call it.
      spec: The bot's spec.
      about: How it plays, as a sentence.
    """

    name: str
    spec: str
    about: str


# Each stands clearly above the one before: `alquerque arena GAME random mcts:5 mcts:20 alphabeta:1 --games 40` gave
# 0, 195, 474, 726 Elo in alquerque, 0, 212, 536, 854 in fetaix, and 0, 160, 559, 1237 in alquerque_alfonso_x, where
# bots that look ahead draw with each other.
_SEARCHING = (
    Level("Beginner", "random", "Plays anything that is allowed."),
    Level("Easy", "mcts:5", "Tries its steps out in five random matches, and overlooks most things."),
    Level("Casual", "mcts:20", "Tries its steps out in twenty random matches, and overlooks many things."),
    Level("Medium", "alphabeta:1", "Looks at its own next turn and the captures after it."),
    Level("Hard", "alphabeta:3", "Looks three turns ahead."),
    Level("Expert", "alphabeta:8", "Looks eight turns ahead."),
)
# In plain Python 400 simulations of a network that is told four turns ahead would take a minute.
_TRAINED = ("strong", 400 if JIT else 40)


def levels(game: Game) -> tuple[Level, ...]:
    """The levels of a game, the weakest first; a trained one only for the options that it was trained for."""
    name, simulations = _TRAINED
    known = f"{game.name}-{name}"
    is_default = all(value == game.option_table[option].default for option, value in game.options.items())
    if not is_default or known not in shipped_bots():
        return _SEARCHING
    about = f"Learned by playing itself, and searches with {simulations} simulations a step."
    return (*_SEARCHING, Level("Trained", f"{known}:{simulations}", about))
