"""Games without a choice, in which there is nothing to search or to learn."""

from ..errors import RulesError
from ..game.game import Game
from .match import Match


def check_choice(game: Game) -> None:
    """Checks that a player can choose between steps in some position of a game.

    Raises:
      RulesError: If every step is forced, so that there is only one match.
    """
    match = Match(game)
    while len(match.legal_steps) == 1:
        match.push(match.legal_steps[0])
    if match.is_over:
        raise no_choice(game)


def no_choice(game: Game) -> RulesError:
    """The error of a game in which every step is forced."""
    return RulesError(
        f"{game.name} has no choice: every step from its start is forced, so there is nothing to search or to learn; "
        "expected a game in which a player can choose between steps"
    )
