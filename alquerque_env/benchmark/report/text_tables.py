"""Prints results as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ...arena.exact_errors import ENDINGS, NATURAL, ExactErrors
from ...arena.report import fit_table
from ...arena.score import Estimate
from ...errors import one_line
from ...game.game import Game
from ...game.rules_text import SIDES
from ..agent_answers import Opponents, Response, exact_errors, rate_agent, solved_share
from ..agent_result import Faults, GameResult, Result
from ..agents.facts import Facts
from ..entry import Entry, entries_of
from ..protocol import Protocol

PLAIN_WIDTH = 120  # columns if the output is not a terminal

_SCALES = ((1.0, "s", 1), (1e-3, "ms", 1e3), (0.0, "µs", 1e6))


def print_result(result: Result, protocol: Protocol, console: Console) -> None:
    """Prints the result of an agent, game by game, and notes."""
    parts: list[RenderableType] = [
        Text(one_line(f"{result.name}: benchmark {result.benchmark}{_describe(result.facts)}"))
    ]
    known, entries = result.facts.settings, entries_of(result.games, protocol)
    for name, game in result.games.items():
        heading = f"\n{name}{', not trained on' if known and name not in known else ''}"
        parts += [Text(heading), *_tables(result.spec, game, entries[name], protocol)]
    parts += [Text(one_line(f"Note: {note}.")) for note in list_notes(result)]
    console.print(Group(*parts), soft_wrap=False, highlight=False)


def print_curve(results: Sequence[Result], protocol: Protocol, console: Console) -> None:
    """Prints the results of the checkpoints of a run, a row for each."""
    rows = []
    for result in results:
        errors, opponents = main_figures(result, protocol)
        timing = next(iter(result.games.values())).timing
        rows.append(
            (
                f"{result.facts.steps:,}",
                "" if errors is None else format_share(errors.wrong),
                "" if errors is None else f"{errors.regret.value:.4f}",
                "" if opponents is None else format_rating(opponents.rating),
                "" if opponents is None else f"{opponents.total.share.value:.1%}",
                "" if timing is None else format_time(timing.median),
            )
        )
    head = ("steps", "wrong choices", "regret", "rating, random = 0", "score", "time")
    table = fit_table(head, rows, ("time", "regret"), console.width)
    notes = dict.fromkeys(note for result in results for note in list_notes(result))
    console.print(Group(table, *(Text(one_line(f"Note: {note}.")) for note in notes)), soft_wrap=False, highlight=False)


def main_figures(result: Result, protocol: Protocol) -> tuple[ExactErrors | None, Opponents | None]:
    """The errors in natural positions or endings, and the matches, in the first game of a result; None without them."""
    name, game = next(iter(result.games.items()))
    kind = next((kind for kind in (NATURAL, ENDINGS) if kind in game.choices), None)
    errors = None if kind is None else exact_errors(game.choices[kind], protocol)
    ladder = entries_of(result.games, protocol)[name].ladder
    return errors, None if ladder is None else rate_agent(result.spec, game.matches, ladder, protocol)


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


def _tables(spec: str, found: GameResult, entry: Entry, protocol: Protocol) -> list[Table]:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(no_wrap=True)
    for kind, choices in found.choices.items():
        errors = exact_errors(choices, protocol)
        regret = errors.regret
        positions = kind if kind == ENDINGS else f"{kind} positions"
        table.add_row(f"wrong in {errors.positions:,} {positions}", format_share(errors.wrong))
        table.add_row("  regret", f"{regret.value:.4f} ({regret.low:.4f} to {regret.high:.4f})")
        table.add_row("  wrong random steps", f"{errors.chance:.1%}")
    if found.puzzles is not None:
        table.add_row(f"solved of {len(found.puzzles.solved)} puzzles", format_share(solved_share(found.puzzles)))
    for response in found.responses or ():
        table.add_row(f"best response to it as {SIDES[response.seat]}", describe_response(response))
    opponents = None if entry.ladder is None else rate_agent(spec, found.matches, entry.ladder, protocol)
    if opponents is not None:
        table.add_row("rating, random = 0", format_rating(opponents.rating))
        table.add_row("score against all", f"{opponents.total.share.value:.1%}")
    if found.timing is not None:
        table.add_row("time per decision", f"{format_time(found.timing.median)}, 95% {format_time(found.timing.slow)}")
    if found.processor_seconds:
        spent = ", ".join(f"{track} {seconds:.1f} s" for track, seconds in found.processor_seconds.items())
        table.add_row("processor time", spent)
    table.add_row("faults", format_faults(found.faults))
    return [table] if opponents is None else [table, _rungs(opponents, entry.game)]


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
            rung.meeting.second,
            f"{rung.rating.value:+.0f}",
            f"{rung.score.value:.1%}",
            f"{rung.score.low:.1%} to {rung.score.high:.1%}",
            *map(str, astuple(rung.meeting.total)),
            *(f"{seat.share.value:.1%}" for seat in rung.meeting.seats if rules.has_roles),
        )
        for rung in opponents.rungs
    ]
    seats = [f"as {seat}" for seat in rules.seats] if rules.has_roles else []
    return fit_table(("against", "its rating", "score", "95%", "won", "drawn", "lost", *seats), rows)
