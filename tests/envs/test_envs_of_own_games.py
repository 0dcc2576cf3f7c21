"""Environments of games from files."""

import copy
import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import alquerque_env
from alquerque_env import SelfPlayVectorEnv, load_game
from alquerque_env.envs import aec
from alquerque_env.errors import RulesError
from tests.own_games import write_game


def test_the_aec_environment_takes_a_path_and_needs_the_file_only_once(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    env = alquerque_env.env(str(file), chain="optional")
    bare = aec.raw_env(file)
    file.unlink()

    env.reset(seed=0)
    while env.agents:
        observation, _, terminated, truncated, _ = env.last()
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if terminated or truncated else int(legal[-1]))
    bare.reset(seed=1)
    bare.step(int(np.flatnonzero(bare.last()[0]["action_mask"])[0]))
    for other in (copy.deepcopy(bare), pickle.loads(pickle.dumps(bare))):
        assert other.last()[0]["observation"].tolist() == bare.last()[0]["observation"].tolist()
        assert other.metadata["name"] == "mine_v0"
    assert env.unwrapped.game.options["chain"] == "optional"


def test_gymnasium_takes_a_path_or_a_game(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    game = load_game(file)
    for given in (str(file), file, game):
        env: Any = gymnasium.make("alquerque/Game-v0", game=given, opponent="greedy", seat=0, chain="single")
        _, info = env.reset(seed=0)
        assert env.unwrapped.game == load_game(file, chain="single")
        assert info["action_mask"].sum() == 5
        assert env.step(int(np.flatnonzero(info["action_mask"])[0]))[4]["player"] == 0


def test_vector_environments_take_a_path_and_play_as_the_game_does(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    versus: Any = gymnasium.make_vec("alquerque/Game-v0", 3, game=str(file), opponent="random", seat=0)
    batch = SelfPlayVectorEnv(str(file), 3)
    same = SelfPlayVectorEnv(load_game(file), 3)
    file.unlink()

    assert versus.reset(seed=0)[1]["action_mask"].sum(1).tolist() == [5, 5, 5]
    assert batch.game == same.game
    batch.reset(seed=5)
    same.reset(seed=5)
    for _ in range(40):
        actions = batch.sample_actions()
        assert [np.asarray(each).tolist() for each in batch.step(actions)[:4]] == [
            np.asarray(each).tolist() for each in same.step(same.sample_actions())[:4]
        ]


def test_the_state_of_one_game_is_refused_by_another_of_the_same_name(tmp_path: Path) -> None:
    batch = SelfPlayVectorEnv(write_game(tmp_path), 2)
    batch.reset(seed=0)
    other = SelfPlayVectorEnv(write_game(tmp_path, at_limit="majority"), 2)
    with pytest.raises(ValueError, match="game"):
        other.set_state(batch.get_state())


@pytest.mark.parametrize("make", [alquerque_env.env, lambda path: SelfPlayVectorEnv(path, 2)])
def test_a_missing_file_is_refused(make: Any, tmp_path: Path) -> None:
    write_game(tmp_path)
    with pytest.raises(RulesError, match=r"no game file .*min\.toml'; did you mean 'mine\.toml'\?"):
        make(str(tmp_path / "min.toml"))
