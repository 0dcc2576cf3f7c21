"""What the trainer offers to this package: found by its entry points, so that nothing here imports it.

`pyproject.toml` lists the entry points in the group `alquerque_env.trainer`.
"""

from importlib.metadata import entry_points
from typing import Any

from ..errors import MissingExtraError, require

GROUP = "alquerque_env.trainer"
_NEEDED = ("torch", "pydantic")


def load_from_trainer(name: str) -> Any:
    """Loads what the trainer offers under a name.

    Raises:
      MissingExtraError: If the trainer, or a package that it needs, is not installed.
    """
    found = entry_points(group=GROUP, name=name)
    if not found:
        raise MissingExtraError("the trainer", "train")
    for package in _NEEDED:
        require(package, "train")
    return found[name].load()
