"""Alpha-beta search over whole turns, deepened step by step.

The value of a position at depth 0 is its material, once no capture is pending; at a greater depth it is the best of the
values after each turn, at one depth less. A turn of several leaps is several steps of the search, and values change
their sign where the player changes.

The search keeps its own stack, so that it can be left and taken up again: Python lets it run for a while, looks at the
clock and at the keyboard, and goes on. Sources: Knuth and Moore 1975, An Analysis of Alpha-Beta Pruning; Slate and Atkin
1977, Chess 4.5 (iterative deepening, transposition table); Schaeffer 1989, The History Heuristic.
"""

import math
from dataclasses import dataclass

from ..engine import (
    CHAIN,
    KINGS,
    MEN,
    NOBODY,
    ONGOING,
    OVER,
    PLAYER,
    QUIET,
    STEP_SIZE,
    T_CAPTURE_OPTIONAL,
    T_HAS_OPENING,
    T_NO_PROGRESS_LIMIT,
    T_NUM_ACTIONS,
    T_POINTS,
    T_SCRATCH_SIZE,
    T_STATE_SIZE,
    T_STEPS,
    T_THREEFOLD,
    apply_action,
    copy_state,
    is_start,
    legal_actions,
    outcome,
    position_key,
)
from ..game import Game
from ..jit import JIT, borrowed, inlined, kernel, popcount, word_rows, words, wrapped_product, wrapped_sum
from ..match import Match, Step
from .bot import Deadline, GameBot, rest_of_turn, state_key, step_of

MAX_DEPTH = 99

# Scores, for the player to move. A win so many turns away is worth WIN less that many.
MAN_WORTH = 100
KING_WORTH = 300
WIN = 30_000
INFINITE = 32_000
SURE = WIN - 1_000  # scores beyond it are won or lost

# Layout of a frame: a position of the line that is being searched. Its own best line follows from LINE.
COUNT, NEXT = 0, 1  # choices, and the next to try
ALPHA, BETA, FLOOR = 2, 3, 4  # the window, and its lower end at first
BEST, CHOICE = 5, 6  # best score so far, and the action that leads to it
DEPTH, PLY = 7, 8  # turns to go, and turns since the root
KEY, HINT = 9, 10  # place in the transposition table, and the action that it advises or -1
ONCE, TWICE = 11, 12  # sums over the positions since the last progress, and over those that occurred twice
LENGTH, LINE = 13, 14

# Layout of the controls of a search.
LEVEL, NODES, CLOCK, GENERATION, MASK, CONTROLS = 0, 1, 2, 3, 4, 5

# An entry of the transposition table: a key, and a word of score, bound, depth, action and generation.
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
SCORE_BITS, BOUND_BITS, DEPTH_BITS, ACTION_BITS, GENERATION_BITS = 16, 2, 8, 16, 20
BOUND_AT = SCORE_BITS
DEPTH_AT = BOUND_AT + BOUND_BITS
ACTION_AT = DEPTH_AT + DEPTH_BITS
GENERATION_AT = ACTION_AT + ACTION_BITS

ENTRIES = 1 << 20 if JIT else 1 << 16
NODES_AT_ONCE = 1 << 14 if JIT else 1 << 6


@kernel
def search(t, states, choices, frames, w, keys, table, history, control, budget):
    """Goes on with a search for about `budget` nodes; tells whether it has come to its end.

    Args:
      states, choices, frames: A row for each step of the line being searched; row 0 is the root.
      keys: Hashes of the positions since the last progress before the root, then of those of the line, turn by turn.
      table: The transposition table.
      history: For each player and action how often it refuted something.
      control: The controls.
    """
    return _search(
        borrowed(t),
        borrowed(states),
        borrowed(choices),
        borrowed(frames),
        borrowed(w),
        borrowed(keys),
        borrowed(table),
        borrowed(history),
        borrowed(control),
        budget,
    )


