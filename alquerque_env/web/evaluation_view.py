"""What the page shows of an evaluation, exact or by an evaluator, and of the report on a match."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..bots.analysis import Analysis, Candidate
from ..bots.match_report import JudgedTurn, make_report
from ..game.step import Step
from ..match.match import Match
from ..match.status_text import begin, called, does, exact_sentence, move_of, outcome_sentence
from ..match.variations import first_place
from ..search.scores import value_in_words
from ..solve.exact_steps import ExactStep, ExactSteps
from .match_view import shorten_turn, show_paths, show_step

SEARCH = "search"  # the evaluator for hints, reports, and the analysis where no other is chosen
EXACT = "exact"  # the evaluator that has the values of tables and proofs alone
LINES, LONGEST_LINE = 3, 5  # the best steps whose lines are shown, and the turns of a line
SECONDS_FOR_LINES = 0.1  # of the search where the value is known


def show_evaluation(
    match: Match, known: ExactSteps, analysis: Analysis | None, note: str, person: int | None = None
) -> dict[str, Any]:
    """The exact values of a position and the evaluation of a bot, None for no bot and where the match is over.

    Values are for South; words and bounds of steps are for the player to move. The steps are in the order of what is
    known of them, then of the bot, which also decides between draws and steps of which nothing is known. A
    final position is worth its outcome.
    """
    least, most = known.least, known.most
    sign = 1 - 2 * match.player
    exact = {found.step.text: found for found in known.known}
    unjudged = [Candidate(step, (step.text,), 0.0, None) for step in match.legal_steps]
    steps = unjudged if analysis is None else list(analysis.candidates)
    sums = [found.least + found.most for found in known.steps]
    order = {found.step.text: (-sums[place], place * bool(sums[place])) for place, found in enumerate(known.steps)}
    steps.sort(key=lambda candidate: order[candidate.step.text])
    value = float(least) if least == most else None if analysis is None else analysis.value
    return {
        "player": match.player,
        "value": None if value is None else round(sign * value, 4),
        "exact": exact_sentence(match, person) or _sentence(match, least, most, person),
        "choice": None if analysis is None else analysis.best.step.text,
        "depth": None if analysis is None else analysis.depth,
        "nodes": None if analysis is None else analysis.nodes,
        "note": note,
        "candidates": [
            _show_candidate(match, candidate, exact, analysis, is_long=place < LINES)
            for place, candidate in enumerate(steps)
        ],
    }


def _show_candidate(
    match: Match, candidate: Candidate, exact: Mapping[str, ExactStep], analysis: Analysis | None, *, is_long: bool
) -> dict[str, Any]:
    is_best = analysis is not None and candidate.step == analysis.best.step
    turns = _turns(match, candidate.line[: LONGEST_LINE if is_long or is_best else 1])
    found = exact.get(candidate.step.text)
    is_scored = analysis is not None and analysis.score is not None
    return {
        "line": [
            {
                "text": shorten_turn(match.game, turn),
                "steps": [step.text for step in turn],
                "paths": show_paths(match.game, turn),
            }
            for turn in turns
        ],
        "value": None if analysis is None else round((1 - 2 * match.player) * candidate.value, 4),
        "words": value_in_words(candidate.value, candidate.turns) if is_scored else "",
        "share": candidate.share,
        "exact": None if found is None else {"words": found.words, "least": found.least, "most": found.most},
        "step": show_step(match.game, candidate.step),
    }


def _turns(match: Match, line: Sequence[str]) -> list[Sequence[Step]]:
    """The steps of each turn of a line."""
    ahead = match.copy()
    turns: list[Sequence[Step]] = []
    for number, turn in enumerate(line, 1):
        done = ahead.num_steps
        if number < len(line):
            ahead.push_turn(turn)
        else:
            ahead.push(turn)  # it may be the first step of a turn
        turns.append(ahead.steps[done:])
    return turns


def _sentence(match: Match, least: int, most: int, person: int | None) -> str:
    """Who has won, or who wins where the values of the steps say it, and no table has the position."""
    if match.outcome is not None:
        return outcome_sentence(match, match.outcome, person)
    own, other = match.player, 1 - match.player
    return {
        (1, 1): f"{begin(does(own, 'wins', person))} under best play.",
        (0, 1): f"{begin(called(own, person))} cannot lose under best play.",
        (0, 0): "A draw under best play.",
        (-1, 0): f"{begin(called(other, person))} cannot lose under best play.",
        (-1, -1): f"{begin(does(other, 'wins', person))} under best play.",
    }.get((least, most), "")


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
    return show_paths(match.game, _turns(ahead, turn.better[:1])[0])
