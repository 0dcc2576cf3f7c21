"""Levels: named bots from beginner to strongest, for people who do not know specs."""

from typing import NamedTuple

from ..game.game import Game
from ..solve.proved_steps import has_proof
from ..solve.tables.whole import has_whole_table
from .analysis import MAX_DEPTH
from .network.model_card import read_card
from .patterns.pattern_file import find_pattern_file
from .shipped import FAMILY, shipped_bots
from .spec import TEXTS


class Level(NamedTuple):
    """A bot with a name for people, and one sentence about how it plays."""

    name: str
    spec: str
    about: str


_LEVELS = {kind: tuple(Level(**each) for each in found) for kind, found in TEXTS["levels"].items()}
_ALWAYS = _LEVELS["searching"]
EASY = next(level for level in _ALWAYS if level.name == "Easy")
# The games in which Master is stronger than Trained. With about as many turns as it looks ahead in two seconds,
# `alquerque arena fetaix patterns:11 fetaix-strong:400 --games 200 --seed 1` says .565 (.536 to .592); in alquerque
# `patterns:12` has .43.
_MASTER_ABOVE_TRAINED = frozenset({"fetaix"})
_TRAINED = ("strong", 400)


def levels(game: Game) -> tuple[Level, ...]:
    """Returns the levels of a game, weakest first.

    The trained bot is that of the game, with the default options, or else the one for all games. There is a perfect one
    only where a table of the whole game or a proof of its start comes with the package or is in the cache directory.
    """
    learned, trained = _learned(game), _trained(game)
    best = (*trained, *learned) if game.name in _MASTER_ABOVE_TRAINED else (*learned, *trained)
    return (*_ALWAYS, *best, *_perfect(game))


def level_names() -> dict[str, str]:
    """The name of every spec that is a level of some game of the package."""
    kind, simulations = _TRAINED
    trained = {f"{name}:{simulations}": "Trained" for name in shipped_bots() if name.endswith(f"-{kind}")}
    kinds = "searching", "learned", "family", "table"
    return {level.spec: level.name for kind in kinds for level in _LEVELS[kind]} | trained


def can_play(name: str, game: Game) -> bool:
    """Whether the bots of a kind of spec, or the one of this name that comes with the package, can play a game."""
    folder = shipped_bots().get(name)
    if folder is None:
        return name != "patterns" or bool(_learned(game))
    if name == FAMILY:
        return True
    return folder.parent.name == game.name and read_card(folder).table_hash == game.table_hash


def describe_level(name: str, game: Game | None) -> str | None:
    """How to play as the level of a name does, in any case; None if there is none.

    Without a game these are the levels whose specs do not depend on it.
    """
    named = (*_ALWAYS, *_LEVELS["learned"], *_LEVELS["table"]) if game is None else levels(game)
    known = {level.name.lower(): level.spec for level in named}
    spec = known.get(name.lower())
    return f"{spec} with a time limit" if spec and spec.endswith(f":{MAX_DEPTH}") else spec


def _perfect(game: Game) -> tuple[Level, ...]:
    if has_whole_table(game):
        return _LEVELS["table"]
    return _LEVELS["proof"] if has_proof(game) else ()


def _learned(game: Game) -> tuple[Level, ...]:
    return () if game.board.is_wide or find_pattern_file(game) is None else _LEVELS["learned"]


def _trained(game: Game) -> tuple[Level, ...]:
    name, simulations = _TRAINED
    known = f"{game.name}-{name}"
    is_default = all(value == game.option_table[option].default for option, value in game.options.items())
    if is_default and not game.file_text and known in shipped_bots():
        about = f"Learned by playing itself, and searches with {simulations} simulations per step."
        return (Level("Trained", f"{known}:{simulations}", about),)
    return trained_in_all(game)


def trained_in_all(game: Game) -> tuple[Level, ...]:
    """The level of the network for all games, where it plays quickly."""
    is_quick = not game.board.is_wide  # without compiled kernels a step takes ten seconds
    return _LEVELS["family"] if is_quick and FAMILY in shipped_bots() else ()
