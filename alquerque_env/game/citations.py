"""The sources of options with the names of their authors in place of the letters that a game file has for them."""

import re

from .game import Game

_KEYED = re.compile(r"([A-Z][A-Za-z]{0,4}): (.+)")
_END_OF_NAME = re.compile(r"[,;:(<]| as .* quotes")


def cite(game: Game, option: str) -> str:
    """What the sources answer to the question of an option, as `Wikipedia: unknown; Mats Winther: not backward`."""
    names = source_names(game)
    if not names:
        return game.option_table[option].source
    keys = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"\b({keys})\b", lambda found: names[found[1]], game.option_table[option].source)


def sources(game: Game) -> list[str]:
    """The sources of a game without the letters that stand for them in its file."""
    return [found[2] if (found := _KEYED.match(source)) else source for source in game.sources]


def find_source(game: Game, letters: str) -> str:
    """The source that a game's file names by these letters."""
    return next(source.removeprefix(f"{letters}: ") for source in game.sources if source.startswith(f"{letters}: "))


def source_names(game: Game) -> dict[str, str]:
    """A short name for each source that has a key, such as `WIN` for Mats Winther."""
    keyed = (_KEYED.match(source) for source in game.sources)
    return {found[1]: _END_OF_NAME.split(found[2], maxsplit=1)[0].strip() for found in keyed if found}
