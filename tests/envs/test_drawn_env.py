"""The environment in which each match is in another game."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import alquerque_env
from alquerque_env.drawn import SPLITS, draw_game
from alquerque_env.envs.drawn import MAX_LINKS, MAX_POINTS
from alquerque_env.errors import AlquerqueError, UnknownNameError


def play(env: gymnasium.Env, seed: int) -> tuple[list[int], list[float], list[bytes]]:
    """Plays three matches at random; returns the seeds of their games, the rewards and what was seen."""
    chance, seeds, rewards, seen = np.random.default_rng(seed), [], [], []
    for number in range(3):
        observation, info = env.reset(seed=seed if number == 0 else None)
        seeds.append(info["seed"])
        over = False
        while not over:
            action = chance.choice(np.flatnonzero(info["action_mask"]))
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
            seen.append(observation["links"].tobytes())
        rewards.append(reward)
    return seeds, rewards, seen


def test_gymnasium_finds_nothing_wrong() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A random action is mostly illegal, which ends the match as lost.
        check_env(gymnasium.make("alquerque/Drawn-v0").unwrapped, skip_render_check=True)


def test_each_match_is_in_another_game_and_a_seed_repeats_all() -> None:
    env = gymnasium.make("alquerque/Drawn-v0", split="validation", opponent="greedy", max_cycles=100)
    first, again, other = play(env, 5), play(env, 5), play(env, 6)
    assert first == again
    assert first != other
    assert len(set(first[0])) == 3
    assert set(first[0]) <= set(SPLITS["validation"])


def test_the_game_of_a_match_is_that_of_its_seed() -> None:
    env = gymnasium.make("alquerque/Drawn-v0", split="test", seat=0)
    observation, info = env.reset(seed=0, options={"seed": 11_007})
    game = draw_game(11_007)
    assert info["seed"] == 11_007
    assert env.unwrapped.game == env.unwrapped.match.game == game
    assert observation["points"].shape[0] == MAX_POINTS
    assert info["action_mask"].shape == (MAX_LINKS + 1,)
    assert observation["points"][:, 12].sum() == len(game.board.points)
    assert observation["links"][:, 2].sum() == len(game.graph().links)
    with pytest.raises(AlquerqueError, match="seed is 3, expected 11000 to 11999"):
        env.reset(options={"seed": 3})


def test_many_games_are_played_side_by_side() -> None:
    env = gymnasium.make_vec("alquerque/Drawn-v0", 4, count=20)
    observation, info = env.reset(seed=0)
    for _ in range(20):
        actions = np.array([np.flatnonzero(mask)[0] if mask.any() else 0 for mask in info["action_mask"]])
        observation, _, _, _, info = env.step(actions)
    assert observation["roles"].shape == (4, MAX_LINKS, MAX_POINTS)
    assert len(set(info["seed"].tolist())) > 1


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no split 'exam'"):
        gymnasium.make("alquerque/Drawn-v0", split="exam")
    with pytest.raises(AlquerqueError, match="count is 20000"):
        gymnasium.make("alquerque/Drawn-v0", count=20_000)
    assert "alquerque/Drawn-v0" in gymnasium.registry
    assert alquerque_env.__version__
