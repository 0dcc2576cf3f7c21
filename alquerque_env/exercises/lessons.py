"""What lessons show: the themes, in the order in which they are learned, each with its sentence and its condition.

A lesson is an exercise of one turn: the only legal turn of the position that has the condition of its theme.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..errors import AlquerqueError
from ..game.game import Game
from ..game.options import with_article
from ..game.step import Step
from ..match.match import Match
from ..match.status_text import name_pieces
from ..render.geometry import lay_out
from .exercise import Exercise

COUNT = 5
"""Lessons of a game."""
MOST_TURNS = 80
"""Legal turns of a position that a lesson begins with, at most."""


class Turn(NamedTuple):
    """A legal turn: its steps, and the match after it."""

    steps: tuple[Step, ...]
    after: Match

    @property
    def captured(self) -> int:
        """How many pieces it takes."""
        return sum(len(step.captured) for step in self.steps)


class Lesson(NamedTuple):
    """An exercise that shows a theme.

    Attributes:
      theme: A key of `THEMES`.
      exercise: The position and the one turn.
    """

    theme: str
    exercise: Exercise


class Theme(NamedTuple):
    """What a lesson shows.

    Attributes:
      fits: Whether a turn from a position shows it.
      sentence: What the player is to do, in a sentence.
      holds: What else must be true of the position and all its legal turns.
    """

    fits: Callable[[Match, Turn], bool]
    sentence: Callable[[Match, Turn], str]
    holds: Callable[[Match, list[Turn]], bool] = lambda _match, _turns: True


def legal_turns(match: Match, most: int = MOST_TURNS) -> list[Turn] | None:
    """Returns the legal turns, each path once; None if there are more than `most`."""
    found: list[Turn] = []
    for turn in _turns(match):
        if len(found) == most:
            return None
        found.append(turn)
    return found


def _turns(match: Match) -> Iterator[Turn]:
    begun = len(match.steps)
    open_ = [match]
    while open_:
        now = open_.pop()
        for step in reversed(now.legal_steps):
            after = now.copy()
            after.push(step)
            if after.turn_goes_on:
                open_.append(after)
            else:
                yield Turn(after.steps[begun:], after)


def only_turn(match: Match, theme: str) -> Turn | None:
    """Returns the turn that shows a theme if it is the only one that does, and the theme holds in the position."""
    kind, turns = THEMES[theme], legal_turns(match)
    if not turns:
        return None
    fitting = [turn for turn in turns if kind.fits(match, turn)]
    return fitting[0] if len(fitting) == 1 and kind.holds(match, turns) else None


def task(game: Game, lesson: Lesson) -> str:
    """Returns what the player is to do in a lesson, in a sentence.

    Raises:
      AlquerqueError: If the lesson does not show its theme in this game.
    """
    match = Match(game, lesson.exercise.position)
    turn = only_turn(match, lesson.theme)
    if turn is None or (tuple(step.text for step in turn.steps),) != lesson.exercise.line:
        raise AlquerqueError(
            f"the lesson from {lesson.exercise.position} does not show {lesson.theme!r} in {game.name}"
        )
    return THEMES[lesson.theme].sentence(match, turn)


def _piece(match: Match, turn: Turn) -> tuple[str, bool]:
    """What the piece that moves is called, and whether it is promoted."""
    origin = turn.steps[0].origin
    promoted = origin is not None and match.picture().pieces[origin][1]
    return (match.game.promoted_piece, True) if promoted else (name_pieces(match, match.player, 1), False)


def _label(match: Match, point: int | None) -> str:
    return "" if point is None else match.game.board.labels[point]


def _enemies(match: Match, count: int) -> str:
    return f"{_NUMBERS.get(count, str(count))} {name_pieces(match, 1 - match.player, count)}"


_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}


def _is_plain(turn: Turn) -> bool:
    return (
        len(turn.steps) == 1 and turn.captured == 0 and turn.steps[0].origin is not None and not turn.steps[0].is_pass
    )


def _moves_first(match: Match, turn: Turn) -> bool:
    """The first of the plain steps: one of them, so that the sentence names it."""
    first = next((step for step in match.legal_steps if not step.captured and step.origin is not None), None)
    return _is_plain(turn) and turn.steps[0] == first and not _piece(match, turn)[1]


def _drops_first(match: Match, turn: Turn) -> bool:
    drops = [step for step in match.legal_steps if step.origin is None and step.target is not None]
    is_drop = all(step.origin is None and step.target is not None for step in turn.steps)
    return is_drop and turn.steps[0] in drops[len(drops) // 2 : len(drops) // 2 + 1] and len(turn.steps) == 1


def _sentence_of_drop(match: Match, turn: Turn) -> str:
    return f"Drop {with_article(name_pieces(match, match.player, 1))} on {_label(match, turn.steps[0].target)}."


def _sentence_of_step(match: Match, turn: Turn) -> str:
    step = turn.steps[0]
    return f"Move the {_piece(match, turn)[0]} on {_label(match, step.origin)} to {_label(match, step.target)}."


def _leaps(turn: Turn) -> list[Step]:
    return [step for step in turn.steps if step.captured and step.origin is not None]


def _is_one_capture(match: Match, turn: Turn) -> bool:
    return turn.captured == 1 and len(_leaps(turn)) == 1 and not _piece(match, turn)[1]


def _must_capture(match: Match, turns: list[Turn]) -> bool:
    """Every turn captures, though a piece of the player stands beside a free point."""
    game, pieces = match.game, match.picture().pieces
    if game.rules.capture != "compulsory" or not all(turn.captured for turn in turns):
        return False
    own = [point for point, (player, _) in pieces.items() if player == match.player]
    return sum(any(other not in pieces for other in game.board.neighbours[point]) for point in own) > 1


def _bends(match: Match, step: Step) -> bool:
    """Whether a leap goes over a piece that is not between its ends."""
    if step.origin is None or step.target is None or len(step.captured) != 1 or any(match.game.flankers):
        return False
    return lay_out(match.game.board).is_beside(step.captured[0], step.origin, step.target)


def _only_bent_leap(match: Match) -> Step | None:
    """The first of the legal bent leaps that is the only one over its victim, so that the sentence names it."""
    bent = [step for step in match.legal_steps if _bends(match, step)]
    over = [step.captured for step in bent]
    return next((step for step in bent if over.count(step.captured) == 1), None)


def _promotes(match: Match, turn: Turn) -> bool:
    def kings(each: Match) -> int:
        return sum(player == match.player and promoted for player, promoted in each.picture().pieces.values())

    return kings(turn.after) > kings(match)


def _wins(reason: str) -> Callable[[Match, Turn], bool]:
    def fits(match: Match, turn: Turn) -> bool:
        outcome = turn.after.outcome
        return outcome is not None and outcome.winner == match.player and outcome.reason == reason

    return fits


def _is_only_end(match: Match, turns: list[Turn]) -> bool:
    """Whether no other turn wins in another way, and there is a choice."""
    wins = [turn for turn in turns if turn.after.outcome is not None and turn.after.outcome.winner == match.player]
    return len(wins) == 1 and len(turns) > 1


THEMES: dict[str, Theme] = {
    "drop": Theme(_drops_first, _sentence_of_drop),
    "step": Theme(_moves_first, _sentence_of_step),
    "removal": Theme(
        lambda match, turn: (
            len(turn.steps) == 1
            and turn.captured == 1
            and turn.steps[0]
            == next((step for step in match.legal_steps if step.captured and step.target is None), None)
        ),
        lambda match, turn: (
            f"Remove the {name_pieces(match, 1 - match.player, 1)} on {_label(match, turn.steps[0].captured[0])}."
        ),
    ),
    "capture": Theme(
        _is_one_capture,
        lambda match, turn: (
            f"Capture the {name_pieces(match, 1 - match.player, 1)} on {_label(match, _leaps(turn)[0].captured[0])}."
        ),
        lambda _, turns: len(turns) > 1,
    ),
    "compulsory capture": Theme(
        lambda _, turn: turn.captured > 0,
        lambda *_: "A capture is compulsory: find the only legal move.",
        _must_capture,
    ),
    "row": Theme(
        lambda _, turn: len(turn.steps) == 1 and len(turn.steps[0].captured) > 1,
        lambda match, turn: f"Capture {_enemies(match, turn.captured)} with one step.",
    ),
    "chain": Theme(
        lambda _, turn: len(_leaps(turn)) > 1,
        lambda match, turn: f"Capture {_enemies(match, turn.captured)} in one turn.",
    ),
    "bent leap": Theme(
        lambda match, turn: turn.steps[0] == _only_bent_leap(match),
        lambda match, turn: (
            f"Leap round the bend, over the {name_pieces(match, 1 - match.player, 1)} on "
            f"{_label(match, turn.steps[0].captured[0])}."
        ),
    ),
    "promotion": Theme(
        _promotes,
        lambda match, turn: (
            f"Promote {with_article(name_pieces(match, match.player, 1))}: it becomes "
            f"{with_article(match.game.promoted_piece)} on {_label(match, turn.steps[-1].target)}."
        ),
        lambda _, turns: len(turns) > 1,
    ),
    "promoted piece": Theme(
        lambda match, turn: turn.captured > 0 and _piece(match, turn)[1],
        lambda match, _: f"Capture with the {match.game.promoted_piece}.",
    ),
    "goal": Theme(_wins("goal"), lambda *_: "Win now: reach the goal.", _is_only_end),
    "win by capture": Theme(_wins("captured"), lambda *_: "Win now by a capture.", _is_only_end),
    "win by blocking": Theme(
        _wins("blocked"),
        lambda *_: "Win now: leave your opponent without a move.",
        _is_only_end,
    ),
}
"""The themes by their names, in the order of a game's lessons."""
