"""The report on a match: what each turn gave away, the decisive mistake, and the accuracy of both sides.

A turn is judged by a table or a proof where one of them knows its value and that of the best turn, and by a search of
all steps to the same depth elsewhere. Values are results in [-1, 1], as in `analysis`.
"""

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..game.rules_text import SIDES
from ..game.step import Step, join_turn
from ..match.match import Match
from ..match.status_text import called, move_of
from ..match.variations import first_place
from ..search.scores import value_in_words
from ..solve.exact_steps import ExactSteps, exact_steps
from ..solve.proved_steps import present_proof
from ..solve.tables import present_table
from .analysis import SEARCHER, Analysis, Limits
from .load import load_bot

if TYPE_CHECKING:
    from ..solve.proved_steps import ProvedSteps
    from ..solve.tables.match_values import MatchValues

# What a turn gives away at least, of the range from -1 to 1. Source: the judgements of Lichess, `Advice.scala`.
KINDS = ((0.3, "blunder", "??"), (0.2, "mistake", "?"), (0.1, "inaccuracy", "?!"))

DEEP = 6  # turns that a search has to look ahead to be called right about a mistake, which most searches here reach
DOUBTFUL = (0.2, "doubtful", "?!")  # what a search that looks less far ahead says, of mistakes and blunders alone

DECIDED = 0.5  # a searched value beyond which a match counts as won, about that of a man more
MOST_NAMED = 3  # better turns that a sentence names

LONG = 100  # turns of a match that is searched for `SECONDS` in all; a longer one takes longer
SECONDS = 8.0
MOST_SECONDS = 0.25  # for a turn, in short matches
NODES_A_SECOND = 1_000_000  # fewer than alpha-beta visits
_SCALE = "Its values go from −1, a sure loss, to +1, a sure win."
_TURNS = "turn", "turns"
_FIRST_SEARCH = Limits(seconds=1.0, nodes=1)  # loads the search, which the time of no turn is to pay for


class JudgedTurn(NamedTuple):
    """A turn of a match and what it was worth. Values are for its player.

    Attributes:
      number: Its number in the list of turns.
      player: Who played it.
      text: The turn.
      start: The steps of the match before it.
      end: The steps of the match up to its end.
      value: The value before it; None if all its steps were forced.
      best: The value that the player could have kept at the step that gave most away; None if all steps were forced.
      played: The value of that step; None if all steps were forced.
      better: The turns that keep `best`: all that are known if that is exact, else the one that the search prefers.
      is_exact: Whether a table or a proof knows `best` and `played`.
      is_best_exact: Whether one of them knows `best`.
      is_complete: Whether it knows every step, so that no others than those of `better` keep the value.
      depth: Turns that the search looked ahead; None if there was none.
    """

    number: int
    player: int
    text: str
    start: int
    end: int
    value: float | None
    best: float | None
    played: float | None
    better: tuple[str, ...]
    is_exact: bool
    is_best_exact: bool
    is_complete: bool
    depth: int | None

    @property
    def loss(self) -> float:
        """What the turn gave away, from 0 to 2."""
        return _loss(self.best, self.played)

    @property
    def kind(self) -> str:
        """`inaccuracy`, `mistake` or `blunder`; `doubtful` where a search is not deep, unless it sees both ends.

        Empty if it gave nothing worth mentioning away.
        """
        return self._judgement[1]

    @property
    def mark(self) -> str:
        """`?!`, `?` or `??`, as annotated matches have it."""
        return self._judgement[2]

    @property
    def _judgement(self) -> tuple[float, str, str]:
        is_sure = self.is_exact or (self.depth or 0) >= DEEP or (self.best, self.played) == (1, -1)
        return next((kind for kind in (KINDS if is_sure else (DOUBTFUL,)) if self.loss >= kind[0]), (0.0, "", ""))

    @property
    def sentence(self) -> str:
        """What it gave away, and what would have kept it; empty for a turn without `kind`."""
        return _sentence(self) if self.kind else ""


