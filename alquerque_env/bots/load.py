"""Loads bots from their specs. Kernels are imported with the bot that has them."""

import math
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn, cast

from ..errors import LONGEST_PATH, BotError, did_you_mean, shorten
from ..files.release import how_to_fetch
from ..game.array_check import check_at_least
from ..game.game import Game, GameId, as_game
from ..search.quiescence import MAX_DEPTH as FEATURE_DEPTH
from .analysis import MAX_DEPTH, MAX_SIMULATIONS
from .bot import Bot, GameBot, SearchBot
from .external.exported import ExportedBot
from .external.ugi_bot import UgiBot, split_command
from .policy import Policy, PolicyBot
from .shipped import FAMILY, META, near_checkpoint, shipped_bots, weights_file
from .spec import CHECKPOINT, EXPORTED, FORMS, FUNCTION, UNKNOWN, Spec, parse_spec, spec_forms
from .trainer import load_from_trainer

Maker = Callable[[Game, int | None, float | None], GameBot]  # loads a bot for a game, with a seed and a time limit


def load_bot(
    spec: str | Policy,
    game: Game | GameId,
    *,
    seed: int | None = None,
    time_limit: float | None = None,
    tables: bool = True,
    programs: bool = True,
) -> GameBot:
    """Loads a bot for a game.

    Until the kernels of the bots have been compiled, a bot runs as plain Python, with the same choices.

    Args:
      spec: `random`, `greedy`, `alphabeta:DEPTH`, `patterns:DEPTH`, `features:DEPTH`, `mcts:SIMULATIONS`, `perfect`;
        `ugi:COMMAND` with the command that starts a UGI engine; or, each with an optional `:SIMULATIONS`, `family`, the
        name of another bot that comes with the package, such as `fetaix-small`, or the path of a checkpoint or an
        exported player. A function from an observation and an action mask to an action is made a bot, see `PolicyBot`;
        the other arguments do not matter to it.
      game: The game that the bot plays, its id, or the path of a game file.
      seed: Makes its choices repeatable; None for a random seed.
      time_limit: Seconds that `alphabeta`, `patterns` and `mcts` may take for a step, and an engine or exported player
        for a turn. With None, engines are sent five seconds, exported players have ten minutes, and the others have no
        limit.
      tables: Whether the bot may look up endgames in the tablebase of the game, if `alquerque solve` has put one into
        the user's cache directory. Measurements turn it off.
      programs: Whether the spec may start a program, as `ugi:COMMAND` and exported players do. Turn it off for text
        that comes from a file, from another program or from a network.

    Returns:
      The bot; `choose` takes a match and returns a step.

    Raises:
      BotError: If the spec names no bot, the bot cannot play the game, or the spec may not start a program.
      AlquerqueError: If the seed is not a natural number.
      MissingExtraError: If a checkpoint needs packages that are not installed. Without torch, NumPy evaluates networks
        of the kinds `mlp` and `family`.
    """
    if callable(spec):
        return PolicyBot(game, spec)
    rules = as_game(game)
    make = find_bot(spec, rules, tables=tables, programs=programs)
    if time_limit is not None and not (time_limit > 0 and math.isfinite(time_limit)):
        raise BotError(f"the time limit is {time_limit}, expected a number of seconds above 0")
    return make(rules, None if seed is None else check_at_least(0, "seed", seed), time_limit)


def as_bot(
    player: str | Bot | Policy, game: Game, *, seed: int, observation: str = "planes", batched: bool = False
) -> Bot:
    """Returns the bot of a spec, without tables; a function as a bot, see `PolicyBot`; a bot as it is."""
    if isinstance(player, str):
        return load_bot(player, game, seed=seed, tables=False)
    if hasattr(player, "choose"):
        return cast(Bot, player)
    return PolicyBot(game, player, observation=observation, batched=batched)


def find_bot(text: str, game: Game | None = None, *, tables: bool = True, programs: bool = True) -> Maker:
    """Checks a spec without loading the bot, which may take long; returns the function that loads it.

    What an error suggests can play `game`, if that is known already.
    Raises `BotError` if the spec names no bot, or starts a program and `programs` is false.
    """
    spec = parse_spec(text)
    if not programs and spec.starts_program:
        raise BotError(
            f"{shorten(text)!r} starts a program, which is allowed on the command line and in Python only: "
            "a file or another program can name only bots that are data"
        )
    if spec.kind in (FUNCTION, UNKNOWN) or (spec.kind == EXPORTED and not spec.files):
        _refuse(spec, game)
    make = _read(spec)

    def load(game: Game, seed: int | None, time_limit: float | None) -> GameBot:
        bot = make(game, seed, time_limit)
        if tables and isinstance(bot, SearchBot):
            from ..solve.tables import present_table

            if (table := present_table(game)) is not None:
                bot.use_table(table)
        return bot

    return load


