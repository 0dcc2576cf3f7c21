"""Checks of the arguments of environments."""

from typing import Any

import numpy as np

from ..errors import AlquerqueError, IllegalStepError
from ..game.array_check import check_array


def check_at_least(least: int, name: str, value: int) -> int:
    """Returns an integer of at least `least`.

    Raises:
      AlquerqueError: If it is anything else.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise AlquerqueError(f"{name} is {value!r}, expected an integer of at least {least}")
    return int(value)


def check_max_cycles(value: int | None) -> int | None:
    """Returns a number of sub-steps, or None for no limit.

    Raises:
      AlquerqueError: If it is anything else.
    """
    return None if value is None else check_at_least(1, "max_cycles", value)


def check_actions(actions: Any, num_envs: int) -> np.ndarray:
    """Returns actions as int64 `[B]`; they may be out of range.

    Raises:
      IllegalStepError: If they are not integers, one for each match.
    """
    return check_array("actions", actions, "int64", (num_envs,), IllegalStepError)
