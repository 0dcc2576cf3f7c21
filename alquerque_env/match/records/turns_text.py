"""The turns of a match as text: numbered pairs, with variations in parentheses after the turn that they replace."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ...errors import AlquerqueError, RecordError, one_line
from ...game.step import Step, join_turn
from ..match import Match
from ..variations import Branch, arrange, first_place
from .tokens import BEGIN, DOTS, END, MAX_COMMENT, MAX_TURNS


def format_turns(
    match: Match, variations: Iterable[Sequence[Step]], comments: Iterable[tuple[Sequence[str], str]] = ()
) -> str:
    """Returns the turns of a match and of its variations, each of which has all its steps from the start.

    Raises:
      RecordError: If a variation is not legal, a comment cannot be written, or there are too many turns.
    """
    lines = [tuple(steps) for steps in variations]
    said = _Said(comments)
    try:
        branches = arrange(match, lines)
    except AlquerqueError as error:
        raise RecordError(f"a variation: {error}") from None
    main = Branch(None, 0, first_place(match), 0, list(match.history), match.turn_goes_on)
    if (count := sum(len(branch.turns) for branch in (main, *branches))) > MAX_TURNS:
        raise RecordError(f"the match has {count} turns, but a record holds at most {MAX_TURNS}")
    leaving: dict[tuple[int | None, int], list[int]] = {}
    for number, branch in enumerate(branches):
        leaving.setdefault((branch.parent, branch.start), []).append(number)
    # Not by recursion: each variation may leave the one before it.
    words: list[str] = []
    left = [*said.take(0), *_parts(None, main, leaving, said, match.steps)][::-1]
    while left:
        part = left.pop()
        if isinstance(part, str):
            words.append(part)
        else:
            branch = branches[part]
            if branch.parent is None and branch.start == len(match.steps) and main.turns:
                branch = _with_last_turn(main, branch)
            left += [END, *_parts(part, branch, leaving, said, lines[branch.line])[::-1], BEGIN]
    return "".join(word if before == BEGIN or word == END else f" {word}" for before, word in pairwise([BEGIN, *words]))


class _Said:
    """Comments by the steps before them. Each is written once."""

    def __init__(self, comments: Iterable[tuple[Sequence[str], str]]) -> None:
        self._after: dict[tuple[int, str], int] = {}  # the number of a moment by that of the one before, and the step
        self._comments: dict[int, list[str]] = {}
        for steps, text in comments:
            text = one_line(text)
            if "}" in text or len(text) > MAX_COMMENT:
                raise RecordError(
                    f"a comment cannot have a }} or more than {MAX_COMMENT} characters, as it is written in braces"
                )
            *_, moment = self.moments(steps)
            self._comments.setdefault(moment, []).append(f"{{{text}}}")

    def moments(self, steps: Iterable[str]) -> Iterator[int]:
        """The numbers of the moments before, between and after steps from the start of the match."""
        moment = 0
        yield moment
        for step in steps:
            moment = self._after.setdefault((moment, step), len(self._after) + 1)
            yield moment

    def take(self, moment: int) -> list[str]:
        """The comments of a moment, unless they have been taken."""
        return self._comments.pop(moment, [])


def _with_last_turn(main: Branch, branch: Branch) -> Branch:
    """A branch that goes on after the end of the main line, with the last turn of it, which it can replace."""
    last = main.turns[-1]
    start, place = branch.start - len(last[1]), branch.place - 1
    return Branch(None, start, place, branch.line, [last, *branch.turns], branch.is_open)


def _parts(
    number: int | None,
    branch: Branch,
    leaving: dict[tuple[int | None, int], list[int]],
    said: _Said,
    steps: Sequence[Step],
) -> list[str | int]:
    """The turns of a branch with its comments, and the numbers of the branches that leave it, each after its turn.

    `steps` are those of the whole line, from the start of the match.
    """
    moments = list(said.moments(step.text for step in steps))
    parts: list[str | int] = []
    done, place, is_new = branch.start, branch.place, True
    if number is None and not branch.turns:
        return [*leaving.get((None, 0), ())]
    for _, turn in branch.turns:
        text = join_turn([step.text for step in turn])
        is_last = turn is branch.turns[-1][1]
        parts.append(_numbered(text + DOTS * (is_last and branch.is_open), place, is_new, number is None and done == 0))
        beside: list[str | int] = [*said.take(moments[done + len(turn)]), *leaving.get((number, done), [])]
        parts += beside
        done, place = done + len(turn), place + 1
        is_new = bool(beside)
    return parts + (leaving.get((None, done), []) if number is None else [])


def _numbered(text: str, place: int, is_new: bool, is_first: bool) -> str:
    """A turn with its number before the first of a pair, and before another one where a line begins or goes on."""
    if place % 2 == 0:
        return f"{place // 2 + 1}. {text}"
    if not is_new:
        return text
    return f"{place // 2 + 1}. {DOTS} {text}" if is_first else f"{place // 2 + 1}{DOTS} {text}"
