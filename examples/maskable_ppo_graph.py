"""MaskablePPO of sb3-contrib with one network for all games: each match is in another game, drawn at random.

The weights belong to no game: points send to the links in which they have a role, and the logit of an action is read
from its link. Afterwards it plays games that were drawn with other seeds.

Source: https://sb3-contrib.readthedocs.io/en/master/modules/ppo_mask.html
"""

import argparse
import time
from typing import Any

import gymnasium
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

import alquerque_env  # noqa: F401 - registers the environments

ROLES = 4  # origin, target, victim, between
IS_POINT = 12  # this fact is 0 where the graph is padded


class GraphNetwork(nn.Module):
    """Gives a logit for each link and for the pass, and a summary of the position."""

    def __init__(self, points: int, links: int, facts: int, width: int = 32, rounds: int = 2) -> None:
        super().__init__()
        self.width = width
        self.of_points, self.of_facts = nn.Linear(points, width), nn.Linear(facts, width)
        self.of_links = nn.ModuleList(nn.Linear(links, width) for _ in range(rounds + 1))
        self.to_links = nn.ModuleList(nn.Linear(width, ROLES * width, bias=False) for _ in range(rounds + 1))
        self.to_points = nn.ModuleList(nn.Linear(ROLES * width, width) for _ in range(rounds))
        self.logit, self.stop = nn.Linear(width, 1), nn.Linear(width, 1)
        nn.init.orthogonal_(self.logit.weight, 0.01)  # the first policy is nearly uniform

    def forward(self, seen: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Logits `[B, L + 1]` and the summary `[B, width]`."""
        roles = torch.stack([(seen["roles"] == role).float() for role in range(1, ROLES + 1)], 1)  # [B, R, L, P]
        is_point = seen["points"][:, :, IS_POINT : IS_POINT + 1]
        points = self.of_points(seen["points"]) + self.of_facts(seen["facts"])[:, None]
        for number, of_links in enumerate(self.of_links):
            shape = *points.shape[:2], ROLES, self.width
            sent = self.to_links[number](points.relu()).view(shape).movedim(2, 1)  # [B, R, P, width]
            links = (of_links(seen["links"]) + (roles @ sent).sum(1)).relu()
            if number < len(self.to_points):
                back = (roles.transpose(2, 3) @ links[:, None]).movedim(1, 2).flatten(2)  # [B, P, R * width]
                points = (points + self.to_points[number](back / 8)) * is_point
        summary = (points.relu() * is_point).sum(1) / is_point.sum(1)
        return torch.cat([self.logit(links).squeeze(2), self.stop(summary)], 1), summary


class Features(BaseFeaturesExtractor):
    """The network: a logit for each link and for the pass, then the summary."""

    def __init__(self, space: spaces.Dict) -> None:
        network = GraphNetwork(*(space[name].shape[-1] for name in ("points", "links", "facts")))
        super().__init__(space, space["links"].shape[0] + 1 + network.width)
        self.network = network

    def forward(self, seen: dict[str, Tensor]) -> Tensor:
        return torch.cat(self.network(seen), 1)


class Part(nn.Module):
    def __init__(self, first: int, last: int | None) -> None:
        super().__init__()
        self.columns = slice(first, last)

    def forward(self, given: Tensor) -> Tensor:
        return given[:, self.columns]


class GraphPolicy(MaskableMultiInputActorCriticPolicy):
    """Takes the logits of the network as they are, and the value from the summary."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named, net_arch=[], features_extractor_class=Features)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        actions = self.action_space.n
        self.action_net = Part(0, actions)
        self.value_net = nn.Sequential(Part(actions, None), nn.Linear(self.features_extractor.network.width, 1))
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def measure(model: MaskablePPO, opponent: str, matches: int) -> float:
    """The share of matches that the most probable actions win, draws counted as half."""
    env, points = gymnasium.make("alquerque/Drawn-v0", split="validation", opponent=opponent, max_cycles=200), 0.0
    for seed in range(matches):
        (observation, info), over = env.reset(seed=seed), False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"].astype(bool), deterministic=True)
            observation, reward, terminated, truncated, info = env.step(int(action))
            over = terminated or truncated
        points += (reward + 1) / 2
    return points / matches


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40_000, help="how many actions to train")
    parser.add_argument("--games", type=int, default=1000, help="how many games to train on")
    parser.add_argument("--opponent", default="greedy", help="the bot")
    parser.add_argument("--matches", type=int, default=200, help="matches to play afterwards, each in another game")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    env = gymnasium.make("alquerque/Drawn-v0", count=arguments.games, opponent=arguments.opponent, max_cycles=200)
    model = MaskablePPO(GraphPolicy, env, seed=0, n_steps=1024, batch_size=128, n_epochs=4, ent_coef=0.01)
    before = measure(model, arguments.opponent, arguments.matches)
    start = time.monotonic()
    model.learn(arguments.steps)
    after = measure(model, arguments.opponent, arguments.matches)
    print(f"{arguments.steps} steps in {time.monotonic() - start:.0f} s; points in games that were not trained on:")
    print(f"{before:.1%} before, {after:.1%} after")
