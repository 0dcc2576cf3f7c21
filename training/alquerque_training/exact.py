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

from alquerque_env.bots.network.network_bot import MAX_NODES
from alquerque_env.game.game import Game
from alquerque_env.search import PUCT, BatchSearch, Rule
from alquerque_training.config.settings import Config, ExactConfig
from alquerque_training.experience.replay_buffer import Augmenter, Positions
from alquerque_training.experience.state_arrays import (
    group,
    load_optimizer,
    optimizer_arrays,
    pack_generator,
    unpack_generator,
)
from alquerque_training.experience.table_positions import TablePositions
from alquerque_training.experience.walked_positions import ChooseInStates, WalkedPositions
from alquerque_training.measure.evaluate import greedy_policy
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks import MASK_FILL, PolicyValueNetwork
from alquerque_training.networks.inference import choose_precision, make_network
from alquerque_training.workers.backend import MakeWorkers, worker_seed

_WALKED_AT_ONCE = 1024


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
        Metric("walk_positions", "positions", "Positions of the latest walk, all seats together.", "memory"),
        Metric("walk_choices", "positions", "Those of them in which the learner had a choice.", "memory"),
        *(
            Metric(
                f"walk_wrong_player_{seat}",
                "positions",
                f"Those in which its step as `player_{seat}` lost what the start is worth.",
                "memory",
            )
            for seat in (0, 1)
        ),
        Metric("walk_unfinished", "seats", "Seats whose walk ended at `exact.walk_positions`.", "memory"),
    )

    def __init__(self, config: Config, game: Game, _make_workers: MakeWorkers | None = None) -> None:
        own = config.exact
        self.config = config
        self.network = make_network(config, game, torch.Generator().manual_seed(config.run.seed))
        self._optimizer = torch.optim.AdamW(self.network.parameters(), own.learning_rate, weight_decay=own.weight_decay)
        self._precision = choose_precision(own.precision, torch.device("cpu"))
        self._positions = TablePositions(game, config, worker_seed(config.run.seed, 0))
        self._game = game
        self._walked = WalkedPositions(game, config, self._positions.judge, self._positions.start_value)
        self._augment = Augmenter(game)
        self._generator = np.random.Generator(np.random.PCG64(worker_seed(config.run.seed, 1)))
        self.iteration = 0

    @property
    def steps(self) -> int:
        """Positions drawn so far."""
        return self.iteration * self.config.steps_per_iteration

    def iterate(self) -> dict[str, float]:
        """Draws positions and learns from them; returns the record for the log, without times and strength."""
        own, start = self.config.exact, time.perf_counter()
        rows = self._positions.draw(greedy_policy(self.network))
        walked: dict[str, float] = {}
        if own.walk_every:
            if self.iteration % own.walk_every == 0:
                walked = self._walked.walk(make_walker(self.network, self._game, self.config))
            if found := self._walked.draw(round(own.walk_share * len(rows.outcome)), self._generator):
                rows = Positions(*map(np.concatenate, zip(rows, found, strict=True)))
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
            **walked,
            **losses,
            "learning_rate": learning_rate,
        }

    def begin_with(self, weights: Mapping[str, Tensor]) -> None:
        """Loads weights before the first iteration."""
        self.network.load_state_dict(dict(weights))

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that training changes, except the weights and the number of iterations."""
        state = {f"optimizer.{name}": array for name, array in optimizer_arrays(self._optimizer).items()}
        state |= {f"positions.{name}": array for name, array in self._positions.get_state().items()}
        state |= {f"walked.{name}": array for name, array in self._walked.get_state().items()}
        return state | {"generator": pack_generator(self._generator)}

    def set_state(self, state: Mapping[str, np.ndarray], weights: Mapping[str, Tensor], steps: int) -> None:
        """Restores a state of `get_state`, with the weights and the number of steps at that time.

        Raises:
          KeyError, TypeError, ValueError, RuntimeError: If something is missing or does not fit.
        """
        self.begin_with(weights)
        load_optimizer(self._optimizer, group(state, "optimizer."))
        self._positions.set_state(group(state, "positions."))
        if walked := group(state, "walked."):  # a run of an earlier version has none
            self._walked.set_state(walked)
        unpack_generator(self._generator, state["generator"])
        self.iteration = steps // self.config.steps_per_iteration

    def close(self) -> None:
        """Does nothing: there are no other processes."""

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


def make_walker(network: PolicyValueNetwork, game: Game, config: Config) -> ChooseInStates:
    """How the learner plays in walks: as its bot does, in single precision."""
    simulations = config.exact.walk_simulations
    most = max(1, min(_WALKED_AT_ONCE, MAX_NODES // (simulations + 1)))
    search = BatchSearch(game, most, simulations, Rule(kind=PUCT, exploration=config.evaluation.exploration))

    @torch.inference_mode()
    def evaluate(seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits, values = network(torch.from_numpy(seen))
        return logits.numpy(), values.numpy()

    def choose(states: np.ndarray) -> np.ndarray:
        parts = [states[first : first + most] for first in range(0, len(states), most)]
        pasts = [np.zeros((len(part), 1), np.int64) for part in parts]
        found = [search.run(part, past, evaluate, simulations) for part, past in zip(parts, pasts, strict=True)]
        return np.concatenate([decisions.actions for decisions in found])

    return choose


def exact_loss(logits: Tensor, values: Tensor, rows: Positions, config: ExactConfig) -> Losses:
    """The loss of `[N, A]` logits, illegal actions included, and `[N]` values.

    In critical positions the policy shall keep the value by whatever action, `-log` of the probability of all those
    that do; in all positions it shall hurry to win and delay losses, cross-entropy to `rows.policy` with the weight
    `haste_weight`. The value has squared error.
    """
    actions = torch.from_numpy(rows.actions.astype(np.int64))
    listed = logits.gather(1, actions.clamp(min=0)).masked_fill(actions < 0, MASK_FILL)
    log_probs = torch.log_softmax(listed, -1)
    target, critical = torch.from_numpy(rows.policy), torch.from_numpy(rows.policy_weight)
    keeping = torch.logsumexp(log_probs.masked_fill(target == 0, MASK_FILL), -1)
    policy_loss = -(critical * keeping).sum() / critical.sum().clamp(min=1)
    policy_loss = policy_loss - config.haste_weight * (target * log_probs).sum(-1).mean()
    value_loss = ((values - torch.from_numpy(rows.outcome)) ** 2).mean()
    entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
    return Losses(policy_loss + config.value_weight * value_loss, policy_loss, value_loss, entropy)
