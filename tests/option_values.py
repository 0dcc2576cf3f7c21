"""The option values under which tests play every game, and the games that they play by default."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from alquerque_env import games, load_game
from alquerque_env.errors import RulesError
from alquerque_env.game.game import Game

Case = tuple[str, dict[str, object]]

NUMBERS = {"no_progress_limit": (7,)}
"""What stands for any number; of an option that is not here, a small one that bites and one that leaves room."""


def every_value() -> list[Case]:
    """The defaults of each game, and each other value of each option, beside what it needs to be allowed."""
    return [(name, options) for name in games() for options in values_of(name)] + MIXED


@cache
def values_of(name: str) -> list[dict[str, object]]:
    """The defaults of a game, and each other value of each option, beside what it needs to be allowed."""
    return [
        {},
        *(
            {option: value} | needed(name, option, value)
            for option, entry in load_game(name).option_table.items()
            for known in entry.values
            if known != entry.default
            for value in numbers(option, known)
        ),
    ]


def numbers(option: str, value: object) -> tuple[object, ...]:
    """The values to try for one of an option's table, where `N` stands for any number."""
    return NUMBERS.get(option, (2, 7)) if value == "N" else (value,)


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
                load_game(name, **{option: value, **others})
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
    ("fetaix", {"no_progress_limit": 300}),
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
    "bagh_chal",  # sides that differ, and a schedule of drops
)
"""The games that the default tests play."""

VARIED = (
    *CORE,
    *("alquerque_alfonso_x", "alquerque_murray", "awithlaknannai_mosona_davis"),
    "draughts_english",  # labels without letters, kings of one step, North starts
    "felli",  # points of promotion
    "high_jump",  # a sanctuary
    "kolowis_awithlaknannai",  # 49 points
    "catch_the_hare",  # a chain that ends with the match
    "indian_and_jackrabbits_tohono",  # goals
    "main_tapal_empat",  # men that step over any distance
    "rimau",  # removals, and leaps over rows
    "fanorona",  # captures by approach and withdrawal, and chains that are held to their way
)
"""Games that between them have every kind of rule and board: those of the slow tests. The long tests play all games."""


def core_games() -> list[Any]:
    """Parameters for a test: every game's id, marked as `marks_of` says."""
    return core_first((name,) for name in games())


