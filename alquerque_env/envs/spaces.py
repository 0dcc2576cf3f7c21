"""The spaces of a game, the same in every environment."""

from gymnasium import spaces

from ..game.game import Game
from ..game.observation_form import ObservationForm


def observation_space(form: ObservationForm) -> spaces.Box:
    """Returns the space of one observation in a form, each number from 0 to its maximum."""
    return spaces.Box(form.low, form.high, dtype=form.high.dtype.type)


def action_space(game: Game) -> spaces.Discrete:
    """Returns the space of actions, one for each of `game.actions`."""
    return spaces.Discrete(game.num_actions)
