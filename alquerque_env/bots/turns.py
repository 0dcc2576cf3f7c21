"""Whole turns and lines of them, from and to the steps of a match."""

from collections.abc import Callable, Iterable, Sequence

from ..errors import AlquerqueError, IllegalStepError
from ..game.step import PASS, Step, join_turn
from ..match.match import Match


def push_turn(match: Match, text: str) -> None:
    """Plays a whole turn, or the rest of one in the middle of a chain.

    A chain that could go on is ended by stopping, since stopping is not written.

    Raises:
      NotationError: If the text cannot be read.
      IllegalStepError: If this is not a legal turn; the match is as it was.
    """
    before = len(match.steps)
    match.push(text)
    if match.chain is None:
        return
    try:
        match.push(PASS)
    except AlquerqueError:
        following = ", ".join(step.text for step in match.legal_steps)
        while len(match.steps) > before:
            match.pop()
        raise IllegalStepError(
            f"{text} is not a whole turn in {match.position!r}: then {following} must follow"
        ) from None


def tell_line(match: Match, actions: Iterable[int]) -> tuple[str, ...]:
    """The turns that a line of actions makes from here on; a last one left unfinished only where it is the first."""
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
    """A line that goes on at least to the end of its first turn.

    Args:
      match: Where the line begins.
      actions: The line; is returned as it is unless it breaks off in the middle of a chain of its first turn.
      decide: Chooses among several steps.
    """
    ahead = match.copy()
    for action in actions:
        ahead.push(action)
        if ahead.chain is None:
            return tuple(actions)
    while ahead.chain is not None and not ahead.is_over:
        ahead.push(ahead.legal_steps[0] if len(ahead.legal_steps) == 1 else decide(ahead))
    return tuple(step.action for step in ahead.steps[len(match.steps) :])
