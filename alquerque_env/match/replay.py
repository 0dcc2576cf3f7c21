"""A match from the texts of its steps."""

from collections.abc import Iterable

from ..errors import AlquerqueError, IllegalStepError
from ..game.game import Game
from .match import Match


def replay(game: Game, start: str | None, steps: Iterable[str]) -> Match:
    """Plays steps from a position; `start` is its text, None for the start of the game.

    Raises:
      PositionError: If the text is not a position of the game.
      IllegalStepError: If a step is not legal; the message has its number.
    """
    match = Match(game, start)
    for number, text in enumerate(steps, 1):
        step = next((step for step in match.legal_steps if step.text == text), text)
        try:
            match.push(step)
        except AlquerqueError as error:
            raise IllegalStepError(f"step {number}: {error}") from None
    return match
