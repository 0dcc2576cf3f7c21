"""Proximal policy optimisation (PPO) by self-play.

One iteration, `PPOLearner.iterate`, calls in this order:

    RolloutGames.play        plays a rollout with the policy, in other processes at the same time (`rollout`)
    compute_advantages       advantages of its steps (`gae`)
    make_batch               the steps to learn from, with normalised advantages and returns
    update                   epochs of minibatches; the loss of each is `ppo_loss`

Source: Schulman et al. 2017, arXiv:1707.06347; details as in CleanRL's `ppo.py`, but for two players in one network.
The network learns from both seats. Every number of a step is from the perspective of the player who acted (see `gae`).
"""

import copy
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple

import numpy as np
import torch
from annotated_types import Ge, Gt, Le
from torch import Tensor

from alquerque_env import SelfPlayVectorEnv
from alquerque_env.engine.torch_table import make_torch_table
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_training.config.learning_rate import LearningRate
from alquerque_training.config.settings import Config, ConfigError, Count, Processes, Section, Share
from alquerque_training.experience.numbers_ahead import copied
from alquerque_training.experience.opponents import OpponentPool, bot_maker
from alquerque_training.experience.self_play_games import GameCounter, SelfPlayGames
from alquerque_training.experience.state_arrays import (
    Arrays,
    group,
    pack_generator,
    unpack_generator,
    weight_arrays,
    weight_tensors,
)
from alquerque_training.experience.symmetric_env import SymmetricGames
from alquerque_training.gae import compute_advantages
from alquerque_training.learning import Descent, Learner, Part
from alquerque_training.networks import PolicyValueNetwork, build_network, masked_log_probs
from alquerque_training.networks.inference import choose_device
from alquerque_training.rollout import CPU, Rollout, RolloutGames
from alquerque_training.workers.backend import MakeWorkers, worker_seed
from alquerque_training.workers.processes import ProcessWorkers

TORCH_FROM = 8_000
"""Games at once from which PyTorch plays faster on a GPU than the kernels on a core.

On an NVIDIA H200 a compiled step of `alquerque` takes 0.43 ms with 4,096 games and 0.51 ms with 65,536; a core of that
machine plays 16.5 million steps per second (docs/speed.md).
"""


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


