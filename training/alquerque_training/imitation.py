"""Imitation: one network learns many games from a search and from exact values.

One iteration, `ImitationLearner.iterate`, draws tasks (`experience.tasks`), positions of one game each, and learns
from random ones of the newest tasks: a gradient is the sum over several games. The loss is `exact.exact_loss`.
"""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated

import numpy as np
import torch
from annotated_types import Ge, Gt, Le
from torch import Tensor

from alquerque_env.bots.network.family import FamilyEncoder
from alquerque_env.bots.shipped import FAMILY
from alquerque_env.game.game import Game
from alquerque_training.config.settings import Config, ConfigError, Processes, Section
from alquerque_training.exact import LabelWeights, exact_loss
from alquerque_training.experience.state_arrays import Arrays, group
from alquerque_training.experience.tasks import Task, TaskConfig, TaskSource
from alquerque_training.learning import Descent, Learner
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks.inference import make_network
from alquerque_training.networks.message_passing import FamilyNetwork
from alquerque_training.workers.backend import MakeWorkers, worker_seed
from alquerque_training.workers.processes import ProcessWorkers


class ImitationConfig(Processes, LabelWeights):
    """Learning from tasks. With several processes one learns, and the others draw the tasks.

    Attributes:
      processes: Number of processes.
      window: Newest tasks that are learned from.
      reuse: How often each position is learned from on average.
      blocks: Tasks in one gradient.
      batch_size: Positions of each of these tasks.
      learning_rate: Learning rate of AdamW at the start; it falls by a half cosine to `final_learning_rate`.
      final_learning_rate: Learning rate at the end of the run.
      weight_decay: Weight decay of AdamW.
      max_gradient_norm: Gradients are clipped to this norm.
      value_weight: Weight of the value loss.
      haste_weight: Weight of the cross-entropy to the policy of the labels, beside the probability of keeping the value
        in critical positions with exact values.
    """

    window: Annotated[int, Ge(1), Le(65_536)] = 200
    reuse: Annotated[float, Gt(0), Le(100)] = 2.0
    blocks: Annotated[int, Ge(1), Le(4096)] = 8
    batch_size: Annotated[int, Ge(1), Le(65_536)] = 64
    learning_rate: Annotated[float, Gt(0), Le(1)] = 2e-3
    final_learning_rate: Annotated[float, Ge(0), Le(1)] = 2e-5
    max_gradient_norm: Annotated[float, Gt(0), Le(1000)] = 1.0

    def own_games(self, games: int) -> int:
        """As `Processes.own_games`."""
        return games if self.processes == 1 else 0


class TaskActor:
    """Draws tasks, in the learner's process or in another; see `workers.backend.Actor`.

    An order holds the number of the `round`. Experience holds the tasks, each with a number before its arrays. What is
    drawn depends on the seed of the actor and the round alone.
    """

    def __init__(self, config: Config, number: int) -> None:
        self._source = TaskSource(config)
        self._count = config.games_of(number) // config.of(TaskConfig).matches
        self._seed = worker_seed(config.run.seed, number)

    def play(self, order: Arrays) -> dict[str, np.ndarray]:
        """As `Actor.play`."""
        drawn: dict[str, np.ndarray] = {}
        for number in range(self._count):
            seed = np.random.SeedSequence([self._seed, int(order["round"]), number])
            task = self._source.draw(np.random.Generator(np.random.PCG64(seed)))
            drawn |= {f"{number}.{name}": array for name, array in task.as_arrays().items()}
        return drawn

    def get_state(self) -> dict[str, np.ndarray]:
        """As `Actor.get_state`."""
        return {"seed": np.array(self._seed, np.uint64)}

    def set_state(self, state: Arrays) -> None:
        """As `Actor.set_state`."""
        self._seed = int(state["seed"])


class Studied:
    """A task with what its positions are encoded by."""

    def __init__(self, task: Task, encoder: FamilyEncoder) -> None:
        self.task, self.encoder = task, encoder
        self.masks, self.codes = encoder.masks_and_codes(task.rows.planes)


