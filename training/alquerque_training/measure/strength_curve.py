"""Strength during training, for the `curve` of a model card."""

from collections.abc import Iterable

from alquerque_env.bots.network.model_card import CurvePoint
from alquerque_training.measure.metrics import Record

SCORE = "score."


def read_curve(log: Iterable[Record], steps: int, wall_time: float) -> list[CurvePoint]:
    """The arenas in the log of a run.

    Args:
      log: Records of the log.
      steps: Steps of self-play that trained the run's first weights.
      wall_time: Seconds of training of these weights.
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
