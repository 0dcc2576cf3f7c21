"""Exact values of positions with few pieces, by slow and plain value iteration.

Lists every position with the positions after each whole turn, from `reference.py`, and recomputes its value from theirs
until nothing changes. It shares nothing with the tables or the engine: no position numbers, symmetries or retrograde
steps.

After `n` rounds a position has the value of a match that is stopped after `n` turns and then scored as endless play.
More rounds than a forced end takes change nothing, since endless play is worse than a win and better than a loss.
Captures never add pieces, so positions with fewer pieces are solved first.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from alquerque_env.game.game import Game
from tests.reference import NOTHING, Memory, Points, Reference, RefState, RefStep

AT_ONCE = 1 << 20
"""Worth of a match that is won; one won in `d` plies is worth `d` less, one won by endless play 1, a draw 0."""

Found = tuple[int, int | None]


class Truth:
    """Exact values of positions, for the player to move.

    Args:
      game: The rules; the count of turns without progress is left out.
      positions: Beginnings of turns; whatever can follow them is solved too.

    Attributes:
      reference: The rules.
      positions: Every position that was solved, all at the beginning of a turn.
    """

    def __init__(self, game: Game, positions: Iterable[RefState]) -> None:
        self.reference = _Reader(game)
        self._ends = self._find_all(positions)
        self._worths: dict[RefState, int] = {}
        by_pieces: dict[int, list[RefState]] = {}
        for state in self._ends:
            by_pieces.setdefault(len(state.occupied), []).append(state)
        for pieces in sorted(by_pieces):
            self._worths.update(self._solve(by_pieces[pieces]))
        self.positions = tuple(self._worths)

    def value(self, state: RefState) -> Found:
        """Value and distance in plies to the end, None where there is no known end; also in the middle of a chain."""
        worth = self._worths[state] if state.chain is None else self._best(ends_of(self.reference, state))
        value = (worth > 0) - (worth < 0)
        return value, None if abs(worth) <= 1 else AT_ONCE - abs(worth)

    def is_over(self, state: RefState) -> bool:
        """Whether the match has ended there."""
        return state.chain is None and not self._ends[state]

    def middles(self, state: RefState) -> Iterator[RefState]:
        """Every position within the turns that begin there."""
        for step in self.reference.legal(state):
            after = self.reference.play(state, step)
            if after.chain is not None:
                yield after
                yield from self.middles(after)

    def _find_all(self, positions: Iterable[RefState]) -> dict[RefState, list[RefState]]:
        """The positions after each turn from each of these positions and from all that follow."""
        found: dict[RefState, list[RefState]] = {}
        untried = list(positions)
        while untried:
            state = untried.pop()
            if state not in found:
                found[state] = ends_of(self.reference, state)
                untried += found[state]
        return found

    def _best(self, ends: list[RefState]) -> int:
        return int(max(_a_ply_before(self._worths[end]) for end in ends))

    def _solve(self, states: list[RefState]) -> dict[RefState, int]:
        """The worths of all positions with so many pieces, those with fewer being known."""
        place = {state: number for number, state in enumerate(states)}
        last = len(states)  # stands for a turn that does not exist
        fixed = np.full(len(states), -4 * AT_ONCE)
        after: list[int] = []
        starts = []
        for number, state in enumerate(states):
            starts.append(len(after))
            known = [end for end in self._ends[state] if end not in place]
            if not self._ends[state]:
                fixed[number] = self._ended(state)
            elif known:
                fixed[number] = self._best(known)
            after += [place[end] for end in self._ends[state] if end in place] or [last]
        worths = np.array([*(self._endless(state) for state in states), 3 * AT_ONCE])
        worths[:-1][[not self._ends[state] for state in states]] = fixed[[not self._ends[state] for state in states]]
        while True:
            brought = np.maximum.reduceat(_a_ply_before(worths)[after], starts)
            better = np.maximum(fixed, brought)
            if (better == worths[:-1]).all():
                return dict(zip(states, better.tolist(), strict=True))
            worths[:-1] = better

    def _ended(self, state: RefState) -> int:
        outcome = self.reference.outcome(state)
        assert outcome is not None, state
        return 0 if outcome[0] is None else AT_ONCE if outcome[0] == state.player else -AT_ONCE

    def _endless(self, state: RefState) -> int:
        """What playing on for ever is worth."""
        rules = self.reference.rules
        counts = rules.no_progress_limit != "off" and rules.no_progress_result == "majority"
        if not counts or rules.repetition == "threefold_draw" or state.majority is None:
            return 0
        return 1 if state.majority == state.player else -1


def _a_ply_before(worth):
    """The worth of a turn for its player, from that of the position after it for the other."""
    return -worth + np.sign(worth) * (abs(worth) > 1)


def ends_of(reference: Reference, state: RefState) -> list[RefState]:
    """The different positions after each turn, or after the rest of one."""
    found: dict[RefState, None] = {}
    for step in reference.legal(state):
        after = reference.play(state, step)
        if after.chain is None:
            found[after] = None
        else:
            found.update(dict.fromkeys(ends_of(reference, after)))
    return list(found)


class Clocked:
    """Values of positions under the limit of turns without progress.

    Args:
      game: The rules, with such a limit.
    """

    def __init__(self, game: Game) -> None:
        self.reference = Reference(game)
        self._known: dict[RefState, int] = {}

    def value(self, state: RefState) -> int:
        """1, 0 or -1 for the player to move."""
        if state not in self._known:
            outcome = self.reference.outcome(state)
            if outcome is None:
                self._known[state] = max(-self.value(end) for end in ends_of(self.reference, state))
            else:
                self._known[state] = 0 if outcome[0] is None else 1 if outcome[0] == state.player else -1
        return self._known[state]


class _Remembering:
    """A game that does not look twice where a man is promoted."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.promotion_points = cache(game.promotion_points)
        self.last_rank = cache(game.last_rank)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