@kernel
def _search(t, states, choices, frames, w, keys, table, history, control, budget):
    level = control[LEVEL]
    nodes = 0
    done = False
    while nodes < budget and not done:
        frame = frames[level]
        if frame[NEXT] < frame[COUNT] and frame[ALPHA] < frame[BETA]:
            action = _next_choice(t, states[level], choices[level], frame, history, level)
            copy_state(t, states[level], states[level + 1])
            apply_action(t, states[level + 1], w, action)
            level += 1
            nodes += 1
            if _open(t, states, choices, frames, w, keys, table, control, level):
                continue
        elif level == 0:
            done = True
            continue
        else:
            _store(frame, table, control)
        _back_up(t, states, choices, frames, history, level)
        level -= 1
    control[LEVEL] = level
    control[NODES] += nodes
    return done


@inlined
def _next_choice(t, s, choices, frame, history, level):
    """Moves the most promising of the untried choices to the front. At the root Python has put them in order."""
    index = frame[NEXT]
    frame[NEXT] = index + 1
    if level > 0:
        scores = t[T_NUM_ACTIONS] * s[PLAYER]
        best = index
        for other in range(index, frame[COUNT]):
            if choices[other] == frame[HINT]:
                best = other
                break
            if history[scores + choices[other]] > history[scores + choices[best]]:
                best = other
        choices[index], choices[best] = choices[best], choices[index]
    return choices[index]


@kernel
def _open(t, states, choices, frames, w, keys, table, control, level):
    """Sets up the frame of a new position. Tells whether it must be searched; if not, its score is in BEST."""
    s = states[level]
    frame = frames[level]
    _inherit(frame, frames[level - 1], s[PLAYER] != states[level - 1][PLAYER])
    n = legal_actions(t, s, w, choices[level])
    earlier = 0
    if t[T_THREEFOLD]:
        earlier = _note(t, s, frame, frames[level - 1], keys, control[CLOCK] + frame[PLY])
    result = outcome(t, s, n, earlier)
    if result != ONGOING:
        frame[BEST] = _final(result % 4, s[PLAYER], frame[PLY])
        return False
    frame[BEST] = -INFINITE
    frame[FLOOR] = frame[ALPHA]
    if frame[DEPTH] == 0 and s[CHAIN] < 0:
        n = _count_captures(t, s, choices[level], n)
        if n == 0 or t[T_CAPTURE_OPTIONAL]:
            frame[BEST] = evaluate(s)
            if n == 0 or frame[BEST] >= frame[BETA]:
                return False
            frame[ALPHA] = max(frame[ALPHA], frame[BEST])
    frame[COUNT] = n
    frame[CHOICE] = choices[level][0]
    return not _probe(t, s, frame, table, control)


@inlined
def _inherit(frame, parent, turned):
    """Hands window and depth down to the position after a step."""
    frame[ALPHA] = -parent[BETA] if turned else parent[ALPHA]
    frame[BETA] = -parent[ALPHA] if turned else parent[BETA]
    frame[PLY] = parent[PLY] + 1 if turned else parent[PLY]
    frame[DEPTH] = parent[DEPTH] - 1 if turned and parent[DEPTH] > 0 else parent[DEPTH]
    frame[NEXT] = 0
    frame[LENGTH] = 0


@inlined
def _final(winner, player, ply):
    """The score of an ended match."""
    if winner == NOBODY:
        return 0
    return WIN - ply if winner == player else ply - WIN


@inlined
def evaluate(s):
    """Material, for the player to move."""
    player = s[PLAYER]
    men = popcount(s[MEN + player]) - popcount(s[MEN + 1 - player])
    kings = popcount(s[KINGS + player]) - popcount(s[KINGS + 1 - player])
    return MAN_WORTH * men + KING_WORTH * kings


@inlined
def _count_captures(t, s, choices, n):
    """Number of captures among the choices, which begin with them."""
    steps = t[T_STEPS] + STEP_SIZE * t[T_NUM_ACTIONS] * s[PLAYER] + OVER
    count = 0
    while count < n and t[steps + STEP_SIZE * choices[count]] >= 0:
        count += 1
    return count


@kernel
def _note(t, s, frame, parent, keys, place):
    """Notes a position for the rule of repetition and tells how often it occurred before.

    In the middle of a chain nothing that was can come again.
    """
    frame[ONCE] = 0
    frame[TWICE] = 0
    if s[CHAIN] >= 0:
        return 0
    key = position_key(t, s)
    keys[place] = key
    clock = s[QUIET]
    earlier = 0
    for back in range(2, clock + 1, 2):
        if keys[place - back] == key:
            earlier += 1
    if clock > 0:
        frame[ONCE] = parent[ONCE]
        frame[TWICE] = parent[TWICE]
    frame[ONCE] = wrapped_sum(frame[ONCE], blend(key, 1))
    if earlier == 1:
        frame[TWICE] = wrapped_sum(frame[TWICE], blend(key, 2))
    return earlier


