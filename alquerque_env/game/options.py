"""The rules as questions with answers, and the answers that exclude each other.

`options.toml` has the questions, with the meaning of every answer and its sentence for the rules. A game file answers
them, or leaves them open: its options, each with its source.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import resources
from typing import Annotated, Any, Literal, get_type_hints

from ..errors import RulesError, did_you_mean
from ..files.schema import Key, literals, parse, read_toml, unknown_key
from .array_check import python_number

OptionValue = str | int | bool

MAX_NO_PROGRESS_LIMIT = 10_000
Limit = Annotated[int, Key(low=1, high=MAX_NO_PROGRESS_LIMIT)]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The answer to every question of the rules.

    A default is the answer in a game in which the question does not arise. `check_contradictions` checks that the
    answers go together.
    """

    man_steps: Literal["all", "forward_sideways", "forward", "any_distance", "none"]
    promotion: Literal["none", "last_rank", "points"]
    progress: Literal["capture", "capture_or_promotion", "capture_or_man_step"]
    capture: Literal["compulsory", "optional"]
    chain: Literal["compulsory", "optional", "single"]
    man_capture_dirs: Literal["all", "forward_sideways", "forward", "first_leap_forward_sideways"]
    capture_removal: Literal["immediate", "end_of_turn"]
    no_moves: Literal["loss", "draw", "majority", "pass"]
    repetition: Literal["off", "threefold_draw"]
    no_progress_limit: Limit | Literal["off"]
    no_progress_result: Literal["draw", "majority"]
    who_starts: Literal["player_0", "player_1"]
    max_capture: Literal["none", "most_pieces"] = "none"
    midchain_promotion: Literal["only_if_turn_ends_there", "promote_and_stop", "promote_and_continue"] = (
        "only_if_turn_ends_there"
    )
    mullah_landing: Literal["free", "must_continue"] = "free"
    mullah_lines: Literal["all", "long_diagonals"] = "all"
    mullah_steps: Literal["any_distance", "one_point"] = "any_distance"
    mullah_captures: Literal["any_distance", "next_point"] = "any_distance"
    leap: Literal["straight", "drawn_line", "pattern"] = "straight"
    end_arc: bool = True
    board: str = ""
    dash_sides: Literal["none", "corners"] = "none"
    pieces: int = 0
    opening: str = "any"
    undo_scope: Literal["off", "per_coin", "per_player_last_move", "never_revisit"] = "off"
    undo_cleared_by_jump: bool = True
    last_rank_frozen: bool = False
    chain_may_return_to_start: bool = True
    lose_at_three: bool = False
    captures: Literal["leap", "odd_rows", "approach_withdrawal", "custodial", "none"] = "leap"
    loses_at: Limit | Literal["none"] = "none"
    drop_order: str = ""
    centre_safe: bool = True
    shrink: Literal["off", "ranks", "tiers"] = "off"
    shrink_sides: Literal["ends", "all"] = "ends"
    chain_visits_once: bool = False
    chain_must_turn: bool = False

    @property
    def has_majority_at_limit(self) -> bool:
        """Whether the side with more pieces wins when the no-progress limit ends a match."""
        return self.no_progress_limit != "off" and self.no_progress_result == "majority"


RULE_NAMES = tuple(rule.name for rule in fields(Rules))
RULE_KINDS: Mapping[str, Any] = get_type_hints(Rules)
"""The type of the answer to each question."""


