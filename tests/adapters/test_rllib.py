"""Environments for RLlib: the spaces and rewards that it sees, and an agent that learns on processes of its own."""

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import alquerque_env
from alquerque_env import Match, evaluate
from alquerque_env.errors import AlquerqueError, PositionError, UnknownNameError
from tests.option_values import core_games

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.rllib.env.wrappers.pettingzoo_env", exc_type=ImportError)
    from ray import tune
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import torch

from alquerque_env.adapters.rllib import FlattenObservationWrapper, env_creator

pytestmark = pytest.mark.filterwarnings("ignore")

AGENTS = ("player_0", "player_1")


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.mark.parametrize("name", core_games())
def test_each_player_sees_the_match_within_the_spaces(name: str) -> None:
    env, match, rng = env_creator({"game": name, "max_cycles": 80}), Match(name), np.random.default_rng(0)
    scale = np.asarray(alquerque_env.SelfPlayVectorEnv(name, 1).plane_scale)[:, None]
    seen, _ = env.reset(seed=0)
    ended = {"__all__": False}
    while not ended["__all__"]:
        (agent,) = seen
        assert agent == AGENTS[match.player]
        assert env.get_observation_space(agent).contains(seen[agent])
        assert seen[agent]["action_mask"].dtype == np.float32
        assert np.array_equal(seen[agent]["action_mask"], match.action_mask())
        assert np.allclose(seen[agent]["observations"], (match.observation() / scale).reshape(-1))
        action = int(rng.choice(np.flatnonzero(match.action_mask())))
        assert env.get_action_space(agent).contains(action)
        match.push(action)
        seen, rewards, terminated, truncated, _ = env.step({agent: action})
        ended = truncated if truncated["__all__"] else terminated
    assert match.is_over == terminated["__all__"]
    winner = match.outcome.winner if match.outcome else None
    assert [rewards[agent] for agent in AGENTS] == ([0, 0] if winner is None else [1, -1] if winner == 0 else [-1, 1])


def test_options_and_limits_are_given_by_the_config() -> None:
    env = env_creator({"game": "fetaix", "max_cycles": 3, "who_starts": "player_1"})
    seen, _ = env.reset()
    assert list(seen) == ["player_1"]
    truncated = {}
    for _ in range(3):
        ((agent, observation),) = seen.items()
        seen, _, _, truncated, _ = env.step({agent: int(observation["action_mask"].argmax())})
    assert truncated["__all__"]
    with pytest.raises(UnknownNameError, match="no option 'nothing'"):
        env_creator({"game": "fetaix", "nothing": 1})


def test_a_match_begins_in_a_position_where_rllib_passes_options_on() -> None:
    env, text = env_creator({"game": "fetaix"}), "B:WKc3:BKd1,e5:H4"
    seen, _ = env.reset(options={"position": text})
    assert list(seen) == ["player_1"]
    assert np.array_equal(seen["player_1"]["action_mask"], Match("fetaix", text).action_mask())
    with pytest.raises(PositionError):
        env.reset(options={"position": "nonsense"})
    with pytest.raises(AlquerqueError, match="RLlib begins every match without options"):
        env_creator({"game": "fetaix", "position": text})


def test_another_form_of_observations_is_refused() -> None:
    with pytest.raises(AlquerqueError, match="observation='flat'"):
        FlattenObservationWrapper(alquerque_env.env("fetaix"))
    with pytest.raises(AlquerqueError, match=r"'observation' .* is 'grid'.* only 'flat'"):
        env_creator({"game": "fetaix", "observation": "grid"})


def test_ppo_learns_with_env_runners_in_processes_of_their_own(cluster: None) -> None:
    tune.register_env("alquerque_env", env_creator)
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [64], "vf_share_layers": False}
    )
    algo = (
        PPOConfig()
        .environment("alquerque_env", env_config={"game": "fetaix"})
        .env_runners(num_env_runners=1, num_envs_per_env_runner=8)
        .learners(num_learners=0, num_gpus_per_learner=0)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_args, **_named: "shared")
        .rl_module(rl_module_spec=module)
        .training(train_batch_size_per_learner=2000, minibatch_size=500, num_epochs=6, lr=2e-3, entropy_coeff=0.01)
        .debugging(seed=0, log_level="ERROR")
        .build_algo()
    )
    for _ in range(8):
        algo.train()
    learned = algo.get_module("shared")
    algo.stop()

    def choose(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        seen = {"observations": torch.from_numpy(observation), "action_mask": torch.from_numpy(action_mask).float()}
        return learned.forward_inference({"obs": seen})["action_dist_inputs"].argmax(1).numpy()

    result = evaluate(choose, "fetaix", games=200, observation="flat", batched=True)
    assert result.win_rate.low > 0.5, str(result)
