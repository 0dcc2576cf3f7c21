"""The result of an agent as a picture: against opponents, against truth, and its values; a row for each game."""

from pathlib import Path
from typing import Any

import numpy as np

from ...arena.cross_table_plot import check_picture
from ...arena.intervals import Estimate
from ..against_ladder import Opponents
from ..against_truth import Truth
from ..agent_result import GameResult, Result
from ..calibration import Calibration
from .text_tables import tell_rating

# Okabe and Ito's colours, which the colour-blind can tell apart.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "0.6"
PANEL = 4.6, 3.6
DOTS_PER_INCH = 110


def draw_result(result: Result, path: Path) -> None:
    """Draws what an agent did.

    Raises:
      AlquerqueError, MissingExtraError: As `arena.picture.check_picture`.
      OSError: If the file cannot be written.
    """
    check_picture(path)
    from matplotlib.figure import Figure

    rows = len(result.games)
    figure = Figure(figsize=(3 * PANEL[0], rows * PANEL[1] + 0.5), dpi=DOTS_PER_INCH, layout="constrained")
    quick = ", a quick run: not comparable" if result.quick else ""
    figure.suptitle(f"{result.name}  ·  benchmark {result.benchmark}{quick}")
    for row, (name, game) in enumerate(result.games.items()):
        _draw_game(figure, row, rows, name, game)
    figure.savefig(path)


def mark(axes: Any, place: float, found: Estimate, colour: str) -> None:
    """Draws an estimate with its interval as a point on a row."""
    axes.plot([found.low, found.high], [place, place], color=colour, linewidth=2, solid_capstyle="butt")
    axes.plot([found.value], [place], marker="o", color=colour)


def _draw_game(figure: Any, row: int, rows: int, name: str, game: GameResult) -> None:
    opponents, truth, calibration = (figure.add_subplot(rows, 3, 3 * row + column) for column in (1, 2, 3))
    _draw_opponents(opponents, game.opponents)
    opponents.set_title(f"{name}: rating {tell_rating(game.opponents.rating)}", fontsize="medium")
    _draw_truth(truth, game.truth)
    if game.calibration is None:
        calibration.axis("off")
    else:
        _draw_calibration(calibration, game.calibration)


def _draw_opponents(axes: Any, opponents: Opponents) -> None:
    for place, rung in enumerate(opponents.rungs):
        mark(axes, place, rung.score, BLUE)
    axes.axvline(0.5, color=GREY, linewidth=1)
    axes.set_xlim(-0.03, 1.03)
    _name_rows(axes, [rung.name for rung in opponents.rungs])
    axes.set_xlabel("score, 95 %")


def _draw_truth(axes: Any, truth: Truth) -> None:
    for place, stratum in enumerate(truth.strata):
        mark(axes, place, stratum.share.optimal, BLUE)
        axes.plot([stratum.share.chance], [place], marker="|", markersize=12, color=ORANGE)
    axes.set_xlim(-0.03, 1.03)
    _name_rows(axes, [f"{each.pieces} pieces, {'won' if each.value > 0 else 'drawn'}" for each in truth.strata])
    axes.set_xlabel("optimal choices, 95 %; | of random steps")
    axes.set_title(f"optimal choices {truth.all.optimal.value:.1%}", fontsize="medium")


def _draw_calibration(axes: Any, calibration: Calibration) -> None:
    sizes = np.sqrt([each.positions for each in calibration.bins])
    axes.plot([-1, 1], [-1, 1], color=GREY, linewidth=1)
    expected, true = [each.expected for each in calibration.bins], [each.true for each in calibration.bins]
    axes.scatter(expected, true, s=12 * sizes, color=BLUE)
    axes.set_xlim(-1.05, 1.05)
    axes.set_ylim(-1.05, 1.05)
    axes.set_xlabel("value that it expects")
    axes.set_ylabel("true value")
    axes.set_title(f"squared error of its value {calibration.squared_error:.3f}", fontsize="medium")
    axes.grid(alpha=0.3)


def _name_rows(axes: Any, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names, fontsize="small")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.3)
