"""The bots that come with the package: checkpoints in the folders `<game>/<name>/`, known as `<game>-<name>`."""

from pathlib import Path

PACKAGE = Path(__file__).parent.parent
# In a wheel the checkpoints lie inside the package, in the sources beside it.
FOLDERS = (PACKAGE / "checkpoints", PACKAGE.parent / "checkpoints")
META, WEIGHTS = "meta.json", "weights.safetensors"


def shipped_bots() -> dict[str, Path]:
    """The folder of each bot that is there, by its name."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    if folder is None:
        return {}
    found = sorted(file.parent for file in folder.glob(f"*/*/{META}"))
    return {f"{path.parent.name}-{path.name}": path for path in found}
