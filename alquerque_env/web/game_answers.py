"""The answers to requests about games. The server gives them, and the static page has them as files."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from .. import __version__
from ..bots.levels import EASY, level_names
from ..exercises.puzzle_set import games_with_puzzles
from ..game.game import Game
from .exercise_view import ELO, show_lessons, show_puzzles
from .game_view import show_board, show_card, show_game, show_rule_pictures, show_rules

if TYPE_CHECKING:
    from ..game.options import OptionValue

Body = Mapping[str, Any]


class GameHost(Protocol):
    """What the answers are made from.

    Attributes:
      games: The games by their ids.
      about: What differs between pages: `first`, the id of the first game; `seconds`, those of a bot for a step;
        `can_stop_bots`, whether one that thinks can be told to move; `checkpoints`, the names of the folders whose
        checkpoints may be opened; `tables`, the ids of the games whose tables the page has, None for all of a machine.
    """

    games: Mapping[str, Game]
    about: Mapping[str, Any]

    def load_game(self, name: str, /, **options: "OptionValue") -> Game:
        """Loads a game; raises `UnknownNameError` or `RulesError`."""

    def show_bots(self, game: Game) -> dict[str, Any]:
        """The `levels` of a game, weakest first; the specs of those that evaluate positions; and the `strongest`."""


def _list_games(_: Body, host: GameHost) -> dict[str, Any]:
    return {
        **host.about,
        "version": __version__,
        "level_names": level_names(),
        "opponent": EASY.spec,  # of a newcomer
        "elo": ELO,
        "puzzles": [name for name in games_with_puzzles() if name in host.games],
        "games": [show_game(game) for game in host.games.values()],
    }


def _rules(body: Body, host: GameHost) -> dict[str, Any]:
    game = _game(body, host)
    return show_rules(game) | host.show_bots(game)


def _game(body: Body, host: GameHost) -> Game:
    return host.load_game(body["game"], **body.get("options", {}))


GAME_ANSWERS: Mapping[str, Callable[[Body, GameHost], dict[str, Any]]] = {
    "games": _list_games,
    "rules": _rules,
    "card": lambda body, host: show_card(_game(body, host)),
    "board": lambda body, host: show_board(_game(body, host), turned=body.get("turned", False)),
    "rule-pictures": lambda body, host: show_rule_pictures(_game(body, host)),
    "lessons": lambda body, host: show_lessons(_game(body, host)),
    "puzzles": lambda body, host: show_puzzles(_game(body, host)),
}
"""The requests by their names."""
