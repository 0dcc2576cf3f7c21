"""Answers to the rules that exclude each other, as `options.toml` lists them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, get_type_hints

from ..errors import RulesError
from ..files.schema import Key, literals, parse
from .options import OptionValue, Rules, read_options, spell

Answers = Mapping[str, Collection[OptionValue]]
"""The answers to each question: several where the sides differ."""

Listed = OptionValue | tuple[OptionValue, ...]
"""An answer, or several; `N` stands for any number."""


@dataclass(frozen=True, kw_only=True)
class Exclusion:
    """A table `[[excludes]]`. A list of answers stands for any one of them."""

    when: Annotated[dict[str, Listed], Key("Answers, all of which a game has.", low=1)]
    never: Annotated[dict[str, Listed], Key("Answers, none of which it may then have.", low=1)]
    unless: Annotated[dict[str, Listed], Key("Answers with any of which it may.")] = field(default_factory=dict)
    because: Annotated[str, Key("The reason.", low=1)]

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
    kind = get_type_hints(Rules)[name]
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
