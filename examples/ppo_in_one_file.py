"""PPO in one file, by self-play with action masks, for any game of the package.

    python examples/ppo_in_one_file.py alquerque --minutes 5

Measured on two cores of an AMD EPYC with much other work: in its five minutes this had 46 s of processor time, one core
at a time, and the policy won 200 of 200 matches against `greedy` (95% interval 98.1% to 100%). It did so in `fetaix`,
with 59 s.

One network plays both sides of many matches at once. Every number of a step is from the perspective of the player who
made it. The player who captures may move several times in a row, so the value of the next position changes its sign
only where the other player is to move there, see `advantages`.

Sources: https://arxiv.org/abs/1707.06347 (PPO), https://arxiv.org/abs/1506.02438 (generalised advantage estimation)
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from alquerque_env import Game, SelfPlayVectorEnv, evaluate, load_bot, load_game
from alquerque_env.errors import AlquerqueError

OPENING = 4  # random steps with which a match begins, at most, so that many kinds of positions are seen
DISCOUNT, LAMBDA = 0.99, 0.95  # discount and lambda of the advantages
CLIP = 0.2  # the ratio of new to old probability counts within 1 - CLIP and 1 + CLIP
ENTROPY, VALUE = 0.05, 0.5  # weights of entropy bonus and value loss
EPOCHS = 2  # how often each step is learned
ILLEGAL = -1e9  # logit of an action that may not be played


class Network(nn.Module):
    """A residual multilayer perceptron from the planes of a position to its policy and value."""

    def __init__(self, game: Game, width: int, blocks: int) -> None:
        super().__init__()
        env = SelfPlayVectorEnv(game, 1)
        self.game, self.width = game, width
        self.register_buffer("scale", torch.tensor(env.plane_scale, dtype=torch.float32).reshape(-1, 1))
        self.stem = nn.Linear(math.prod(env.single_observation_space.shape), width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))
            for _ in range(blocks)
        )
        self.policy, self.value = nn.Linear(width, game.num_actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)  # the first policy is nearly uniform

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Log probabilities `[B, A]` and values `[B]` in (-1, 1), for the player to move.

        Args:
          planes: The positions, int8 `[B, C, P]`.
          mask: Their legal actions, int8 `[B, A]`.
        """
        hidden = torch.relu(self.stem((planes / self.scale).flatten(1)))
        for block in self.blocks:
            hidden = hidden + block(hidden)
        logits = self.policy(hidden.relu()).masked_fill(mask == 0, ILLEGAL)
        return logits.log_softmax(1), self.value(hidden.relu()).tanh().squeeze(1)

    @torch.inference_mode()
    def best(self, planes: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The most probable action in each position, `[B]`."""
        device = self.scale.device
        log_probs, _ = self(torch.from_numpy(planes).to(device), torch.from_numpy(mask).to(device))
        return log_probs.argmax(1).cpu().numpy()

    def save(self, path: str) -> None:
        about = {"game": self.game.path or self.game.name, "width": self.width, "blocks": len(self.blocks)}
        save_file(self.state_dict(), path, {"about": json.dumps(about)})


def load_network(path: str) -> Network:
    """The network that `Network.save` wrote, with its game."""
    with safe_open(path, "pt") as file:
        about = json.loads((file.metadata() or {}).get("about", "null"))
    if about is None:
        raise AlquerqueError(f"{path} has no weights that this program wrote")
    network = Network(load_game(about["game"]), about["width"], about["blocks"])
    network.load_state_dict(load_file(path))
    return network


def self_play(network: Network, args: Any, generator: torch.Generator) -> Iterator[tuple[dict[str, Tensor], int]]:
    """Plays matches of the network against itself; yields rollouts of `L` steps in `B` matches.

    Yields:
      The steps, each as a tensor `[L, B, ...]`, with values and players of one step more; and how many matches ended.
    """
    rng, device = np.random.default_rng(args.seed), network.scale.device
    env = SelfPlayVectorEnv(network.game, args.matches, autoreset_mode="SameStep")
    planes, info = env.reset(seed=args.seed)
    length, opening = np.zeros(args.matches, np.int64), rng.integers(OPENING + 1, size=args.matches)
    while True:
        steps, ended = [], 0
        for step in range(args.steps + 1):
            mask, player = torch.from_numpy(info["action_mask"]), torch.from_numpy(info["player"])
            seen, is_random = torch.from_numpy(planes), length < opening
            with torch.inference_mode():
                log_probs, value = (each.cpu() for each in network(seen.to(device), mask.to(device)))
            if step == args.steps:  # the next rollout begins here
                break
            action = torch.multinomial(log_probs.exp(), 1, generator=generator)
            log_prob = log_probs.gather(1, action).squeeze(1)
            action = torch.where(torch.from_numpy(is_random), torch.from_numpy(env.sample_actions()), action.squeeze(1))
            planes, reward, over, _, info = env.step(action.numpy())
            # A random step and one without alternative teach the policy nothing.
            learned = torch.from_numpy(~is_random) & (mask.sum(1) > 1)
            row = seen, mask, action, log_prob, value, player, torch.from_numpy(reward), torch.from_numpy(over), learned
            steps.append(row)
            length, ended = np.where(over, 0, length + 1), ended + int(over.sum())
            opening = np.where(over, rng.integers(OPENING + 1, size=args.matches), opening)
        names = "planes", "mask", "actions", "log_probs", "values", "players", "rewards", "over", "learned"
        rollout = dict(zip(names, map(torch.stack, zip(*steps, strict=True)), strict=True))
        rollout["values"] = torch.cat([rollout["values"], value[None]])
        rollout["players"] = torch.cat([rollout["players"], player[None]])
        yield rollout, ended


def advantages(rollout: dict[str, Tensor]) -> Tensor:
    """Generalised advantage estimation for two players who do not strictly alternate, `[L, B]`."""
    values, players = rollout["values"], rollout["players"]
    # What comes after a step is good for the player who made it if the same player is to move, and otherwise bad.
    sign = torch.where(players[1:] == players[:-1], 1.0, -1.0) * ~rollout["over"]
    result, following = torch.zeros_like(rollout["rewards"]), torch.zeros(values.shape[1])
    for step in reversed(range(len(result))):
        error = rollout["rewards"][step] + DISCOUNT * sign[step] * values[step + 1] - values[step]
        result[step] = following = error + DISCOUNT * LAMBDA * sign[step] * following
    return result


def learn(
    network: Network,
    optimizer: torch.optim.Optimizer,
    rollout: dict[str, Tensor],
    args: Any,
    generator: torch.Generator,
) -> tuple[float, float]:
    """Learns from the steps of a rollout; returns the mean value loss and the mean entropy."""
    gains, chosen = advantages(rollout), rollout["learned"]
    planes, mask, actions, old = (rollout[name][chosen] for name in ("planes", "mask", "actions", "log_probs"))
    goals = (gains + rollout["values"][:-1])[chosen]
    gains = (gains[chosen] - gains[chosen].mean()) / (gains[chosen].std() + 1e-8)
    columns, figures = [each.to(network.scale.device) for each in (planes, mask, actions, old, gains, goals)], []
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(goals), generator=generator).split(args.batch):
            planes, mask, actions, old, gain, goal = (column[rows] for column in columns)
            log_probs, values = network(planes, mask)
            ratio = (log_probs.gather(1, actions[:, None]).squeeze(1) - old).exp()
            policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            value_loss, entropy = (values - goal).square().mean(), -(log_probs.exp() * log_probs).sum(1).mean()
            optimizer.zero_grad()
            (policy_loss + VALUE * value_loss - ENTROPY * entropy).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
            figures.append((value_loss.item(), entropy.item()))
    return tuple(np.mean(figures, 0)) if figures else (math.nan, math.nan)


def train(network: Network, args: Any) -> None:
    """Trains a network until the iterations or the minutes are over."""
    generator, start, progress = torch.Generator().manual_seed(args.seed), time.monotonic(), 0.0
    optimizer = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    for iteration, (rollout, ended) in enumerate(self_play(network, args, generator), 1):
        for settings in optimizer.param_groups:
            settings["lr"] = args.learning_rate * (1 - progress)
        value_loss, entropy = learn(network, optimizer, rollout, args, generator)
        seconds, steps = time.monotonic() - start, iteration * args.matches * args.steps
        progress = iteration / args.iterations if args.iterations else seconds / 60 / args.minutes
        print(
            f"iteration {iteration}, {seconds:.0f} s: {steps} steps, loss of value {value_loss:.3f}, "
            f"entropy {entropy:.3f}, {ended} matches ended",
            flush=True,
        )
        if progress >= 1:
            break
    processor = time.process_time()
    print(f"{network.game.name}: {steps} steps in {seconds:.0f} s ({processor:.0f} s of processor time)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.formatter_class = argparse.ArgumentDefaultsHelpFormatter
    add = parser.add_argument
    add("game", nargs="?", default="alquerque", help="id of a game, or the path of a game file")
    add("--minutes", type=float, default=5.0, help="how long to train")
    add("--iterations", type=int, help="how long to train, instead of --minutes; then a seed gives the same weights")
    add("--seed", type=int, default=0, help="seed of all random numbers")
    add("--device", default="cpu", help="where the network is evaluated and learns, such as cuda")
    add("--weights", default="ppo.safetensors", help="file to which the weights are written")
    add("--evaluate", action="store_true", help="read this file and play the matches, without training")
    add("--opponent", default="greedy", help="bot of the matches after the training")
    add("--opponent-matches", type=int, default=200, help="their number, half of them from either seat")
    add("--matches", type=int, default=1024, help="matches of self-play at once")
    add("--steps", type=int, default=32, help="steps in each of them in an iteration")
    add("--width", type=int, default=128, help="units of a layer")
    add("--blocks", type=int, default=2, help="residual blocks")
    add("--batch", type=int, default=4096, help="most steps of a gradient")
    add("--learning-rate", type=float, default=1e-3, help="at the start; it falls linearly to 0")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # faster for networks as small as these
    try:
        given = load_network(args.weights) if args.evaluate else Network(load_game(args.game), args.width, args.blocks)
        network, bot = given.to(args.device), load_bot(args.opponent, given.game, seed=args.seed)
        if not args.evaluate:
            network.save(args.weights)  # so that a wrong path is found before the training
            try:
                train(network, args)
            finally:
                network.save(args.weights)
        result = evaluate(network.best, network.game, bot, args.opponent_matches, batched=True)
        text = f"{network.game.name}: won {result.wins} of {result.games} against {args.opponent}, drew {result.draws}"
        rate = result.win_rate
        print(f"{text}: {rate.value:.1%} won (95% interval {rate.low:.1%} to {rate.high:.1%})")
    except (AlquerqueError, OSError, SafetensorError) as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        sys.exit("stopped by Ctrl-C")


if __name__ == "__main__":
    main()
