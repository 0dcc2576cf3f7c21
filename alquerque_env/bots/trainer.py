"""What the trainer offers to this package: found by its entry points, so that nothing here imports it.

`pyproject.toml` lists the entry points in the group `alquerque_env.trainer`.
"""

from importlib.metadata import entry_points
from typing import Any

from ..errors import MissingExtraError

GROUP = "alquerque_env.trainer"


def load_from_trainer(name: str) -> Any:
    """Loads an entry point of the trainer.

    Raises:
      MissingExtraError: If the trainer, or a package that it needs, is not installed.
    """
    found = entry_points(group=GROUP, name=name)
    if not found:
        raise MissingExtraError("the trainer", "train")
    try:
        return found[name].load()
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "alquerque_env", "alquerque_training"):
            raise
        raise MissingExtraError(package, "train") from None
