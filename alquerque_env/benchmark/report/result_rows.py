"""What the leaderboards of all versions share: reading results, the groups of agents, and tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ...arena.figures import BLUE, GREEN, ORANGE, PURPLE
from ...errors import BenchmarkError
from ..agent_result import GameResult, Result, TrackResult, read_file
from .text_tables import format_steps, format_time

PAGE = "README.md"
NOTHING = "–"

GROUPS = {
    "Searches and simple bots": BLUE,
    "Networks without search features": GREEN,
    "Networks with search features": PURPLE,
    "Functions, of other libraries or by hand": ORANGE,
}

UPDATE = """\
To measure an agent and update this page:

```sh
alquerque benchmark AGENT{version} -o {folder}/NAME.json
alquerque benchmark --check {folder}/NAME.json{version}
alquerque benchmark --leaderboard {folder}/{version}
```
"""

AGENTS = """\
* A network **with search features** receives the results of a shallow search as input: for each action, the
  number of pieces gained or lost, found by a full-width search of the given number of turns and then of captures only
  (depth 0: captures only). Each decision includes that search, so the tables list these networks separately.
* A function is an agent of somebody else, such as one that another library has trained. `docs/benchmark.md` says how to
  submit one, and how fast algorithms of several libraries learn, by exact values (`benchmarks/v2`).
* `:64` after a network means a tree search of 64 simulations for each decision. Without it there is no tree search.
"""

FACTS = ("network", "library", "algorithm", "steps", "seed", "parameters", "time", "faults")
"""The headings of `fact_cells`."""

Measured = TypeVar("Measured", GameResult, TrackResult)


@dataclass(frozen=True)
class Row(Generic[Measured]):
    """An agent in one game: its name on the page, its result, and the part of the result for the game."""

    label: str
    result: Result
    game: Measured

    @property
    def group(self) -> str:
        """One of `GROUPS`."""
        simple, without, with_features, functions = GROUPS
        facts = self.result.facts
        if facts.kind == "function":
            return functions
        return with_features if facts.search_features is not None else simple if facts.parameters is None else without


def read_results(folder: Path, benchmark: str) -> list[tuple[Path, Result]]:
    """Reads the results of a version of the benchmark in a folder, with their files; refuses quick runs."""
    found = [(path, result) for path in sorted(folder.rglob("*.json")) for result in read_file(path)]
    results = [(path, result) for path, result in found if result.benchmark == benchmark]
    if not results:
        raise BenchmarkError(f"there are no results of {benchmark} in {str(folder)!r}")
    for path, result in results:
        if result.quick:
            raise BenchmarkError(f"{str(path)!r} is a quick run, which cannot be compared with others")
    return results


def label_of(result: Result, game: str) -> str:
    """The name of an agent on the page, in the part of a game."""
    depth = result.facts.search_features
    return result.name.removeprefix(f"{game}-") + ("" if depth is None else f" (search features, depth {depth})")


def check_fits(path: Path, name: str, row: Row[Measured], others: Sequence[Row[Measured]]) -> None:
    """Refuses an agent that is there twice, or was measured by other positions or opponents than others."""
    for other in others:
        if other.label == row.label:
            raise BenchmarkError(f"{str(path)!r} has {row.label} in {name}, which is there already; --name tells apart")
        if other.game.measured_by != row.game.measured_by:
            raise BenchmarkError(
                f"{str(path)!r} was measured by other positions or opponents of {name} than others, or by version "
                f"0.1.0 or older: measure it again with: {row.result.command}"
            )


def by_group(rows: Sequence[Row[Measured]], table: Callable[[str], str]) -> str:
    """The tables of the groups that have rows, each under its name."""
    present = {row.group for row in rows}
    return "\n".join(f"**{group}**\n\n{table(group)}" for group in GROUPS if group in present)


def fact_cells(row: Row[Measured]) -> Iterator[str]:
    """What is known of an agent, and the time and faults of its decisions."""
    facts, timing = row.result.facts, row.game.timing
    yield facts.network or NOTHING
    yield facts.library or NOTHING
    yield facts.algorithm or NOTHING
    yield NOTHING if facts.steps is None else format_steps(facts.steps)
    yield NOTHING if facts.seed is None else str(facts.seed)
    yield NOTHING if facts.parameters is None else f"{facts.parameters / 1e3:.0f} k"
    yield NOTHING if timing is None else format_time(timing.median)
    yield str(row.game.faults.count or NOTHING)


def table_of(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table without the columns that are empty."""
    kept = [place for place in range(len(headings)) if place == 0 or any(row[place] != NOTHING for row in rows)]
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "".join(f"| {' | '.join(line[place].replace('|', '/') for place in kept)} |\n" for line in lines)


def place_of(folder: Path) -> str:
    """A folder as commands name it: from the working directory, or by its name alone if it is not below that."""
    place, here = folder.resolve(), Path.cwd()
    return (place.relative_to(here) if place.is_relative_to(here) else Path(place.name)).as_posix()


def commands_of(folder: Path, results: Sequence[tuple[Path, Result]]) -> str:
    """The part of a page with the command of each result."""
    files = ((f"{place_of(folder)}/{path.relative_to(folder).as_posix()}", result) for path, result in results)
    commands = dict.fromkeys(f"{result.command} -o {file}" for file, result in files)
    return (
        "## Commands\n\nThe results come from these commands, run in the root of the repository:\n\n"
        "```sh\n" + "\n".join(commands) + "\n```\n"
    )


def machines_of(results: Sequence[tuple[Path, Result]]) -> str:
    """The machines of results."""
    return "; ".join(sorted({result.machine for _, result in results}))
