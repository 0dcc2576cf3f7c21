"""The reference against the counts and worked positions of the rules dossier, and against positions worked by hand.

Points are numbers here, as in the dossier; a turn is written `6-12` or `6 x12>18 x17>16`, with `stop` where it ends
by a pass.
"""

from collections import Counter, defaultdict

import numpy as np
import pytest
from option_values import core_first, needed
from reference import Outcome, Reference, RefMatch, RefState, RefStep, positions

from alquerque_env.game.game import games, load_game
from alquerque_env.game.options import OptionValue

MOSONA = "awithlaknannai_mosona"


def reference(name: str, **options: OptionValue) -> Reference:
    return Reference(load_game(name, **options))


def spell(turn: tuple[RefStep, ...]) -> str:
    if turn[0].is_pass:
        return "pass"
    if turn[0].victim is None:
        return f"{turn[0].origin}-{turn[0].target}"
    leaps = ("stop" if step.is_pass else f"x{step.victim}>{step.target}" for step in turn)
    return f"{turn[0].origin} {' '.join(leaps)}"


def turns(rules: Reference, state: RefState) -> set[str]:
    texts = [spell(turn) for turn in rules.turns(state)]
    assert len(texts) == len(set(texts)), f"a turn is listed twice: {texts}"
    return set(texts)


def turns_in(name: str, position: str, **options: OptionValue) -> set[str]:
    rules = reference(name, **options)
    return turns(rules, rules.parse(position))


def play(rules: Reference, state: RefState, *names: str) -> RefState:
    """The state after whole turns."""
    for name in names:
        (turn,) = [turn for turn in rules.turns(state) if spell(turn) == name]
        for step in turn:
            state = rules.play(state, step)
    return state


def after(name: str, position: str, *names: str, **options: OptionValue) -> RefState:
    rules = reference(name, **options)
    return play(rules, rules.parse(position), *names)


def outcome_in(name: str, position: str, **options: OptionValue) -> Outcome | None:
    rules = reference(name, **options)
    return rules.outcome(rules.parse(position))


def steps(text: str) -> set[str]:
    """`12: 6 7` as the set of `12-6` and `12-7`."""
    origin, targets = text.split(":")
    return {f"{origin}-{target}" for target in targets.split()}


@pytest.mark.parametrize(
    ("board", "leap", "end_arc", "count"),
    [
        ("culin", "straight", False, 66),
        ("culin", "straight", True, 70),
        ("culin", "drawn_line", False, 70),
        ("culin", "pattern", True, 390),
        ("murray", "straight", True, 42),
        ("murray", "drawn_line", True, 78),
        ("murray", "pattern", True, 254),
        ("zigzag", "straight", True, 28),
        ("zigzag", "drawn_line", True, 64),
        ("zigzag", "pattern", True, 120),
    ],
)
def test_each_mosona_board_has_its_number_of_leaps(board: str, leap: str, end_arc: bool, count: int) -> None:
    """The zigzag board loses the 14 leaps along the middle row; its pattern is the sum of degree * (degree - 1)."""
    assert len(reference(MOSONA, board=board, leap=leap, end_arc=end_arc).leaps) == count


def test_the_alquerque_board_has_80_leaps_and_none_with_two_victims() -> None:
    leaps = reference("alquerque").leaps

    assert len(leaps) == 80
    assert len({(origin, target) for origin, _, target in leaps}) == 80


@pytest.mark.parametrize(("board", "reachable", "ambiguous"), [("murray", 222, 32), ("culin", 246, 144)])
def test_bent_leaps_can_have_two_victims(board: str, reachable: int, ambiguous: int) -> None:
    victims = defaultdict(set)
    for origin, over, target in reference(MOSONA, board=board).leaps:
        victims[origin, target].add(over)

    assert len(victims) == reachable
    assert Counter(map(len, victims.values())) == {1: reachable - ambiguous, 2: ambiguous}


def test_leaps_along_drawn_lines_have_two_victims_only_between_middle_points_of_the_murray_board() -> None:
    between = {(8 + i, 9 + i): {i, 17 + i} for i in range(8)}
    victims = defaultdict(set)
    for origin, over, target in reference(MOSONA, board="murray", leap="drawn_line").leaps:
        victims[origin, target].add(over)

    two = {pair: over for pair, over in victims.items() if len(over) > 1}
    assert two == between | {(target, origin): over for (origin, target), over in between.items()}


@pytest.mark.parametrize(
    ("name", "options", "counts"),
    [
        ("fetaix", {}, [4, 5, 6, 12, 21, 80, 253, 925, 3508]),
        ("fetaix", {"man_capture_dirs": "all"}, [4, 5, 6, 12, 27, 101, 441, 1986, 8829]),
        ("alquerque", {}, [4, 5, 6, 12, 27, 97, 416, 1828, 7821]),
        (MOSONA, {}, [3, 15, 98, 554, 3377]),
        (MOSONA, {"opening": "any"}, [3, 25, 144, 987, 5738]),
        (MOSONA, {"board": "culin"}, [3, 36, 842, 9739]),
        (MOSONA, {"board": "culin", "leap": "drawn_line"}, [3, 4, 9, 23, 76, 233]),
        (MOSONA, {"board": "culin", "leap": "drawn_line", "opening": "any"}, [3, 4, 9, 23, 76, 233]),
        (MOSONA, {"leap": "drawn_line"}, [3, 4, 9, 24, 46, 129]),
        (MOSONA, {"leap": "straight"}, [3, 4, 9, 27, 79, 234]),
        ("awithlaknannai_mosona_davis", {}, [3, 4, 9, 23, 76, 233]),
        ("alquerque_alfonso_x", {}, [4, 8, 33, 210]),
        ("alquerque_murray", {}, [4, 8, 33, 219]),
    ],
)
def test_turns_from_the_start_are_as_many_as_the_dossier_counts(
    name: str, options: dict[str, OptionValue], counts: list[int]
) -> None:
    rules = reference(name, **options)

    assert [rules.perft_turns(rules.start(), depth) for depth in range(len(counts) + 1)] == [1, *counts]


