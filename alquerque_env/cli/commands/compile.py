"""`alquerque compile`."""

import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

import click

from ...errors import AlquerqueError, require
from ...files.lock import locked_file
from ...game.game import Game, games, load_game
from ...game.kernel_arrays import JIT
from ..command import HelpfulCommand
from ..console.interruptible import run_interruptible


@click.command(cls=HelpfulCommand, examples=["compile"])
def compile() -> None:  # noqa: A001
    """Compile the kernels that games, bots and environments need.

    Numba compiles a kernel when it is first called and keeps the result in a cache folder, which `alquerque doctor`
    shows. This command fills the cache, so that later commands start at once. It takes some minutes. It also deletes
    kernels of other versions of the package that were not used for 60 days.
    """
    require("numba", "fast")
    if not JIT:
        raise AlquerqueError("ALQUERQUE_JIT or NUMBA_DISABLE_JIT switches compilation off; unset it")
    from ...engine.cache_files import unkept
    from ...engine.kernel_cache import cache_root, delete_unused

    root = cache_root()
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked_file(root, waiting=partial(click.echo, err=True)):  # then there is nothing left to compile
        delete_unused()
        for name, task in TASKS.items():
            began = time.monotonic()
            for game in games():
                run_interruptible(partial(task, load_game(game)), f"compiling {name} ...")
            click.echo(f"{name:<14}  {time.monotonic() - began:6.1f} s")
    if unkept:
        reason = getattr(unkept[0], "strerror", None) or unkept[0]
        raise click.ClickException(f"{len(unkept)} kernels cannot be kept in {root}: {reason}; fix that, and repeat")


def _bots(game: Game) -> None:
    from ...bots import load_bot
    from ...bots.levels import levels
    from ...match.match import Match

    for spec in ("greedy", "alphabeta:2", "mcts:2", levels(game)[-1].spec):
        load_bot(spec, game, seed=0).choose(Match(game))


def _environments(game: Game) -> None:
    from ...envs.opponent_vector import VersusVectorEnv
    from ...envs.self_play_vector import SelfPlayVectorEnv

    for env in (SelfPlayVectorEnv(game, 2), VersusVectorEnv(2, game=game.name)):
        _, info = env.reset(seed=0)
        env.step(info["action_mask"].argmax(axis=1))


def _rollouts(game: Game) -> None:
    from ...batch.rollouts import rollouts

    rollouts(game, 2, seed=0)


def _tables(game: Game) -> None:
    from ...match.match import Match
    from ...solve.tables import build_table, load_table

    with tempfile.TemporaryDirectory() as folder:
        table = load_table(game, build_table(game, 2, Path(folder) / "table.aqt", threads=1))
        table.value(Match(game))


TASKS: Mapping[str, Callable[[Game], None]] = MappingProxyType(
    {"bots": _bots, "environments": _environments, "rollouts": _rollouts, "endgame tables": _tables}
)
"""What is compiled: each task calls the kernels of one part of the package."""
