"""Endgame tables against truths that are found without them: by brute force, by search, by symmetry."""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from alquerque_env import Match, load_game
from alquerque_env.engine.compiler import entry_kernel
from alquerque_env.errors import PositionError, TableError
from alquerque_env.game import table_layout as TABLE
from alquerque_env.game.kernel_arrays import JIT, words
from alquerque_env.match.position_text import format_position, parse_position, unpromoted_men
from alquerque_env.solve.tables import EndgameTable, build_table, load_table, numbering
from alquerque_env.solve.tables.index import least_pieces
from alquerque_env.solve.tables.numbering import set_up
from alquerque_env.solve.tables.verify_table import verify_table
from tests.array_forms import LAYOUTS, with_wrong_types
from tests.brute_force import Truth, all_positions, text_of
from tests.option_values import core_first, every_value, is_fast
from tests.reference import Reference
from tests.sets import first_by_default
from tests.small_games import small_game
from tests.solve.table_cases import LADDER, MAJORITY, SNAKE, SQUARE, WEDGE, content_of_table, some_match

needs_numba = pytest.mark.skipif(not JIT, reason="long without Numba")


@entry_kernel
def number_of(t, x, s):
    return numbering.number_of(t, x, s)


@pytest.fixture(scope="session")
def solved(tmp_path_factory):
    """Gives the table of a game, built when it is first asked for."""
    folder = tmp_path_factory.mktemp("tables")
    tables = {}

    def solve(game, pieces):
        key = (game.name, game.table_hash, game.start, game.opening, pieces)
        if key not in tables:
            tables[key] = EndgameTable(game, build_table(game, pieces, folder / f"{len(tables)}.aqt"))
        return tables[key]

    return solve


def assert_true(table, truth):
    """Compares value and distance of every position of the truth, those in the middle of a chain included."""
    game = table.game
    ongoing = [state for state in truth.positions if not truth.is_over(state)]
    middles = dict.fromkeys(middle for state in ongoing for middle in truth.middles(state))
    wrong = []
    texts = {state: text_of(game, state) for state in (*truth.positions, *middles)}
    looked_up = [*ongoing, *middles]
    found = probe(table, [texts[state] for state in looked_up])
    for state, answer in zip(looked_up, found, strict=True):
        if answer != truth.value(state):
            wrong.append((texts[state], answer, truth.value(state)))
    for state in [*ongoing[::60], *(state for state in truth.positions if truth.is_over(state))]:
        match = Match(game, texts[state])
        answer = table.clockless(match), table.distance(match)
        if match.is_over != truth.is_over(state) or answer != truth.value(state):
            wrong.append((texts[state], answer, truth.value(state)))
    assert not wrong, f"{len(wrong)} of {len(texts)}, as {wrong[:5]}"


def probe(table, texts):
    """Value and distance of many positions, None for both where the table does not reach."""
    t, labels = table.game.table.words, table.game.board.labels
    states = np.array([parse_position(t, labels, text) for text in texts], np.int64)
    found = table.probe(states, clockless=True)
    answers = zip(found.known.tolist(), found.value.tolist(), found.distance.tolist(), strict=True)
    return [
        (value, None if distance < 0 else distance) if known else (None, None) for known, value, distance in answers
    ]


# What can make a difference to one piece against one.
BETWEEN_TWO = {
    *("undo_scope", "undo_cleared_by_jump", "man_capture_dirs", "last_rank_frozen", "capture", "mullah_lines"),
    *("no_moves", "board", "leap", "end_arc"),
}
EXTENSIONS = {"alquerque_murray", "awithlaknannai_mosona_davis"}
TWO = [
    (name, options)
    for name, options in every_value()
    if not options or (name not in EXTENSIONS and len(options) == 1 and options.keys() <= BETWEEN_TWO)
    if "first_leap_forward_sideways" not in options.values()
    if is_fast(name) and least_pieces(load_game(name, **options)) == 2
]
TWO += [
    ("alquerque", {"undo_scope": "per_player_last_move", "no_progress_limit": 30}),
    ("bagh_chal", {"loses_at": "none"}),
]


