"""NumPy's integers and Booleans are taken wherever those of Python are, and mean the same."""

import json
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import alquerque_env
from alquerque_env import Match, load_bot, load_game, perft, rollouts
from alquerque_env.arena import Settings
from alquerque_env.benchmark import Training
from alquerque_env.bots.network.network_bot import check_simulations
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.errors import AlquerqueError
from alquerque_env.match.perft import divide

INTEGERS = [
    *(np.int64, np.uint8),
    *(pytest.param(kind, marks=pytest.mark.slow) for kind in (np.int8, np.uint64, np.intp)),
]


FETAIX = Match("fetaix")


def played(environment: Any) -> object:
    """What two steps of first legal actions show."""
    told = environment.reset(seed=0)
    return [str((told := environment.step(told[-1]["action_mask"].argmax(-1)))[:4]) for _ in range(2)]


# What takes an integer: one that it takes, and what shows its meaning.
TAKES: dict[str, tuple[int, Callable[[Any], object]]] = {
    "option": (40, lambda n: load_game("fetaix", no_progress_limit=n)),
    "option in JSON": (40, lambda n: json.dumps(dict(load_game("fetaix", no_progress_limit=n).options))),
    "max_cycles of raw_env": (2, lambda n: alquerque_env.fetaix_v0.raw_env(max_cycles=n).max_cycles),
    "seat": (1, lambda n: played(VersusEnv("fetaix", seat=n, max_cycles=8 + n))),
    "arguments of make_vec": (
        2,
        lambda n: played(gymnasium.make_vec("alquerque/Fetaix-v0", num_envs=n, seat=n - 1, max_episode_steps=n)),
    ),
    "matches of self-play": (3, lambda n: played(alquerque_env.SelfPlayVectorEnv("fetaix", n, max_cycles=n))),
    "perft": (3, lambda n: perft("fetaix", n)),
    "divide": (2, lambda n: divide("fetaix", n)),
    "step": (FETAIX.legal_steps[0].action, lambda n: [match := FETAIX.copy(), match.push(n), match.position][1:]),
    "player of an observation": (1, lambda n: FETAIX.observation(n).tolist()),
    "rollouts": (100, lambda n: rollouts("fetaix", n, seed=n).length.tolist()),
    "seed of a bot": (5, lambda n: load_bot("random", "fetaix", seed=n).choose(FETAIX)),
    "settings of an arena": (4, lambda n: json.dumps(vars(Settings(games=n, seed=n, plies=n, batch=n)))),
    "description of a training": (4, lambda n: json.dumps(vars(Training(steps=n, seed=n)))),
    "simulations": (7, check_simulations),
}


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("call", TAKES)
def test_an_integer_of_numpy_means_the_same(call: str, kind: Any) -> None:
    number, use = TAKES[call]
    assert use(kind(number)) == use(number)


@pytest.mark.parametrize("game", ["fetaix", "kharbaga", "felli", "dash_guti"])
def test_every_answer_in_the_form_of_numpy_is_that_answer(game: str) -> None:
    plain = load_game(game)
    for name, option in plain.option_table.items():
        for value in option.values:
            if type(value) in (int, bool):
                form = np.bool_ if type(value) is bool else np.int64
                try:
                    expected = plain.with_options(**{name: value})
                except AlquerqueError:
                    continue
                assert plain.with_options(**{name: form(value)}) == expected


REFUSES: list[tuple[Callable[[Any], object], str]] = [
    (lambda wrong: load_game("fetaix", no_progress_limit=wrong), "no_progress_limit cannot be"),
    (lambda wrong: Settings(games=wrong), r"games is .*, expected a whole number from 2"),
    (lambda wrong: Training(steps=wrong), r"steps is .*, expected an integer from 0"),
    (check_simulations, r"simulations is .*, expected a whole number from 0"),
    (lambda wrong: load_bot("random", "fetaix", seed=wrong), r"seed is .*, expected an integer of at least 0"),
]


@pytest.mark.parametrize(("use", "message"), REFUSES, ids=lambda part: str(part)[:20])
def test_other_numbers_are_refused(use: Callable[[Any], object], message: str) -> None:
    for wrong in (20.0, np.float64(20), np.float32(40), True, np.bool_(True), -2, np.int64(-1)):
        with pytest.raises(AlquerqueError, match=message):
            use(wrong)
