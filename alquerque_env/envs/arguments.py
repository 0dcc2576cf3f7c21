"""The arguments of environments and of `reset`, checked."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from inspect import signature
from typing import Any

import numpy as np
from gymnasium import spaces

from ..engine.graph_form import BOUND
from ..engine.observation_form import Form, ObservationForm
from ..errors import AlquerqueError, PositionError, UnknownNameError, one_line, shorten
from ..game.array_check import check_at_least
from ..game.game import Game, GameId, as_game
from ..game.graph import ROLES
from ..match.match import Match

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


def observation_space(form: Form) -> spaces.Space:
    """Returns the space of one observation in a form, each number from its least to its greatest value."""
    if isinstance(form, ObservationForm):
        return spaces.Box(form.low, form.high, dtype=form.high.dtype.type)
    boxes: dict[str, spaces.Space] = {name: spaces.Box(-BOUND, BOUND, shape) for name, shape in form.shape.items()}
    return spaces.Dict(boxes | {"roles": spaces.Box(0, max(ROLES), form.shape["roles"], np.int8)})


def action_space(form: Form) -> spaces.Discrete:
    """Returns the space of actions in a form."""
    return spaces.Discrete(form.num_actions)


def check_options(options: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Returns the options of `reset`, a dictionary or None."""
    if not isinstance(options, Mapping | None):
        raise AlquerqueError(f"options is {options!r}, expected a dictionary such as {{'position': 'W:Wc2:Bc4'}}")
    return options or {}


def reset_arguments(game: Game, seed: Any, options: Any) -> tuple[int | None, Match | None]:
    """Returns the seed of a `reset`, and the match that begins in `options["position"]`, None for the game's start."""
    seed, position = check_seed(seed), check_options(options).get("position")
    return seed, None if position is None else _begun(game, position)


def matches_from(game: Game, position: str | Sequence[str | None] | None, chosen: np.ndarray) -> dict[int, Match]:
    """Returns the matches that begin in positions, by their places in a batch. Places may share one.

    Args:
        game: The game.
        position: Text; or a list, or an array `[B]`, with text or None for each match of the batch. None stands for the
            start of the game.
        chosen: Bool `[B]`, the matches that begin. What a list has for the others is ignored.
    """
    if position is None:
        return {}
    places = np.flatnonzero(chosen).tolist()
    if not _is_list(position):
        return dict.fromkeys(places, _begun(game, position))
    if len(position) != len(chosen):
        raise PositionError(f"position is a list of {len(position)}, expected a text for each of {len(chosen)} matches")
    begun: dict[str, Match] = {}  # the same position is often given to many matches
    found: dict[int, Match] = {}
    for place in places:
        text = position[place]
        if text is None:
            continue
        if not isinstance(text, str) or text not in begun:
            try:
                match = _begun(game, text)
            except PositionError as error:
                raise PositionError(f"match {place}: {error}") from None
            begun[text] = match
        found[place] = begun[text]
    return found


def _is_list(position: Any) -> bool:
    if isinstance(position, np.ndarray):
        return position.ndim == 1
    return isinstance(position, Sequence) and not isinstance(position, str | bytes | bytearray)


def _begun(game: Game, text: Any) -> Match:
    match = Match(game, str(text) if isinstance(text, str) else text)  # NumPy's texts look otherwise in messages
    if match.outcome is not None:
        raise PositionError(f"no match can begin in position {str(text)!r}: it is over there ({match.outcome.reason})")
    return match
