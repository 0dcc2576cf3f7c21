"""The PyTorch backend of batched self-play returns what the others return, as tensors."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from torch import Tensor

from alquerque_env import SelfPlayVectorEnv, load_bot, load_game
from alquerque_env.errors import AlquerqueError, IllegalStepError, RulesError
from tests.option_values import core_first
from tests.sets import first_by_default

CASES: list[tuple[str, dict[str, Any], int | None]] = [
    ("alquerque", {"repetition": "threefold_draw", "undo_scope": "per_player_last_move"}, 12),
    ("alquerque_murray", {"no_moves": "pass", "capture_removal": "end_of_turn"}, 60),
    ("awithlaknannai_mosona", {"leap": "straight", "board": "zigzag", "who_starts": "player_1"}, 17),
    ("fetaix", {"midchain_promotion": "promote_and_continue"}, None),
]
modes = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)


def pair(name: str, count: int, **arguments: Any) -> tuple[Any, Any]:
    """The same matches by PyTorch and by another backend."""
    options = arguments.pop("options", {})
    game = load_game(name, **options)
    return tuple(SelfPlayVectorEnv(game, count, backend=backend, **arguments) for backend in ("torch", "auto"))


def assert_alike(tensors: Any, arrays: Any, where: str = "") -> None:
    """Equal values, shapes and number types."""
    if isinstance(arrays, dict):
        assert tensors.keys() == arrays.keys(), where
        for key, array in arrays.items():
            assert_alike(tensors[key], array, f"{where}[{key}]")
    elif isinstance(arrays, tuple):
        for number, (one, other) in enumerate(zip(tensors, arrays, strict=True)):
            assert_alike(one, other, f"{where}[{number}]")
    else:
        assert isinstance(tensors, Tensor), where
        np.testing.assert_array_equal(tensors.numpy(), arrays, where, strict=True)


@pytest.mark.parametrize(
    ("name", "options", "max_cycles"),
    core_first(CASES),
    ids=str,
)
@modes
def test_every_field_is_that_of_the_other_backend(
    name: str, options: dict[str, Any], max_cycles: int | None, mode: AutoresetMode
) -> None:
    env, other = pair(name, 6, options=options, max_cycles=max_cycles, autoreset_mode=mode)
    assert_alike(env.reset(seed=3), other.reset(seed=3))
    ends = 0
    for number in range(2000):
        if ends and number >= (max_cycles or 130):
            break
        actions = env.sample_actions()
        assert_alike(actions, other.sample_actions())
        told, expected = env.step(actions), other.step(actions.numpy())
        ended = expected[2] | expected[3]
        if mode is AutoresetMode.SAME_STEP and not ended.any():
            told = (*told[:4], {key: value for key, value in told[4].items() if "final" not in key})
        assert_alike(told, expected)
        ends += int(ended.sum())
        if mode is AutoresetMode.DISABLED and ended.any():
            with pytest.raises(gymnasium.error.ResetNeeded, match="has ended"):
                env.step(actions)
            mask = {"reset_mask": torch.from_numpy(ended)}
            assert_alike(env.reset(options=mask), other.reset(options={"reset_mask": ended}))
    assert ends
    for key, array in other.get_state().items():
        np.testing.assert_array_equal(env.get_state()[key], array)


@pytest.mark.slow
def test_matches_go_on_with_the_other_backend() -> None:
    env, other = pair("fetaix", 5, options={"repetition": "threefold_draw"}, max_cycles=40)
    env.reset(seed=1)
    for _ in range(25):
        env.step(env.sample_actions())
    other.set_state(env.get_state())
    for _ in range(60):
        actions = env.sample_actions()
        assert_alike(env.step(actions), other.step(actions.numpy()))
    for _ in range(10):
        other.step(other.sample_actions())
    assert_alike(env.set_state(other.get_state()), other.set_state(other.get_state()))
    assert_alike(env.step(env.sample_actions()), other.step(other.sample_actions()))


@first_by_default
@modes
def test_returned_tensors_belong_to_the_caller(mode: AutoresetMode) -> None:
    env, twin = (SelfPlayVectorEnv("fetaix", 4, backend="torch", autoreset_mode=mode, max_cycles=9) for _ in "12")
    spoil(env.reset(seed=0))
    twin.reset(seed=0)
    for _ in range(20):
        actions: Any = twin.sample_actions()
        spoil(env.sample_actions())
        told = twin.step(actions)
        shown = env.step(actions.clone())
        assert torch.equal(torch.as_tensor(shown[0]), torch.as_tensor(told[0]))
        spoil(shown)
        if mode is AutoresetMode.DISABLED:
            mask = {"reset_mask": np.asarray(told[2] | told[3])}
            spoil(env.reset(options=mask))
            twin.reset(options=mask)
        for key, array in twin.get_state().items():
            np.testing.assert_array_equal(env.get_state()[key], array)


def spoil(value: Any) -> None:
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ():
        spoil(part)
    if isinstance(value, Tensor):
        value[...] = ~value if value.dtype == torch.bool else 99


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env: Any = SelfPlayVectorEnv("fetaix", 3, backend="torch")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(torch.zeros(3, dtype=torch.int64))
    env.reset(seed=0)
    before = env.get_state()
    for wrong in (0, -1, env.game.num_actions, 2**62):
        actions = env.sample_actions()
        actions[1] = wrong
        with pytest.raises(IllegalStepError, match=f"action {wrong} of match 1 is not legal"):
            env.step(actions)
        for key, array in before.items():
            np.testing.assert_array_equal(env.get_state()[key], array if key != "rng" else env.get_state()["rng"])
    for actions in (np.zeros(3, np.int64), torch.zeros(3), torch.zeros(2, dtype=torch.int64), [0, 0, 0], None):
        with pytest.raises(IllegalStepError, match=r"expected a tensor of integers of shape \(3,\)"):
            env.step(actions)


def test_without_a_check_at_once_an_illegal_action_is_told_later() -> None:
    """As on a GPU, which a step does not wait for."""
    env: Any = SelfPlayVectorEnv("fetaix", 3, backend="torch")
    env.checks_at_once = False
    observation, _ = env.reset(seed=0)
    actions = env.sample_actions()
    actions[1] = -1
    after, rewards, terminated, *_ = env.step(actions)
    assert torch.equal(after[1], observation[1])
    assert not torch.equal(after[0], observation[0])
    assert not rewards.any()
    assert not terminated.any()
    for ask in (env.get_state, lambda: env.match(0), env.reset, lambda: env.choose(load_bot("random", "fetaix"), [0])):
        actions = env.sample_actions()
        actions[1] = -1
        env.step(actions)
        with pytest.raises(IllegalStepError, match="an earlier action was not legal"):
            ask()
        ask()
    for _ in range(20):
        env.step(env.sample_actions())
    env.get_state()


def test_without_a_check_at_once_ended_matches_wait() -> None:
    env: Any = SelfPlayVectorEnv("fetaix", 2, backend="torch", autoreset_mode="Disabled", max_cycles=1)
    env.checks_at_once = False
    env.reset(seed=0)
    first, *_ = env.step(env.sample_actions())
    again, rewards, terminated, truncated, info = env.step(torch.full((2,), -7))
    assert torch.equal(first, again)
    assert truncated.all()
    assert not torch.cat([rewards, terminated, info["action_mask"].flatten()]).any()
    env.get_state()


def test_bots_choose_in_its_matches() -> None:
    env, other = pair("alquerque", 4)
    env.reset(seed=0)
    other.set_state(env.get_state())
    bots = [load_bot("alphabeta:2", env.game, seed=7) for _ in range(2)]
    chosen = env.choose(bots[0], np.arange(4))
    assert chosen.tolist() == other.choose(bots[1], np.arange(4)).tolist()


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(RulesError, match="use another backend"):
        SelfPlayVectorEnv(load_game("fetaix", max_capture="most_pieces"), 2, backend="torch")
    with pytest.raises(AlquerqueError, match="did you mean 'torch'"):
        SelfPlayVectorEnv("fetaix", 2, backend="troch")
    with pytest.raises(AlquerqueError, match="device is 'cuda:0': only the backend 'torch'"):
        SelfPlayVectorEnv("fetaix", 2, device="cuda:0")
    for device in ("gpu", "cuda:99", 3.5):
        with pytest.raises(AlquerqueError, match=r"device is .*, which PyTorch cannot use"):
            SelfPlayVectorEnv("fetaix", 2, backend="torch", device=device)


@pytest.mark.parametrize(
    ("name", "options", "rule"),
    [
        ("kharbaga", {}, "max_capture=most_pieces"),
        ("tiger_game_forty", {}, "its board has 81 points, and 63 are the most there"),
        ("fetaix", {"mullah_landing": "must_continue"}, "mullah_landing=must_continue"),
        ("alquerque", {"undo_scope": "never_revisit"}, "undo_scope"),
    ],
)
def test_a_refusal_names_the_rule_that_cannot_be_played(name: str, options: dict[str, Any], rule: str) -> None:
    with pytest.raises(RulesError, match=rule):
        SelfPlayVectorEnv(load_game(name, **options), 2, backend="torch")
