"""Environments with the wrappers of Gymnasium, PettingZoo, SuperSuit and Shimmy, copied, and in other processes.

Every form of observations is tested with each.
"""

import multiprocessing
import warnings
from collections.abc import Callable
from functools import partial
from operator import methodcaller
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers

import alquerque_env
from alquerque_env import SelfPlayVectorEnv
from alquerque_env.engine.observation_form import ARRAYS, FORMS
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from tests.envs.drawn import assert_alike, draw
from tests.sets import first_by_default

with warnings.catch_warnings():  # it imports PettingZoo's games in the old way
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

every_form = pytest.mark.parametrize("form", FORMS)
one_form, one_array = (
    pytest.mark.parametrize(
        "form", [pytest.param(form, marks=() if form == "planes" else pytest.mark.slow) for form in forms]
    )
    for forms in (FORMS, ARRAYS)
)
SINGLE: dict[str, Callable[[gymnasium.Env], gymnasium.Env]] = {
    "statistics": wrappers.RecordEpisodeStatistics,
    "time limit": partial(wrappers.TimeLimit, max_episode_steps=5),
    "flat": wrappers.FlattenObservation,
    "stack": partial(wrappers.FrameStackObservation, stack_size=3),
    "dtype": partial(wrappers.DtypeObservation, dtype=np.float32),
    "rescaled": partial(wrappers.RescaleObservation, min_obs=np.float32(0), max_obs=np.float32(1)),
    "normalized": wrappers.NormalizeObservation,
    "delayed": partial(wrappers.DelayObservation, delay=1),
    "reward": partial(wrappers.ClipReward, min_reward=-0.5, max_reward=0.5),
    "normalized reward": wrappers.NormalizeReward,
}
VECTOR: dict[str, Callable[[Any], Any]] = {
    "statistics": vector_wrappers.RecordEpisodeStatistics,
    "flat": vector_wrappers.FlattenObservation,
    "dtype": partial(vector_wrappers.DtypeObservation, dtype=np.float32),
    "rescaled": partial(vector_wrappers.RescaleObservation, min_obs=np.float32(0), max_obs=np.float32(1)),
    "normalized": vector_wrappers.NormalizeObservation,
    "reward": partial(vector_wrappers.ClipReward, min_reward=-0.5, max_reward=0.5),
    "normalized reward": vector_wrappers.NormalizeReward,
}
IS_OLD = tuple(map(int, gymnasium.__version__.split(".")[:2])) < (1, 3)
"""Whether Gymnasium's vector wrappers normalize to another type than their space has, and miscount in SAME_STEP."""


def single(form: str, **arguments: Any) -> gymnasium.Env:
    return gymnasium.make("alquerque/Fetaix-v0", observation=form, **arguments)


def against(form: str, mode: AutoresetMode = AutoresetMode.NEXT_STEP) -> VersusVectorEnv:
    return VersusVectorEnv(4, "fetaix", observation=form, autoreset_mode=mode)


def self_play(form: str, mode: AutoresetMode = AutoresetMode.NEXT_STEP) -> SelfPlayVectorEnv:
    return SelfPlayVectorEnv("fetaix", 4, observation=form, autoreset_mode=mode)


every_batch = pytest.mark.parametrize("make_batch", [against, self_play])


def play(env: gymnasium.Env, seed: int = 0) -> list[tuple[Any, float, bool, bool, dict[str, Any]]]:
    """What each step of a match returns; observations lie in the space, and masks reach through the wrappers."""
    rng = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    assert env.observation_space.contains(seen)
    steps: list[Any] = []
    while not steps or not (steps[-1][2] or steps[-1][3]):
        assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"])
        steps.append(env.step(int(draw(info["action_mask"], rng))))
        seen, info = steps[-1][0], steps[-1][-1]
        assert env.observation_space.contains(seen)
    return steps


# Wrappers of Gymnasium


@first_by_default
@one_array  # most wrappers change no dictionaries
@pytest.mark.parametrize("wrapper", SINGLE)
def test_gymnasiums_wrappers_fit(wrapper: str, form: str) -> None:
    bare, wrapped = play(single(form)), play(SINGLE[wrapper](single(form)))
    assert len(wrapped) == (5 if wrapper == "time limit" else len(bare))
    last = wrapped[-1]
    if wrapper == "time limit":
        assert last[3]
    else:
        assert last[2:4] == bare[-1][2:4]
    if wrapper == "statistics":
        assert last[-1]["episode"]["l"] == len(bare)
        assert last[-1]["episode"]["r"] == bare[-1][1]
    if wrapper == "flat":
        assert all(np.array_equal(one[0], np.reshape(other[0], -1)) for one, other in zip(wrapped, bare, strict=True))
    if wrapper == "stack":
        assert np.array_equal(last[0], np.stack([step[0] for step in bare[-3:]]))
    if wrapper == "delayed":
        assert np.array_equal(last[0], bare[-2][0])
    if wrapper == "reward":
        assert last[1] == bare[-1][1] / 2 != 0


