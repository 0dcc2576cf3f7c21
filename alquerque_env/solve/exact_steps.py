"""What tables and proofs say of a position and of each of its steps: the one place that weighs known and unknown steps.

Bots, hints, reports and exercises ask here which steps are right.
"""

from typing import TYPE_CHECKING, NamedTuple

from ..game import table_layout as TABLE
from ..game.step import Step
from ..match.match import Match, Outcome
from ..match.status_text import lasts

if TYPE_CHECKING:
    from .proved_steps import ProvedSteps
    from .tables.match_values import MatchValues, StepValue

_RESULTS = {1: "wins", 0: "draw", -1: "loses"}
_OPEN_RESULTS = {1: "may win", 0: "may draw", -1: "may lose"}
_BOUNDED = {(1, 1): "wins", (0, 1): "does not lose", (0, 0): "draw", (-1, 0): "does not win", (-1, -1): "loses"}
_ENDLESS = 1 << 15  # in place of the plies of endless play, more than those of any end


class ExactStep(NamedTuple):
    """What is known of a step, for its player.

    Attributes:
      step: The step.
      least: The least that it gets under best play: 1 a win, 0 a draw, -1 a loss.
      most: The most that it gets. A table knows both as the same value, a proof may know one of them alone.
      words: Such as `wins in 13`, the turns of both sides counted; `may win` if the no-progress limit may change that.
        Empty if nothing is known.
      distance: Plies to the end under best play, see `StepValue`; None if a table does not say.
    """

    step: Step
    least: int
    most: int
    words: str
    distance: int | None = None

    def within(self, value: float) -> float:
        """A searched value between the bounds that are known."""
        return max(float(self.least), min(value, float(self.most)))


class ExactSteps(NamedTuple):
    """What is known of a position, for the player to move.

    Attributes:
      least: The least that it gets under best play: 1 a win, 0 a draw, -1 a loss.
      most: The most that it gets.
      steps: The legal steps, the best first: quick wins before slow ones, slow losses before quick ones. None gets more
        than the position.
    """

    least: int
    most: int
    steps: tuple[ExactStep, ...]

    @property
    def known(self) -> tuple[ExactStep, ...]:
        """The steps of which something is known."""
        return tuple(each for each in self.steps if each.words)

    @property
    def keeping(self) -> tuple[ExactStep, ...]:
        """The steps to choose from: all but those than which another is known to be as good, and may be better."""
        top = max(((each.least, each.most) for each in self.steps), default=(-1, -1))
        return tuple(each for each in self.steps if each.most > top[0] or (each.least, each.most) == top)

    @property
    def best(self) -> tuple[ExactStep, ...]:
        """The steps that are sure to be right, of them those that win soonest or lose latest; none if none is sure."""
        keeping = self.keeping
        return tuple(each for each in keeping if each.least == self.most and each.distance == keeping[0].distance)


def exact_steps(match: Match, table: "MatchValues | None", proof: "ProvedSteps | None") -> ExactSteps:
    """Returns what a table and a proof know of a match, and of its steps.

    A final position is worth its outcome. A step that ends the match is known if there is a table or a proof at all.
    """
    if match.outcome is not None:
        return ExactSteps(*(_result(match.outcome, match.player),) * 2, ())
    values = {} if table is None else {found.step.action: found for found in table.known_steps(match)}
    least, most = _own_bounds(match, table, proof)
    steps = [_look_up(match, step, values.get(step.action), table, proof) for step in match.legal_steps]
    least = max([least, *(each.least for each in steps)])
    most = min(most, max([each.most for each in steps], default=most))
    steps = [_bounded(each, each.least, min(each.most, most)) for each in steps]
    good = [each for each in steps if each.most >= least]
    if len(good) == 1:  # the others are known to be worse
        steps = [_bounded(each, max(each.least, least) if each is good[0] else each.least, each.most) for each in steps]
    return ExactSteps(least, most, tuple(sorted(steps, key=_rank)))


def turns_under_limit(match: Match, step: Step, value: int | None, distance: int | None) -> int | None:
    """Returns the turns to the end after a step under best play; None if the no-progress limit comes into it."""
    is_sure = value is not None and distance is not None and lasts(match, distance, step)
    return distance if is_sure else None


def _own_bounds(match: Match, table: "MatchValues | None", proof: "ProvedSteps | None") -> tuple[int, int]:
    """The least and the most that the player to move gets, by what is known of the position itself."""
    clockless = None if table is None else table.clockless(match)
    least, most = (-1, 1) if table is None else _bounds(match, table.value(match), clockless)
    proved = None if proof is None else proof.bounds(match, table)
    return (least, most) if proved is None else (max(least, proved[0]), min(most, proved[1]))


def _look_up(
    match: Match,
    step: Step,
    found: "StepValue | None",
    table: "MatchValues | None",
    proof: "ProvedSteps | None",
) -> ExactStep:
    """What is known of a step alone, of which a table says `found`."""
    if proof is not None and (found is None or found.value is None):
        after = match.copy()
        after.push(step)
        if after.outcome is not None:
            result = _result(after.outcome, match.player)
            return ExactStep(step, result, result, _words(match, step, result, 1), 1)
        if (proved := proof.bounds(after, table)) is not None:
            least, most = proved if after.player == match.player else (-proved[1], -proved[0])
            return ExactStep(step, least, most, _BOUNDED[least, most])
    if found is None:
        return ExactStep(step, -1, 1, "")
    least, most = _bounds(match, found.value, found.clockless)
    is_open = found.value is None and least < most
    words = _OPEN_RESULTS[found.clockless] if is_open else _words(match, step, least, found.distance)
    is_timed = found.value in (None, found.clockless)
    return ExactStep(step, least, most, words, found.distance if is_timed else None)


def _bounds(match: Match, value: int | None, clockless: int | None) -> tuple[int, int]:
    """The bounds of a value, which is without the clock `clockless`.

    Where the limit and repetition draw the match, they take at most a win, and a loss, away.
    """
    if value is not None:
        return value, value
    if clockless is None or match.game.table.words[TABLE.NO_PROGRESS_MAJORITY]:
        return -1, 1
    return min(clockless, 0), max(clockless, 0)


def _bounded(exact: ExactStep, least: int, most: int) -> ExactStep:
    """A step with bounds that follow from what is known of the position and of the other steps."""
    if (least, most) == (exact.least, exact.most):
        return exact
    return ExactStep(exact.step, least, most, _BOUNDED[least, most])


def _rank(exact: ExactStep) -> tuple[int, int]:
    """The place of a step among others: by its bounds, then by the plies to the end."""
    plies = _ENDLESS if exact.distance is None else exact.distance
    return -exact.least - exact.most, plies * (exact.least + exact.most)


def _words(match: Match, step: Step, value: int, distance: int | None) -> str:
    turns = turns_under_limit(match, step, value, distance)
    return _RESULTS[value] + (f" in {turns}" if value and turns else "")


def _result(outcome: Outcome, player: int) -> int:
    return 0 if outcome.winner is None else 1 if outcome.winner == player else -1
