"""`alquerque export`."""

from pathlib import Path

import click

from ...bots.shipped import shipped_bots
from ...bots.trainer import load_from_trainer
from ...errors import AlquerqueError
from ..command import HelpfulCommand, print_line
from ..parameters import PATH, OutputFile, complete_game, game_with_options, rules_option


@click.command(cls=HelpfulCommand)
@click.argument("checkpoint", type=PATH, metavar="CHECKPOINT")
@click.option("-o", "--output", type=OutputFile(), metavar="FILE.py", help="Write the player to this file.")
@click.option("--onnx", type=OutputFile(), metavar="FILE.onnx", help="Write the network alone to this file.")
@click.option(
    "--game", "name", metavar="GAME", shell_complete=complete_game, help="The game, for a network that plays all games."
)
@rules_option
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def export(
    checkpoint: Path, output: Path | None, onnx: Path | None, name: str | None, options: tuple[str, ...], force: bool
) -> None:
    """Write a trained player as one Python file, or its network for ONNX.

    The Python file needs Python 3.9 or newer and no packages. To write an ONNX file, the extra `onnx` is needed.
    """
    target = output or onnx
    if target is None or (output and onnx):
        raise AlquerqueError("give one file to write: -o FILE.py for a player, or --onnx FILE.onnx for its network")
    if target.suffix == (".onnx" if output else ".py"):
        raise AlquerqueError(f"{str(target)!r}: -o writes a player, FILE.py, and --onnx a network, FILE.onnx")
    if target.exists() and not force:
        raise AlquerqueError(f"{str(target)!r} exists; --force replaces it")
    if options and name is None:
        raise AlquerqueError("--option is for the game that --game names")
    game = game_with_options(name, options) if name else None
    folder = shipped_bots().get(str(checkpoint), checkpoint)
    written = load_from_trainer("export" if output else "export_onnx")(folder, target, game=game, overwrite=force)
    played = written.game.name
    what = f"a player of {played}; play against it: python3 {output}" if output else f"a network of {played} for ONNX"
    print_line(f"wrote {target}, {what}")
