"""NumPy's integers and Booleans are taken wherever those of Python are, and mean the same."""

import json
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


@pytest.mark.parametrize("kind", INTEGERS)
def test_an_integer_of_numpy_is_an_option(kind: Any) -> None:
    game = load_game("fetaix", no_progress_limit=kind(40))
    assert game == load_game("fetaix", no_progress_limit=40)
    assert type(game.options["no_progress_limit"]) is int
    assert json.dumps(dict(game.options)) == json.dumps(dict(load_game("fetaix", no_progress_limit=40).options))


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


@pytest.mark.parametrize("wrong", [2.0, np.float64(40.0), np.float32(40), np.bool_(True), np.int64(0), np.int64(-1)])
def test_other_numbers_are_refused_as_a_limit(wrong: Any) -> None:
    with pytest.raises(AlquerqueError, match="no_progress_limit cannot be"):
        load_game("fetaix", no_progress_limit=wrong)


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_of_numpy_set_up_environments(kind: Any) -> None:
    environment = alquerque_env.fetaix_v0.raw_env(max_cycles=kind(2), no_progress_limit=kind(40))
    environment.reset(seed=0)
    for _ in range(2):
        environment.step(np.int64(environment.last()[0]["action_mask"].argmax()))
    assert all(environment.truncations.values())
    single = VersusEnv("fetaix", seat=kind(1), max_cycles=kind(3), no_progress_limit=kind(40))
    _, info = single.reset(seed=0)
    assert info["player"] == 1
    single.step(np.uint16(info["action_mask"].argmax()))
    many = gymnasium.make_vec("alquerque/Fetaix-v0", num_envs=kind(2), seat=kind(1), max_episode_steps=kind(5))
    assert many.reset(seed=0)[1]["player"].tolist() == [1, 1]
    assert alquerque_env.SelfPlayVectorEnv("fetaix", kind(3), max_cycles=kind(4)).num_envs == 3


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_of_numpy_are_depths_actions_counts_and_seeds(kind: Any) -> None:
    assert perft("fetaix", kind(3)) == perft("fetaix", 3)
    assert divide("fetaix", kind(2)) == divide("fetaix", 2)
    match = Match("fetaix")
    match.push(np.uint16(match.legal_steps[0].action))
    assert len(match.steps) == 1
    np.testing.assert_array_equal(match.observation(kind(0)), match.observation(0))
    few, same = rollouts("fetaix", kind(100), seed=kind(3)), rollouts("fetaix", 100, seed=3)
    np.testing.assert_array_equal(few.length, same.length)
    steps = [str(load_bot("random", "fetaix", seed=seed).choose(Match("fetaix"))) for seed in (kind(5), 5)]
    assert steps[0] == steps[1]


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_of_numpy_are_settings_and_become_those_of_python(kind: Any) -> None:
    settings = Settings(games=kind(20), seed=kind(3), plies=kind(4), batch=kind(4))
    assert settings == Settings(games=20, seed=3, plies=4, batch=4)
    assert json.dumps(vars(settings)) == json.dumps(vars(Settings(games=20, seed=3, plies=4, batch=4)))
    training = Training(steps=kind(100), seed=kind(0))
    assert json.dumps(vars(training)) == json.dumps(vars(Training(steps=100, seed=0)))
    assert check_simulations(kind(7)) == 7


@pytest.mark.parametrize("wrong", [20.0, np.float64(20), True, np.bool_(True), -2])
def test_settings_that_are_no_integers_are_refused(wrong: Any) -> None:
    with pytest.raises(AlquerqueError, match=r"games is .*, expected a whole number from 2"):
        Settings(games=wrong)
    with pytest.raises(AlquerqueError, match=r"steps is .*, expected an integer from 0"):
        Training(steps=wrong)
    with pytest.raises(AlquerqueError, match=r"simulations is .*, expected a whole number from 0"):
        check_simulations(wrong)


@pytest.mark.parametrize("wrong", [-1, 2.0, "1", True])
def test_a_seed_of_a_bot_that_is_no_natural_number_is_refused(wrong: Any) -> None:
    with pytest.raises(AlquerqueError, match=r"seed is .*, expected an integer of at least 0"):
        load_bot("random", "fetaix", seed=wrong)
