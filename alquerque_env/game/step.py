"""Steps and turns, and their texts. A step is one action; a turn is one or more steps."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import NotationError, shorten
from . import state_layout as STATE
from .board import LABEL, Board
from .step_table import StepTable

PASS = "pass"


@dataclass(frozen=True)
class Step:
    """One action: a piece moves once, is dropped or removed, or a turn ends without a move.

    Attributes:
      origin, target: Points. Both are the chain's point if an optional chain stops, None if a player passes or removes
        a piece. A drop has a target only.
      captured: Points of the pieces that the step captures or removes.
      action: Index into `game.actions`, in the frame of the player to move.
      text: The step in notation, `c2-c3`, `c2xc4`, `c2xc4^d3`, `@c3`, `xc3` or `pass`.
    """

    origin: int | None
    target: int | None
    captured: tuple[int, ...]
    action: int
    text: str

    @property
    def is_pass(self) -> bool:
        """Whether the turn ends without a move."""
        return self.text == PASS

    def __str__(self) -> str:
        return self.text


def make_steps(table: StepTable, labels: Sequence[str]) -> tuple[tuple[Step | None, ...], ...]:
    """The steps of all actions, for each player; None for the pass, which depends on the chain."""
    return tuple(
        tuple(_make_step(table, labels, player, action) for action in range(len(table.actions))) for player in (0, 1)
    )


def _make_step(table: StepTable, labels: Sequence[str], player: int, action: int) -> Step | None:
    if table.actions[action] is None:
        return None
    row = table.steps[player * len(table.actions) + action]
    origin, target = (labels[point] for point in (row.origin, row.target))
    if row.origin == row.target and row.over == STATE.NO_POINT:
        return Step(None, row.target, (), action, f"@{target}")
    if row.origin == row.target:
        return Step(None, None, (row.over,), action, f"x{target}")
    if row.over == STATE.NO_POINT:
        return Step(row.origin, row.target, (), action, f"{origin}-{target}")
    over = f"^{labels[row.over]}" if table.has_two_victims[action] else ""
    return Step(row.origin, row.target, (row.over,), action, f"{origin}x{target}{over}")


def join_turn(steps: list[str]) -> str:
    """Joins the texts of steps to that of their turn: `c2xc4` and `c4xe4` give `c2xc4xe4`; a stop is not written.

    Plies of the schedule are written one behind the other: `@a1@b1`, `xa1xb1`, `@a1b2-b3`.
    """
    found = ""
    for step in steps:
        begun, landed = _BEGUN.match(step), _LANDED.search(found)
        goes_on = begun is not None and landed is not None and begun.groups() == (landed[2], landed[1])
        found += "" if step == PASS else step[begun.end(1) :] if begun is not None and goes_on else step
    return found or PASS


def split_turn(text: str, board: Board) -> list[tuple[str, str | None]]:
    """Splits the text of a turn into steps, each with the label of its victim if the text names it.

    Raises:
      NotationError: If the text is no step or turn, or names an unknown point.
    """
    if text == PASS:
        return [(PASS, None)]
    steps: list[tuple[str, str | None]] = []
    labels: list[str] = []
    rest = text
    while rest or not steps:
        first, placing, found = _ORIGIN.match(rest), _PLACING.match(rest), _TURN.match(rest)
        if placing is not None and (first is None or first[0] not in board.index):
            steps.append((placing[0], None))
            labels.append(placing[1])
            rest = rest[placing.end() :]
            continue
        if found is None:
            a, b, c, *others = (board.labels[point] for point in board.longest_line * 2)
            examples = f"{a}-{b}, {a}x{c}, {a}x{c}^{b} or {'x'.join((a, c, *others[1:2]))}"
            raise NotationError(f"cannot read {shorten(text)!r} as a step or turn; expected something like {examples}")
        origin, end = found[1], found.end()
        labels.append(origin)
        for landing in _LANDING.finditer(found[2]):
            mark, target, over = landing.groups()
            if landing.start() and mark == "x" and target not in board.index and f"x{target}" in board.index:
                end = found.start(2) + landing.start()  # another move begins on a point such as x3
                break
            steps.append((f"{origin}{mark}{target}", over))
            labels += [target, over] if over else [target]
            origin = target
        rest = rest[end:]
    for label in labels:
        if label not in board.index:
            raise NotationError(
                f"unknown point {shorten(label)!r} in {shorten(text)!r}; points are {board.labels[0]} to "
                f"{board.labels[-1]}"
            )
    return steps


def captures_through(text: str, board: Board) -> tuple[int, ...]:
    """The points of a turn of captures that names no victims, from its origin on; none of another text.

    The text is one that `split_turn` reads.
    """
    found = _TURN.fullmatch(text)
    landings = [] if found is None else _LANDING.findall(found[2])
    if found is None or any(mark != "x" or over or target not in board.index for mark, target, over in landings):
        return ()
    return tuple(board.index[label] for label in (found[1], *(target for _, target, _ in landings)))


# A label ends in a digit, so that the sign behind it is a mark, though labels may begin with an x. A text that begins
# with the label of a point is a step, so that `x2-x3` is no removal.
_PLACING = re.compile(rf"[@x]({LABEL})")
_ORIGIN = re.compile(rf"\A{LABEL}")
_LANDING = re.compile(rf"([-x])({LABEL})(?:\^({LABEL}))?")
_TURN = re.compile(rf"({LABEL})((?:-{LABEL})+|(?:x{LABEL}(?:\^{LABEL})?)+)")
_BEGUN = re.compile(rf"({LABEL})([-x])")
_LANDED = re.compile(rf"([-x])({LABEL})(?:\^{LABEL})?\Z")
