"""Learning curves: measures every checkpoint of a training run."""

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..bots.network.model_card import read_card
from ..bots.shipped import META
from ..errors import LONGEST_PATH, BenchmarkError, shorten
from ..progress import Progress, Watch, unwatched
from .agent_result import FORMAT, Result
from .partial_result import PartialResults
from .protocol import Protocol
from .runner import format_command, run_benchmark

CHECKPOINTS = "checkpoints"


def list_checkpoints(run: Path) -> list[tuple[int, Path]]:
    """The checkpoints of a run, ordered by their steps; the last written of those with equal steps."""
    by_steps: dict[int, Path] = {}
    cards = run.glob(f"{CHECKPOINTS}/[!.]*/{META}") if os.path.isdir(run) else ()
    for card in sorted(cards, key=lambda card: card.stat().st_mtime_ns):
        by_steps[read_card(card.parent).steps] = card.parent
    if not by_steps:
        raise BenchmarkError(f"{shorten(str(run), LONGEST_PATH)!r} is not a run with checkpoints")
    return sorted(by_steps.items())


def run_curve(
    run: str,
    protocol: Protocol,
    *,
    name: str | None = None,
    watch: Watch = unwatched,
    partial: PartialResults | None = None,
    executor: Executor | None = None,
) -> list[Result]:
    """Measures every checkpoint of a run.

    Args:
      run: Its folder, and optionally a colon and the number of simulations.
      protocol: The protocol.
      name: Name of the run in the results; the name of its folder if None.
      watch: Called now and then with the progress and the checkpoint.
      partial: Results of an interrupted run, to which this run adds its own.
      executor: As in `run_benchmark`.

    Returns:
      A result for each checkpoint, in the order of training.

    Raises:
      AlquerqueError, MissingExtraError: As `run_benchmark`.
    """
    folder, colon, simulations = run.rpartition(":")
    if not (colon and simulations.isdecimal()) or os.path.exists(run):
        folder, colon, simulations = run, "", ""
    called = name or f"{os.path.basename(os.path.realpath(folder))}{colon}{simulations}"
    command = format_command(["curve", run], protocol, name)
    results = []
    for steps, path in list_checkpoints(Path(folder)):

        def watch_here(progress: Progress, about: str = path.name) -> None:
            watch(replace(progress, about=about))

        spec, label = f"{path}{colon}{simulations}", f"{called}, {steps / 1e6:.3g} M steps"
        results.append(
            run_benchmark(
                spec, [], protocol, name=label, command=command, watch=watch_here, partial=partial, executor=executor
            )
        )
    return results


def curve_as_dict(run: str, results: Sequence[Result]) -> dict[str, Any]:
    """The results for JSON."""
    return {"format": FORMAT, "run": run, "results": [result.as_dict() for result in results]}
