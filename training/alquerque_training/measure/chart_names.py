"""The names that CleanRL and Stable-Baselines3 give to charts, so that runs of several libraries share their charts.

TensorBoard gets our metrics under these names too. A name is listed only where the number means the same there. The
names are from CleanRL's `cleanrl/ppo.py`, and from `OnPolicyAlgorithm` and `PPO` of Stable-Baselines3. CleanRL shows
the losses of the last minibatch; ours are means over the update, as those of Stable-Baselines3 are.

Missing on purpose: `charts/episodic_return` and `rollout/ep_rew_mean`, because the returns of the two players sum to
zero in every game of self-play, and `train/loss`, because the sum of the losses is not logged.
"""

from collections.abc import Mapping
from dataclasses import dataclass

CLEANRL, SB3 = "CleanRL", "Stable-Baselines3"
PPO = "ppo"


@dataclass(frozen=True)
class Chart:
    """A chart of another library."""

    library: str
    name: str  # its name there
    metric: str  # the metric that it shows
    factor: float = 1.0  # what the metric is multiplied by
    per: str | None = None  # another metric that it is divided by; None if it is not
    is_of_ppo: bool = False  # whether only PPO's metric means the same

    def value(self, record: Mapping[str, float]) -> float | None:
        """The number for a record of the log; None if the record does not have it."""
        divisor = 1.0 if self.per is None else record.get(self.per)
        return self.factor * record[self.metric] / divisor if self.metric in record and divisor else None


CHARTS = (
    Chart(CLEANRL, "charts/SPS", "steps", per="seconds"),
    Chart(CLEANRL, "charts/episodic_length", "game_length"),
    Chart(CLEANRL, "charts/learning_rate", "learning_rate"),
    Chart(CLEANRL, "losses/policy_loss", "policy_loss", is_of_ppo=True),
    Chart(CLEANRL, "losses/value_loss", "value_loss", is_of_ppo=True),
    Chart(CLEANRL, "losses/entropy", "entropy", is_of_ppo=True),
    Chart(CLEANRL, "losses/approx_kl", "approx_kl", is_of_ppo=True),
    Chart(CLEANRL, "losses/clipfrac", "clip_fraction", is_of_ppo=True),
    Chart(CLEANRL, "losses/explained_variance", "explained_variance", is_of_ppo=True),
    Chart(SB3, "time/fps", "steps", per="seconds"),
    Chart(SB3, "time/total_timesteps", "steps"),
    Chart(SB3, "rollout/ep_len_mean", "game_length"),
    Chart(SB3, "train/learning_rate", "learning_rate"),
    Chart(SB3, "train/policy_gradient_loss", "policy_loss", is_of_ppo=True),
    # Stable-Baselines3 does not halve the squared error.
    Chart(SB3, "train/value_loss", "value_loss", factor=2.0, is_of_ppo=True),
    Chart(SB3, "train/entropy_loss", "entropy", factor=-1.0, is_of_ppo=True),
    Chart(SB3, "train/approx_kl", "approx_kl", is_of_ppo=True),
    Chart(SB3, "train/clip_fraction", "clip_fraction", is_of_ppo=True),
    Chart(SB3, "train/explained_variance", "explained_variance", is_of_ppo=True),
)


def chart_values(record: Mapping[str, float], algorithm: str) -> dict[str, float]:
    """The numbers of a record under the names of other libraries, as far as `algorithm` has them."""
    charts = [chart for chart in CHARTS if algorithm == PPO or not chart.is_of_ppo]
    return {chart.name: value for chart in charts if (value := chart.value(record)) is not None}
