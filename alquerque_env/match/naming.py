"""What sentences call the players: by their sides, or `you` and `the bot` where one person plays against a bot.

Everywhere `person` is the side of that person, None where there are two or none.
"""

from ..game.rules_text import SIDES

_OF_YOU = {"has": "have", "is": "are"}


def called(player: int, person: int | None) -> str:
    """Returns what a player is called within a sentence."""
    return SIDES[player] if person is None else "you" if player == person else "the bot"


def does(player: int, verb: str, person: int | None) -> str:
    """Returns what a player does, from a verb such as `wins`: `South wins`, `you win`, `the bot wins`."""
    return f"{called(player, person)} {_OF_YOU.get(verb, verb.removesuffix('s')) if player == person else verb}"


def move_of(player: int, number: int, person: int | None) -> str:
    """Returns what a move is called within a sentence."""
    if person is None:
        return f"move {number} of {SIDES[player]}"
    whose = "your" if player == person else "the bot's"
    return f"{whose} move {number}"


def begin(sentence: str) -> str:
    """Returns a sentence with a capital letter."""
    return sentence[:1].upper() + sentence[1:]