class MatchReport(NamedTuple):
    """The report on a match.

    Attributes:
      turns: The turns, judged.
      values: The value for South before each turn and at the end; None where it is not known.
      accuracy: Of South and of North, from 0 to 100; None for a side that had no choice.
      decisive: The place in `turns` of the mistake that decided the match; None if none did.
      verdict: A sentence about it.
    """

    turns: tuple[JudgedTurn, ...]
    values: tuple[float | None, ...]
    accuracy: tuple[float | None, float | None]
    decisive: int | None
    verdict: str

    @property
    def mistakes(self) -> tuple[JudgedTurn, ...]:
        """The turns that gave something away."""
        return tuple(turn for turn in self.turns if turn.kind)

    def accuracy_sentence(self, person: int | None = None) -> str:
        """The accuracy of both sides in words; `person` is whom they call `you`, see `status_text`."""
        said = ["had no choice" if share is None else f"{share:.0f} %" for share in self.accuracy]
        return f"Accuracy: {', '.join(f'{called(player, person)} {share}' for player, share in enumerate(said))}."

    @property
    def basis(self) -> str:
        """How the choices are judged."""
        choices = [turn for turn in self.turns if turn.best is not None]
        exact = sum(turn.is_exact for turn in choices)
        if not choices:
            return "No turn was a choice."
        if exact == len(choices):
            return "Every choice is judged exactly, by a table or a proof."
        depths = [turn.depth for turn in choices if turn.depth]
        searched = f"by a search{f' of {_range(depths)} ahead' if depths else ''}, which can be wrong. {_SCALE}"
        if depths and min(depths) < DEEP:
            searched += f" Where it looked fewer than {DEEP} turns ahead, a move is called doubtful at most."
        if exact == 0:
            return f"Every choice is judged {searched}"
        are = "is" if exact == 1 else "are"
        return f"{exact} of {len(choices)} choices {are} judged exactly, by a table or a proof, the others {searched}"

    def sentences(self) -> list[str]:
        """The report for people."""
        found = [
            f"{turn.number}. {SIDES[turn.player]} {turn.text}{turn.mark}  {turn.sentence}" for turn in self.mistakes
        ]
        return [self.verdict, self.accuracy_sentence(), *found, self.basis]

    def as_dict(self) -> dict[str, Any]:
        """Its fields as JSON has them."""
        turns = [turn._asdict() | {"kind": turn.kind, "sentence": turn.sentence} for turn in self.turns]
        return {**self._asdict(), "turns": turns, "basis": self.basis}


# The last fields of a `JudgedTurn`, from `best` on, for a step.
_Decision = tuple[float | None, float | None, tuple[str, ...], bool, bool, bool, int | None]
_NOTHING: _Decision = None, None, (), False, False, False, None

Evaluate = Callable[[Match, Limits], Analysis]
"""Evaluates all steps of a position within limits."""

Known = Callable[[Match], ExactSteps]
"""What is known exactly of a position and of its steps."""


def limits_a_turn(turns: int, choices: int = 1) -> Limits:
    """Returns the limits of the search at each of the choices in a turn of a match with so many turns.

    On a machine that is not busy the nodes end a search, so that its result is always the same.
    """
    seconds = min(MOST_SECONDS, SECONDS / max(1, min(turns, LONG))) / choices
    return Limits(seconds=seconds, nodes=round(NODES_A_SECOND * seconds))