def core_first(cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Parameters for a test: cases that begin with a game's id, marked as `marks_of` says."""
    return [pytest.param(*case, marks=marks_of(case[0])) for case in cases]


def core_or_long() -> list[Any]:
    """Parameters for a slow test that takes long: the games of `CORE`; the others are long."""
    return [pytest.param(name, marks=() if name in CORE else pytest.mark.long) for name in games()]


FEW = ("fetaix", "awithlaknannai_mosona")
"""The games of default tests to which one game is as good as another, as of environments."""


def few_games() -> list[Any]:
    """As `core_games`, with those of `FEW` by default."""
    return few_first((name,) for name in games())


def few_first(cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """As `core_first`, but of games under their defaults only those of `FEW` are played by default."""
    return [
        pytest.param(*case, marks=marks_of(case[0]) or (() if case[0] in FEW or any(case[1:2]) else pytest.mark.slow))
        for case in cases
    ]


def marks_of(name: str) -> tuple[pytest.MarkDecorator, ...]:
    """Games of `CORE` are played by default, the others of `VARIED` by slow tests, and all others by long ones."""
    return () if name in CORE else (pytest.mark.slow,) if name in VARIED else (pytest.mark.long,)


def is_fast(name: str) -> bool:
    """Whether a game has compiled kernels: its board does not have more points than a word has bits."""
    return not load_game(name).board.is_wide


@dataclass(frozen=True)
class Variants:
    """A game under some of its option values, which are loaded one after another; a test loops over them.

    Attributes:
      name: The game.
      share: `new`: the values that no game before this one has, as `new_values` says; `values`: all.
      part: One of them in so many, from which on.
    """

    name: str
    share: str
    part: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.name}-{self.share}-{'/'.join(map(str, self.part))}"

    def __iter__(self) -> Iterator[Game]:
        first, step = self.part
        mixed = [options for name, options in MIXED if name == self.name]
        chosen = new_values(self.name) if self.share == "new" else values_of(self.name)
        return (load_game(self.name, **options) for options in [*chosen, *mixed][first::step])


@cache
def new_values(name: str) -> list[dict[str, object]]:
    """The defaults of a game, and each value that no game before it has; those of `VARIED` come first."""
    in_order = list(dict.fromkeys((*VARIED, *games())))
    # The options of a game alone would not do: a value may need others beside it.
    tried = set().union(*map(_tried_with, in_order[: in_order.index(name)]))
    # The value itself comes first, before what it needs.
    return [options for options in values_of(name) if not options or next(iter(options.items())) not in tried]


@cache
def _tried_with(name: str) -> frozenset[tuple[str, object]]:
    """The values of options that are played with a game."""
    return frozenset(item for options in (load_game(name).options, *values_of(name)) for item in options.items())


PARTS = {"alquerque": 4, "fetaix": 4, "awithlaknannai_mosona": 4}
"""Games with many option values: their default tests take a part each, so that none takes long."""


def under_option_values(sample: int = 1, slow: int = 1) -> pytest.MarkDecorator:
    """A mark for a test that takes `variants`: each game under its defaults, and each value in the first that has it.

    Default tests play the games of `CORE`, under one value in `sample`; slow ones all others, one in `slow`. Long tests
    try all values of all games.
    """
    items = [(Variants(name, "new", (first, step)), ()) for name in CORE for first, step in _parts(name, sample)]
    others = [name for name in games() if name not in CORE]
    items += [
        (Variants(name, "new", (0, slow)), pytest.mark.slow if is_fast(name) else pytest.mark.long) for name in others
    ]
    items += [(Variants(name, "values", (0, 1)), pytest.mark.long) for name in games()]
    return pytest.mark.parametrize("variants", [pytest.param(item, marks=marks, id=str(item)) for item, marks in items])


def _parts(name: str, sample: int) -> list[tuple[int, int]]:
    parts = max(1, PARTS.get(name, 1) // sample)
    return [(part * sample, parts * sample) for part in range(parts)]


_LOOSE = {"man_steps": "all", "man_capture_dirs": "all", "undo_cleared_by_jump": False}

# Rules that no game here has together, but a game file may.
UNCOMMON: list[tuple[str, dict[str, Any]]] = [
    ("alquerque", {"man_steps": "all", "undo_scope": "never_revisit", "no_progress_limit": 30}),
    ("alquerque", {"man_steps": "all", "undo_scope": "per_player_last_move", "no_progress_limit": 30}),
    ("fetaix", {"progress": "capture", "opening": "straight_only"}),
    ("fetaix", {"man_steps": "forward", "man_capture_dirs": "forward", "progress": "capture_or_man_step"}),
    ("fetaix", {"man_steps": "forward", "man_capture_dirs": "all", "mullah_steps": "one_point"}),
    ("fetaix", {"mullah_captures": "next_point", "man_capture_dirs": "all", "no_progress_limit": 7}),
    ("fetaix", {"mullah_captures": "next_point", "mullah_steps": "one_point", "max_capture": "most_pieces"}),
    ("awithlaknannai_mosona", {"lose_at_three": True, "capture_removal": "end_of_turn"}),
    ("alquerque_murray", {"lose_at_three": True, "man_steps": "forward", "no_progress_limit": 30}),
    ("alquerque", {"man_steps": "all", "last_rank_frozen": True, "no_progress_limit": 30}),
    ("fetaix", {"undo_scope": "per_coin", "mullah_steps": "one_point"}),
    ("fetaix", {"undo_scope": "never_revisit", "man_steps": "all", "capture_removal": "end_of_turn"}),
    ("fetaix", {"undo_scope": "never_revisit", "man_steps": "none"}),  # nothing can be remembered
    ("fetaix", {"undo_scope": "per_player_last_move", "midchain_promotion": "promote_and_continue"} | _LOOSE),
    ("fetaix", {"undo_scope": "never_revisit", "midchain_promotion": "promote_and_stop"} | _LOOSE),
    ("fetaix", {"undo_scope": "per_coin", "chain": "optional", "mullah_steps": "one_point"} | _LOOSE),
]


def uncommon_game(name: str, rules: dict[str, Any]) -> Game:
    """A game of the package with other rules than its options offer."""
    game = load_game(name)
    return replace(game, rules=replace(game.rules, **rules))
