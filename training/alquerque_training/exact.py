"""Learning from exact values: a network learns which actions keep the value of positions, from the table of a game.

One iteration, `ExactLearner.iterate`, draws positions with the value of every action (`experience.labels`) and
learns from them in several passes (the loss is `exact_loss`). Every number is from the side of the player to move.
"""

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple, Protocol

import numpy as np
import torch
from annotated_types import Ge, Gt, Le
from torch import Tensor

from alquerque_env.game.game import Game
from alquerque_env.solve.tables.whole import whole_command
from alquerque_training.config.learning_rate import LearningRate
from alquerque_training.config.settings import Config, ConfigError, Section, Share
from alquerque_training.experience.labels import TableLabels, TablePositions
from alquerque_training.experience.replay_buffer import Augmenter, Positions
from alquerque_training.experience.state_arrays import (
    group,
    load_optimizer,
    optimizer_arrays,
    pack_generator,
    unpack_generator,
)
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks import MASK_FILL
from alquerque_training.networks.inference import choose_precision, make_network
from alquerque_training.workers.backend import MakeWorkers, worker_seed


class Losses(NamedTuple):
    """Parts of the loss, each a mean over the minibatch; `total` is minimised."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor


class ExactConfig(LearningRate):
    """Learning from the exact values of a table, of the whole game or with a proof, one process on the CPU.

    Attributes:
      matches_share: Share of `self_play.num_games` that are matches between players who play exactly but for random
        steps. The other positions are drawn uniformly from the table, as many as these games would give.
      own_share: Share of these matches in which the learner plays one seat, by its policy alone.
      uncritical_share: Share of the positions in which no action loses value that is learned from. Of the others, the
        critical ones, all are.
      passes: Passes over the positions of an iteration.
      batch_size: Largest number of positions in one gradient.
      learning_rate: Learning rate of AdamW at the start; it falls by a half cosine to `final_learning_rate`.
      final_learning_rate: Learning rate at the end of the run.
      weight_decay: Weight decay of AdamW.
      max_gradient_norm: Gradients are clipped to this norm.
      value_weight: Weight of the value loss.
      haste_weight: Weight of the cross-entropy to an exact player, beside the probability of keeping the value.
      haste: How much this player prefers quick wins and slow losses: by a factor of e for each ply and unit.
      expand: Whether all values are worked out at the start, which takes about half as long as solving the game did
        and makes drawing positions many times as fast.
      symmetries: Whether positions are turned and mirrored by the symmetries of the game.
      precision: Number type of matrix products while learning; weights and sums stay in single precision. `auto` is
        bfloat16 on processors that support it.
    """

    matches_share: Annotated[float, Ge(0), Le(1)] = 0.5
    own_share: Annotated[float, Ge(0), Le(1)] = 0.0
    uncritical_share: Annotated[float, Ge(0), Le(1)] = 0.25
    passes: Annotated[int, Ge(1), Le(100)] = 4
    batch_size: Annotated[int, Ge(1), Le(2**20)] = 1024
    learning_rate: Share = 2e-3
    final_learning_rate: Annotated[float, Ge(0), Le(1)] = 1e-5
    weight_decay: Annotated[float, Ge(0), Le(1)] = 1e-4
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 5.0
    value_weight: Annotated[float, Ge(0), Le(100)] = 1.0
    haste_weight: Annotated[float, Ge(0), Le(100)] = 0.1
    haste: Annotated[float, Ge(0), Le(100)] = 0.5
    expand: bool = False
    symmetries: bool = True
    precision: Literal["auto", "float32", "bfloat16"] = "auto"


class ExactLearner:
    """Everything that training changes: network, optimiser, positions and random numbers. It has no other processes.

    Attributes:
      network: The network, which is trained, evaluated and saved.
      labels: Labels the positions.
      metrics: Metrics with another meaning than in `measure.metrics.METRICS`.
      sections: The sections of a config that it declares.
    """

    metrics: Sequence[Metric] = (
        Metric("steps", "steps", "Positions drawn so far, those without a choice included."),
        Metric("positions", "positions", "Positions of this iteration from which it learned.", "memory"),
        Metric("playing_share", "share", "Time of this iteration that was spent on drawing positions.", "division"),
        Metric(
            "policy_loss",
            "nat",
            "In critical positions the negated log probability of keeping the value, and in all the weighted "
            "cross-entropy to an exact player; mean over the update.",
            "policy",
        ),
    )
    sections: Mapping[str, type[Section]] = MappingProxyType({"exact": ExactConfig})

    def __init__(self, config: Config, game: Game, _make_workers: MakeWorkers | None = None) -> None:
        own = self._own = config.of(ExactConfig)
        self.config = config
        self.network = make_network(config, game, torch.Generator().manual_seed(config.run.seed))
        self._optimizer = torch.optim.AdamW(self.network.parameters(), own.learning_rate, weight_decay=own.weight_decay)
        self._precision = choose_precision(own.precision, torch.device("cpu"))
        self.labels = TableLabels(game, config.self_play.discount, own.haste, expand=own.expand)
        if self.labels.proof is not None and own.matches_share:
            raise ConfigError(
                f"exact.matches_share is {own.matches_share}, and matches need the table of a whole game: set "
                f"exact.matches_share = 0, or build it with {whole_command(game)}"
            )
        matches, steps = round(own.matches_share * config.self_play.num_games), config.self_play.rollout_steps
        self._positions = TablePositions(
            self.labels,
            matches=matches,
            steps=steps,
            uniform=config.steps_per_iteration - matches * steps,
            own_share=own.own_share,
            uncritical_share=own.uncritical_share,
            seed=worker_seed(config.run.seed, 0),
        )
        self._augment = Augmenter(game)
        self._generator = np.random.Generator(np.random.PCG64(worker_seed(config.run.seed, 1)))
        self.iteration = 0

    @property
    def steps(self) -> int:
        """Positions drawn so far."""
        return self.iteration * self.config.steps_per_iteration

    def iterate(self) -> dict[str, float]:
        """Draws positions and learns from them.

        Returns:
          The record for the log, without times and strength.
        """
        start = time.perf_counter()
        rows, drawn = self.draw()
        drawing = time.perf_counter() - start
        learning_rate = self._own.learning_rate_at(self.iteration / self.config.iterations)
        losses = self._learn(rows, learning_rate)
        self.iteration += 1
        return {
            "iteration": self.iteration,
            "steps": self.steps,
            "positions": len(rows.outcome),
            "playing_share": round(drawing / (time.perf_counter() - start), 3),
            **drawn,
            **losses,
            "learning_rate": learning_rate,
        }

    def draw(self) -> tuple[Positions, dict[str, float]]:
        """Returns the positions of an iteration, drawn anew, and figures about them for the log."""
        return self._positions.draw(greedy_policy(self.network)), {}

    def begin_with(self, weights: Mapping[str, Tensor]) -> None:
        """Loads weights before the first iteration."""
        self.network.load_state_dict(dict(weights))

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns everything that training changes, except the weights and the number of iterations."""
        state = {f"optimizer.{name}": array for name, array in optimizer_arrays(self._optimizer).items()}
        state |= {f"positions.{name}": array for name, array in self._positions.get_state().items()}
        return state | {"generator": pack_generator(self._generator)}

    def set_state(self, state: Mapping[str, np.ndarray], weights: Mapping[str, Tensor], steps: int) -> None:
        """Restores a state of `get_state`, with the weights and the number of steps at that time.

        Raises:
          KeyError, TypeError, ValueError, RuntimeError: If something is missing or does not fit.
        """
        self.begin_with(weights)
        load_optimizer(self._optimizer, group(state, "optimizer."))
        self._positions.set_state(group(state, "positions."))
        unpack_generator(self._generator, state["generator"])
        self.iteration = steps // self.config.steps_per_iteration

    def close(self) -> None:
        """Does nothing: there are no other processes."""

    def _learn(self, rows: Positions, learning_rate: float) -> dict[str, float]:
        """Passes over the positions in random minibatches; returns the mean of each loss, nothing without positions."""
        own, count = self._own, len(rows.outcome)
        for settings in self._optimizer.param_groups:
            settings["lr"] = learning_rate
        sums, rounds = torch.zeros(4), 0
        self.network.train()
        for _ in range(own.passes if count else 0):
            for chosen in np.array_split(self._generator.permutation(count), -(-count // own.batch_size)):
                minibatch = rows.take(chosen)
                if own.symmetries:
                    minibatch = self._augment(minibatch, self._generator)
                with torch.autocast("cpu", self._precision, enabled=self._precision != torch.float32):
                    logits, values = self.network(torch.from_numpy(minibatch.planes))
                losses = exact_loss(logits.float(), values.float(), minibatch, own)
                self._optimizer.zero_grad()
                torch.autograd.backward(losses.total)
                norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), own.max_gradient_norm)
                self._optimizer.step()
                sums += torch.stack([*losses[1:], norm]).detach()
                rounds += 1
        self.network.eval()
        names = ("policy_loss", "value_loss", "entropy", "gradient_norm")
        return dict(zip(names, (sums / rounds).tolist(), strict=True)) if rounds else {}


