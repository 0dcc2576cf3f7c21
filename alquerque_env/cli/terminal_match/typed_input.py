"""What a player typed, read kindly: the text of a step or a turn, the number of a step, a point."""

import re

from ...errors import AlquerqueError, IllegalStepError, NotationError
from ...game.step import Step, join_turn, split_turn
from ...match.match import Match
from ..console.capabilities import join_words

_LABEL = r"[a-z]+[0-9]+"
_TWO_POINTS = re.compile(rf"({_LABEL})[-x ]?({_LABEL})")
# More legal steps than these are not repeated in a message: they stand in the list.
_FEW_STEPS = 8


def play_typed(match: Match, text: str) -> None:
    """Plays what was typed.

    Args:
      match: The match; left as it is if this is refused.
      text: A step or turn in notation, a number of the list of legal steps from 1, or just origin and target.

    Raises:
      AlquerqueError: If it cannot be read or is not legal, in words for the player.
    """
    text = _normal(text)
    if text.isascii() and text.isdecimal():
        match.push(_numbered(match, text))
        return
    two = _TWO_POINTS.fullmatch(text)
    fitting = _between(match, *two.groups()) if two else []
    if len(fitting) > 1:
        raise _ambiguous(text, fitting)
    try:
        match.push(fitting[0] if fitting else text)
    except NotationError:
        raise AlquerqueError(f"cannot read {text!r}; type a step such as {match.legal_steps[0]}, or help") from None
    except IllegalStepError:
        raise _illegal(match, text) from None


def point_typed(match: Match, text: str) -> int | None:
    """The point whose label was typed, None if it was something else."""
    return match.game.board.index.get(_normal(text))


def _normal(text: str) -> str:
    """The text in lower case, leaps written with x, without spaces around marks."""
    lowered = text.lower().replace("×", "x").replace(":", "x").replace("*", "x")
    return re.sub(r"\s*([-x^])\s*", r"\1", " ".join(lowered.split()))


def _numbered(match: Match, text: str) -> Step:
    steps = match.legal_steps
    if len(text) > 9 or not 1 <= int(text) <= len(steps):
        raise AlquerqueError(f"there is no step {text}; the steps are 1 to {len(steps)}")
    return steps[int(text) - 1]


def _between(match: Match, origin: str, target: str) -> list[Step]:
    index = match.game.board.index
    ends = index.get(origin), index.get(target)
    return [step for step in match.legal_steps if not step.is_pass and (step.origin, step.target) == ends]


def _ambiguous(text: str, fitting: list[Step]) -> AlquerqueError:
    return AlquerqueError(f"{text!r} is ambiguous; say which: {join_words(map(str, fitting))}")


def _illegal(match: Match, text: str) -> AlquerqueError:
    """Says from which step on a turn is not legal."""
    ahead = match.copy()
    for step, victim in split_turn(text, match.game.board):
        fitting = [legal for legal in ahead.legal_steps if legal.text.partition("^")[0] == step]
        if len(fitting) > 1 and victim is None:
            return _ambiguous(step, fitting)
        try:
            ahead.push(f"{step}^{victim}" if victim else step)
        except IllegalStepError:
            break
    played = join_turn([step.text for step in ahead.steps[len(match.steps) :]])
    if len(ahead.steps) == len(match.steps):
        forced = "-" in text and all(step.captured for step in match.legal_steps)
        return AlquerqueError(f"{text} is not legal: {'a capture is compulsory; ' if forced else ''}{_legal(match)}")
    if ahead.chain is None:
        return AlquerqueError(f"{text} is not legal: the turn ends after {played}")
    return AlquerqueError(f"{text} is not legal: after {played}, {_legal(ahead)}")


def _legal(match: Match) -> str:
    steps = match.legal_steps
    if len(steps) > _FEW_STEPS:
        return f"{len(steps)} steps are, and board lists them"
    return f"{join_words(map(str, steps), 'and')} {'is' if len(steps) == 1 else 'are'}"
