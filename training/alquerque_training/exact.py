"""Learning from exact values: a network learns which actions keep the value of positions, from the table of a game.

One iteration, `ExactLearner.iterate`, draws positions with the value of every action (`experience.table_positions`) and
learns from them in several passes (the loss is `exact_loss`). Every number is from the side of the player to move.
"""

import math
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from alquerque_env.game.game import Game
from alquerque_training.config.loader import ConfigError
from alquerque_training.config.settings import Config, ExactConfig
from alquerque_training.experience.closed_set import ClosedSet
from alquerque_training.experience.replay_buffer import Augmenter, Positions
from alquerque_training.experience.state_arrays import (
    group,
    load_optimizer,
    optimizer_arrays,
    pack_generator,
    unpack_generator,
)
from alquerque_training.experience.table_positions import TablePositions
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks import MASK_FILL
from alquerque_training.networks.inference import choose_precision, make_network
from alquerque_training.workers.backend import MakeWorkers, worker_seed

_AT_ONCE = 4096
# A choice is unsure if the steps that stay in the closed set have together less than this probability.
_SURE = 0.9
_TIMES = 8  # an unsure choice is learned from so many times more


class Losses(NamedTuple):
    """Parts of the loss, each a mean over the minibatch; `total` is minimised."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor


class ExactLearner:
    """Everything that training changes: network, optimiser, positions and random numbers. It has no other processes.

    Attributes:
      network: The network, which is trained, evaluated and saved.
      metrics: Metrics with another meaning than in `measure.metrics.METRICS`.
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
        Metric("closed_choices", "positions", "Positions of the closed set with a choice for the learner.", "memory"),
        Metric("closed_left", "positions", "Those of them in which its step led out of the set.", "memory"),
    )

    def __init__(self, config: Config, game: Game, _make_workers: MakeWorkers | None = None) -> None:
        own = config.exact
        self.config = config
        self.network = make_network(config, game, torch.Generator().manual_seed(config.run.seed))
        self._optimizer = torch.optim.AdamW(self.network.parameters(), own.learning_rate, weight_decay=own.weight_decay)
        self._precision = choose_precision(own.precision, torch.device("cpu"))
        self._positions = TablePositions(game, config, worker_seed(config.run.seed, 0))
        self._closed = _close(game, self._positions, own.closed_set_depth) if own.closed_set else None
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
        own, start = self.config.exact, time.perf_counter()
        rows = self._positions.draw(greedy_policy(self.network))
        closed: dict[str, float] = {}
        if self._closed is not None:
            rows, closed = self._add_choices(rows, *self._closed)
        drawing = time.perf_counter() - start
        progress = self.iteration / self.config.iterations
        low, high = own.final_learning_rate, own.learning_rate
        learning_rate = low + (high - low) * (1 + math.cos(math.pi * progress)) / 2
        losses = self._learn(rows, learning_rate)
        self.iteration += 1
        return {
            "iteration": self.iteration,
            "steps": self.steps,
            "positions": len(rows.outcome),
            "playing_share": round(drawing / (time.perf_counter() - start), 3),
            **closed,
            **losses,
            "learning_rate": learning_rate,
        }

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

    def _add_choices(
        self, rows: Positions, closed: ClosedSet, choices: Positions
    ) -> tuple[Positions, dict[str, float]]:
        """Positions to learn from: those drawn that are not of the closed set, and its choices, unsure ones often."""
        share, stays = self._judge_choices(choices)
        unsure = self._generator.permutation(np.flatnonzero(share < _SURE))
        often = np.resize(unsure, min(_TIMES * len(unsure), len(choices.outcome)))
        parts = rows.take(~closed.shows(rows.planes)), choices, choices.take(often)
        found = Positions(*map(np.concatenate, zip(*parts, strict=True)))
        return found, {"closed_choices": len(stays), "closed_left": int((~stays).sum())}

    @torch.inference_mode()
    def _judge_choices(self, choices: Positions) -> tuple[np.ndarray, np.ndarray]:
        """For each choice the probability of the steps that stay in the set, and whether the likeliest step does."""
        shares, stays = [], []
        for first in range(0, len(choices.outcome), _AT_ONCE):
            part = choices.take(slice(first, first + _AT_ONCE))
            logits, _ = self.network(torch.from_numpy(part.planes))
            probabilities = _listed_log_probs(logits, part).exp().numpy()
            shares.append((probabilities * (part.policy > 0)).sum(1))
            stays.append(np.take_along_axis(part.policy, probabilities.argmax(1)[:, None], 1)[:, 0] > 0)
        return np.concatenate(shares), np.concatenate(stays)

    def _learn(self, rows: Positions, learning_rate: float) -> dict[str, float]:
        """Passes over the positions in random minibatches; returns the mean of each loss, nothing without positions."""
        own, count = self.config.exact, len(rows.outcome)
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


def exact_loss(logits: Tensor, values: Tensor, rows: Positions, config: ExactConfig) -> Losses:
    """The loss of `[N, A]` logits, illegal actions included, and `[N]` values.

    In critical positions the policy shall keep the value by whatever action, `-log` of the probability of all those
    that do; in all positions it shall hurry to win and delay losses, cross-entropy to `rows.policy` with the weight
    `haste_weight`. The value has squared error.
    """
    log_probs = _listed_log_probs(logits, rows)
    target, critical = torch.from_numpy(rows.policy), torch.from_numpy(rows.policy_weight)
    keeping = torch.logsumexp(log_probs.masked_fill(target == 0, MASK_FILL), -1)
    policy_loss = -(critical * keeping).sum() / critical.sum().clamp(min=1)
    policy_loss = policy_loss - config.haste_weight * (target * log_probs).sum(-1).mean()
    value_loss = ((values - torch.from_numpy(rows.outcome)) ** 2).mean()
    entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
    return Losses(policy_loss + config.value_weight * value_loss, policy_loss, value_loss, entropy)


def _listed_log_probs(logits: Tensor, rows: Positions) -> Tensor:
    """Log probabilities of the legal actions, `[N, K]` as `rows.actions` has them."""
    actions = torch.from_numpy(rows.actions.astype(np.int64))
    return torch.log_softmax(logits.gather(1, actions.clamp(min=0)).masked_fill(actions < 0, MASK_FILL), -1)


def _close(game: Game, source: TablePositions, depth: int) -> tuple[ClosedSet, Positions]:
    """The closed set of a game, and the choices in it; `ConfigError` if it would be too little to keep a win."""
    if source.start_value != 0 and not game.rules.has_majority_at_limit:
        raise ConfigError(
            f"exact.closed_set keeps a draw, or a win of the side that has more pieces at the limit of plies without "
            f"progress, and {game.name} is won from the start: set exact.closed_set = false"
        )
    closed = ClosedSet(game, source.table, source.start_value, depth, source.proof)
    return closed, closed.choices(source.judge)
