"""Loads bots from their specs, the texts by which people name them. Kernels are imported with the bot that has them.

A new kind of spec is one more entry in `SPEC_KINDS`: errors and help texts list the forms from there.
"""

import math
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..engine.compiled_parts import BOTS, is_compiled
from ..engine.forms import load_plain, uses_compiled
from ..errors import LONGEST_PATH, BotError, MissingExtraError, did_you_mean, shorten
from ..game.array_check import check_at_least
from ..game.game import Game, GameId, as_game
from ..game.kernel_arrays import JIT, PLAIN
from ..game.step import Step
from ..match.match import Match
from .analysis import MAX_DEPTH, MAX_SIMULATIONS, NO_LIMITS, Analysis, Limits, Report
from .bot import GameBot, SearchBot
from .external.exported import ExportedBot
from .external.ugi_bot import UgiBot, split_command
from .policy import Policy, PolicyBot
from .shipped import META, near_checkpoint, shipped_bots, weights_file
from .trainer import load_from_trainer


class WaitingBot(GameBot):
    """Plays like a bot as plain Python, and like the compiled one as soon as there is one: with the same choices.

    None is compiled for a game that is played without compiled kernels.
    """

    def __init__(self, plain: GameBot, compile_bot: Callable[[], GameBot] | None) -> None:
        super().__init__(plain.name, plain.game, None)
        self.can_analyse = plain.can_analyse
        self.has_memory, self.sees_clock, self.canonical = plain.has_memory, plain.sees_clock, plain.canonical
        self._bot = plain
        self._compile = compile_bot

    def choose(self, match: Match) -> Step:
        """See `Bot.choose`."""
        bot = self._now()
        bot.stop = self.stop
        step = bot.choose(match)
        self.note = self._bot.note
        return step

    def choose_many(self, matches: Iterable[Match]) -> list[Step]:
        """See `GameBot.choose_many`."""
        return self._now().choose_many(matches)

    def analyse(
        self, match: Match, limits: Limits = NO_LIMITS, *, all_steps: bool = False, report: Report | None = None
    ) -> Analysis:
        """See `GameBot.analyse`."""
        analysis = self._now().analyse(match, limits, all_steps=all_steps, report=report)
        self.note = self._bot.note
        return analysis

    def policy(self, match: Match) -> np.ndarray | None:
        """See `GameBot.policy`."""
        return self._now().policy(match)

    def restart(self, seed: int) -> None:
        """See `GameBot.restart`."""
        self._now().restart(seed)

    def _now(self) -> GameBot:
        if self._compile is not None and is_compiled(BOTS):
            compiled = self._compile()
            compiled.continue_from(self._bot)
            self._bot, self._compile = compiled, None
        return self._bot


