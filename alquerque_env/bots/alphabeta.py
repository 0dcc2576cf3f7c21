"""Alpha-beta with iterative deepening over whole turns.

Source for iterative deepening: Slate and Atkin 1977, Chess 4.5.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import JIT, copied, word_rows, words
from ..game.step import Step
from ..match.match import Match
from ..search import alphabeta_kernels as k
from ..search.pattern_kernels import NO_PATTERNS, PatternArrays, judge_one
from ..search.scores import INFINITE, WIN, score_to_value, turns_to_end
from ..search.static_evaluation import evaluation_features
from .analysis import (
    MAX_DEPTH,
    Analysis,
    Candidate,
    Deadline,
    Limits,
    Pace,
    Report,
    actions_since,
    find_step,
    finish_turn,
)
from .bot import SearchBot

ENTRIES = 1 << 20 if JIT else 1 << 16  # entries of the transposition table
FEWEST_AT_ONCE, MOST_AT_ONCE = 1 << 6, 1 << 14  # nodes that the kernel visits before Python checks the deadline


MOST_NODES = 1 << 17
"""Nodes of a search to depth 1 after which it is narrowed; four times as many for each further turn.

The games of the package stay far below it, except where leaps bend and chains are optional or the board has many lines.
"""

WIDTHS = (0, 0), (256, 256), (32, 64)
"""How far a search is narrowed, step by step: turns of a position, and positions of a quiescence search; 0 for all."""


class SearchResult(NamedTuple):
    """The best line at a depth."""

    score: int  # in hundredths of a man for the player to move; a certain win in `n` turns is `WIN - n`
    actions: tuple[int, ...]  # the line, step by step
    depth: int = 0  # turns looked ahead
    nodes: int = 0  # positions visited


class AlphaBetaBot(SearchBot):
    """Searches whole turns to a fixed depth, or until its time is up.

    Where a position has too many turns for that, the search is narrowed, or ends at a smaller depth.

    Args:
      depth: Turns to look ahead, from 1 to `MAX_DEPTH`. Each ply of a schedule counts as a turn.
      patterns: Patterns that quiet positions are evaluated by, beside the material.
      name, game, seed, time_limit: As in `SearchBot`.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        depth: int,
        seed: int | None,
        time_limit: float | None = None,
        *,
        patterns: PatternArrays = NO_PATTERNS,
    ) -> None:
        super().__init__(name, game, seed, time_limit)
        self.depth = depth
        # Where each capture has two rows to choose from, a search of all captures would hardly ever end.
        t = game.table.words
        self._first_width = int(t[TABLE.TAKES] == TABLE.TAKES_ROW)
        self._features = evaluation_features(game)
        self._patterns = patterns
        self._pace = Pace(FEWEST_AT_ONCE, MOST_AT_ONCE)
        self._allocate(depth)
        self._scratch = words(t, t[TABLE.SCRATCH_SIZE])
        self._table = words(t, 2 * ENTRIES)
        self._control = words(t, k.CONTROL_SIZE)
        self._control[k.MASK] = ENTRIES - 1

    def _search_step(self, match: Match) -> Step:
        def find_line() -> tuple[int, ...]:
            *_, found = self._deepen(match, self.depth, Deadline(self.time_limit, self.stop))
            return found.actions

        step = self._follow_plan(match, find_line)
        if step.action not in self.keeping(match):  # the turn was planned without what a table knows by now
            self._plan = {}
            step = self._follow_plan(match, find_line)
        return step

    def _analyse(self, match: Match, limits: Limits, all_steps: bool, report: Report | None) -> Analysis:
        deadline = limits.deadline(self.time_limit)
        depth = min(limits.depth or self.depth, MAX_DEPTH)
        if all_steps:
            search = self._deepen_all(match, depth, deadline)
        else:
            search = ([found] for found in self._deepen(match, depth, deadline, self._look_ahead_a_step(match)[0]))
        for latest in search:
            if report is not None:
                report(_make_analysis(match, latest))
        return _make_analysis(match, [self._complete(match, found, deadline) for found in latest])

    def _deepen(
        self, match: Match, most: int, deadline: Deadline, found: SearchResult | None = None
    ) -> Iterator[SearchResult]:
        """Yields the result at each depth up to `most`; the last one may come from a depth that was not finished.

        If the deadline comes before the first result, `found` is yielded.
        """
        self._set_up(match, most)
        keeping = self.keeping(match)
        order = [step.action for step in match.legal_steps if step.action in keeping]
        self._generator.shuffle(order)
        found = found or SearchResult(0, (order[0],))
        for depth in range(1, most + 1):
            is_complete = self._search(order, depth, deadline)
            is_better = bool(self._frames[0][k.LENGTH])
            if is_better:
                found = self._root_result(depth if is_complete else depth - 1)
            if is_better or depth == 1:
                yield found
            if not is_complete or _is_settled(found, depth):
                break
            order.remove(found.actions[0])
            order.insert(0, found.actions[0])

    def _deepen_all(self, match: Match, most: int, deadline: Deadline) -> Iterator[list[SearchResult]]:
        """Yields the results of all legal steps at each finished depth up to `most`, best first.

        Searches each step alone at the root, so that all steps have exact scores. Steps that a table knows to be worse
        come last.
        """
        keeping = self.keeping(match)
        found = {result.actions[0]: result for result in self._look_ahead_a_step(match)}
        yield list(found.values())
        self._set_up(match, most)
        for depth in range(1, most + 1):
            deeper = self._search_each(found, depth, deadline)
            if deeper is None:
                return
            found = deeper
            yield sorted(found.values(), key=lambda result: (result.actions[0] not in keeping, -result.score))
            if all(_is_settled(result, depth) for result in found.values()):
                return

    def _search_each(
        self, found: dict[int, SearchResult], depth: int, deadline: Deadline
    ) -> dict[int, SearchResult] | None:
        """The results of all root actions per turn deeper than `found`; None if there was no time for them."""
        deeper = dict(found)
        width = self._width
        for action in found:
            if _is_settled(found[action], depth - 1):
                continue
            if not self._search([action], depth, deadline):
                return None
            if self._width != width:  # all are to be compared at the same width
                return self._search_each(found, depth, deadline)
            deeper[action] = self._root_result(depth)
        return deeper

    def _look_ahead_a_step(self, match: Match) -> list[SearchResult]:
        """Evaluates the position after each legal step without a search; returns the results as `_deepen_all`."""
        t, found, keeping = self.game.table.words, [], self.keeping(match)
        for step in match.legal_steps:
            after = match.copy()
            turns = _push(after, step.action)
            if after.outcome is None:
                score = int(judge_one(t, copied(t, after.state), self._features, *self._patterns))
                score *= 1 if after.player == match.player else -1
            else:
                winner = after.outcome.winner
                score = 0 if winner is None else (WIN - turns) * (1 if winner == match.player else -1)
            found.append(SearchResult(score, (step.action,)))
        return sorted(found, key=lambda result: (result.actions[0] not in keeping, -result.score))

    def _root_result(self, depth: int) -> SearchResult:
        """Reads the result of the last search at the root."""
        root = self._frames[0]
        actions = tuple(int(action) for action in root[k.LINE : k.LINE + root[k.LENGTH]])
        return SearchResult(int(root[k.BEST]), actions, depth, int(self._control[k.NODES]))

    def _complete(self, match: Match, found: SearchResult, deadline: Deadline) -> SearchResult:
        """Extends a line that the transposition table cut short: its first turn, or all of a certain result."""

        def decide(ahead: Match) -> Step:
            *_, following = self._deepen(ahead, max(found.depth, 1), deadline, self._look_ahead_a_step(ahead)[0])
            return find_step(ahead, following.actions[0])

        actions = finish_turn(match, found.actions, decide)
        turns = turns_to_end(found.score)
        if turns is not None:
            actions = self._play_to_end(match, actions, abs(turns), deadline)
        return found._replace(actions=actions)

    def _play_to_end(self, match: Match, actions: tuple[int, ...], turns: int, deadline: Deadline) -> tuple[int, ...]:
        """Extends a line that ends the match after so many turns, until the deadline."""
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
        return actions_since(match, ahead)

    def _allocate(self, depth: int) -> None:
        """Allocates the stack for lines of so many turns."""
        t = self.game.table.words
        # A turn is one simple step or pass, or a chain: each capture in it takes a piece, and a pass may end it. In the
        # schedule there are further plies.
        levels = depth + 2 * t[TABLE.POINTS] + t[TABLE.STAGES] + 2
        self._deepest = depth
        self._states = word_rows(t, levels, t[TABLE.STATE_SIZE])
        self._choices = word_rows(t, levels, t[TABLE.NUM_ACTIONS])
        self._frames = word_rows(t, levels, k.LINE + levels)

    def _set_up(self, match: Match, depth: int) -> None:
        """Prepares searches of a position up to a depth."""
        if depth > self._deepest:
            self._allocate(depth)
        t = self.game.table.words
        control = self._control
        state = copied(t, match.state)
        control[k.NODES] = 0
        self._set_width(self._first_width)
        control[k.CLOCK] = state[STATE.QUIET] if match.chain is None else 0
        self._history = words(t, 2 * t[TABLE.NUM_ACTIONS])
        self._states[0][:] = state
        room = int(control[k.CLOCK]) + len(self._states) + 1
        self._keys = words(t, room)
        if t[TABLE.THREEFOLD] and match.chain is None:
            self._keys = copied(t, match.keys(room))
            k.sum_repetitions(self._keys, int(control[k.CLOCK]), self._frames[0])

    def _set_width(self, width: int) -> None:
        """Narrows the searches that follow to `WIDTHS[width]`, and forgets the scores of those before."""
        control = self._control
        self._width = width
        control[k.MOST_TURNS], control[k.MOST_CAPTURES] = WIDTHS[width]
        control[k.GENERATION] = (control[k.GENERATION] + 1) % (1 << k.GENERATION_BITS)

    def _search(self, order: list[int], depth: int, deadline: Deadline) -> bool:
        """Searches the root's actions in this order to a depth, narrowed if need be; returns whether it finished."""
        most = MOST_NODES << 2 * (depth - 1)
        while not self._search_within(most, order, depth, deadline):
            if self._width + 1 == len(WIDTHS) or not deadline.budget(int(self._control[k.NODES]), 1):
                return False
            self._set_width(self._width + 1)
        return True

    def _search_within(self, most: int, order: list[int], depth: int, deadline: Deadline) -> bool:
        """Searches at the present width; returns whether it finished within so many nodes and in time."""
        root = self._frames[0]
        self._choices[0][: len(order)] = order
        root[k.COUNT], root[k.NEXT] = len(order), 0
        root[k.ALPHA], root[k.BETA], root[k.BEST] = -INFINITE, INFINITE, -INFINITE
        root[k.DEPTH], root[k.PLY], root[k.LENGTH] = depth, 0, 0
        root[k.LEFT] = self._control[k.MOST_TURNS]
        self._control[k.LEVEL] = 0
        t = self.game.table.words
        rows = (self._states, self._choices, self._frames, self._scratch, self._keys)
        endgames = (self._endgames.index, self._endgames.codes)
        arrays = k.Search(
            *rows,
            *endgames,
            self._table,
            self._history,
            self._features,
            self._patterns.patterns,
            self._patterns.weights,
            self._patterns.numbers,
            self._control,
        )
        end = int(self._control[k.NODES]) + most
        while True:
            spent = int(self._control[k.NODES])
            budget = deadline.budget(spent, min(self._pace.nodes, end - spent))
            if not budget:
                return False
            with self._pace:
                is_complete = k.search(t, arrays, budget)
            if is_complete:
                return True


def _push(match: Match, action: int) -> int:
    """Plays a step; returns how many turns the search counts for it, 0 in the middle of a chain."""
    match.push(action)
    return int(match.chain is None)


def _is_settled(found: SearchResult, depth: int) -> bool:
    """Whether a deeper search changes nothing because the match ends within the depth."""
    return WIN - abs(found.score) <= depth


def _make_analysis(match: Match, found: list[SearchResult]) -> Analysis:
    candidates = tuple(
        Candidate.from_line(match, one.actions, score_to_value(one.score), turns=turns_to_end(one.score))
        for one in found
    )
    nodes = max(one.nodes for one in found)
    return Analysis(candidates[0].value, candidates, found[0].depth, nodes, found[0].score)
