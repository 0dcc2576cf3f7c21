"""Proximal policy optimisation (PPO) by self-play.

One iteration, `Learner.iterate`, calls in this order:

    collect                  plays a rollout with the policy
    gae.compute_advantages   advantages of its steps
    make_batch               the steps to learn from, with normalised advantages and returns
    update                   epochs of minibatches; the loss of each is `ppo_loss`

Source: Schulman et al. 2017, arXiv:1707.06347; details as in CleanRL's `ppo.py`, but for two players in one network.
The network learns from both seats. Every number of a step is from the perspective of the player who acted (see `gae`).
"""

import copy
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from alquerque_training.config.settings import Config, PpoConfig
from alquerque_training.experience.bot_opponents import BotOpponents, MakeBots
from alquerque_training.experience.opponent_pool import OpponentPool
from alquerque_training.experience.random_openings import RandomOpenings
from alquerque_training.experience.self_play_games import GameCounter, Observation, SelfPlayGames, play
from alquerque_training.experience.state_arrays import group, load_optimizer, optimizer_arrays
from alquerque_training.gae import compute_advantages
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks import Geometry, PolicyValueNetwork, Shape, build_network, masked_log_probs, sample

CPU = torch.device("cpu")


@dataclass(frozen=True)
class Rollout:
    """`L` steps of `B` games.

    Attributes:
      planes: `[L, B, C, P]` int8.
      mask: `[L, B, A]` bool.
      players: `[L + 1, B]` int8, the player to move.
      actions: `[L, B]` int64.
      log_probs: `[L, B]` of the actions, under the policy that chose them.
      values: `[L + 1, B]` for the player to move; undefined for forced steps, except in the last row.
      rewards: `[L, B]` for the player who acted.
      terminated: `[L, B]` bool.
      truncated: `[L, B]` bool.
      own: `[L, B]` bool, false where an opponent or a random opening chose the action.
      opening: `[L, B]` bool, true for the random steps of an opening.
    """

    planes: Tensor
    mask: Tensor
    players: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    rewards: Tensor
    terminated: Tensor
    truncated: Tensor
    own: Tensor
    opening: Tensor

    @classmethod
    def empty(cls, length: int, games: int, shape: Shape, device: torch.device = CPU) -> "Rollout":
        """A rollout of zeros, for `collect` to fill."""
        zeros = partial(torch.zeros, device=device)
        return cls(
            planes=zeros(length, games, shape.planes, shape.points, dtype=torch.int8),
            mask=zeros(length, games, shape.actions, dtype=torch.bool),
            players=zeros(length + 1, games, dtype=torch.int8),
            actions=zeros(length, games, dtype=torch.int64),
            log_probs=zeros(length, games),
            values=zeros(length + 1, games),
            rewards=zeros(length, games),
            terminated=zeros(length, games, dtype=torch.bool),
            truncated=zeros(length, games, dtype=torch.bool),
            own=~zeros(length, games, dtype=torch.bool),
            opening=zeros(length, games, dtype=torch.bool),
        )

    @property
    def live(self) -> Tensor:
        """`[L, B]` false where the step only reset its game."""
        return self.mask.any(-1)

    @property
    def forced(self) -> Tensor:
        """`[L, B]` true where the player had a single legal action: there is nothing to learn there."""
        return without_choice(self.mask)

    @property
    def learned(self) -> Tensor:
        """`[L, B]` true for the steps that the network learns from."""
        return self.live & self.own & ~self.forced


class Batch(NamedTuple):
    """`N` steps to learn from, in any order. Fields are those of `Rollout` and two more.

    Attributes:
      advantages: `[N]` normalised.
      returns: `[N]` targets of the value: advantage plus value.
    """

    planes: Tensor
    mask: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    returns: Tensor


