"""Measures an agent on puzzles: the share that it solves."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..arena.match_runner import choose_many
from ..arena.score import Estimate, estimate_share
from ..bots.bot import Bot
from ..bots.load import as_bot
from ..bots.policy import Policy
from ..errors import AlquerqueError
from ..game.game import Game, GameId, as_game
from ..match.match import Match
from ..match.replay import push_text
from .exercise import Exercise
from .puzzle_set import Puzzle, load_puzzles

_AT_ONCE = 1_024  # positions that an agent is asked in at once


@dataclass(frozen=True)
class SolvedShare:
    """What an agent solves of puzzles.

    Attributes:
      solved: Share of the puzzles, with Wilson's 95% interval.
      puzzles: How many puzzles.
      by_grade: For each grade that occurs, how many bots missed the puzzle, the puzzles solved and their number.
    """

    solved: Estimate
    puzzles: int
    by_grade: dict[int, tuple[int, int]]


def measure_puzzles(
    agent: str | Bot | Policy,
    game: Game | GameId,
    puzzles: Sequence[Puzzle] | None = None,
    *,
    seed: int = 0,
    watch: Callable[[int, int], None] = lambda *_: None,
) -> SolvedShare:
    """Measures how many puzzles an agent solves: each of its turns must be the one that wins.

    Example:
      >>> measure_puzzles("greedy", "pretwa").puzzles
      300

    Args:
      agent: A bot's spec, a bot, or a function from an observation and an action mask to an action, see `PolicyBot`.
        It looks up no table, but for `perfect`.
      game: The game, its id, or the path of a game file.
      puzzles: The puzzles; None for those that come with the package.
      seed: Seed of a bot's random choices.
      watch: Is called with the number of choices made, and of all.

    Returns:
      The share of solved puzzles, with its 95% interval, in all and by grade.

    Raises:
      AlquerqueError: If there are no puzzles, or the agent does not play the game.
    """
    rules = as_game(game)
    chosen = load_puzzles(rules).puzzles if puzzles is None else tuple(puzzles)
    if not chosen:
        raise AlquerqueError("there are no puzzles to solve")
    bot = as_bot(agent, rules, seed=seed)
    asked = [
        (number, match, text) for number, each in enumerate(chosen) for match, text in choices(rules, each.exercise)
    ]
    solved = [True] * len(chosen)
    for first in range(0, len(asked), _AT_ONCE):
        watch(first, len(asked))
        lot = asked[first : first + _AT_ONCE]
        steps = choose_many(bot, [match for _, match, _ in lot])
        for (number, _, text), step in zip(lot, steps, strict=True):
            solved[number] &= step.text == text
    counts = Counter(puzzle.grade for puzzle in chosen)
    found = Counter(puzzle.grade for puzzle, is_solved in zip(chosen, solved, strict=True) if is_solved)
    by_grade = {grade: (found[grade], count) for grade, count in sorted(counts.items())}
    return SolvedShare(estimate_share(sum(solved), len(solved)), len(solved), by_grade)


def choices(game: Game, exercise: Exercise) -> list[tuple[Match, str]]:
    """Returns the positions of an exercise in which its player can choose, each with the step that solves it."""
    match = Match(game, exercise.position)
    player, found = match.player, []
    for text in exercise.steps:
        if match.player == player and len(match.legal_steps) > 1:
            found.append((match.copy(), text))
        push_text(match, text)
    return found
