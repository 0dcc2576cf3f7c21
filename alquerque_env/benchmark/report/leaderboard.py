"""The leaderboard: a page and a picture of many results."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...arena.figures import BLUE, FAINT, GREEN, ORANGE, PURPLE, draw_estimate, make_figure, name_rows, save_figure
from ...errors import BenchmarkError
from ...files.atomic import write_whole
from ...game.game import games, load_text
from ..agent_result import GameResult, Result, read_file
from .text_tables import format_rating, format_share, format_steps, format_time

PAGE, PICTURE = "README.md", "leaderboard.png"

INTRODUCTION = """\
# Leaderboard of benchmark {benchmark}

`alquerque benchmark AGENT` measures an agent by a fixed protocol: in endgame positions with known exact values, and in
matches against a ladder of bots.

| column | meaning |
| --- | --- |
| rating | Elo points against the ladder of the game, `random` = 0: Bradley-Terry, a draw counts half; 95% interval \
by bootstrap over openings, each played from both seats |
| optimal | share of choices that keep the exact value where some step loses value, with its 95% interval |
| one best | the same where exactly one whole turn keeps the value |
| loss | mean value lost by a choice, from 0 to 2 |
| value | mean squared error of the value that the agent predicts, from 0 to 4 |
| library, algorithm, seed | how it was trained; of functions as their authors say |
| steps | environment steps used in training |
| time | median time of a single decision, in one thread |
| faults | illegal answers, crashes and late answers |

To measure an agent and update this page:

```sh
alquerque benchmark AGENT -o {folder}/NAME.json
alquerque benchmark --check {folder}/NAME.json
alquerque benchmark --leaderboard {folder}/
```

## Reading the tables

* A network **with search features** receives the results of a shallow search as input: for each action, the
  number of pieces gained or lost, found by a full-width search of the given number of turns and then of captures only
  (depth 0: captures only). Each decision includes that search, so the tables list these networks separately.
* A function is an agent of somebody else, such as one that another library has trained. `docs/benchmark.md` says how to
  submit one, and how fast algorithms of several libraries learn, by exact values (`benchmarks/v2`).
* `:64` after a network means a tree search of 64 simulations for each decision. Without it there is no tree search.
* Tables are sorted by rating, best first. The tables of all games are sorted by the mean rating over the games in
  which an agent was measured. Ratings of different games are not comparable. Where intervals overlap, the order is
  uncertain.
