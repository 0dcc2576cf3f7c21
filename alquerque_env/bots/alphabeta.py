"""Alpha-beta, deepened turn by turn until the depth is reached or the time is up.

Source for the deepening: Slate and Atkin 1977, Chess 4.5.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..engine import rules as e
from ..engine.compiler import wrapped_sum
from ..game.game import Game
from ..game.kernel_arrays import JIT, word_rows, words
from ..game.step import Step
from ..match.match import Match
from ..search import alphabeta_kernels as k
from ..solve.tables import EndgameTable
from ..solve.tables.search_probe import Endgames
from .analysis import Candidate, Deadline, Limits, Report, Thought
from .bot import GameBot, rest_of_turn, state_key, step_of
from .turns import finish_turn, tell_line

MAX_DEPTH = 99

ENTRIES = 1 << 20 if JIT else 1 << 16
"""Room in the transposition table."""

NEARLY_SURE = 0.9999
"""The highest value that is told as a score."""

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
        return squeeze(self.score)


def squeeze(score: int) -> float:
    """A score in hundredths of a man as a value in [-1, 1], where 1 is a certain win and -1 a certain loss."""
    if abs(score) > k.SURE:
        return math.copysign(1.0, score)
    return math.tanh(score / (2 * k.MAN_WORTH))


def unsqueeze(value: float) -> int:
    """The score in hundredths of a man that is squeezed into a value; that of no certain win for any."""
    return round(2 * k.MAN_WORTH * math.atanh(max(-NEARLY_SURE, min(value, NEARLY_SURE))))


def turns_to_end(score: int) -> int | None:
    """The turns until a certain win, or, below 0, until a certain loss; None where neither is certain."""
    if abs(score) <= k.SURE:
        return None
    turns = k.WIN - abs(score)
    return turns if score > 0 else -turns


class AlphaBetaBot(GameBot):
    """Searches whole turns to a fixed depth, or until its time is up.

    Args:
      name: Its spec.
      game: The game that it plays.
      depth: Whole turns to look ahead, from 1 to `MAX_DEPTH`.
      seed: Decides between equals; None for another course each time.
      time_limit: Seconds for a step, None for as long as it takes.
      table: Exact values of endgames, if there are any.
    """

    can_think = True

    def __init__(
        self,
        name: str,
        game: Game,
        depth: int,
        seed: int | None,
        time_limit: float | None,
        table: EndgameTable | None = None,
    ) -> None:
        super().__init__(name, game, seed)
        self._endgames = Endgames(table)
        self.depth = depth
        self.time_limit = time_limit
        self._make_room(depth)
        self._scratch = words(game.table.words[e.T_SCRATCH_SIZE])
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
        *_, found = self._deepen(match, self.depth, Deadline(self.time_limit))
        return found

    def _deepen(self, match: Match, most: int, deadline: Deadline, found: Analysis | None = None) -> Iterator[Analysis]:
        """What is found at each depth up to `most`, the lines unwritten; the last may come from half a depth.

        Args:
          match: Where to search.
          most: The greatest depth.
          deadline: Ends the search.
          found: What holds as long as nothing is found.
        """
        self._set_up(match, most)
        order = [step.action for step in match.legal_steps]
        self._generator.shuffle(order)
        found = found or Analysis(0, (order[0],), (), 0, 0)
        for depth in range(1, most + 1):
            is_complete = self._search(order, depth, deadline)
            is_better = bool(self._frames[0][k.LENGTH])
            if is_better:
                found = self._found(depth if is_complete else depth - 1)
            if is_better or depth == 1:
                yield found
            if not is_complete or _is_settled(found, depth):
                break
            order.remove(found.actions[0])
            order.insert(0, found.actions[0])

    def _survey(self, match: Match, most: int, deadline: Deadline) -> Iterator[list[Analysis]]:
        """What is found about every legal step at each depth up to `most`, best first; no depth is left half done.

        Each step has a search with no other choice at its root, so that all have exact scores from one side's view.
        """
        found = {analysis.actions[0]: analysis for analysis in self._glance(match)}
        yield list(found.values())
        self._set_up(match, most)
        for depth in range(1, most + 1):
            deeper = dict(found)
            for action in found:
                if _is_settled(found[action], depth - 1):
                    continue
                if not self._search([action], depth, deadline):
                    return
                deeper[action] = self._found(depth)
            found = deeper
            yield sorted(found.values(), key=lambda analysis: -analysis.score)
            if all(_is_settled(analysis, depth) for analysis in found.values()):
                return

    def _glance(self, match: Match) -> list[Analysis]:
        """What the positions after each legal step look like, best first."""
        found = []
        for step in match.legal_steps:
            after = match.copy()
            is_turned = _push(after, step.action)
            if after.outcome is None:
                score = int(k.evaluate(after.state, self._control)) * (-1 if is_turned else 1)
            else:
                winner = after.outcome.winner
                score = 0 if winner is None else (k.WIN - is_turned) * (1 if winner == match.player else -1)
            found.append(Analysis(score, (step.action,), (), 0, 0))
        return sorted(found, key=lambda analysis: -analysis.score)

    def _found(self, depth: int) -> Analysis:
        """What a search to a depth has left at the root."""
        root = self._frames[0]
        actions = tuple(int(action) for action in root[k.LINE : k.LINE + root[k.LENGTH]])
        return Analysis(int(root[k.BEST]), actions, (), depth, int(self._control[k.NODES]))

    def _think(self, match: Match, limits: Limits, every: bool, report: Report | None) -> Thought:
        deadline = limits.deadline(self.time_limit)
        depth = min(limits.depth or self.depth, MAX_DEPTH)
        if every:
            search = self._survey(match, depth, deadline)
        else:
            search = ([found] for found in self._deepen(match, depth, deadline, self._glance(match)[0]))
        for latest in search:
            if report is not None:
                report(_thought(match, latest))
        return _thought(match, [self._complete(match, found, deadline) for found in latest])

    def _complete(self, match: Match, found: Analysis, deadline: Deadline) -> Analysis:
        """Goes on with a line that the table of positions has cut short.

        It goes on to the end of its first turn, which is to be played, and to the end of the match if that is certain.
        """

        def decide(ahead: Match) -> Step:
            *_, following = self._deepen(ahead, max(found.depth, 1), deadline, self._glance(ahead)[0])
            return step_of(ahead, following.actions[0])

        actions = finish_turn(match, found.actions, decide)
        turns = turns_to_end(found.score)
        if turns is not None:
            actions = self._play_to_end(match, actions, abs(turns), deadline)
        return replace(found, actions=actions)

    def _play_to_end(self, match: Match, actions: tuple[int, ...], turns: int, deadline: Deadline) -> tuple[int, ...]:
        """Goes on with a line that is to end the match after so many turns, as long as there is time."""
        ahead = match.copy()
        for action in actions:
            turns -= _push(ahead, action)
        while not ahead.is_over and turns > 0 and not deadline.is_over:
            if known := self._endgames.best(ahead):
                turns -= _push(ahead, known[0].action)
                continue
            *_, following = self._deepen(ahead, turns, deadline)
            for action in following.actions:
                turns -= _push(ahead, action)
        return tuple(step.action for step in ahead.steps[len(match.steps) :])

    def _decide(self, match: Match) -> Step:
        if known := self._endgames.best(match):
            return self._pick(known)
        action = self._plan.get(state_key(match))
        if action is None:
            actions = self._find_best(match).actions
            action = actions[0]
            self._plan = rest_of_turn(match, actions)
        return step_of(match, action)

    def _make_room(self, depth: int) -> None:
        """Makes room for the steps of a line of so many turns."""
        t = self.game.table.words
        # Each turn is one simple step or pass, or a chain, in which each capture takes a piece and the last step may
        # be to stop.
        levels = depth + 2 * t[e.T_POINTS] + 2
        self._deepest = depth
        self._states = word_rows(levels, t[e.T_STATE_SIZE])
        self._choices = word_rows(levels, t[e.T_NUM_ACTIONS])
        self._frames = word_rows(levels, k.LINE + levels)

    def _set_up(self, match: Match, depth: int) -> None:
        """Prepares searches of a position to some depth."""
        if depth > self._deepest:
            self._make_room(depth)
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
        endgames = (self._endgames.index, self._endgames.codes)
        while budget := deadline.budget(int(self._control[k.NODES]), NODES_AT_ONCE):
            if k.search(t, *rows, *endgames, self._table, self._history, self._control, budget):
                return True
        return False

    def _with_line(self, match: Match, found: Analysis) -> Analysis:
        ahead = match.copy()
        for action in found.actions:
            ahead.push(action)
        line = ahead.turns[len(match.turns) - (match.chain is not None) :]
        return replace(found, line=line)


def _push(match: Match, action: int) -> bool:
    """Plays a step; tells whether it was the last one of its turn."""
    player = match.player
    match.push(action)
    return match.player != player


def _is_settled(found: Analysis, depth: int) -> bool:
    """Whether looking deeper changes nothing: the end of the match is within the depth."""
    return k.WIN - abs(found.score) <= depth


def _thought(match: Match, found: list[Analysis]) -> Thought:
    candidates = (
        Candidate(step_of(match, one.actions[0]), tell_line(match, one.actions), one.value, None) for one in found
    )
    best = found[0]
    nodes = max(one.nodes for one in found)
    return Thought(best.value, tuple(candidates), best.depth, nodes, best.score)


def _controls(game: Game) -> Any:
    """The controls of a search that has not begun."""
    heights = [y for _, y in game.board.points]
    rows = [sum(1 << point for point, y in enumerate(heights) if y == row) for row in sorted(set(heights))]
    control = words(k.ROW + len(rows))
    control[k.MASK] = ENTRIES - 1
    control[k.ROWS] = len(rows)
    control[k.ROW :] = rows
    return control
