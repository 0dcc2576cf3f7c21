"""The arguments of `gymnasium.make` and `gymnasium.make_vec` work, or a sentence says where they belong."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import alquerque_env
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.errors import AlquerqueError, UnknownNameError

GAME = "alquerque/Fetaix-v0"


def play_first(match: alquerque_env.Match) -> Any:
    return match.legal_steps[0]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_max_episode_steps_truncates_as_in_single_environments(mode: str) -> None:
    arguments: dict[str, Any] = {"opponent": play_first, "seat": 0, "max_episode_steps": 7}
    kept = {"autoreset_mode": AutoresetMode(mode)}
    batched = gymnasium.make_vec(GAME, num_envs=2, autoreset_mode=mode, **arguments)
    single = gymnasium.make_vec(GAME, num_envs=2, vectorization_mode="sync", vector_kwargs=kept, **arguments)
    generator = np.random.default_rng(3)
    seen, info = batched.reset(seed=1)
    expected, _ = single.reset(seed=1)
    truncations = 0
    for time in range(60):
        np.testing.assert_array_equal(seen, expected)
        masks = info["action_mask"]
        actions = np.array([generator.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        if time % 20 == 0:
            actions[0] = masks[0].argmin()  # an illegal action
        seen, *results, info = batched.step(actions)
        expected, *wanted, _ = single.step(actions)
        for result, want in zip(results, wanted, strict=True):
            np.testing.assert_array_equal(result, want)
        truncations += results[2].sum()
    assert truncations >= 10


def test_matches_that_wait_for_reset_count_their_steps_anew() -> None:
    envs = gymnasium.make_vec(GAME, num_envs=2, seat=0, max_episode_steps=3, autoreset_mode="Disabled")
    _, info = envs.reset(seed=0)
    for _ in range(2):
        for length in range(1, 4):
            *_, truncated, info = envs.step(info["action_mask"].argmax(1))
            assert truncated.tolist() == [length == 3] * 2
        _, info = envs.reset(options={"reset_mask": np.ones(2, bool)})


def test_max_episode_steps_of_a_spec_holds_for_a_batch() -> None:
    spec = gymnasium.make(GAME, max_episode_steps=2, seat=0).spec
    assert spec is not None
    envs = gymnasium.make_vec(spec, num_envs=2)
    _, info = envs.reset(seed=0)
    ends = []
    for _ in range(2):
        *_, truncated, info = envs.step(info["action_mask"].argmax(1))
        ends.append(truncated.all())
    assert ends == [False, True]
    again = gymnasium.make_vec(envs.spec)
    assert again.num_envs == 2
    assert again.unwrapped.max_episode_steps == 2


@pytest.mark.parametrize("no_limit", [None, -1])
def test_a_batch_without_max_episode_steps_is_not_truncated(no_limit: int | None) -> None:
    assert gymnasium.make_vec(GAME, num_envs=2, max_episode_steps=no_limit).unwrapped.max_episode_steps is None


@pytest.mark.parametrize("wrong", [0, -2, 2.0, "5", True])
def test_a_wrong_max_episode_steps_is_refused(wrong: Any) -> None:
    with pytest.raises(AlquerqueError, match=f"max_episode_steps is {wrong!r}, expected an integer of at least 1"):
        gymnasium.make_vec(GAME, num_envs=2, max_episode_steps=wrong)


@pytest.mark.parametrize("value", [True, False, None])
def test_a_batch_has_no_checker_to_disable(value: bool | None) -> None:
    assert gymnasium.make_vec(GAME, num_envs=2, disable_env_checker=value).num_envs == 2


@pytest.mark.parametrize("maker", [gymnasium.make, gymnasium.make_vec])
@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("additional_wrappers", "wrap the environment"),
        ("order_enforce", "give it to gymnasium.register"),
        ("apply_api_compatibility", "leave it out"),
        ("autoreset", "use gymnasium.make_vec"),
    ],
)
def test_an_argument_of_gymnasium_that_belongs_elsewhere_is_refused_with_advice(
    maker: Any, name: str, advice: str
) -> None:
    with pytest.raises(AlquerqueError, match=f"^{name} is no argument of this environment: .*{advice}"):
        maker(GAME, **{name: True})


@pytest.mark.parametrize("name", ["num_envs", "vectorization_mode", "vector_kwargs", "wrappers", "autoreset_mode"])
def test_arguments_of_make_vec_are_refused_with_advice_by_make(name: str) -> None:
    with pytest.raises(AlquerqueError, match=f"^{name} is no argument of this environment: .*make_vec"):
        gymnasium.make(GAME, **{name: 2})


@pytest.mark.parametrize("maker", [alquerque_env.env, alquerque_env.fetaix_v0.raw_env, VersusEnv])
def test_max_episode_steps_without_gymnasium_points_to_max_cycles(maker: Any) -> None:
    with pytest.raises(AlquerqueError, match="max_cycles"):
        maker(max_episode_steps=5)


@pytest.mark.parametrize(
    ("maker", "misspelt", "right"),
    [
        (lambda **given: alquerque_env.env("fetaix", **given), "max_cycle", "max_cycles"),
        (lambda **given: gymnasium.make(GAME, **given), "oponent", "opponent"),
        (lambda **given: gymnasium.make_vec(GAME, **given), "seats", "seat"),
        (lambda **given: gymnasium.make_vec(GAME, **given), "autoreset_modes", "autoreset_mode"),
        (lambda **given: gymnasium.make(GAME, **given), "chian", "chain"),
    ],
)
def test_a_misspelt_argument_is_refused_with_the_right_one(maker: Any, misspelt: str, right: str) -> None:
    with pytest.raises(UnknownNameError, match=f"'{misspelt}' of fetaix; did you mean '{right}'"):
        maker(**{misspelt: 1})