class _Reader(Reference):
    """The reference with its clock standing still."""

    def __init__(self, game: Game) -> None:
        super().__init__(_Remembering(game))

    def _with_clock(self, state: RefState, quiet: int) -> RefState:
        return state


@dataclass(frozen=True)
class _Piece:
    point: int
    is_king: bool
    memory: Points


def all_positions(game: Game, pieces: int, sides: Iterable[tuple[int, int]] | None = None) -> Iterator[RefState]:
    """All positions at the beginning of a turn in which both players have pieces, but no more than so many in all.

    No man stands where it would have been promoted. Pieces remember whatever they can.

    Args:
      game: The rules.
      pieces: The most pieces on the board.
      sides: Numbers of South's and North's pieces, where only those are wanted.
    """
    reference = Reference(game)
    least = [1 + few * game.has_roles for few in game.loses_at]
    single = [list(_pieces(reference, player)) for player in (0, 1)]
    ranges = (range(one, most + 1) for one, most in zip(least, game.most_pieces, strict=True))
    counts = list(product(*ranges)) if sides is None else sides
    for south, north in counts:
        if south + north > pieces:
            continue
        for own, enemy in product(_groups(game, single[0], south), _groups(game, single[1], north)):
            if not {piece.point for piece in own} & {piece.point for piece in enemy}:
                for player in (0, 1):
                    state = _position(own, enemy, player)
                    yield state._replace(stage=len(game.schedule), closed=reference.empty_ends(state))


def _groups(game: Game, single: list[_Piece], count: int) -> Iterator[tuple[_Piece, ...]]:
    is_alone = game.rules.undo_scope == "per_player_last_move"
    for group in combinations(single, count):
        if len({piece.point for piece in group}) < count:
            continue
        if not is_alone or sum(bool(piece.memory) for piece in group) <= 1:
            yield group


def _position(own: tuple[_Piece, ...], enemy: tuple[_Piece, ...], player: int) -> RefState:
    men, kings = (
        tuple(frozenset(piece.point for piece in side if piece.is_king == is_king) for side in (own, enemy))
        for is_king in (False, True)
    )
    memory = frozenset((piece.point, point) for piece in own + enemy for point in piece.memory)
    return RefState(men=men, kings=kings, player=player, memory=memory)


def _pieces(reference: Reference, player: int) -> Iterator[_Piece]:
    """All that a piece may be, on each point."""
    game = reference.game
    promotes = game.promotion_points(player)
    for point in range(len(game.board.points)):
        if point not in promotes:
            yield from (
                _Piece(point, False, memory) for memory in sorted(wandering(reference, player)[point], key=sorted)
            )
        if game.rules.promotion != "none":
            yield _Piece(point, True, NOTHING)


def wandering(reference: Reference, player: int) -> list[set[Points]]:
    """For each point what a man there may remember, found by letting one walk and leap about alone."""
    points = range(len(reference.game.board.points))
    found: list[set[Points]] = [{NOTHING} for _ in points]
    if reference.rules.undo_scope == "off":
        return found
    untried = [(point, NOTHING) for point in points]
    while untried:
        point, memory = untried.pop()
        for target, after in _wander(reference, player, point, memory):
            if after not in found[target]:
                found[target].add(after)
                untried.append((target, after))
    return found


def _wander(reference: Reference, player: int, point: int, memory: Points) -> Iterator[tuple[int, Points]]:
    entries: Memory = frozenset((point, target) for target in memory)
    for target in reference.man_steps[player][point] - memory:
        state = RefState(men=_sides(player, {point}, set()), player=player, memory=entries)
        after = reference.play(state, RefStep(point, target))
        yield target, frozenset(other for piece, other in after.memory if piece == target)
    goes_back = reference.rules.man_capture_dirs != "forward_sideways"
    for origin, over, target in reference.leaps:
        if origin == point and (goes_back or reference.rise(player, origin, target) >= 0):
            state = RefState(men=_sides(player, {point}, {over}), player=player, memory=entries)
            after = reference.play(state, RefStep(point, target, over))
            yield target, frozenset(other for piece, other in after.memory if piece == target)


def _sides(player: int, own: set[int], enemy: set[int]) -> tuple[Points, Points]:
    south, north = (own, enemy) if player == 0 else (enemy, own)
    return frozenset(south), frozenset(north)


def text_of(game: Game, state: RefState) -> str:
    """A position as text."""
    labels = game.board.labels

    def side(player: int) -> str:
        points = sorted(state.pieces(player))
        return ",".join("K" * (point in state.kings[player]) + labels[point] for point in points)

    fields = ["WB"[state.player], f"W{side(0)}", f"B{side(1)}"]
    if state.chain is not None:
        fields.append(f"C{labels[state.chain]}")
    if memory := sorted(state.memory):
        fields.append("U" + ",".join(f"{labels[piece]}-{labels[target]}" for piece, target in memory))
    if state.ahead is not None:
        fields.append(f"A{labels[state.ahead]}")
    if state.captured:
        fields.append("X" + ",".join(labels[point] for point in sorted(state.captured)))
    if state.chain_start is not None:
        fields.append(f"S{labels[state.chain_start]}")
    if state.visited:
        fields.append("V" + "-".join(labels[point] for point in sorted(state.visited)))
    if state.closed:
        fields.append("Z" + ",".join(labels[point] for point in sorted(state.closed)))
    return ":".join(fields)
