"""Learns the weights of a game's patterns from nothing, in rounds.

    python training/research/learn_patterns.py alquerque --rounds 97

In each round matches are played with the weights so far, and the weights learn from the examples of the latest rounds.
The scores of the examples are those of a search with these weights: with each round they see farther.
"""

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue

import click
import numpy as np
from pattern_examples import WORDS, ExampleMaker, Examples
from pattern_regression import fit
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file, save

from alquerque_env.bots.patterns.pattern_file import PatternCard, PatternSet, pattern_path, write_patterns
from alquerque_env.cli.console.progress_bar import Display
from alquerque_env.cli.console.signals import run_interruptible
from alquerque_env.cli.parameters import FloatRange, IntRange, OutputFile, game_argument, seed_option, use_one_thread
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.atomic import remove_partials, write_whole
from alquerque_env.files.lock import locked_file
from alquerque_env.files.schema import parse
from alquerque_env.game.game import Game
from alquerque_env.search.pattern_kernels import NO_PATTERNS, WEIGHT_BITS, PatternArrays
from alquerque_env.search.scores import SCALE
from alquerque_env.solve.tables import EndgameTable
from alquerque_env.solve.tables.whole import whole_command, whole_table

MATCHES = 1000
"""Matches of a round."""
KEPT = 40
"""The latest rounds whose examples are learned from."""
PASSES = 2
PLAY_DEPTH = 3
SCORE_DEPTHS = {0: 4, 12: 5, 60: 6}
"""How many turns the searches that score look ahead, from which round on."""
AVERAGED, LATEST = 8, 4
"""The mean of the weights goes back about so many rounds, and early on over one of so many rounds."""

_SHORT = np.iinfo(np.int16)


@dataclass
class Learning:
    """What learning has reached.

    Attributes:
      weights: float32 `[W]`, as values before the tanh.
      mean: float32 `[W]`, their mean over the latest rounds.
      known: The examples of the latest rounds.
      sizes: How many each of these rounds has made.
      rounds: Rounds that are done.
      examples: Examples made in all rounds.
      processor_time: Seconds of processor time of all rounds.
    """

    weights: np.ndarray
    mean: np.ndarray
    known: Examples
    sizes: list[int] = field(default_factory=list)
    rounds: int = 0
    examples: int = 0
    processor_time: float = 0.0


def learn_patterns(
    game: Game,
    memory: Path,
    *,
    seed: int,
    rounds: int,
    minutes: float = math.inf,
    table: EndgameTable | None = None,
    threads: int = 1,
    watch: Callable[[int, float], None],
) -> tuple[np.ndarray, Learning]:
    """Learns the weights of a game's patterns; goes on from the last finished round, with the same result.

    Args:
      game: The game.
      memory: The file in which finished rounds are kept; the caller holds its lock.
      seed: Makes the result repeatable.
      rounds: Ends with so many rounds.
      minutes: Ends with the round in which so many minutes of processor time are used.
      table: A table from which the searches that score know exact values.
      threads: How many threads play matches, with the same result.
      watch: Is called after each match with the number of those played, and the seconds of processor time used. An
        exception that it raises ends the work.

    Returns:
      int16 `[W]` weights for `PatternSet.arrays`, and what learning has reached.

    Raises:
      BotError: If the game has no `PatternSet`.
      AlquerqueError: If no quiet position is met, or `memory` was begun with other rules, another seed, another table
        or another version, or is damaged.
      OSError: If `memory` cannot be written.
    """
    found = PatternSet(game)
    of = _name(game, seed, table)
    state = _read(memory, of, found) if memory.exists() else _begin(found)
    while state.rounds < rounds and state.processor_time < 60 * minutes:
        began = time.process_time()
        generator = np.random.default_rng([seed, state.rounds])
        seeds = generator.integers(1 << 62, size=MATCHES).tolist()
        depth = max(turns for first, turns in SCORE_DEPTHS.items() if first <= state.rounds)
        makers = [ExampleMaker(game, play_depth=PLAY_DEPTH, score_depth=depth, table=table) for _ in range(threads)]
        made: list[Examples] = []
        for examples in _play(makers, seeds, found, quantised(state.weights)):
            made.append(examples)
            watch(state.rounds * MATCHES + len(made), state.processor_time + time.process_time() - began)
        latest = Examples.joined(made)
        if not state.examples + len(latest.targets):
            raise AlquerqueError(
                f"{MATCHES} matches of {game.name} had no quiet position with a choice: nothing to learn"
            )
        _learn(state, found, latest, generator)
        state.processor_time += time.process_time() - began
        _write(memory, of, state)
    return quantised(state.mean), state


