"""What tables and proofs say of each step of a position."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..game.step import Step
from ..match.match import Match, Outcome
from ..match.status_text import lasts

if TYPE_CHECKING:
    from .proved_steps import ProvedSteps
    from .tables.match_values import MatchValues

_RESULTS = {1: "wins", 0: "draw", -1: "loses"}
_OPEN_RESULTS = {1: "may win", 0: "may draw", -1: "may lose"}
_PROVED = {(1, 1): "wins", (0, 1): "does not lose", (0, 0): "draw", (-1, 0): "does not win", (-1, -1): "loses"}


class ExactStep(NamedTuple):
    """What is known of a step, for its player.

    Attributes:
      step: The step.
      least: The least that it gets under best play: 1 a win, 0 a draw, -1 a loss.
      most: The most that it gets. A table knows both as the same value, a proof may know one of them alone.
      words: Such as `wins in 13`, the turns of both sides counted; `may win` if the no-progress limit may change that.
    """

    step: Step
    least: int
    most: int
    words: str


def exact_steps(match: Match, table: "MatchValues | None", proof: "ProvedSteps | None") -> tuple[ExactStep, ...]:
    """Returns the legal steps of which a table or a proof knows something, the best first.

    A step that ends the match is known if there is a table or a proof at all.
    """
    ranked = () if table is None else table.steps(match)
    if ranked:
        return tuple(_of_value(match, *found) for found in ranked)
    if table is None and proof is None:
        return ()
    found = []
    for step in match.legal_steps:
        after = match.copy()
        after.push(step)
        exact = _look_up(match, after, table)
        if exact is None and proof is not None and (proved := proof.bounds(after)) is not None:
            least, most = proved if after.player == match.player else (-proved[1], -proved[0])
            exact = ExactStep(step, least, most, _PROVED[least, most])
        if exact is not None:
            found.append(exact)
    return tuple(sorted(found, key=lambda exact: -(exact.least + exact.most)))


def bounds(match: Match, known: Sequence[ExactStep]) -> tuple[int, int]:
    """Returns the least and the most that the player to move gets, by what is known of the steps, or by the outcome."""
    if match.outcome is not None:
        return (_result(match.outcome, match.player),) * 2
    least = max((exact.least for exact in known), default=-1)
    is_complete = bool(known) and len(known) == len(match.legal_steps)
    return least, max(exact.most for exact in known) if is_complete else 1


def turns_under_limit(match: Match, step: Step, value: int | None, distance: int | None) -> int | None:
    """Returns the turns to the end after a step under best play; None if the no-progress limit comes into it."""
    is_sure = value is not None and distance is not None and lasts(match, distance, step)
    return distance if is_sure else None


def _of_value(match: Match, step: Step, value: int | None, distance: int | None, clockless: int) -> ExactStep:
    """A step whose `StepValue` is known."""
    if value is None:
        return ExactStep(step, -1, 1, _OPEN_RESULTS[clockless])
    turns = turns_under_limit(match, step, value, distance)
    return ExactStep(step, value, value, _RESULTS[value] + (f" in {turns}" if value and turns else ""))


def _result(outcome: Outcome, player: int) -> int:
    return 0 if outcome.winner is None else 1 if outcome.winner == player else -1


def _look_up(match: Match, after: Match, table: "MatchValues | None") -> ExactStep | None:
    """The last step of a match, from its outcome or from a table that has the position after it."""
    step = after.steps[-1]
    if after.outcome is not None:
        result = _result(after.outcome, match.player)
        return _of_value(match, step, result, 1, result)
    clockless = None if table is None else table.clockless(after)
    if table is None or clockless is None:
        return None
    passes = after.player != match.player
    value, distance = table.value(after), table.distance(after)
    own = None if value is None else -value if passes else value
    return _of_value(
        match, step, own, None if distance is None else distance + passes, -clockless if passes else clockless
    )
