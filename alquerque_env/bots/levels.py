"""Levels: named bots from beginner to strongest, for people who do not know specs."""

from typing import NamedTuple

from ..game.game import Game
from ..solve.proved_steps import has_proof
from ..solve.tables.whole import has_whole_table
from .analysis import MAX_DEPTH
from .network.model_card import read_card
from .patterns.pattern_file import find_pattern_file
from .shipped import shipped_bots


class Level(NamedTuple):
    """A bot with a name for people, and one sentence about how it plays."""

    name: str
    spec: str
    about: str


# Each level up to Medium is clearly stronger than the one before. The Elo ratings of
# `alquerque arena GAME random mcts:5 mcts:20 alphabeta:1 --games 40` were 0, 195, 474, 726 in alquerque,
# 0, 212, 536, 854 in fetaix, and 0, 160, 559, 1237 in alquerque_alfonso_x. Bots that look ahead draw with each other in
# that game and in several others; there the levels from Medium on differ in how many mistakes of a weaker player they
# use.
EASY = Level("Easy", "mcts:5", "Tries its steps out in five random matches, and overlooks most things.")
_SEARCHING = (
    Level("Beginner", "random", "Plays anything that is allowed."),
    EASY,
    Level("Casual", "mcts:20", "Tries its steps out in twenty random matches, and overlooks many things."),
    Level("Medium", "alphabeta:1", "Looks at its own next turn and the captures after it."),
    Level("Hard", "alphabeta:3", "Looks three turns ahead."),
    Level("Expert", f"alphabeta:{MAX_DEPTH}", "Looks as many turns ahead as it has time for."),
)
_BY_PATTERNS = Level(
    "Master",
    f"patterns:{MAX_DEPTH}",
    "Looks as far ahead as Expert, and judges positions by patterns that it has learned.",
)
# The games in which Master is stronger than Trained. With about as many turns as it looks ahead in two seconds,
# `alquerque arena fetaix patterns:11 fetaix-strong:400 --games 200 --seed 1` says .565 (.536 to .592); in alquerque
# `patterns:12` has .43.
_MASTER_ABOVE_TRAINED = frozenset({"fetaix"})
_TRAINED = ("strong", 400)
# The one level that looks up the tables and proofs of the package.
_BY_TABLE = Level("Perfect", "perfect", "Plays by a table of all positions, and gives no win and no draw away.")
_BY_PROOF = Level(
    "Perfect", "perfect", "Plays by a proof from the start, and searches in positions that it leaves out."
)


def levels(game: Game) -> tuple[Level, ...]:
    """Returns the levels of a game, weakest first.

    There is a trained bot only for the default options, and a perfect one only where a table of the whole game or a
    proof of its start comes with the package or is in the user's cache directory.
    """
    learned, trained = _learned(game), _trained(game)
    best = (*trained, *learned) if game.name in _MASTER_ABOVE_TRAINED else (*learned, *trained)
    return (*_SEARCHING, *best, *_perfect(game))


def level_names() -> dict[str, str]:
    """The name of every spec that is a level of some game of the package."""
    kind, simulations = _TRAINED
    trained = {f"{name}:{simulations}": "Trained" for name in shipped_bots() if name.endswith(f"-{kind}")}
    return {level.spec: level.name for level in (*_SEARCHING, _BY_PATTERNS, _BY_TABLE)} | trained


def can_play(name: str, game: Game) -> bool:
    """Whether the bots of a kind of spec, or the one of this name that comes with the package, can play a game."""
    folder = shipped_bots().get(name)
    if folder is None:
        return name != "patterns" or bool(_learned(game))
    return folder.parent.name == game.name and read_card(folder).table_hash == game.table_hash


def describe_level(name: str, game: Game | None) -> str | None:
    """How to play as the level of a name does, in any case; None if there is none.

    Without a game these are the levels whose specs do not depend on it.
    """
    named = (*_SEARCHING, _BY_PATTERNS, _BY_TABLE) if game is None else levels(game)
    known = {level.name.lower(): level.spec for level in named}
    spec = known.get(name.lower())
    return f"{spec} with a time limit" if spec and spec.endswith(f":{MAX_DEPTH}") else spec


def _perfect(game: Game) -> tuple[Level, ...]:
    if has_whole_table(game):
        return (_BY_TABLE,)
    return (_BY_PROOF,) if has_proof(game) else ()


def _learned(game: Game) -> tuple[Level, ...]:
    return () if game.board.is_wide or find_pattern_file(game) is None else (_BY_PATTERNS,)


def _trained(game: Game) -> tuple[Level, ...]:
    name, simulations = _TRAINED
    known = f"{game.name}-{name}"
    is_default = all(value == game.option_table[option].default for option, value in game.options.items())
    if not is_default or game.file_text or known not in shipped_bots():
        return ()
    about = f"Learned by playing itself, and searches with {simulations} simulations per step."
    return (Level("Trained", f"{known}:{simulations}", about),)
