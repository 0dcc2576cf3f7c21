"""What a player typed, read kindly: the text of a step or a turn, the number of a step, a point."""

import re

from ..errors import AlquerqueError, IllegalStepError, NotationError
from ..match import Match, Step

_LABEL = r"[a-z]+[0-9]+"
_TWO_POINTS = re.compile(rf"({_LABEL})[-x ]?({_LABEL})")
_POSITION = re.compile(r" in '[^']*'")


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
    try:
        match.push(fitting[0] if len(fitting) == 1 else text)
    except NotationError:
        raise AlquerqueError(f"cannot read {text!r}; type a step such as {match.legal_steps[0]}, or help") from None
    except IllegalStepError as error:
        raise AlquerqueError(_why_illegal(match, text, error)) from None


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


def _why_illegal(match: Match, text: str, error: IllegalStepError) -> str:
    # The board is before the player's eyes; its text would bury the message.
    message = _POSITION.sub("", str(error))
    captures = [bool(step.captured) for step in match.legal_steps]
    if "-" in text and all(captures):
        return f"{message} (a capture is compulsory)"
    return message
