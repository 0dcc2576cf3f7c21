"""What endless play is worth, and what the limit of plies without progress changes, which tables leave out.

A group of slices is played with a clock that leaves 0, 1, 2, ... plies without progress: at the end of the clock the
match has its result at the limit, and captures and promotions lead to values of earlier groups. Values only get better
for the player who fares badly at the limit. When none changes any more, they are those without a limit. As many plies
as the limit allows give those under the limit.

What counts as progress is the rule of the game. A man's step, where it counts, stays within the group, so that the
values after it are not known before: the study begins with those without the clock and repeats until they are the same
before and after.

Every kernel works on the numbers of one slice from `begin` to `end`; `row` is the slice's row in the index.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...engine import rules_scalar as rules
from ...engine.compiler import inlined, kernel, long_kernel
from ...engine.kernel_types import Table, Words
from ...game import state_layout as STATE, table_layout as TABLE
from . import index_layout as INDEX
from .index import Index, Slice, has_clock, majority_wins
from .numbering import number_of, set_up
from .probe import LONGEST_LINE
from .slice_statistics import count_changed
from .threads import Passes
from .turn_values import Line, Values, allocate_line, final_value, is_conversion, release_line, value_after
from .value_codes import DRAWN, UNKNOWN, WON

UNSETTLED = 2  # as a goal: the value is not known before
_SHARE = 0.1  # of the first ply in the work on a group, for the progress display; each further one counts half as much


class Clock(NamedTuple):
    """The values of a group while the clock is played.

    Attributes:
      t, x, codes: The step table, the index, and the codes of all positions, none of earlier groups left out.
      goals: int8, for each number of the group the value to be reached, 1, 0 or -1, or UNSETTLED.
      before, after: int8, the values with one ply less on the clock, and with this many.
      restarted: int8, the values after progress within the group, such as a man's step. Looked at if `restarts`.
      first: The first number of the group.
      restarts: Whether such steps are progress.
      has_majority: Whether the player with more pieces wins at the end of the clock; else it is a draw.
    """

    t: Table
    x: Table
    codes: Words
    goals: Words
    before: Words
    after: Words
    restarted: Words
    first: int
    restarts: int
    has_majority: int


@long_kernel
def begin_clock(clock: Clock, row: int, begin: int, end: int) -> None:
    """Writes the values with no ply left: the result at the limit, unless the match has ended; and the goals."""
    line = allocate_line(clock.t, 1)
    s = line.states[0]
    lead = clock.x[row + INDEX.OWN_MEN] + clock.x[row + INDEX.OWN_KINGS]
    lead -= clock.x[row + INDEX.ENEMY_MEN] + clock.x[row + INDEX.ENEMY_KINGS]
    at_limit = max(-1, min(1, lead)) if clock.has_majority else 0
    for number in range(begin, end):
        place = clock.x[row + INDEX.BASE] + number
        goal = 0
        result = 0
        if set_up(clock.t, clock.x, row, number, s):
            n = rules.legal_actions(clock.t, s, line.scratch[0], line.choices[0])
            code = final_value(clock.t, s, n)
            result = at_limit if code == UNKNOWN else sign_of(code)
            if code == UNKNOWN:
                code = int(clock.codes[place])
            goal = UNSETTLED if code == UNKNOWN else sign_of(code)
        clock.goals[place - clock.first] = goal
        clock.before[place - clock.first] = result
    release_line(line)


@long_kernel
def improve(clock: Clock, row: int, begin: int, end: int, length: int) -> int:
    """Writes the values with one ply more on the clock from those with one less; returns how many are others."""
    line = allocate_line(clock.t, length)
    count = 0
    for number in range(begin, end):
        place = clock.x[row + INDEX.BASE] + number - clock.first
        value = int(clock.before[place])
        # With more plies left a value changes in one direction only, so one that has reached its goal stays there.
        if value != clock.goals[place] and set_up(clock.t, clock.x, row, number, line.states[0]):
            value = _best_value(clock, line)
            if value != clock.before[place]:
                count += 1
        clock.after[place] = value
    release_line(line)
    return count


@kernel
def _best_value(c: Clock, line: Line) -> int:
    t, s, after, w, actions = c.t, line.states[0], line.states[1], line.scratch[0], line.choices[0]
    values = Values(t, c.x, c.codes)
    n = rules.legal_actions(t, s, w, actions)
    best = -1
    for index in range(n):
        rules.copy_state(t, s, after)
        rules.apply_action(t, after, w, actions[index])
        is_progress = c.restarts and after[STATE.QUIET] == 0
        after[STATE.QUIET] = 0
        if is_conversion(t, s, after, actions[index]):
            value = sign_of(value_after(values, line, actions[index]))
        else:
            child = number_of(t, c.x, after) - c.first
            value = -int(c.restarted[child] if is_progress else c.before[child])
        best = max(best, value)
        if best == 1:
            break
    return best


@inlined
def sign_of(code: int) -> int:
    """1, 0 or -1 for a value; 0 for UNKNOWN."""
    if code == DRAWN:
        return 0
    return 1 if code > 0 else -1 if code < 0 else 0


class ClockStudy:
    """Plays one group after the other.

    It takes int16 `[N]` `values`, the codes of all earlier groups, and `limited`, where it writes the winners under the
    limit; whether these differ in the groups before; and what calls the kernels.
    """

    def __init__(self, index: Index, values: np.ndarray, limited: np.ndarray, differs: bool, each: Passes) -> None:
        self._index, self._values, self._limited, self._differs = index, np.asarray(values), limited, differs
        self._each = each
        t = index.game.table.words
        self._limit = int(t[TABLE.NO_PROGRESS_LIMIT]) if has_clock(index) else None
        self._is_within_group = bool(t[TABLE.MAN_STEP_IS_PROGRESS])

    def play(self, group: tuple[Slice, ...]) -> np.ndarray:
        """int8, who wins each position of a group without the clock: 1 the player to move, -1 the opponent, 0 nobody.

        Values of the group that are known beforehand are taken for granted once they are reached.
        """
        self._signs, self._longest, self._within = self._play(group, self._values)
        return self._signs

    def finish(self, group: tuple[Slice, ...]) -> dict[str, int]:
        """The notes on the group that was played: the plies of the longest way, and how many values the limit changes.

        The longest way is the most plies to the next progress that a player needs who would fare worse at the limit.
        """
        if self._limit is None:
            return {}
        signs, longest, within = self._signs, self._longest, self._within
        if self._is_within_group:
            before, within = None, signs
            while before is None or (within != before).any():
                before = within
                _, longest, within = self._play(group, self._limited, before)
        elif self._differs:
            _, longest, within = self._play(group, self._limited)
        changed = count_changed(self._index, group, within != signs)
        self._differs = self._differs or changed > 0
        self._limited[group[0].base : group[-1].end] = np.where(within == 0, DRAWN, within * np.int16(WON))
        return {"longest_way": longest, "changed": changed}

    def _play(
        self, group: tuple[Slice, ...], codes: np.ndarray, restarted: np.ndarray | None = None
    ) -> tuple[np.ndarray, int, np.ndarray]:
        """Plays a group with 0, 1, 2, ... plies left until no value changes.

        Args:
          group: The group.
          codes: int16 `[N]`, the codes of earlier groups, and those of the group that are known.
          restarted: int8, the values after progress within the group, None if only captures and promotions count.

        Returns:
          int8, the values then; the plies that took; and int8, the values with as many plies as the limit allows.
        """
        goals, before, after = np.zeros((3, group[-1].end - group[0].base), np.int8)
        clock = Clock(
            t=self._index.rules,
            x=self._index.words,
            codes=codes,
            goals=goals,
            before=before,
            after=after,
            restarted=before if restarted is None else restarted,
            first=group[0].base,
            restarts=int(restarted is not None),
            has_majority=int(majority_wins(self._index)),
        )

        def work(stage: str, kernel: Callable[..., Any], plies: int, *last: int) -> list[Any]:
            def task(row: int, begin: int, end: int) -> Any:
                return kernel(clock, row, begin, end, *last)

            return self._each(group, stage, _SHARE * 0.5**plies, task)

        work("clock", begin_clock, 0)
        within, plies = None, 0
        while True:
            if plies == self._limit:
                # A copy, since the two arrays take turns.
                within = before.copy()
            if not sum(work(f"clock, ply {plies + 1}", improve, plies, LONGEST_LINE)):
                return before, plies, before if within is None else within
            before, after = after, before
            clock = clock._replace(before=before, after=after)
            plies += 1