* The ratings of the ladder's own bots come from their matches against each other.
* Times depend on the machine and its load. Measured on: {machines}.
"""

HEADINGS = (
    "agent",
    "rating",
    "optimal",
    "one best",
    "loss",
    "value",
    "network",
    "library",
    "algorithm",
    "steps",
    "seed",
    "parameters",
    "time",
    "faults",
)
NOTHING = "–"

GROUPS = {
    "Searches and simple bots": BLUE,
    "Networks without search features": GREEN,
    "Networks with search features": PURPLE,
    "Functions, of other libraries or by hand": ORANGE,
}


class Row(NamedTuple):
    """An agent in one game: its name on the page, its result, and the part of the result for the game."""

    label: str
    result: Result
    game: GameResult

    @property
    def group(self) -> str:
        """One of `GROUPS`."""
        simple, without, with_features, functions = GROUPS
        facts = self.result.facts
        if facts.kind == "function":
            return functions
        return with_features if facts.search_features is not None else simple if facts.parameters is None else without


Board = dict[str, list[Row]]  # the agents of each game, group by group, the best first


def make_leaderboard(folder: Path) -> Path:
    """Writes the page and the picture of all results in a folder.

    Returns:
      The page.

    Raises:
      BenchmarkError: If there are no results, or they cannot be compared.
      MissingExtraError: If matplotlib is not installed.
      OSError: If something cannot be read or written.
    """
    results = read_results(folder)
    board = sort_results(results)
    page = render_page(folder, results)
    _draw(board, folder / PICTURE, digest(result for _, result in results))
    write_whole(folder / PAGE, page.encode())
    return folder / PAGE


def read_results(folder: Path) -> list[tuple[Path, Result]]:
    """Reads all results in a folder, with their files; refuses quick runs and results of different protocols."""
    results = [(path, result) for path in sorted(folder.rglob("*.json")) for result in read_file(path)]
    if not results:
        raise BenchmarkError(f"there are no results in {str(folder)!r}")
    benchmark = results[0][1].benchmark
    for path, result in results:
        if result.quick:
            raise BenchmarkError(f"{str(path)!r} is a quick run, which cannot be compared with others")
        if result.benchmark != benchmark:
            raise BenchmarkError(f"{str(path)!r} is of benchmark {result.benchmark}, others of {benchmark}")
    return results


def sort_results(results: Sequence[tuple[Path, Result]]) -> Board:
    """Sorts results by game, group and rating; refuses an agent that is there twice, or measured by other positions."""
    board: Board = {name: [] for name in games()}
    for path, result in results:
        depth = result.facts.search_features
        features = "" if depth is None else f" (search features, depth {depth})"
        for name, game in result.games.items():
            rows = board.setdefault(name, [])
            row = Row(result.name.removeprefix(f"{name}-") + features, result, game)
            _check_fits(path, name, row, rows)
            rows.append(row)
    order = list(GROUPS)
    return {
        name: sorted(rows, key=lambda row: (order.index(row.group), -row.game.opponents.rating.value, row.label))
        for name, rows in board.items()
        if rows
    }


def render_page(folder: Path, results: Sequence[tuple[Path, Result]]) -> str:
    """The text of the page."""
    board = sort_results(results)
    machines = "; ".join(sorted({result.machine for _, result in results}))
    files = ((f"{folder.name}/{path.relative_to(folder).as_posix()}", result) for path, result in results)
    commands = dict.fromkeys(f"{result.command} -o {file}" for file, result in files)
    parts = [
        INTRODUCTION.format(benchmark=results[0][1].benchmark, folder=folder.name, machines=machines),
        f"![Ratings and optimal choices]({PICTURE})\n",
        "## Rating and optimal choices in every game\n",
        summarise(board),
        *(f"## {load_text(name).title}\n\n{_game_tables(rows)}" for name, rows in board.items()),
        "## Commands\n",
        "The results come from these commands, run in the root of the repository:\n",
        "```sh\n" + "\n".join(commands) + "\n```\n",
    ]
    return "\n".join(parts)


def summarise(board: Board) -> str:
    """For each group a table with a row for each agent and a column for each game."""
    everyone = [row for rows in board.values() for row in rows]
    cells = {(row.label, name): row.game for name, rows in board.items() for row in rows}

    def table(group: str) -> str:
        ratings: dict[str, list[float]] = {}
        for row in everyone:
            if row.group == group:
                ratings.setdefault(row.label, []).append(row.game.opponents.rating.value)
        labels = sorted(ratings, key=lambda label: (-sum(ratings[label]) / len(ratings[label]), label))
        return _table(
            ("agent", *(f"`{name}`" for name in board)),
            [[label, *(_sum_up(cells.get((label, name))) for name in board)] for label in labels],
        )

    return _by_group(everyone, table)


def digest(results: Iterable[Result]) -> str:
    """A hash of results, whatever their files are called."""
    texts = sorted(json.dumps(result.as_dict(), sort_keys=True) for result in results)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _check_fits(path: Path, name: str, row: Row, others: Sequence[Row]) -> None:
    for other in others:
        if other.label == row.label:
            raise BenchmarkError(f"{str(path)!r} has {row.label} in {name}, which is there already; --name tells apart")
        if (other.game.suite, other.game.ladder) != (row.game.suite, row.game.ladder):
            raise BenchmarkError(
                f"{str(path)!r} was measured by other positions or opponents of {name} than others, or by version "
                f"0.1.0 or older: measure it again with: {row.result.command}"
            )


def _by_group(rows: Sequence[Row], table: Callable[[str], str]) -> str:
    """The tables of the groups that have rows, each under its name."""
    present = {row.group for row in rows}
    return "\n".join(f"**{group}**\n\n{table(group)}" for group in GROUPS if group in present)


def _game_tables(rows: Sequence[Row]) -> str:
    return _by_group(rows, lambda group: _table(HEADINGS, [list(_cells(row)) for row in rows if row.group == group]))


def _sum_up(game: GameResult | None) -> str:
    if game is None:
        return NOTHING
    return f"{game.opponents.rating.value:+.0f}, {game.truth.all.optimal.value:.1%}"


def _cells(row: Row) -> Iterator[str]:
    truth, facts, calibration, timing = row.game.truth, row.result.facts, row.game.calibration, row.game.timing
    yield row.label
    yield format_rating(row.game.opponents.rating)
    yield format_share(truth.all.optimal)
    yield NOTHING if truth.unique is None else f"{truth.unique.optimal.value:.1%}"
    yield f"{truth.all.loss.value:.3f}"
    yield NOTHING if calibration is None else f"{calibration.squared_error:.2f}"
    yield facts.network or NOTHING
    yield facts.library or NOTHING
    yield facts.algorithm or NOTHING
    yield NOTHING if facts.steps is None else format_steps(facts.steps)
    yield NOTHING if facts.seed is None else str(facts.seed)
    yield NOTHING if facts.parameters is None else f"{facts.parameters / 1e3:.0f} k"
    yield NOTHING if timing is None else format_time(timing.median)
    yield str(row.game.faults.count or NOTHING)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table without the columns that are empty."""
    kept = [place for place in range(len(headings)) if place == 0 or any(row[place] != NOTHING for row in rows)]
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "".join(f"| {' | '.join(line[place].replace('|', '/') for place in kept)} |\n" for line in lines)


def _draw(board: Board, path: Path, description: str) -> None:
    """Draws a PNG with two panels for each game; its description is the digest of the results."""
    heights = [0.24 * len(rows) + 0.9 for rows in board.values()]
    figure = make_figure(11, sum(heights) + 0.4)
    panels = figure.subplots(len(board), 2, squeeze=False, gridspec_kw={"height_ratios": heights})
    for (name, rows), (rating, optimal) in zip(board.items(), panels, strict=True):
        for place, row in enumerate(rows):
            draw_estimate(rating, place, row.game.opponents.rating, GROUPS[row.group])
            draw_estimate(optimal, place, row.game.truth.all.optimal, GROUPS[row.group])
        for axes, labels, what in (
            (rating, [row.label for row in rows], "rating, random = 0"),
            (optimal, [""] * len(rows), "optimal choices"),
        ):
            name_rows(axes, labels)
            axes.set_title(f"{name}: {what}", fontsize="medium")
            axes.grid(alpha=FAINT)
    present = {row.group for rows in board.values() for row in rows}
    lines = [
        panels[0][0].plot([], [], marker="o", color=GROUPS[group], label=group)[0]
        for group in GROUPS
        if group in present
    ]
    figure.legend(handles=lines, loc="outside upper center", ncols=len(lines), fontsize="small")
    save_figure(figure, path, metadata={"Description": description})