@pytest.mark.parametrize(("name", "depth", "count"), [("alquerque", 6, 60), ("fetaix", 6, 76)])
def test_steps_from_the_start_are_as_many_as_the_dossier_counts(name: str, depth: int, count: int) -> None:
    rules = reference(name)

    assert rules.perft(rules.start(), depth) == count


@pytest.mark.parametrize("name", [name for name in games() if "who_starts" in load_game(name).option_table])
def test_a_match_begun_by_player_1_has_the_same_counts(name: str) -> None:
    south, north = reference(name, who_starts="player_0"), reference(name, who_starts="player_1")

    assert north.start().player == 1
    assert north.perft(north.start(), 4) == south.perft(south.start(), 4)


def test_a_match_that_is_over_counts_only_at_depth_0() -> None:
    rules = reference("alquerque")
    over = rules.parse("W:W12:B")

    assert [rules.perft(over, depth) for depth in range(3)] == [1, 0, 0]
    assert [rules.perft_turns(over, depth) for depth in range(3)] == [1, 0, 0]
    assert rules.legal(over) == []


F_W1 = "W:W0,6:B12,13,17"
F_W2 = "W:WK0:B12,16"
F_W2_AND_14 = "W:WK0:B12,14,16"
F_W3 = "W:W12:B16,17,23"


@pytest.mark.parametrize("name", ["fetaix", "alquerque"])
def test_south_opens_alquerque_by_four_steps_to_the_centre(name: str) -> None:
    rules = reference(name)
    replies = {"6-12": {"18 x12>6"}, "7-12": {"17 x12>7"}, "13-12": {"11 x12>13"}, "8-12": {"16 x12>8", "18 x13>8"}}

    assert turns(rules, rules.start()) == set(replies)
    assert {opening: turns(rules, play(rules, rules.start(), opening)) for opening in replies} == replies


def test_a_chain_is_played_to_its_end() -> None:
    """F-W1."""
    assert turns_in("fetaix", F_W1) == {"6 x12>18 x17>16"}
    end = after("fetaix", F_W1, "6 x12>18 x17>16")
    assert end == RefState(men=(frozenset({0, 16}), frozenset({13})), player=1)


@pytest.mark.parametrize("directions", ["all", "first_leap_forward_sideways"])
def test_a_later_leap_may_go_backward_where_the_rules_allow_it(directions: str) -> None:
    expected = {"6 x12>18 x17>16", "6 x12>18 x13>8"}
    assert turns_in("fetaix", F_W1, man_capture_dirs=directions) == expected


@pytest.mark.parametrize(
    ("directions", "expected"),
    [
        ("all", {"12 x7>2", "12 x17>22"}),
        ("first_leap_forward_sideways", {"12 x17>22"}),
        ("forward_sideways", {"12 x17>22"}),
    ],
)
@pytest.mark.parametrize("name", ["fetaix", "alquerque"])
def test_a_first_leap_goes_backward_only_where_all_directions_are_free(
    name: str, directions: str, expected: set[str]
) -> None:
    assert turns_in(name, "W:W12:B7,17", man_capture_dirs=directions) == expected


def test_forward_of_north_is_down() -> None:
    assert turns_in("fetaix", "B:W7,17:B12") == {"12 x7>2"}
    assert turns_in("fetaix", "B:W0:B12") == steps("12: 11 13 6 7 8")


def test_a_single_leap_ends_the_turn_where_chains_are_single() -> None:
    assert turns_in("fetaix", F_W1, chain="single") == {"6 x12>18"}
    assert after("fetaix", F_W1, "6 x12>18", chain="single").player == 1


def test_an_optional_chain_may_stop_after_any_leap() -> None:
    assert turns_in("fetaix", F_W1, chain="optional") == {"6 x12>18 stop", "6 x12>18 x17>16"}
    stopped = after("fetaix", F_W1, "6 x12>18 stop", chain="optional")
    assert stopped == RefState(men=(frozenset({0, 18}), frozenset({13, 17})), player=1)


@pytest.mark.parametrize(("chain", "captures"), [("compulsory", {"6 x12>18 x17>16"}), ("single", {"6 x12>18"})])
def test_optional_captures_stand_beside_simple_steps(chain: str, captures: set[str]) -> None:
    simple = steps("0: 1 5") | steps("6: 5 7 10 11")
    assert turns_in("fetaix", F_W1, capture="optional", chain=chain) == simple | captures


def test_an_optional_capture_once_begun_goes_on() -> None:
    rules = reference("fetaix", capture="optional")
    begun = rules.play(rules.parse(F_W1), RefStep(6, 18, 12))

    assert begun.chain == 18
    assert rules.legal(begun) == [RefStep(18, 16, 17)]


