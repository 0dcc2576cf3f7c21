"""PPO of TorchRL by self-play: one network plays both agents and learns from each one's own decisions.

Source: https://docs.pytorch.org/rl/0.14/tutorials/multiagent_ppo.html
"""

import sys
import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential
from torchrl.collectors import Collector
from torchrl.envs import ExplorationType, PettingZooWrapper, set_exploration_type
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import alquerque_env
from alquerque_env.adapters.bots import Policy
from alquerque_env.adapters.torchrl import acting_rows, safe_mask

GAMES = ("alquerque", "fetaix", "felli_simplified")
STEPS = 30_000


def make_actor(net: torch.nn.Module, *agent: str) -> ProbabilisticActor:
    """Makes an actor of a network. It reads the entries of an agent, or those of rows if no agent is named."""
    logits = TensorDictModule(net, in_keys=[(*agent, "observation", "observation")], out_keys=[(*agent, "logits")])
    legal = TensorDictModule(safe_mask, in_keys=[(*agent, "action_mask")], out_keys=[(*agent, "legal")])
    return ProbabilisticActor(
        TensorDictSequential(logits, legal),
        in_keys={"logits": (*agent, "logits"), "mask": (*agent, "legal")},
        out_keys=[(*agent, "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=(*agent, "action_log_prob"),
    )


def train(game: str, steps: int = STEPS, seed: int = 0) -> Iterator[tuple[int, Policy]]:
    """Trains by matches of the network against itself, after every 2,000 steps; yields steps and policy."""
    torch.manual_seed(seed)
    bare = getattr(alquerque_env, f"{game}_v0").raw_env(observation="flat")
    size = bare.observation_space("player_0")["observation"].shape[0]
    net, critic_net = (MLP(in_features=size, out_features=n, num_cells=[128, 128]) for n in (bare.game.num_actions, 1))
    actor, critic = make_actor(net), ValueOperator(critic_net, in_keys=[("observation", "observation")])
    players = TensorDictSequential(*[make_actor(net, agent) for agent in bare.possible_agents])
    gae = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    policy, done = partial(choose, actor), 0
    yield done, policy
    env = PettingZooWrapper(bare, use_mask=True, seed=seed)
    given = {"frames_per_batch": 2000, "total_frames": steps, "auto_register_policy_transforms": False}
    for rollout in Collector(env, players, **given):
        rows = torch.cat([gae(acting_rows(rollout, agent)) for agent in bare.possible_agents])
        for _ in range(8):
            for batch in rows[torch.randperm(len(rows))].split(250):
                losses = loss(batch)
                optimizer.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        yield (done := done + len(rollout)), policy


def choose(actor: ProbabilisticActor, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Returns the most probable actions of an actor."""
    rows = {"observation": {"observation": observations}, "action_mask": masks.astype(bool)}
    with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
        return actor(TensorDict(rows, [len(masks)]))["action"].numpy()


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or GAMES:
        start = time.monotonic()
        for done, policy in train(game):
            if game == "felli_simplified":  # comes with the exact values of all its positions
                errors = alquerque_env.measure_errors(policy, game, kind="natural", observation="flat", batched=True)
                print(f"{game}: natural regret {errors.regret.value:.3f} after {done} steps", flush=True)
        print(f"{game}: {done} steps in {time.monotonic() - start:.0f} s")
        result = alquerque_env.evaluate(policy, game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
