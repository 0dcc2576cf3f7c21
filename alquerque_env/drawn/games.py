"""Games drawn from a distribution: boards and rules that nobody chose. A seed gives the same game for ever."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import fields
from importlib import resources
from itertools import count
from random import Random
from typing import Any, TypeVar

from ..batch.rollouts import rollouts
from ..bots import load_bot
from ..errors import RulesError, UnknownNameError
from ..game.array_check import check_at_least
from ..game.game import Game, load_text
from ..game.options import Rules, allowed, contradictions
from ..match.match import Match
from ..solve.tables.build import plan
from ..solve.tables.whole import whole_pieces
from . import boards

DISTRIBUTION = "drawn-1"
"""The version of the distribution: another one draws other games."""

SMALL, LARGE = "small", "large"
POINTS = {SMALL: (9, 16), LARGE: (17, 36)}
"""The fewest and the most points of a board, by size."""

MOST_POSITIONS = 1_500_000
"""The most positions of a small game, so that its whole table takes about a second."""

ROLLOUTS, SHORTEST, LONGEST = 256, 10, 200
"""Random matches that are tried, and the fewest and the most plies that they take in the mean."""

PAIRS = 4
"""Matches of a shallow search against random play that each side gets to show that it can win."""

Item = TypeVar("Item")


class Chance(Random):
    """Draws that are the same in every version of Python: they rest on `random` alone, which is promised to be so."""

    def choice(self, seq: Any) -> Any:
        """One of several."""
        return seq[int(self.random() * len(seq))]

    def randint(self, a: int, b: int) -> int:
        """A number between two, both included."""
        return a + int(self.random() * (b - a + 1))

    def sample(self, population: Any, k: int, *, counts: Any = None) -> list[Any]:  # noqa: ARG002 - as in `Random`
        """Several different ones of several."""
        left = list(population)
        return [left.pop(int(self.random() * len(left))) for _ in range(k)]


def draw_game(seed: int, size: str = SMALL) -> Game:
    """Draws a game.

    The board is a grid or a wheel. The rules are drawn from the questions of the family: steps, directions, captures,
    chains, removal, promotion, ends, and hunts with unequal sides. A game is drawn again if its rules contradict each
    other, if random matches take less than 10 or more than 200 plies in the mean, or if one side wins no match of some;
    a small game also if it has more than 1.5 M positions.

    Args:
      seed: The number of the game in the distribution.
      size: "small", with 9 to 16 points, or "large", with 17 to 36.

    Returns:
      The game, whose id is such as `drawn-1-11007`, or `drawn-1-large-7`.

    Raises:
      AlquerqueError: If the seed is no natural number.
      UnknownNameError: If there is no such size.

    Example:
      >>> draw_game(11007).name
      'drawn-1-11007'
    """
    if size not in POINTS:
        raise UnknownNameError("size", size, POINTS)
    seed = check_at_least(0, "seed", seed)
    first = tried_before(seed) if size == SMALL else None
    if first is not None:
        return candidate(seed, size, first)  # known to be played well, and to be no other game
    return next(game for _, game in good_candidates(seed, size))


def good_candidates(seed: int, size: str = SMALL, first: int = 0) -> Iterator[tuple[int, Game]]:
    """The games of a seed that can be played well, each with the number of its try, from the first one on."""
    for number in count(first):
        try:
            game = candidate(seed, size, number)
        except RulesError:
            continue
        if is_playable(game, size):
            yield number, game


def candidate(seed: int, size: str, number: int) -> Game:
    """What a seed gives in one of its tries; raises `RulesError` if that is no game."""
    chance = Chance(f"{DISTRIBUTION}/{size}/{seed}/{number}")
    name = f"{DISTRIBUTION}-{seed}" if size == SMALL else f"{DISTRIBUTION}-{size}-{seed}"
    return load_text(name, json.dumps(_tables(chance, size, name)))


def tried_before(seed: int) -> int | None:
    """The number of the try that gives the small game of a seed; None beyond the seeds of the splits."""
    data = resources.files(__package__).joinpath(f"{DISTRIBUTION}.tries").read_bytes()
    return data[seed] if seed < len(data) else None


def is_playable(game: Game, size: str) -> bool:
    """Whether random matches are neither short nor long, and either side wins some match."""
    if size == SMALL and plan(game, whole_pieces(game), math.inf).size > MOST_POSITIONS:
        return False
    if Match(game).is_over:
        return False
    found = rollouts(game, ROLLOUTS, seed=0)
    if not SHORTEST <= found.length.mean() <= LONGEST:
        return False
    return all(found.share(side) > 0 or _wins_against_random(game, side) for side in (0, 1))


def _wins_against_random(game: Game, side: int) -> bool:
    """Whether a search of two turns wins one of some matches against random play."""
    for seed in range(PAIRS):
        players = [load_bot("random", game, seed=seed) for _ in range(2)]
        players[side] = load_bot("alphabeta:2", game, seed=seed)
        match = Match(game)
        while not match.is_over and match.num_steps < 2 * LONGEST:
            match.push(players[match.player].choose(match))
        if match.outcome is not None and match.outcome.winner == side:
            return True
    return False


def _tables(chance: Chance, size: str, name: str) -> dict[str, Any]:
    """The tables of a game file."""
    board = _board(chance, *POINTS[size])
    is_hunt = chance.random() < 0.2
    rules = _rules(chance)
    tables: dict[str, Any] = {
        "title": f"Drawn game {name}",
        "version": 1,
        "sources": [f"{DISTRIBUTION}: drawn at random"],
        "board": board.tables("Drawn board"),
        "start": _hunters(chance, board) if is_hunt else _mirrored(chance, board, size),
        "options": {},
    }
    if is_hunt:
        most = len(tables["start"]["north"].split())
        tables |= {
            "south": {"piece": "tiger", "pieces": "tigers"},
            "north": {"piece": "goat", "pieces": "goats", "captures": "none", "loses_at": chance.randint(1, most // 2)},
        }
        rules |= {"promotion": "none", "who_starts": chance.choice(("player_0", "player_1")), "no_moves": "loss"}
    settle(chance, rules)
    return tables | {"rules": rules}


def _board(chance: Chance, least: int, most: int) -> boards.BoardDraft:
    """A board with so many points."""
    while True:
        board = _wheel(chance, most) if chance.random() < 0.25 else _grid(chance, most)
        if least <= len(board.labels) <= most:
            return board


def _grid(chance: Chance, most: int) -> boards.BoardDraft:
    width, height = chance.randint(3, most // 3), chance.randint(3, most // 3)
    places = [(x, y) for y in range(height) for x in range(width)]
    if chance.random() < 0.2:
        x, y = gap = chance.choice(places)
        places = [place for place in places if place not in (gap, (width - 1 - x, height - 1 - y))]
    ways = chance.choice((boards.ACROSS, (*boards.ACROSS, *boards.DIAGONAL), (*boards.ACROSS, *boards.DIAGONAL)))
    return boards.grid(chance, places, ways, half_the_diagonals=chance.random() < 0.6)


def _wheel(chance: Chance, most: int) -> boards.BoardDraft:
    spokes = chance.randint(4, 8)
    rings = max(1, (most - 1) // spokes)
    tilt = chance.choice((math.pi / 2, math.pi / spokes))
    return boards.wheel(chance, spokes, chance.randint(1, rings), tilt, ("circles", "circles", ""), whole=1.0)


def _in_order(board: boards.BoardDraft) -> list[str]:
    """The points from south to north, and from west to east."""
    places = dict(zip(board.labels, board.places, strict=True))
    return sorted(board.labels, key=lambda label: (places[label][1], places[label][0]))


def _mirrored(chance: Chance, board: boards.BoardDraft, size: str) -> dict[str, str]:
    """As many pieces of either side, those of North where a half-turn takes those of South."""
    order, image = _in_order(board), boards.half_turn(dict(zip(board.labels, board.places, strict=True)))
    most = (len(order) - 1) // 2
    south = order[: chance.randint(2 if size == SMALL else most // 2, most)]
    north = [image[label] for label in south] if image else order[::-1][: len(south)]
    return {"south": " ".join(south), "north": " ".join(north)}


def _hunters(chance: Chance, board: boards.BoardDraft) -> dict[str, str]:
    """One or two pieces of South against several of North."""
    order = _in_order(board)
    hunters = chance.randint(1, 2 if len(order) > 12 else 1)
    south = chance.sample(order[: len(order) // 2], hunters)
    left = [label for label in reversed(order) if label not in south]
    north = left[: chance.randint(3 * hunters, max(3 * hunters, len(left) - 3))]
    return {"south": " ".join(south), "north": " ".join(north)}


_DRAWN: dict[str, Sequence[Any]] = {
    "man_steps": ("all", "all", "forward_sideways", "forward"),
    "man_capture_dirs": ("all", "all", "forward_sideways", "forward"),
    "captures": ("leap",) * 8 + ("odd_rows", "custodial"),
    "capture": ("compulsory", "optional"),
    "chain": ("compulsory", "compulsory", "optional", "single"),
    "capture_removal": ("immediate", "immediate", "end_of_turn"),
    "max_capture": ("none", "none", "none", "most_pieces"),
    "promotion": ("none", "none", "last_rank"),
    "midchain_promotion": ("only_if_turn_ends_there", "promote_and_stop", "promote_and_continue"),
    "mullah_steps": ("any_distance", "one_point"),
    "mullah_captures": ("any_distance", "next_point"),
    "mullah_landing": ("free", "must_continue"),
    "no_moves": ("loss", "loss", "loss", "draw", "majority", "pass"),
    "progress": ("capture", "capture_or_promotion"),
    "lose_at_three": (False, False, False, True),
}
"""The answers to each question, those that are drawn more often several times. They belong to the version."""

_FIXED = {"repetition": "off", "no_progress_limit": 50, "no_progress_result": "draw", "who_starts": "player_0"}


def _rules(chance: Chance) -> dict[str, Any]:
    return {name: chance.choice(answers) for name, answers in _DRAWN.items()} | _FIXED


def settle(chance: Random, rules: dict[str, Any]) -> None:
    """Draws answers anew until none excludes another."""
    while (found := next(contradictions(answers_of(rules)), None)) is not None:
        exclusion, name, _ = found
        name, excluded = chance.choice([(name, exclusion.never[name]), *exclusion.when.items()])
        rules[name] = chance.choice(allowed(name, excluded))


def answers_of(rules: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The answers to every question, as `Ruleset.answers` has them, of a game whose sides are alike."""
    return {rule.name: (rules.get(rule.name, rule.default),) for rule in fields(Rules)}
