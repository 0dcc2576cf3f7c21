"""The schedule of the learning rate, as a section of settings."""

import math
from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Le

from alquerque_training.config.settings import Config, Section, Share, orders


class LearningRate(Section):
    """The schedule of a learner's optimiser; the sections of learners inherit it."""

    falls: ClassVar[Literal["linearly", "by a half cosine"]] = "by a half cosine"

    learning_rate: Share = 1e-3
    final_learning_rate: Annotated[float, Ge(0), Le(1)] = 0.0

    def learning_rate_at(self, progress: float) -> float:
        """The learning rate when a share of the iterations is done."""
        left = 1 - progress if self.falls == "linearly" else (1 + math.cos(math.pi * progress)) / 2
        return self.final_learning_rate + (self.learning_rate - self.final_learning_rate) * left

    def halved(self, name: str) -> list[str]:
        """Overrides that halve the learning rate of this section, called `name`."""
        rate, final = self.learning_rate / 2, self.final_learning_rate
        lower = [f"{name}.final_learning_rate={rate:g}"] if final > rate else []
        return [f"{name}.learning_rate={rate:g}", *lower]

    def contradictions(self, name: str, config: Config) -> Iterator[str]:
        """As `Section.contradictions`."""
        yield from super().contradictions(name, config)
        yield from orders(self, name, ("final_learning_rate", "learning_rate"))
