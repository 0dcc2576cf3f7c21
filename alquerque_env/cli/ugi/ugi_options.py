"""What can be set in an engine: the game, its rules and who plays it."""

from collections.abc import Iterator, Mapping

from ...bots.load import find_bot
from ...errors import UnknownNameError
from ...game.game import Game, games, load_game
from ...game.options import Option, OptionValue, spell

GAME, LEVEL = "Game", "Level"


class Settings:
    """The options of an engine.

    Args:
      game: The game with its rules.
      level: The spec of the bot.

    Raises:
      BotError: If the spec names no bot.
    """

    def __init__(self, game: Game, level: str) -> None:
        find_bot(level)
        self.level = level
        self._game_name = game.name
        self._table: Mapping[str, Option] = game.option_table
        self._answers: dict[str, OptionValue] = dict(game.options)

    def make_game(self) -> Game:
        """The game as it is set.

        Raises:
          RulesError: If its options contradict each other.
        """
        return load_game(self._game_name, **self._answers)

    def put(self, name: str, value: str) -> None:
        """Sets an option.

        Raises:
          UnknownNameError: If there is no such option or game.
          RulesError: If a rule does not have that value.
          BotError: If the level names no bot.
        """
        known = {option.lower(): option for option in (GAME, LEVEL, *self._table)}
        option = known.get(name.lower())
        if option is None:
            raise UnknownNameError("option", name, known.values())
        if option == GAME:
            game = load_game(value)
            self._game_name, self._table, self._answers = game.name, game.option_table, dict(game.options)
        elif option == LEVEL:
            find_bot(value)
            self.level = value
        else:
            self._answers[option] = self._table[option].parse(value, self._game_name)

    def lines(self) -> Iterator[str]:
        """All options as UGI lists them; the default is what is set."""
        yield f"option name {GAME} type combo default {self._game_name} {_choices(games())}"
        yield f"option name {LEVEL} type string default {self.level}"
        for name, option in self._table.items():
            yield f"option name {name} {_kind(option, spell(self._answers[name]))}"


def _kind(option: Option, value: str) -> str:
    known = [spell(each) for each in option.values]
    if "N" in known:
        # Some word or a number, for which there is no other type.
        return f"type string default {value}"
    if set(known) == {"true", "false"}:
        return f"type check default {value}"
    return f"type combo default {value} {_choices(known)}"


def _choices(values: tuple[str, ...] | list[str]) -> str:
    return " ".join(f"var {value}" for value in values)