_NUMBERS = {
    "alphabeta": ("a depth", 1, MAX_DEPTH, 5),
    "patterns": ("a depth", 1, MAX_DEPTH, 5),
    "features": ("a depth", 0, FEATURE_DEPTH, 1),
    "mcts": ("a number of simulations", 1, MAX_SIMULATIONS, 1000),
}
"""The number that a kind needs, the least and the most that it can be, and an example."""


def _read(spec: Spec) -> Maker:
    """Checks the spec of a bot; returns the function that loads it."""
    if spec.kind == "ugi":
        command = split_command(spec.text, spec.rest or "")
        return lambda game, _, seconds: UgiBot(spec.text, game, command, seconds)
    if spec.path is not None:
        simulations, path = _read_simulations(spec), spec.path
        if spec.kind == CHECKPOINT:
            return read_checkpoint(path, simulations, str(Path(spec.name)))
        return lambda game, _, seconds: ExportedBot(spec.text, game, path, simulations, seconds)
    if spec.kind in _NUMBERS:
        what, least, most, example = _NUMBERS[spec.kind]
        if spec.number is None or not least <= spec.number <= most:
            raise BotError(f"{spec.text!r} needs {what} from {least} to {most}, as in {spec.kind}:{example}")
    elif spec.rest is not None:
        raise BotError(f"{spec.kind} takes no number, got {spec.text!r}")
    return partial(_make, spec)


def _make(spec: Spec, game: Game, seed: int | None, seconds: float | None) -> GameBot:
    """Makes a bot of this package that has no file."""
    number = spec.number or 0
    if spec.kind == "mcts":
        from .mcts import MctsBot

        return MctsBot(spec.text, game, number, seed, seconds)
    if spec.kind == "perfect":
        from .perfect import PerfectBot

        return PerfectBot(spec.text, game, seed, seconds)
    if spec.kind in ("alphabeta", "patterns"):
        from .alphabeta import AlphaBetaBot

        if spec.kind == "alphabeta":
            return AlphaBetaBot(spec.text, game, number, seed, seconds)
        from .patterns.pattern_file import load_patterns

        return AlphaBetaBot(spec.text, game, number, seed, seconds, patterns=load_patterns(game))
    from .simple import FeaturesBot, GreedyBot, RandomBot

    if spec.kind == "features":
        return FeaturesBot(spec.text, game, number, seed)
    return (RandomBot if spec.kind == "random" else GreedyBot)(spec.text, game, seed)


def _read_simulations(spec: Spec) -> int | None:
    """The simulations of a spec of a file; None if it does not say."""
    if spec.rest is not None and spec.number is None:
        raise BotError(f"{spec.text!r} needs a number of simulations from 0 after the colon")
    return spec.number


def _refuse(spec: Spec, for_game: Game | None) -> NoReturn:
    _read_simulations(spec)
    if os.path.exists(spec.name):
        raise BotError(f"{spec.name!r} is neither the folder of a checkpoint nor an exported player, a .py file")
    from .levels import can_play, describe_level

    known = [name for name in (*FORMS, *shipped_bots()) if for_game is None or can_play(name, for_game)]
    hint = did_you_mean(spec.text.partition(":")[0], known)
    if level := describe_level(spec.text, for_game):
        hint = f"; the level of this name is {level}"
    if missing := how_to_fetch(spec.text.partition(":")[0]):
        hint = f": {missing}"
    trained = [name for name in known if name not in (*FORMS, FAMILY)]
    example = f", with NAME such as {trained[-1]}" if trained else ""
    raise BotError(
        f"no bot and no file {shorten(spec.text, LONGEST_PATH)!r}{hint} (known: {', '.join(spec_forms())}{example})"
    )


def read_checkpoint(path: Path, simulations: int | None, name: str) -> Maker:
    """Returns what loads the checkpoint in a folder as a bot of a name, or raises `BotError`."""
    for file in (path / META, weights_file(path)):
        if not file.is_file():
            near = near_checkpoint(path)
            raise BotError(f"{str(path)!r} is not the folder of a checkpoint: it has no {file.name}{near}")

    return lambda game, seed, _: _checkpoint_loader(path)(path, game, simulations, seed, name=name)


def _checkpoint_loader(path: Path) -> Callable[..., GameBot]:
    """Returns the loader with NumPy, the faster one in one match, if it can evaluate the network; else with torch."""
    from .network.numpy_bot import load_numpy_bot, needs_torch

    return load_from_trainer("load_checkpoint_bot") if needs_torch(path) else load_numpy_bot
