"""Checks of the arguments of environments."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import AlquerqueError, IllegalStepError


def check_positive(name: str, value: int) -> int:
    """Returns an integer of at least 1.

    Raises:
      AlquerqueError: If it is anything else.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise AlquerqueError(f"{name} is {value!r}, expected an integer of at least 1")
    return int(value)


def check_max_cycles(value: int | None) -> int | None:
    """Returns a number of sub-steps, or None for no limit.

    Raises:
      AlquerqueError: If it is anything else.
    """
    return None if value is None else check_positive("max_cycles", value)


def check_seat(seat: int | str) -> int | str:
    """Returns a seat: 0, 1 or "random".

    Raises:
      AlquerqueError: If it is anything else.
    """
    if seat == "random" or (isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and seat in (0, 1)):
        return seat
    raise AlquerqueError(f"seat is {seat!r}, expected 0, 1 or 'random'")


def check_actions(actions: Any, num_envs: int) -> np.ndarray:
    """Returns actions as int64 `[B]`; they may be out of range.

    Raises:
      IllegalStepError: If they are not integers, one for each match.
    """
    actions = np.asarray(actions)
    if actions.shape != (num_envs,) or actions.dtype.kind not in "iu":
        raise IllegalStepError(
            f"actions are {actions.dtype} of shape {actions.shape}, expected integers of shape ({num_envs},)"
        )
    return np.ascontiguousarray(actions, np.int64)


def check_reset_mask(options: Mapping[str, Any] | None, num_envs: int, *, is_first: bool) -> np.ndarray:
    """Returns bool `[B]`, the matches that a reset begins anew: those of `options["reset_mask"]`, or all.

    Raises:
      AlquerqueError: If the mask is not bool `[B]`, or leaves out matches that have not begun.
    """
    if not options or "reset_mask" not in options:
        return np.ones(num_envs, bool)
    mask = np.asarray(options["reset_mask"])
    if mask.shape != (num_envs,) or mask.dtype != bool:
        raise AlquerqueError(f"reset_mask is {mask.dtype} of shape {mask.shape}, expected bool of shape ({num_envs},)")
    if is_first and not mask.all():
        raise AlquerqueError("the first reset must begin all matches, but reset_mask leaves some out")
    return mask