@dataclass(frozen=True)
class Option:
    """A question that a game leaves open.

    Attributes:
      name: Name of the rule.
      question: The question as a sentence.
      values: The possible answers, each with its meaning. `N` stands for an integer from 1 to `MAX_NO_PROGRESS_LIMIT`.
      default: The answer if the user gives none.
      source: The sources of the answers.
    """

    name: str
    question: str
    values: Mapping[OptionValue, str]
    default: OptionValue
    source: str

    @property
    def kind(self) -> Any:
        """The type of its value in a file."""
        listed = tuple(value for value in self.values if value != "N")
        if "N" not in self.values:
            return Literal[listed]
        return Literal[listed] | Limit if listed else Limit

    def meaning(self, value: OptionValue) -> str:
        """What a value means."""
        return meaning_of(value, value, self.values)

    def as_dict(self) -> dict[str, Any]:
        """The option for JSON."""
        values = [{"value": value, "meaning": meaning} for value, meaning in self.values.items()]
        return {**self.__dict__, "values": values}

    def parse(self, value: object, of: str) -> OptionValue:
        """Checks a value, given as itself, as NumPy's number or as text.

        Raises:
          RulesError: If the option does not have that value; the message names its values.
        """
        value, has_limit = python_number(value), "N" in self.values
        for known in self.values:
            is_same = type(value) is type(known) and value == known
            if known != "N" and (is_same or (isinstance(value, str) and value == spell(known))):
                return known
        if has_limit and isinstance(value, str) and value.isdecimal() and len(value) <= len(str(MAX_NO_PROGRESS_LIMIT)):
            value = int(value)
        if has_limit and type(value) is int and 1 <= value <= MAX_NO_PROGRESS_LIMIT:
            return value
        limit = f"an integer from 1 to {MAX_NO_PROGRESS_LIMIT}"
        values = [limit if known == "N" else spell(known) for known in self.values]
        near = did_you_mean(value, values)
        raise RulesError(f"{of}: {self.name} cannot be {value!r}{near} (known: {', '.join(values)})")


def spell(value: OptionValue) -> str:
    """The text of an option value, as the command line and game files write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Question:
    """A question in `options.toml`."""

    question: Annotated[str, Key(low=1)]
    sentences: dict[str, str]  # what each answer adds to the rules
    values: dict[str, str] = field(default_factory=dict)  # what each answer means; `N` stands for an integer


@dataclass(frozen=True, kw_only=True)
class OptionFile:
    """An option in a game file. `file_keys.toml` says what each key means."""

    default: OptionValue
    values: Annotated[tuple[OptionValue, ...], Key(low=1)]
    source: Annotated[str, Key(low=1)]
    meanings: dict[str, str] = field(default_factory=dict)


@cache
def read_options() -> dict[str, Any]:
    """The tables of `options.toml`."""
    file = resources.files(__package__) / "options.toml"
    return read_toml(file, file.name, RulesError)


@cache
def vocabulary() -> dict[str, Question]:
    """The questions with the meaning and the sentence of every answer, from `options.toml`."""
    questions = {name: table for name, table in read_options().items() if name != "excludes"}
    return parse(dict[str, Question], questions, "options.toml", RulesError)


def name_pieces(text: str, promoted_piece: str) -> str:
    """A text of the vocabulary with a game's own word for a promoted piece in place of `mullah`."""
    named = text.replace("mullah", promoted_piece)
    return re.sub(rf"\b([aA]) (?={promoted_piece})", r"\1n ", named) if promoted_piece[0] in "aeiou" else named


def with_article(noun: str) -> str:
    """A noun with `a` or `an` before it."""
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def make_option(name: str, entry: OptionFile, file: str, promoted_piece: str) -> Option:
    """An option of a game, with its question and the meaning of its values from the vocabulary.

    Raises:
      RulesError: If the vocabulary does not have the option or one of its values, or the default is none of the values.
    """
    known_names = [rule for rule, entry in vocabulary().items() if entry.values or "*" in entry.sentences]
    if name not in known_names:
        raise unknown_key(file, RulesError, "options", name, known_names)
    path = f"options.{name}"
    meanings = {**vocabulary()[name].values, **_own_meanings(name, entry, file)}
    kind = RULE_KINDS[name]
    known = tuple(value == "true" if kind is bool else value for value in meanings)
    takes_numbers = "N" in meanings
    if "N" in entry.values and (kind is str or name == "pieces"):
        raise RulesError(
            f"{file}: {path}.values has 'N', which stands for any number: expected {name} by name or number"
        )
    for place, value in enumerate(entry.values):
        if not (takes_numbers and type(value) is int and 1 <= value <= MAX_NO_PROGRESS_LIMIT):
            parse(Literal[known], value, file, RulesError, f"{path}.values[{place}]")  # type: ignore[arg-type]
        if value in entry.values[:place]:
            raise RulesError(f"{file}: {path}.values[{place}] is {value!r}, which is in the list already")
    found = {value: name_pieces(meaning_of(value, spell(value), meanings), promoted_piece) for value in entry.values}
    question = name_pieces(vocabulary()[name].question, promoted_piece)
    option = Option(name, question, found, entry.default, entry.source)
    parse(option.kind, entry.default, file, RulesError, f"{path}.default")
    return option


