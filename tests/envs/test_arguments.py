"""The arguments of environments and of `reset`: every kind of environment refuses a wrong one by the same sentence."""

import re
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import alquerque_env
from alquerque_env import Match, SelfPlayVectorEnv
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from alquerque_env.errors import AlquerqueError, UnknownNameError
from tests.sets import first_by_default

GAME = "alquerque/Fetaix-v0"
KINDS: dict[str, Callable[..., Any]] = {
    "env": lambda **given: alquerque_env.env(**{"game": "fetaix", **given}),
    "module": lambda **given: alquerque_env.fetaix_v0.env(**given),
    "raw": lambda **given: alquerque_env.fetaix_v0.raw_env(**given),
    "one": lambda **given: VersusEnv(**{"game": "fetaix", **given}),
    "make": lambda **given: gymnasium.make(GAME, **given),
    "many": lambda **given: VersusVectorEnv(**{"num_envs": 2, "game": "fetaix", **given}),
    "make_vec": lambda **given: gymnasium.make_vec(GAME, **{"num_envs": 2, **given}),
    "self": lambda **given: SelfPlayVectorEnv(**{"game": "fetaix", "num_envs": 2, **given}),
}
PAIRS, ONE, MANY = ("env", "module", "raw"), ("one", "make"), ("many", "make_vec")
AGAINST = (*ONE, *MANY)

# Kinds of environment, an argument, the values that are refused, and what the sentence says.
REFUSED: list[tuple[tuple[str, ...], str, tuple[Any, ...], str]] = [
    (("env", "one", "many", "self"), "game", ("fetiax",), "did you mean 'fetaix'"),
    ((*PAIRS, *AGAINST), "chian", ("single",), "'chian' of fetaix; did you mean 'chain'"),
    ((*PAIRS, *AGAINST), "chain", ("sinlge",), "did you mean 'single'"),
    (PAIRS, "max_cycle", (1,), "'max_cycle' of fetaix; did you mean 'max_cycles'"),
    (AGAINST, "oponent", (1,), "'oponent' of fetaix; did you mean 'opponent'"),
    (MANY, "autoreset_modes", (1,), "'autoreset_modes' of fetaix; did you mean 'autoreset_mode'"),
    (tuple(KINDS), "max_cycles", (0, -3, 1.5, "9", True), "max_cycles is {}, expected an integer of at least 1"),
    (tuple(KINDS), "observation", ("plane",), "did you mean 'planes'"),
    ((*PAIRS, "one"), "render_mode", ("rgb_aray",), "did you mean 'rgb_array'"),
    (
        ("many",),
        "render_mode",
        ("ansi",),
        "render_mode is 'ansi', but batched matches are not drawn; use gymnasium.make",
    ),
    (AGAINST, "seat", (2, -1, True, "south", None, 1.0), "seat is {}, expected 0, 1 or 'random'"),
    (AGAINST, "opponent", ("gready",), "did you mean 'greedy'"),
    (AGAINST, "opponent", (5, None), "opponent is {}, expected a bot spec, a bot or a function"),
    (AGAINST, "opponent", (["random", 5],), "opponent is 5"),
    (AGAINST, "opponent", ([],), "opponent is an empty list"),
    (AGAINST, "opponent", (["x"],), "no bot and no file 'x'"),
    (("many", "self"), "num_envs", (0, -1, 1.0, "2", True, None), "num_envs is {}, expected an integer of at least 1"),
    (MANY, "max_episode_steps", (0, -2, 2.0, "5", True), "max_episode_steps is {}, expected an integer of at least 1"),
    # Arguments of Gymnasium that belong elsewhere.
    (PAIRS, "max_episode_steps", (5,), "max_episode_steps is no argument of this environment: .*set max_cycles"),
    (("one",), "max_episode_steps", (5,), "max_episode_steps is no argument of this environment: .*set max_cycles"),
    (("make", "make_vec"), "additional_wrappers", (2,), "additional_wrappers is no argument .*wrap the environment"),
    (("make", "make_vec"), "order_enforce", (2,), "order_enforce is no argument .*give it to gymnasium.register"),
    (("make", "make_vec"), "apply_api_compatibility", (2,), "apply_api_compatibility is no argument .*leave it out"),
    (("make", "make_vec"), "autoreset", (2,), "autoreset is no argument .*use gymnasium.make_vec"),
    *(
        (("make",), name, (2,), f"{name} is no argument of this environment: .*make_vec")
        for name in ("num_envs", "vectorization_mode", "vector_kwargs", "wrappers", "autoreset_mode")
    ),
]


@pytest.mark.parametrize(("kinds", "name", "values", "sentence"), REFUSED, ids=lambda part: str(part)[:20])
def test_a_wrong_argument_is_named(kinds: tuple[str, ...], name: str, values: tuple[Any, ...], sentence: str) -> None:
    for kind in kinds:
        for value in values:
            with pytest.raises(AlquerqueError, match=sentence.format(re.escape(repr(value)))) as caught:
                KINDS[kind](**{name: value})
            assert isinstance(caught.value, UnknownNameError) == (
                "did you mean" in sentence and name not in ("chain", "opponent")
            ), kind


