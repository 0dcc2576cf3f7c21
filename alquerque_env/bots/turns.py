"""Whole turns and lines of play, converted to and from the steps of a match."""

from collections.abc import Callable, Iterable, Sequence

from ..game.step import Step, join_turn
from ..match.match import Match


def find_step(match: Match, action: int) -> Step:
    """Returns the legal step with this action."""
    return next(step for step in match.legal_steps if step.action == action)


def format_line(match: Match, actions: Iterable[int]) -> tuple[str, ...]:
    """Writes a line of actions as texts of turns. An unfinished last turn is left out unless it is the only one."""
    ahead = match.copy()
    turns: list[str] = []
    turn: list[str] = []
    for action in actions:
        ahead.push(action)
        turn.append(ahead.steps[-1].text)
        if ahead.chain is None:
            turns.append(join_turn(turn))
            turn = []
    return tuple(turns or [join_turn(turn)])


def finish_turn(match: Match, actions: Sequence[int], decide: Callable[[Match], Step]) -> tuple[int, ...]:
    """Extends a line that ends in the middle of its first turn to the end of that turn by the steps of `decide`.

    A line with a whole first turn is returned unchanged.
    """
    ahead = match.copy()
    for action in actions:
        ahead.push(action)
        if ahead.chain is None:
            return tuple(actions)
    while ahead.chain is not None and not ahead.is_over:
        ahead.push(ahead.legal_steps[0] if len(ahead.legal_steps) == 1 else decide(ahead))
    return actions_since(match, ahead)


def actions_since(match: Match, ahead: Match) -> tuple[int, ...]:
    """Returns the actions that lead from a match to a continuation of it."""
    return tuple(step.action for step in ahead.steps[len(match.steps) :])