def test_a_mullah_lands_on_any_vacant_point_behind_its_victim() -> None:
    """F-W2."""
    assert turns_in("fetaix", F_W2) == {"0 x12>18 x16>15", "0 x12>24"}
    assert turns_in("fetaix", F_W2_AND_14) == {"0 x12>18 x16>15", "0 x12>24 x14>9", "0 x12>24 x14>4 x16>20"}


def test_a_mullah_that_must_go_on_lands_where_it_can() -> None:
    """F-W2; with 14 the rule bites at the second leap, at 9 against 4."""
    assert turns_in("fetaix", F_W2, mullah_landing="must_continue") == {"0 x12>18 x16>15"}
    expected = {"0 x12>18 x16>15", "0 x12>24 x14>4 x16>20"}
    assert turns_in("fetaix", F_W2_AND_14, mullah_landing="must_continue") == expected


def test_the_landing_rule_leaves_other_victims_and_other_pieces_alone() -> None:
    """Only the landing 24 behind 12 is lost: from 18 the mullah could go on over 16."""
    position = "W:WK6,14:B7,12,16,19"
    kept = {"6 x12>18 x16>15", "6 x7>8", "6 x7>9", "6 x16>21", "14 x19>24"}

    assert turns_in("fetaix", position) == kept | {"6 x12>24"}
    assert turns_in("fetaix", position, mullah_landing="must_continue") == kept


def test_the_landing_rule_leaves_another_mullah_over_the_same_victim_alone() -> None:
    position = "W:WK0,K22:B12,16"
    kept = {"0 x12>18 x16>15", "22 x12>7", "22 x12>2", "22 x16>10 x12>13", "22 x16>10 x12>14"}

    assert turns_in("fetaix", position) == kept | {"0 x12>24"}
    assert turns_in("fetaix", position, mullah_landing="must_continue") == kept


def test_two_pieces_in_a_row_block_a_mullah() -> None:
    """F-W4."""
    assert turns_in("fetaix", "W:WK0:B12,18") == steps("0: 1 2 3 4 5 10 15 20 6")


def test_a_captured_piece_that_stays_is_in_the_way_until_the_turn_ends() -> None:
    """F-W2 with 14: the second leap back across 12 is gone."""
    expected = {"0 x12>18 x16>15", "0 x12>24 x14>9", "0 x12>24 x14>4"}
    assert turns_in("fetaix", F_W2_AND_14, capture_removal="end_of_turn") == expected

    rules = reference("fetaix", capture_removal="end_of_turn")
    middle = rules.play(rules.parse(F_W2_AND_14), RefStep(0, 24, 12))
    assert middle == rules.parse("W:WK24:B12,14,16:C24:X12")
    assert rules.play(middle, RefStep(24, 4, 14)) == rules.parse("B:WK4:B16")


def test_a_captured_piece_that_stays_cannot_be_leapt_again() -> None:
    """Behind the victim on 12, seen from 18 and from 24, all is vacant."""
    assert turns_in("fetaix", "W:WK0:B12", capture_removal="end_of_turn") == {"0 x12>18", "0 x12>24"}


def test_the_longest_chain_is_compulsory_where_the_rules_say_so() -> None:
    assert turns_in("fetaix", F_W2, max_capture="most_pieces") == {"0 x12>18 x16>15"}
    assert turns_in("fetaix", F_W2_AND_14, max_capture="most_pieces") == {"0 x12>24 x14>4 x16>20"}
    assert turns_in("fetaix", F_W3, max_capture="most_pieces") == {"12 x17>22 x23>24"}
    assert turns_in("fetaix", "W:W12,3:B8,17,19", max_capture="most_pieces") == {"12 x17>22", "3 x8>13"}


def test_in_the_middle_of_a_chain_only_the_longest_way_on_is_legal() -> None:
    rules = reference("fetaix", max_capture="most_pieces")
    middle = rules.play(rules.parse(F_W2_AND_14), RefStep(0, 24, 12))

    assert rules.legal(middle) == [RefStep(24, 4, 14)]


def test_a_mullah_that_flies_only_on_the_long_diagonals_is_a_man_elsewhere() -> None:
    short = {"mullah_lines": "long_diagonals"}

    assert turns_in("fetaix", "W:WK12:B3", **short) == steps("12: 0 6 18 24 4 8 16 20 7 11 13 17")
    assert turns_in("fetaix", "W:WK2:B17", **short) == steps("2: 1 3 6 7 8")
    assert turns_in("fetaix", F_W2, **short) == {"0 x12>18", "0 x12>24"}
    assert turns_in("fetaix", "W:WK17:B12", **short) == {"17 x12>7"}
    assert turns_in("fetaix", "W:WK22:B12", **short) == steps("22: 16 17 18 21 23")
    assert turns_in("fetaix", "W:WK22:B12") == {"22 x12>7", "22 x12>2"}


def test_a_man_is_promoted_only_where_its_turn_ends() -> None:
    """F-W3."""
    assert turns_in("fetaix", F_W3) == {"12 x16>20", "12 x17>22 x23>24"}
    assert after("fetaix", F_W3, "12 x16>20").kings == ({20}, set())
    assert after("fetaix", F_W3, "12 x17>22 x23>24").kings == ({24}, set())


