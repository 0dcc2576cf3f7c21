"""The option values under which tests play every game."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from alquerque_env import games, load_game
from alquerque_env.errors import RulesError

Case = tuple[str, dict[str, object]]


def every_value() -> list[Case]:
    """The defaults of each game, and each other value of each option, beside what it needs to be allowed."""
    cases: list[Case] = []
    for name in games():
        cases.append((name, {}))
        for option, entry in load_game(name).option_table.items():
            for value in entry.values:
                chosen = {option: 7 if value == "N" else value}
                if value != entry.default:
                    cases.append((name, chosen | needed(name, option, value)))
    return cases + MIXED


COMPANIONS: tuple[dict[str, object], ...] = (
    {},
    {"no_progress_limit": 30},
    {"repetition": "threefold_draw"},
    {"max_capture": "none"},
)
"""Other options that allow a value, where it contradicts the defaults."""


def needed(name: str, option: str, value: object) -> dict[str, object]:
    """The first companions with which a game takes a value.

    Raises:
      RulesError: If it never takes it.
    """
    refused = None
    for others in COMPANIONS:
        if option not in others and others.keys() <= load_game(name).option_table.keys():
            try:
                load_game(name, **{option: 7 if value == "N" else value, **others})
            except RulesError as error:
                refused = refused or error
            else:
                return others
    raise refused


# Options that act on each other.
MIXED: list[Case] = [
    ("alquerque", {"undo_scope": "never_revisit", "undo_cleared_by_jump": False}),
    ("alquerque", {"undo_scope": "never_revisit", "undo_cleared_by_jump": False, "capture_removal": "end_of_turn"}),
    ("alquerque", {"undo_scope": "per_player_last_move", "undo_cleared_by_jump": False, "no_progress_limit": 30}),
    ("alquerque", {"undo_cleared_by_jump": False, "capture_removal": "end_of_turn", "capture": "optional"}),
    ("alquerque", {"repetition": "threefold_draw", "undo_scope": "per_player_last_move"}),
    ("alquerque", {"last_rank_frozen": True, "man_capture_dirs": "first_leap_forward_sideways"}),
    ("fetaix", {"man_capture_dirs": "all", "midchain_promotion": "promote_and_continue"}),
    ("fetaix", {"man_capture_dirs": "all", "midchain_promotion": "promote_and_stop", "max_capture": "most_pieces"}),
    ("fetaix", {"man_capture_dirs": "all", "chain": "single", "midchain_promotion": "promote_and_continue"}),
    ("fetaix", {"man_capture_dirs": "all", "mullah_landing": "must_continue", "capture": "optional"}),
    ("fetaix", {"mullah_landing": "must_continue", "max_capture": "most_pieces", "capture_removal": "end_of_turn"}),
    ("fetaix", {"man_capture_dirs": "first_leap_forward_sideways", "chain": "optional", "no_moves": "pass"}),
    ("fetaix", {"mullah_lines": "long_diagonals", "man_capture_dirs": "all", "capture_removal": "end_of_turn"}),
    ("fetaix", {"opening": "straight_only", "who_starts": "player_1", "repetition": "threefold_draw"}),
    ("awithlaknannai_mosona", {"chain": "optional", "chain_may_return_to_start": False, "capture": "optional"}),
    ("awithlaknannai_mosona", {"chain_may_return_to_start": False, "capture_removal": "end_of_turn"}),
    ("awithlaknannai_mosona", {"board": "culin", "no_moves": "pass", "repetition": "threefold_draw"}),
    ("awithlaknannai_mosona", {"board": "zigzag", "leap": "drawn_line", "who_starts": "player_1"}),
    ("awithlaknannai_mosona", {"board": "culin", "leap": "straight", "end_arc": False}),
    ("awithlaknannai_mosona", {"board": "murray", "leap": "drawn_line"}),
    ("alquerque_murray", {"no_moves": "pass", "chain": "optional", "capture_removal": "end_of_turn"}),
    ("alquerque_alfonso_x", {"chain": "optional", "no_moves": "majority", "no_progress_result": "majority"}),
]


CORE = (
    "alquerque",  # memory of the last step
    "fetaix",  # flying kings, and an option of nearly every kind
    "awithlaknannai_mosona",  # leaps that bend, and an opening
    "kharbaga",  # the capture of most pieces
    "pretwa",  # circles
)
"""The games that the default tests play."""

VARIED = (
    *CORE,
    *("alquerque_alfonso_x", "alquerque_murray", "awithlaknannai_mosona_davis"),
    "draughts_english",  # labels without letters, kings of one step, North starts
    "felli",  # points of promotion
    "high_jump",  # a sanctuary
    "kolowis_awithlaknannai",  # 49 points
)
"""Games that between them have every kind of rule and board: those of the slow tests. The long tests play all games."""


def core_games() -> list[Any]:
    """Parameters for a test: every game's id, marked as `marks_of` says."""
    return core_first((name,) for name in games())


def core_first(cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Parameters for a test: cases that begin with a game's id, marked as `marks_of` says."""
    return [pytest.param(*case, marks=marks_of(case[0])) for case in cases]


def marks_of(name: str) -> tuple[pytest.MarkDecorator, ...]:
    """Games of `CORE` are played by default, the others of `VARIED` by slow tests, and all others by long ones."""
    return () if name in CORE else (pytest.mark.slow,) if name in VARIED else (pytest.mark.long,)


def sampled_values() -> list[Any]:
    """Parameters for a test: `every_value`, marked as `marks_of` says; of values that are no defaults, a sample."""
    return [pytest.param(*case, marks=_marks(place, case)) for place, case in enumerate(every_value())]


def sampled_numbers(cases: Sequence[Case], numbers: Iterable[int] | None = None) -> list[Any]:
    """As `sampled_values`, for tests that take the number of a case; `numbers` are the cases to test, None for all."""
    chosen = range(len(cases)) if numbers is None else numbers
    return [
        pytest.param(number, id=str(cases[number]), marks=_marks(place, cases[number]))
        for place, number in enumerate(chosen)
    ]


def _marks(place: int, case: Case) -> tuple[pytest.MarkDecorator, ...]:
    name, options = case
    if not options:
        return marks_of(name)
    if name not in VARIED or place % 3:
        return (pytest.mark.long,)
    return () if name in CORE and place % 2 else (pytest.mark.slow,)