class Losses(NamedTuple):
    """Parts of the loss, each a mean over the minibatch; `total` is minimised."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor
    approx_kl: Tensor
    clip_fraction: Tensor


class PpoConfig(Processes, LearningRate):
    """Proximal policy optimisation, Schulman et al. 2017, arXiv:1707.06347.

    Attributes:
      learning_rate: Learning rate of Adam at the start; it falls linearly to `final_learning_rate`.
      final_learning_rate: Learning rate at the end of the run.
      gae_lambda: Lambda of GAE: 0 trusts the values, 1 trusts the outcome.
      clip: The ratio of new to old probability is clipped to [1 - clip, 1 + clip].
      entropy_bonus: Weight of the policy's entropy at the start. Self-play got weaker with 0.01.
      final_entropy_bonus: Weight at the end of the run, approached linearly; `entropy_bonus` if absent.
      value_weight: Weight of the value loss.
      epochs: Passes over each rollout.
      minibatch_size: Largest number of steps in one gradient.
      max_gradient_norm: Gradients are clipped to this norm.
      pool_share: Share of the games in which an earlier version of the network plays one seat. The network does not
        learn from the steps of that seat.
      pool_size: Number of earlier versions kept.
      pool_every: Iterations between two versions.
      symmetries: Whether each match is shown under a random symmetry of the game, drawn when the match begins.
      processes: Number of processes that play, each an equal part of `self_play.num_games`; one of them also learns.
      backend: What plays the games: `kernels` for those of the package, on the CPU, where the network then learns too;
        `torch` for PyTorch, which can do both on a GPU; `auto` for `torch` if there is a GPU and a process plays at
        least 8,000 games at once, with fewer the kernels are faster. Both give the same games.
      device: With the backend `torch`: where the games are played and the network learns: `cpu`, `cuda`, or `auto` for
        a GPU if there is one.
    """

    falls = "linearly"

    gae_lambda: Annotated[float, Ge(0), Le(1)] = 0.95
    clip: Share = 0.2
    entropy_bonus: Annotated[float, Ge(0), Le(10)] = 0.05
    final_entropy_bonus: Annotated[float, Ge(0), Le(10)] | None = None
    value_weight: Annotated[float, Ge(0), Le(10)] = 0.5
    epochs: Annotated[int, Ge(1), Le(100)] = 2
    minibatch_size: Annotated[int, Ge(1), Le(2**24)] = 4096
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 0.5
    pool_share: Annotated[float, Ge(0), Le(1)] = 0.0
    pool_size: Annotated[int, Ge(1), Le(1000)] = 8
    pool_every: Count = 25
    symmetries: bool = False
    backend: Literal["auto", "kernels", "torch"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"

    def contradictions(self, name: str, config: Config) -> Iterator[str]:
        """As `Section.contradictions`."""
        yield from super().contradictions(name, config)
        if (batch := config.steps_per_iteration) < self.minibatch_size:
            yield (
                f"{name}.minibatch_size is {self.minibatch_size}, expected at most self_play.num_games x "
                f"self_play.rollout_steps = {batch}"
            )
        if (shares := config.self_play.bots_share + self.pool_share) > 1:
            yield f"self_play.bots_share + {name}.pool_share is {shares:g}, expected at most 1"


class PPOLearner(Learner):
    """Everything that training changes: network, optimiser, games and random numbers.

    Args:
      config: The run's settings.
      game: The game.
      make_workers: Makes the workers: the other processes of self-play.
      games: The games that the learner plays, `config.games_of(0)` with autoreset NEXT_STEP; those of `game` if None.

    Attributes:
      network: The network on the CPU, as it is evaluated and saved.
      device: Where the games are and the network learns.
      games: The games that the learner plays itself.
      rollout: The steps of the last iteration, of all games.
    """

    generator: torch.Generator
    sections: Mapping[str, type[Section]] = MappingProxyType({"ppo": PpoConfig})

    def __init__(
        self,
        config: Config,
        game: Game,
        make_workers: MakeWorkers = ProcessWorkers,
        games: SelfPlayGames | None = None,
    ) -> None:
        own = config.of(PpoConfig)
        self.games = _make_games(config, game, 0, config.run.seed, games)
        self.device = self.games.device
        generator = torch.Generator().manual_seed(config.run.seed)
        network = _make_network(config, self.games, game, generator)
        self._trained = network if self.device == CPU else copy.deepcopy(network).to(self.device)
        self.optimizer = torch.optim.Adam(self._trained.parameters(), lr=own.learning_rate, eps=1e-5)
        self.workers = make_workers(config, RolloutActor)
        self.pool = OpponentPool(own.pool_size, own.pool_every, self.games.num_pooled)
        others = sum(config.games_of(number) for number in range(1, config.processes))
        self._counter = GameCounter(self.games.env.num_envs + others)
        self.rollout: Rollout
        descent, networks = Descent(self.optimizer, own.max_gradient_norm), [network, self._trained]
        parts: dict[str, Part] = {"optimizer": descent, "pool": self.pool, "games": self._counter}
        super().__init__(config, networks, generator, self.workers, **parts)

    def iterate(self) -> dict[str, float]:
        """Collects a rollout and updates the network.

        Returns:
          The record for the log, without times and strength.
        """
        ppo, start = self.config.of(PpoConfig), time.perf_counter()
        progress = self.iteration / self.config.iterations
        learning_rate = ppo.learning_rate_at(progress)
        final = ppo.entropy_bonus if ppo.final_entropy_bonus is None else ppo.final_entropy_bonus
        entropy_bonus = ppo.entropy_bonus + (final - ppo.entropy_bonus) * progress

        opponent = self.pool.draw(self._trained, self.iteration, self.generator)
        if self.config.processes > 1:
            order = {f"weights.{name}": array for name, array in weight_arrays(self._trained.state_dict()).items()}
            order |= {f"opponent.{name}": array for name, array in weight_arrays(opponent or {}).items()}
            self.workers.begin(order)
        own = self.games.play(self._trained, self.generator, opponent)
        others = [Rollout.from_arrays(arrays, self.device) for arrays in self.workers.collect()]
        rollout = self.rollout = Rollout.join([own, *others])
        playing = time.perf_counter() - start

        outcomes = self.count_games(rollout)
        advantages = compute_advantages(
            rollout.rewards,
            rollout.values,
            rollout.players,
            rollout.terminated,
            rollout.truncated,
            rollout.forced,
            discount=self.config.self_play.discount,
            gae_lambda=ppo.gae_lambda,
        )

        batch = make_batch(rollout, advantages)
        ppo = ppo.model_copy(update={"entropy_bonus": entropy_bonus})
        losses = update(self._trained, self.optimizer, batch, ppo, learning_rate, self.generator)
        if losses:
            losses["explained_variance"] = explained_variance(batch.returns, advantages[rollout.learned])

        if self._trained is not self.network:
            self.network.load_state_dict(self._trained.state_dict())
        return {
            **self.advance(start, playing),
            **outcomes,
            **losses,
            "learning_rate": learning_rate,
            "entropy_bonus": entropy_bonus,
        }

    def count_games(self, rollout: Rollout) -> dict[str, float]:
        """Returns the outcomes of the games that ended in a rollout, for the log. Call it once a rollout."""
        return self._counter.count(
            live=rollout.live,
            decided=rollout.live & ~rollout.forced & ~rollout.opening,
            players=rollout.players[:-1],
            rewards=rollout.rewards,
            terminated=rollout.terminated,
            truncated=rollout.truncated,
        )

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns what `Learner.get_state` does."""
        return super().get_state() | self.games.get_state()

    def set_state(self, state: Arrays, weights: Mapping[str, Tensor], steps: int) -> None:
        """As `Learner.set_state`."""
        super().set_state(state, weights, steps)
        self.games.set_state(state)


