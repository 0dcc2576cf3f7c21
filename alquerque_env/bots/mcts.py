"""Monte Carlo tree search.

Source for playing the step with the most visits: Coulom 2006, Efficient Selectivity and Backup Operators in
Monte-Carlo Tree Search.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, NamedTuple

from ..game import state_layout as STATE, table_layout as TABLE
from ..game.game import Game
from ..game.kernel_arrays import JIT, copied, words
from ..game.outcomes import ONGOING
from ..game.step import Step
from ..match.match import Match
from ..search import uct_kernels as k
from .analysis import MAX_SIMULATIONS, Analysis, Candidate, Deadline, Limits, Pace, Report, finish_turn
from .bot import SearchBot

MAX_NODES = 1 << 22 if JIT else 1 << 16
NODES_PER_SIMULATION = 16  # More than these games need. A full tree stops growing; then playouts start at its leaves.

MOST_AT_ONCE = 1 << 9  # simulations that the kernel runs before Python checks the deadline
SIMULATIONS_TO_FINISH_A_TURN = 64  # simulations for each step after a line that ends in the middle of a turn

LONGEST_QUIET_PLAYOUT = 1_000
"""Turns without progress after which a playout is a draw, in games with repetition but no limit on such turns."""


class StepStatistics(NamedTuple):
    """The visit count of a step and the mean result of its simulations for the player to move, 0 without visits."""

    step: Step
    visits: int
    value: float


class MctsBot(SearchBot):
    """Plays the step with the most visits.

    Args:
      simulations: Simulations for a step, from 1 to `MAX_SIMULATIONS`.
      name, game, seed, time_limit: As in `SearchBot`.
    """

    def __init__(
        self, name: str, game: Game, simulations: int, seed: int | None, time_limit: float | None = None
    ) -> None:
        super().__init__(name, game, seed, time_limit)
        self.simulations = simulations
        t = game.table.words
        self._state = words(t, t[TABLE.STATE_SIZE])
        self._scratch = words(t, t[TABLE.SCRATCH_SIZE])
        self._actions = words(t, t[TABLE.NUM_ACTIONS])
        self._pace = Pace(1, MOST_AT_ONCE)
        self._tree = self._make_tree(simulations)

    def _search_step(self, match: Match) -> Step:
        keeping = self.keeping(match)
        for _ in self._search(match, self._tree, self.simulations, Deadline(self.time_limit, self.stop)):
            pass
        found = [entry for entry in _statistics(match, self._tree) if entry.step.action in keeping]
        best = _best(found)[1:]
        return self._pick([entry.step for entry in found if entry[1:] == best])

    def _analyse(self, match: Match, limits: Limits, all_steps: bool, report: Report | None) -> Analysis:
        simulations = self.simulations if limits.nodes is None else min(limits.nodes, MAX_SIMULATIONS)
        # The first simulations visit each step once: after so many, every step has a value.
        least = len(match.legal_steps) if all_steps else 1
        simulations = max(simulations, least)
        tree = self._tree if simulations <= self.simulations else self._make_tree(simulations)
        keeping = self.keeping(match)
        reported = 0
        for done in self._search(match, tree, simulations, limits.deadline(self.time_limit), least):
            if report is not None and done >= 2 * reported:
                reported = done
                report(_make_analysis(match, tree, keeping, all_steps=False))
        return _make_analysis(match, tree, keeping, all_steps=all_steps, decide=self._search_rest_of_turn)

    def _search_rest_of_turn(self, match: Match) -> Step:
        """Chooses a step in the middle of a chain that the tree does not contain to its end."""
        tree = self._make_tree(SIMULATIONS_TO_FINISH_A_TURN)
        for _ in self._search(match, tree, SIMULATIONS_TO_FINISH_A_TURN, Deadline()):
            pass
        return _best(_statistics(match, tree)).step

    def _make_tree(self, simulations: int) -> Any:
        t = self.game.table.words
        children = NODES_PER_SIMULATION * simulations + t[TABLE.NUM_ACTIONS]
        return words(t, k.NODE_SIZE * (1 + min(children, MAX_NODES)))

    def _search(self, match: Match, tree: Any, simulations: int, deadline: Deadline, least: int = 1) -> Iterator[int]:
        """Grows a tree; yields the number of finished simulations. The deadline does not end the first `least`."""
        t = self.game.table.words
        state = copied(t, match.state)
        tree[: k.NODE_SIZE] = [-1, 0, 0, 0, ONGOING, 0, 0]
        rng = words(t, 1)
        rng[0] = int(self._generator.integers(1 << 62))
        past, keys, room = self._make_keys(match)
        end = k.NODE_SIZE
        done = 0
        rollout = (self._state, self._scratch, self._actions, past, keys)
        arrays = k.Uct(state, *rollout, self._endgames.index, self._endgames.codes, tree, rng)
        while done < simulations:
            count = min(simulations - done, self._pace.nodes)
            with self._pace:
                end = k.simulate(t, arrays, room, len(arrays.tree), end, count)
            done += count
            yield done
            if done >= least and deadline.is_over:
                break

    def _make_keys(self, match: Match) -> tuple[Any, Any, int]:
        """Returns the keys of earlier positions, a buffer for the keys of a playout, and the size of both."""
        t = self.game.table.words
        room = int(match.state[STATE.QUIET]) + LONGEST_QUIET_PLAYOUT
        if t[TABLE.NO_PROGRESS_LIMIT]:
            room = int(t[TABLE.NO_PROGRESS_LIMIT]) + 2
        if not t[TABLE.THREEFOLD]:
            return words(t, 1), words(t, 1), 1
        return copied(t, match.keys(room)), words(t, room), room


def _statistics(match: Match, tree: Any) -> list[StepStatistics]:
    """Returns the statistics of the legal steps in their order."""
    sign = 1 - 2 * match.player
    found = {}
    for child in _children(tree, 0):
        visits = int(tree[child + k.VISITS])
        found[int(tree[child + k.ACTION])] = (visits, sign * int(tree[child + k.TOTAL]) / max(visits, 1))
    return [StepStatistics(step, *found[step.action]) for step in match.legal_steps]


def _best(found: Iterable[StepStatistics]) -> StepStatistics:
    """Returns the step with the most visits; among equals the one with the highest value."""
    return max(found, key=lambda entry: entry[1:])


def _make_analysis(
    match: Match, tree: Any, keeping: Container[int], *, all_steps: bool, decide: Callable[[Match], Step] | None = None
) -> Analysis:
    """Makes an analysis from a tree. The bot plays one of `keeping`; `decide` finishes the first turns of lines."""
    found = _statistics(match, tree)
    best = _best(entry for entry in found if entry.step.action in keeping)
    others = [entry for entry in found if entry is not best] if all_steps else []
    simulations = int(tree[k.VISITS])
    candidates = []
    for entry in [best, *sorted(others, key=lambda entry: (-entry.value, -entry.visits))]:
        actions = _line(tree, entry.step.action)
        actions = actions if decide is None else finish_turn(match, actions, decide)
        candidates.append(Candidate.from_line(match, actions, entry.value, entry.visits / simulations))
    return Analysis(best.value, tuple(candidates), None, simulations, None)


def _line(tree: Any, action: int) -> tuple[int, ...]:
    """Returns the most visited line that begins with an action at the root."""
    line = [action]
    node = next(child for child in _children(tree, 0) if tree[child + k.ACTION] == action)
    while children := _children(tree, node):
        node = max(children, key=lambda child: tree[child + k.VISITS])
        if not tree[node + k.VISITS]:
            break
        line.append(int(tree[node + k.ACTION]))
    return tuple(line)


def _children(tree: Any, node: int) -> range:
    """Returns the places of a node's children in the tree's words; empty for a leaf."""
    first = int(tree[node + k.FIRST])
    return range(first, first + k.NODE_SIZE * int(tree[node + k.CHILDREN]) * (first > 0), k.NODE_SIZE)