@kernel
def _table_key(t, s, frame):
    """A hash of everything on which the score can depend within the depth to go.

    That is the clock where its limit is so near, and of the earlier positions those that could occur a third time: one
    that occurred once needs three turns more for that, there and back.
    """
    key = position_key(t, s)
    depth = frame[DEPTH]
    if t[T_NO_PROGRESS_LIMIT] > 0 and s[QUIET] + depth >= t[T_NO_PROGRESS_LIMIT]:
        key = blend(key, 1 + s[QUIET])
    if t[T_HAS_OPENING] and is_start(t, s):
        key = blend(key, 1)
    if t[T_THREEFOLD] and depth > 0:
        if frame[TWICE]:
            key = blend(key, frame[TWICE])
        if depth > 2:
            key = blend(key, frame[ONCE])
    return key


@inlined
def blend(key, word):
    """A hash of a hash and a word."""
    key = wrapped_product(key ^ (key >> 29) ^ word, 0x1B873593CC9E2D51)
    return key ^ (key >> 32)


@kernel
def _probe(t, s, frame, table, control):
    """Looks a position up. Tells whether its score is known well enough, and then leaves it in BEST.

    Only scores of the same depth count, so that a search gives what it would without the table.
    """
    key = _table_key(t, s, frame)
    frame[KEY] = key
    frame[HINT] = -1
    place = 2 * (key & control[MASK])
    entry = table[place + 1]
    if table[place] != key or entry >> GENERATION_AT != control[GENERATION]:
        return False
    frame[HINT] = entry >> ACTION_AT & (1 << ACTION_BITS) - 1
    if entry >> DEPTH_AT & (1 << DEPTH_BITS) - 1 != frame[DEPTH]:
        return False
    score = (entry & (1 << SCORE_BITS) - 1) - INFINITE
    if score > SURE:
        score -= frame[PLY]
    elif score < -SURE:
        score += frame[PLY]
    bound = entry >> BOUND_AT & (1 << BOUND_BITS) - 1
    if (
        bound == EXACT
        or (bound == AT_LEAST and score >= frame[BETA])
        or (bound == AT_MOST and score <= frame[ALPHA])
    ):
        frame[BEST] = score
        return True
    return False


@kernel
def _store(frame, table, control):
    """Notes the score of a position, unless a deeper search of another one stands in its place."""
    place = 2 * (frame[KEY] & control[MASK])
    old = table[place + 1]
    is_current = old >> GENERATION_AT == control[GENERATION]
    if is_current and table[place] != frame[KEY] and (old >> DEPTH_AT & (1 << DEPTH_BITS) - 1) > frame[DEPTH]:
        return
    score = frame[BEST]
    bound = EXACT
    if score >= frame[BETA]:
        bound = AT_LEAST
    elif score <= frame[FLOOR]:
        bound = AT_MOST
    if score > SURE:
        score += frame[PLY]
    elif score < -SURE:
        score -= frame[PLY]
    table[place] = frame[KEY]
    table[place + 1] = (
        score + INFINITE
        | bound << BOUND_AT
        | frame[DEPTH] << DEPTH_AT
        | frame[CHOICE] << ACTION_AT
        | control[GENERATION] << GENERATION_AT
    )