def test_a_man_that_leaps_back_from_the_last_rank_stays_a_man() -> None:
    assert turns_in("fetaix", F_W3, man_capture_dirs="all") == {"12 x16>20", "12 x17>22 x23>24", "12 x17>22 x16>10"}
    end = after("fetaix", F_W3, "12 x17>22 x16>10", man_capture_dirs="all")
    assert end == RefState(men=(frozenset({10}), frozenset({23})), player=1)


@pytest.mark.parametrize("directions", ["forward_sideways", "all"])
def test_a_promoted_man_stops_where_the_rules_say_so(directions: str) -> None:
    """F-W3 with promote_and_stop."""
    options = {"midchain_promotion": "promote_and_stop", "man_capture_dirs": directions}

    assert turns_in("fetaix", F_W3, **options) == {"12 x16>20", "12 x17>22"}
    assert after("fetaix", F_W3, "12 x17>22", **options).kings == ({22}, set())


def test_a_promoted_man_goes_on_as_a_mullah_where_the_rules_say_so() -> None:
    """F-W3 with promote_and_continue."""
    expected = {"12 x16>20 x23>24", "12 x17>22 x23>24", "12 x17>22 x16>10"}
    assert turns_in("fetaix", F_W3, midchain_promotion="promote_and_continue") == expected
    end = after("fetaix", F_W3, "12 x17>22 x16>10", midchain_promotion="promote_and_continue")
    assert (end.men, end.kings) == ((set(), {23}), ({10}, set()))


def test_a_mullah_does_not_stop_at_the_last_rank() -> None:
    assert turns_in("fetaix", "W:WK12:B17,23", midchain_promotion="promote_and_stop") == {"12 x17>22 x23>24"}


def test_a_man_that_stops_on_the_last_rank_is_promoted() -> None:
    assert turns_in("fetaix", F_W3, chain="optional") == {"12 x16>20", "12 x17>22 stop", "12 x17>22 x23>24"}
    assert after("fetaix", F_W3, "12 x17>22 stop", chain="optional").kings == ({22}, set())
    assert after("fetaix", F_W3, "12 x17>22", chain="single").kings == ({22}, set())


def test_a_man_of_north_is_promoted_on_row_0() -> None:
    assert after("fetaix", "B:W24:B6", "6-2").kings == (set(), {2})
    assert after("fetaix", "B:W24:B11", "11-6").kings == (set(), set())


@pytest.mark.parametrize(("starter", "turn"), [("player_0", "7-12"), ("player_1", "17-12")])
def test_fetaix_may_have_to_open_straight(starter: str, turn: str) -> None:
    rules = reference("fetaix", opening="straight_only", who_starts=starter)

    assert turns(rules, rules.start()) == {turn}


M_W1 = "W:W2:B10,11"


@pytest.mark.parametrize("board", ["murray", "culin"])
def test_a_bent_leap_names_its_victim(board: str) -> None:
    """M-W1."""
    expected = {"2 x10>1", "2 x10>9", "2 x10>18", "2 x11>3", "2 x11>12", "2 x11>20"}
    expected |= {f"2 x10>19 x11>{point}" for point in (2, 3, 10, 12, 20)}
    expected |= {f"2 x11>19 x10>{point}" for point in (1, 2, 9, 11, 18)}

    assert turns_in(MOSONA, M_W1, board=board) == expected
    home = {"2 x10>19 x11>2", "2 x11>19 x10>2"}
    assert turns_in(MOSONA, M_W1, board=board, chain_may_return_to_start=False) == expected - home


@pytest.mark.parametrize("board", ["murray", "culin"])
@pytest.mark.parametrize("leap", ["straight", "drawn_line"])
def test_a_leap_along_drawn_lines_goes_straight_across_the_middle_row(board: str, leap: str) -> None:
    """M-W1."""
    assert turns_in(MOSONA, M_W1, board=board, leap=leap) == {"2 x10>18", "2 x11>20"}


@pytest.mark.parametrize(
    ("opening", "replies"),
    [
        ("3-12", {"11 x12>3", "20 x12>3", "21 x12>3"}),
        (
            "4-12",
            {
                "11 x12>4 x13>12 x3>11",
                "20 x12>4 x13>12",
                "21 x12>4 x13>12",
                "21 x12>4 x13>21",
                "21 x13>4 x12>13",
                "21 x13>4 x12>21",
                "22 x13>4 x12>13 x14>22",
            },
        ),
        (
            "13-12",
            {
                "11 x12>13 x4>12 x3>11",
                "20 x12>13 x4>12",
                "21 x12>13 x4>12",
                "22 x14>13 x5>14",
                "23 x14>13 x5>14 x15>23",
            },
        ),
    ],
)
def test_the_first_step_of_mosona_is_answered_by_a_capture(opening: str, replies: set[str]) -> None:
    """M-W2."""
    rules = reference(MOSONA)

    assert turns(rules, rules.start()) == {"3-12", "4-12", "13-12"}
    assert turns(rules, play(rules, rules.start(), opening)) == replies


@pytest.mark.parametrize("leap", ["straight", "drawn_line"])
def test_the_first_step_on_the_culin_board_is_answered_straight(leap: str) -> None:
    rules = reference(MOSONA, board="culin", leap=leap, opening="any")
    replies = {"3-12": {"21 x12>3"}, "4-12": {"20 x12>4", "22 x13>4"}, "13-12": {"11 x12>13"}}

    assert turns(rules, rules.start()) == set(replies)
    assert {opening: turns(rules, play(rules, rules.start(), opening)) for opening in replies} == replies


