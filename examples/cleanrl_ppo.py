"""PPO in one file, as CleanRL writes it, with action masks, against an opponent in the batched environment.

Source: https://github.com/vwxyzjn/cleanrl/blob/master/cleanrl/ppo.py
"""

import sys
import time

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from alquerque_env import evaluate, measure_errors

IDS = {
    "alquerque": "alquerque/Alquerque-v0",
    "fetaix": "alquerque/Fetaix-v0",
    "felli_simplified": "alquerque/FelliSimplified-v0",
}
SOLVED = "felli_simplified"  # comes with the exact values of all its positions
ENVS, ROLLOUT, ITERATIONS, EPOCHS, MINIBATCH = 64, 64, 40, 4, 512
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

    def choose(self, observation: np.ndarray, mask: np.ndarray) -> torch.Tensor:
        return self(observation, mask)[0].logits.argmax(1)


def train(game: str) -> Agent:
    """Trains against `random`, from both seats."""
    envs = gymnasium.make_vec(IDS[game], ENVS, opponent="random", observation="flat")
    agent = Agent(envs.single_observation_space.shape[0], envs.single_action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), RATE, eps=1e-5)
    observation, info = envs.reset(seed=0)
    done = np.zeros(ENVS, bool)  # the next step of a match that is done begins another, and ignores the action
    for iteration in range(1, ITERATIONS + 1):
        rows = []
        for _ in range(ROLLOUT):
            seen, mask, begins = observation, info["action_mask"], done
            policy, value = agent(seen, mask)
            action = policy.sample()
            observation, reward, terminated, truncated, info = envs.step(action.numpy())
            done = terminated | truncated
            rows.append((seen, mask, action, policy.log_prob(action).detach(), value.detach(), reward, done, begins))
        columns = [torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True)]
        seen, mask, action, log_prob, value, reward, ends, begins = columns
        following = torch.cat([value[1:], agent(observation, info["action_mask"])[1].detach()[None]])
        advantage = reward + GAMMA * following * ~ends - value
        for t in reversed(range(ROLLOUT - 1)):
            advantage[t] += GAMMA * LAMBDA * advantage[t + 1] * ~ends[t]
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
        if game == SOLVED and iteration % 4 == 0:
            errors = measure_errors(agent.choose, game, 2000, observation="flat", batched=True)
            done = ENVS * ROLLOUT * iteration
            print(f"{game}: exact regret {errors.regret.value:.3f} after {done} steps", flush=True)
    return agent


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)  # faster for networks as small as these
    for game in sys.argv[1:] or IDS:
        start = time.monotonic()
        agent = train(game)
        print(f"{game}: {ENVS * ROLLOUT * ITERATIONS} steps in {time.monotonic() - start:.0f} s")
        result = evaluate(agent.choose, game, games=200, observation="flat", batched=True)
        print(f"{game}: won {result.wins} of {result.games}", flush=True)
