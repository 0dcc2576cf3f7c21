"""Policy improvement with reverse Kullback-Leibler and entropy regularisation (KLENT), by self-play without a search.

Rollouts, returns and settings are those of PPO (`ppo`), but for the loss of the policy. A second network learns the
value of every action, and the policy learns, by cross-entropy, the one that is best for these values while it is near
the policy that played and uncertain:

    target = softmax((action values + kl_weight * log(policy that played)) / (kl_weight + entropy_weight))

Source: Ota et al. 2026, arXiv:2602.10894.
"""

import copy
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor

from alquerque_training.config.settings import KlentConfig, PpoConfig
from alquerque_training.experience.state_arrays import group, weight_arrays, weight_tensors
from alquerque_training.measure.metrics import Metric
from alquerque_training.networks import MASK_FILL, masked_log_probs
from alquerque_training.ppo import Batch, PPOLearner, descend

_AT_ONCE = 4096


class KlentLearner(PPOLearner):
    """As `PPOLearner`, but learns from a rollout in another way.

    Attributes:
      action_values: The network of the values of actions, the `tanh` of its logits. It is not part of the player.
    """

    metrics: Sequence[Metric] = (
        Metric("policy_loss", "nat", "Cross-entropy of the policy to the improved one.", "policy"),
        Metric("action_value_loss", "1", "Half the squared error of the values of actions.", "loss"),
    )

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.action_values = copy.deepcopy(self._trained)
        parameters = chain(self._trained.parameters(), self.action_values.parameters())
        self.optimizer = torch.optim.Adam(parameters, lr=self.config.ppo.learning_rate, eps=1e-5)

    def learn(self, batch: Batch, ppo: PpoConfig, learning_rate: float) -> dict[str, float]:
        """Learns from the steps of a rollout; returns the mean of each loss, nothing if there are none."""
        target = self._improve(batch)

        def find_losses(minibatch: Batch, rows: Tensor) -> dict[str, Tensor]:
            logits, values = self._trained(minibatch.planes)
            log_probs = masked_log_probs(logits, minibatch.mask)
            played = self._values(minibatch.planes).gather(1, minibatch.actions[:, None])[:, 0]
            losses = {
                "policy_loss": -(target[rows] * log_probs).sum(-1).mean(),
                "value_loss": 0.5 * ((values - minibatch.returns) ** 2).mean(),
                "action_value_loss": 0.5 * ((played - minibatch.returns) ** 2).mean(),
                "entropy": -(log_probs.exp() * log_probs).sum(-1).mean(),
            }
            errors = losses["value_loss"] + losses["action_value_loss"]
            return {"total": losses["policy_loss"] + ppo.value_weight * errors, **losses}

        return descend(self.optimizer, batch, ppo, learning_rate, self.generator, find_losses)

    def get_state(self) -> dict[str, np.ndarray]:
        """As `PPOLearner.get_state`."""
        values = weight_arrays(self.action_values.state_dict())
        return super().get_state() | {f"action_values.{name}": array for name, array in values.items()}

    def set_state(self, state: Mapping[str, np.ndarray], weights: Mapping[str, Tensor], steps: int) -> None:
        """As `PPOLearner.set_state`."""
        super().set_state(state, weights, steps)
        self.action_values.load_state_dict(weight_tensors(group(state, "action_values.")))

    def _values(self, planes: Tensor) -> Tensor:
        """The values of all actions, `[N, A]` in [-1, 1]."""
        logits, _ = self.action_values(planes)
        return torch.tanh(logits)

    @torch.no_grad()
    def _improve(self, batch: Batch) -> Tensor:
        """The policy to learn in each row of a batch."""
        found = torch.zeros(batch.mask.shape, device=batch.mask.device)
        for first in range(0, len(found), _AT_ONCE):
            rows = slice(first, first + _AT_ONCE)
            planes, mask = batch.planes[rows], batch.mask[rows]
            found[rows] = improved_policy(self._trained(planes)[0], self._values(planes), mask, self.config.klent)
        return found


def improved_policy(logits: Tensor, values: Tensor, mask: Tensor, config: KlentConfig) -> Tensor:
    """The policy that maximises its mean value less its divergence from a policy and plus its entropy, both weighted.

    Args:
      logits: `[N, A]`, of the policy.
      values: `[N, A]`, of the actions.
      mask: bool `[N, A]`, true for legal actions.
      config: The weights.

    Returns:
      `[N, A]` probabilities.
    """
    known = values + config.kl_weight * masked_log_probs(logits, mask)
    return torch.softmax((known / (config.kl_weight + config.entropy_weight)).masked_fill(~mask, MASK_FILL), -1)
