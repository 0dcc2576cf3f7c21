"""The leaderboard of version 1: a page and a picture of many results."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...arena.figures import FAINT, draw_estimate, make_figure, name_rows, save_figure
from ...files.atomic import write_whole
from ...game.game import games, load_text
from ..agent_result import GameResult, Result
from ..protocol import CURRENT, load_protocol
from .result_rows import (
    AGENTS,
    FACTS,
    GROUPS,
    NOTHING,
    PAGE,
    UPDATE,
    Row,
    by_group,
    check_fits,
    commands_of,
    fact_cells,
    label_of,
    machines_of,
    place_of,
    read_results,
    table_of,
)
from .text_tables import format_rating, format_share
from .track_leaderboard import render_tracks

PICTURE = "leaderboard.png"

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
| value | mean squared error of the value that the agent predicts in all positions, also lost ones, from 0 to 4 |
| library, algorithm, seed | how it was trained; of functions as their authors say |
| steps | environment steps used in training |
| time | median time of a single decision, in one thread |
| faults | illegal answers, crashes and late answers |

{update}
## Reading the tables

{agents}\
* Tables are sorted by rating, best first. The tables of all games are sorted by the mean rating over the games in
  which an agent was measured. Ratings of different games are not comparable. Where intervals overlap, the order is
  uncertain.
* The ratings of the ladder's own bots come from their matches against each other.
* Times depend on the machine and its load. Measured on: {machines}.
"""

HEADINGS = ("agent", "rating", "optimal", "one best", "loss", "value", *FACTS)

Board = Mapping[str, list[Row[GameResult]]]
"""The agents of each game, group by group, the best first."""


def make_leaderboard(folder: Path, benchmark: str = CURRENT) -> Path:
    """Writes the page of the results of a version of the benchmark in a folder, and in version 1 the picture.

    Returns:
      The page.

    Raises:
      BenchmarkError: If there are no results of the version, or they cannot be compared.
      MissingExtraError: If matplotlib is not installed.
      OSError: If something cannot be read or written.
    """
    results = read_results(folder, benchmark)
    if load_protocol(benchmark).exact is not None:
        page = render_tracks(folder, results, benchmark)
    else:
        board = sort_results(results)
        page = render_page(folder, results)
        _draw(board, folder / PICTURE, digest(result for _, result in results))
    write_whole(folder / PAGE, page.encode())
    return folder / PAGE


def sort_results(results: Sequence[tuple[Path, Result]]) -> Board:
    """Sorts results by game, group and rating; refuses an agent that is there twice, or measured by other positions."""
    board: dict[str, list[Row[GameResult]]] = {name: [] for name in games()}
    for path, result in results:
        for name, game in result.games.items():
            rows = board.setdefault(name, [])
            row = Row(label_of(result, name), result, game)
            check_fits(path, name, row, rows)
            rows.append(row)
    order = list(GROUPS)
    return {
        name: sorted(rows, key=lambda row: (order.index(row.group), -row.game.opponents.rating.value, row.label))
        for name, rows in board.items()
        if rows
    }


def render_page(folder: Path, results: Sequence[tuple[Path, Result]]) -> str:
    """The text of the page of version 1."""
    board = sort_results(results)
    parts = [
        INTRODUCTION.format(
            benchmark=results[0][1].benchmark,
            update=UPDATE.format(folder=place_of(folder), version=""),
            agents=AGENTS,
            machines=machines_of(results),
        ),
        f"![Ratings and optimal choices]({PICTURE})\n",
        "## Rating and optimal choices in every game\n",
        summarise(board),
        *(f"## {load_text(name).title}\n\n{_game_tables(rows)}" for name, rows in board.items()),
        commands_of(folder, results),
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
        return table_of(
            ("agent", *(f"`{name}`" for name in board)),
            [[label, *(_sum_up(cells.get((label, name))) for name in board)] for label in labels],
        )

    return by_group(everyone, table)


def digest(results: Iterable[Result]) -> str:
    """A hash of results, whatever their files are called."""
    texts = sorted(json.dumps(result.as_dict(), sort_keys=True) for result in results)
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _game_tables(rows: Sequence[Row[GameResult]]) -> str:
    return by_group(rows, lambda group: table_of(HEADINGS, [list(_cells(row)) for row in rows if row.group == group]))


def _sum_up(game: GameResult | None) -> str:
    if game is None:
        return NOTHING
    return f"{game.opponents.rating.value:+.0f}, {game.truth.all.optimal.value:.1%}"


def _cells(row: Row[GameResult]) -> Iterator[str]:
    truth, calibration = row.game.truth, row.game.calibration
    yield row.label
    yield format_rating(row.game.opponents.rating)
    yield format_share(truth.all.optimal)
    yield NOTHING if truth.unique is None else f"{truth.unique.optimal.value:.1%}"
    yield f"{truth.all.loss.value:.3f}"
    yield NOTHING if calibration is None else f"{calibration.squared_error:.2f}"
    yield from fact_cells(row)


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
