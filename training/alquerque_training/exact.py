"""Learning from exact values: a network learns which actions keep the value of positions, from the table of a game.

One iteration, `ExactLearner.iterate`, draws positions with the value of every action (`experience.labels`) and
learns from them in several passes (the loss is `exact_loss`). Every number is from the side of the player to move.
"""

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Literal

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
from alquerque_training.learning import Descent, Learner, Losses, listed_log_probs
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks import MASK_FILL
from alquerque_training.networks.inference import choose_precision, make_network
from alquerque_training.workers.backend import MakeWorkers, worker_seed


class LabelWeights(LearningRate):
    """Weights in the updates of a network that learns from labels; the sections of such learners inherit it."""

    weight_decay: Annotated[float, Ge(0), Le(1)] = 1e-4
    value_weight: Annotated[float, Ge(0), Le(100)] = 1.0
    haste_weight: Annotated[float, Ge(0), Le(100)] = 1.0


class ExactConfig(LabelWeights):
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
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 5.0
    haste_weight: Annotated[float, Ge(0), Le(100)] = 0.1
    haste: Annotated[float, Ge(0), Le(100)] = 0.5
    expand: bool = False
    symmetries: bool = True
    precision: Literal["auto", "float32", "bfloat16"] = "auto"


class ExactLearner(Learner):
    """Everything that training changes: network, optimiser, positions and random numbers. It has no other processes.

    Attributes:
      network: The network, which is trained, evaluated and saved.
      labels: Labels the positions.
    """

    generator: np.random.Generator
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
        network = make_network(config, game, torch.Generator().manual_seed(config.run.seed))
        optimizer = torch.optim.AdamW(network.parameters(), own.learning_rate, weight_decay=own.weight_decay)
        self._descent = Descent(optimizer, own.max_gradient_norm)
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
        generator = np.random.Generator(np.random.PCG64(worker_seed(config.run.seed, 1)))
        super().__init__(config, [network], generator, optimizer=self._descent, positions=self._positions)

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
        record = {**self.advance(start, drawing), "positions": len(rows.outcome)}
        return {**record, **drawn, **losses, "learning_rate": learning_rate}

    def draw(self) -> tuple[Positions, dict[str, float]]:
        """Returns the positions of an iteration, drawn anew, and figures about them for the log."""
        return self._positions.draw(greedy_policy(self.network)), {}

    def _learn(self, rows: Positions, learning_rate: float) -> dict[str, float]:
        """Passes over the positions in random minibatches; returns the mean of each loss, nothing without positions."""
        own, count = self._own, len(rows.outcome)
        self._descent.begin(learning_rate)
        self.network.train()
        for _ in range(own.passes if count else 0):
            for chosen in np.array_split(self.generator.permutation(count), -(-count // own.batch_size)):
                minibatch = rows.take(chosen)
                if own.symmetries:
                    minibatch = self._augment(minibatch, self.generator)
                with torch.autocast("cpu", self._precision, enabled=self._precision != torch.float32):
                    logits, values = self.network(torch.from_numpy(minibatch.planes))
                self._descent.follow(exact_loss(logits.float(), values.float(), minibatch, own))
        self.network.eval()
        return self._descent.means()


def exact_loss(logits: Tensor, values: Tensor, rows: Positions, config: LabelWeights) -> Losses:
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
