"""PPO in one file, as CleanRL writes it, with action masks: one network plays both sides of a batch of matches.

Source: https://github.com/vwxyzjn/cleanrl/blob/master/cleanrl/ppo.py
"""

import sys
import time
from collections.abc import Iterator

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from alquerque_env import SelfPlayVectorEnv, evaluate, measure_errors

STEPS = 160_000
ENVS, ROLLOUT, EPOCHS, MINIBATCH = 64, 64, 4, 512
GAMMA, LAMBDA, CLIP, ENTROPY, RATE = 0.99, 0.95, 0.2, 0.01, 1e-3


class Agent(nn.Module):
    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.actor, self.critic = nn.Linear(128, actions), nn.Linear(128, 1)

    def forward(self, observation: np.ndarray, mask: np.ndarray) -> tuple[Categorical, torch.Tensor]:
        hidden, legal = self.body(torch.as_tensor(observation)), torch.as_tensor(mask).bool()
        legal = legal | ~legal.any(1, keepdim=True)  # a match that has ended has no legal action
        return Categorical(logits=torch.where(legal, self.actor(hidden), -1e8)), self.critic(hidden).squeeze(1)

    @torch.no_grad()
    def choose(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return self(observation, mask)[0].logits.argmax(1).numpy()


def train(game: str, steps: int = STEPS, seed: int = 0) -> Iterator[tuple[int, object]]:
    """Trains by self-play; yields steps and policy."""
    torch.manual_seed(seed)
    envs = SelfPlayVectorEnv(game, ENVS, observation="flat")
    agent = Agent(envs.single_observation_space.shape[0], envs.single_action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), RATE, eps=1e-5)
    observation, info = envs.reset(seed=seed)
    done = np.zeros(ENVS, bool)  # the next step of a match that is done begins another, and ignores the action
    yield 0, agent.choose
    for now in range(ENVS * ROLLOUT, steps + ENVS * ROLLOUT, ENVS * ROLLOUT):
        rows = []
        for _ in range(ROLLOUT):
            seen, mask, player, begins = observation, info["action_mask"], info["player"], done
            with torch.no_grad():
                policy, value = agent(seen, mask)
                action = policy.sample()
            observation, reward, terminated, truncated, info = envs.step(action.numpy())
            done = terminated | truncated
            turns = player != info["player"]  # then what follows is good for the other player
            rows.append((seen, mask, action, policy.log_prob(action), value, reward, done, turns, begins))
        columns = [torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True)]
        seen, mask, action, log_prob, value, reward, ends, turns, begins = columns
        with torch.no_grad():
            following = torch.cat([value[1:], agent(observation, info["action_mask"])[1][None]])
        sign = torch.where(turns, -1.0, 1.0) * ~ends
        advantage = reward + GAMMA * following * sign - value
        for t in reversed(range(ROLLOUT - 1)):
            advantage[t] += GAMMA * LAMBDA * advantage[t + 1] * sign[t]
        goal, advantage = advantage + value, (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        batch = [x[~begins] for x in (seen, mask, action, log_prob, advantage, goal)]
        for chosen in (part for _ in range(EPOCHS) for part in torch.randperm(len(batch[0])).split(MINIBATCH)):
            seen, mask, action, log_prob, advantage, goal = (x[chosen] for x in batch)
            policy, value = agent(seen, mask)
            ratio = (policy.log_prob(action) - log_prob).exp()
            gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
            loss = (value - goal).square().mean() / 2 - gain - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
        yield now, agent.choose


if __name__ == "__main__":
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or ("alquerque", "fetaix", "felli_simplified"):
        start = time.monotonic()
        for done, policy in train(game):
            if game == "felli_simplified":  # comes with the exact values of all its positions
                errors = measure_errors(policy, game, kind="natural", observation="flat", batched=True)
                print(f"{game}: natural regret {errors.regret.value:.3f} after {done} steps", flush=True)
        print(f"{game}: {done} steps in {time.monotonic() - start:.0f} s")
        result = evaluate(policy, game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
