"""What the trainer offers to this package: found by its entry points, so that nothing here imports it.

`pyproject.toml` lists the entry points in the group `alquerque_env.trainer`.
"""

from collections.abc import Mapping
from importlib.metadata import entry_points
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from ..errors import MissingExtraError, UnknownNameError

GROUP = "alquerque_env.trainer"

TRACKERS: Mapping[str, tuple[str, ...]] = MappingProxyType({"wandb": ("wandb", "tensorboard")})
"""The services that show a run of training elsewhere, and the packages that each needs."""


def load_from_trainer(name: str) -> Any:
    """Loads an entry point of the trainer; `MissingExtraError` if that or a package it needs is missing."""
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


def check_tracker(name: str | None) -> None:
    """Checks that a tracker, one of `TRACKERS` or None, can be used, without importing it."""
    if name is None:
        return
    if name not in TRACKERS:
        raise UnknownNameError("tracker", name, TRACKERS)
    for package in TRACKERS[name]:
        if find_spec(package) is None:
            raise MissingExtraError(package, "log")