def meaning_of(value: OptionValue, key: OptionValue, meanings: Mapping[Any, str]) -> str:
    """What a value means, which stands under a key or, for a number, under `N`."""
    return meanings[key] if key in meanings else meanings["N"].replace("this many", str(value))


def _own_meanings(name: str, entry: OptionFile, file: str) -> dict[str, str]:
    """The meanings of a game's own answers: those that its file gives, else the answers themselves."""
    path = f"options.{name}.meanings"
    if RULE_KINDS[name] is not str:
        if not entry.meanings:
            return {}
        raise RulesError(f"{file}: {path} is not needed: the answers of {name} have their meaning in the vocabulary")
    for value in entry.meanings:
        if value not in entry.values:
            raise unknown_key(file, RulesError, path, value, map(spell, entry.values))
    return {**{spell(value): spell(value) for value in entry.values}, **vocabulary()[name].values, **entry.meanings}


Answers = Mapping[str, Collection[OptionValue]]
"""The answers to each question: several where the sides differ."""

Listed = OptionValue | tuple[OptionValue, ...]
"""An answer, or several; `N` stands for any number."""


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """A table `[[excludes]]`. A list of answers stands for any one of them."""

    when: Annotated[dict[str, Listed], Key(low=1)]  # answers, all of which a game has
    never: Annotated[dict[str, Listed], Key(low=1)]  # answers, none of which it may then have
    unless: dict[str, Listed] = field(default_factory=dict)  # answers with any of which it may
    because: Annotated[str, Key(low=1)]

    def clash(self, answers: Answers) -> tuple[str, OptionValue] | None:
        """The question and the answer that a game may not have; None if there is none."""
        if any(answer is None for _, answer in _listed(self.when, answers)):
            return None
        if any(answer is not None for _, answer in _listed(self.unless, answers)):
            return None
        return next(((name, answer) for name, answer in _listed(self.never, answers) if answer is not None), None)

    def sentence(self, answers: Answers, name: str, answer: OptionValue) -> str:
        """What is wrong, what is expected, and why."""
        causes = [say(cause, found) for cause, found in _listed(self.when, answers) if found is not None]
        expected = [say(name, other) for other in allowed(name, self.never[name])]
        return f"{' with '.join(causes)} needs {' or '.join(expected)}, not {say(name, answer)}: {self.because}"


@cache
def exclusions() -> tuple[Exclusion, ...]:
    """All tables `[[excludes]]`, in order."""
    return parse(tuple[Exclusion, ...], read_options()["excludes"], "options.toml", RulesError, "excludes")


def contradictions(answers: Answers) -> Iterator[tuple[Exclusion, str, OptionValue]]:
    """What a game contradicts: the exclusion, and the question with the answer that it excludes."""
    for each in exclusions():
        if (clash := each.clash(answers)) is not None:
            yield each, *clash


def check_contradictions(answers: Answers) -> None:
    """Refuses answers that exclude each other.

    Raises:
      RulesError: If two of them do.
    """
    for each, name, answer in contradictions(answers):
        raise RulesError(each.sentence(answers, name, answer))


def allowed(name: str, excluded: Listed) -> list[OptionValue]:
    """The answers to a question that are not excluded, numbers aside."""
    kind = RULE_KINDS[name]
    return [value for value in ((True, False) if kind is bool else literals(kind)) if not _is_listed(value, excluded)]


def say(name: str, answer: OptionValue) -> str:
    """An answer as `name=value`, as in Python but with true and false as in a game file."""
    return f"{name}={answer!r}" if isinstance(answer, str) else f"{name}={spell(answer)}"


def _listed(table: Mapping[str, Listed], answers: Answers) -> Iterator[tuple[str, OptionValue | None]]:
    """For each question of a table, the first answer of a game that it lists; None if it lists none."""
    for name, listed in table.items():
        yield name, next((answer for answer in answers[name] if _is_listed(answer, listed)), None)


def _is_listed(answer: OptionValue, listed: Listed) -> bool:
    known = as_tuple(listed)
    return answer in known or ("N" in known and type(answer) is int)


def as_tuple(listed: Listed) -> tuple[OptionValue, ...]:
    """The answers as a tuple, also where it is one."""
    return listed if isinstance(listed, tuple) else (listed,)
