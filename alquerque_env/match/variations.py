"""Variations of a match: other lines of steps from the same start, arranged beside the turns that they replace."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..game.step import Step
from .match import Match


@dataclass
class Branch:
    """The turns of a variation that no line before it has."""

    parent: int | None  # the place in `arrange` of the branch that it leaves; None for the main line
    # The number of steps from the start of the match after which it leaves that line. It goes on after the end of the
    # main line if the main line has no more.
    start: int
    place: int  # the number of turns before it in a file, with the first turn of a pair that is missing counted
    line: int  # the place of the variation that has it to its end
    turns: list[tuple[int, tuple[Step, ...]]]  # its own turns, each as its player and its steps
    is_open: bool  # whether the last turn is unfinished


@dataclass
class _Moment:
    """A moment between two turns: the turns played from there, with the branch that has them first."""

    following: "dict[tuple[Step, ...], tuple[int | None, _Moment]]" = field(default_factory=dict)


def first_place(match: Match) -> int:
    """Returns 1 if a match began with the turn of the player who is second in the pairs of a file, else 0."""
    first = match.history[0][0] if match.steps else match.player
    return int(first != match.game.first_player)


def arrange(match: Match, variations: Iterable[Sequence[Step]]) -> list[Branch]:
    """Arranges variations as a tree beside the main line.

    A variation that another line contains adds nothing.

    Args:
      match: The match with the main line.
      variations: Other lines, each with all its steps from the start of the match.

    Returns:
      The branches, each after the one that it leaves, in the order of the variations.

    Raises:
      IllegalStepError: If a step of a variation is not legal.
    """
    root = _Moment()
    _add(root, match.history, None)
    branches: list[Branch] = []
    ahead = match.copy()
    offset = first_place(match)
    for number, steps in enumerate(variations):
        replay_line(ahead, steps)
        history = ahead.history
        owner, moment, known = _follow(root, history)
        if known == len(history):
            continue
        turns = list(history[known:])
        if owner is not None and not moment.following:
            branches[owner].turns += turns
            branches[owner].line, branches[owner].is_open = number, ahead.turn_goes_on
        else:
            parent = next(iter(moment.following.values()))[0] if moment.following else None
            owner = len(branches)
            start = sum(len(turn) for _, turn in history[:known])
            branches.append(Branch(parent, start, offset + known, number, turns, ahead.turn_goes_on))
        _add(moment, turns, owner)
    return branches


def replay_line(match: Match, steps: Sequence[Step]) -> None:
    """Takes steps of a match back and plays others, so that it has the steps of another line from its start.

    Raises:
      IllegalStepError: If a step is not legal.
    """
    played = match.steps
    common = next((place for place, (one, other) in enumerate(zip(played, steps, strict=False)) if one != other), None)
    common = min(len(played), len(steps)) if common is None else common
    for _ in played[common:]:
        match.pop()
    for step in steps[common:]:
        match.push(step)


def _follow(root: _Moment, history: Sequence[tuple[int, tuple[Step, ...]]]) -> tuple[int | None, _Moment, int]:
    """Follows the turns that are known: the branch of the last of them, the moment after it, and their number."""
    owner, moment = None, root
    for known, (_, turn) in enumerate(history):
        found = moment.following.get(turn)
        if found is None:
            return owner, moment, known
        owner, moment = found
    return owner, moment, len(history)


def _add(moment: _Moment, turns: Iterable[tuple[int, tuple[Step, ...]]], owner: int | None) -> None:
    for _, turn in turns:
        after = _Moment()
        moment.following[turn] = owner, after
        moment = after
