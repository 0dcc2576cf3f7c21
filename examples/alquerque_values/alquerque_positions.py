"""Positions with exact values as questions for language models: which step keeps what the position is worth?

`python examples/alquerque_values/alquerque_positions.py` shows how often bots that answer in text are right, in three
tiers: `famous`, endings of English draughts; `obscure`, Pretwa; `drawn`, games that nobody has written about.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from alquerque_env import Match, load_bot, load_table
from alquerque_env.drawn import drawn_games
from alquerque_env.game.game import Game
from alquerque_env.game.rules_text import rule_sentences
from alquerque_env.solve.tables import EndgameTable

TIERS = {"famous": "draughts_english", "obscure": "pretwa", "drawn": ""}
DRAWN = 8  # games of the tier `drawn`


class Question(NamedTuple):
    """A position of a game, and the steps that keep its value; others lose some."""

    game: Game
    position: str
    keeping: list[str]

    def prompt(self, *, shows_legal: bool) -> str:
        match = Match(self.game, self.position)
        legal = "The legal steps are: " + ", ".join(step.text for step in match.legal_steps) + "."
        return "\n".join(
            [
                f"You play {self.game.title} as {'South' if match.player == 0 else 'North'}. The rules are:",
                *(f"- {sentence}" for sentence in rule_sentences(self.game)),
                f"The position is {self.position}",
                str(match),
                *([legal] if shows_legal else []),
                "Choose the best step: a win is better than a draw, and a draw better than a loss.",
                "Of a chain of captures, give the first leap. End with the step in brackets, such as [c3-c4].",
            ]
        )

    def reward(self, reply: str) -> float:
        """1 if the step keeps the exact value, 0 if it loses some or is no legal step."""
        return float(step_of(reply) in self.keeping)

    def is_legal(self, reply: str) -> float:
        return float(step_of(reply) in {step.text for step in Match(self.game, self.position).legal_steps})


def step_of(reply: str) -> str:
    """The last text in brackets."""
    return (re.findall(r"\[([^\[\]]*)\]", reply) or [""])[-1].strip()


def questions(tier: str, count: int, *, seed: int = 0, split: str = "validation") -> Iterator[Question]:
    """Positions of a tier in which some step loses value, the same ones for the same seed."""
    is_drawn = tier == "drawn"
    tables = [table for _, table in drawn_games(split, DRAWN)] if is_drawn else [load_table(TIERS[tier])]
    for place, table in enumerate(tables):
        yield from _critical(table, len(range(place, count, len(tables))), seed)


def _critical(table: EndgameTable, count: int, seed: int) -> Iterator[Question]:
    generator, seen = np.random.default_rng(seed), set[str]()
    while len(seen) < count:
        match = Match.from_state(table.game, table.sample(1, generator)[0])
        values = {step.step.text: step.value for step in table.steps(match)} if match.outcome is None else {}
        if None not in values.values() and len(set(values.values())) > 1 and match.position not in seen:
            seen.add(match.position)
            best = max(values.values())
            yield Question(table.game, match.position, [text for text, value in values.items() if value == best])


def score(bot: str, asked: list[Question]) -> float:
    """The mean reward of a bot that answers in text."""
    choices = [load_bot(bot, each.game, seed=0).choose(Match(each.game, each.position)) for each in asked]
    return sum(each.reward(f"I play [{step}].") for each, step in zip(asked, choices, strict=True)) / len(asked)


if __name__ == "__main__":
    tiers = {tier: list(questions(tier, 400)) for tier in TIERS}
    for name in ("random", "greedy", "alphabeta:3"):
        print(f"{name}:", ", ".join(f"{tier} {score(name, asked):.1%}" for tier, asked in tiers.items()))