@pytest.mark.parametrize(
    ("board", "leap", "captures"),
    [
        ("murray", "pattern", {"2 x11>12 x20>11 x10>2", "3 x11>12 x20>11", "13 x21>12"}),
        (
            "culin",
            "pattern",
            {
                "2 x11>12 x20>11 x10>2",
                "2 x11>12 x20>11 x19>20 x21>12",
                "3 x11>12 x20>11 x19>20 x21>12",
                "13 x21>12 x20>21 x22>13",
            },
        ),
        ("murray", "drawn_line", {"13 x21>12"}),
    ],
)
def test_without_an_opening_rule_bent_leaps_capture_at_once(board: str, leap: str, captures: set[str]) -> None:
    rules = reference(MOSONA, board=board, leap=leap, opening="any")

    assert turns(rules, rules.start()) == captures


def test_the_opening_rule_holds_in_the_start_position_only() -> None:
    rules = reference(MOSONA)
    captures = {"2 x11>12 x20>11 x10>2", "3 x11>12 x20>11", "13 x21>12"}

    assert turns(rules, rules.start()._replace(quiet=1)) == captures
    assert turns(rules, rules.start()._replace(player=1)).isdisjoint({"20-12", "21-12", "11-12"})


def test_the_opening_rule_turns_with_the_first_player() -> None:
    rules = reference(MOSONA, who_starts="player_1")

    assert turns(rules, rules.start()) == {"21-12", "20-12", "11-12"}


def test_the_opening_rule_does_not_take_captures_for_steps_to_the_centre() -> None:
    rules = reference(MOSONA, capture="optional")

    assert turns(rules, rules.start()) == {"3-12", "4-12", "13-12"}


@pytest.mark.parametrize("board", ["murray", "culin"])
def test_removal_at_the_end_of_the_turn_shortens_a_chain(board: str) -> None:
    """M-W3."""
    options = {"board": board, "opening": "any"}
    now, late = reference(MOSONA, **options), reference(MOSONA, **options, capture_removal="end_of_turn")

    assert "2 x11>12 x20>11 x10>2" in turns(now, now.start())
    assert {turn for turn in turns(late, late.start()) if turn.startswith("2 ")} == {"2 x11>12"}


def test_a_chain_that_may_not_return_ends_before_its_start() -> None:
    """M-W3; the start is free again for the next turn."""
    rules = reference(MOSONA, opening="any", chain_may_return_to_start=False)

    assert turns(rules, rules.start()) == {"2 x11>12 x20>11", "3 x11>12 x20>11", "13 x21>12"}
    middle = rules.play(rules.start(), RefStep(2, 12, 11))
    assert (middle.chain, middle.chain_start) == (12, 2)
    assert rules.play(middle, RefStep(12, 11, 20)).chain_start is None


def test_the_start_of_a_chain_is_its_first_origin() -> None:
    """The third leap leaves 11 and may not return to 2, though the second left 12."""
    rules = reference(MOSONA, chain_may_return_to_start=False)
    state = rules.parse("W:W2:B11,20,10,23")
    for step in (RefStep(2, 12, 11), RefStep(12, 11, 20)):
        state = rules.play(state, step)

    assert state.chain_start == 2
    assert {(step.victim, step.target) for step in rules.legal(state)} == {(10, 1), (10, 9), (10, 18), (10, 19)}


def test_outer_rows_are_safe_from_straight_leaps_on_the_murray_board() -> None:
    """M-W4."""
    assert turns_in(MOSONA, "W:W11:B20", leap="straight") == steps("11: 2 3 10 12 19")
    assert turns_in(MOSONA, "W:W11:B20", leap="drawn_line") == {"11 x20>12"}
    assert turns_in(MOSONA, "W:W11:B20", leap="pattern") == {"11 x20>12"}


def test_the_end_arc_is_a_line_for_straight_leaps_where_the_rules_say_so() -> None:
    """M-W5."""
    culin = {"board": "culin"}

    assert turns_in(MOSONA, "W:W0:B8", leap="straight", end_arc=True, **culin) == {"0 x8>17"}
    assert turns_in(MOSONA, "W:W0:B8", leap="straight", end_arc=False, **culin) == {"0-1", "0-9"}
    assert turns_in(MOSONA, "W:W0:B8", leap="drawn_line", end_arc=False, **culin) == {"0 x8>17"}
    assert turns_in(MOSONA, "W:W0:B8", leap="straight", board="murray") == {"0-9"}


A_W3 = "W:W20:B3"


def test_a_coin_may_not_undo_its_last_step() -> None:
    """A-W1."""
    rules = reference("alquerque")
    state = rules.parse("W:W11:B24:U11-10")

    assert turns(rules, state) == {"11-12", "11-16"}
    sideways = play(rules, state, "11-12")
    assert sideways.memory == {(12, 11)}
    assert turns(rules, play(rules, sideways, "24-19")) == steps("12: 13 16 17 18")
    assert play(rules, state, "11-16").memory == set()


def test_a_backward_leap_is_as_good_as_a_forward_one() -> None:
    """A-W2."""
    assert turns_in("alquerque", "W:W12:B7,17,21") == {"12 x7>2", "12 x17>22 x21>20"}