class RolloutActor:
    """Plays rollouts in a worker; see `workers.backend.Actor`.

    An order holds the weights that play, `weights.*`, and those of the earlier version that plays against them,
    `opponent.*`, if there is one. Experience is the result of `Rollout.as_arrays`.
    """

    def __init__(self, config: Config, number: int) -> None:
        game = config.run.load_game()
        seed = worker_seed(config.run.seed, number) >> 1  # torch takes signed seeds
        self._games = _make_games(config, game, number, seed)
        self._generator = torch.Generator().manual_seed(seed)
        network = _make_network(config, self._games, game, torch.Generator())
        self._network = network.to(self._games.device)

    def play(self, order: Arrays) -> dict[str, np.ndarray]:
        """As `Actor.play`."""
        self._network.load_state_dict(weight_tensors(group(order, "weights.")))
        opponent = weight_tensors(group(order, "opponent.")) or None
        return self._games.play(self._network, self._generator, opponent).as_arrays()

    def get_state(self) -> dict[str, np.ndarray]:
        """As `Actor.get_state`."""
        return self._games.get_state() | {"generator": pack_generator(self._generator)}

    def set_state(self, state: Arrays) -> None:
        """As `Actor.set_state`."""
        unpack_generator(self._generator, state["generator"])
        self._games.set_state(state)


