"""The leaderboard: results of many agents as one page and one picture."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...arena.figures import BLUE, FAINT, ORANGE, draw_estimate, make_figure, name_rows, save_figure
from ...errors import BenchmarkError
from ...files.atomic import write_whole
from ...game.game import games, load_game
from ..agent_result import GameResult, Result, read_file
from .text_tables import format_rating, format_share, format_time

PAGE, PICTURE = "README.md", "leaderboard.png"

INTRODUCTION = """\
# Leaderboard of benchmark {benchmark}

Made by `alquerque benchmark --leaderboard {folder}/` from the results in this folder; the commands that made these
stand at the end. `alquerque benchmark AGENT` measures another agent in the same way.

* **rating**: Elo points against the ladder of the game, `random` = 0, Bradley-Terry with draws as half a win, interval
  of 95 % by bootstrap over openings played from both seats.
* **optimal**: share of choices that keep the exact value of the position, in positions of endgames in which some step
  loses value; **one best**: the same where exactly one whole turn keeps it; **loss**: mean value lost, 0 to 2.
* **value**: mean squared error of the result that the agent expects, 0 to 4.
* **steps**: of the environment behind the weights; **time**: median for a decision, one at a time, one thread.

The best rating of a game comes first; over all games, the best mean of an agent's ratings in those that it was measured
in.
"""

HEADINGS = ("agent", "rating", "optimal", "one best", "loss", "value", "steps", "parameters", "time", "faults")
NOTHING = "–"


class Row(NamedTuple):
    """An agent in one game.

    Attributes:
      label: What it is called here.
      result: Its result.
      game: The part of its result that belongs to the game.
    """

    label: str
    result: Result
    game: GameResult


Board = dict[str, list[Row]]
"""The agents of each game, the best first."""


def make_leaderboard(folder: Path) -> Path:
    """Writes page and picture of all results in a folder.

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
    """All results in a folder, with their files.

    Raises:
      BenchmarkError: If there are none, one is not whole, or they are of different protocols.
    """
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
    """The agents of each game, the best first.

    Raises:
      BenchmarkError: If an agent is there twice, or two were measured by different positions or opponents.
    """
    board: Board = {name: [] for name in games()}
    for path, result in results:
        for name, game in result.games.items():
            rows = board.setdefault(name, [])
            row = Row(result.name.removeprefix(f"{name}-"), result, game)
            _check_fits(path, name, row, rows)
            rows.append(row)
    return {
        name: sorted(rows, key=lambda row: (-row.game.opponents.rating.value, row.label))
        for name, rows in board.items()
        if rows
    }


def render_page(folder: Path, results: Sequence[tuple[Path, Result]]) -> str:
    """The page."""
    board = sort_results(results)
    machines = sorted({result.machine for _, result in results})
    files = ((f"{folder.name}/{path.relative_to(folder).as_posix()}", result) for path, result in results)
    commands = dict.fromkeys(f"{result.command} -o {file}" for file, result in files)
    parts = [
        INTRODUCTION.format(benchmark=results[0][1].benchmark, folder=folder.name),
        f"Measured on {'; '.join(machines)}.\n",
        f"![Ratings and optimal choices]({PICTURE})\n",
        "## Rating and optimal choices in every game\n",
        summarise(board),
        *(f"## {load_game(name).title}\n\n{_table(HEADINGS, map(_cells, rows))}" for name, rows in board.items()),
        "## How these were measured\n",
        "```sh\n" + "\n".join(commands) + "\n```\n",
    ]
    return "\n".join(parts)


def summarise(board: Board) -> str:
    """A table with a row for each agent and a column for each game."""
    cells = {(row.label, name): row.game for name, rows in board.items() for row in rows}
    labels = sorted({label for label, _ in cells}, key=lambda label: (-_mean_rating(label, board), label))
    rows = ([label, *(_sum_up(cells.get((label, name))) for name in board)] for label in labels)
    return _table(("agent", *(f"`{name}`" for name in board)), rows)


def digest(results: Iterable[Result]) -> str:
    """Identifies results, whatever their files are called."""
    texts = sorted(json.dumps(result.as_dict(), sort_keys=True) for result in results)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _check_fits(path: Path, name: str, row: Row, others: Sequence[Row]) -> None:
    for other in others:
        if other.label == row.label:
            raise BenchmarkError(f"{str(path)!r} has {row.label} in {name}, which is there already; --name tells apart")
        if (other.game.suite, other.game.ladder) != (row.game.suite, row.game.ladder):
            raise BenchmarkError(f"{str(path)!r} was measured by other positions or opponents of {name} than others")


def _mean_rating(label: str, board: Board) -> float:
    ratings = [row.game.opponents.rating.value for rows in board.values() for row in rows if row.label == label]
    return sum(ratings) / len(ratings)


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
    yield NOTHING if facts.steps is None else f"{facts.steps / 1e6:.1f} M"
    yield NOTHING if facts.parameters is None else f"{facts.parameters / 1e3:.0f} k"
    yield NOTHING if timing is None else format_time(timing.median)
    yield str(row.game.faults.count or NOTHING)


def _table(headings: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def _draw(board: Board, path: Path, description: str) -> None:
    """Draws a PNG with a row of two panels for each game, which says of which results it is."""
    heights = [0.24 * len(rows) + 0.9 for rows in board.values()]
    figure = make_figure(11, sum(heights))
    panels = figure.subplots(len(board), 2, squeeze=False, gridspec_kw={"height_ratios": heights})
    for (name, rows), (rating, optimal) in zip(board.items(), panels, strict=True):
        for place, row in enumerate(rows):
            draw_estimate(rating, place, row.game.opponents.rating, BLUE)
            draw_estimate(optimal, place, row.game.truth.all.optimal, ORANGE)
        _label(rating, [row.label for row in rows], f"{name}: rating, random = 0")
        _label(optimal, [""] * len(rows), f"{name}: optimal choices")
    save_figure(figure, path, metadata={"Description": description})


def _label(axes: Any, names: list[str], title: str) -> None:
    name_rows(axes, names)
    axes.set_title(title, fontsize="medium")
    axes.grid(alpha=FAINT)
