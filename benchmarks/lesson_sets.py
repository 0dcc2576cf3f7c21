"""Makes the lessons that come with the package, from random play of each game.

    python benchmarks/lesson_sets.py

It writes `alquerque_env/exercises/lessons.json.gz`; the same command writes the same file.
"""

import time

import click

from alquerque_env import games, load_game
from alquerque_env.exercises.find_lessons import find_lessons
from alquerque_env.exercises.lesson_file import SHIPPED, write_lessons
from alquerque_env.exercises.lessons import task


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
    write_lessons(SHIPPED, f"python benchmarks/lesson_sets.py --seed {seed}", made)


if __name__ == "__main__":
    main()