def _begin(found: PatternSet) -> Learning:
    weights, mean = np.zeros((2, found.num_weights), np.float32)
    return Learning(weights, mean, Examples(np.zeros((0, WORDS), np.int64), *np.zeros((2, 0), np.float32)))


def _play(makers: list[ExampleMaker], seeds: list[int], found: PatternSet, weights: np.ndarray) -> Iterator[Examples]:
    """The examples of a match for each seed, in order. A thread for each maker plays; kernels run side by side."""
    free = Queue[tuple[ExampleMaker, PatternArrays]]()
    for maker in makers:
        free.put((maker, found.arrays(weights) if weights.any() else NO_PATTERNS))

    def play(seed: int) -> Examples:
        maker, patterns = free.get()
        try:
            return maker.play(seed, patterns)
        finally:
            free.put((maker, patterns))

    with ThreadPoolExecutor(len(makers)) as executor:
        try:
            yield from executor.map(play, seeds)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)


def _learn(state: Learning, found: PatternSet, latest: Examples, generator: np.random.Generator) -> None:
    """Ends a round with the examples that it has made."""
    state.sizes = [*state.sizes, len(latest.targets)][-KEPT:]
    known = state.known = Examples.joined([state.known, latest]).last(sum(state.sizes))
    fit(
        state.weights,
        lambda rows: found.numbers(known.states[rows]),  # those of all examples at once would take gigabytes
        known.static,
        known.targets,
        passes=PASSES,
        generator=generator,
    )
    state.rounds += 1
    state.examples += len(latest.targets)
    state.mean += (state.weights - state.mean) / min(max(state.rounds // LATEST, 1), AVERAGED)


def quantised(weights: np.ndarray) -> np.ndarray:
    """Weights as 16-bit integers, in the unit of kernels."""
    return np.clip(np.round(weights * (SCALE << WEIGHT_BITS)), _SHORT.min, _SHORT.max).astype(np.int16)


def _write(path: Path, of: str, state: Learning) -> None:
    sizes = np.array(state.sizes, np.int64)
    arrays = {"weights": state.weights, "mean": state.mean, "sizes": sizes, **vars(state.known)}
    numbers = [state.rounds, state.examples, state.processor_time]
    write_whole(path, save(arrays, {"of": of, "numbers": json.dumps(numbers)}))


def _name(game: Game, seed: int, table: EndgameTable | None) -> str:
    exact = table.digest if table else ""
    return f"{game.table_hash}{exact} {seed} {MATCHES} {KEPT} {PASSES} {PLAY_DEPTH} {SCORE_DEPTHS} {AVERAGED} {LATEST}"


def _read(path: Path, of: str, found: PatternSet) -> Learning:
    try:
        with safe_open(path, "numpy") as file:
            facts = file.metadata() or {}
        if facts["of"] != of:
            raise ValueError("it was begun with other rules, another seed, another table or another version")
        numbers = parse(tuple[int, int, float], json.loads(facts["numbers"]), "its metadata")
        arrays = load_file(path)
        of_weights, of_examples = (found.num_weights,), (int(arrays["sizes"].sum()),)
        shapes = {
            **dict.fromkeys(("weights", "mean"), ("float32", of_weights)),
            **dict.fromkeys(("static", "targets"), ("float32", of_examples)),
            "states": ("int64", (*of_examples, WORDS)),
        }
        found_shapes = {name: (str(arrays[name].dtype), arrays[name].shape) for name in shapes}
        if found_shapes != shapes or min(numbers) < 0:
            raise ValueError("it is damaged")
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise AlquerqueError(f"{str(path)!r} cannot be continued: {error}; remove it to begin anew") from None
    known = Examples(*(arrays[name] for name in Examples.__annotations__))
    return Learning(arrays["weights"].copy(), arrays["mean"].copy(), known, arrays["sizes"].tolist(), *numbers)


ROUNDS = 100
COMMAND = "python training/research/learn_patterns.py"


@click.command()
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
def main(
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
            command=f"{COMMAND} {name} --rounds {reached.rounds} --seed {seed}{' --exact' * exact}",
            seed=seed,
            rounds=reached.rounds,
            examples=reached.examples,
            processor_time=round(reached.processor_time, 1),
        )
        write_patterns(path, weights, card)
        memory.unlink(missing_ok=True)
    click.echo(f"{path}: patterns of {game.name} from {reached.examples:,} positions")
    if path == pattern_path(game):
        click.echo(f"play against them: alquerque play {name} --opponent patterns:5")
    else:
        click.echo(f"bots look for them in {pattern_path(game)}")


if __name__ == "__main__":
    try:
        main()
    except AlquerqueError as error:
        sys.exit(f"error: {error}")
