"""Measures the checkpoints of training runs in matches, for a table and a picture of strength over processor time.

    python benchmarks/strength.py measure PATH [PATH ...]    checkpoints, or folders of runs with all they have kept
    python benchmarks/strength.py report                     the tables and pictures of docs/bots.md

A run that keeps its checkpoints has `run.keep_checkpoints` of some hundreds. Each checkpoint plays `MATCHES` matches
against `alphabeta:5`, by its policy alone and with 64 simulations. Results are in `benchmarks/strength`, one file a
game. A checkpoint that has a result is skipped, so the same command resumes after Ctrl-C.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from alquerque_training.checkpoints.torch_bot import load_playable, make_network_bot

from alquerque_env.arena import Settings, play_arena
from alquerque_env.arena.figures import make_figure, save_figure
from alquerque_env.arena.ratings import elo_difference
from alquerque_env.arena.score import Estimate
from alquerque_env.benchmark.report.leaderboard import table_of
from alquerque_env.cli.console.signals import exit_on_signals
from alquerque_env.files.atomic import write_whole
from alquerque_env.files.lock import locked_file
from alquerque_env.game.game import Game
from alquerque_env.search.puct import EXPLORATION

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "strength"
PAGE = ROOT / "docs" / "bots.md"
PICTURES = ROOT / "docs" / "images"
PLACE = re.compile(r"(<!-- strength in (\w+) -->\n).*?(<!-- end of strength -->)", re.DOTALL)

OPPONENT = "alphabeta:5"
MATCHES = 400
SIMULATIONS = {"0": "policy alone", "64": "64 simulations"}
GOALS = {"alquerque": (0.5, 0.88), "fetaix": (0.65, 0.75)}
"""Scores by policy alone and with a search, of which is said after what time the runs of a game would reach them."""


def measure(checkpoint: Path) -> dict[str, Any]:
    """The card's facts of a checkpoint, and its scores."""
    game, found = load_playable(checkpoint)
    meta = found.meta
    result: dict[str, Any] = {
        "game": game.name,
        "command": meta.command,
        "network": str(meta.network),
        "weights": sum(each.numel() for each in found.network.parameters()),
        "steps": meta.steps,
        "processor_seconds": meta.processor_time,
        "sha256": meta.sha256["weights.safetensors"],
    }
    return result | measure_scores(game, found.network, MATCHES)


def measure_scores(game: Game, network: Any, matches: int) -> dict[str, list[float]]:
    """The scores of a network in so many matches against `OPPONENT`, see `as_list`, by number of simulations."""
    found = {}
    for simulations in SIMULATIONS:
        bot = make_network_bot("player", game, network, int(simulations), exploration=EXPLORATION)
        (pairing,) = play_arena(game, [bot, OPPONENT], Settings(games=matches, gauntlet=True)).pairings
        found[simulations] = as_list(pairing.score)
    return found


def as_list(estimate: Estimate) -> list[float]:
    """A figure and the ends of its 95% interval."""
    return [round(number, 4) for number in (estimate.value, estimate.low, estimate.high)]


def read_results(game: str) -> list[dict[str, Any]]:
    """The results in a game, by processor time."""
    path = RESULTS / f"{game}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return sorted(map(json.loads, lines), key=lambda result: result["processor_seconds"])


def add_result(game: str, result: Mapping[str, Any]) -> None:
    """Adds a result to those in a game, to which other processes may have added some meanwhile."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{game}.jsonl"
    with locked_file(path, waiting=click.echo):
        lines = [json.dumps(each) + "\n" for each in (*read_results(game), result)]
        write_whole(path, "".join(lines).encode())


def write_table(results: Iterable[Mapping[str, Any]]) -> str:
    """The scores of checkpoints, with their 95% intervals."""
    rows: list[list[str]] = []
    for each in results:
        time = f"{each['processor_seconds'] / 60:.0f} min"
        shares = (100 * np.array(each[key]) for key in SIMULATIONS)
        scores = (f"{value:.1f}% ({low:.1f} to {high:.1f})" for value, low, high in shares)
        rows.append([each["network"], f"{each['steps']:,}", time, *scores])
    return table_of(["network", "steps", "processor time", *SIMULATIONS.values()], rows)


def extrapolate(results: Sequence[Mapping[str, Any]], simulations: str, goal: float) -> tuple[float, float]:
    """By a line through ratings over the logarithm of time: Elo points a doubling, and minutes until a score."""
    minutes = [each["processor_seconds"] / 60 for each in results]
    ratings = [elo_difference(each[simulations][0]) for each in results]
    slope, begin = np.polyfit(np.log2(minutes), ratings, 1)
    return slope, 2 ** ((elo_difference(goal) - begin) / slope)


def filled(text: str) -> str:
    """A page with the tables and pictures of the results."""
    return PLACE.sub(lambda place: f"{place[1]}\n{_section(place[2])}\n{place[3]}", text)


def _section(game: str) -> str:
    results = read_results(game)
    picture = f"![Score against {OPPONENT} by minutes of processor time in {game}](images/{picture_of(game).name})"
    laws = [
        f"{slope:.0f} Elo points with {title}, and a score of {goal:.0%} is reached after {minutes:,.0f} minutes"
        for (key, title), goal in zip(SIMULATIONS.items(), GOALS[game], strict=True)
        for slope, minutes in [extrapolate(results, key, goal)]
    ]
    law = " ".join(f"By a line through all rows, each doubling of the time gains {each}." for each in laws)
    return f"{write_table(results)}\n{picture}\n\n{law}\n"


def picture_of(game: str) -> Path:
    """The picture of a game."""
    return PICTURES / f"strength_{game}.png"


def draw(game: str, results: Sequence[Mapping[str, Any]]) -> None:
    """Draws the scores over processor time."""
    figure = make_figure(7, 3.6, f"{game}: score against {OPPONENT}", dpi=90)
    axes = figure.subplots()
    minutes = [each["processor_seconds"] / 60 for each in results]
    for simulations, title in SIMULATIONS.items():
        value, low, high = zip(*(each[simulations] for each in results), strict=True)
        (line,) = axes.plot(minutes, value, "o-", markersize=4, label=title)
        axes.fill_between(minutes, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.set(xlabel="minutes of processor time", ylabel="score", ylim=(0, 1))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", frameon=False)
    save_figure(figure, picture_of(game))


@click.group()
def main() -> None:
    """Measures how strong training runs become."""


@main.command("measure")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@exit_on_signals()
def measure_all(paths: tuple[Path, ...]) -> None:
    """Measures checkpoints that have no result yet."""
    for checkpoint in [found for path in paths for found in _checkpoints(path)]:
        game, found = load_playable(checkpoint)
        if found.meta.sha256["weights.safetensors"] in {each["sha256"] for each in read_results(game.name)}:
            continue
        result = measure(checkpoint)
        add_result(game.name, result)
        click.echo(f"{checkpoint}: {result['0'][0]:.1%} alone, {result['64'][0]:.1%} with 64 simulations")


def _checkpoints(path: Path) -> list[Path]:
    if (path / "meta.json").exists():
        return [path]
    if found := sorted((path / "checkpoints").glob("step-*")):
        return found
    raise click.ClickException(f"{str(path)!r} is neither a checkpoint nor a run that has kept any")


@main.command()
def report() -> None:
    """Writes the tables of `docs/bots.md` and their pictures."""
    text = PAGE.read_text(encoding="utf-8")
    for _, game, _ in PLACE.findall(text):
        draw(game, read_results(game))
    write_whole(PAGE, filled(text).encode())


if __name__ == "__main__":
    main()
