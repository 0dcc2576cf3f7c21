"""The PyTorch backend of batched self-play returns what the others return, as tensors."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from alquerque_env import SelfPlayVectorEnv, load_bot, load_game
from alquerque_env.errors import AlquerqueError, IllegalStepError, RulesError
from tests.envs.drawn import assert_alike


def test_matches_go_on_with_the_other_backend() -> None:
    game = load_game("alquerque", repetition="threefold_draw", undo_scope="per_player_last_move")
    env, other = (SelfPlayVectorEnv(game, 5, backend=backend, max_cycles=40) for backend in ("torch", "auto"))
    env.reset(seed=1)
    for _ in range(25):
        env.step(env.sample_actions())
    other.set_state(env.get_state())
    for _ in range(60):
        actions = env.sample_actions()
        assert_alike(env.step(actions), other.step(actions.numpy()))
    for _ in range(10):
        other.step(other.sample_actions())
    assert_alike(*(each.set_state(other.get_state()) for each in (env, other)))
    assert_alike([env.sample_actions()], [other.sample_actions()])


def test_actions_that_are_no_tensor_of_integers_are_refused() -> None:
    env: Any = SelfPlayVectorEnv("fetaix", 3, backend="torch")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(torch.zeros(3, dtype=torch.int64))
    env.reset(seed=0)
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


def test_what_it_cannot_do_is_said() -> None:
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
    with pytest.raises(RulesError, match=f"{rule}.*use another backend"):
        SelfPlayVectorEnv(load_game(name, **options), 2, backend="torch")
