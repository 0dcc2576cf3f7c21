"""Checks of the arguments of environments."""

from collections.abc import Callable
from difflib import get_close_matches
from inspect import signature
from typing import Any

import numpy as np
from gymnasium import spaces

from ..errors import AlquerqueError, UnknownNameError, one_line, shorten
from ..game.array_check import check_at_least
from ..game.game import Game, GameId, as_game
from ..game.observation_form import ObservationForm

# Arguments of Gymnasium that it passes on, or that belong elsewhere, each with what to do.
_ELSEWHERE = {
    "max_episode_steps": "give it to gymnasium.make or make_vec, or set max_cycles, which counts both sides' steps",
    "disable_env_checker": "give it to gymnasium.make",
    "num_envs": "gymnasium.make makes one match: use gymnasium.make_vec",
    "vectorization_mode": "give it to gymnasium.make_vec",
    "vector_kwargs": "give it to gymnasium.make_vec",
    "wrappers": "give them to gymnasium.make_vec with vectorization_mode='sync', or wrap the environment",
    "autoreset_mode": "only batched matches reset themselves: give it to gymnasium.make_vec, with 'sync' or 'async' in "
    "vector_kwargs",
    "autoreset": "Gymnasium 1.0 has removed it: call reset, or use gymnasium.make_vec",
    "additional_wrappers": "an EnvSpec has them: wrap the environment",
    "order_enforce": "an EnvSpec has it: give it to gymnasium.register",
    "apply_api_compatibility": "Gymnasium 1.0 has removed it: leave it out",
}


def game_with_options(game: Game | GameId, options: dict[str, Any], maker: Callable[..., Any]) -> Game:
    """Returns a game with rule options, the keyword arguments that `maker`, which has been called, does not know.

    Errors are those of `as_game`. The message names the argument for which one is misspelt, and says where one of
    Gymnasium belongs.
    """
    known = as_game(game).option_table if options else {}
    for name in options:
        if name not in known and name in _ELSEWHERE:
            raise AlquerqueError(f"{name} is no argument of this environment: {_ELSEWHERE[name]}")
        if name not in known and (near := get_close_matches(name, signature(maker).parameters, n=1)):
            raise UnknownNameError("argument or option", name, known, of=as_game(game).name, near=near[0])
    return as_game(game, **options)


def check_max_cycles(value: int | None) -> int | None:
    """Returns a number of sub-steps, or None for no limit; raises `AlquerqueError` if it is anything else."""
    return None if value is None else check_at_least(1, "max_cycles", value)


def check_seed(seed: Any) -> int | None:
    """Returns the seed of a `reset`, a natural number of Python or NumPy; None for none."""
    if isinstance(seed, list | tuple | np.ndarray):
        raise AlquerqueError(
            f"seed is {shorten(one_line(repr(seed)))}, expected one integer: one generator draws for all matches"
        )
    return None if seed is None else check_at_least(0, "seed", seed)


def observation_space(form: ObservationForm) -> spaces.Box:
    """Returns the space of one observation in a form, each number from 0 to its maximum."""
    return spaces.Box(form.low, form.high, dtype=form.high.dtype.type)


def action_space(game: Game) -> spaces.Discrete:
    """Returns the space of actions, one for each of `game.actions`."""
    return spaces.Discrete(game.num_actions)
