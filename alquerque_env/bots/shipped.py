"""Bots that come with the package: each checkpoint in a folder `<game>/<name>/` is a bot named `<game>-<name>`."""

from pathlib import Path

PACKAGE = Path(__file__).parent.parent
# A wheel has the checkpoints inside the package, a checkout beside it.
FOLDERS = (PACKAGE / "checkpoints", PACKAGE.parent / "checkpoints")
META, WEIGHTS = "meta.json", "weights.safetensors"


def shipped_bots() -> dict[str, Path]:
    """Returns the checkpoint folder of each bot by its name."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    if folder is None:
        return {}
    found = sorted(file.parent for file in folder.glob(f"*/*/{META}"))
    return {f"{path.parent.name}-{path.name}": path for path in found}
