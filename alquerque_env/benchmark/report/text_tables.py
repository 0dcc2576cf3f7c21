"""Prints results as tables."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ...arena.intervals import Estimate
from ...arena.text_report import fit_table
from ...errors import one_line
from ...game.game import Game, load_text
from ...game.rules_text import SIDES
from ..against_ladder import Opponents
from ..agent_facts import Facts
from ..agent_result import Faults, GameResult, Result, TrackedResult, TrackResult
from ..response import Response

PLAIN_WIDTH = 120  # columns if the output is not a terminal

_SCALES = ((1.0, "s", 1), (1e-3, "ms", 1e3), (0.0, "µs", 1e6))


def print_result(result: Result, console: Console) -> None:
    """Prints the result of an agent, game by game, and notes."""
    parts: list[RenderableType] = [
        Text(one_line(f"{result.name}: benchmark {result.benchmark}{_describe(result.facts)}"))
    ]
    if isinstance(result, TrackedResult):
        for name, tracks in result.games.items():
            known = result.facts.settings
            heading = f"\n{name}{', not trained on' if known and name not in known else ''}"
            parts += [Text(heading), *_tracks(tracks, load_text(name.partition(" ")[0]))]
    for name, game in () if isinstance(result, TrackedResult) else result.games.items():
        rules = load_text(name)
        parts += [Text(f"\n{rules.title}"), _sum_up(game, rules), _rungs(game.opponents, rules), _strata(game)]
    parts += [Text(one_line(f"Note: {note}.")) for note in list_notes(result)]
    console.print(Group(*parts), soft_wrap=False, highlight=False)


def print_curve(results: Sequence[Result], console: Console) -> None:
    """Prints the results of the checkpoints of a run, a row for each."""
    rows = []
    for result in results:
        game = next(iter(result.games.values()))
        rows.append(
            (
                f"{result.facts.steps:,}",
                format_rating(game.opponents.rating),
                f"{game.opponents.score:.1%}",
                format_share(game.truth.all.optimal),
                f"{game.truth.all.loss.value:.3f}",
                "" if game.timing is None else format_time(game.timing.median),
            )
        )
    head = ("steps", "rating, random = 0", "score", "optimal choices", "mean loss", "time")
    table = fit_table(head, rows, ("time", "mean loss"), console.width)
    notes = dict.fromkeys(note for result in results for note in list_notes(result))
    console.print(Group(table, *(Text(one_line(f"Note: {note}.")) for note in notes)), soft_wrap=False, highlight=False)


def list_notes(result: Result) -> Iterator[str]:
    """Notes on figures that are not comparable and on faults."""
    if result.quick:
        yield "a quick run, whose figures are not comparable"
    for name, game in result.games.items():
        if game.faults.count:
            yield f"in {name} the agent failed: {format_faults(game.faults)}; the first time it {game.faults.first}"
        if game.faults.gave_up:
            yield f"in {name} the agent was late or ended so often that it was not asked again, and lost the rest"


def format_faults(faults: Faults) -> str:
    """The faults of an agent in words."""
    counts = {"illegal": faults.illegal, "crashed": faults.crash, "over time": faults.over_time}
    return ", ".join(f"{count} x {what}" for what, count in counts.items() if count) or "none"


def format_time(seconds: float) -> str:
    """A time in s, ms or µs."""
    unit, scale = next((unit, scale) for least, unit, scale in _SCALES if seconds >= least)
    return f"{seconds * scale:.3g} {unit}"


def format_steps(steps: int) -> str:
    """A number of environment steps in thousands or millions."""
    return f"{steps / 1e6:.1f} M" if steps >= 1e6 else f"{steps / 1e3:.3g} k"


def format_share(share: Estimate) -> str:
    """A share and its interval."""
    return f"{share.value:.1%} ({share.low:.1%} to {share.high:.1%})"


def format_rating(rating: Estimate) -> str:
    """A rating and its interval."""
    return f"{rating.value:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"


def _describe(facts: Facts) -> str:
    trained = " of ".join(part for part in (facts.algorithm, facts.library) if part is not None)
    known = {
        "trained by {}": trained or None,
        "{}": facts.network,
        "{:,} steps": facts.steps,
        "seed {}": facts.seed,
        "{:,} parameters": facts.parameters,
        "{} simulations": facts.simulations,
    }
    return "".join(f", {words.format(value)}" for words, value in known.items() if value is not None)


def _sum_up(game: GameResult, rules: Game) -> Table:
    truth, opponents = game.truth, game.opponents
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(no_wrap=True)
    table.add_row("rating, random = 0", format_rating(opponents.rating))
    table.add_row("score against all", f"{opponents.score:.1%}")
    table.add_row(f"optimal choices in {truth.all.positions} positions", format_share(truth.all.optimal))
    table.add_row("optimal random steps", f"{truth.all.chance:.1%}")
    for role, share in zip(rules.seats, truth.by_seat or (None, None), strict=True):
        if share is not None:
            table.add_row(f"as {role}, in {share.positions} positions", format_share(share.optimal))
    if truth.unique is not None:
        table.add_row(f"where one turn is best, {truth.unique.positions}", format_share(truth.unique.optimal))
    loss = truth.all.loss
    table.add_row("mean loss in value", f"{loss.value:.3f} ({loss.low:.3f} to {loss.high:.3f})")
    mistakes = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in truth.mistakes.items())
    table.add_row("mistakes", mistakes)
    if game.calibration is not None:
        table.add_row("value predicts the result", format_share(game.calibration.accuracy))
        table.add_row("squared error of the value", f"{game.calibration.squared_error:.3f}")
        table.add_row("calibration error of the value", f"{game.calibration.bin_error:.3f}")
    if game.timing is not None:
        table.add_row("time per decision", f"{format_time(game.timing.median)}, 95% {format_time(game.timing.slow)}")
    table.add_row("faults", format_faults(game.faults))
    return table


def _tracks(found: TrackResult, rules: Game) -> list[Table]:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(no_wrap=True)
    if found.exact is not None:
        for kind, errors in (("natural", found.exact.natural), ("uniform", found.exact.uniform)):
            table.add_row(f"wrong in {errors.positions:,} {kind} positions", format_share(errors.wrong))
            regret = errors.regret
            table.add_row("  regret", f"{regret.value:.4f} ({regret.low:.4f} to {regret.high:.4f})")
            table.add_row("  wrong random steps", f"{errors.chance:.1%}")
    if found.puzzles is not None:
        table.add_row(f"solved of {found.puzzles.puzzles} puzzles", format_share(found.puzzles.solved))
    for response in found.responses or ():
        table.add_row(f"best response to it as {SIDES[response.seat]}", describe_response(response))
    if found.opponents is not None:
        table.add_row("rating, random = 0", format_rating(found.opponents.rating))
        table.add_row("score against all", f"{found.opponents.score:.1%}")
    if found.timing is not None:
        table.add_row("time per decision", f"{format_time(found.timing.median)}, 95% {format_time(found.timing.slow)}")
    if found.processor_seconds:
        spent = ", ".join(f"{track} {seconds:.1f} s" for track, seconds in found.processor_seconds.items())
        table.add_row("processor time", spent)
    table.add_row("faults", format_faults(found.faults))
    return [table] if found.opponents is None else [table, _rungs(found.opponents, rules)]


def describe_response(response: Response) -> str:
    """What the best response to an agent achieves, in words."""
    effort = f"{response.positions:,} positions" + ("" if response.complete else ", not complete")
    if response.kept is None:
        return f"not known ({effort})"
    if response.kept:
        return f"nobody beats it ({effort})"
    return f"beats it in {len(response.line)} steps ({effort})" if response.line else f"beats it ({effort})"


def _rungs(opponents: Opponents, rules: Game) -> Table:
    rows = [
        (
            rung.name,
            f"{rung.rating.value:+.0f}",
            f"{rung.score.value:.1%}",
            f"{rung.score.low:.1%} to {rung.score.high:.1%}",
            str(rung.wins),
            str(rung.draws),
            str(rung.losses),
            *(f"{seat.score.value:.1%}" for seat in rung.by_seat or ()),
        )
        for rung in opponents.rungs
    ]
    seats = [f"as {seat}" for seat in rules.seats] if rules.has_roles else []
    return fit_table(("against", "its rating", "score", "95%", "won", "drawn", "lost", *seats), rows)


def _strata(game: GameResult) -> Table:
    rows = [
        (
            f"{stratum.pieces}, {'won' if stratum.value > 0 else 'drawn'}",
            str(stratum.share.positions),
            f"{stratum.share.optimal.value:.1%}",
            f"{stratum.share.optimal.low:.1%} to {stratum.share.optimal.high:.1%}",
            f"{stratum.share.chance:.1%}",
            f"{stratum.share.loss.value:.3f}",
        )
        for stratum in game.truth.strata
    ]
    return fit_table(("pieces, value", "positions", "optimal", "95%", "random steps", "mean loss"), rows)
