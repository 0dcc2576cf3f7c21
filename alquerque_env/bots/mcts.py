"""Monte Carlo tree search: UCT with random playouts.

Sources: Kocsis and Szepesvári 2006, Bandit Based Monte-Carlo Planning; Coulom 2006, Efficient Selectivity and Backup
Operators in Monte-Carlo Tree Search (one new node a simulation, most visits in the end).
"""

import math
from dataclasses import dataclass

from ..engine import (
    CHAIN,
    NOBODY,
    NO_PROGRESS,
    ONGOING,
    PLAYER,
    QUIET,
    T_NO_PROGRESS_LIMIT,
    T_NUM_ACTIONS,
    T_SCRATCH_SIZE,
    T_STATE_SIZE,
    T_THREEFOLD,
    apply_action,
    copy_state,
    earlier_occurrences,
    legal_actions,
    outcome,
    play_out,
    random_below,
)
from ..game import Game
from ..jit import JIT, borrowed, inlined, kernel, words
from ..match import Match, Step
from .bot import Deadline, GameBot

MAX_SIMULATIONS = 10_000_000

EXPLORATION = 1.0
"""Weight of what is little known against what has done well."""

# Layout of a node. Children stand in a row from FIRST, 0 if there are none yet. TOTAL adds up results for player_0:
# where the same player is to move twice, no sign changes.
PARENT, FIRST, CHILDREN, ACTION, RESULT, VISITS, TOTAL, NODE_SIZE = 0, 1, 2, 3, 4, 5, 6, 7

NODES_PER_SIMULATION = 16  # ample for the branching of these games; past it the tree stops growing
MAX_NODES = 1 << 22 if JIT else 1 << 16
SIMULATIONS_AT_ONCE = 1 << 9 if JIT else 1

ROOM_FOR_KEYS = 1_000


@kernel
def simulate(t, root, s, w, actions, past, keys, room, tree, end, rng, simulations):
    """Adds simulations to a tree; returns the new end of it.

    Args:
      root: The state at the root, which is not over.
      past: Keys of the positions up to the root, as `engine.earlier_occurrences` wants them; `keys` is room for more.
      room: Number of words in `keys`. A match that outlasts them without progress is taken for a draw.
      tree: Room for nodes; the root stands at 0.
      end: Where the next node goes.
      rng: The state of the generator.
    """
    return _simulate(
        borrowed(t),
        borrowed(root),
        borrowed(s),
        borrowed(w),
        borrowed(actions),
        borrowed(past),
        borrowed(keys),
        room,
        borrowed(tree),
        len(tree),
        end,
        borrowed(rng),
        simulations,
    )


@kernel
def _simulate(t, root, s, w, actions, past, keys, room, tree, size, end, rng, simulations):
    for _ in range(simulations):
        copy_state(t, root, s)
        if t[T_THREEFOLD]:
            for clock in range(root[QUIET] + 1):
                keys[clock] = past[clock]
        node = 0
        while tree[node + RESULT] == ONGOING and (node == 0 or tree[node + VISITS] > 0):
            if tree[node + FIRST] == 0:
                n = legal_actions(t, s, w, actions)
                if end + n * NODE_SIZE > size:
                    break
                end = _expand(tree, node, end, actions, n)
            node = _select(tree, node, s[PLAYER], rng)
            apply_action(t, s, w, tree[node + ACTION])
            earlier = 0
            if t[T_THREEFOLD] and s[CHAIN] < 0:
                earlier = earlier_occurrences(t, s, keys)
            if tree[node + VISITS] == 0:
                tree[node + RESULT] = _outcome(t, s, legal_actions(t, s, w, actions), earlier, room)
        result = tree[node + RESULT]
        if result == ONGOING:
            result, _ = play_out(t, s, w, actions, keys, room, rng)
        _back_up(tree, node, result % 4)
    return end


@inlined
def _outcome(t, s, legal, earlier, room):
    """As `engine.outcome`, with the draw of a match that outlasts the room for keys."""
    if t[T_THREEFOLD] and s[QUIET] + 1 >= room:
        return 4 * NO_PROGRESS + NOBODY
    return outcome(t, s, legal, earlier)


