"""Environments and networks for Tianshou: masks that DQN reads, an actor for PPO, and agents that learn."""

from collections.abc import Callable
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from alquerque_env import Match, evaluate
from alquerque_env.errors import AlquerqueError, PositionError

pytest.importorskip("tianshou")
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor

from alquerque_env.adapters.tianshou import MaskedActor, MaskInObservation

QUIET = {"verbose": False, "show_progress": False}


def make(form: str = "flat", **arguments: object) -> MaskInObservation:
    arguments = {"opponent": "random", "observation": form, **arguments}
    return MaskInObservation(gymnasium.make("alquerque/Fetaix-v0", **arguments))


def many(count: int) -> DummyVectorEnv:
    envs = DummyVectorEnv([make for _ in range(count)])
    envs.seed(0)
    return envs


def masked_actor(hidden: int = 64) -> tuple[MaskedActor, Net]:
    env = make()
    net = Net(state_shape=env.observation_space["obs"].shape, hidden_sizes=(hidden,))
    bare = DiscreteActor(preprocess_net=net, action_shape=env.action_space.n, softmax_output=False)
    return MaskedActor(bare), net


def answers(policy: Callable[..., Batch], observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return policy(Batch(obs=Batch(obs=observations, mask=masks), info=Batch())).act


@pytest.fixture(autouse=True)
def seeded() -> None:
    np.random.seed(0)  # noqa: NPY002 - Tianshou draws from it
    torch.manual_seed(0)
    torch.set_num_threads(1)  # faster for networks as small as these


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
@pytest.mark.parametrize("form", ["planes", "grid", "flat"])
def test_the_check_of_gymnasium_passes(form: str) -> None:
    check_env(make(form), skip_render_check=True)


def test_the_mask_is_that_of_the_match_and_at_its_end_allows_every_action() -> None:
    env, rng = make(seat=1), np.random.default_rng(0)
    seen, info = env.reset(seed=0)
    done = False
    while not done:
        assert env.observation_space.contains(seen)
        assert np.array_equal(seen["mask"], info["action_mask"])
        planes = env.unwrapped.match.observation(1)
        assert np.array_equal(seen["obs"].reshape(planes.shape), planes / env.unwrapped.plane_scale[:, None])
        seen, _, terminated, truncated, info = env.step(int(rng.choice(np.flatnonzero(seen["mask"]))))
        done = terminated or truncated
    assert not info["action_mask"].any()
    assert seen["mask"].all()
    assert env.observation_space.contains(seen)


def test_tianshou_passes_positions_on() -> None:
    text, other = "W:WKc3:BKd1,e5:H4", "W:Wa1,Kc3:Be5:H4"
    envs = DummyVectorEnv([partial(make, seat=0) for _ in range(2)])
    masks = {given: Match("fetaix", given).action_mask() for given in (text, other)}
    seen, _ = envs.reset(options={"position": text})
    assert np.array_equal([each["mask"] for each in seen], [masks[text]] * 2)
    seen, _ = envs.reset(1, options={"position": other})
    assert np.array_equal(seen[0]["mask"], masks[other])
    with pytest.raises(PositionError):
        envs.reset(0, options={"position": "nonsense"})


def test_an_actor_gives_illegal_actions_no_probability_and_no_gradient() -> None:
    actor, net = masked_actor()
    assert actor.get_preprocess_net() is net
    assert actor.get_output_dim() == make().action_space.n
    seen, _ = make().reset(seed=0)
    mask = np.stack([seen["mask"], ~seen["mask"]])
    batch = Batch(obs=np.stack([seen["obs"]] * 2), mask=mask)
    logits, _ = actor(batch)
    bare, _ = actor.actor(batch.obs)
    legal = torch.from_numpy(mask)
    assert torch.equal(logits[legal], bare[legal])
    probabilities = torch.softmax(logits, 1)
    assert (probabilities[~legal] == 0).all()
    assert (probabilities[legal] > 0).all()
    torch.distributions.Categorical(logits=logits).entropy().sum().backward()
    gradient = actor.actor.last.model[-1].bias.grad
    assert gradient.isfinite().all()
    assert gradient.any()
    actor.zero_grad()
    actor(batch[:1])[0].logsumexp(1).sum().backward()
    assert torch.equal(actor.actor.last.model[-1].bias.grad != 0, legal[0])


def test_what_has_no_mask_and_an_actor_with_probabilities_are_refused() -> None:
    for env in (gymnasium.make("CartPole-v1"), gymnasium.make_vec("alquerque/Fetaix-v0", 2), None):
        with pytest.raises(AlquerqueError, match="expected a single environment against an opponent"):
            MaskInObservation(env)
    bare = DiscreteActor(preprocess_net=masked_actor()[1], action_shape=4, softmax_output=True)
    with pytest.raises(AlquerqueError, match="make it with softmax_output=False"):
        MaskedActor(bare)


def test_dqn_plays_legal_actions_and_learns() -> None:
    env, steps = make(), 8_000
    net = Net(state_shape=env.observation_space["obs"].shape, action_shape=env.action_space.n, hidden_sizes=(128,))
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space)
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), n_step_return_horizon=3, target_update_freq=300)
    buffer = VectorReplayBuffer(steps, 16)
    collector = Collector(algorithm, many(16), buffer, exploration_noise=True)
    collector.reset()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            training_fn=lambda _, step: policy.set_eps_training(max(0.05, 1 - 2 * step / steps)),
            max_epochs=1,
            epoch_num_steps=steps,
            collection_step_num_env_steps=96,
            update_step_num_gradient_steps_per_sample=1 / 8,
            batch_size=128,
            **QUIET,
        )
    )
    rows = buffer.sample_indices(0)
    assert len(rows) > 0.9 * steps
    assert buffer.obs.mask[rows, buffer.act[rows].astype(int)].all()
    result = evaluate(partial(answers, policy), "fetaix", games=200, observation="flat", batched=True)
    assert result.win_rate.low > 0.5, str(result)