class ImitationLearner(Learner):
    """Everything that training changes: network, optimiser, newest tasks and random numbers.

    Args:
      config: The run's settings. The game of the run is the one in which the network is evaluated while it learns.
      game: That game.
      make_workers: Makes the workers: the other processes, which draw tasks.

    Attributes:
      network: The network, which is trained, evaluated and saved.
      workers: The other processes.

    Raises:
      ConfigError: If the network is not one for all games.
    """

    network: FamilyNetwork
    generator: np.random.Generator
    metrics: Sequence[Metric] = (
        Metric("steps", "steps", "Positions of matches that were labelled so far."),
        Metric("positions", "positions", "Positions of this iteration from which it can learn.", "memory"),
        Metric("playing_share", "share", "Time of this iteration that was spent on tasks.", "division"),
        Metric(
            "policy_loss",
            "nat",
            "Cross-entropy to the policy of the labels, and in critical positions with exact values the negated log "
            "probability of keeping the value; mean over the update.",
            "policy",
        ),
    )
    sections: Mapping[str, type[Section]] = MappingProxyType({"tasks": TaskConfig, "imitation": ImitationConfig})

    def __init__(self, config: Config, game: Game, make_workers: MakeWorkers = ProcessWorkers) -> None:
        own = self._own = config.of(ImitationConfig)
        network = make_network(config, game, torch.Generator().manual_seed(config.run.seed))
        if not isinstance(network, FamilyNetwork):
            raise ConfigError(
                f"network.kind is {config.network.kind!r}, expected {FAMILY!r} with run.algorithm = 'imitation'"
            )
        optimizer = torch.optim.AdamW(network.parameters(), own.learning_rate, weight_decay=own.weight_decay)
        self._descent = Descent(optimizer, own.max_gradient_norm)
        self._actor = TaskActor(config, 0)
        self.workers = make_workers(config, TaskActor)
        self._tasks: deque[Studied] = deque(maxlen=own.window)
        generator = np.random.Generator(np.random.PCG64(worker_seed(config.run.seed, 2**32)))
        super().__init__(config, [network], generator, self.workers, optimizer=self._descent, play=self._actor)

    def iterate(self) -> dict[str, float]:
        """Draws tasks, and learns from those that were drawn before.

        Returns:
          The record for the log, without times and strength.
        """
        start = time.perf_counter()
        order = {"round": np.array(self.iteration)}
        self.workers.begin(order)
        drawn = [self._actor.play(order)]
        drawing = time.perf_counter() - start
        learning_rate = self._own.learning_rate_at(self.iteration / self.config.iterations)
        if not self._tasks:  # in the first iteration the other processes have to be waited for
            self._study([*drawn, *self.workers.collect()])
            losses = self._learn(learning_rate)
        else:
            losses = self._learn(learning_rate)
            began = time.perf_counter()
            self._study([*drawn, *self.workers.collect()])
            drawing += time.perf_counter() - began
        record = {**self.advance(start, drawing), "positions": sum(len(each.codes) for each in self._tasks)}
        return {**record, **losses, "learning_rate": learning_rate}

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns what `Learner.get_state` does."""
        tasks = enumerate(studied.task.as_arrays().items() for studied in self._tasks)
        kept = {f"tasks.{number}.{name}": array for number, arrays in tasks for name, array in arrays}
        return super().get_state() | kept

    def set_state(self, state: Arrays, weights: Mapping[str, Tensor], steps: int) -> None:
        """As `Learner.set_state`."""
        super().set_state(state, weights, steps)
        self._tasks.clear()
        self._study([group(state, "tasks.")])

    def _study(self, drawn: Sequence[Arrays]) -> None:
        for arrays in drawn:
            for number in range(sum(name.endswith(".source") for name in arrays)):
                task = Task.of(group(arrays, f"{number}."))
                if len(task.rows.outcome):  # there may be too many choices in every position
                    self._tasks.append(Studied(task, self.network.encoder_of(task.game)))

    def _learn(self, learning_rate: float) -> dict[str, float]:
        """Makes as many updates as the positions of an iteration call for; returns the mean of each loss."""
        own = self._own
        self._descent.begin(learning_rate)
        updates = max(1, round(own.reuse * self.config.steps_per_iteration / (own.blocks * own.batch_size)))
        self.network.train()
        for _ in range(updates):
            for number in self.generator.integers(len(self._tasks), size=own.blocks):
                self._descent.note(self._add_gradient(self._tasks[number]) / own.blocks)
            self._descent.step()
        self.network.eval()
        return self._descent.means()

    def _add_gradient(self, studied: Studied) -> Tensor:
        """Adds the gradient of some positions of a task; returns the means of three losses."""
        own, rows = self._own, studied.task.rows
        chosen = self.generator.integers(len(studied.codes), size=own.batch_size)
        picked, found = rows.take(chosen), torch.zeros(3)
        encoded = studied.encoder.encode(picked.planes, studied.masks[chosen], studied.codes[chosen])
        for part, view, inputs in encoded:
            logits, values = self.network.judge(view, inputs)
            losses, share = exact_loss(logits, values, picked.take(part), own), len(part) / len(chosen)
            torch.autograd.backward(losses.total * share / own.blocks)
            found += share * torch.stack([*losses[1:]]).detach()
        return found
