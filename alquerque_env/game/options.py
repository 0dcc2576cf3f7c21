"""The questions that the rules of a game answer, one field each.

The vocabulary of the optional ones, with a sentence for every answer, stands in `options.toml`; a game file answers the
fixed ones and says which of the optional ones are open.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Literal

from ..errors import RulesError

OptionValue = str | int | bool


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Every rule of play that is an answer and not a point or line of the board.

    A default is the answer of a game that does not ask the question at all.
    """

    man_steps: Literal["all", "forward_sideways"]
    promotion: Literal["none", "last_rank"]
    progress: Literal["capture", "capture_or_promotion"]
    capture: Literal["compulsory", "optional"]
    chain: Literal["compulsory", "optional", "single"]
    man_capture_dirs: Literal["all", "forward_sideways", "first_leap_forward_sideways"]
    capture_removal: Literal["immediate", "end_of_turn"]
    no_moves: Literal["loss", "draw", "majority", "pass"]
    repetition: Literal["off", "threefold_draw"]
    no_progress_limit: int | Literal["off"]
    no_progress_result: Literal["draw", "majority"]
    who_starts: Literal["player_0", "player_1"]
    max_capture: Literal["none", "most_pieces"] = "none"
    midchain_promotion: Literal["only_if_turn_ends_there", "promote_and_stop", "promote_and_continue"] = (
        "only_if_turn_ends_there"
    )
    mullah_landing: Literal["free", "must_continue"] = "free"
    mullah_lines: Literal["all", "long_diagonals"] = "all"
    leap: Literal["straight", "drawn_line", "pattern"] = "straight"
    end_arc: bool = True
    board: str = ""
    opening: str = "any"
    undo_scope: Literal["off", "per_coin", "per_player_last_move", "never_revisit"] = "off"
    undo_cleared_by_jump: bool = True
    last_rank_frozen: bool = False
    chain_may_return_to_start: bool = True

    def __post_init__(self) -> None:
        for contradiction, reason in self._contradictions():
            if contradiction:
                raise RulesError(reason)

    def _contradictions(self) -> tuple[tuple[bool, str], ...]:
        longest = self.max_capture == "most_pieces"
        looks_ahead = "max_capture='most_pieces'" if longest else "mullah_landing='must_continue'"
        return (
            (
                (longest or self.mullah_landing == "must_continue") and self.chain != "compulsory",
                f"{looks_ahead} needs chain='compulsory', not chain={self.chain!r}",
            ),
            (
                longest and self.capture == "optional",
                "max_capture='most_pieces' needs capture='compulsory', not capture='optional'",
            ),
            (
                self.repetition == "off" and self.no_progress_limit == "off" and self.can_shuffle,
                "a match could go on for ever: set repetition='threefold_draw' or a number as no_progress_limit",
            ),
        )

    @property
    def can_shuffle(self) -> bool:
        """Whether pieces can step about for ever without a capture.

        They cannot where no piece steps backward and every piece remembers where it came from: then it goes one way
        along each row.
        """
        remembers = self.undo_scope in ("per_coin", "never_revisit")
        return self.man_steps == "all" or self.promotion != "none" or not remembers or self.no_moves == "pass"

    @property
    def has_majority_at_limit(self) -> bool:
        """Whether the side with more pieces wins a match that a limit ends for want of progress."""
        return self.no_progress_limit != "off" and self.no_progress_result == "majority"


RULE_NAMES = tuple(field.name for field in fields(Rules))


@dataclass(frozen=True)
class Option:
    """A question that a game leaves open.

    Attributes:
      name: Name of the rule it answers.
      question: The question as a sentence.
      values: The answers that make sense in the game, each with what it means. `N` stands for any positive integer.
      default: The answer taken when the user gives none.
      source: Who says so.
    """

    name: str
    question: str
    values: Mapping[OptionValue, str]
    default: OptionValue
    source: str

    def parse(self, value: object, of: str) -> OptionValue:
        """Checks a value, given as itself or as text.

        Raises:
          RulesError: If the option does not have that value in this game; the message names those it has.
        """
        for known in self.values:
            if known != "N" and (value is known or (isinstance(value, str) and value == spell(known))):
                return known
        if "N" in self.values:
            if isinstance(value, str) and value.isdecimal() and len(value) <= len(str(MAX_NO_PROGRESS_LIMIT)):
                value = int(value)
            if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_NO_PROGRESS_LIMIT:
                return value
        known_values = [spell(known) for known in self.values]
        if "N" in self.values:
            known_values[known_values.index("N")] = f"an integer from 1 to {MAX_NO_PROGRESS_LIMIT}"
        raise UnknownValueError(self.name, value, known_values, of)


class UnknownValueError(RulesError):
    """An option value that the game does not know."""

    def __init__(self, name: str, value: object, known: list[str], of: str) -> None:
        near = get_close_matches(str(value), known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"{of}: {name} cannot be {value!r}{hint} (known: {', '.join(known)})")


MAX_NO_PROGRESS_LIMIT = 10_000


def spell(value: OptionValue) -> str:
    """The text of an option value, as the command line and game files write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def vocabulary() -> dict:
    """The questions and the meaning of every answer, as `options.toml` has them."""
    file = resources.files(__package__) / "options.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def make_option(name: str, default: OptionValue, values: list[OptionValue], source: str) -> Option:
    """An option of a game, with its words from the vocabulary.

    Raises:
      RulesError: If the vocabulary does not know the option or one of its values.
    """
    entry = vocabulary().get(name)
    if entry is None:
        raise RulesError(f"option {name!r} is not in the vocabulary; known: {', '.join(vocabulary())}")
    unknown = [spell(value) for value in values if spell(value) not in entry["values"]]
    if unknown:
        raise RulesError(f"option {name!r} has no value {unknown[0]!r}; known: {', '.join(entry['values'])}")
    meanings = {value: entry["values"][spell(value)] for value in values}
    return Option(name, entry["question"], meanings, default, source)
