"""Bots from their specs, the texts by which people name them."""

import math
import os
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from ..errors import BotError
from ..game import Game
from ..render.extras import MissingExtraError, require
from .alphabeta import MAX_DEPTH, AlphaBetaBot
from .bot import Bot
from .exported import ExportedBot
from .mcts import MAX_SIMULATIONS, MctsBot
from .shipped import shipped_bots
from .simple import GreedyBot, RandomBot

KNOWN = ("random", "greedy", "alphabeta:DEPTH", "mcts:SIMULATIONS", "PATH[:SIMULATIONS]")


def load_bot(spec: str, game: Game, *, seed: int | None = None, time_limit: float | None = None) -> Bot:
    """A bot for a game.

    Args:
      spec: `random`, `greedy`, `alphabeta:DEPTH`, `mcts:SIMULATIONS`; or, each with an optional `:SIMULATIONS`, the
        name of a bot that comes with the package, such as `fetaix-small`, or the path of a checkpoint or of an
        exported player.
      game: The game that it shall play.
      seed: Makes its choices repeatable; None for another course each time.
      time_limit: Seconds that `alphabeta` and `mcts` may take for a step; None for as long as it takes.

    Raises:
      BotError: If the spec names no bot, or the bot cannot play the game.
      MissingExtraError: If a checkpoint needs packages that are not installed: where torch is missing, NumPy evaluates
        networks of the kind `mlp` and no others.
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
    if (shipped := shipped_bots().get(kind)) is not None:
        return _load_checkpoint(shipped, game, _simulations(spec, kind), seed, name=kind)
    return _load_player(spec, game, seed)


def _number(spec: str, text: str, what: str, most: int, example: str) -> int:
    number = _read_number(text)
    if number is None or not 1 <= number <= most:
        raise BotError(f"{spec!r} needs {what} from 1 to {most}, as in {example}")
    return number


def _read_number(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) < 20
    return int(text) if is_number else None


def _simulations(spec: str, name: str) -> int | None:
    """The number that follows a name, None where nothing does."""
    if spec == name:
        return None
    simulations = _read_number(spec.removeprefix(f"{name}:"))
    if simulations is None:
        raise BotError(f"{spec!r} needs a number of simulations from 0 after the colon")
    return simulations


def _load_player(spec: str, game: Game, seed: int | None) -> Bot:
    """A checkpoint or an exported player."""
    path, simulations = spec, None
    name, colon, _ = spec.rpartition(":")
    if colon and not os.path.exists(path) and os.path.exists(name):
        path, simulations = name, _simulations(spec, name)
    if os.path.isdir(path):
        return _load_checkpoint(Path(path), game, simulations, seed)
    if path.endswith(".py") and os.path.isfile(path):
        return ExportedBot(spec, game, Path(path), simulations)
    if os.path.exists(path):
        raise BotError(f"{path!r} is neither the folder of a checkpoint nor an exported player, a .py file")
    raise BotError(_unknown(spec))


def _load_checkpoint(path: Path, game: Game, simulations: int | None, seed: int | None, **named: str) -> Bot:
    for file in ("meta.json", "weights.safetensors"):
        if not (path / file).is_file():
            raise BotError(f"{str(path)!r} is not the folder of a checkpoint: it has no {file}")
    # By name, since this package does not know of `training` but for this.
    require("training", "train")
    try:
        for package in ("torch", "pydantic", "safetensors"):
            require(package, "train")
    except MissingExtraError:
        plain = import_module("training.numpy_bot")
        if plain.needs_torch(path):
            raise
        load: Callable[..., Bot] = plain.load_numpy_bot
    else:
        load = import_module("training.bot").load_checkpoint_bot
    return load(path, game, simulations, seed, **named)


def _unknown(spec: str) -> str:
    kind = spec.partition(":")[0]
    shipped = shipped_bots()
    near = get_close_matches(kind, [*(known.partition(":")[0] for known in KNOWN[:4]), *shipped], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    known = [*KNOWN, *(f"{name}[:SIMULATIONS]" for name in shipped)]
    return f"no bot and no file {spec!r}{hint} (known: {', '.join(known)})"
