"""What a learner is, and what those of the package have in common: gradient steps, and a state made of parts."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from alquerque_training.config.settings import Config, Section
from alquerque_training.experience.replay_buffer import Positions
from alquerque_training.experience.state_arrays import Arrays, group, pack_generator, unpack_generator
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks import MASK_FILL, PolicyValueNetwork
from alquerque_training.workers.backend import Workers


class Losses(NamedTuple):
    """Parts of the loss, each a mean over the minibatch; `total` is minimised."""

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor


def listed_log_probs(logits: Tensor, rows: Positions) -> Tensor:
    """Log probabilities of the legal actions, `[N, K]` as `rows.actions` has them."""
    actions = torch.from_numpy(rows.actions.astype(np.int64)).to(logits.device)
    return torch.log_softmax(logits.gather(1, actions.clamp(min=0)).masked_fill(actions < 0, MASK_FILL), -1)


class Part(Protocol):
    """What training changes besides the weights that are saved."""

    def get_state(self) -> dict[str, np.ndarray]:
        """The complete state between two iterations."""

    def set_state(self, state: Arrays) -> None:
        """Restores a result of `get_state`."""


class Descent:
    """Steps of an optimiser down clipped gradients, and the means of the losses from one `begin` to the next."""

    def __init__(self, optimizer: torch.optim.Optimizer, max_norm: float) -> None:
        self._optimizer, self._max_norm = optimizer, max_norm
        self._parameters: list[nn.Parameter] = optimizer.param_groups[0]["params"]

    def begin(self, learning_rate: float) -> None:
        """Sets the learning rate of the steps that follow."""
        for settings in self._optimizer.param_groups:
            settings["lr"] = learning_rate
        self._sums, self._count = torch.zeros(4, device=self._parameters[0].device), 0

    def note(self, losses: Tensor) -> None:
        """Adds `[3]` losses, of policy, value and entropy, to those of this step."""
        self._sums[:3] += losses

    def step(self) -> None:
        """Goes down the gradient, and begins a new one."""
        self._sums[3] += torch.nn.utils.clip_grad_norm_(self._parameters, self._max_norm)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self._count += 1

    def follow(self, losses: Losses) -> None:
        """Makes a step down the gradient of these losses."""
        torch.autograd.backward(losses.total)
        self.note(torch.stack([*losses[1:]]).detach())
        self.step()

    def means(self) -> dict[str, float]:
        """The mean of each loss and of the norm of the gradient; nothing without a step."""
        names = ("policy_loss", "value_loss", "entropy", "gradient_norm")
        return dict(zip(names, (self._sums / self._count).tolist(), strict=True)) if self._count else {}

    def get_state(self) -> dict[str, np.ndarray]:
        """As `Part.get_state`: the moments of the optimiser, by `parameter.name`; its settings are not kept."""
        gathered = self._optimizer.state_dict()["state"].items()
        return {f"{number}.{name}": moment.cpu().numpy() for number, own in gathered for name, moment in own.items()}

    def set_state(self, state: Arrays) -> None:
        """As `Part.set_state`."""
        moments: dict[int, dict[str, Tensor]] = {}
        for name, array in state.items():
            parameter, key = name.split(".", 1)
            moments.setdefault(int(parameter), {})[key] = torch.from_numpy(np.array(array))
        groups = self._optimizer.state_dict()["param_groups"]
        self._optimizer.load_state_dict({"state": moments, "param_groups": groups})


class Learner(ABC):
    """Everything that training changes.

    Args:
      config: The run's settings.
      networks: The network that is evaluated and saved, and others that begin with its weights.
      generator: Source of random numbers.
      workers: The other processes, if there are any.
      parts: What else has a state, by names of their own.

    Attributes:
      config, generator: As given.
      network: The network that is evaluated and saved.
      iteration: Number of iterations done.
      metrics: Metrics that it logs besides `measure.metrics.METRICS`, or with another meaning than there.
      sections: The sections of a config that its class declares, by their names.
    """

    generator: np.random.Generator | torch.Generator
    metrics: Sequence[Metric] = ()
    sections: Mapping[str, type[Section]] = MappingProxyType({})

    def __init__(
        self,
        config: Config,
        networks: Sequence[PolicyValueNetwork],
        generator: np.random.Generator | torch.Generator,
        workers: Workers | None = None,
        **parts: Part | None,
    ) -> None:
        self.config, self.network, self.generator, self.iteration = config, networks[0], generator, 0
        self._networks, self._started = networks, workers
        self._parts = {name: part for name, part in {**parts, "workers": workers}.items() if part is not None}

    @property
    def steps(self) -> int:
        """Steps of self-play done so far: `iteration` times the steps of one iteration."""
        return self.iteration * self.config.steps_per_iteration

    @abstractmethod
    def iterate(self) -> dict[str, float]:
        """Plays and learns.

        Its keys are names of `measure.metrics.METRICS` and of `metrics`, among them `iteration` and `steps`.

        Returns:
          The record for the log, without times and strength.
        """

    def advance(self, start: float, playing: float) -> dict[str, float]:
        """Returns the first part of the record of an iteration, which it counts.

        The iteration began at the time `start`; `playing` seconds of it were spent on positions to learn from.
        """
        self.iteration += 1
        share = round(playing / (time.perf_counter() - start), 3)
        return {"iteration": self.iteration, "steps": self.steps, "playing_share": share}

    def begin_with(self, weights: Mapping[str, Tensor]) -> None:
        """Loads weights of `network` before the first iteration."""
        for network in self._networks:
            network.load_state_dict(dict(weights))

    def get_state(self) -> dict[str, np.ndarray]:
        """Returns everything that training changes, except the weights of `network` and the number of iterations."""
        parts = [(name, part.get_state()) for name, part in self._parts.items()]
        state = {f"{name}.{key}": array for name, arrays in parts for key, array in arrays.items()}
        return {"generator": pack_generator(self.generator), **state}

    def set_state(self, state: Arrays, weights: Mapping[str, Tensor], steps: int) -> None:
        """Restores a state. Training then continues as if it had not been interrupted.

        Args:
          state: A result of `get_state`.
          weights: Weights of `network` at that time.
          steps: `steps` at that time.

        Raises:
          KeyError, TypeError, ValueError, RuntimeError: If something is missing or does not fit.
          WorkerError: If a process of the learner has died.
        """
        self.begin_with(weights)
        unpack_generator(self.generator, state["generator"])
        for name, part in self._parts.items():
            part.set_state(group(state, f"{name}."))
        self.iteration = steps // self.config.steps_per_iteration

    def close(self) -> None:
        """Ends the processes of the learner."""
        if self._started is not None:
            self._started.close()
