"""Reads what a player types: the text of a step or turn in a lenient form, the number of a step, or a point."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import TextIO, cast

from ...errors import AlquerqueError, AmbiguousStepError, IllegalStepError, NotationError
from ...files.input_lines import Bytes, read_lines
from ...game.step import PASS, Step, join_turn, split_turn
from ...match.match import Match
from ..console.capabilities import join_words

# An error message repeats no more legal steps than this: they are listed below the board.
_MAX_STEPS = 8
_LONGEST_LINE = 1 << 16
_TOO_LONG = "..."  # stands for a line that is longer, which is no step and no command


def play_typed(match: Match, text: str) -> None:
    """Plays a step or turn in notation, the number of a legal step from 1, or only origin and target.

    After an `AlquerqueError`, for a text that cannot be read or is not legal, the match is unchanged.
    """
    text = normal_text(text)
    if text.isascii() and text.isdecimal():
        count = len(match.legal_steps)
        if len(text) > 9 or not 1 <= int(text) <= count:
            raise AlquerqueError(f"there is no step {text}; the steps are 1 to {count}")
        match.push(match.legal_steps[int(text) - 1])
        return
    steps = [step for step in match.legal_steps if text in _spellings(step, match.game.board.labels)]
    if len(steps) > 1:
        raise _ambiguous(text, map(str, steps))
    try:
        match.push(steps[0] if steps else text)
    except NotationError:
        raise AlquerqueError(f"cannot read {text!r}; type a step such as {match.legal_steps[0]}, or help") from None
    except IllegalStepError as error:
        raise _explain(match, text, error) from None


def command_typed(word: str, names: Sequence[str]) -> str | None:
    """The command that a word means by its name or the beginning of it; None if the word is none.

    Raises:
      AlquerqueError: If it begins several names, or is close to one.
    """
    if word in names:
        return word
    if not word.isalpha() or word == PASS:
        return None
    meant = [name for name in names if name.startswith(word)]
    if len(meant) == 1:
        return meant[0]
    if near := meant or get_close_matches(word, [*names, PASS], n=1):
        raise AlquerqueError(f"cannot read {word!r}; did you mean {join_words(near)}?")
    return None


def listed_steps(match: Match) -> list[str]:
    """The legal steps in order, with the number by which each can be typed."""
    width = len(str(len(match.legal_steps)))
    return [f"{number:>{width}} {step}" for number, step in enumerate(match.legal_steps, 1)]


def ask_for_step(match: Match) -> str:
    """What to type, in a sentence."""
    return f"Type a step such as {match.legal_steps[0]}, its number, or help."


def piece_typed(match: Match, text: str) -> int | None:
    """The point whose label was typed, if a piece there can move; None if the text is not a label, or means a step."""
    text = normal_text(text)
    if text.isascii() and text.isdecimal() and len(text) < 9 and int(text) <= len(match.legal_steps):
        return None
    point = match.game.board.index.get(text)
    if point is None or any(text in _spellings(step, match.game.board.labels) for step in match.legal_steps):
        return None
    if all(step.is_pass or step.origin != point for step in match.legal_steps):
        label, first = match.game.board.labels[point], match.legal_steps[0]
        if first.origin is None and not first.is_pass:
            raise AlquerqueError(
                f"nothing can be {'removed from' if first.target is None else 'dropped on'} {label} now"
            )
        raise AlquerqueError(f"nothing on {label} can move now")
    return point


def read_line(prompt: str) -> str:
    """Reads a line from the user, with editing and history where the terminal has them; `EOFError` at the end."""
    if sys.stdin is None:
        raise EOFError
    if sys.stdin.isatty():
        return input(prompt).strip()
    # A program may have put something else in the place of the stream.
    line = _read_bytes(prompt) if hasattr(getattr(sys.stdin, "buffer", None), "read1") else input(prompt)
    print(line := line.strip())  # the output of a script then reads like that of a terminal
    return line


def _read_bytes(prompt: str) -> str:
    """As `input`, for text in any encoding."""
    print(prompt, end="", flush=True)
    for line in _lines_of(sys.stdin):
        return _TOO_LONG if line is None else line
    raise EOFError


@lru_cache(maxsize=1)
def _lines_of(stream: TextIO) -> Iterator[str | None]:
    return read_lines(cast(Bytes, stream.buffer), _LONGEST_LINE, stream.encoding)


def _spellings(step: Step, labels: Sequence[str]) -> Iterator[str]:
    """The ways to type the origin and target of a step, or the point of a drop or a removal."""
    if step.origin is None:
        yield from (labels[point] for point in (step.target, *step.captured) if point is not None)
    elif step.target is not None and not step.is_pass:
        for mark in ("-", "x", " ", ""):
            yield f"{labels[step.origin]}{mark}{labels[step.target]}"


def normal_text(text: str) -> str:
    """A typed step or turn in lower case, with x for captures and without spaces around signs."""
    lowered = text.lower().replace("×", "x").replace(":", "x").replace("*", "x")
    return re.sub(r"\s*([-x^@])\s*", r"\1", " ".join(lowered.split()))


def _ambiguous(text: str, choices: Iterable[str]) -> AlquerqueError:
    return AlquerqueError(f"{text!r} is ambiguous; type {join_words(choices)}")


def _explain(match: Match, text: str, error: IllegalStepError) -> AlquerqueError:
    """The error for an illegal or ambiguous turn, which names the first step that is."""
    ahead = match.copy()
    for step, victim in split_turn(text, match.game.board):
        steps = [legal for legal in ahead.legal_steps if legal.text.partition("^")[0] == step]
        if len(steps) > 1 and victim is None:
            return _ambiguous(step, map(str, steps))
        try:
            ahead.push(f"{step}^{victim}" if victim else step)
        except IllegalStepError:
            break
    if isinstance(error, AmbiguousStepError):
        return _ambiguous(text, error.choices)
    played = join_turn([step.text for step in ahead.steps[len(match.steps) :]])
    if len(ahead.steps) == len(match.steps):
        forced = "-" in text and all(step.captured for step in match.legal_steps)
        return AlquerqueError(
            f"{text} is not legal: {'a capture is compulsory; ' if forced else ''}{_legal_text(match)}"
        )
    if not ahead.turn_goes_on:
        return AlquerqueError(f"{text} is not legal: the turn ends after {played}")
    return AlquerqueError(f"{text} is not legal: after {played}, {_legal_text(ahead)}")


def _legal_text(match: Match) -> str:
    steps = match.legal_steps
    if len(steps) > _MAX_STEPS:
        return f"{len(steps)} steps are legal; board lists them"
    return f"{join_words(map(str, steps), 'and')} {'is' if len(steps) == 1 else 'are'} legal"
