"""A match from its first position and the texts of its steps, and back."""

from collections.abc import Iterable

from ..errors import AlquerqueError, IllegalStepError
from ..game.game import Game
from .match import Match


class StoppedError(IllegalStepError):
    """A step of a match is not legal.

    Attributes:
      legal: The number of steps before it.
    """

    def __init__(self, message: str, legal: int) -> None:
        super().__init__(message)
        self.legal = legal


def replay(game: Game, start: str | None, steps: Iterable[str]) -> Match:
    """Plays steps from a position; `start` is its text, None for the start of the game.

    Raises:
      PositionError: If the text is not a position of the game.
      StoppedError: If a step is not legal; the message has its number.
    """
    match = Match(game, start)
    for number, text in enumerate(steps, 1):
        try:
            push_text(match, text)
        except AlquerqueError as error:
            raise StoppedError(f"step {number}: {error}", number - 1) from None
    return match


def push_text(match: Match, text: str) -> None:
    """Plays the step with a text, also where `Match.push` would take it for a turn of several.

    Raises:
      AlquerqueError: If there is no such step.
    """
    match.push(next((step for step in match.legal_steps if step.text == text), text))


def first_position(match: Match) -> str | None:
    """Returns the text of the position in which a match began, None for the start of its game."""
    first = match.copy()
    for _ in range(match.num_steps):
        first.pop()
    return None if first.position == Match(match.game).position else first.position