def test_a_coin_stuck_by_its_memory_loses() -> None:
    """A-W3."""
    assert outcome_in("alquerque", f"{A_W3}:U20-21") == (1, "blocked")
    assert outcome_in("alquerque", A_W3) is None
    assert turns_in("alquerque", A_W3) == {"20-21"}


@pytest.mark.parametrize("removal", ["immediate", "end_of_turn"])
def test_a_chain_may_change_direction_and_ends_where_nothing_is_left_to_leap(removal: str) -> None:
    """A-W4."""
    options = {"capture_removal": removal}

    assert turns_in("alquerque", "B:W5,17,18:B14", **options) == {"14 x18>22 x17>12"}
    end = after("alquerque", "B:W5,17,18:B14", "14 x18>22 x17>12", **options)
    assert end == RefState(men=(frozenset({5}), frozenset({12})))


def test_a_frozen_coin_may_only_leap() -> None:
    frozen = {"last_rank_frozen": True}

    assert outcome_in("alquerque", A_W3, **frozen) == (1, "blocked")
    assert turns_in("alquerque", "W:W20,12:B3", **frozen) == steps("12: 11 13 16 17 18")
    assert turns_in("alquerque", "W:W20:B21", **frozen) == {"20 x21>22"}
    assert turns_in("alquerque", "B:W20:B2", **frozen) == set()


WALK = ("0-1", "24-23", "3-4", "21-22")


@pytest.mark.parametrize(
    ("scope", "memory", "replies"),
    [
        ("per_coin", {(1, 0), (4, 3), (23, 24), (22, 21)}, {"1-2"}),
        ("never_revisit", {(1, 0), (4, 3), (23, 24), (22, 21)}, {"1-2"}),
        ("per_player_last_move", {(4, 3), (22, 21)}, {"1-2", "1-0"}),
    ],
)
def test_the_scope_says_which_steps_may_not_be_undone(
    scope: str, memory: set[tuple[int, int]], replies: set[str]
) -> None:
    options = {"undo_scope": scope, "no_progress_limit": 40}
    rules = reference("alquerque", **options)
    state = play(rules, rules.parse("W:W0,3:B21,24"), *WALK)

    assert state.memory == memory
    sideways = {"0-1", "1-0", "1-2", "4-3"}
    assert turns(rules, state) & sideways == replies


def test_a_remembered_point_counts_while_a_piece_stands_on_it() -> None:
    assert after("alquerque", "W:W6,0:B24:U6-5", "0-5").memory == {(6, 5)}


def test_a_point_that_cannot_bite_any_more_is_forgotten() -> None:
    """From 2 the way to 0 leads over 1, which is forbidden too."""
    walk = ("0-1", "24-23", "1-2", "23-22")

    for scope in ("per_coin", "never_revisit"):
        assert after("alquerque", "W:W0:B24", *walk, undo_scope=scope).memory == {(2, 1), (22, 23)}


def test_a_point_that_can_still_be_reached_is_remembered() -> None:
    """From 1 over 2; only position text can set up such a memory."""
    assert after("alquerque", "W:W0:B24:U0-3", "0-1", undo_scope="never_revisit").memory == {(1, 0), (1, 3)}
    assert after("alquerque", "W:W0:B24:U0-3", "0-1", undo_scope="per_coin").memory == {(1, 0)}


def test_where_captures_do_not_clear_the_memory_all_of_it_is_kept() -> None:
    walk = ("0-1", "24-23", "1-2", "23-18")
    kept = {"undo_cleared_by_jump": False}

    expected = {(2, 0), (2, 1), (18, 23), (18, 24)}
    assert after("alquerque", "W:W0:B24", *walk, undo_scope="never_revisit", **kept).memory == expected
    assert after("alquerque", "W:W0:B24", *walk, undo_scope="per_coin", **kept).memory == {(2, 1), (18, 23)}


ROUND = "W:W11,4:B2,6,8,12,24:U11-10,4-3,24-23"
ROUND_TRIP = "11 x12>13 x8>3 x2>1 x6>11"


@pytest.mark.parametrize(
    ("options", "own_memory"),
    [
        ({"undo_scope": "per_coin"}, {(4, 3)}),
        ({"undo_scope": "never_revisit"}, {(4, 3)}),
        ({"undo_scope": "per_player_last_move"}, set()),
        ({"undo_scope": "per_coin", "undo_cleared_by_jump": False}, {(11, 10), (4, 3)}),
        ({"undo_scope": "per_player_last_move", "undo_cleared_by_jump": False}, {(11, 10), (4, 3)}),
        (
            {"undo_scope": "never_revisit", "undo_cleared_by_jump": False},
            {(11, 10), (11, 11), (11, 13), (11, 3), (11, 1), (4, 3)},
        ),
    ],
)
def test_a_capture_clears_or_carries_the_memory_of_its_coin(
    options: dict[str, OptionValue], own_memory: set[tuple[int, int]]
) -> None:
    """The chain comes back beside 10, from where the coin had stepped."""
    rules = reference("alquerque", **options, no_progress_limit=40)
    state = play(rules, rules.parse(ROUND), ROUND_TRIP)

    assert state.memory == own_memory | {(24, 23)}
    may_go_back = (11, 10) not in own_memory
    assert ("11-10" in turns(rules, state._replace(player=0))) == may_go_back


