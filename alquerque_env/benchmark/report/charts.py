"""Draws results: scores against opponents and wrong choices, a row for each game; and both over a training run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...arena import figures
from ...arena.score import Estimate
from ..agent_answers import exact_errors, rate_agent
from ..agent_result import GameResult, Result
from ..entry import Entry, entries_of
from ..protocol import Protocol
from .text_tables import format_rating, main_figures


def draw_result(result: Result, protocol: Protocol, path: Path) -> None:
    """Draws the result of an agent."""
    figures.check_picture(path)
    rows, entries = len(result.games), entries_of(result.games, protocol)
    quick = ", a quick run: not comparable" if result.quick else ""
    title = f"{result.name}  ·  benchmark {result.benchmark}{quick}"
    figure = figures.make_figure(2 * figures.PANEL[0], rows * figures.PANEL[1] + 0.5, title)
    for row, (name, game) in enumerate(result.games.items()):
        left, right = (figure.add_subplot(rows, 2, 2 * row + column) for column in (1, 2))
        _draw_choices(left, name, game, protocol)
        _draw_opponents(right, result.spec, game, entries[name], protocol)
    figures.save_figure(figure, path)


def _draw_choices(axes: Any, name: str, game: GameResult, protocol: Protocol) -> None:
    axes.set_title(name, fontsize="medium")
    if not game.choices:
        axes.axis("off")
        return
    for place, choices in enumerate(game.choices.values()):
        errors = exact_errors(choices, protocol)
        figures.draw_estimate(axes, place, errors.wrong, figures.BLUE)
        axes.plot([errors.chance], [place], marker="|", markersize=12, color=figures.ORANGE)
    _name_shares(axes, list(game.choices), "wrong choices, 95%; | of random steps")


def _draw_opponents(axes: Any, spec: str, game: GameResult, entry: Entry, protocol: Protocol) -> None:
    if entry.ladder is None:
        axes.axis("off")
        return
    opponents = rate_agent(spec, game.matches, entry.ladder, protocol)
    for place, rung in enumerate(opponents.rungs):
        figures.draw_estimate(axes, place, rung.score, figures.BLUE)
    axes.axvline(0.5, color=figures.GREY, linewidth=1)
    axes.set_title(f"rating {format_rating(opponents.rating)}", fontsize="medium")
    _name_shares(axes, [rung.meeting.second for rung in opponents.rungs], "score, 95%")


def _name_shares(axes: Any, names: list[str], label: str) -> None:
    """Labels the rows and the axis of a panel of shares."""
    figures.name_rows(axes, names)
    figures.show_shares(axes.xaxis)
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=figures.FAINT)


def draw_curve(run: str, results: Sequence[Result], protocol: Protocol, path: Path) -> None:
    """Draws wrong choices and rating over environment steps."""
    figures.check_picture(path)
    title = f"{run}  ·  benchmark {protocol.version}"
    figure = figures.make_figure(2 * figures.PANEL[0], figures.PANEL[1] + 0.4, title)
    steps = [result.facts.steps or 0 for result in results]
    errors, opponents = zip(*(main_figures(result, protocol) for result in results), strict=True)
    wrong, rating = figure.subplots(1, 2)
    _draw_line(wrong, steps, [each and each.wrong for each in errors], figures.ORANGE)
    if errors[0] is not None:
        wrong.axhline(errors[0].chance, color=figures.GREY, linewidth=1)
    wrong.set_title("wrong choices; the line is chance", fontsize="medium")
    _draw_line(rating, steps, [each and each.rating for each in opponents], figures.BLUE)
    rating.set_title("rating, random = 0", fontsize="medium")
    figures.save_figure(figure, path)


def _draw_line(axes: Any, steps: Sequence[int], found: Sequence[Estimate | None], colour: str) -> None:
    known = [each for each in found if each is not None]
    if len(known) == len(steps):
        axes.plot(steps, [each.value for each in known], color=colour, marker="o")
        figures.draw_band(axes, steps, [each.low for each in known], [each.high for each in known], colour)
    else:
        axes.axis("off")
    axes.set_xlabel("environment steps")
    axes.grid(alpha=figures.FAINT)
