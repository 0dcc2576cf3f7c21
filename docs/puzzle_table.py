"""The table of the puzzles that come with the package, from their files."""

from markdown_parts import rows

from alquerque_env import load_game
from alquerque_env.exercises.puzzle_set import SHIPPED, SUFFIX, PuzzleSet, games_with_puzzles, load_puzzles


def puzzle_table(_: str) -> str:
    """For each game the most pieces, the turns to the end, what each bot misses, and the size of the file."""
    found = {name: load_puzzles(name) for name in games_with_puzzles()}
    (bots,) = {puzzles.bots for puzzles in found.values()}
    return rows(
        ("game", "pieces", "longest win", "turns to find", *(f"missed by `{bot}`" for bot in bots), "bytes"),
        (_row(name, puzzles) for name, puzzles in found.items()),
    )


def _row(name: str, found: PuzzleSet) -> tuple[str, ...]:
    puzzles = found.puzzles
    turns = sum(len(puzzle.exercise.line[::2]) for puzzle in puzzles) / len(puzzles)
    by_bot = zip(*(puzzle.missed for puzzle in puzzles), strict=True)
    return (
        f"[{load_game(name).title}](games/{name}.md) `{name}`",
        str(found.pieces),
        str(max(puzzle.distance for puzzle in puzzles)),
        f"{turns:.1f}",
        *(f"{missed.count('1') / len(puzzles):.0%}" for missed in by_bot),
        f"{(SHIPPED / f'{name}{SUFFIX}').stat().st_size:,}",
    )