def test_never_revisit_forbids_points_passed_in_a_chain() -> None:
    """After the round trip the coin steps to 12 and would go on to 13, where it has landed."""
    for scope, goes_on in (("never_revisit", False), ("per_coin", True)):
        rules = reference("alquerque", undo_scope=scope, undo_cleared_by_jump=False)
        state = play(rules, rules.parse(ROUND), ROUND_TRIP, "24-19", "11-12", "19-14")

        assert ("12-13" in turns(rules, state)) == goes_on


@pytest.mark.parametrize("removal", ["immediate", "end_of_turn"])
def test_the_memory_of_a_captured_coin_leaves_with_it(removal: str) -> None:
    rules = reference("alquerque", capture_removal=removal)
    state = play(rules, rules.parse("W:W6:B12,20:U12-11,20-21"), "6 x12>18")

    assert state.memory == {(20, 21)}


def test_alfonso_x_takes_one_piece_a_turn_and_need_not() -> None:
    simple = steps("6: 0 1 2 5 7 10 11")
    assert turns_in("alquerque_alfonso_x", "W:W6:B12,17") == simple | {"6 x12>18"}
    assert turns_in("alquerque_alfonso_x", "W:W6:B12,17", capture="compulsory") == {"6 x12>18"}


def test_murray_takes_as_many_pieces_as_the_player_likes() -> None:
    simple = steps("6: 0 1 2 5 7 10 11")
    captures = {"6 x12>18 stop", "6 x12>18 x17>16"}
    assert turns_in("alquerque_murray", "W:W6:B12,17") == simple | captures
    assert turns_in("alquerque_murray", "W:W6:B12,17", chain="compulsory") == simple | {"6 x12>18 x17>16"}


def test_a_pass_in_a_chain_names_the_chain_and_ends_the_turn() -> None:
    rules = reference("alquerque_murray")
    middle = rules.play(rules.parse("W:W6:B12,17:H7"), RefStep(6, 18, 12))

    assert middle == rules.parse("W:W18:B17:C18")
    assert rules.legal(middle) == [RefStep(18, 16, 17), RefStep(18, 18)]
    assert rules.play(middle, RefStep(18, 18)) == rules.parse("B:W18:B17")


BLOCKED = "W:W0:B1,2,5,6,10,12"
CORNERED = "W:W0,1,2,3,4,5,6,7,8,9,10,11:B12,13,14,15,16,17,18,19,20,21,22,23"
CORNERED_MAJORITY = "W:W0,1,2,3,4,5,6,7,8,9,10,11,13:B12,14,15,16,17,18,19,20,21,22,23"


def test_a_simple_turn_moves_the_clock_and_a_capture_resets_it() -> None:
    assert after("fetaix", "W:W6:B24:H5", "6-11").quiet == 6
    assert after("fetaix", "W:W6:B12,24:H5", "6 x12>18").quiet == 0


def test_a_clock_without_limit_stands_still() -> None:
    options = {"no_progress_limit": "off", "repetition": "threefold_draw"}

    assert after("fetaix", "W:W6:B24", "6-11", **options).quiet == 0
    assert after("fetaix", "W:W20:B21,22", "pass", no_moves="pass", **options).quiet == 0


def test_promotion_resets_the_clock_where_it_is_progress() -> None:
    assert after("fetaix", "W:W15:B4:H5", "15-20").quiet == 0
    assert after("fetaix", "W:WK15:B4:H5", "15-20").quiet == 6
    assert after("alquerque_alfonso_x", "W:W15:B4:H5", "15-20").quiet == 6


@pytest.mark.parametrize(
    ("options", "position", "expected"),
    [
        ({}, "W:WK0:B22:H79", None),
        ({}, "W:WK0:B22:H80", (None, "no_progress")),
        ({"no_progress_limit": 3}, "W:WK0:B22:H2", None),
        ({"no_progress_limit": 3}, "W:WK0:B22:H3", (None, "no_progress")),
        ({"no_progress_result": "majority"}, "W:WK0:B22:H79", None),
        ({"no_progress_result": "majority"}, "W:WK0:B22:H80", (None, "majority")),
        ({"no_progress_result": "majority"}, "W:WK0,1:B22:H80", (0, "majority")),
        ({"no_progress_result": "majority"}, "W:WK0:B22,23:H80", (1, "majority")),
        ({"no_progress_limit": "off", "repetition": "threefold_draw"}, "W:WK0:B22:H80", None),
    ],
)
def test_a_match_without_progress_ends_at_the_limit(
    options: dict[str, OptionValue], position: str, expected: Outcome | None
) -> None:
    assert outcome_in("fetaix", position, **options) == expected


def test_the_side_that_has_captured_everything_wins() -> None:
    assert outcome_in("fetaix", "B:W12:B") == (0, "captured")
    assert outcome_in("fetaix", "W:W:BK12") == (1, "captured")
    assert outcome_in("fetaix", "B:W12:B:H80") == (0, "captured")


@pytest.mark.parametrize("removal", ["immediate", "end_of_turn"])
def test_the_last_capture_ends_the_match_even_where_a_chain_may_stop(removal: str) -> None:
    rules = reference("alquerque_murray", capture_removal=removal)
    end = rules.play(rules.parse("W:W6:B12"), RefStep(6, 18, 12))

    assert (end.chain, rules.outcome(end)) == (None, (0, "captured"))