@first_by_default
@one_array
@every_batch
@pytest.mark.parametrize("wrapper", VECTOR)
def test_gymnasiums_vector_wrappers_fit(wrapper: str, make_batch: Callable[..., Any], form: str) -> None:
    if wrapper == "normalized" and IS_OLD:
        pytest.skip("an error of Gymnasium")
    env, bare, rng = VECTOR[wrapper](make_batch(form)), make_batch(form), np.random.default_rng(0)
    seen, info = env.reset(seed=0)
    bare.reset(seed=0)
    ends = 0
    for _ in range(60):
        assert env.observation_space.contains(seen)
        actions = draw(info["action_mask"], rng)
        seen, rewards, terminated, _, info = env.step(actions)
        plain, plain_rewards, plain_terminated, *_ = bare.step(actions)
        assert np.array_equal(terminated, plain_terminated)
        ends += int(terminated.sum())
        if wrapper == "flat":
            assert np.array_equal(seen, plain.reshape(4, -1))
        if wrapper == "reward":
            assert np.array_equal(rewards, plain_rewards / 2)
    assert ends


# Other processes


@pytest.mark.slow
@every_form
def test_gymnasium_makes_environments_in_spawned_processes(form: str) -> None:
    # The name of the package makes a process import it, which knows nothing of this one.
    make = partial(gymnasium.make, "alquerque_env:alquerque/Fetaix-v0", observation=form, opponent="greedy")
    spawned, here = AsyncVectorEnv([make, make], context="spawn"), SyncVectorEnv([make, make])
    try:
        (seen, info), (same, _) = spawned.reset(seed=3), here.reset(seed=3)
        assert_alike(seen, same)
        for _ in range(40):
            actions = info["action_mask"].argmax(1)
            told = spawned.step(actions)
            assert_alike(told, here.step(actions))
            info = told[-1]
    finally:
        spawned.close()


@pytest.mark.slow
@one_form
def test_an_environment_goes_on_in_a_spawned_process(form: str) -> None:
    aec = alquerque_env.env("fetaix", observation=form)
    aec.reset(seed=0)
    aec.step(int(aec.last()[0]["action_mask"].argmax()))
    env = single(form)
    _, info = env.reset(seed=0)
    batches = [make(form) for make in (against, self_play)]
    masks = [batch.reset(seed=0)[1]["action_mask"] for batch in batches]
    # The methods that the other process calls with what it unpickles.
    with multiprocessing.get_context("spawn").Pool(1) as process:
        there = process.apply(methodcaller("last"), (aec,))[0]
        assert_alike(there, aec.last()[0])
        action = int(info["action_mask"].argmax())
        assert_alike(process.apply(methodcaller("step", action), (env,)), env.step(action))
        for batch, mask in zip(batches, masks, strict=True):
            told = process.apply(methodcaller("step", mask.argmax(1)), (batch,))
            assert_alike(told, batch.step(mask.argmax(1)))


# PettingZoo, SuperSuit, Shimmy


@every_form
def test_pettingzoo_passes_it_as_a_parallel_environment(form: str) -> None:
    parallel_api_test(turn_based_aec_to_parallel(alquerque_env.env("fetaix", observation=form)), num_cycles=60)


@every_form
def test_supersuit_changes_rewards_of_both_players(form: str) -> None:
    supersuit = pytest.importorskip("supersuit")
    env = supersuit.reward_lambda_v0(alquerque_env.env("fetaix", observation=form), lambda reward: 10 * reward)
    api_test(env, num_cycles=40)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while not (env.last()[2] or env.last()[3]):
        env.step(int(draw(env.last()[0]["action_mask"], rng)))
    assert sorted(env.rewards.values()) == [-10, 10]


@pytest.mark.parametrize("form", ARRAYS)  # SuperSuit changes no dictionaries
def test_supersuit_changes_the_observations_of_one_agent(form: str) -> None:
    supersuit = pytest.importorskip("supersuit")
    bare = play(single(form))
    flat = play(supersuit.flatten_v0(single(form)))
    assert all(np.array_equal(one[0], np.reshape(other[0], -1)) for one, other in zip(flat, bare, strict=True))
    real = play(supersuit.dtype_v0(single(form), np.float32))
    assert real[-1][0].dtype == np.float32
    assert np.array_equal(real[-1][0], bare[-1][0])
    stacked = play(supersuit.frame_stack_v1(single(form), 2))
    assert stacked[-1][0].size == 2 * bare[-1][0].size


@pytest.mark.filterwarnings("ignore")  # Shimmy knows no bounds of observations, of which the test warns
def test_shimmy_makes_a_pettingzoo_environment_of_an_openspiel_game() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    shimmy = pytest.importorskip("shimmy.openspiel_compatibility")
    from alquerque_env.adapters import openspiel

    openspiel.register()
    env = shimmy.OpenSpielCompatibilityV0(env=pyspiel.load_game("python_fetaix"))
    api_test(env, num_cycles=50)
