"""Measures an agent by the puzzles of a game."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from ..arena.intervals import Estimate, count_of, estimate_share
from ..arena.progress import Progress, Watch, unwatched
from ..exercises.puzzle_set import SHIPPED, SUFFIX, load_puzzles
from ..exercises.solved_share import choices
from ..files.schema import Key
from ..game.game import Game
from .agents.ask import AgentError
from .agents.fault_count import CheckedPlayer

_AT_ONCE = 512
_ROUNDED = 1e-4  # what a file may differ by


@dataclass(frozen=True)
class PuzzleTrack:
    """The puzzles that an agent solves: each of its turns must be the one that wins."""

    sha256: str  # of the file of the puzzles
    puzzles: Annotated[int, Key(low=1)]
    solved: Estimate


def puzzle_digest(game: Game) -> str | None:
    """The SHA-256 of the puzzles of a game; None if it has none with its options."""
    path = SHIPPED / f"{game.name}{SUFFIX}"
    if game.chosen_options or not path.is_file():
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()


def solve_puzzles(agent: CheckedPlayer, game: Game, watch: Watch = unwatched) -> PuzzleTrack | None:
    """Asks an agent in the positions of the puzzles of a game; None if it has none. A fault misses the puzzle."""
    digest = puzzle_digest(game)
    if digest is None:
        return None
    puzzles = load_puzzles(game).puzzles
    asked = [(number, *each) for number, puzzle in enumerate(puzzles) for each in choices(game, puzzle.exercise)]
    is_solved = [True] * len(puzzles)
    for first in range(0, len(asked), _AT_ONCE):
        watch(Progress("positions", first, len(asked)))
        lot = asked[first : first + _AT_ONCE]
        answers = agent.ask_many([match for _, match, _ in lot])
        for (number, _, text), answer in zip(lot, answers, strict=True):
            is_solved[number] &= not isinstance(answer, AgentError) and answer.step.text == text
    return PuzzleTrack(digest, len(puzzles), estimate_share(sum(is_solved), len(is_solved)))


def puzzle_errors(found: PuzzleTrack | None, game: Game) -> Iterator[str]:
    """What is wrong with the part of a result, in sentences."""
    digest = puzzle_digest(game)
    if found is None:
        if digest is not None:
            yield "puzzles should be there"
        return
    if found.sha256 != digest:
        yield f"puzzles have SHA-256 {found.sha256[:12]}…, which is not that of the file"
        return
    expected = estimate_share(min(max(0, count_of(found.solved.value, found.puzzles)), found.puzzles), found.puzzles)
    if found.puzzles != len(load_puzzles(game).puzzles) or any(
        abs(getattr(found.solved, end) - getattr(expected, end)) > _ROUNDED for end in ("value", "low", "high")
    ):
        yield f"puzzles.solved is {found.solved.value}, which does not fit {found.puzzles} puzzles and its interval"