class LossWeights(Protocol):
    """Weights of the parts of `exact_loss`, settings of a learner."""

    @property
    def value_weight(self) -> float:
        """Weight of the value loss."""

    @property
    def haste_weight(self) -> float:
        """Weight of the cross-entropy to the policy of the labels, beside the probability of keeping the value."""


def exact_loss(logits: Tensor, values: Tensor, rows: Positions, config: LossWeights) -> Losses:
    """The loss of `[N, A]` logits, illegal actions included, and `[N]` values.

    In critical positions the policy shall keep the value by whatever action, `-log` of the probability of all those
    that do; in all positions it shall hurry to win and delay losses, cross-entropy to `rows.policy` with the weight
    `haste_weight`. The value has squared error.
    """
    log_probs = listed_log_probs(logits, rows)
    target, critical = torch.from_numpy(rows.policy), torch.from_numpy(rows.policy_weight)
    keeping = torch.logsumexp(log_probs.masked_fill(target == 0, MASK_FILL), -1)
    policy_loss = -(critical * keeping).sum() / critical.sum().clamp(min=1)
    policy_loss = policy_loss - config.haste_weight * (target * log_probs).sum(-1).mean()
    value_loss = ((values - torch.from_numpy(rows.outcome)) ** 2).mean()
    entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
    return Losses(policy_loss + config.value_weight * value_loss, policy_loss, value_loss, entropy)


def listed_log_probs(logits: Tensor, rows: Positions) -> Tensor:
    """Log probabilities of the legal actions, `[N, K]` as `rows.actions` has them."""
    actions = torch.from_numpy(rows.actions.astype(np.int64))
    return torch.log_softmax(logits.gather(1, actions.clamp(min=0)).masked_fill(actions < 0, MASK_FILL), -1)
