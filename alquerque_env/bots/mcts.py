"""Monte Carlo tree search.

Source for the choice of the step with most visits: Coulom 2006, Efficient Selectivity and Backup Operators in
Monte-Carlo Tree Search.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..engine import rules as e
from ..game.game import Game
from ..game.kernel_arrays import JIT, words
from ..game.step import Step
from ..match.match import Match
from ..search import mcts_kernels as k
from ..solve.tables import EndgameTable
from ..solve.tables.search_probe import Endgames
from .analysis import Candidate, Deadline, Limits, Report, Thought
from .bot import GameBot
from .turns import finish_turn, tell_line

MAX_SIMULATIONS = 10_000_000

MAX_NODES = 1 << 22 if JIT else 1 << 16
NODES_PER_SIMULATION = 16
"""Ample for the branching of these games. A tree without room stops growing, and playouts begin at its leaves."""

SIMULATIONS_AT_ONCE = 1 << 9 if JIT else 1
"""How long the search runs before Python looks at the clock and at the keyboard."""

SIMULATIONS_FOR_THE_REST = 64
"""What decides the rest of a turn in the middle of which a line of the tree ends."""

ROOM_FOR_KEYS = 1_000
"""Turns without progress after which a playout is taken for a draw, where only repetition ends such a match."""


@dataclass(frozen=True)
class StepStatistics:
    """What a search found out about a step.

    Attributes:
      step: The step.
      visits: How many simulations went through it.
      value: Their mean result for the player to move, in [-1, 1]; 0 without visits.
    """

    step: Step
    visits: int
    value: float


class MctsBot(GameBot):
    """Plays the step that most of its simulations went through.

    Args:
      name: Its spec.
      game: The game that it plays.
      simulations: How many for a step, from 1 to `MAX_SIMULATIONS`.
      seed: Makes its choices repeatable; None for another course each time.
      time_limit: Seconds for a step, None for as long as it takes.
      table: Exact values of endgames, if there are any.
    """

    can_think = True

    def __init__(
        self,
        name: str,
        game: Game,
        simulations: int,
        seed: int | None,
        time_limit: float | None,
        table: EndgameTable | None = None,
    ) -> None:
        super().__init__(name, game, seed)
        self._endgames = Endgames(table)
        self.simulations = simulations
        self.time_limit = time_limit
        t = game.table.words
        self._state = words(t[e.T_STATE_SIZE])
        self._scratch = words(t[e.T_SCRATCH_SIZE])
        self._actions = words(t[e.T_NUM_ACTIONS])
        self._tree = self._make_tree(simulations)

    def analyse(self, match: Match) -> tuple[StepStatistics, ...]:
        """Searches a position that is not over; returns what it found out about each legal step.

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        for _ in self._search(match, self._tree, self.simulations, Deadline(self.time_limit)):
            pass
        return _statistics(match, self._tree)

    def _decide(self, match: Match) -> Step:
        if known := self._endgames.best(match):
            return self._pick(known)
        keeping = self._endgames.keeping(match)
        found = [entry for entry in self.analyse(match) if entry.step.action in keeping]
        best = max((entry.visits, entry.value) for entry in found)
        return self._pick([entry.step for entry in found if (entry.visits, entry.value) == best])

    def _think(self, match: Match, limits: Limits, every: bool, report: Report | None) -> Thought:
        simulations = self.simulations if limits.nodes is None else min(limits.nodes, MAX_SIMULATIONS)
        # Each of the first simulations goes to a step without one, so that every step has a value after so many.
        least = len(match.legal_steps) if every else 1
        simulations = max(simulations, least)
        tree = self._tree if simulations <= self.simulations else self._make_tree(simulations)
        keeping = self._endgames.keeping(match)
        reported = 0
        for done in self._search(match, tree, simulations, limits.deadline(self.time_limit), least):
            if report is not None and done >= 2 * reported:
                reported = done
                report(_thought(match, tree, keeping, every=False))
        return _thought(match, tree, keeping, every=every, decide=self._decide_rest)

    def _decide_rest(self, match: Match) -> Step:
        """A step in the middle of a chain of which a tree has not seen the end."""
        tree = self._make_tree(SIMULATIONS_FOR_THE_REST)
        for _ in self._search(match, tree, SIMULATIONS_FOR_THE_REST, Deadline()):
            pass
        return _best(_statistics(match, tree)).step

    def _make_tree(self, simulations: int) -> Any:
        children = NODES_PER_SIMULATION * simulations + self.game.table.words[e.T_NUM_ACTIONS]
        return words(k.NODE_SIZE * (1 + min(children, MAX_NODES)))

    def _search(self, match: Match, tree: Any, simulations: int, deadline: Deadline, least: int = 1) -> Iterator[int]:
        """Fills a tree; says now and then how many simulations it has made. The deadline does not hold for `least`."""
        t = self.game.table.words
        state = match.state
        tree[: k.NODE_SIZE] = [-1, 0, 0, 0, e.ONGOING, 0, 0]
        rng = words(1)
        rng[0] = int(self._generator.integers(1 << 62))
        past, keys, room = self._keys(match)
        end = k.NODE_SIZE
        done = 0
        while done < simulations:
            count = min(simulations - done, SIMULATIONS_AT_ONCE)
            room_for_play = (self._state, self._scratch, self._actions, past, keys, room)
            endgames = (self._endgames.index, self._endgames.codes)
            end = k.simulate(t, state, *room_for_play, *endgames, tree, end, rng, count)
            done += count
            yield done
            if done >= least and deadline.is_over:
                break

    def _keys(self, match: Match) -> tuple[Any, Any, int]:
        """The keys of the positions up to now, room for more, and how much."""
        t = self.game.table.words
        clock = int(match.state[e.QUIET])
        room = clock + ROOM_FOR_KEYS
        if t[e.T_NO_PROGRESS_LIMIT]:
            room = int(t[e.T_NO_PROGRESS_LIMIT]) + 2
        if not t[e.T_THREEFOLD]:
            return words(1), words(1), 1
        return (words(room) if match.chain is not None else match.keys(room)), words(room), room


