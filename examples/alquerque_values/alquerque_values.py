"""An environment for verifiers: a language model names the step that keeps the exact value of a position.

Source: https://github.com/PrimeIntellect-ai/verifiers, the taskset of version 0.4.
"""

from collections.abc import Iterable
from typing import Literal

import verifiers.v1 as vf
from alquerque_positions import Question, questions

from alquerque_env.game.game import load_text

__all__ = ["AlquerqueTaskset"]


class Config(vf.TasksetConfig):
    """Which positions are asked, and whether the legal steps are listed."""

    tier: Literal["famous", "obscure", "drawn"] = "obscure"
    positions: int = 400
    seed: int = 0
    split: Literal["train", "validation", "test"] = "train"  # of games drawn at random
    shows_legal: bool = True


class Data(vf.TaskData):
    """A question as plain texts."""

    game: str
    game_file: str
    position: str
    keeping: list[str]


class AlquerqueTask(vf.Task[Data, vf.State, vf.TaskConfig]):
    """One position."""

    def question(self) -> Question:
        return Question(load_text(self.data.game, self.data.game_file), self.data.position, self.data.keeping)

    @vf.reward
    async def keeps_value(self, trace: vf.Trace) -> float:
        return self.question().reward(trace.last_reply)

    @vf.metric
    async def is_legal(self, trace: vf.Trace) -> float:
        return self.question().is_legal(trace.last_reply)


class AlquerqueTaskset(vf.Taskset[AlquerqueTask, Config]):
    """The positions of a tier."""

    def load(self) -> Iterable[AlquerqueTask]:
        asked = self.config
        for each in questions(asked.tier, asked.positions, seed=asked.seed, split=asked.split):
            data = Data(
                prompt=each.prompt(shows_legal=asked.shows_legal),
                game=each.game.name,
                game_file=each.game.file_text or "",
                position=each.position,
                keeping=each.keeping,
            )
            yield AlquerqueTask(data, asked.task)
