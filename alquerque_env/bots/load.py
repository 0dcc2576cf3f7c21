"""Bots from their specs, the texts by which people name them."""

import math
import os
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from ..errors import BotError
from ..game import Game
from ..render.extras import require
from .alphabeta import MAX_DEPTH, AlphaBetaBot
from .bot import Bot
from .exported import ExportedBot
from .mcts import MAX_SIMULATIONS, MctsBot
from .simple import GreedyBot, RandomBot

KNOWN = ("random", "greedy", "alphabeta:DEPTH", "mcts:SIMULATIONS", "PATH[:SIMULATIONS]")


def load_bot(spec: str, game: Game, *, seed: int | None = None, time_limit: float | None = None) -> Bot:
    """A bot for a game.

    Args:
      spec: `random`, `greedy`, `alphabeta:DEPTH`, `mcts:SIMULATIONS`, or the path of a checkpoint or of an exported
        player with an optional `:SIMULATIONS`.
      game: The game that it shall play.
      seed: Makes its choices repeatable; None for another course each time.
      time_limit: Seconds that `alphabeta` and `mcts` may take for a step; None for as long as it takes.

    Raises:
      BotError: If the spec names no bot, or the bot cannot play the game.
      MissingExtraError: If a checkpoint needs packages that are not installed.
    """
    if not isinstance(spec, str):
        raise BotError(f"a bot's spec is text, not {type(spec).__name__}")
    if time_limit is not None and not (time_limit > 0 and math.isfinite(time_limit)):
        raise BotError(f"the time limit is {time_limit}, expected a number of seconds above 0")
    kind, _, number = spec.partition(":")
    if kind in ("random", "greedy"):
        if spec != kind:
            raise BotError(f"{kind} takes no number, got {spec!r}")
        return (RandomBot if kind == "random" else GreedyBot)(spec, game, seed)
    if kind == "alphabeta":
        depth = _number(spec, number, "a depth", MAX_DEPTH, "alphabeta:5")
        return AlphaBetaBot(spec, game, depth, seed, time_limit)
    if kind == "mcts":
        simulations = _number(spec, number, "a number of simulations", MAX_SIMULATIONS, "mcts:1000")
        return MctsBot(spec, game, simulations, seed, time_limit)
    return _load_player(spec, game, seed)


def _number(spec: str, text: str, what: str, most: int, example: str) -> int:
    number = _read_number(text)
    if number is None or not 1 <= number <= most:
        raise BotError(f"{spec!r} needs {what} from 1 to {most}, as in {example}")
    return number


def _read_number(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) < 20
    return int(text) if is_number else None


def _load_player(spec: str, game: Game, seed: int | None) -> Bot:
    """A checkpoint or an exported player."""
    path, simulations = spec, None
    name, colon, number = spec.rpartition(":")
    if colon and not os.path.exists(path):
        path, simulations = name, _read_number(number)
        if os.path.exists(path) and simulations is None:
            raise BotError(f"{spec!r} needs a number of simulations from 0 after the colon")
    if os.path.isdir(path):
        return _load_checkpoint(Path(path), game, simulations, seed)
    if path.endswith(".py") and os.path.isfile(path):
        return ExportedBot(spec, game, Path(path), simulations)
    if os.path.exists(path):
        raise BotError(f"{path!r} is neither the folder of a checkpoint nor an exported player, a .py file")
    raise BotError(_unknown(spec))


def _load_checkpoint(path: Path, game: Game, simulations: int | None, seed: int | None) -> Bot:
    for file in ("meta.json", "weights.safetensors"):
        if not (path / file).is_file():
            raise BotError(f"{str(path)!r} is not the folder of a checkpoint: it has no {file}")
    for package in ("torch", "safetensors", "training"):
        require(package, "train")
    # By name, since this package does not know of `training` but for this.
    load: Callable[..., Bot] = import_module("training.bot").load_checkpoint_bot
    return load(path, game, simulations, seed)


def _unknown(spec: str) -> str:
    kind = spec.partition(":")[0]
    near = get_close_matches(kind, [known.partition(":")[0] for known in KNOWN[:4]], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"no bot and no file {spec!r}{hint} (known: {', '.join(KNOWN)})"
