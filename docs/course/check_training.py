"""The checker of the exercise *Train PPO to below 20% wrong*."""

from collections.abc import Callable

import numpy as np

from alquerque_env import measure_errors
from alquerque_env.errors import AlquerqueError

GOAL = 0.2


def check(policy: Callable[[np.ndarray, np.ndarray], np.ndarray], observation: str = "flat") -> str:
    """Says whether a policy, from many observations and masks to actions, chooses well enough, and how far it is."""
    try:
        found = measure_errors(policy, "felli_simplified", 2000, kind="natural", observation=observation, batched=True)
    except AlquerqueError as error:
        return f"Wrong: {error}"
    told = f"{found.wrong.value:.1%} of the choices are wrong, by chance it would be {found.chance:.1%}"
    if found.wrong.value >= GOAL:
        worst = (
            "an opponent that plays at random does not punish mistakes, and a policy that is too sure stops learning"
        )
        return f"Wrong: {told}, and less than {GOAL:.0%} is asked for. Two things to think of: {worst}."
    return f"Right: {told}."
