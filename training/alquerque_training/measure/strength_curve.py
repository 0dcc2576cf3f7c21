"""Strength over experience: the points of it that a checkpoint's card tells."""

from collections.abc import Iterable

from alquerque_env.bots.network.model_card import CurvePoint
from alquerque_training.measure.metrics import Record

SCORE = "score."


def read_curve(log: Iterable[Record], steps: int, wall_time: float) -> list[CurvePoint]:
    """The points of a run's log.

    Args:
      log: Its lines.
      steps: Of self-play behind the weights with which the run began.
      wall_time: Seconds of training behind them.
    """
    return [
        CurvePoint(
            steps=steps + int(line["steps"]),
            wall_time=round(wall_time + line["seconds"], 3),
            rating=line["rating"],
            low=line["rating_low"],
            high=line["rating_high"],
            scores={key.removeprefix(SCORE): value for key, value in line.items() if key.startswith(SCORE)},
        )
        for line in log
        if "rating" in line
    ]
