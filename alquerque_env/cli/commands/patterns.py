"""`alquerque patterns`."""

import math
from functools import partial
from pathlib import Path

import click

from ...errors import AlquerqueError
from ...game.game import Game
from ..command import HelpfulCommand, print_line
from ..console.progress_bar import Display
from ..parameters import FloatRange, IntRange, OutputFile, game_argument, open_match, seed_option, use_one_thread


@click.command(
    cls=HelpfulCommand,
    examples=[
        "patterns alquerque",
        "patterns pretwa --rounds 10 --exact",
        "patterns fetaix --option chain=optional --rounds 10 -o optional.safetensors",
    ],
)
@game_argument
@click.option("--rounds", type=IntRange(1, 10_000), default=100, metavar="N", help="Rounds of 1,000 matches.")
@click.option(
    "--minutes",
    type=FloatRange(0),
    default=math.inf,
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
    game: Game, rounds: int, minutes: float, exact: bool, seed: int, threads: int, output: Path | None, force: bool
) -> None:
    """Learn the patterns of the bot patterns:DEPTH.

    The bot searches as `alphabeta` does, but judges positions by what stands on small groups of points. In each round
    it plays against itself and learns from the results of the matches and from its own deeper searches. The file
    has the mean of the weights after the latest rounds.

    Ctrl-C stops; the same command resumes, with the same result.
    """
    use_one_thread()
    from ...bots.patterns.learn import learn_patterns
    from ...bots.patterns.pattern_file import PatternCard, pattern_path, write_patterns
    from ...solve.tables.whole import whole_command, whole_table

    path = output or pattern_path(game)
    if path.exists() and not force:
        raise AlquerqueError(f"{str(path)!r} exists; --force replaces it")
    table = whole_table(game) if exact else None
    if exact and table is None:
        raise AlquerqueError(f"there is no table of {game.name}: build it with `{whole_command(game)}`")
    path.parent.mkdir(parents=True, exist_ok=True)
    memory = path.with_name(f"{path.name}.rounds")
    open_match(game)  # compiles the rules before the progress bar appears
    with Display("the same command resumes") as display:
        weights, reached = learn_patterns(
            game,
            memory,
            rounds=rounds,
            seed=seed,
            minutes=minutes,
            table=table,
            threads=threads,
            watch=partial(display.update, "matches played"),
        )
    name = " ".join([game.command_argument, *game.option_arguments])
    command = f"alquerque patterns {name} --rounds {reached.rounds} --seed {seed}{' --exact' * exact}"
    card = PatternCard(
        game=game.name,
        options=dict(game.options),
        table_hash=game.table_hash,
        command=command,
        seed=seed,
        rounds=reached.rounds,
        examples=reached.examples,
        processor_time=round(reached.processor_time, 1),
    )
    write_patterns(path, weights, card)
    memory.unlink()
    print_line(f"{path}: patterns of {game.name} from {reached.examples:,} positions")
    if path == pattern_path(game):
        print_line(f"play against them: alquerque play {name} --opponent patterns:5")
    else:
        print_line(f"bots look for them in {pattern_path(game)}")
