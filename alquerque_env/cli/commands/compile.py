"""`alquerque compile`."""

import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType

import click

from ...engine.forms import BOTS, ENVIRONMENTS, ROLLOUTS, TABLES, is_compiled, mark_compiled
from ...errors import AlquerqueError, require
from ...files.lock import LockedError, locked_file
from ...game.game import Game, games, load_game
from ...game.kernel_arrays import JIT
from ..command import HelpfulCommand
from ..console.signals import run_interruptible


@click.command(cls=HelpfulCommand)
@click.argument("parts", metavar="[PART]...", nargs=-1, type=click.Choice([ENVIRONMENTS, BOTS, ROLLOUTS, TABLES]))
@click.option("--in-background", is_flag=True, hidden=True)
def compile(parts: tuple[str, ...], in_background: bool) -> None:  # noqa: A001
    """Compile the kernels that games, bots and environments need.

    Numba compiles a kernel when it is first called and keeps the result in a cache folder, which `alquerque doctor`
    shows. This command fills the cache, so that later commands start at once. It takes some minutes. It also deletes
    kernels of other versions of the package that were not used for 60 days.

    Without it, environments and bots run as plain Python at first, and another process compiles them. ALQUERQUE_JIT=1
    in the environment makes them wait for compiled kernels instead, ALQUERQUE_JIT=0 prevents compilation.
    """
    require("numba", "fast")
    if not JIT:
        settings = "ALQUERQUE_JIT, NUMBA_DISABLE_JIT or .numba_config.yaml"
        raise AlquerqueError(f"{settings} switches compilation off; remove the setting")
    from ...engine.kernel_cache import cache_root, delete_unused, unkept

    root = cache_root()
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    if in_background:
        with suppress(OSError, AttributeError):  # leaves the processor to programs that do not wait for this one
            os.nice(10)
    with ExitStack() as stack:
        try:
            # Who has waited finds nothing left to compile.
            stack.enter_context(locked_file(root, waiting=None if in_background else partial(click.echo, err=True)))
        except LockedError:
            return  # the process that compiles does not need another one
        delete_unused()
        for part in parts or TASKS:
            if in_background and is_compiled(part):
                continue
            began = time.monotonic()
            for game in games():
                run_interruptible(partial(TASKS[part], load_game(game)), f"compiling {part} ...")
            if not unkept:
                mark_compiled(part)
            click.echo(f"{part:<14}  {time.monotonic() - began:6.1f} s")
    if unkept:
        reason = getattr(unkept[0], "strerror", None) or unkept[0]
        raise click.ClickException(f"{len(unkept)} kernels cannot be kept in {root}: {reason}; fix that, and repeat")


def _bots(game: Game) -> None:
    from ...bots import load_bot
    from ...bots.levels import levels
    from ...bots.shipped import shipped_bots
    from ...match.match import Match

    names = [level.spec.partition(":")[0] for level in levels(game)]
    trained = [f"{name}:2" for name in names if name in shipped_bots()]
    for spec in ("greedy", "alphabeta:2", "mcts:2", *trained):
        load_bot(spec, game, seed=0).choose(Match(game))


def _environments(game: Game) -> None:
    from ...envs.aec import MatchEnv
    from ...envs.opponent_vector import VersusVectorEnv
    from ...envs.self_play_vector import SelfPlayVectorEnv
    from ...match.perft import perft

    for batch in (SelfPlayVectorEnv(game, 2), SelfPlayVectorEnv(game, 64), VersusVectorEnv(2, game=game.name)):
        _, info = batch.reset(seed=0)
        batch.step(info["action_mask"].argmax(axis=1))
    single = MatchEnv(game)
    single.reset()
    single.observe("player_1")
    single.step(int(single.infos[single.agent_selection]["action_mask"].argmax()))
    perft(game, 1)


def _rollouts(game: Game) -> None:
    from ...batch.rollouts import rollouts

    rollouts(game, 2, seed=0)


def _tables(game: Game) -> None:
    from ...match.match import Match
    from ...solve.tables import build_table, load_table
    from ...solve.tables.index import least_pieces

    # Large tables have the kernels of others.
    if least_pieces(game) > 2 or game.board.is_wide:
        return
    with tempfile.TemporaryDirectory() as folder:
        table = load_table(game, build_table(game, 2, Path(folder) / "table.aqt", threads=1))
        table.value(Match(game))


TASKS: Mapping[str, Callable[[Game], None]] = MappingProxyType(
    {ENVIRONMENTS: _environments, BOTS: _bots, ROLLOUTS: _rollouts, TABLES: _tables}
)
"""What is compiled: each task calls the kernels of one part of the package."""
