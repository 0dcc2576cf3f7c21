"""The games that the page offers, and errors of their options in the words of the page."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..errors import AlquerqueError, RulesError, UnknownNameError
from ..game.game import Game, games, load_game
from ..game.options import OptionValue

_ANSWER = re.compile(r"\b(\w+)=('[^']*'|\w+)")


class Catalogue:
    """The games of the package, and games from files. A request names one by its `Game.argument`, never by a path.

    The page begins with `first`, by default the first game from a file, else `alquerque`. Two files with the same name
    are refused.
    """

    def __init__(self, own: Sequence[Game] = (), first: Game | None = None) -> None:
        found: dict[str, Game] = {}
        for game in own:
            if found.setdefault(game.argument, game) != game:
                raise AlquerqueError(f"two game files have the name {game.argument!r}: rename one of them")
        self.games: Mapping[str, Game] = found | {name: load_game(name) for name in games()}
        self.first = first.argument if first is not None else next(iter(found), "alquerque")
        self._with_options = lru_cache(maxsize=64)(self._with_options_uncached)

    def load(self, name: str, options: Mapping[str, OptionValue]) -> Game:
        """Loads a game with options."""
        if name not in self.games:
            raise UnknownNameError("game", name, self.games)
        return self._with_options(name, tuple(sorted(options.items()))) if options else self.games[name]

    def name_of(self, game: Game) -> str:
        """What requests call a game; refuses one from a file that the page does not offer."""
        known = self.games.get(game.argument)
        if known is None or known.file_text != game.file_text:
            raise AlquerqueError(
                f"the match is of a game from another {game.argument}: stop the server and start it with "
                f"--game and the path of that file"
            )
        return game.argument

    def _with_options_uncached(self, name: str, options: tuple[tuple[str, OptionValue], ...]) -> Game:
        game = self.games[name]
        try:
            return game.with_options(**dict(options))
        except RulesError as error:
            raise OptionsProblemError(game, error) from None


class OptionsProblemError(RulesError):
    """Options that contradict each other, told by question and answer: the page shows no names of options.

    Attributes:
      fields: The names of the options that the message is about.
    """

    def __init__(self, game: Game, error: RulesError) -> None:
        named: dict[str, None] = {}

        def in_words(found: re.Match[str]) -> str:
            name, value = found[1], found[2].strip("'")
            if name not in game.option_table:
                return found[0]
            option = game.option_table[name]
            question = "" if name in named else f"{option.question} – "
            named[name] = None
            return f"“{question}{option.meaning(option.parse(value, game.name))}”"

        text = _ANSWER.sub(in_words, str(error).removeprefix(f"{game.name}: "))
        super().__init__(f"{text[:1].upper()}{text[1:]}.")
        self.fields = list(named)