def _statistics(match: Match, tree: Any) -> tuple[StepStatistics, ...]:
    sign = 1 - 2 * match.player
    found = {}
    for child in _children(tree, 0):
        visits = int(tree[child + k.VISITS])
        found[int(tree[child + k.ACTION])] = (visits, sign * int(tree[child + k.TOTAL]) / max(visits, 1))
    return tuple(StepStatistics(step, *found[step.action]) for step in match.legal_steps)


def _best(found: Iterable[StepStatistics]) -> StepStatistics:
    """What most simulations went through, the better of equals."""
    return max(found, key=lambda entry: (entry.visits, entry.value))


def _thought(
    match: Match, tree: Any, keeping: frozenset[int], *, every: bool, decide: Callable[[Match], Step] | None = None
) -> Thought:
    """What a tree says of its root; plays one of `keeping`. `decide` finishes the first turns of its lines."""
    found = _statistics(match, tree)
    best = _best(entry for entry in found if entry.step.action in keeping)
    others = [entry for entry in found if entry is not best] if every else []
    simulations = int(tree[k.VISITS])
    candidates = []
    for entry in [best, *sorted(others, key=lambda entry: (-entry.value, -entry.visits))]:
        actions = _line(tree, entry.step.action)
        actions = actions if decide is None else finish_turn(match, actions, decide)
        candidates.append(Candidate(entry.step, tell_line(match, actions), entry.value, entry.visits / simulations))
    return Thought(best.value, tuple(candidates), None, simulations, None)


def _line(tree: Any, action: int) -> tuple[int, ...]:
    """What follows an action at the root where each step is the one most simulations went through."""
    line = [action]
    node = next(child for child in _children(tree, 0) if tree[child + k.ACTION] == action)
    while children := _children(tree, node):
        node = max(children, key=lambda child: tree[child + k.VISITS])
        if not tree[node + k.VISITS]:
            break
        line.append(int(tree[node + k.ACTION]))
    return tuple(line)


def _children(tree: Any, node: int) -> range:
    """The places of the children of a node; none where the tree ends."""
    first = int(tree[node + k.FIRST])
    return range(first, first + k.NODE_SIZE * int(tree[node + k.CHILDREN]) * (first > 0), k.NODE_SIZE)
