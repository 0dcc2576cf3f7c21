"""The planes of an observation. They show everything that the rules depend on, except earlier positions.

An observation is int8 `[C, P]`, `C` planes of `P` points in the frame of the player to move: for `player_1` the board
is turned if the game is symmetric. The engine's `observe` fills it from the rows of this module.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from . import state_layout as STATE, table_layout as TABLE
from .outcomes import OCCURRENCES_TO_DRAW
from .ruleset import NORTH, SOUTH, Ruleset


class Plane(NamedTuple):
    """One plane of an observation.

    Attributes:
      name: Its short name.
      maximum: Its largest value; the smallest is 0.
      meaning: What it shows.
      row: How the engine fills it: its kind, then for each player to move an index into the state, or a unit.
    """

    name: str
    maximum: int
    meaning: str
    row: tuple[int, int, int]


def planes(game: Ruleset) -> tuple[Plane, ...]:
    """The planes of a game's observations, in order."""
    return (*_pieces(game), *_chain(game), *_memory(game), *_schedule(game), *_facts(game))


def plane_scale(game: Ruleset) -> np.ndarray:
    """float32 `[C]`: the maximum of each plane, to scale observations to [0, 1]."""
    return np.array([plane.maximum for plane in planes(game)], np.float32)


def clock_planes(game: Ruleset) -> tuple[int, ...]:
    """The planes of the plies without progress and of earlier positions, by number."""
    return tuple(number for number, plane in enumerate(planes(game)) if plane.row[0] in TABLE.PLANES_OF_CLOCK)


_SIDES = (("own", "player to move", 0), ("enemy", "opponent", 1))


def _word(name: str, meaning: str, place: int) -> Plane:
    """A plane of the points in a word of the state."""
    return Plane(name, 1, meaning, (TABLE.PLANE_WORD, place, place))


def _pieces(game: Ruleset) -> Iterator[Plane]:
    kinds = [("men", "men", STATE.MEN)]
    if game.rules.promotion != "none":
        kinds.append(("kings", "promoted pieces", STATE.KINGS))
    for name, title, word in kinds:
        for side, whose, other in _SIDES:
            row = (TABLE.PLANE_WORD, word + other, word + 1 - other)
            yield Plane(f"{side}_{name}", 1, f"{title} of the {whose}", row)


def _chain(game: Ruleset) -> Iterator[Plane]:
    rules = game.rules
    captures = rules.promotion != "none" or any(game.captures(player) != "none" for player in (SOUTH, NORTH))
    if rules.chain == "single" or not captures:
        return
    yield Plane("chain", 1, "the piece in the middle of a chain", (TABLE.PLANE_POINT, STATE.CHAIN, STATE.CHAIN))
    if rules.capture_removal == "end_of_turn":
        yield _word("captured", "pieces captured in this chain and not yet removed", STATE.CAPTURED)
    if rules.chain_visits_once:
        yield _word("visited", "points where this chain has been and may not land", STATE.BARRED)
    elif not rules.chain_may_return_to_start:
        yield _word("chain_start", "the point where this chain began and may not land", STATE.BARRED)
    if rules.chain_must_turn:
        yield _word("ahead", "the point straight ahead, to which this chain may not go on", game.ahead_place)


def _memory(game: Ruleset) -> Iterator[Plane]:
    if game.remembers_points:
        for point, label in enumerate(game.board.labels):
            meaning = f"points to which the piece on {label} of the mover's frame may not step"
            row = (TABLE.PLANE_WORD, STATE.MEMORY_POINTS + point, STATE.MEMORY_POINTS + game.turn[point])
            yield Plane(f"remembered_{label}", 1, meaning, row)
        return
    pairs = {frozenset(relation.items()): number for number, relation in enumerate(game.relations)}
    for number, relation in enumerate(game.relations):
        turned = frozenset((game.turn[point], game.turn[other]) for point, other in relation.items())
        example = " to ".join(game.board.labels[point] for point in min(relation.items()))
        meaning = f"pieces that may not step in the direction from {example} of the mover's frame"
        row = (TABLE.PLANE_WORD, STATE.MEMORY + number, STATE.MEMORY + pairs[turned])
        yield Plane(f"no_undo_{number}", 1, meaning, row)


def _schedule(game: Ruleset) -> Iterator[Plane]:
    if not game.schedule:
        return
    stage, hand = game.stage_place, game.stage_place + 1
    for side, whose, other in _SIDES:
        row = (TABLE.PLANE_NUMBER, hand + other, hand + 1 - other)
        yield Plane(f"{side}_hand", max(1, *game.hands), f"pieces that the {whose} is still to drop", row)
    row = (TABLE.PLANE_NUMBER, stage, stage)
    yield Plane("stage", len(game.schedule), "plies of the schedule that have been played", row)


def _facts(game: Ruleset) -> Iterator[Plane]:
    if game.closing_parts:
        yield _word("closed", "points that are closed for good", game.closed_place)
    digit, limit = TABLE.CLOCK_DIGIT, game.rules.no_progress_limit
    if limit != "off":
        is_long, clock = limit >= digit, "turns without progress"
        low = f"{clock} modulo {digit}" if is_long else clock
        yield Plane("clock", min(limit, digit - 1), low, (TABLE.PLANE_CLOCK, 1, 1))
        if is_long:
            yield Plane("clock_high", limit // digit, f"{clock} by {digit}", (TABLE.PLANE_CLOCK, digit, digit))
    if game.rules.repetition != "off":
        earlier = "how often the position occurred before"
        yield Plane("earlier", OCCURRENCES_TO_DRAW - 1, earlier, (TABLE.PLANE_EARLIER, 0, 0))
    if game.opening is not None:
        opening = "1 in the start position, where the opening rule holds"
        yield Plane("opening", 1, opening, (TABLE.PLANE_OPENING, 0, 0))
    if not game.is_symmetric:
        yield Plane("player", 1, "1 where player_1 is to move", (TABLE.PLANE_PLAYER, 0, 0))
