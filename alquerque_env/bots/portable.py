"""Bots that travel to other processes and machines: specs, with the contents of the files that they name."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import BotError, shorten
from ..files.regular import read_regular
from ..game.game import Game
from .bot import GameBot
from .external.exported import ExportedBot
from .load import find_bot, load_bot, read_checkpoint
from .spec import parse_spec


@dataclass(frozen=True)
class PortableBot:
    """A bot that can be loaded on another machine."""

    spec: str
    # Names and contents of its files; none if it has none, or if it comes with the package.
    files: tuple[tuple[str, bytes], ...] = ()
    path: str = ""  # what the spec calls these files, without the simulations
    simulations: int | None = None  # the simulations that the spec asks for; None if it does not


def pack_bot(text: str) -> PortableBot:
    """Packs a bot; raises `BotError` for the command of an engine, which other machines need not have."""
    find_bot(text)
    spec = parse_spec(text)
    if spec.kind == "ugi":
        raise BotError(
            f"{shorten(text)!r} starts a program, which other machines need not have: play on this one alone"
        )
    if spec.path is None or spec.is_shipped:
        return PortableBot(text)
    return PortableBot(text, tuple((file.name, read_regular(file)) for file in spec.files), spec.name, spec.number)


@contextmanager
def unpacked_bot(
    bot: str | PortableBot, game: Game, *, seed: int, time_limit: float | None = None
) -> Iterator[GameBot]:
    """Loads a bot as `load_bot` does, without tables, under the name that it has where it was packed.

    During the context its files are in a folder that only this user can read.
    """
    if isinstance(bot, str) or not bot.files:
        spec = bot if isinstance(bot, str) else bot.spec
        yield load_bot(spec, game, seed=seed, time_limit=time_limit, tables=False)
        return
    with tempfile.TemporaryDirectory(prefix="alquerque-", ignore_cleanup_errors=True) as folder:
        for name, content in bot.files:
            Path(folder, name).write_bytes(content)
        try:
            found = _load(bot, Path(folder), game, seed, time_limit)
        except BotError as error:
            raise BotError(str(error).replace(folder, str(Path(bot.path)))) from None
        yield found


def _load(bot: PortableBot, folder: Path, game: Game, seed: int, time_limit: float | None) -> GameBot:
    file = folder / bot.files[0][0]
    if file.suffix == ".py":
        return ExportedBot(bot.spec, game, file, bot.simulations, time_limit)
    return read_checkpoint(folder, bot.simulations, str(Path(bot.path)))(game, seed, time_limit)
