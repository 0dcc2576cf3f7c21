"""`alquerque plot`: a picture of a run, drawn from its log.

Each metric that has a panel in `measure.metrics`, or is declared with one by the learner, is drawn over the steps of
self-play. Metrics of the same panel share one plot.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator, PercentFormatter
from pydantic import ValidationError

from alquerque_env.arena import figures
from alquerque_env.arena.score import estimate_share
from alquerque_env.errors import AlquerqueError
from alquerque_training.config.settings import RunConfig
from alquerque_training.measure.metrics import METRICS, Metric, read_log, read_metrics, step_of
from alquerque_training.run.folder import Run, read_sections

STRENGTH = "strength"
TITLES = {
    STRENGTH: "Strength: games against random",
    "errors": "Strength: wrong choices where some step loses value",
    "scores": "Strength: score in the arena, draws half",
    "scores by role": "Strength: score in the arena by role, draws half",
    "rating": "Strength: rating in the arena, random = 0",
    "outcomes": "Outcomes of self-play",
    "length": "Length of the games of self-play",
    "loss": "Loss",
    "policy": "Policy",
    "change": "Change of the policy",
    "value": "Value",
    "gradient": "Gradient",
    "speed": "Speed",
    "search": "Search of self-play",
    "memory": "Replay buffer",
    "division": "Time of the learning process",
}
"""Titles of the panels, in drawing order. A panel that is not listed is drawn last and titled with its name."""

UNITLESS, INTERVAL = "1", "95% interval"
PANEL_SIZE, COLUMNS = (5.4, 3.2), 3
MARKED = 60
SMOOTHED = 200  # Up to `MARKED` values have a marker each. More than `SMOOTHED` values get a running mean.

PLAYERS = ("player_0", "player_1")

# Dashes tell the colours apart in print.
STYLES = ((figures.BLUE, "-", "o"), (figures.ORANGE, "--", "s"), (figures.GREEN, "-.", "^"), (figures.PURPLE, ":", "D"))


def plot_run(run: Path, output: Path | None = None) -> Path:
    """Draws the log of a run to a PNG file, or in a folder, by default that of the run; returns the file."""
    run = Path(run)
    config = read_sections(run)
    records, metrics = read_log(Run(run).log), read_metrics(Run(run).log)
    if not records:
        raise AlquerqueError(f"run {str(run)!r} has no iterations yet")
    target = _target(run, output)
    title = _title(run, config, records[-1])
    games = _setting(config, "evaluation", "games_per_seat")
    known_games = games if isinstance(games, int) and games > 0 else None
    figure = draw(records, title=title, games_per_seat=known_games, metrics=metrics, seats=_seats(config))
    figures.save_figure(figure, target)
    return target


def draw(
    records: Sequence[dict[str, float]],
    *,
    title: str,
    games_per_seat: int | None = None,
    metrics: Sequence[Metric] = METRICS,
    seats: tuple[str, str] = PLAYERS,
) -> Figure:
    """Draws records of a log, at least one, with one plot for each panel and unit.

    With a number of games per seat win rates have their 95% intervals. `seats` are the names of the players.
    """
    panels = _panels(records, metrics)
    columns = min(COLUMNS, len(panels)) or 1
    rows = -(-len(panels) // columns) or 1
    figure = figures.make_figure(PANEL_SIZE[0] * columns, PANEL_SIZE[1] * rows + 0.4, title)
    for place, panel in enumerate(panels, start=1):
        axes = figure.add_subplot(rows, columns, place)
        for metric, style in zip(panel, STYLES * len(panel), strict=False):
            _draw_metric(axes, metric, records, style, seats)
            if metric.name.startswith("win_rate") and games_per_seat is not None:
                _draw_wilson(axes, metric, records, style[0], games_per_seat)
            if metric.interval is not None:
                _draw_interval(axes, metric.interval, records, style[0])
        _label(axes, panel)
    return figure


def _panels(records: Sequence[dict[str, float]], metrics: Sequence[Metric]) -> list[list[Metric]]:
    """The metrics to draw, grouped by panel and unit, in the order of `TITLES`."""
    order = list(TITLES)
    logged = list(dict.fromkeys(name for record in records for name in record))
    drawn = [metric for each in metrics if each.panel for metric in _members(each, logged)]

    def place(metric: Metric) -> tuple[int, str, str]:
        return order.index(metric.panel) if metric.panel in order else len(order), metric.panel, metric.unit

    return [list(group) for _, group in groupby(sorted(drawn, key=place), key=place)]


def _members(metric: Metric, logged: Sequence[str]) -> Iterator[Metric]:
    """Yields a metric for each key of the log that belongs to it."""
    for key in logged:
        if key == metric.name or (metric.is_family and key.startswith(f"{metric.name}.")):
            yield replace(metric, name=key)


def _series(key: str, records: Sequence[dict[str, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Steps and values, both float64 `[N]`; NaN, a gap in the line, where a record has no value."""
    pairs = [(step_of(record), record.get(key, math.nan)) for record in records]
    steps, values = np.array(pairs, np.float64).reshape(-1, 2).T
    return steps, values


