"""Bots from their specs, the texts by which people name them."""

import math
import os
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from ..errors import BotError, MissingExtraError
from ..game.game import Game, as_game
from ..solve.tables import EndgameTable, present_table
from .alphabeta import MAX_DEPTH, AlphaBetaBot
from .bot import GameBot
from .external.exported import PATIENCE, ExportedBot
from .external.ugi_bot import UgiBot, split_command
from .mcts import MAX_SIMULATIONS, MctsBot
from .network.network_bot import NetworkBot
from .network.numpy_bot import load_numpy_bot, needs_torch
from .shipped import META, WEIGHTS, shipped_bots
from .simple import GreedyBot, RandomBot
from .trainer import load_from_trainer

KNOWN = ("random", "greedy", "alphabeta:DEPTH", "mcts:SIMULATIONS", "ugi:COMMAND", "PATH[:SIMULATIONS]")
_KINDS = tuple(known.partition(":")[0] for known in KNOWN[:5])

Maker = Callable[[Game, int | None, float | None], GameBot]
"""Loads a bot for a game, with a seed and a time limit."""

Finder = Callable[[Game], EndgameTable | None]
"""Finds the endgame table of a game."""


def load_bot(
    spec: str, game: Game | str, *, seed: int | None = None, time_limit: float | None = None, tables: bool = True
) -> GameBot:
    """A bot for a game.

    Args:
      spec: `random`, `greedy`, `alphabeta:DEPTH`, `mcts:SIMULATIONS`; `ugi:COMMAND` for an engine that speaks UGI, with
        the command line that starts it; or, each with an optional `:SIMULATIONS`, the name of a bot that comes with the
        package, such as `fetaix-small`, or the path of a checkpoint or of an exported player.
      game: The game that it shall play, or its id.
      seed: Makes its choices repeatable; None for another course each time.
      time_limit: Seconds that `alphabeta` and `mcts` may take for a step, and an engine or an exported player for a
        turn; if None, engines are told five seconds, and the others take as long as it takes.
      tables: Whether bots that search may look endgames up in the table of the game, if `alquerque solve` has put one
        into the user's cache directory. What is to be measured is measured without.

    Raises:
      BotError: If the spec names no bot, or the bot cannot play the game.
      MissingExtraError: If a checkpoint needs packages that are not installed: where torch is missing, NumPy evaluates
        networks of the kinds `mlp` and `quiescent` and no others.
    """
    make = find_bot(spec, tables=tables)
    if time_limit is not None and not (time_limit > 0 and math.isfinite(time_limit)):
        raise BotError(f"the time limit is {time_limit}, expected a number of seconds above 0")
    return make(as_game(game), seed, time_limit)


def find_bot(spec: str, *, tables: bool = True) -> Maker:
    """What loads the bot of a spec, which may take long. The arguments are those of `load_bot`, which see.

    Raises:
      BotError: If the spec names no bot.
    """
    if not isinstance(spec, str):
        raise BotError(f"a bot's spec is text, not {type(spec).__name__}")
    kind, _, rest = spec.partition(":")
    find = present_table if tables else _no_table
    if kind in ("random", "greedy"):
        if spec != kind:
            raise BotError(f"{kind} takes no number, got {spec!r}")
        return lambda game, seed, _: (RandomBot if kind == "random" else GreedyBot)(spec, game, seed)
    if kind == "alphabeta":
        depth = _number(spec, rest, "a depth", MAX_DEPTH, "alphabeta:5")
        return lambda game, seed, seconds: AlphaBetaBot(spec, game, depth, seed, seconds, find(game))
    if kind == "mcts":
        simulations = _number(spec, rest, "a number of simulations", MAX_SIMULATIONS, "mcts:1000")
        return lambda game, seed, seconds: MctsBot(spec, game, simulations, seed, seconds, find(game))
    if kind == "ugi":
        command = split_command(spec, rest)
        return lambda game, _, seconds: UgiBot(spec, game, command, seconds)
    if (shipped := shipped_bots().get(kind)) is not None:
        return _find_checkpoint(shipped, _simulations(spec, kind), find, name=kind)
    return _find_player(spec, find)


def _no_table(_game: Game) -> None:
    return None


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


def played_files(spec: str) -> tuple[Path, ...]:
    """The files that decide how a bot plays: those of a checkpoint, or an exported player; none for other bots."""
    kind, _, _ = spec.partition(":")
    if kind in _KINDS:
        return ()
    path = shipped_bots().get(kind) or Path(_split_path(spec)[0])
    files = (path / META, path / WEIGHTS) if path.is_dir() else (path,)
    return tuple(file for file in files if file.is_file())


def _split_path(spec: str) -> tuple[str, int | None]:
    """The path in a spec, and the number of simulations if it has one."""
    name, colon, _ = spec.rpartition(":")
    if colon and not os.path.exists(spec) and os.path.exists(name):
        return name, _simulations(spec, name)
    return spec, None


def _find_player(spec: str, find: Finder) -> Maker:
    """A checkpoint or an exported player."""
    path, simulations = _split_path(spec)
    if os.path.isdir(path):
        return _find_checkpoint(Path(path), simulations, find)
    if path.endswith(".py") and os.path.isfile(path):
        return lambda game, _, seconds: ExportedBot(spec, game, Path(path), simulations, seconds or PATIENCE)
    if os.path.exists(path):
        raise BotError(f"{path!r} is neither the folder of a checkpoint nor an exported player, a .py file")
    raise BotError(_unknown(spec))


def _find_checkpoint(path: Path, simulations: int | None, find: Finder, **named: str) -> Maker:
    for file in (META, WEIGHTS):
        if not (path / file).is_file():
            raise BotError(f"{str(path)!r} is not the folder of a checkpoint: it has no {file}")

    def make(game: Game, seed: int | None, _: float | None) -> GameBot:
        bot = _checkpoint_loader(path)(path, game, simulations, seed, **named)
        if (table := find(game)) is not None:
            bot.use_table(table)
        return bot

    return make


def _checkpoint_loader(path: Path) -> Callable[..., NetworkBot]:
    """What loads a checkpoint: torch where it is installed, else NumPy if it can evaluate the network."""
    try:
        return load_from_trainer("load_checkpoint_bot")
    except MissingExtraError:
        if needs_torch(path):
            raise
        return load_numpy_bot


def _unknown(spec: str) -> str:
    kind = spec.partition(":")[0]
    shipped = shipped_bots()
    near = get_close_matches(kind, [*_KINDS, *shipped], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    known = [*KNOWN, *(f"{name}[:SIMULATIONS]" for name in shipped)]
    return f"no bot and no file {spec!r}{hint} (known: {', '.join(known)})"
