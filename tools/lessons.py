"""Makes the lessons that come with the package, from random play of each game.

    python -m tools.lessons

It writes `alquerque_env/exercises/lessons.json.gz`; the same command writes the same file.
"""

import gzip
import json
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import click

from alquerque_env import Match, games, load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.exercises.exercise import Exercise
from alquerque_env.exercises.lesson_file import FORMAT, SHIPPED, GameLessons, LessonEntry, LessonFile
from alquerque_env.exercises.lessons import COUNT, THEMES, Lesson, legal_turns, task
from alquerque_env.files.atomic import write_whole
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game

MATCHES = 40
"""Random matches that are looked through."""
LONGEST = 160
"""Steps after which a random match is broken off."""

_FIRST = "drop", "step"  # shown in the first position that has them, the others in one with few pieces
_AGAIN = "step", "capture", "chain", "win by blocking", "compulsory capture"  # shown twice where a game has few themes

# Left out, in this order, where a game has more themes than lessons.
_LESS = "removal", "promoted piece", "capture", "win by blocking", "compulsory capture", "win by capture", "row"


def find_lessons(game: Game, seed: int = 0) -> tuple[Lesson, ...]:
    """Finds the lessons of a game, the same at every call.

    Of the positions that show a theme it takes one with few pieces, where a beginner finds his way.

    Raises:
      AlquerqueError: If random play shows too few.
    """
    found: dict[str, list[tuple[int, Lesson]]] = {theme: [] for theme in THEMES}
    for match in _positions(game, random.Random(seed)):
        turns = legal_turns(match)
        if not turns:
            continue
        count = len(match.picture().pieces)
        for theme, kind in THEMES.items():
            if theme in _FIRST and len(found[theme]) > 1:
                continue
            fitting = [turn for turn in turns if kind.fits(match, turn)]
            if len(fitting) == 1 and kind.holds(match, turns):
                line = (tuple(step.text for step in fitting[0].steps),)
                found[theme].append((count, Lesson(theme, Exercise(match.position, line))))
    for theme, lessons in found.items():
        if theme not in _FIRST:
            lessons.sort(key=_clearness)
    chosen: list[Lesson] = []
    for theme in [*_spread([theme for theme in THEMES if found[theme]]), *_AGAIN * COUNT]:
        taken = [lesson.exercise.position for lesson in chosen]
        new = (lesson for _, lesson in found[theme] if lesson.exercise.position not in taken)
        chosen += [lesson] if len(chosen) < COUNT and (lesson := next(new, None)) else []
    if len(chosen) < COUNT:
        raise AlquerqueError(f"random play of {game.name} shows only {len(chosen)} of {COUNT} lessons")
    order = list(THEMES)
    return tuple(sorted(chosen, key=lambda lesson: order.index(lesson.theme)))


_FEWEST = 6  # pieces with which a position is still like one of a match


def _clearness(found: tuple[int, Lesson]) -> tuple[bool, bool, int]:
    """The lower, the easier a position is to see through: without memory, with few pieces but not too few."""
    count, lesson = found
    return ":U" in lesson.exercise.position, count < _FEWEST, abs(count - _FEWEST)


def _spread(shown: list[str]) -> list[str]:
    """At most `COUNT` of the themes; more are dropped where others tell the same."""
    for theme in _LESS:
        if len(shown) > COUNT and theme in shown:
            shown = [each for each in shown if each != theme]
    return shown[:COUNT]


def _positions(game: Game, generator: random.Random) -> Iterator[Match]:
    """Positions at the beginning of a turn, of random matches, with a clock of 0."""
    for _ in range(MATCHES):
        match = Match(game)
        for _ in range(LONGEST):
            if match.is_over:
                break
            if not match.turn_goes_on:
                state = list(match.state)
                state[STATE.QUIET] = 0
                yield Match.from_state(game, state)
            match.push(generator.choice(match.legal_steps))


def write_lessons(path: Path, command: str, games: Mapping[Game, tuple[Lesson, ...]]) -> None:
    """Writes the lessons of games; raises `OSError` if it cannot."""
    content = LessonFile(
        FORMAT,
        command,
        {
            game.name: GameLessons(
                game.table_hash,
                tuple(LessonEntry(theme, position, line[0]) for theme, (position, line) in lessons),
            )
            for game, lessons in games.items()
        },
    )
    write_whole(path, gzip.compress(json.dumps(asdict(content), separators=(",", ":")).encode(), mtime=0))


@click.command()
@click.option("--seed", type=click.IntRange(0), default=42, show_default=True)
def main(seed: int) -> None:
    """Make lessons."""
    made = {}
    for name in games():
        game = load_game(name)
        made[game] = find_lessons(game, seed)
        click.echo(f"{name}: {time.process_time():.0f} s of processor time so far")
        for lesson in made[game]:
            click.echo(f"  {lesson.theme}: {task(game, lesson)} {lesson.exercise.position}")
    write_lessons(SHIPPED, f"python -m tools.lessons --seed {seed}", made)


if __name__ == "__main__":
    main()
