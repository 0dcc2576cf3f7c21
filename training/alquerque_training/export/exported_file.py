"""Files that checkpoints are exported to."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from alquerque_env.bots.network.model_card import read_card
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.atomic import write_whole
from alquerque_env.game.game import Game
from alquerque_training.checkpoints.checkpoint import Checkpoint
from alquerque_training.checkpoints.torch_bot import load_playable


class ExportError(AlquerqueError):
    """The checkpoint cannot be exported."""


@dataclass(frozen=True)
class ExportedFile:
    """An exported file, its size in bytes, and its game."""

    path: Path
    size: int
    game: Game


def export_file(
    checkpoint: Path, output: Path, make: Callable[[Game, Checkpoint], bytes], *, game: Game | None, overwrite: bool
) -> ExportedFile:
    """Writes what `make` makes of a checkpoint, whole or not at all.

    Raises `CheckpointError` for a damaged checkpoint, `ExportError` if the file cannot be written, or if a game is
    given for a checkpoint that belongs to one, or none for one that plays all.
    """
    checkpoint, output = Path(checkpoint), Path(output)
    if output.is_dir():
        raise ExportError(f"{str(output)!r} is a folder, expected the name of a file")
    if not overwrite and output.exists():
        raise ExportError(f"{str(output)!r} exists already and is not replaced")
    if read_card(checkpoint).plays_all == (game is None):
        what = "plays all games: choose one with --game" if game is None else "belongs to one game: leave --game out"
        raise ExportError(f"checkpoint {str(checkpoint)!r} {what}")
    game, loaded = load_playable(checkpoint, game)
    data = make(game, loaded)
    try:
        write_whole(output, data, overwrite=overwrite)
    except OSError as error:
        raise ExportError(f"{str(output)!r} cannot be written: {error.strerror}") from None
    return ExportedFile(output, len(data), game)