LIGHT = {
    "alphabeta": 5,
    "alphabeta+": 5,
    "mcts": 500,
    "patterns": 5,
}  # the numbers in specs up to which a bot soon answers as plain Python
LIGHT_SIMULATIONS = 40  # the same for simulations of a network

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

    Until the kernels of the bots have been compiled, a bot runs as plain Python, with the same choices. One that would
    take longer than the compiler, such as `alphabeta:8` without a time limit, waits for the compiler instead.

    Args:
      spec: `random`, `greedy`, `alphabeta:DEPTH`, `alphabeta+:DEPTH`, `patterns:DEPTH`, `mcts:SIMULATIONS`, `perfect`;
        `ugi:COMMAND` with the command that starts a UGI engine; or, each with an optional `:SIMULATIONS`, the name of a
        bot that comes with the package, such as `fetaix-small`, or the path of a checkpoint or an exported player. A
        function from an observation and an action mask to an action is made a bot, see `PolicyBot`; the other arguments
        do not matter to it.
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
        of the kind `mlp`, with or without search features.
    """
    if callable(spec):
        return PolicyBot(game, spec)
    rules = as_game(game)
    make = find_bot(spec, rules, tables=tables, programs=programs)
    if time_limit is not None and not (time_limit > 0 and math.isfinite(time_limit)):
        raise BotError(f"the time limit is {time_limit}, expected a number of seconds above 0")
    return make(rules, None if seed is None else check_at_least(0, "seed", seed), time_limit)


def find_bot(spec: str, game: Game | None = None, *, tables: bool = True, programs: bool = True) -> Maker:
    """Checks a spec without loading the bot, which may take long; returns the function that loads it.

    What an error suggests can play `game`, if that is known already.
    Raises `BotError` if the spec names no bot, or starts a program and `programs` is false.
    """
    if not isinstance(spec, str):
        raise BotError(f"a bot's spec is text, not {type(spec).__name__}")
    if not programs and starts_program(spec):
        raise BotError(
            f"{shorten(spec)!r} starts a program, which is allowed on the command line and in Python only: "
            "a file or another program can name only bots that are data"
        )
    prefix, _, rest = spec.partition(":")
    if prefix in SPEC_KINDS:
        make = SPEC_KINDS[prefix].read(spec, rest)
    elif (shipped := shipped_bots().get(prefix)) is not None:
        make = read_checkpoint(shipped, _read_simulations(spec, prefix), name=prefix)
    else:
        make = _read_path(spec, game)

    def load(game: Game, seed: int | None, time_limit: float | None) -> GameBot:
        is_wide = game.board.is_wide
        if JIT and (is_wide or _is_light(spec, time_limit)) and not uses_compiled(BOTS, game):
            plain = load_plain("bots.load").find_bot(spec, tables=tables, programs=programs)(game, seed, time_limit)
            return WaitingBot(plain, None if is_wide else partial(load_compiled, game, seed, time_limit))
        return load_compiled(game, seed, time_limit)

    def load_compiled(game: Game, seed: int | None, time_limit: float | None) -> GameBot:
        bot = make(game, seed, time_limit)
        if tables and isinstance(bot, SearchBot):
            from ..solve.tables import present_table

            if (table := present_table(game)) is not None:
                bot.use_table(table)
        return bot

    return load


def _is_light(spec: str, time_limit: float | None) -> bool:
    """Whether a bot answers soon as plain Python."""
    if starts_program(spec):
        return False
    prefix, _, rest = spec.partition(":")
    if prefix in LIGHT:
        return time_limit is not None or int(rest) <= LIGHT[prefix]
    simulations = spec.rpartition(":")[2]
    return prefix in SPEC_KINDS or not simulations.isdecimal() or int(simulations) <= LIGHT_SIMULATIONS


def starts_program(spec: str) -> bool:
    """Whether a spec has the form of a program, an engine or an exported player. The one place that decides this."""
    prefix = spec.partition(":")[0]
    if prefix in SPEC_KINDS:
        return SPEC_KINDS[prefix].starts_program
    if prefix in shipped_bots() or os.path.isdir(split_path(spec)[0]):
        return False
    return spec.endswith(".py") or spec.rpartition(":")[0].endswith(".py")


def _read_bare(spec: str, _rest: str) -> Maker:
    kind, colon, _ = spec.partition(":")
    if colon:
        raise BotError(f"{kind} takes no number, got {spec!r}")

    def make(game: Game, seed: int | None, seconds: float | None) -> GameBot:
        if kind == "perfect":
            from .perfect import PerfectBot

            return PerfectBot(spec, game, seed, seconds)
        from .simple import GreedyBot, RandomBot

        return (RandomBot if kind == "random" else GreedyBot)(spec, game, seed)

    return make


def _read_alphabeta(spec: str, rest: str) -> Maker:
    kind = spec.partition(":")[0]
    depth = _read_number(spec, rest, "a depth", MAX_DEPTH, f"{kind}:5")

    def make(game: Game, seed: int | None, seconds: float | None) -> GameBot:
        from .alphabeta import AlphaBetaBot

        return AlphaBetaBot(spec, game, depth, seed, seconds, is_full=kind == "alphabeta+")

    return make


def _read_patterns(spec: str, rest: str) -> Maker:
    depth = _read_number(spec, rest, "a depth", MAX_DEPTH, "patterns:5")

    def make(game: Game, seed: int | None, seconds: float | None) -> GameBot:
        from .alphabeta import AlphaBetaBot
        from .patterns.pattern_file import load_patterns

        return AlphaBetaBot(spec, game, depth, seed, seconds, patterns=load_patterns(game))

    return make


def _read_mcts(spec: str, rest: str) -> Maker:
    simulations = _read_number(spec, rest, "a number of simulations", MAX_SIMULATIONS, "mcts:1000")

    def make(game: Game, seed: int | None, seconds: float | None) -> GameBot:
        from .mcts import MctsBot

        return MctsBot(spec, game, simulations, seed, seconds)

    return make


def _read_ugi(spec: str, rest: str) -> Maker:
    command = split_command(spec, rest)
    return lambda game, _, seconds: UgiBot(spec, game, command, seconds)


class SpecKind(NamedTuple):
    """A kind of spec."""

    form: str  # how it is written
    about: str  # what it means, in one line
    # Checks a spec, given also as the part after the colon; returns the function that loads the bot.
    read: Callable[[str, str], Maker]
    starts_program: bool = False  # whether it starts a program that the spec names


SPEC_KINDS = {
    "random": SpecKind("random", "plays legal steps at random", _read_bare),
    "greedy": SpecKind("greedy", "captures as many pieces as possible in its turn", _read_bare),
    "alphabeta": SpecKind("alphabeta:DEPTH", "alpha-beta search, DEPTH turns deep", _read_alphabeta),
    "alphabeta+": SpecKind(
        "alphabeta+:DEPTH", "the same, with the evaluation that alphabeta has in hunts", _read_alphabeta
    ),
    "patterns": SpecKind(
        "patterns:DEPTH", "the same search, with an evaluation that was learned, for some games", _read_patterns
    ),
    "mcts": SpecKind("mcts:SIMULATIONS", "Monte Carlo tree search, SIMULATIONS for a step", _read_mcts),
    "perfect": SpecKind(
        "perfect", "plays by an endgame table or a proof where it has the position, and searches elsewhere", _read_bare
    ),
    "ugi": SpecKind("ugi:COMMAND", "the UGI engine that COMMAND starts", _read_ugi, starts_program=True),
}
"""The kinds of spec by the part before the colon. All other specs are names of shipped bots, or paths."""


def spec_forms() -> dict[str, str]:
    """Returns the meaning of each form of a spec, for help texts."""
    return {
        **{kind.form: kind.about for kind in SPEC_KINDS.values()},
        "PATH[:SIMULATIONS]": "a checkpoint or an exported player; SIMULATIONS for a step of its search",
        "NAME[:SIMULATIONS]": "a trained bot that comes with the package, such as fetaix-small:100",
    }


def _read_number(spec: str, text: str, what: str, most: int, example: str) -> int:
    number = _parse_number(text)
    if number is None or not 1 <= number <= most:
        raise BotError(f"{spec!r} needs {what} from 1 to {most}, as in {example}")
    return number


def _parse_number(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) < 20
    return int(text) if is_number else None


def _read_simulations(spec: str, name: str) -> int | None:
    """Reads the number after a name; None if the spec is the name alone."""
    if spec == name:
        return None
    simulations = _parse_number(spec.removeprefix(f"{name}:"))
    if simulations is None:
        raise BotError(f"{spec!r} needs a number of simulations from 0 after the colon")
    return simulations


def played_files(spec: str) -> tuple[Path, ...]:
    """Returns the files that decide how a bot plays: of a checkpoint or exported player; none for other bots."""
    prefix, _, _ = spec.partition(":")
    if prefix in SPEC_KINDS:
        return ()
    path = shipped_bots().get(prefix) or Path(split_path(spec)[0])
    files = (path / META, weights_file(path)) if os.path.isdir(path) else (path,)
    return tuple(file for file in files if os.path.isfile(file))


def split_path(spec: str) -> tuple[str, int | None]:
    """Splits a spec into a path and the number of simulations; None without a number."""
    name, colon, _ = spec.rpartition(":")
    if colon and not os.path.exists(spec) and os.path.exists(name):
        return name, _read_simulations(spec, name)
    return spec, None


def _read_path(spec: str, for_game: Game | None) -> Maker:
    """Reads the spec of a checkpoint or an exported player."""
    path, simulations = split_path(spec)
    if os.path.isdir(path):
        return read_checkpoint(Path(path), simulations)
    if path.endswith(".py") and os.path.isfile(path):
        return lambda game, _, seconds: ExportedBot(spec, game, Path(path), simulations, seconds)
    if os.path.exists(path):
        raise BotError(f"{path!r} is neither the folder of a checkpoint nor an exported player, a .py file")
    from .levels import can_play, describe_level

    known = [name for name in (*SPEC_KINDS, *shipped_bots()) if for_game is None or can_play(name, for_game)]
    hint = did_you_mean(spec.partition(":")[0], known)
    if level := describe_level(spec, for_game):
        hint = f"; the level of this name is {level}"
    trained = [name for name in known if name not in SPEC_KINDS]
    example = f", with NAME such as {trained[-1]}" if trained else ""
    raise BotError(
        f"no bot and no file {shorten(spec, LONGEST_PATH)!r}{hint} (known: {', '.join(spec_forms())}{example})"
    )


def read_checkpoint(path: Path, simulations: int | None, **named: str) -> Maker:
    """Returns what loads the checkpoint in a folder, or raises `BotError`; the bot is called `name` or as the path."""
    for file in (path / META, weights_file(path)):
        if not file.is_file():
            near = near_checkpoint(path)
            raise BotError(f"{str(path)!r} is not the folder of a checkpoint: it has no {file.name}{near}")

    return lambda game, seed, _: _checkpoint_loader(path)(path, game, simulations, seed, **named)


def _checkpoint_loader(path: Path) -> Callable[..., GameBot]:
    """Returns the loader with torch if torch is installed, else the one with NumPy if it can evaluate the network.

    Torch takes long to import, so NumPy comes first among kernels that run as plain Python beside compiled ones.
    """
    from .network.numpy_bot import load_numpy_bot, needs_torch

    if __name__.startswith(PLAIN) and not needs_torch(path):
        return load_numpy_bot
    try:
        return load_from_trainer("load_checkpoint_bot")
    except MissingExtraError:
        if needs_torch(path):
            raise
        return load_numpy_bot
