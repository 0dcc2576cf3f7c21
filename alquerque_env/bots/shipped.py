"""Bots that come with the package, or were fetched.

Each checkpoint in a folder `<game>/<name>/` is a bot named `<game>-<name>`. The one in the folder `family/` plays all
games.
"""

import json
import os
import re
from pathlib import Path

from ..files.release import fetched_folder

PACKAGE = Path(__file__).parent.parent
# A wheel has the checkpoints inside the package, a checkout beside it.
FOLDERS = (PACKAGE / "checkpoints", PACKAGE.parent / "checkpoints")
META, WEIGHTS = "meta.json", "weights.safetensors"
FAMILY = "family"
"""The bot that plays all games, and the kind of its network."""


def shipped_bots() -> dict[str, Path]:
    """Returns the checkpoint folder of each bot by its name."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), FOLDERS[0])
    files = (file for each in (fetched_folder() / "checkpoints", folder) for file in each.glob(f"*/*/{META}"))
    found = {f"{file.parent.parent.name}-{file.parent.name}": file.parent for file in files}
    family = {FAMILY: folder / FAMILY} if (folder / FAMILY / META).is_file() else {}
    return family | dict(sorted(found.items()))


def weights_file(checkpoint: Path) -> Path:
    """Returns the file of a checkpoint's weights.

    It is that of another checkpoint, `<game>/<name>` beside the folder of its game, if the card says so by `same_as`:
    games that differ by their names alone share their weights.
    """
    own = checkpoint / WEIGHTS
    if own.is_file():
        return own
    try:
        other = str(json.loads((checkpoint / META).read_bytes())["same_as"])
    except (OSError, ValueError, LookupError, TypeError):
        return own
    return checkpoint.parent.parent / other / WEIGHTS if re.fullmatch(r"\w+/[\w-]+", other) else own


def near_checkpoint(path: Path) -> str:
    """`; did you mean 'x'?` where a path leads to a training run or ends with a number of simulations; else nothing."""
    bare = str(path).rpartition(":")[0]
    if os.path.isdir(bare):  # Path.is_dir raises where a name is too long
        return f"; did you mean {bare!r}?"
    if not os.path.isdir(path):
        return ""
    inside = sorted(file.parent for below in ("*", "checkpoints/*") for file in path.glob(f"{below}/{META}"))
    final = [folder for folder in inside if folder.name == "final"]
    return f"; did you mean {str([*inside, *final][-1])!r}?" if inside else ""
