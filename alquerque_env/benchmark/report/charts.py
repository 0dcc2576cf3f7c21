"""Draws the results of the checkpoints of a training run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...arena import figures
from ...arena.score import Estimate
from ..agent_result import Result
from ..protocol import Protocol
from .text_tables import main_figures


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
