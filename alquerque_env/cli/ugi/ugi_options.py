"""The options of an engine: the game, the options of its rules, and the bot."""

from collections.abc import Iterator, Mapping

from ...bots.load import find_bot
from ...errors import UnknownNameError
from ...game.game import Game, games, load_game
from ...game.options import Option, OptionValue, spell

GAME, LEVEL = "Game", "Level"


class EngineOptions:
    """The options of an engine: a game with its options, and the spec of the bot.

    Raises:
      BotError: If the spec names no bot.
    """

    def __init__(self, game: Game, level: str) -> None:
        find_bot(level)
        self._given = self.level = level
        self._game_name = game.name
        self._table: Mapping[str, Option] = game.option_table
        self._values: dict[str, OptionValue] = dict(game.options)

    def make_game(self) -> Game:
        """Makes the game with the current options.

        Raises:
          RulesError: If its options contradict each other.
        """
        return load_game(self._game_name, **self._values)

    def set(self, name: str, value: str) -> None:
        """Sets an option.

        Raises:
          UnknownNameError: If there is no such option or game.
          RulesError: If a rule does not have this value.
          BotError: If the level names no bot, or starts a program.
        """
        known = {option.lower(): option for option in (GAME, LEVEL, *self._table)}
        option = known.get(name.lower())
        if option is None:
            raise UnknownNameError("option", name, known.values())
        if option == GAME:
            game = load_game(value)
            self._game_name, self._table, self._values = game.name, game.option_table, dict(game.options)
        elif option == LEVEL:
            # Programs send defaults back, so the spec of the command line is allowed here too.
            find_bot(value, programs=value == self._given)
            self.level = value
        else:
            self._values[option] = self._table[option].parse(value, self._game_name)

    def lines(self) -> Iterator[str]:
        """The options in the notation of UGI, with their current values as defaults."""
        yield f"option name {GAME} type combo default {self._game_name} {_choices(games())}"
        yield f"option name {LEVEL} type string default {self.level}"
        for name, option in self._table.items():
            yield f"option name {name} {_kind(option, spell(self._values[name]))}"


def _kind(option: Option, value: str) -> str:
    known = [spell(each) for each in option.values]
    if "N" in known:
        # UGI has no type for a word or a number.
        return f"type string default {value}"
    if set(known) == {"true", "false"}:
        return f"type check default {value}"
    return f"type combo default {value} {_choices(known)}"


def _choices(values: tuple[str, ...] | list[str]) -> str:
    return " ".join(f"var {value}" for value in values)