def _draw_metric(
    axes: Axes,
    metric: Metric,
    records: Sequence[dict[str, float]],
    style: tuple[str, str, str],
    seats: tuple[str, str],
) -> None:
    drawn = [record for record in records if metric.name in record] if metric.is_occasional else records
    steps, values = _series(metric.name, drawn)
    color, dashes, marker = style
    label = _label_of(metric, seats)
    if len(values) <= SMOOTHED:
        marked = ~np.isnan(values) if len(values) <= MARKED else _alone(values)
        (line,) = axes.plot(steps, values, color=color, linestyle=dashes, label=label)
        line.set(marker=marker if marked.any() else "", markersize=4, markevery=marked.tolist())
        return
    axes.plot(steps, values, color=color, alpha=0.25, linewidth=0.6)
    axes.plot(steps, _running_mean(values), color=color, linestyle=dashes, label=f"{label}, running mean")


def _alone(values: np.ndarray) -> np.ndarray:
    """Bool `[N]`: whether a value has a gap on both sides, so that a line does not show it."""
    present = np.pad(~np.isnan(values), 1)
    alone: np.ndarray = present[1:-1] & ~present[:-2] & ~present[2:]
    return alone


def _label_of(metric: Metric, seats: tuple[str, str]) -> str:
    if metric.is_family:
        return f"against {metric.name.partition('.')[2]}"
    label = metric.name.replace("_", " ")
    for player, seat in zip(PLAYERS, seats, strict=True):
        label = label.replace(player.replace("_", " "), seat)
    return label


def _seats(config: dict[str, Any]) -> tuple[str, str]:
    """The names of the players in the game of a run, if it can be loaded."""
    with suppress(AlquerqueError, ValidationError):
        return RunConfig.model_validate(config.get("run")).load_game().seats
    return PLAYERS


def _draw_wilson(
    axes: Axes, metric: Metric, records: Sequence[dict[str, float]], color: str, games_per_seat: int
) -> None:
    steps, shares = _series(metric.name, [record for record in records if metric.name in record])
    found = [estimate_share(round(share * games_per_seat), games_per_seat) for share in shares]
    figures.draw_band(
        axes, steps.tolist(), [each.low for each in found], [each.high for each in found], color, INTERVAL
    )


def _draw_interval(axes: Axes, ends: tuple[str, str], records: Sequence[dict[str, float]], color: str) -> None:
    measured = [record for record in records if all(key in record for key in ends)]
    if measured:
        (steps, low), (_, high) = (_series(key, measured) for key in ends)
        figures.draw_band(axes, steps.tolist(), low.tolist(), high.tolist(), color, INTERVAL)


def _running_mean(values: np.ndarray) -> np.ndarray:
    """The running mean of `[N]` values over a twentieth of them, fewer at both ends; NaN where all are missing."""
    window = np.ones(2 * (len(values) // 40) + 1)
    sums, counts = (np.convolve(numbers, window, "same") for numbers in (np.nan_to_num(values), ~np.isnan(values)))
    means: np.ndarray = np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)
    return means


def _label(axes: Axes, metrics: Sequence[Metric]) -> None:
    panel, unit = metrics[0].panel, metrics[0].unit
    axes.set_title(TITLES.get(panel, panel), fontsize="medium")
    axes.set_xlabel("steps of self-play")
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    if unit == "share":
        figures.show_shares(axes.yaxis)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    elif unit != UNITLESS:
        axes.set_ylabel(unit)
        values = np.concatenate([np.asarray(line.get_ydata(), np.float64) for line in axes.lines])
        if (np.isnan(values) | (values == np.round(values))).all():
            axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    axes.grid(alpha=figures.FAINT)
    axes.legend(fontsize="small")


def _setting(config: dict[str, Any], section: str, key: str) -> Any:
    table = config.get(section)
    return table.get(key) if isinstance(table, dict) else None


def _title(run: Path, config: dict[str, Any], last: dict[str, float]) -> str:
    parts = [run.resolve().name]
    parts += [str(name) for key in ("game", "algorithm") if (name := _setting(config, "run", key)) is not None]
    parts.append(f"{step_of(last):,} steps")
    if "seconds" in last:
        parts.append(f"{last['seconds'] / 60:.1f} min")
    return "  ·  ".join(parts)


def _target(run: Path, output: Path | None) -> Path:
    if output is None:
        return run / "plot.png"
    output = Path(output)
    if output.is_dir():
        return output / f"{run.resolve().name}.png"
    if output.suffix.lower() != ".png":
        raise AlquerqueError(f"{str(output)!r} is neither a folder nor the name of a .png file")
    return output
