"""Files that are written whole or not at all."""

from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file under another name and gives it its own when it is whole.

    Raises:
      OSError: If that is not possible; then nothing is left of it.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
