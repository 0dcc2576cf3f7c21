"""What the page shows of the report on a match, which comes in parts."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..bots.match_report import Evaluate, JudgedTurn, judge_turns, make_report
from ..match.match import Match
from ..match.status_text import begin, move_of
from ..match.variations import first_place
from .match_view import show_paths

if TYPE_CHECKING:
    from ..solve.proved_steps import ProvedSteps
    from ..solve.tables.match_values import MatchValues

PART_SECONDS = 0.6  # after which a part ends with the turn that is judged


def report_part(
    match: Match,
    judged: Sequence[JudgedTurn],
    result: str | None,
    evaluate: Evaluate,
    table: "MatchValues | None",
    proof: "ProvedSteps | None",
    person: int | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """The next part of a report, and the whole one after the last part.

    Args:
      match: The match.
      judged: The turns of the parts before.
      result: The result if people ended the match, such as `1-0`.
      evaluate: The search.
      table: A table of the game.
      proof: A proof of the start of the game.
      person: Whom sentences call `you`, see `status_text`.
      is_stopped: Whether nobody waits for the answer any more.

    Returns:
      `judged` has the turns of this part, `turns` their number in the match, and `report` what `show_report` shows; it
      is None before the last part.
    """
    end = time.monotonic() + PART_SECONDS
    found: list[JudgedTurn] = []
    for turn in judge_turns(match, evaluate, table, proof, first=len(judged)):
        if is_stopped():
            break
        found.append(turn)
        if time.monotonic() > end:
            break
    every, count = [*judged, *found], len(match.history)
    winner = {"1-0": 0, "0-1": 1}.get(result or "")
    return {
        "judged": [turn._asdict() for turn in found],
        "turns": count,
        "report": show_report(match, every, winner, person) if len(every) >= count else None,
    }


def show_report(
    match: Match, judged: Sequence[JudgedTurn], winner: int | None, person: int | None = None
) -> dict[str, Any]:
    """The report on a match; values are for South."""
    report = make_report(match, judged, winner, person)
    return {
        "values": list(report.values),
        "accuracy": report.accuracy_sentence(person),
        "verdict": report.verdict,
        "decisive": None if report.decisive is None else report.turns[report.decisive].start,
        "basis": report.basis,
        "mistakes": [
            {
                "number": turn.number,
                "move": begin(move_of(turn.player, turn.number, person)),
                "column": (first_place(match) + place) % 2,
                "player": turn.player,
                "text": turn.text,
                "start": turn.start,
                "end": turn.end,
                "kind": turn.kind,
                "mark": turn.mark,
                "sentence": turn.sentence,
                "is_exact": turn.is_exact,
                "paths": _paths(match, turn),
            }
            for place, turn in enumerate(report.turns)
            if turn.kind
        ],
    }


def _paths(match: Match, turn: JudgedTurn) -> list[list[list[float]]]:
    """The paths of a turn that would have been better; none if none is named."""
    if not turn.better:
        return []
    ahead = match.copy()
    for _ in range(match.num_steps - turn.start):
        ahead.pop()
    ahead.push(turn.better[0])
    return show_paths(match.game, ahead.steps[turn.start :])