@first_by_default
@needs_numba
@pytest.mark.parametrize(
    ("name", "options"),
    [
        # The options of large boards are slow tests as well.
        pytest.param(*case, marks=pytest.mark.long if case[1] and len(load_game(case[0]).board.points) > 25 else marks)
        for case, (_, marks, _) in zip(TWO, core_first(TWO), strict=True)
    ],
    ids=lambda case: str(case).replace("'", ""),
)
def test_two_pieces_have_their_true_values(solved, name, options):
    game = load_game(name, **options)
    positions = list(all_positions(game, 2))
    if name == "alquerque":  # memory makes many of them
        positions = positions[:: 41 if options else 5]
    assert_true(solved(game, 2), Truth(game, positions))


MANY = 15_000
"""From more positions than that some are taken, with all that follow from them."""

FLANKING = {"captures": "custodial", "capture": "optional", "chain": "optional", "capture_removal": "immediate"}

# Games on small boards: the game, the board, where South and North start, the most pieces or None for
# those of the start, and the rules.
SMALL = [
    # Mullahs fly; one side may have more.
    ("fetaix", *SNAKE, 3, MAJORITY),
    ("fetaix", *SNAKE, 3, {"capture": "optional", "no_moves": "pass", "chain": "optional"}),
    ("fetaix", *WEDGE, 3, {**MAJORITY, "no_moves": "draw"}),
    ("fetaix", *WEDGE, 3, {"capture_removal": "end_of_turn", "man_capture_dirs": "all"}),
    ("fetaix", *SNAKE, 3, {"max_capture": "most_pieces", "capture_removal": "end_of_turn"}),
    ("fetaix", *SNAKE, 3, {"mullah_landing": "must_continue", "man_capture_dirs": "all"}),
    ("fetaix", *SNAKE, 3, {"midchain_promotion": "promote_and_continue", "leap": "pattern"}),
    ("fetaix", "snake", "b1", "b3 d3", 3, {"midchain_promotion": "promote_and_stop", "leap": "drawn_line"}),
    # Whoever has three pieces left has lost, and cannot capture any more.
    ("pretwa", "square", "a1 b1 c1 a2", "c3 b3 a3 c2", 8, {"lose_at_three": True}),
    # Kings of one step; steps of men are progress.
    ("draughts_english", "oblong", "a1 c1", "b3 d3", 3, {}),
    ("draughts_english", *WEDGE, 3, {"midchain_promotion": "promote_and_continue"}),
    # Pieces remember where they came from; where nobody can step about for ever, everything is worked out forward.
    ("alquerque", *SNAKE, 3, {}),
    ("alquerque", *WEDGE, 3, {"no_moves": "draw", "man_capture_dirs": "first_leap_forward_sideways"}),
    ("alquerque", *WEDGE, 3, {"undo_scope": "never_revisit", "no_moves": "majority"}),
    ("alquerque", *LADDER, 2, {"undo_scope": "never_revisit", "undo_cleared_by_jump": False}),
    ("alquerque", *WEDGE, 3, {"undo_scope": "never_revisit", "man_steps": "all"}),
    ("alquerque", *LADDER, 3, {"undo_cleared_by_jump": False, "capture_removal": "end_of_turn"}),
    ("alquerque", *WEDGE, 3, {"undo_scope": "per_player_last_move", "no_progress_limit": 7}),
    ("alquerque", *SNAKE, 3, {"undo_scope": "per_player_last_move", "no_progress_limit": 9, **MAJORITY}),
    ("alquerque", *SNAKE, 3, {"no_moves": "pass", "no_progress_limit": 9, "last_rank_frozen": True}),
    ("alquerque", "hook", "a1", "b3", 2, {"man_steps": "all", "no_progress_limit": 9, "undo_cleared_by_jump": False}),
    # Men step all ways: draws, and wins by endless play.
    ("alquerque_alfonso_x", *SQUARE, 4, {}),
    ("alquerque_alfonso_x", *SQUARE, 3, {"no_moves": "majority", **MAJORITY}),
    ("alquerque_murray", "wedge", "a1 b1", "b3 a2", 4, {"no_moves": "draw", **MAJORITY}),
    ("alquerque_murray", "wedge", "a1 b1 c1", "b3 a2", 4, {"no_moves": "pass", "capture": "compulsory"}),
    ("alquerque_murray", "wedge", "a1 b1", "b3 a2", 4, {"no_progress_limit": 1, "capture_removal": "end_of_turn"}),
    ("awithlaknannai_mosona", *SNAKE, 4, {}),
    ("awithlaknannai_mosona", *SNAKE, 4, {"leap": "straight", "end_arc": False, "no_moves": "majority"}),
    (
        "awithlaknannai_mosona",
        *SNAKE,
        4,
        {
            "chain_may_return_to_start": False,
            "capture_removal": "end_of_turn",
            "chain": "optional",
            "capture": "optional",
        },
    ),
    # Captures by flanking, in chains too.
    ("alquerque_alfonso_x", *SQUARE, 4, FLANKING),
    ("alquerque_alfonso_x", "hook", "a1 b1 c1", "a2 b3", 4, {**FLANKING, "chain": "single", "no_moves": "pass"}),
    ("alquerque_alfonso_x", "oblong", "a1 b1 c1", "d3", 4, {**FLANKING, **MAJORITY}),
    # The board shrinks.
    ("alquerque_alfonso_x", "oblong", "a1 b1", "c3 d3", 3, {"shrink": "ranks", "shrink_sides": "all"}),
    ("alquerque_murray", *LADDER, 4, {"shrink": "ranks", "no_moves": "pass"}),
    ("fetaix", "oblong", "a1", "d3", 2, {"shrink": "ranks"}),
    ("alquerque_alfonso_x", "oblong", "a1 b1", "c3 d3", 3, {**FLANKING, "shrink": "tiers", "shrink_sides": "all"}),
    # Whole games, from the start to the end.
    ("fetaix", "square", "a1", "c3 b3", None, MAJORITY),
    ("alquerque", "square", "a1 b1 c1", "c3 b3 a3", None, {}),
    ("alquerque", "wedge", "a1", "b3", None, {"undo_scope": "never_revisit", "undo_cleared_by_jump": False}),
    (
        *("alquerque", "wedge", "a1 c1", "b3 b2", None),
        {"undo_scope": "per_player_last_move", "undo_cleared_by_jump": False, "no_progress_limit": 9},
    ),
    ("alquerque", "wedge", "a1 b1", "b3 b2", None, {"undo_cleared_by_jump": False, "capture": "optional"}),
    ("alquerque_murray", "snake", "b1 d1 a2", "d3 b3 e2", None, MAJORITY),
    ("awithlaknannai_mosona", "snake", "b1 d1 e2", "b3 d3 a2", None, {"leap": "drawn_line"}),
]