def test_an_unknown_autoreset_mode_is_refused() -> None:
    for kind in ("many", "self"):
        with pytest.raises(ValueError, match="Sometimes"):
            KINDS[kind](autoreset_mode="Sometimes")


@pytest.mark.parametrize("value", [True, False, None])
def test_a_batch_has_no_checker_to_disable(value: bool | None) -> None:
    assert KINDS["make_vec"](disable_env_checker=value).num_envs == 2


# `max_episode_steps` of Gymnasium.


def play_first(match: Match) -> Any:
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
    again = gymnasium.make_vec(gymnasium.make_vec(spec, num_envs=2).spec)
    assert again.num_envs == again.unwrapped.max_episode_steps == 2
    for no_limit in (None, -1):
        assert KINDS["make_vec"](max_episode_steps=no_limit).unwrapped.max_episode_steps is None


# The arguments of `reset`.

RESETS = ("env", "raw", "make", "make_vec", "self")
TORCH = {"torch": lambda: SelfPlayVectorEnv("fetaix", 2, backend="torch")}


def drawn(environment: Any) -> int:
    return int(environment.unwrapped.np_random.integers(2**62))


@first_by_default
@pytest.mark.parametrize("kind", RESETS)
def test_a_seed_is_any_natural_number_of_python_or_numpy(kind: str) -> None:
    first, second = KINDS[kind](), KINDS[kind]()
    for seed in (np.int64(7), np.uint8(7), np.uint64(7), 2**100):
        first.reset(seed=seed)
        second.reset(seed=int(seed))
        assert drawn(first) == drawn(second)
    second.reset(seed=2**100 + 1)
    assert drawn(first) != drawn(second)


def shown(environment: Any, seed: int | None) -> str:
    """What is seen and drawn in some matches of first legal actions after a reset."""
    told: tuple[Any, ...] = environment.reset(seed=seed)
    found = []
    for _ in range(60):
        found += [told[0].tolist(), np.asarray(told[-1]["player"]).tolist()]
        if isinstance(environment, SelfPlayVectorEnv):
            actions = environment.sample_actions()
        else:
            actions = told[-1]["action_mask"].argmax(-1)
        is_over = isinstance(environment, VersusEnv) and any(told[2:4])
        told = environment.reset() if is_over else environment.step(actions)
    return str(found)


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        *((kind, {"opponent": opponent}) for kind in ("one", "many") for opponent in ("random", "greedy")),
        ("one", {"opponent": "mcts:5"}),
        ("many", {"opponent": play_first}),
        ("self", {}),
    ],
)
def test_a_seed_decides_all_that_is_drawn_and_without_one_draws_go_on(kind: str, arguments: dict[str, Any]) -> None:
    first, second = (KINDS[kind](game="awithlaknannai_mosona", max_cycles=20, **arguments) for _ in "12")
    once = shown(first, 5)
    assert once == shown(second, 5) == shown(first, 5)
    assert len({once, *(shown(first, seed) for seed in (None, None, 6, 7))}) > 3


@pytest.mark.parametrize("kind", [*RESETS, pytest.param("torch", marks=pytest.mark.slow)])
def test_another_seed_is_refused_and_nothing_changes(kind: str) -> None:
    if kind in TORCH:
        pytest.importorskip("torch")
    environment = (KINDS | TORCH)[kind]()
    environment.reset(seed=3)
    state = environment.unwrapped.np_random.bit_generator.state
    for wrong in (-1, np.int64(-1), 1.0, np.float64(2), True, np.bool_(True), "3"):
        with pytest.raises(AlquerqueError, match=r"^seed is .*, expected an integer of at least 0$"):
            environment.reset(seed=wrong)
    for seeds in ([1, 2], (1, 2), np.array([1, 2]), [None, 3]):
        with pytest.raises(AlquerqueError, match="expected one integer: one generator draws for all matches"):
            environment.reset(seed=seeds)
    for options in ("W:Wa1:Be5", ["position"], 3, [("position", "W:Wa1:Be5")]):
        with pytest.raises(AlquerqueError, match=r"options is .*, expected a dictionary"):
            environment.reset(options=options)
    assert environment.unwrapped.np_random.bit_generator.state == state


@pytest.mark.parametrize("kind", [*AGAINST, "self"])
def test_a_step_before_the_first_reset_is_refused(kind: str) -> None:
    for opponent in ({"opponent": play_first}, {"opponent": "random"}) if kind in AGAINST else ({},):
        environment = KINDS[kind](**opponent).unwrapped
        with pytest.raises(gymnasium.error.ResetNeeded):
            environment.step(0 if kind in ONE else np.zeros(2, np.int64))
