"""Alpha-beta, deepened turn by turn until the depth is reached or the time is up.

Source for the deepening: Slate and Atkin 1977, Chess 4.5.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from .. import engine as e
from ..game import Game
from ..jit import wrapped_sum
from ..match import Match, Step
from ..storage import JIT, word_rows, words
from . import alphabeta_kernels as k
from .bot import Deadline, GameBot, rest_of_turn, state_key, step_of

MAX_DEPTH = 99

ENTRIES = 1 << 20 if JIT else 1 << 16
"""Room in the transposition table."""

NODES_AT_ONCE = 1 << 14 if JIT else 1 << 6
"""How long the search runs before Python looks at the clock and at the keyboard."""


@dataclass(frozen=True)
class Analysis:
    """What a search found.

    Attributes:
      score: In hundredths of a man, for the player to move; a win so many turns away is worth `WIN` less that many.
      actions: The best line, step by step.
      line: The same as texts of turns, the last one possibly unfinished.
      depth: Whole turns that were looked ahead.
      nodes: Positions visited.
    """

    score: int
    actions: tuple[int, ...]
    line: tuple[str, ...]
    depth: int
    nodes: int

    @property
    def value(self) -> float:
        """The score squeezed into [-1, 1], where 1 is a certain win and -1 a certain loss."""
        if abs(self.score) > k.SURE:
            return math.copysign(1.0, self.score)
        return math.tanh(self.score / (2 * k.MAN_WORTH))


class AlphaBetaBot(GameBot):
    """Searches whole turns to a fixed depth, or until its time is up.

    Args:
      name: Its spec.
      game: The game that it plays.
      depth: Whole turns to look ahead, from 1 to `MAX_DEPTH`.
      seed: Decides between equals; None for another course each time.
      time_limit: Seconds for a step, None for as long as it takes.
    """

    def __init__(self, name: str, game: Game, depth: int, seed: int | None, time_limit: float | None) -> None:
        super().__init__(name, game, seed)
        self.depth = depth
        self.time_limit = time_limit
        t = game.table.words
        # Each turn is one simple step or pass, or a chain, in which each capture takes a piece and the last step may
        # be to stop.
        levels = depth + 2 * t[e.T_POINTS] + 2
        self._states = word_rows(levels, t[e.T_STATE_SIZE])
        self._choices = word_rows(levels, t[e.T_NUM_ACTIONS])
        self._frames = word_rows(levels, k.LINE + levels)
        self._scratch = words(t[e.T_SCRATCH_SIZE])
        self._table = words(2 * ENTRIES)
        self._control = _controls(game)
        self._plan: dict[tuple[int, ...], int] = {}

    def analyse(self, match: Match) -> Analysis:
        """Searches a position that is not over.

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        return self._with_line(match, self._find_best(match))

    def _find_best(self, match: Match) -> Analysis:
        """Searches deeper and deeper; the line stays unwritten."""
        deadline = Deadline(self.time_limit)
        self._set_up(match)
        order = [step.action for step in match.legal_steps]
        self._generator.shuffle(order)
        found = Analysis(0, (order[0],), (), 0, 0)
        for depth in range(1, self.depth + 1):
            is_complete = self._search(order, depth, deadline)
            root = self._frames[0]
            if not root[k.LENGTH]:
                break
            actions = tuple(int(action) for action in root[k.LINE : k.LINE + root[k.LENGTH]])
            reached = depth if is_complete else depth - 1
            found = Analysis(int(root[k.BEST]), actions, (), reached, int(self._control[k.NODES]))
            if not is_complete or k.WIN - abs(found.score) <= depth:
                break
            order.remove(actions[0])
            order.insert(0, actions[0])
        return found

    def _decide(self, match: Match) -> Step:
        action = self._plan.get(state_key(match))
        if action is None:
            actions = self._find_best(match).actions
            action = actions[0]
            self._plan = rest_of_turn(match, actions)
        return step_of(match, action)

    def _set_up(self, match: Match) -> None:
        t = self.game.table.words
        control = self._control
        state = match.state
        control[k.NODES] = 0
        control[k.GENERATION] = (control[k.GENERATION] + 1) % (1 << k.GENERATION_BITS)
        control[k.CLOCK] = state[e.QUIET] if match.chain is None else 0
        self._history = words(2 * t[e.T_NUM_ACTIONS])
        self._states[0][:] = state
        room = int(control[k.CLOCK]) + len(self._states) + 1
        self._keys = words(room)
        if t[e.T_THREEFOLD] and match.chain is None:
            self._keys = match.keys(room)
            self._frames[0][k.ONCE], self._frames[0][k.TWICE] = self._sums(int(control[k.CLOCK]))

    def _sums(self, clock: int) -> tuple[int, int]:
        """What `_note` would have added up over the positions since the last progress."""
        once = twice = 0
        keys = [int(key) for key in self._keys[: clock + 1]]
        for place, key in enumerate(keys):
            earlier = keys[:place].count(key)
            once = wrapped_sum(once, k.blend(key, 1))
            if earlier == 1:
                twice = wrapped_sum(twice, k.blend(key, 2))
        return once, twice

    def _search(self, order: list[int], depth: int, deadline: Deadline) -> bool:
        """Searches to one depth; tells whether it came to its end in time."""
        root = self._frames[0]
        self._choices[0][: len(order)] = order
        root[k.COUNT], root[k.NEXT] = len(order), 0
        root[k.ALPHA], root[k.BETA], root[k.BEST] = -k.INFINITE, k.INFINITE, -k.INFINITE
        root[k.DEPTH], root[k.PLY], root[k.LENGTH] = depth, 0, 0
        self._control[k.LEVEL] = 0
        t = self.game.table.words
        rows = (self._states, self._choices, self._frames, self._scratch, self._keys)
        while not k.search(t, *rows, self._table, self._history, self._control, NODES_AT_ONCE):
            if deadline.is_over:
                return False
        return True

    def _with_line(self, match: Match, found: Analysis) -> Analysis:
        ahead = match.copy()
        for action in found.actions:
            ahead.push(action)
        line = ahead.turns[len(match.turns) - (match.chain is not None) :]
        return replace(found, line=line)


def _controls(game: Game) -> Any:
    """The controls of a search that has not begun."""
    heights = [y for _, y in game.board.points]
    rows = [sum(1 << point for point, y in enumerate(heights) if y == row) for row in sorted(set(heights))]
    control = words(k.ROW + len(rows))
    control[k.MASK] = ENTRIES - 1
    control[k.ROWS] = len(rows)
    control[k.ROW :] = rows
    return control