@first_by_default
@pytest.mark.parametrize(("base", "board", "south", "north", "pieces", "rules"), SMALL)
def test_games_on_small_boards_have_their_true_values(solved, base, board, south, north, pieces, rules):
    game = small_game(base, board, south, north, **rules)
    positions = [Reference(game).start()] if pieces is None else list(all_positions(game, pieces))
    if len(positions) > MANY:
        positions = positions[:: len(positions) // 500]
    assert_true(solved(game, pieces or sum(map(len, game.start))), Truth(game, positions))


@first_by_default
@pytest.mark.parametrize(
    "changes",
    [
        {"promotion": ({"a3"}, {"a1"})},  # each side has its own
        {"promotion": ({"a3", "c3"}, {"a1", "c1"}), "sanctuary": {"a2"}},
    ],
    ids=["promotion", "sanctuary"],
)
def test_points_of_promotion_and_sanctuaries_are_those_of_each_side(solved, changes):
    game = small_game("felli", "square", "a1 b1", "c3 b3")
    index = game.board.index

    def points(labels):
        return frozenset(index[label] for label in labels)

    promotion = tuple(map(points, changes["promotion"]))
    game = replace(game, promotion=promotion, sanctuary=points(changes.get("sanctuary", ())))
    positions = list(all_positions(game, 3))
    assert_true(solved(game, 3), Truth(game, positions[:: 1 + len(positions) // 500]))


def test_an_opening_rule_that_can_recur_is_refused(tmp_path):
    game = small_game("awithlaknannai_mosona", "square", "a1", "c3", opening=(None, 4))

    with pytest.raises(TableError, match="opening rule"):
        build_table(game, 2, tmp_path / "table.aqt")


def test_an_opening_rule_holds_in_the_start_position_alone(tmp_path):
    """What the start looks like in a mirror or from the other side is another position, without the rule."""
    game = small_game("alquerque", "square", "a1 b1", "c3 b3", opening=(1, 4))
    table = load_table(game, build_table(game, 4, tmp_path / "table.aqt"))
    start = Match(game)
    mirrored = Match(game, start.position.replace("a1", "c1").replace("c3", "a3"))

    assert len(table.steps(start)) == len(start.legal_steps) == 1
    assert len(table.steps(mirrored)) == len(mirrored.legal_steps) > 1
    for match in (start, mirrored):
        assert table.value(match) == table.steps(match)[0].value
    assert table.values([start, start.position]) == [table.value(start)] * 2
    truth = Truth(game, [Reference(game).start()]).value(Reference(game).start())
    assert (table.value(start), table.distance(start)) == truth


def test_many_positions_have_the_values_that_each_has_alone(tmp_path):
    """In the middle of a chain, at the limit, where the match has ended, and where a position is there twice."""
    game = load_game("fetaix", no_progress_limit=6)
    table = load_table(game, build_table(game, 3, tmp_path / "table.aqt"))
    rng = random.Random(5)
    matches = []
    while len(matches) < 300:
        own, *others = rng.sample(game.board.labels, rng.randint(2, 3))
        clock = rng.choice(("", ":H5", ":H6"))
        match = Match(game, f"{rng.choice('WB')}:WK{own}:BK{',K'.join(others)}{clock}")
        while match.legal_steps and rng.random() < 0.7:
            match.push(rng.choice(match.legal_steps))
        matches.append(match)

    found = table.values(matches + matches[::-1])

    assert {match.is_over for match in matches} == {match.chain is None for match in matches} == {True, False}
    assert found == [table.value(match) for match in matches + matches[::-1]]
    texts = [match.position for match in matches]
    for positions in (texts, tuple(texts), np.array(texts), iter(texts)):
        assert table.values(positions) == found[: len(matches)]
    assert table.values([]) == []


def test_of_many_positions_the_wrong_one_is_named(tmp_path):
    game = load_game("fetaix")
    table = load_table(game, build_table(game, 2, tmp_path / "table.aqt"))
    position = "W:Wa1:Be5"

    with pytest.raises(PositionError, match="position 1: "):
        table.values([position, "W:Wz9:Be5"])
    with pytest.raises(TableError, match="position 2: the table is of fetaix"):
        table.values([position, position, Match("alquerque")])
    with pytest.raises(PositionError, match="put it in a list"):
        table.values(position)


@first_by_default
@needs_numba
@pytest.mark.parametrize(
    ("name", "options", "pieces"),
    [
        ("alquerque", {}, 2),
        ("alquerque", {"undo_scope": "per_player_last_move", "no_progress_limit": 30}, 2),
        ("alquerque_murray", {}, 3),
        ("awithlaknannai_mosona", {}, 3),
        ("fetaix", {}, 2),
        (None, {}, 3),
    ],
    ids=str,
)
def test_every_position_has_one_number(solved, name, options, pieces):
    """There are as many as there are orbits: a position and its images have the same number, others another one.

    Those with men who would have been promoted are not counted.
    """
    game = load_game(name, **options) if name else small_game("fetaix", "wedge", "a1 b1", "b3")
    table = solved(game, pieces)
    t, index = game.table.words, table.index
    state = words(t, t[TABLE.STATE_SIZE])
    orbits = count_orbits(game, pieces)
    assert len(index.slices) == len(orbits)
    assert index.entries == sum(len(values) for arrays in index.orbits for values in arrays)
    assert [part.base for part in index.slices] == [sum(p.size for p in index.slices[:i]) for i in range(len(orbits))]
    for part, told in zip(index.slices, table.header.slices, strict=True):
        texts = set()
        for number in range(part.size):
            if set_up(t, index.words, part.row, number, state):
                assert number_of(t, index.words, state) == part.base + number
                if not unpromoted_men(t, state):
                    texts.add(format_position(t, game.board.labels, [int(word) for word in state]))
        counts = (part.player, part.own_men, part.own_kings, part.enemy_men, part.enemy_kings)
        assert len(texts) == told.positions == orbits[counts], counts


def count_orbits(game, pieces):
    """How many positions there are of each balance, seen from the mover, if images count once."""
    found, each = set(), range(1, max(map(len, game.start)) + 1)
    for state in all_positions(game, pieces, product(each, repeat=2)):
        if state.player == 0 or not game.is_symmetric:
            sides = [
                [
                    (point, point in state.kings[player], [target for piece, target in state.memory if piece == point])
                    for point in state.pieces(player)
                ]
                for player in (state.player, 1 - state.player)
            ]
            found.add((state.player, *min(image(symmetry.points, *sides) for symmetry in game.symmetries)))
    return Counter((player, *(count for side in sides for count in men_and_kings(side))) for player, *sides in found)


def image(points, *sides):
    return tuple(
        tuple(
            sorted(
                (points[point], is_king, tuple(sorted(points[other] for other in memory)))
                for point, is_king, memory in side
            )
        )
        for side in sides
    )


def men_and_kings(side):
    kings = sum(is_king for _, is_king, _ in side)
    return len(side) - kings, kings


@first_by_default
@pytest.mark.parametrize(
    ("base", "board", "rules"),
    [
        ("fetaix", "wedge", {"no_progress_result": "majority"}),
        ("alquerque", "wedge", {}),
        ("awithlaknannai_mosona", "wedge", {"capture_removal": "end_of_turn"}),
        ("alquerque_murray", "wedge", {"no_moves": "draw"}),
    ],
)
@pytest.mark.slow
def test_an_expanded_table_has_the_same_values(tmp_path, base, board, rules):
    game = small_game(base, board, "a1 b1", "b3", **rules)
    table = EndgameTable(game, build_table(game, 3, tmp_path / "table.aqt"))
    truth = Truth(game, all_positions(game, 3))
    rng = random.Random(base)
    matches = [some_match(game, rng, 4) for _ in range(40)]
    before = table.values(matches), [table.steps(match) for match in matches]
    table.expand()
    assert_true(table, truth)
    assert (table.values(matches), [table.steps(match) for match in matches]) == before
    assert verify_table(table).positions == sum(part.positions for part in table.header.slices)


@first_by_default
@needs_numba
@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        *(("alquerque", 3), ("alquerque_murray", 4), ("awithlaknannai_mosona", 4), ("fetaix", 3)),
        *(("awithlaknannai_mosona_davis", 4), ("alquerque_alfonso_x", 4)),
    ],
)
def test_steps_have_the_values_of_the_positions_after_them(solved, name, pieces):
    game = load_game(name)
    table = solved(game, pieces)
    for seed in range(60):
        match = some_match(game, random.Random(seed), pieces)
        steps = table.steps(match)
        assert {found.step for found in steps} == set(match.legal_steps)
        for found in steps:
            after = match.copy()
            after.push(found.step)
            is_turned = after.player != match.player
            distance = table.distance(after)
            assert found.value == table.value(after) * (-1 if is_turned else 1)
            assert found.distance == (None if distance is None else distance + is_turned)
        assert (steps[0].value, steps[0].distance) == (table.value(match), table.distance(match))
        assert [ranking(found) for found in steps] == sorted(map(ranking, steps))
        assert table.best_steps(match) == tuple(found.step for found in steps if found.value == steps[0].value)


def ranking(found):
    """Quick wins, then those by endless play, draws, losses by endless play, and slow ones before quick ones."""
    endless = 1 << 20
    distance = endless if found.distance is None else found.distance
    return -found.value, distance * found.value


@needs_numba
@pytest.mark.parametrize(("name", "options"), [("alquerque", {}), ("fetaix", {"capture": "optional"})])
def test_matches_by_other_rules_are_refused(solved, name, options):
    table = solved(load_game("fetaix"), 2)
    match = Match(load_game(name, **options), "W:Wb2:Bd5")

    for ask in (table.value, table.distance, table.steps, table.best_steps, lambda match: table.values([match])):
        with pytest.raises(TableError, match=r"the table is of fetaix with .*, the match of"):
            ask(match)
    with pytest.raises(TableError, match="the table is of fetaix"):
        Match(match.game, table=table)


@needs_numba
def test_arrays_that_are_not_states_are_refused(solved):
    """The kernels would read beyond their arrays."""
    table = solved(load_game("fetaix"), 2)
    state = np.array(Match(table.game, "W:WKb2:Bd5").state, np.int64)
    assert table.probe(state[None]).known.all()

    rows = np.repeat(state[None], 3, 0)
    for form in LAYOUTS.values():
        assert table.probe(form(rows)).value.tolist() == table.probe(rows).value.tolist()
        assert table.probe(form(rows.astype(np.int32))).known.all()
    for wrong in ([[1, 2]], state, state[None, :-1], [[]], *with_wrong_types(rows)):
        with pytest.raises(TableError, match=r"states are .*, expected int64 \[N, \d+\]"):
            table.probe(wrong)
    for place, word in ((0, 1 << 60), (1, -1), (1, int(state[0] | state[2])), (4, 2), (5, 25), (5, -2)):
        rows = np.array([state, state])
        rows[1, place] = word
        with pytest.raises(TableError, match="row 1 of the states is not a position of fetaix"):
            table.probe(rows)


@needs_numba
def test_positions_with_more_pieces_are_not_in_the_table(solved):
    game = load_game("alquerque_murray")
    table = solved(game, 3)
    for text in ("W:Wa1,b1,c1:Be5", "B:Wa1:Bc5,d5,e5", "W:Wa1,b1:Bd5,e5"):
        match = Match(game, text)
        assert (table.value(match), table.distance(match)) == (None, None)
        assert table.steps(match) == table.best_steps(match) == ()
        assert table.values([text, "W:Wa1:Bb2"]) == [None, 1]
    start = Match(game)
    assert (table.value(start), table.distance(start), table.best_steps(start)) == (None, None, ())
    with_more = Match(load_game("alquerque"), "W:Wa1,a2:Be5")
    assert solved(with_more.game, 2).value(with_more) is None


@needs_numba
@pytest.mark.parametrize("name", ["fetaix", "awithlaknannai_mosona"])
@pytest.mark.slow
def test_captures_into_a_table_have_the_values_of_a_larger_table(solved, name):
    game, rng = load_game(name), random.Random(name)
    matches = [some_match(game, rng, 4) for _ in range(300)]
    matches = [match for match in matches if len(match.picture().pieces) == 4]
    known = [(match, value) for match in matches if (value := solved(game, 3).value(match)) is not None]
    assert 20 < len(known) < len(matches)
    for match, value in known:
        assert value == solved(game, 4).value(match)
        assert solved(game, 3).distance(match) == solved(game, 4).distance(match)


@pytest.mark.parametrize("rules", [{}, {"no_moves": "pass", "no_progress_result": "majority"}], ids=str)
def test_statistics_count_every_position(solved, rules):
    """On a board without symmetries that looks different from either side, every position has its own number."""
    game = small_game("alquerque_murray", "hook", "a1 b1", "b3 a2", **rules)
    assert len(game.symmetries) == 1
    assert not game.is_symmetric
    table, truth = solved(game, 4), Truth(game, all_positions(game, 4))
    found = {}
    for state in all_positions(game, 4):
        counts = (state.player, len(state.pieces(state.player)), len(state.pieces(1 - state.player)))
        found.setdefault(counts, []).append(truth.value(state))
    assert len(found) == len(table.header.slices)
    for part in table.header.slices:
        answers = found[part.player, part.own[0], part.enemy[0]]
        values = Counter(value for value, _ in answers)
        assert (part.won, part.drawn, part.lost) == (values[1], values[0], values[-1])
        assert part.positions == len(answers)
        assert part.endless == sum(bool(value) and distance is None for value, distance in answers)
        assert part.longest == max(distance or 0 for _, distance in answers)


PLAIN = """
import json, sys
from pathlib import Path
from tests.solve.table_cases import content_of_table
print(json.dumps([content_of_table(Path(sys.argv[1]) / "plain.aqt", *case) for case in json.loads(sys.argv[2])]))
"""


@pytest.mark.skipif(not JIT, reason="there is nothing to compare with")
@pytest.mark.slow
def test_tables_are_the_same_without_numba(tmp_path):
    cases = [
        ("fetaix", "wedge", "a1 b1", "b3", 2, {}),
        ("alquerque_murray", "snake", "b1 d1", "b3 d3", 3, {"no_progress_result": "majority", "no_moves": "pass"}),
        ("alquerque", "hook", "a1 b1", "b3", 2, {"undo_scope": "per_player_last_move", "no_progress_limit": 5}),
    ]
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", PLAIN, str(tmp_path), json.dumps(cases)],
        env=os.environ | {"ALQUERQUE_JIT": "0", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-1000:]
    assert json.loads(done.stdout) == [content_of_table(tmp_path / "compiled.aqt", *case) for case in cases]