@kernel
def _back_up(t, states, choices, frames, history, level):
    """Hands the score of a position to the one before it."""
    frame = frames[level]
    parent = frames[level - 1]
    player = states[level - 1][PLAYER]
    score = frame[BEST] if states[level][PLAYER] == player else -frame[BEST]
    if score <= parent[BEST]:
        return
    action = choices[level - 1][parent[NEXT] - 1]
    parent[BEST] = score
    parent[CHOICE] = action
    if score <= parent[ALPHA]:
        return
    parent[ALPHA] = score
    parent[LINE] = action
    for index in range(frame[LENGTH]):
        parent[LINE + 1 + index] = frame[LINE + index]
    parent[LENGTH] = frame[LENGTH] + 1
    if score >= parent[BETA]:
        history[t[T_NUM_ACTIONS] * player + action] += parent[DEPTH] * parent[DEPTH]


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
        if abs(self.score) > SURE:
            return math.copysign(1.0, self.score)
        return math.tanh(self.score / KING_WORTH)


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
        levels = depth + 2 * t[T_POINTS] + 2
        self._states = word_rows(levels, t[T_STATE_SIZE])
        self._choices = word_rows(levels, t[T_NUM_ACTIONS])
        self._frames = word_rows(levels, LINE + levels)
        self._scratch = words(t[T_SCRATCH_SIZE])
        self._table = words(2 * ENTRIES)
        self._control = words(CONTROLS)
        self._control[MASK] = ENTRIES - 1
        self._plan: dict[tuple[int, ...], int] = {}

    def analyse(self, match: Match) -> Analysis:
        """Searches a position that is not over.

        Raises:
          BotError: If the match is over, or of another game.
        """
        self._check(match)
        deadline = Deadline(self.time_limit)
        self._set_up(match)
        order = [step.action for step in match.legal_steps]
        self._generator.shuffle(order)
        found = Analysis(0, (order[0],), (), 0, 0)
        for depth in range(1, self.depth + 1):
            is_complete = self._search(order, depth, deadline)
            root = self._frames[0]
            if not root[LENGTH]:
                break
            actions = tuple(int(action) for action in root[LINE : LINE + root[LENGTH]])
            reached = depth if is_complete else depth - 1
            found = Analysis(int(root[BEST]), actions, (), reached, int(self._control[NODES]))
            if not is_complete or WIN - abs(found.score) <= depth:
                break
            order.remove(actions[0])
            order.insert(0, actions[0])
        return self._with_line(match, found)

    def _decide(self, match: Match) -> Step:
        action = self._plan.get(state_key(match))
        if action is None:
            actions = self.analyse(match).actions
            action = actions[0]
            self._plan = rest_of_turn(match, actions)
        return step_of(match, action)

    def _set_up(self, match: Match) -> None:
        t = self.game.table.words
        control = self._control
        state = match.state
        control[NODES] = 0
        control[GENERATION] = (control[GENERATION] + 1) % (1 << GENERATION_BITS)
        control[CLOCK] = state[QUIET] if match.chain is None else 0
        self._history = words(2 * t[T_NUM_ACTIONS])
        self._states[0][:] = state
        room = int(control[CLOCK]) + len(self._states) + 1
        self._keys = words(room)
        if t[T_THREEFOLD] and match.chain is None:
            self._keys = match.keys(room)
            self._frames[0][ONCE], self._frames[0][TWICE] = self._sums(int(control[CLOCK]))

    def _sums(self, clock: int) -> tuple[int, int]:
        """What `_note` would have added up over the positions since the last progress."""
        once = twice = 0
        keys = [int(key) for key in self._keys[: clock + 1]]
        for place, key in enumerate(keys):
            earlier = keys[:place].count(key)
            once = wrapped_sum(once, blend(key, 1))
            if earlier == 1:
                twice = wrapped_sum(twice, blend(key, 2))
        return once, twice

    def _search(self, order: list[int], depth: int, deadline: Deadline) -> bool:
        """Searches to one depth; tells whether it came to its end in time."""
        root = self._frames[0]
        self._choices[0][: len(order)] = order
        root[COUNT], root[NEXT] = len(order), 0
        root[ALPHA], root[BETA], root[BEST] = -INFINITE, INFINITE, -INFINITE
        root[DEPTH], root[PLY], root[LENGTH] = depth, 0, 0
        self._control[LEVEL] = 0
        t = self.game.table.words
        rows = (self._states, self._choices, self._frames, self._scratch, self._keys)
        while not search(t, *rows, self._table, self._history, self._control, NODES_AT_ONCE):
            if deadline.is_over:
                return False
        return True

    def _with_line(self, match: Match, found: Analysis) -> Analysis:
        ahead = match.copy()
        for action in found.actions:
            ahead.push(action)
        line = ahead.turns[len(match.turns) - (match.chain is not None) :]
        return Analysis(found.score, found.actions, line, found.depth, found.nodes)