def judge_turns(
    match: Match,
    evaluate: Evaluate,
    table: "MatchValues | None" = None,
    proof: "ProvedSteps | None" = None,
    first: int = 0,
) -> Iterator[JudgedTurn]:
    """Judges the turns of a match one after the other, from the one with the place `first` on."""
    history, offset = match.history, first_place(match)
    ahead = match.copy()
    for _ in match.steps:
        ahead.pop()
    evaluate = _loaded(evaluate)

    def known(position: Match) -> ExactSteps:
        return exact_steps(position, table, proof)

    for place, (player, steps) in enumerate(history):
        start = ahead.num_steps
        decisions: list[_Decision] = []
        choices = _count_choices(ahead, steps) if place >= first else 0
        for step in steps:
            if choices and len(ahead.legal_steps) > 1:
                decisions.append(_decide(ahead, start, step, evaluate, limits_a_turn(len(history), choices), known))
            ahead.push(step)
        if place >= first:
            text = join_turn([step.text for step in steps])
            worst = max(decisions, key=lambda found: _loss(*found[:2]), default=_NOTHING)
            value = decisions[0][0] if decisions else None
            yield JudgedTurn((offset + place) // 2 + 1, player, text, start, ahead.num_steps, value, *worst)


def _loaded(evaluate: Evaluate) -> Evaluate:
    """A search that is loaded before its time begins."""
    is_loaded = False

    def search(match: Match, limits: Limits) -> Analysis:
        nonlocal is_loaded
        if not is_loaded:
            evaluate(match, _FIRST_SEARCH)
            is_loaded = True
        return evaluate(match, limits)

    return search


def make_report(
    match: Match, judged: Sequence[JudgedTurn], winner: int | None = None, person: int | None = None
) -> MatchReport:
    """Makes the report from the judged turns of a match.

    Args:
      match: The match.
      judged: Its turns, judged.
      winner: Who won a match that is not over on the board.
      person: Whom the verdict calls `you`, see `status_text`.
    """
    outcome = match.outcome
    final = winner if outcome is None else outcome.winner
    if outcome is not None:
        values: list[float | None] = [0.0 if outcome.winner is None else (1.0, -1.0)[outcome.winner]]
    else:  # what people agreed on says nothing of the position
        values = [_for_south(judged[-1], judged[-1].played) if judged else None]
    for turn in reversed(judged):
        values.append(values[-1] if turn.value is None else _for_south(turn, turn.value))
    decisive = _find_decisive(judged, final)
    return MatchReport(
        tuple(judged),
        tuple(values[::-1]),
        (_accuracy(judged, 0), _accuracy(judged, 1)),
        decisive,
        _verdict(judged, decisive, final, person),
    )


def _for_south(turn: JudgedTurn, value: float | None) -> float | None:
    return None if value is None else value * (1 - 2 * turn.player) + 0.0  # not -0.0


def _loss(best: float | None, played: float | None) -> float:
    return 0.0 if best is None or played is None else max(0.0, best - played)


def _count_choices(match: Match, steps: Sequence[Step]) -> int:
    ahead, count = match.copy(), 0
    for step in steps:
        count += len(ahead.legal_steps) > 1
        ahead.push(step)
    return count


def _decide(match: Match, start: int, played: Step, evaluate: Evaluate, limits: Limits, known: Known) -> _Decision:
    """Judges a step of a turn that began after `start` steps."""
    exact = known(match)
    steps = {each.step.text: each for each in exact.steps}
    best, mine = exact.least, steps[played.text]
    is_known = best == exact.most
    keeping = [each for each in exact.steps if is_known and each.least == best]
    if keeping and mine.least == mine.most:
        better = tuple(_whole_turn(match, start, (each.step.text,), known) for each in keeping)
        is_sure = all(each.least == best or each.most < best for each in exact.steps)
        return float(best), float(mine.least), better, True, True, is_sure, None
    found = evaluate(match, limits)
    values = {one.step.text: steps[one.step.text].within(one.value) for one in found.candidates}
    first = max(found.candidates, key=lambda one: values[one.step.text])  # the first of those with the same value
    value = values[first.step.text]
    better = () if values[played.text] == value else (_whole_turn(match, start, first.line[:1], known),)
    return value, values[played.text], better, False, is_known, False, found.depth


def _whole_turn(match: Match, start: int, line: Sequence[str], known: Known) -> str:
    """The text of a turn that goes on with a line, to its end by what is known."""
    ahead = match.copy()
    step = next((step for step in ahead.legal_steps if step.text == line[0]), line[0])
    ahead.push(step)
    while ahead.turn_goes_on:
        ahead.push(known(ahead).keeping[0].step)
    return join_turn([step.text for step in ahead.steps[start:]])


def _accuracy(judged: Sequence[JudgedTurn], player: int) -> float | None:
    """The mean accuracy of a side's turns that were not forced.

    Source for that of a turn: lichess.org/page/accuracy, as the expected score in per cent falls. There the mean of a
    match is weighted; here it is plain.
    """
    found = [
        min(100.0, max(0.0, 103.1668 * math.exp(-0.04354 * 50 * turn.loss) - 3.1669))
        for turn in judged
        if turn.player == player and turn.best is not None
    ]
    return round(sum(found) / len(found), 1) if found else None


def _find_decisive(judged: Sequence[JudgedTurn], winner: int | None) -> int | None:
    """The last turn that gave the result away: the game lost by the loser, or a won game not won."""

    def decides(turn: JudgedTurn) -> bool:
        if turn.best is None or turn.played is None or turn.kind in ("", "inaccuracy"):
            return False
        if winner is None:
            return turn.best >= DECIDED > turn.played
        return turn.player != winner and turn.best > -DECIDED >= turn.played

    return next((place for place in reversed(range(len(judged))) if decides(judged[place])), None)


def _verdict(judged: Sequence[JudgedTurn], decisive: int | None, winner: int | None, person: int | None) -> str:
    if decisive is not None:
        turn = judged[decisive]
        what = "Perhaps decisive" if turn.kind == DOUBTFUL[1] else "The decisive mistake"
        return f"{what}: {move_of(turn.player, turn.number, person)}, {turn.text}. {turn.sentence}"
    first = next((turn for turn in judged if turn.value is not None), None)
    if winner is not None and first is not None and first.is_exact and first.value is not None:
        for_south = first.value * (1 - 2 * first.player)
        if for_south == (1, -1)[winner]:
            return f"The match was lost for {called(1 - winner, person)} from the start, so that no mistake decided it."
    if not any(turn.kind for turn in judged):
        return "No mistake was found."
    return "No single turn decided the match."


def _sentence(turn: JudgedTurn) -> str:
    named = join_names(turn.better) if turn.better else "another turn"
    if turn.is_exact:
        only = "Only " if turn.is_complete and len(turn.better) == 1 else ""
        return f"{only}{named} kept the {'win' if turn.best == 1 else 'draw'}."
    how = f"By search{f', {turn.depth} {_TURNS[turn.depth > 1]} ahead' if turn.depth else ''}"
    if turn.is_best_exact:
        return f"{named} {'wins' if turn.best == 1 else 'draws'}. {how}, {turn.text} is {_worth(turn.played)}."
    return f"{how}, {named} was better: {_worth(turn.best)} instead of {_worth(turn.played)}."


def _range(depths: Sequence[int]) -> str:
    """Numbers of turns as `3 to 7 turns`."""
    least, most = min(depths), max(depths)
    return f"{most if least == most else f'{least} to {most}'} {_TURNS[most > 1]}"


def join_names(turns: Sequence[str]) -> str:
    """Several turns as the subject of a sentence."""
    if len(turns) <= MOST_NAMED:
        return " and ".join(filter(None, [", ".join(turns[:-1]), turns[-1]]))
    return f"{turns[0]} and {len(turns) - 1} other turns"


def _worth(value: float | None) -> str:
    if value is not None and abs(value) == 1:
        return "a win" if value > 0 else "a loss"
    return f"{round(value or 0.0, 2) + 0.0:+.2f} ({value_in_words(value or 0.0)})".replace("-", "−")


def report_match(
    match: Match,
    *,
    winner: int | None = None,
    progress: Callable[[JudgedTurn], None] = lambda _: None,
    stop: threading.Event | None = None,
) -> MatchReport:
    """Reports on a match: what each turn gave away, which mistake decided it, and the accuracy of both sides.

    Takes about 8 seconds for a match of 100 turns, and less where a table or a proof of the game is present.

    Args:
      match: The match; it need not be over.
      winner: Who won a match that is not over on the board, such as by resignation; 0, 1 or None.
      progress: Is called after each turn.
      stop: The report ends with the turns so far when another thread sets this event.

    Returns:
      A judgement of each turn, the decisive mistake, and the accuracy of both sides.

    Example:
      >>> from alquerque_env import Match, report_match
      >>> match = Match("felli_simplified")
      >>> for turn in ("b2-c3", "d4xb2", "a1xc3", "c4-d4"):
      ...     match.push(turn)
      >>> report_match(match).turns[0].sentence
      ''
    """
    bot = load_bot(SEARCHER, match.game, seed=0, tables=False)

    def evaluate(position: Match, limits: Limits) -> Analysis:
        return bot.analyse(position, Limits(limits.seconds, None, limits.nodes, stop), all_steps=True)

    table = present_table(match.game, shipped=True)
    proof = present_proof(match.game)[0]
    judged = []
    for turn in judge_turns(match, evaluate, table, proof):
        if stop is not None and stop.is_set():
            break
        judged.append(turn)
        progress(turn)
    return make_report(match, judged, winner)
