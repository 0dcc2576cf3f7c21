"""Solves two whole games a second time, from the sentences of their rules, and compares every value with the tables.

    python -m tools.solve_again felli_simplified pretwa

It shares nothing with the package but the labels of the points: boards, numbers of positions, steps, captures and the
search backward are its own. The table is asked for values and distances of states, which are put together from the
states that `Match` makes of position texts.

The rules of both games: a piece steps along a line to a vacant point next to it, or leaps along a line over an enemy
next to it to the vacant point behind, and removes it. Who can capture must, and goes on with the same piece as long as
it can. Who has no pieces left, or cannot move, loses. After 50 turns without a capture the match is a draw.

No rule has a direction or a side, so a position is the set of pieces of the player to move and that of the opponent.
The code of a position is 0 for a draw, d + 1 for a win in d turns, and -d - 1 for a loss in d turns.
"""

import sys
import time
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from numba import njit

from alquerque_env import Match, load_game, load_table

LIMIT = 50  # turns without a capture
NOT_USED = -32768  # the code of a number that stands for no position
NO_TURN = -20000
AT_ONCE = 1 << 20  # positions that the table is asked for
compiled = njit(_nrt=False)  # without counts of references to the arrays of a board, which take more time than the rest


class Rules(NamedTuple):
    """A game: the labels of its points, its lines, its closed lines, and permutations that map lines to lines."""

    labels: str
    lines: str
    circles: str
    symmetries: tuple[str, ...]
    pieces: int


GAMES = {
    "felli_simplified": Rules(
        "a1 c1 e1 b2 c2 d2 c3 b4 c4 d4 a5 c5 e5",
        "a1-c1-e1 a1-b2-c3-d4-e5 c1-c2-c3-c4-c5 e1-d2-c3-b4-a5 b2-c2-d2 b4-c4-d4 a5-c5-e5",
        "",
        ("e1 c1 a1 d2 c2 b2 c3 d4 c4 b4 e5 c5 a5", "a5 c5 e5 b4 c4 d4 c3 b2 c2 d2 a1 c1 e1"),
        6,
    ),
    "pretwa": Rules(
        "o0 a1 b1 c1 d1 e1 f1 a2 b2 c2 d2 e2 f2 a3 b3 c3 d3 e3 f3",
        "a3-a2-a1-o0-d1-d2-d3 b3-b2-b1-o0-e1-e2-e3 c3-c2-c1-o0-f1-f2-f3",
        "a1-b1-c1-d1-e1-f1 a2-b2-c2-d2-e2-f2 a3-b3-c3-d3-e3-f3",
        (
            "o0 b1 c1 d1 e1 f1 a1 b2 c2 d2 e2 f2 a2 b3 c3 d3 e3 f3 a3",
            "o0 a1 f1 e1 d1 c1 b1 a2 f2 e2 d2 c2 b2 a3 f3 e3 d3 c3 b3",
        ),
        9,
    ),
}


class Board(NamedTuple):
    """What the functions below read. Sets of points are integers, bit `p` for point `p`.

    Attributes:
      steps: For each point the points next to it on a line; -1 fills the rows, here and in `leaps`.
      leaps: For each point the pairs of the point leapt over and the point behind.
      images: For each symmetry and set of points where it maps the set.
      least: For each set the least of its images.
      views: For each set the symmetries that map it to the least, as bits.
      size: For each set how many points it has.
      place: For each set its place among those of the same size that are the least of their images.
      rank: For each set its place among all of the same size.
      own: For each size the sets that are the least of their images.
      all: For each size all sets.
      choose: Binomial coefficients.
      base: For each number of own pieces and of the opponent's the first number of these positions.
    """

    steps: np.ndarray
    leaps: np.ndarray
    images: np.ndarray
    least: np.ndarray
    views: np.ndarray
    size: np.ndarray
    place: np.ndarray
    rank: np.ndarray
    own: np.ndarray
    all: np.ndarray
    choose: np.ndarray
    base: np.ndarray


