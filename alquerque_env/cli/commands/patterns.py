"""`alquerque patterns`."""

import math
import sys
from pathlib import Path

import click

from ...errors import AlquerqueError
from ...files.atomic import remove_partials
from ...files.lock import locked_file
from ...game.game import Game
from ..command import HelpfulCommand, print_line
from ..console.interruptible import run_interruptible
from ..console.progress_bar import Display
from ..parameters import FloatRange, IntRange, OutputFile, game_argument, seed_option, use_one_thread

ROUNDS = 100


@click.command(
    cls=HelpfulCommand,
    examples=[
        "patterns alquerque --minutes 30",
        "patterns pretwa --rounds 10 --exact",
        "patterns fetaix --option chain=optional --rounds 10 -o optional.safetensors",
    ],
)
@game_argument
@click.option(
    "--rounds",
    type=IntRange(1, 10_000),
    metavar="N",
    show_default=f"{ROUNDS}, with --minutes no limit",
    help="End after so many rounds of 1,000 matches.",
)
@click.option(
    "--minutes",
    type=FloatRange(0, 100_000, min_open=True),
    metavar="M",
    show_default="no limit",
    help="End after the round in which so much processor time is used.",
)
@click.option("--exact", is_flag=True, help="Learn the exact values of the table of the whole game.")
@seed_option("Seed of the matches.", default=0)
@click.option(
    "--threads", type=IntRange(1, 256), default=1, metavar="N", help="Matches played side by side; same result."
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE.safetensors",
    show_default="a file in the user's cache directory, where bots find it",
    help="File to write.",
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def patterns(
    game: Game,
    rounds: int | None,
    minutes: float | None,
    exact: bool,
    seed: int,
    threads: int,
    output: Path | None,
    force: bool,
) -> None:
    """Learn the patterns of the bot patterns:DEPTH.

    The bot searches as `alphabeta` does, but judges positions by what stands on small groups of points. In each round
    it plays against itself and learns from the results of the matches and from its own deeper searches. The file
    has the mean of the weights after the latest rounds. Bots read the one in the cache directory, or without it the one
    that comes with the package.

    Ctrl-C stops; the same command resumes, with the same result.
    """
    use_one_thread()
    from ...bots.patterns.examples import ExampleMaker
    from ...bots.patterns.learn import MATCHES, learn_patterns
    from ...bots.patterns.pattern_file import PatternCard, pattern_path, write_patterns
    from ...bots.patterns.pattern_set import PatternSet
    from ...solve.tables.whole import whole_command, whole_table

    PatternSet(game)  # refuses games without patterns
    table = whole_table(game) if exact else None
    if exact and table is None:
        raise AlquerqueError(f"there is no table of {game.name}: build it with `{whole_command(game)}`")
    rounds = rounds or (ROUNDS if minutes is None else sys.maxsize)
    path = output or pattern_path(game)
    path.parent.mkdir(parents=True, exist_ok=True)
    memory = path.with_name(f"{path.name}.rounds")
    with locked_file(path):
        if path.exists() and not force:
            raise AlquerqueError(f"{str(path)!r} exists; --force replaces it")
        remove_partials(memory.parent, memory.name)
        trial = ExampleMaker(game, play_depth=1, score_depth=1)
        run_interruptible(lambda: trial.play(seed), "loading the search ...")  # compiles it, where Ctrl-C ends that
        with Display("the same command resumes") as display:

            def watch(matches: int, seconds: float) -> None:
                if minutes is None:
                    display.update("matches played", matches, rounds * MATCHES)
                else:
                    limit = round(60 * minutes)
                    display.update(f"{matches:,} matches, seconds", min(round(seconds), limit), limit)

            weights, reached = learn_patterns(
                game,
                memory,
                rounds=rounds,
                seed=seed,
                minutes=math.inf if minutes is None else minutes,
                table=table,
                threads=threads,
                watch=watch,
            )
        name = " ".join([game.command_argument, *game.option_arguments])
        card = PatternCard(
            game=game.name,
            options=dict(game.options),
            table_hash=game.table_hash,
            command=f"alquerque patterns {name} --rounds {reached.rounds} --seed {seed}{' --exact' * exact}",
            seed=seed,
            rounds=reached.rounds,
            examples=reached.examples,
            processor_time=round(reached.processor_time, 1),
        )
        write_patterns(path, weights, card)
        memory.unlink(missing_ok=True)
    print_line(f"{path}: patterns of {game.name} from {reached.examples:,} positions")
    if path == pattern_path(game):
        print_line(f"play against them: alquerque play {name} --opponent patterns:5")
    else:
        print_line(f"bots look for them in {pattern_path(game)}")