@kernel
def _expand(tree, node, end, actions, n):
    """Adds the children of a node; returns the new end of the tree."""
    tree[node + FIRST] = end
    tree[node + CHILDREN] = n
    for index in range(n):
        child = end + index * NODE_SIZE
        tree[child + PARENT] = node
        tree[child + FIRST] = 0
        tree[child + ACTION] = actions[index]
        tree[child + RESULT] = ONGOING
        tree[child + VISITS] = 0
        tree[child + TOTAL] = 0
    return end + n * NODE_SIZE


@kernel
def _select(tree, node, player, rng):
    """The child with the highest upper bound, UCB1; one without a visit before all others."""
    first, n = tree[node + FIRST], tree[node + CHILDREN]
    if tree[node + VISITS] < n + (1 if node else 0):
        # Each visit but a first one, which ends there, went to a child, so that one is left without.
        index = random_below(rng, n)
        while tree[first + index * NODE_SIZE + VISITS] > 0:
            index = index + 1 if index + 1 < n else 0
        return first + index * NODE_SIZE
    sign = 1 if player == 0 else -1
    log_visits = math.log(tree[node + VISITS])
    best = first
    best_bound = -math.inf
    for child in range(first, first + n * NODE_SIZE, NODE_SIZE):
        visits = tree[child + VISITS]
        bound = sign * tree[child + TOTAL] / visits + EXPLORATION * math.sqrt(log_visits / visits)
        if bound > best_bound:
            best = child
            best_bound = bound
    return best


@inlined
def _back_up(tree, node, winner):
    value = 0 if winner == NOBODY else 1 - 2 * winner
    while node >= 0:
        tree[node + VISITS] += 1
        tree[node + TOTAL] += value
        node = tree[node + PARENT]


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
    """

    def __init__(self, name: str, game: Game, simulations: int, seed: int | None, time_limit: float | None) -> None:
        super().__init__(name, game, seed)
        self.simulations = simulations
        self.time_limit = time_limit
        t = game.table.words
        self._state = words(t[T_STATE_SIZE])
        self._scratch = words(t[T_SCRATCH_SIZE])
        self._actions = words(t[T_NUM_ACTIONS])
        children = NODES_PER_SIMULATION * simulations + t[T_NUM_ACTIONS]
        self._tree = words(NODE_SIZE * (1 + min(children, MAX_NODES)))

    def analyse(self, match: Match) -> tuple[StepStatistics, ...]:
        """Searches a position that is not over; returns what it found out about each legal step.

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        self._search(match, Deadline(self.time_limit))
        tree, sign = self._tree, 1 - 2 * match.player
        found = {}
        for child in range(tree[FIRST], tree[FIRST] + NODE_SIZE * tree[CHILDREN], NODE_SIZE):
            visits = int(tree[child + VISITS])
            found[int(tree[child + ACTION])] = (visits, sign * int(tree[child + TOTAL]) / max(visits, 1))
        return tuple(StepStatistics(step, *found[step.action]) for step in match.legal_steps)

    def _decide(self, match: Match) -> Step:
        found = self.analyse(match)
        best = max((entry.visits, entry.value) for entry in found)
        return self._pick([entry.step for entry in found if (entry.visits, entry.value) == best])

    def _search(self, match: Match, deadline: Deadline) -> None:
        t = self.game.table.words
        state = match.state
        self._tree[:NODE_SIZE] = [-1, 0, 0, 0, ONGOING, 0, 0] if not JIT else (-1, 0, 0, 0, ONGOING, 0, 0)
        rng = words(1)
        rng[0] = int(self._generator.integers(1 << 62))
        past, keys, room = self._keys(match)
        end = NODE_SIZE
        left = self.simulations
        while left > 0:
            count = min(left, SIMULATIONS_AT_ONCE)
            end = simulate(
                t, state, self._state, self._scratch, self._actions, past, keys, room, self._tree, end, rng, count
            )
            left -= count
            if deadline.is_over:
                break

    def _keys(self, match: Match) -> tuple:
        """The keys of the positions up to now, room for more, and how much."""
        t = self.game.table.words
        clock = int(match.state[QUIET])
        room = clock + ROOM_FOR_KEYS
        if t[T_NO_PROGRESS_LIMIT]:
            room = int(t[T_NO_PROGRESS_LIMIT]) + 2
        if not t[T_THREEFOLD]:
            return words(1), words(1), 1
        return (words(room) if match.chain is not None else match.keys(room)), words(room), room