def make_board(rules: Rules) -> tuple[Board, int]:
    """The board of a game, and how many numbers its positions have."""
    labels = rules.labels.split()
    points = len(labels)
    lines = [[labels.index(label) for label in line.split("-")] for line in rules.lines.split()]
    for circle in rules.circles.split():
        ring = [labels.index(label) for label in circle.split("-")]
        lines.append([*ring, *ring[:2]])
    ways = [way for line in lines for way in (line, line[::-1])]
    next_to = {pair for way in ways for pair in pairwise(way)}
    over = {three for way in ways for three in zip(way, way[1:], way[2:], strict=False)}
    degree = [max(sum(way[0] == point for way in found) for point in range(points)) for found in (next_to, over)]
    steps, leaps = np.full((points, degree[0]), -1), np.full((points, degree[1], 2), -1)
    for point in range(points):
        for index, (_, target) in enumerate(sorted(pair for pair in next_to if pair[0] == point)):
            steps[point, index] = target
        for index, (_, victim, target) in enumerate(sorted(three for three in over if three[0] == point)):
            leaps[point, index] = victim, target

    symmetries = {tuple(range(points))}
    turns = [[labels.index(label) for label in text.split()] for text in rules.symmetries]
    while more := {tuple(turn[p] for p in known) for known in symmetries for turn in turns} - symmetries:
        symmetries |= more
    for turn in symmetries:
        assert {(turn[a], turn[b], turn[c]) for a, b, c in over} == over

    sets = np.arange(1 << points, dtype=np.int32)
    images = np.zeros((len(symmetries), 1 << points), np.int32)
    size = np.zeros(1 << points, np.uint8)
    for point in range(points):
        has = sets >> point & 1
        size += has.astype(np.uint8)
        for image, turn in zip(images, sorted(symmetries), strict=True):
            image |= has << turn[point]
    least = images.min(0)
    views = sum((image == least).astype(np.int32) << number for number, image in enumerate(images))
    most = comb(points, points // 2)
    own, every = np.zeros((2, rules.pieces + 1, most), np.int32)
    place, rank = np.zeros((2, 1 << points), np.int32)
    counts = []
    for pieces in range(rules.pieces + 1):
        of_size = sets[size == pieces]
        every[pieces, : len(of_size)], rank[of_size] = of_size, np.arange(len(of_size))
        leasts = of_size[least[of_size] == of_size]
        own[pieces, : len(leasts)] = leasts
        place[of_size] = np.searchsorted(leasts, least[of_size])
        counts.append(len(leasts))

    choose = np.array([[comb(a, b) for b in range(points + 1)] for a in range(points + 1)])
    base = np.zeros((rules.pieces + 1, rules.pieces + 1), np.int64)
    total = 0
    for a in range(1, rules.pieces + 1):
        for b in range(1, rules.pieces + 1):
            base[a, b] = total
            total += counts[a] * comb(points - a, b)
    return Board(steps, leaps, images, least, views, size, place, rank, own, every, choose, base), total


@compiled
def number_of(board, own, enemy):
    """The number of a position, the same for all its images."""
    least, lowest = board.least[own], np.int64(1 << 60)
    views, view = board.views[own], 0
    while views:
        if views & 1:
            rest, packed = board.images[view, enemy], 0
            while rest:  # each piece of the opponent moves down by the number of own points below it
                bit = rest & -rest
                packed |= bit >> board.size[least & bit - 1]
                rest ^= bit
            lowest = min(lowest, np.int64(board.rank[packed]))
        views >>= 1
        view += 1
    a, b = board.size[own], board.size[enemy]
    return board.base[a, b] + board.place[own] * board.choose[len(board.steps) - a, b] + lowest


@compiled
def position_of(board, a, b, number):
    """The own and the enemy's pieces of a number."""
    points = len(board.steps)
    ways = board.choose[points - a, b]
    own = board.own[a, (number - board.base[a, b]) // ways]
    packed, enemy = board.all[b, (number - board.base[a, b]) % ways], 0
    for point in range(points):
        if not own >> point & 1:
            enemy |= (packed & 1) << point
            packed >>= 1
    return np.int64(own), np.int64(enemy)


@compiled
def a_turn_before(code):
    """The code of a position whose best turn leads to a position of this code for the opponent."""
    return -code - np.sign(code)


@compiled
def worth(code):
    """Quick wins, slow wins, draws, slow losses, quick losses."""
    return np.sign(code) * 10000 - code


@compiled
def better(code, other):
    """The code that a player prefers."""
    return code if other == NO_TURN or (code != NO_TURN and worth(code) > worth(other)) else other


@compiled
def best_capture(board, codes, own, enemy, piece, to_capture, has_begun):
    """The code of the best way to capture with a piece that `own` leaves out; NO_TURN if it cannot and has not."""
    best = NO_TURN
    for victim, target in board.leaps[piece]:
        if victim >= 0 and enemy >> victim & 1 and not (own | enemy) >> target & 1:
            found = best_capture(board, codes, own, enemy ^ 1 << victim, target, to_capture, True)
            best = better(best, found)
    if best != NO_TURN or not has_begun:
        return best
    after = np.int64(codes[number_of(board, enemy, own | 1 << piece)]) if enemy else np.int64(-1)
    return a_turn_before(np.sign(after) if to_capture else after)


@compiled
def can_capture(board, own, enemy):
    """Whether the player to move can capture."""
    for piece in range(len(board.steps)):
        if own >> piece & 1:
            for victim, target in board.leaps[piece]:
                if victim >= 0 and enemy >> victim & 1 and not (own | enemy) >> target & 1:
                    return True
    return False


@compiled
def add(found, count, number):
    """Adds a number to the first `count` of a list unless it is there; returns how many there are."""
    for index in range(count):
        if found[index] == number:
            return count
    found[count] = number
    return count + 1


@compiled
def steps_to(board, own, enemy, found):
    """Lists the different positions after the steps of a player."""
    count = 0
    for piece in range(len(board.steps)):
        if own >> piece & 1:
            for target in board.steps[piece]:
                if target >= 0 and not (own | enemy) >> target & 1:
                    count = add(found, count, number_of(board, enemy, own ^ (1 << piece | 1 << target)))
    return count


@compiled
def steps_from(board, own, enemy, found):
    """Lists the different positions from which a step leads here, whether or not that player had to capture."""
    count = 0
    for piece in range(len(board.steps)):
        if enemy >> piece & 1:
            for origin in board.steps[piece]:
                if origin >= 0 and not (own | enemy) >> origin & 1:
                    count = add(found, count, number_of(board, enemy ^ (1 << piece | 1 << origin), own))
    return count


@compiled
def begin(board, a, b, codes, left, to_capture, found):
    """Finds the codes of positions in which a player captures or cannot move; counts the steps of all others."""
    first = board.base[a, b]
    for number in range(first, first + len(left)):
        own, enemy = position_of(board, a, b, number)
        views = board.views[own]
        if views & views - 1 and number_of(board, own, enemy) != number:  # an image of a lower number
            codes[number] = NOT_USED
            continue
        if can_capture(board, own, enemy):
            best = NO_TURN
            for piece in range(len(board.steps)):
                if own >> piece & 1:
                    code = best_capture(board, codes, own ^ 1 << piece, enemy, piece, to_capture, False)
                    best = better(best, code)
            codes[number] = best
            continue
        left[number - first] = steps_to(board, own, enemy, found)
        codes[number] = 0 if left[number - first] else -1


@compiled
def go_back(board, a, b, codes, left, left_before, turns, found):
    """Goes back from all positions that are won or lost in so many turns; returns how many got a code.

    `found` is room for the positions before one, here and in `begin` for those after it.
    """
    first, first_before = board.base[a, b], board.base[b, a]
    count = 0
    for number in range(first, first + len(left)):
        if abs(np.int64(codes[number])) != turns + 1:
            continue
        own, enemy = position_of(board, a, b, number)
        for index in range(steps_from(board, own, enemy, found)):
            before = found[index]
            if left_before[before - first_before] == 0 or codes[before] != 0:
                continue  # the player had to capture there, or the code is known
            if codes[number] < 0:
                codes[before] = turns + 2
                count += 1
            else:
                left_before[before - first_before] -= 1
                if left_before[before - first_before] == 0:
                    codes[before] = -(turns + 2)
                    count += 1
    return count


@compiled
def list_positions(board, a, b, codes, numbers, owns, enemies):
    """Lists the positions with so many pieces; returns how many there are."""
    count = 0
    first = board.base[a, b]
    for number in range(first, first + len(numbers)):
        if codes[number] != NOT_USED:
            numbers[count] = number
            owns[count], enemies[count] = position_of(board, a, b, number)
            count += 1
    return count


def sizes(board: Board, total: int) -> dict[tuple[int, int], int]:
    """How many numbers there are for each number of own pieces and of the opponent's."""
    most = len(board.base)
    pairs = [(a, b) for a in range(1, most) for b in range(1, most)]
    ends = [int(board.base[pair]) for pair in pairs[1:]] + [total]
    return {pair: end - int(board.base[pair]) for pair, end in zip(pairs, ends, strict=True)}


def solve(board: Board, total: int, *, to_capture: bool) -> np.ndarray:
    """The codes of all positions, int16.

    With `to_capture`, turns are counted to the next capture or the end of the match, and who cannot win in `LIMIT` of
    them draws; only the signs of these codes are returned.
    """
    codes, found = np.zeros(total, np.int16), np.zeros(100, np.int64)
    parts = sizes(board, total)
    for a, b in sorted(parts, key=sum):
        if a < b:
            continue
        group = [(a, b)] if a == b else [(a, b), (b, a)]
        left = {pair: np.zeros(parts[pair], np.uint8) for pair in group}
        places = [slice(int(board.base[pair]), int(board.base[pair]) + parts[pair]) for pair in group]
        for pair in group:
            begin(board, *pair, codes, left[pair], to_capture, found)
        turns, furthest = 0, max(_most_turns(codes[place]) for place in places)
        while turns <= furthest:
            if sum(go_back(board, *pair, codes, left[pair], left[pair[::-1]], turns, found) for pair in group):
                furthest = max(furthest, turns + 1)
            turns += 1
        for place in places if to_capture else ():
            known = codes[place].astype(np.int32)
            within = np.where(abs(known) - 1 <= LIMIT, np.sign(known), 0)
            codes[place] = np.where(known == NOT_USED, NOT_USED, within)
    return codes


def _most_turns(codes: np.ndarray) -> int:
    used = codes[codes != NOT_USED]
    return max(int(used.max(initial=0)), -int(used.min(initial=0))) - 1


def words_of_states(name: str, labels: list[str]) -> tuple[np.ndarray, list[np.ndarray]]:
    """What makes up a state with South to move: a row for all, and for each player and set of points a row to add."""

    def state(south: str, north: str) -> np.ndarray:
        return np.array(Match(name, f"W:W{south}:B{north}").state, np.int64)

    added = [np.zeros((1, len(state(*labels[:2]))), np.int64) for _ in range(2)]
    for label in labels:
        x, y = [other for other in labels if other != label][:2]
        of_point = state(f"{x},{label}", y) - state(x, y), state(x, f"{y},{label}") - state(x, y)
        added = [np.concatenate([rows, rows + row]) for rows, row in zip(added, of_point, strict=True)]
    return state(*labels[:2]) - added[0][1] - added[1][2], added


def compare(name: str) -> dict[str, int]:
    """Solves a game, compares it with its table and returns the counts; raises `AssertionError` at a difference."""
    rules = GAMES[name]
    board, total = make_board(rules)
    codes = solve(board, total, to_capture=False)
    limited = solve(board, total, to_capture=True)
    table = load_table(load_game(name))
    table.expand(threads=1)  # or each position with a capture would be worked out from its ends
    constant, words = words_of_states(name, rules.labels.split())
    counts = {"positions": 0, "won": 0, "drawn": 0, "lost": 0, "longest": 0}
    counts |= {"changed_by_limit": 0, "differences": 0}
    for (a, b), size in sizes(board, total).items():
        numbers, owns, enemies = np.zeros((3, size), np.int64)
        count = list_positions(board, a, b, codes, numbers, owns, enemies)
        for first in range(0, count, AT_ONCE):
            rows = slice(first, min(first + AT_ONCE, count))
            code, within = codes[numbers[rows]].astype(np.int64), limited[numbers[rows]]
            states = constant + words[0][owns[rows]] + words[1][enemies[rows]]
            found = table.probe(states)
            differs = ~found.known | (found.value != np.sign(code)) | (found.value != within)
            differs |= found.distance != np.where(code == 0, -1, abs(code) - 1)
            counts["positions"] += len(code)
            counts["won"] += int((code > 0).sum())
            counts["drawn"] += int((code == 0).sum())
            counts["lost"] += int((code < 0).sum())
            counts["longest"] = max(counts["longest"], int(abs(code).max()) - 1)
            counts["changed_by_limit"] += int((np.sign(code) != within).sum())
            counts["differences"] += int(differs.sum())
    return counts


if __name__ == "__main__":
    for game in sys.argv[1:]:
        began = time.process_time()
        found = compare(game)
        print(game, found, f"{time.process_time() - began:.0f} s of processor time", flush=True)
        if found["differences"]:
            sys.exit(1)
