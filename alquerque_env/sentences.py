"""The rules of a game in sentences, made from its answers."""

from dataclasses import MISSING, fields
from typing import NamedTuple

from .game import Game
from .rules import OptionValue, Rules, spell, vocabulary

SIDES = ("South", "North")

_BASIC = (
    "The players take turns. A turn is one step, or captures by one piece.",
    "A man captures an enemy on the next point by leaping over it to the vacant point behind.",
)
# What no game leaves open, and the vocabulary therefore does not ask.
_ALWAYS_FIXED = {
    "man_steps": {
        "all": "A man steps along a line to the next point, in every direction, if it is vacant.",
        "forward_sideways": "A man steps along a line to the next point, forward or sideways, if it is vacant.",
    },
    "promotion": {
        "none": "There is no promotion.",
        "last_rank": "A man that reaches the enemy's first rank is promoted to a mullah (K in texts), which steps over "
        "any number of vacant points of a line, and captures the first enemy on it from any distance.",
    },
    "progress": {
        "capture": "A capture is progress.",
        "capture_or_promotion": "A capture or a promotion is progress.",
    },
}
_PROGRESS = {"capture": "a capture", "capture_or_promotion": "a capture or a promotion"}
_BLOCKED = {
    "loss": "A player who cannot move loses.",
    "draw": "If the player to move cannot, the match is drawn.",
    "majority": "If the player to move cannot, the side with more pieces wins; equal numbers draw.",
}


class FixedRule(NamedTuple):
    """A question to which a game has one answer.

    Attributes:
      name: The rule.
      value: The answer.
      sentence: Both in words.
    """

    name: str
    value: OptionValue
    sentence: str


class Ending(NamedTuple):
    """A way in which a match ends.

    Attributes:
      reason: As in `Outcome.reason`.
      sentence: When, and who wins.
    """

    reason: str
    sentence: str


def fixed_rules(game: Game) -> list[FixedRule]:
    """The answers that no option changes; those to questions that do not arise in the game are left out."""
    return [
        FixedRule(field.name, value, _sentence(field.name, value))
        for field in fields(Rules)
        if field.name not in game.option_table
        and (value := getattr(game.rules, field.name)) != (None if field.default is MISSING else field.default)
    ]


def _sentence(name: str, value: OptionValue) -> str:
    if name in _ALWAYS_FIXED:
        return _ALWAYS_FIXED[name][str(value)]
    entry = vocabulary()[name]
    return f"{entry['question']} {_finish(entry['values'][spell(value)])}"


def fixed_sentences(game: Game) -> list[str]:
    """The rules that no option changes."""
    return [*_BASIC, *(rule.sentence for rule in fixed_rules(game))]


def answer(game: Game, name: str) -> str:
    """The question of an option with its chosen answer."""
    option, value = game.option_table[name], game.options[name]
    meaning = option.values[value] if value in option.values else option.values["N"].replace("this many", str(value))
    return f"{option.question} {_finish(meaning)}"


def rule_sentences(game: Game) -> list[str]:
    """All rules as played under the chosen options."""
    return [*fixed_sentences(game), *(answer(game, name) for name in game.option_table)]


def _finish(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def endings(game: Game) -> list[Ending]:
    """How a match ends, in order of precedence."""
    rules = game.rules
    found = [Ending("captured", "A player without pieces loses.")]
    if rules.no_moves in _BLOCKED:
        found.append(Ending("blocked", _BLOCKED[rules.no_moves]))
    if rules.repetition == "threefold_draw":
        found.append(Ending("repetition", "The third occurrence of a position with the same player to move is a draw."))
    if rules.no_progress_limit != "off":
        when = f"After {rules.no_progress_limit} turns in a row without {progress(game)}, both players' counted,"
        if rules.no_progress_result == "majority":
            found.append(Ending("majority", f"{when} the side with more pieces wins; equal numbers draw."))
        else:
            found.append(Ending("no_progress", f"{when} the match is drawn."))
    return found


def progress(game: Game) -> str:
    """What counts as progress in the game, as `a capture`."""
    return _PROGRESS[game.rules.progress]
