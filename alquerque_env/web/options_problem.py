"""Errors of chosen options in the words of the page, which shows questions and answers and no names of options."""

import re

from ..errors import RulesError
from ..game.game import Game

_ANSWER = re.compile(r"\b(\w+)=('[^']*'|\w+)")


class OptionsProblemError(RulesError):
    """Options that contradict each other.

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