@pytest.mark.parametrize(
    ("position", "no_moves", "expected"),
    [
        (BLOCKED, "loss", (1, "blocked")),
        (BLOCKED, "draw", (None, "blocked")),
        (BLOCKED, "majority", (1, "blocked")),
        (CORNERED, "majority", (None, "blocked")),
        (CORNERED_MAJORITY, "majority", (0, "blocked")),
        (CORNERED_MAJORITY, "loss", (1, "blocked")),
        (BLOCKED, "pass", None),
        (f"{BLOCKED}:H80", "draw", (None, "blocked")),
        (f"{BLOCKED}:H80", "pass", (None, "no_progress")),
    ],
)
def test_a_player_who_cannot_move(position: str, no_moves: str, expected: Outcome | None) -> None:
    assert outcome_in("alquerque_alfonso_x", position, no_moves=no_moves) == expected


def test_a_player_who_cannot_move_may_have_to_pass() -> None:
    rules = reference("alquerque_alfonso_x", no_moves="pass")

    assert turns(rules, rules.parse(BLOCKED)) == {"pass"}
    assert rules.legal(rules.parse(BLOCKED)) == [RefStep(None, None)]
    assert play(rules, rules.parse(f"{BLOCKED}:H4"), "pass") == rules.parse(f"B{BLOCKED[1:]}:H5")


def test_a_forced_pass_promotes_nobody() -> None:
    """South's man on 20 cannot have got there by its own step; it stays what it is."""
    assert after("fetaix", "W:W20:B21,22", "pass", no_moves="pass").kings == (set(), set())


SHUFFLE = ((0, 5), (22, 23), (5, 0), (23, 22))


def shuffled(match: RefMatch, cycle: tuple[tuple[int, int], ...], plies: int) -> list[Outcome | None]:
    """Outcomes after each of so many plies of going round a cycle."""
    outcomes = []
    for ply in range(plies):
        match.push(RefStep(*cycle[ply % len(cycle)]))
        outcomes.append(match.outcome)
    return outcomes


@pytest.mark.parametrize(
    ("options", "end"),
    [
        ({"repetition": "threefold_draw"}, (None, "repetition")),
        ({"repetition": "threefold_draw", "no_progress_limit": 8}, (None, "repetition")),
        ({"repetition": "threefold_draw", "no_progress_limit": "off"}, (None, "repetition")),
        ({"repetition": "off", "no_progress_limit": 8}, (None, "no_progress")),
        ({"repetition": "off"}, None),
    ],
)
def test_the_third_occurrence_of_a_position_is_a_draw(options: dict[str, OptionValue], end: Outcome | None) -> None:
    rules = reference("fetaix", **options)
    match = RefMatch(rules, rules.parse("W:WK0:BK22"))

    assert shuffled(match, SHUFFLE, 8) == [None] * 7 + [end]
    assert (match.legal == []) == (end is not None)


def test_a_position_with_another_memory_is_another_position() -> None:
    """The start comes back with memories after 8 plies, and what came after 2 plies for the third time after 18."""
    rules = reference("alquerque", undo_scope="per_player_last_move", repetition="threefold_draw")
    cycle = ((0, 1), (20, 21), (3, 4), (23, 24), (1, 0), (21, 20), (4, 3), (24, 23))

    assert shuffled(RefMatch(rules, rules.parse("W:W0,3:B20,23")), cycle, 18) == [None] * 17 + [(None, "repetition")]


def variants() -> list[tuple[str, dict[str, OptionValue]]]:
    """Every value of every option of every game, beside the defaults and a limit that keeps matches finite."""
    found = []
    for name in games():
        options = load_game(name).option_table
        for option, entry in options.items():
            for value in entry.values:
                ends = {"repetition": "threefold_draw"} if option == "no_progress_limit" else {"no_progress_limit": 60}
                ends = {key: answer for key, answer in ends.items() if key in options}
                found.append((name, ends | {option: 7 if value == "N" else value} | needed(name, option, value)))
    return found


@pytest.mark.parametrize(("name", "options"), core_first(variants()))
def test_random_matches_keep_the_books(name: str, options: dict[str, OptionValue]) -> None:
    """Pieces only leave by capture, what is taken or remembered stands on the board, and the clock stops in time."""
    game = load_game(name, **options)
    limit = game.rules.no_progress_limit
    before = sum(map(len, game.start))
    for state, legal in positions(game, np.random.default_rng(0), 150):
        pieces = sum(map(len, state.men + state.kings))
        standing = pieces - len(state.captured)
        assert pieces == len(state.occupied)
        assert before - standing in ((0, 1) if state.quiet == 0 else (0,))
        assert state.captured <= state.pieces(1 - state.player)
        assert {piece for piece, _ in state.memory} <= state.occupied
        assert state.chain is None or state.chain in state.pieces(state.player)
        assert len(set(legal)) == len(legal)
        assert state.quiet == 0 if limit == "off" else state.quiet < limit + (not legal)
        before = standing


def test_random_play_meets_mullahs_chains_and_ends() -> None:
    """Else a comparison on these positions would say nothing about them."""
    game = load_game("fetaix", man_capture_dirs="all")
    seen: Counter[str] = Counter()
    for seed in range(10):
        for state, legal in positions(game, np.random.default_rng(seed), 300):
            seen["mullah"] += bool(state.kings[0] | state.kings[1])
            seen["chain"] += state.chain is not None
            seen["end"] += not legal

    assert seen["end"] == 10
    assert seen["mullah"] > 100
    assert seen["chain"] > 20
