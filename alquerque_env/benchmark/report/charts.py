"""Draws the result of an agent: scores against opponents, optimal choices, and values; a row for each game."""

from pathlib import Path
from typing import Any

import numpy as np

from ...arena import figures
from ..against_ladder import Opponents
from ..against_truth import Truth
from ..agent_result import GameResult, Result
from ..calibration import Calibration
from .text_tables import format_rating


def draw_result(result: Result, path: Path) -> None:
    """Draws the result of an agent."""
    figures.check_picture(path)
    rows = len(result.games)
    quick = ", a quick run: not comparable" if result.quick else ""
    title = f"{result.name}  ·  benchmark {result.benchmark}{quick}"
    figure = figures.make_figure(3 * figures.PANEL[0], rows * figures.PANEL[1] + 0.5, title)
    for row, (name, game) in enumerate(result.games.items()):
        _draw_game(figure, row, rows, name, game)
    figures.save_figure(figure, path)


def _draw_game(figure: Any, row: int, rows: int, name: str, game: GameResult) -> None:
    opponents, truth, calibration = (figure.add_subplot(rows, 3, 3 * row + column) for column in (1, 2, 3))
    _draw_opponents(opponents, game.opponents)
    opponents.set_title(f"{name}: rating {format_rating(game.opponents.rating)}", fontsize="medium")
    _draw_truth(truth, game.truth)
    if game.calibration is None:
        calibration.axis("off")
    else:
        _draw_calibration(calibration, game.calibration)


def _draw_opponents(axes: Any, opponents: Opponents) -> None:
    for place, rung in enumerate(opponents.rungs):
        figures.draw_estimate(axes, place, rung.score, figures.BLUE)
    axes.axvline(0.5, color=figures.GREY, linewidth=1)
    _name_shares(axes, [rung.name for rung in opponents.rungs], "score, 95%")


def _draw_truth(axes: Any, truth: Truth) -> None:
    for place, stratum in enumerate(truth.strata):
        figures.draw_estimate(axes, place, stratum.share.optimal, figures.BLUE)
        axes.plot([stratum.share.chance], [place], marker="|", markersize=12, color=figures.ORANGE)
    names = [f"{each.pieces} pieces, {'won' if each.value > 0 else 'drawn'}" for each in truth.strata]
    _name_shares(axes, names, "optimal choices, 95%; | of random steps")
    axes.set_title(f"optimal choices {truth.all.optimal.value:.1%}", fontsize="medium")


def _draw_calibration(axes: Any, calibration: Calibration) -> None:
    sizes = np.sqrt([each.positions for each in calibration.bins])
    axes.plot([-1, 1], [-1, 1], color=figures.GREY, linewidth=1)
    expected, true = [each.expected for each in calibration.bins], [each.true for each in calibration.bins]
    axes.scatter(expected, true, s=12 * sizes, color=figures.BLUE)
    axes.set_xlim(-1.05, 1.05)
    axes.set_ylim(-1.05, 1.05)
    axes.set_xlabel("expected value")
    axes.set_ylabel("exact value")
    axes.set_title(f"squared error of the value {calibration.squared_error:.3f}", fontsize="medium")
    axes.grid(alpha=figures.FAINT)


def _name_shares(axes: Any, names: list[str], label: str) -> None:
    """Labels the rows and the axis of a panel of shares."""
    figures.name_rows(axes, names)
    figures.show_shares(axes.xaxis)
    axes.set_xlabel(label)
    axes.grid(axis="x", alpha=figures.FAINT)
