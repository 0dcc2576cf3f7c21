"""Strength against experience: the checkpoints of a run, each measured as any agent is."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...arena.figures import BLUE, FAINT, GREY, ORANGE, PANEL, check_picture, draw_band, make_figure, save_figure
from ...arena.intervals import Estimate
from ...arena.progress import Progress, Watch, unwatched
from ...bots.shipped import META
from ...errors import BenchmarkError
from ..agent_result import FORMAT, Result
from ..partial_result import Unfinished
from ..protocol import Protocol
from ..runner import run_benchmark, tell_command

CHECKPOINTS = "checkpoints"


def list_checkpoints(run: Path) -> list[tuple[int, Path]]:
    """The checkpoints of a run with their steps, the fewest first; of those with as many the last written.

    Raises:
      BenchmarkError: If there are none.
    """
    by_steps: dict[int, Path] = {}
    for card in sorted(run.glob(f"{CHECKPOINTS}/[!.]*/{META}"), key=lambda card: card.stat().st_mtime_ns):
        by_steps[_steps(card)] = card.parent
    if not by_steps:
        raise BenchmarkError(f"{str(run)!r} is not a run with checkpoints")
    return sorted(by_steps.items())


def run_curve(
    run: str,
    protocol: Protocol,
    *,
    name: str | None = None,
    watch: Watch = unwatched,
    unfinished: Unfinished | None = None,
) -> list[Result]:
    """Measures every checkpoint of a run.

    Args:
      run: Its folder, and optionally a colon and with how many simulations they play.
      protocol: What is measured, and how.
      name: What to call the run; the name of its folder if None.
      watch: Called from time to time with how far it is, and with which checkpoint.
      unfinished: What an interrupted run has measured, and takes what this one does.

    Raises:
      AlquerqueError, MissingExtraError: As `run_benchmark`.
    """
    folder, colon, simulations = run.rpartition(":")
    if not (colon and simulations.isdecimal()) or Path(run).exists():
        folder, colon, simulations = run, "", ""
    called = name or f"{Path(folder).resolve().name}{colon}{simulations}"
    command = tell_command(["--curve", run], protocol, name)
    results = []
    for steps, path in list_checkpoints(Path(folder)):

        def watch_here(progress: Progress, about: str = path.name) -> None:
            watch(replace(progress, about=about))

        spec, label = f"{path}{colon}{simulations}", f"{called}, {tell_steps(steps)}"
        results.append(
            run_benchmark(spec, [], protocol, name=label, command=command, watch=watch_here, unfinished=unfinished)
        )
    return results


def tell_steps(steps: int) -> str:
    """A number of steps as people say it."""
    return f"{steps / 1e6:.3g} M steps"


def curve_as_dict(run: str, results: Sequence[Result]) -> dict[str, Any]:
    """The results as JSON has them."""
    return {"format": FORMAT, "run": run, "results": [result.as_dict() for result in results]}


def draw_curve(run: str, results: Sequence[Result], path: Path) -> None:
    """Draws rating and optimal choices over the steps of the environment.

    Raises:
      AlquerqueError, MissingExtraError: As `check_picture` and `save_figure`.
    """
    check_picture(path)
    figure = make_figure(2 * PANEL[0], PANEL[1] + 0.4, f"{run}  ·  benchmark {results[0].benchmark}")
    steps = [result.facts.steps or 0 for result in results]
    games = [next(iter(result.games.values())) for result in results]
    rating, optimal = figure.subplots(1, 2)
    _draw_line(rating, steps, [game.opponents.rating for game in games], BLUE)
    rating.set_title("rating, random = 0", fontsize="medium")
    _draw_line(optimal, steps, [game.truth.all.optimal for game in games], ORANGE)
    optimal.axhline(games[0].truth.all.chance, color=GREY, linewidth=1)
    optimal.set_title("optimal choices; the line is chance", fontsize="medium")
    save_figure(figure, path)


def _draw_line(axes: Any, steps: Sequence[int], found: Sequence[Estimate], colour: str) -> None:
    axes.plot(steps, [each.value for each in found], color=colour, marker="o")
    draw_band(axes, steps, [each.low for each in found], [each.high for each in found], colour)
    axes.set_xlabel("steps of the environment")
    axes.grid(alpha=FAINT)


def _steps(card: Path) -> int:
    try:
        return int(json.loads(card.read_bytes())["steps"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise BenchmarkError(f"checkpoint {str(card.parent)!r} does not say its steps") from None