class Chooser(Protocol):
    """Chooses actions instead of the network in some of the games. The network does not learn from these steps."""

    def choose(
        self, games: SelfPlayGames, planes: Tensor, mask: Tensor, players: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Chooses actions in the games where it is to move.

        Args:
          games: The games.
          planes: `[B, C, P]` observations.
          mask: `[B, A]` bool action masks.
          players: `[B]` 0 or 1, the player to move.
          generator: Source of random numbers.

        Returns:
          `(rows, actions)`, each int64 `[K]`: the games, and the action in each.
        """


class Losses(NamedTuple):
    """Parts of the loss, each a mean over the minibatch; `total` is minimised."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor
    approx_kl: Tensor
    clip_fraction: Tensor


class Learner:
    """Everything that training changes: network, optimiser, games and random numbers.

    Args:
      config: The run's settings.
      env: A `SelfPlayVectorEnv` of `config.self_play.num_games` games, autoreset NEXT_STEP.
      geometry: Geometry of the game, for networks that need it.
      make_bots: Makes the bots that the network plays against, from a seed.

    Attributes:
      network: The network on the CPU, as it is evaluated and saved.
      device: Where the games are and the network learns.
      metrics: Metrics that it logs besides those of `measure.metrics.METRICS`.
    """

    metrics: Sequence[Metric] = ()

    def __init__(
        self,
        config: Config,
        env: SelfPlayGames,
        geometry: Geometry | None = None,
        make_bots: MakeBots = lambda _seed: (),
    ) -> None:
        self.config, self.env = config, env
        self.now = Observation.of(*env.reset(seed=config.run.seed))
        self.device = self.now.planes.device
        channels, points = self.now.planes.shape[1:]
        shape = Shape(planes=channels, points=points, actions=self.now.mask.shape[1], geometry=geometry)
        self.generator = torch.Generator().manual_seed(config.run.seed)
        scale = torch.from_numpy(np.array(env.plane_scale, dtype=np.float32))
        self.network = build_network(config.network, shape, scale, self.generator)
        self._trained = self.network if self.device == CPU else copy.deepcopy(self.network).to(self.device)
        self.optimizer = torch.optim.Adam(self._trained.parameters(), lr=config.ppo.learning_rate, eps=1e-5)
        self.rollout = Rollout.empty(config.self_play.rollout_steps, env.num_envs, shape, self.device)
        self.bots = BotOpponents(make_bots, config.self_play, env.num_envs)
        pooled = range(self.bots.num_games, self.bots.num_games + int(config.ppo.pool_share * env.num_envs))
        self.pool = OpponentPool(self._trained, config.ppo, pooled)
        self.openings = RandomOpenings(config.self_play.opening_plies, env.num_envs)
        self.games = GameCounter(env.num_envs)
        self.iteration = 0

    @property
    def steps(self) -> int:
        """Steps of self-play done so far."""
        return self.iteration * self.config.steps_per_iteration

    def iterate(self) -> dict[str, float]:
        """Collects a rollout and updates the network; returns the record for the log, without times and strength."""
        ppo, start = self.config.ppo, time.perf_counter()
        progress = self.iteration / self.config.iterations
        learning_rate = ppo.learning_rate * (1 - progress)
        final = ppo.entropy_bonus if ppo.final_entropy_bonus is None else ppo.final_entropy_bonus
        entropy_bonus = ppo.entropy_bonus + (final - ppo.entropy_bonus) * progress

        self.pool.begin(self._trained, self.iteration, self.generator)
        self.bots.begin(int(torch.randint(2**31, (), generator=self.generator)))
        others = (self.pool, self.bots)
        self.now = collect(self.env, self._trained, self.now, self.rollout, self.generator, others, self.openings)
        playing = time.perf_counter() - start

        rollout = self.rollout
        advantages = compute_advantages(
            rollout.rewards,
            rollout.values,
            rollout.players,
            rollout.terminated,
            rollout.truncated,
            rollout.forced,
            discount=ppo.discount,
            gae_lambda=ppo.gae_lambda,
        )

        batch = make_batch(rollout, advantages)
        ppo = ppo.model_copy(update={"entropy_bonus": entropy_bonus})
        losses = update(self._trained, self.optimizer, batch, ppo, learning_rate, self.generator)
        if losses:
            losses["explained_variance"] = explained_variance(batch.returns, advantages[rollout.learned])

        if self._trained is not self.network:
            self.network.load_state_dict(self._trained.state_dict())
        self.iteration += 1
        seconds = time.perf_counter() - start
        return {
            "iteration": self.iteration,
            "steps": self.steps,
            "playing_share": round(playing / seconds, 3),
            **self.count_games(),
            **losses,
            "learning_rate": learning_rate,
            "entropy_bonus": entropy_bonus,
        }

    def count_games(self) -> dict[str, float]:
        """Outcomes of the games that ended in the rollout, for the log. Call it once a rollout."""
        rollout = self.rollout
        return self.games.count(
            live=rollout.live,
            decided=rollout.live & ~rollout.forced & ~rollout.opening,
            players=rollout.players[:-1],
            rewards=rollout.rewards,
            terminated=rollout.terminated,
            truncated=rollout.truncated,
        )

    def begin_with(self, weights: Mapping[str, Tensor]) -> None:
        """Loads weights before the first iteration."""
        self._load(weights)

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that training changes, except the weights and the number of iterations."""
        arrays = {"generator": self.generator.get_state().numpy()}
        arrays |= {f"optimizer.{key}": array for key, array in optimizer_arrays(self.optimizer).items()}
        arrays |= {f"pool.{key}": array for key, array in self.pool.get_state().items()}
        arrays |= {f"openings.{key}": array for key, array in self.openings.get_state().items()}
        arrays |= {f"games.{key}": array for key, array in self.games.get_state().items()}
        return arrays | {f"env.{key}": array for key, array in self.env.get_state().items()}

    def set_state(self, state: Mapping[str, np.ndarray], weights: Mapping[str, Tensor], steps: int) -> None:
        """Restores a state of `get_state`, with the weights and the number of steps at that time.

        Raises:
          KeyError, TypeError, ValueError, RuntimeError: If something is missing or does not fit.
        """
        self.generator.set_state(torch.from_numpy(np.array(state["generator"])))
        load_optimizer(self.optimizer, group(state, "optimizer."))
        self.pool.set_state(group(state, "pool."))
        self.openings.set_state(group(state, "openings."))
        self.games.set_state(group(state, "games."))
        self.now = Observation.of(*self.env.set_state(group(state, "env.")))
        self._load(weights)
        self.iteration = steps // self.config.steps_per_iteration

    def _load(self, weights: Mapping[str, Tensor]) -> None:
        for network in (self.network, self._trained):
            network.load_state_dict(dict(weights))

    def close(self) -> None:
        """Does nothing: PPO runs in one process."""


@torch.inference_mode()
def collect(
    env: SelfPlayGames,
    network: PolicyValueNetwork,
    now: Observation,
    rollout: Rollout,
    generator: torch.Generator,
    others: Sequence[Chooser] = (),
    openings: Chooser | None = None,
) -> Observation:
    """Plays both sides of every game and fills a rollout.

    Args:
      env: The games.
      network: Its policy is sampled.
      now: The observation before the first step.
      rollout: Filled.
      generator: Source of random numbers.
      others: Opponents that choose instead of the network where they are to move; a later one overrides an earlier one.
      openings: Chooses the random first steps of both players.

    Returns:
      The observation after the last step.
    """
    for step in range(len(rollout.actions)):
        planes, mask = rollout.planes[step].copy_(now.planes), rollout.mask[step].copy_(now.mask)
        rollout.players[step] = now.player
        asked = ~without_choice(mask)
        logits = torch.zeros(mask.shape, device=mask.device)
        logits[asked], rollout.values[step, asked] = network(planes[asked])
        log_probs = masked_log_probs(logits, mask)
        actions = sample(log_probs, generator)
        rollout.own[step], rollout.opening[step] = True, False
        for other in (*others, openings) if openings is not None else others:
            games, theirs = other.choose(env, planes, mask, rollout.players[step], generator)
            actions[games], rollout.own[step, games] = theirs, False
            rollout.opening[step, games] = other is openings
        rollout.actions[step] = actions
        rollout.log_probs[step] = log_probs.gather(-1, actions[:, None])[:, 0]
        now, rollout.rewards[step], rollout.terminated[step], rollout.truncated[step] = play(env, actions)
    rollout.players[-1] = now.player
    rollout.values[-1] = network(now.planes)[1]
    return now


def without_choice(mask: Tensor) -> Tensor:
    """Whether a mask `[..., A]` has exactly one legal action."""
    return mask.sum(-1) == 1


def make_batch(rollout: Rollout, advantages: Tensor) -> Batch:
    """Gathers the steps to learn from and normalises their `[L, B]` advantages."""
    learned = rollout.learned
    advantages = advantages[learned]
    deviations = advantages - advantages.mean()
    return Batch(
        planes=rollout.planes[learned],
        mask=rollout.mask[learned],
        actions=rollout.actions[learned],
        log_probs=rollout.log_probs[learned],
        advantages=deviations / (deviations.square().mean().sqrt() + 1e-8),
        returns=advantages + rollout.values[:-1][learned],
    )


def update(
    network: PolicyValueNetwork,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    config: PpoConfig,
    learning_rate: float,
    generator: torch.Generator,
) -> dict[str, float]:
    """Learns from a batch for several epochs, in random minibatches of nearly equal size.

    Returns:
      The mean of each loss; empty if the batch is empty.
    """
    for settings in optimizer.param_groups:
        settings["lr"] = learning_rate
    parameters = list(network.parameters())
    minibatches = math.ceil(len(batch.actions) / config.minibatch_size)
    sums, rounds = torch.zeros(6, device=batch.actions.device), 0
    for _ in range(config.epochs):
        order = torch.randperm(len(batch.actions), generator=generator).to(batch.actions.device)
        for rows in torch.tensor_split(order, minibatches) if minibatches else ():
            minibatch = Batch(*(field[rows] for field in batch))
            logits, values = network(minibatch.planes)
            losses = ppo_loss(masked_log_probs(logits, minibatch.mask), values, minibatch, config)
            optimizer.zero_grad()
            torch.autograd.backward(losses.total)
            norm = torch.nn.utils.clip_grad_norm_(parameters, config.max_gradient_norm)
            optimizer.step()
            sums += torch.stack([*losses[1:], norm]).detach()
            rounds += 1
    if rounds == 0:
        return {}
    names = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "gradient_norm")
    return dict(zip(names, (sums / rounds).tolist(), strict=True))


def ppo_loss(log_probs: Tensor, values: Tensor, batch: Batch, config: PpoConfig) -> Losses:
    """The clipped objective of PPO with a value loss and an entropy bonus.

    Args:
      log_probs: `[N, A]` of the policy being learned.
      values: `[N]` of the network being learned.
      batch: The steps with their advantages and returns.
      config: Clip and weights.
    """
    log_ratio = log_probs.gather(-1, batch.actions[:, None])[:, 0] - batch.log_probs
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
    policy_loss = -torch.minimum(ratio * batch.advantages, clipped * batch.advantages).mean()
    value_loss = 0.5 * ((values - batch.returns) ** 2).mean()
    # The same as log_probs.exp(), which takes ten times as long on the illegal actions.
    probabilities = torch.softmax(log_probs, -1)
    entropy = -(probabilities * log_probs).sum(-1).mean()
    return Losses(
        total=policy_loss + config.value_weight * value_loss - config.entropy_bonus * entropy,
        policy=policy_loss,
        value=value_loss,
        entropy=entropy,
        approx_kl=(ratio - 1 - log_ratio).mean(),
        clip_fraction=((ratio - 1).abs() > config.clip).float().mean(),
    )


def explained_variance(returns: Tensor, errors: Tensor) -> float:
    """Share of the variance of returns that the values explain: 1 all of it, 0 no more than a constant."""
    variance = returns.var(correction=0)
    return 0.0 if variance == 0 else (1 - errors.var(correction=0) / variance).item()