def choose_backend(config: PpoConfig, game: Game, num_games: int) -> tuple[str, torch.device | str]:
    """What plays so many games of a process, by the names of `SelfPlayVectorEnv`, and on which device."""
    device, is_torch = choose_device(config.device), config.backend == "torch"
    if config.backend == "auto" and num_games >= TORCH_FROM and device.type == "cuda":
        is_torch = torch.cuda.is_available() and make_torch_table(game) is not None
    return ("torch", device) if is_torch else ("auto", "cpu")


def _make_games(config: Config, game: Game, number: int, seed: int, games: SelfPlayGames | None = None) -> RolloutGames:
    """What an actor plays, in the given games or in those of its number; `ConfigError` for bots that cannot play."""
    own, make_bots = config.of(PpoConfig), bot_maker(config.self_play, game)
    return RolloutGames(config, games or _make_env(config, game, number), seed, make_bots, own.pool_share)


def _make_env(config: Config, game: Game, number: int) -> SelfPlayGames:
    """The games of an actor; `ConfigError` for a torch backend that there is not."""
    own, count = config.of(PpoConfig), config.games_of(number)
    backend, device = choose_backend(own, game, count)
    cycles = config.self_play.max_cycles
    try:
        games: SelfPlayGames = SelfPlayVectorEnv(game, count, max_cycles=cycles, backend=backend, device=device)
    except AlquerqueError as error:
        raise ConfigError(f"ppo: {error}") from None
    return SymmetricGames(games, game.symmetries, config.self_play.rollout_steps) if own.symmetries else games


def _make_network(config: Config, games: RolloutGames, game: Game, generator: torch.Generator) -> PolicyValueNetwork:
    """A network with random weights for the games, on the CPU."""
    scale = torch.from_numpy(np.array(games.env.plane_scale, dtype=np.float32))
    return build_network(config.network, replace(games.shape, game=game), scale, generator)


def make_batch(rollout: Rollout, advantages: Tensor) -> Batch:
    """Gathers the steps to learn from and normalises their `[L, B]` advantages."""
    rows = rollout.learned.flatten().nonzero()[:, 0]  # the one question to the device

    def learned(field: Tensor) -> Tensor:
        return field.flatten(0, 1)[rows]

    gathered = learned(advantages)
    deviations = gathered - gathered.mean()
    return Batch(
        planes=learned(rollout.planes),
        mask=learned(rollout.mask),
        actions=learned(rollout.actions),
        log_probs=learned(rollout.log_probs),
        advantages=deviations / (deviations.square().mean().sqrt() + 1e-8),
        returns=gathered + learned(rollout.values[:-1]),
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

    Returns the mean of each loss and of the norm of the gradient; nothing if the batch is empty.
    """
    for settings in optimizer.param_groups:
        settings["lr"] = learning_rate
    minibatches = math.ceil(len(batch.actions) / config.minibatch_size)
    found: list[Tensor] = []
    for _ in range(config.epochs):
        order = copied(torch.randperm(len(batch.actions), generator=generator), batch.actions.device)
        for rows in torch.tensor_split(order, minibatches) if minibatches else ():
            minibatch = Batch(*(field[rows] for field in batch))
            logits, values = network(minibatch.planes)
            total, *others = ppo_loss(masked_log_probs(logits, minibatch.mask), values, minibatch, config)
            optimizer.zero_grad()
            torch.autograd.backward(total)
            norm = torch.nn.utils.clip_grad_norm_(network.parameters(), config.max_gradient_norm)
            optimizer.step()
            found.append(torch.stack([*others, norm]).detach())
    names = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "gradient_norm")
    return dict(zip(names, (torch.stack(found).sum(0) / len(found)).tolist(), strict=True)) if found else {}


def ppo_loss(log_probs: Tensor, values: Tensor, batch: Batch, config: PpoConfig) -> Losses:
    """The clipped objective of PPO, from `[N, A]` log-probabilities and `[N]` values, with an entropy bonus."""
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
    return torch.where(variance == 0, 0.0, 1 - errors.var(correction=0) / variance).item()
