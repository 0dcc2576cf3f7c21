"""Answers to the exercises of the course that are right, for teachers and for the test of the checkers."""

import sys
from collections.abc import Callable
from pathlib import Path

import cleanrl_ppo
import numpy as np

from alquerque_env import Match, Step, load_game, load_table
from alquerque_env.solve.tables import build_table


def masked(logits: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Probabilities of legal actions alone; where none is legal, of all."""
    legal = (mask == 1) | ~mask.any(1, keepdims=True)
    kept = np.where(legal, logits, -np.inf)
    weights = np.exp(kept - kept.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def value(match: Match, depth: int) -> int:
    """The value for the player to move by minimax over `depth` steps, 0 where the search stops."""
    if match.outcome is not None:
        winner = match.outcome.winner
        return 0 if winner is None else 1 if winner == match.player else -1
    if depth == 0:
        return 0
    values = []
    for step in match.legal_steps:
        player = match.player
        match.push(step)
        found = value(match, depth - 1)
        values.append(found if match.player == player else -found)
        match.pop()
    return max(values)


def respond(choose: Callable[[Match], Step], seat: int) -> tuple[int, list[str]]:
    """The result of an agent against its best response, for the agent, and a line that gives it."""
    sys.setrecursionlimit(10_000)
    replies: dict[str, tuple[int, Step | None]] = {}

    def least(match: Match) -> int:
        if match.outcome is not None:
            winner = match.outcome.winner
            return 0 if winner is None else 1 if winner == seat else -1
        position = match.position  # it has the clock, so that no line comes back to it
        if position not in replies:
            found: tuple[int, Step | None] = (2, None)
            for step in [choose(match)] if match.player == seat else match.legal_steps:
                match.push(step)
                found = min(found, (least(match), step), key=lambda pair: pair[0])
                match.pop()
                if found[0] == -1:
                    break  # nothing is worse for the agent
            replies[position] = found
        return replies[position][0]

    match = Match("felli_simplified")
    result, line = least(match), []
    while not match.is_over:
        line.append(str(replies[match.position][1]))
        match.push(line[-1])
    return result, line


def trained() -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A policy trained by PPO in the example `cleanrl_ppo`, with more entropy than its own."""
    cleanrl_ppo.ENTROPY = 0.05
    *_, (_, policy) = cleanrl_ppo.train("felli_simplified", 100_000, seed=1)
    return policy


GAME = """
title = "Ladder"
version = 1
sources = ["an exercise"]

[board]
title = "Twelve points"
source = "an exercise"
rows = [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 1, 2]]
lines = [
  "a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a4 b4 c4",
  "a1 a2 a3 a4", "b1 b2 b3 b4", "c1 c2 c3 c4",
  "a1 b2 c3", "c1 b2 a3", "a2 b3 c4", "c2 b3 a4",
]

[start]
south = "a1 b1 c1 b2"
north = "a4 b4 c4 b3"

[rules]
man_steps = "all"
man_capture_dirs = "all"
promotion = "none"
progress = "capture"
no_moves = "loss"
capture_removal = "immediate"
repetition = "off"
no_progress_result = "draw"
who_starts = "player_0"
capture = "compulsory"
chain = "compulsory"

[options]
no_progress_limit = { default = 20, values = ["N"], source = "an exercise" }
"""


def invented(folder: Path) -> tuple[Path, int]:
    """The file of a game on twelve points, and the value of its start."""
    file = folder / "ladder.toml"
    file.write_text(GAME, encoding="utf-8")
    game = load_game(file)
    table = load_table(game, build_table(game, 8, folder / "ladder.aqt"))
    return file, table.clockless(Match(game))
