"""Learns the weights of a game's patterns from nothing, in rounds.

In each round matches are played with the weights so far, and the weights learn from the examples of the latest rounds.
The scores of the examples are those of a search with these weights: with each round they see farther.
"""

import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file, save

from ...errors import AlquerqueError
from ...files.atomic import write_whole
from ...game.game import Game
from ...search.pattern_kernels import NO_PATTERNS, WEIGHT_BITS, PatternArrays
from ...solve.tables import EndgameTable
from .examples import SCALE, ExampleMaker, Examples
from .pattern_set import PatternSet
from .regression import fit

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
    """What learning has reached: weights and their mean, latest examples, and the numbers of rounds and examples."""

    weights: np.ndarray
    mean: np.ndarray
    kept: list[Examples] = field(default_factory=list)
    rounds: int = 0
    examples: int = 0
    processor_time: float = 0.0


def learn_patterns(
    game: Game,
    memory: Path,
    *,
    rounds: int,
    seed: int,
    minutes: float = math.inf,
    table: EndgameTable | None = None,
    threads: int = 1,
    watch: Callable[[int, int], None],
) -> tuple[np.ndarray, Learning]:
    """Learns the weights of a game's patterns; goes on from the last finished round, with the same result.

    Args:
      game: The game.
      memory: The file in which finished rounds are kept.
      rounds: How many rounds there are in all.
      seed: Makes the result repeatable.
      minutes: Ends with the round in which so many minutes of processor time are used.
      table: A table from which the searches that score know exact values.
      threads: How many threads play matches, with the same result.
      watch: Is called with the matches played and those of all rounds. An exception that it raises ends the work.

    Returns:
      int16 `[W]` weights for `PatternSet.arrays`, and what learning has reached.

    Raises:
      AlquerqueError: If the game has too many captures, or `memory` is of other rules, of another seed or damaged.
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
            watch(state.rounds * MATCHES + len(made), rounds * MATCHES)
            made.append(examples)
        latest = Examples.joined(made)
        state.kept = [*state.kept, latest][-KEPT:]
        known = Examples.joined(state.kept)
        numbers = found.numbers(known.states)
        fit(state.weights, numbers, known.static, known.targets, passes=PASSES, generator=generator)
        state.rounds += 1
        state.mean += (state.weights - state.mean) / min(max(state.rounds // LATEST, 1), AVERAGED)
        state.examples += len(latest.targets)
        state.processor_time += time.process_time() - began
        _write(memory, of, state)
    return quantised(state.mean), state


def _begin(found: PatternSet) -> Learning:
    return Learning(*np.zeros((2, found.num_weights), np.float32))


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


def quantised(weights: np.ndarray) -> np.ndarray:
    """Weights as 16-bit integers, in the unit of kernels."""
    return np.clip(np.round(weights * (SCALE << WEIGHT_BITS)), _SHORT.min, _SHORT.max).astype(np.int16)


def _write(path: Path, of: str, state: Learning) -> None:
    known = Examples.joined(state.kept)
    arrays = {
        "weights": state.weights,
        "mean": state.mean,
        "sizes": np.array([len(part.targets) for part in state.kept]),
        **vars(known),
    }
    numbers = [state.rounds, state.examples, state.processor_time]
    write_whole(path, save(arrays, {"of": of, "numbers": json.dumps(numbers)}))


def _name(game: Game, seed: int, table: EndgameTable | None) -> str:
    exact = table.digest if table else ""
    return f"{game.table_hash}{exact} {seed} {MATCHES} {KEPT} {PASSES} {PLAY_DEPTH} {SCORE_DEPTHS} {AVERAGED} {LATEST}"


def _read(path: Path, of: str, found: PatternSet) -> Learning:
    try:
        with safe_open(path, "numpy") as file:
            facts = file.metadata() or {}
        arrays = load_file(path)
        if facts["of"] != of:
            raise ValueError("it is of other rules, another seed or another version")
        rounds, examples, seconds = json.loads(facts["numbers"])
        ends = np.cumsum(arrays["sizes"])[:-1]
        parts = [np.split(arrays[name], ends) for name in Examples.__annotations__]
        if any(arrays[name].shape != (found.num_weights,) for name in ("weights", "mean")):
            raise ValueError("it has other weights")
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise AlquerqueError(f"{str(path)!r} cannot be continued: {error}; remove it to begin anew") from None
    return Learning(
        arrays["weights"].copy(),
        arrays["mean"].copy(),
        [Examples(*part) for part in zip(*parts, strict=True)],
        rounds,
        examples,
        seconds,
    )
