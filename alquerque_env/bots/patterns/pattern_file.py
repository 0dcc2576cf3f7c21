"""Files of learned patterns: the weights as safetensors, with what they are for and how they were made as metadata.

Files that come with the package are named by their game. Others are in the user's cache directory, under the game's
name and the hash of its rules, where `training/research/learn_patterns.py` puts them.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ...errors import BotError
from ...files.atomic import write_whole
from ...files.schema import parse
from ...files.user_folders import user_cache_folder
from ...game.game import Game, games
from ...search.pattern_kernels import PatternArrays
from .pattern_set import PatternSet

FORMAT = "2"
SHIPPED = Path(__file__).parent / "weights"
_WEIGHTS = "weights"


@dataclass(frozen=True, kw_only=True)
class PatternCard:
    """How the weights of a file were learned.

    Attributes:
      game: Id of the game.
      options: Every rule option with its value.
      table_hash: Hash of the rules.
      command: The command that made the file.
      seed: Its seed.
      rounds: Rounds of learning.
      examples: Examples made in all rounds.
      processor_time: Seconds of processor time.
      same_as: The game whose file has the weights, since the games differ by their names alone; empty if this one has.
    """

    game: str
    options: dict[str, Any]
    table_hash: str
    command: str
    seed: int
    rounds: int
    examples: int
    processor_time: float
    same_as: str = ""


def pattern_path(game: Game) -> Path:
    """The file of a game's patterns in the user's cache directory."""
    name = f"{game.name}-{game.table_hash}.safetensors"
    return user_cache_folder() / "patterns" / name


def find_pattern_file(game: Game) -> Path | None:
    """The file of a game's patterns: the user's own, or the one of the package; None if there is none."""
    own, shipped = pattern_path(game), SHIPPED / f"{game.name}.safetensors"
    if own.is_file():
        return own
    return shipped if shipped.is_file() and read_card(shipped).table_hash == game.table_hash else None


def load_patterns(game: Game) -> PatternArrays:
    """The patterns of a game for a search; `BotError` if there are or can be none, or their file is damaged."""
    found = PatternSet(game)
    path = find_pattern_file(game)
    command = " ".join(["python training/research/learn_patterns.py", game.command_argument, *game.option_arguments])
    if path is None:
        raise BotError(
            f"there are no patterns for {game.name} with these rules yet: in a checkout `{command}` learns them"
        )
    try:
        return found.arrays(read_weights(path, game, found))
    except BotError as error:
        raise BotError(f"{error}; remove it, or learn it anew with `{command} --force`") from None


def write_patterns(path: Path, weights: np.ndarray, card: PatternCard) -> None:
    """Writes int16 `[W]` weights, whole or not at all (`OSError`)."""
    facts = {name: json.dumps(value) for name, value in asdict(card).items() if name != "same_as"}
    write_whole(path, save({_WEIGHTS: weights}, {"format": FORMAT, **facts}))


def read_card(path: Path) -> PatternCard:
    """Reads the metadata of a file; `BotError` if it is damaged."""
    try:
        with safe_open(path, "numpy") as file:
            facts = file.metadata() or {}
        if facts.pop("format", None) != FORMAT:
            raise ValueError(f"its metadata lacks the format {FORMAT!r}")
        card = {name: json.loads(text) for name, text in facts.items()}
    except (SafetensorError, OSError, ValueError, RecursionError) as error:
        raise BotError(f"{str(path)!r} is no file of patterns: {error}") from None
    return parse(PatternCard, card, repr(str(path)), BotError)


def read_weights(path: Path, game: Game, found: PatternSet) -> np.ndarray:
    """Reads the weights of a game's patterns, int16 `[W]`; `BotError` if they are damaged or of other rules."""
    card = read_card(path)
    if card.table_hash != game.table_hash:
        raise BotError(f"{str(path)!r} has patterns of {card.game} with rules {card.table_hash}, not of {game!r}")
    holder = SHIPPED / f"{card.same_as}.safetensors" if card.same_as in games() else path
    with safe_open(holder, "numpy") as file:
        part = file.get_slice(_WEIGHTS) if _WEIGHTS in file.keys() else None  # noqa: SIM118
        if part is None or part.get_dtype() != "I16" or part.get_shape() != [found.num_weights]:
            raise BotError(f"{str(path)!r} is damaged: expected {found.num_weights} weights of 16 bits")
        weights: np.ndarray = part[:]
    return weights
