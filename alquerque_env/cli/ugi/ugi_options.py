"""The options of an engine: the game, the options of its rules, and the bot."""

from collections.abc import Iterator

from ...bots.load import find_bot
from ...errors import UnknownNameError
from ...game.game import Game, games, load_game, load_text
from ...game.options import Option, OptionValue, spell

GAME, GAME_FILE, LEVEL = "Game", "GameFile", "Level"


class EngineOptions:
    """The options of an engine: a game with its options, and the spec of the bot.

    Raises:
      BotError: If the spec names no bot.
    """

    def __init__(self, game: Game, level: str) -> None:
        find_bot(level, game)
        self._given = self.level = level
        self._first = self._base = game
        self._values: dict[str, OptionValue] = dict(game.options)

    def make_game(self) -> Game:
        """Makes the game with the current options.

        Raises:
          RulesError: If its options contradict each other.
        """
        return self._base.with_options(**self._values)

    def set(self, name: str, value: str) -> None:
        """Sets an option.

        Raises:
          UnknownNameError: If there is no such option or game.
          RulesError: If a rule does not have this value, or a file or text is not that of a game.
          BotError: If the level names no bot, or starts a program.
        """
        known = {option.lower(): option for option in (GAME, GAME_FILE, LEVEL, *self._base.option_table)}
        option = known.get(name.lower())
        if option is None:
            raise UnknownNameError("option", name, known.values())
        if option == GAME:
            # Programs send defaults back, and the file of the command line may lie in another folder.
            is_first = value == self._first.argument
            self._begin(load_text(self._first.name, self._first.file_text) if is_first else load_game(value))
        elif option == GAME_FILE:
            game, _, text = value.partition(" ")
            if text:
                self._begin(load_text(game, text))
        elif option == LEVEL:
            # Programs send defaults back, so the spec of the command line is allowed here too.
            find_bot(value, self._base, programs=value == self._given)
            self.level = value
        else:
            self._values[option] = self._base.option_table[option].parse(value, self._base.name)

    def lines(self) -> Iterator[str]:
        """The options in the notation of UGI, with their current values as defaults."""
        own = [self._base.argument] if self._base.file_text else []
        yield f"option name {GAME} type combo default {self._base.argument} {_choices([*own, *games()])}"
        yield f"option name {GAME_FILE} type string default <empty>"
        yield f"option name {LEVEL} type string default {self.level}"
        for name, option in self._base.option_table.items():
            yield f"option name {name} {_kind(option, spell(self._values[name]))}"

    def _begin(self, game: Game) -> None:
        self._base, self._values = game, dict(game.options)


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
