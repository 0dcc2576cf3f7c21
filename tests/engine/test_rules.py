"""The rules, by the worked positions of the rules dossier (F-W1 and so on) and by what each option says.

Everything goes through `Match`, in whole turns: `turns` lists those that can be played, in notation.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from option_values import needed

from alquerque_env import Match, Outcome, games, load_game

MOSONA = "awithlaknannai_mosona"
DAVIS = "awithlaknannai_mosona_davis"


def begin(name: str, position: str | None = None, *turns_played: str, **options: object) -> Match:
    """A match from a position, after turns or steps."""
    match = Match(load_game(name, **options), position)
    for turn in turns_played:
        match.push(turn)
    return match


def turns(match: Match) -> set[str]:
    """All whole turns from here; in the middle of a chain, all that begin with what was pushed of it."""
    found = list(finished_turns(match))
    assert len(found) == len(set(found)), f"a turn is listed twice: {found}"
    return set(found)


def finished_turns(match: Match) -> Iterator[str]:
    for step in match.legal_steps:
        match.push(step)
        if match.chain is None:
            yield match.turns[-1]
        else:
            yield from finished_turns(match)
        match.pop()


def turns_in(name: str, position: str | None = None, *turns_played: str, **options: object) -> set[str]:
    return turns(begin(name, position, *turns_played, **options))


def after(name: str, position: str | None, *turns_played: str, **options: object) -> str:
    return begin(name, position, *turns_played, **options).position


def outcome_in(name: str, position: str, **options: object) -> Outcome | None:
    return begin(name, position, **options).outcome


def steps(text: str) -> set[str]:
    """`c3: b2 c2` as the set of `c3-b2` and `c3-c2`."""
    origin, targets = text.split(":")
    return {f"{origin}-{target}" for target in targets.split()}


# Openings: 1.0 and 1.2.5 of the dossier.

CAPTURES = {"b2-c3": {"d4xb2"}, "c2-c3": {"c4xc2"}, "d3-c3": {"b3xd3"}, "d2-c3": {"b4xd2", "d4xd2"}}
STEPS = {"b2-c3": {"a3-b2", "b3-b2"}, "c2-c3": set(), "d3-c3": {"d4-d3"}, "d2-c3": set()}


@pytest.mark.parametrize("name", ["fetaix", "alquerque"])
def test_south_steps_to_the_centre_and_north_must_capture(name):
    assert turns_in(name) == set(CAPTURES)
    assert {opening: turns_in(name, None, opening) for opening in CAPTURES} == CAPTURES


@pytest.mark.parametrize("name", ["alquerque_alfonso_x", "alquerque_murray"])
def test_south_steps_to_the_centre_and_north_may_capture_or_step_where_captures_are_optional(name):
    assert turns_in(name) == set(CAPTURES)
    assert {opening: turns_in(name, None, opening) for opening in CAPTURES} == {
        opening: captures | STEPS[opening] for opening, captures in CAPTURES.items()
    }


@pytest.mark.parametrize(
    ("opening", "replies"),
    [
        ("h1-i2", {"g2xh1", "h3xh1^i2", "j3xh1"}),
        (
            "j1-i2",
            {
                "g2xj1xi2xg2^h1",
                "h3xj1xi2",
                "j3xj1^i2xi2",
                "j3xj1^i2xj3^k2",
                "j3xj1^k2xk2",
                "j3xj1^k2xj3^i2",
                "l3xj1xk2xl3",
            },
        ),
        ("k2-i2", {"g2xk2xi2^j1xg2^h1", "h3xk2xi2^j1", "j3xk2xi2^j1", "l3xk2xm2^l1", "n3xk2xm2^l1xn3"}),
    ],
)
def test_mosona_opens_by_a_step_to_the_centre_and_north_captures_by_any_pattern(opening, replies):
    """M-W2."""
    assert turns_in(MOSONA) == {"h1-i2", "j1-i2", "k2-i2"}
    assert turns_in(MOSONA, None, opening) == replies


@pytest.mark.parametrize(
    "variant",
    [
        (DAVIS, {}),
        (DAVIS, {"opening": "any"}),
        (MOSONA, {"board": "culin", "leap": "straight", "opening": "any"}),
        (MOSONA, {"board": "murray", "leap": "straight", "opening": "any"}),
    ],
)
def test_straight_leaps_and_drawn_lines_make_the_opening_of_the_article_by_themselves(variant):
    name, options = variant
    replies = {"h1-i2": {"j3xh1"}, "j1-i2": {"h3xj1", "l3xj1"}, "k2-i2": {"g2xk2"}}

    assert turns_in(name, **options) == set(replies)
    assert {opening: turns_in(name, None, opening, **options) for opening in replies} == replies


@pytest.mark.parametrize(
    ("board", "leap", "captures"),
    [
        ("murray", "pattern", {"f1xi2xg2^h3xf1", "h1xi2xg2^h3", "k2xi2^j3"}),
        (
            "culin",
            "pattern",
            {
                "f1xi2^g2xg2^h3xf1^e2",
                "f1xi2^g2xg2^h3xh3^f3xi2^j3",
                "h1xi2^g2xg2^h3xh3^f3xi2^j3",
                "k2xi2^j3xj3^h3xk2^l3",
            },
        ),
        ("murray", "drawn_line", {"k2xi2^j3"}),
    ],
)
def test_without_the_opening_rule_a_bent_leap_captures_at_once(board, leap, captures):
    assert turns_in(MOSONA, board=board, leap=leap, opening="any") == captures
    assert turns_in(MOSONA, board=board, leap=leap) == {"h1-i2", "j1-i2", "k2-i2"}


def test_the_opening_rule_holds_in_the_start_position_and_nowhere_else():
    start = begin(MOSONA).position
    captures = {"f1xi2xg2^h3xf1", "h1xi2xg2^h3", "k2xi2^j3"}

    assert turns_in(MOSONA, start) == {"h1-i2", "j1-i2", "k2-i2"}
    assert turns_in(MOSONA, f"{start}:H1") == captures
    assert turns_in(MOSONA, "B" + start[1:]).isdisjoint({"h3-i2", "j3-i2", "g2-i2"})
    assert turns_in(MOSONA, start.replace("Wb1,", "W")) >= captures


def test_the_opening_rule_does_not_take_captures_for_steps_to_the_centre():
    assert turns_in(MOSONA, capture="optional") == {"h1-i2", "j1-i2", "k2-i2"}


@pytest.mark.parametrize(("starter", "turn"), [("player_0", "c2-c3"), ("player_1", "c4-c3")])
def test_fetaix_may_have_to_open_straight_from_behind_the_centre(starter, turn):
    assert turns_in("fetaix", opening="straight_only", who_starts=starter) == {turn}


@pytest.mark.parametrize(
    ("name", "opening"),
    [(MOSONA, {"j3-i2", "h3-i2", "g2-i2"}), ("alquerque", {"d4-c3", "c4-c3", "b3-c3", "b4-c3"})],
)
def test_north_may_be_the_first_to_move(name, opening):
    match = begin(name, who_starts="player_1")

    assert match.player == 1
    assert match.position == "B" + begin(name).position[1:]
    assert turns(match) == opening


# Chains and directions.

F_W1 = "W:Wa1,b2:Bc3,d3,c4"


def test_a_man_must_capture_and_go_on_as_long_as_it_can():
    """F-W1: it may not stop on d4, step with a1, or take d3 backward."""
    assert turns_in("fetaix", F_W1) == {"b2xd4xb4"}
    assert after("fetaix", F_W1, "b2xd4xb4") == "B:Wa1,b4:Bd3"


@pytest.mark.parametrize("directions", ["all", "first_leap_forward_sideways"])
def test_a_later_leap_may_go_backward_where_the_rules_allow_it(directions):
    """F-W1."""
    assert turns_in("fetaix", F_W1, man_capture_dirs=directions) == {"b2xd4xb4", "b2xd4xd2"}


@pytest.mark.parametrize(
    ("directions", "expected"),
    [
        ("all", {"c3xc1", "c3xc5"}),
        ("first_leap_forward_sideways", {"c3xc5"}),
        ("forward_sideways", {"c3xc5"}),
    ],
)
@pytest.mark.parametrize("name", ["fetaix", "alquerque"])
def test_a_first_leap_goes_backward_only_where_all_directions_are_free(name, directions, expected):
    assert turns_in(name, "W:Wc3:Bc2,c4", man_capture_dirs=directions) == expected


def test_forward_is_down_for_north():
    assert turns_in("fetaix", "B:Wc2,c4:Bc3") == {"c3xc1"}
    assert turns_in("fetaix", "B:Wa1:Bc3") == steps("c3: b3 d3 b2 c2 d2")


def test_a_man_steps_forward_and_sideways_along_drawn_lines_only():
    assert turns_in("fetaix", "W:Wc3:Be2") == steps("c3: b3 d3 b4 c4 d4")
    assert turns_in("alquerque", "W:Wb3:Be1") == steps("b3: a3 c3 b4")
    assert turns_in("alquerque_murray", "W:Wc3:Be1") == steps("c3: b3 d3 b4 c4 d4 b2 c2 d2")


@pytest.mark.parametrize(
    ("board", "centre", "outer"), [("culin", "gk", "dh"), ("murray", "gk", ""), ("zigzag", "", "")]
)
def test_the_boards_of_mosona_differ_in_the_lines_along_their_rows(board, centre, outer):
    along_the_middle = {f"i2-{column}2" for column in centre}
    along_the_row = {f"f1-{column}1" for column in outer}

    assert turns_in(MOSONA, "W:Wi2:Bb1", board=board) == steps("i2: h1 j1 h3 j3") | along_the_middle
    assert turns_in(MOSONA, "W:Wf1:Bp3", board=board) == steps("f1: e2 g2") | along_the_row


def test_where_a_chain_is_single_one_leap_ends_the_turn():
    assert turns_in("fetaix", F_W1, chain="single") == {"b2xd4"}
    assert after("fetaix", F_W1, "b2xd4", chain="single") == "B:Wa1,d4:Bd3,c4"


def test_an_optional_chain_may_stop_after_any_leap():
    assert turns_in("fetaix", F_W1, chain="optional") == {"b2xd4", "b2xd4xb4"}
    assert after("fetaix", F_W1, "b2xd4", "pass", chain="optional") == "B:Wa1,d4:Bd3,c4"


@pytest.mark.parametrize(("chain", "capture"), [("compulsory", "b2xd4xb4"), ("single", "b2xd4")])
def test_optional_captures_stand_beside_simple_steps(chain, capture):
    simple = steps("a1: b1 a2") | steps("b2: a2 c2 a3 b3")

    assert turns_in("fetaix", F_W1, capture="optional", chain=chain) == simple | {capture}


def test_an_optional_capture_once_begun_goes_on_where_chains_are_compulsory():
    assert turns(begin("fetaix", F_W1, "b2xd4", capture="optional")) == {"b2xd4xb4"}


def test_a_player_chooses_freely_among_captures():
    """A-W2: one piece backward, or two; steps are out of the question."""
    assert turns_in("alquerque", "W:Wc3:Bc2,c4,b5") == {"c3xc1", "c3xc5xa5"}


@pytest.mark.parametrize("removal", ["immediate", "end_of_turn"])
def test_a_chain_may_turn_and_ends_where_nothing_is_left_to_leap(removal):
    """A-W4."""
    position = "B:Wa2,c4,d4:Be3"

    assert turns_in("alquerque", position, capture_removal=removal) == {"e3xc5xc3"}
    assert after("alquerque", position, "e3xc5xc3", capture_removal=removal) == "W:Wa2:Bc3"


def test_alfonso_x_captures_one_piece_a_turn_and_need_not():
    simple = steps("b2: a1 b1 c1 a2 c2 a3 b3")

    assert turns_in("alquerque_alfonso_x", "W:Wb2:Bc3,c4") == simple | {"b2xd4"}
    assert turns_in("alquerque_alfonso_x", "W:Wb2:Bc3,c4", capture="compulsory") == {"b2xd4"}


def test_murray_captures_as_many_pieces_as_the_player_likes():
    simple = steps("b2: a1 b1 c1 a2 c2 a3 b3")

    assert turns_in("alquerque_murray", "W:Wb2:Bc3,c4") == simple | {"b2xd4", "b2xd4xb4"}
    assert turns_in("alquerque_murray", "W:Wb2:Bc3,c4", chain="compulsory") == simple | {"b2xd4xb4"}


# Mullahs.

F_W2 = "W:WKa1:Bc3,b4"
F_W2_AND_E3 = "W:WKa1:Bc3,e3,b4"
F_W3 = "W:Wc3:Bb4,c4,d5"


def test_a_mullah_lands_on_any_vacant_point_behind_its_victim():
    """F-W2; the last chain crosses c3, which is vacant again."""
    assert turns_in("fetaix", F_W2) == {"a1xd4xa4", "a1xe5"}
    assert turns_in("fetaix", F_W2_AND_E3) == {"a1xd4xa4", "a1xe5xe2", "a1xe5xe1xa5"}


def test_a_mullah_that_must_continue_lands_where_it_can():
    """F-W2; with e3 the rule bites at the second leap, at e2 against e1."""
    assert turns_in("fetaix", F_W2, mullah_landing="must_continue") == {"a1xd4xa4"}
    assert turns_in("fetaix", F_W2_AND_E3, mullah_landing="must_continue") == {"a1xd4xa4", "a1xe5xe1xa5"}


@pytest.mark.parametrize(
    ("position", "kept", "lost"),
    [
        ("W:WKb2,e3:Bc2,c3,b4,e4", {"b2xd4xa4", "b2xd2", "b2xe2", "b2xb5", "e3xe5"}, "b2xe5"),
        ("W:WKa1,Kc5:Bc3,b4", {"a1xd4xa4", "c5xc2", "c5xc1", "c5xa3xd3", "c5xa3xe3"}, "a1xe5"),
    ],
)
def test_the_landing_rule_leaves_other_victims_and_other_pieces_alone(position, kept, lost):
    assert turns_in("fetaix", position) == kept | {lost}
    assert turns_in("fetaix", position, mullah_landing="must_continue") == kept


def test_two_pieces_in_a_row_stop_a_mullah():
    """F-W4."""
    assert turns_in("fetaix", "W:WKa1:Bc3,d4") == steps("a1: b1 c1 d1 e1 a2 a3 a4 a5 b2")


def test_an_own_piece_stops_a_mullah():
    assert turns_in("fetaix", "W:WKa1,c3:Bd4") == {"c3xe5"}
    assert turns_in("fetaix", "W:WKa1,b1,a2:Bd4") == {"a1xe5"}


def test_a_man_captures_a_mullah_and_a_mullah_a_mullah():
    assert turns_in("fetaix", "W:Wa1:BKb2") == {"a1xc3"}
    assert turns_in("fetaix", "W:WKa1:BKd4") == {"a1xe5"}


def test_a_captured_piece_that_stays_is_in_the_way_until_the_turn_ends():
    """F-W2 with e3: the second leap back across c3 is gone."""
    late = {"capture_removal": "end_of_turn"}

    assert turns_in("fetaix", F_W2_AND_E3, **late) == {"a1xd4xa4", "a1xe5xe2", "a1xe5xe1"}
    assert after("fetaix", F_W2_AND_E3, "a1xe5", **late) == "W:WKe5:Bc3,e3,b4:Ce5:Xc3"
    assert after("fetaix", F_W2_AND_E3, "a1xe5xe1", **late) == "B:WKe1:Bb4"


def test_a_captured_piece_that_stays_cannot_be_leapt_again():
    assert turns_in("fetaix", "W:WKa1:Bc3", capture_removal="end_of_turn") == {"a1xd4", "a1xe5"}


def test_the_longest_chain_is_compulsory_where_the_rules_say_so():
    most = {"max_capture": "most_pieces"}

    assert turns_in("fetaix", F_W2, **most) == {"a1xd4xa4"}
    assert turns_in("fetaix", F_W2_AND_E3, **most) == {"a1xe5xe1xa5"}
    assert turns_in("fetaix", F_W3, **most) == {"c3xc5xe5"}
    assert turns_in("fetaix", "W:Wc3,d1:Bd2,c4,e4", **most) == {"c3xc5", "d1xd3"}
    assert turns_in("fetaix", F_W2_AND_E3, "a1xe5", **most) == {"a1xe5xe1xa5"}


def test_a_mullah_that_flies_on_the_long_diagonals_only_is_a_man_elsewhere_and_goes_backward_too():
    short = {"mullah_lines": "long_diagonals"}

    assert turns_in("fetaix", "W:WKc3:BKd1", **short) == steps("c3: a1 b2 d4 e5 e1 d2 b4 a5 c2 b3 d3 c4")
    assert turns_in("fetaix", "W:WKc1:Bc4", **short) == steps("c1: b1 d1 b2 c2 d2")
    assert turns_in("fetaix", F_W2, **short) == {"a1xd4", "a1xe5"}
    assert turns_in("fetaix", "W:WKc4:Bc3", **short) == {"c4xc2"}
    assert turns_in("fetaix", "W:WKc5:Bc3", **short) == steps("c5: b4 c4 d4 b5 d5")
    assert turns_in("fetaix", "W:WKc5:Bc3") == {"c5xc2", "c5xc1"}


# Promotion.


def test_a_man_is_promoted_where_its_turn_ends_and_not_in_passing():
    """F-W3."""
    assert turns_in("fetaix", F_W3) == {"c3xa5", "c3xc5xe5"}
    assert after("fetaix", F_W3, "c3xa5") == "B:WKa5:Bc4,d5"
    assert after("fetaix", F_W3, "c3xc5") == "W:Wc5:Bb4,d5:Cc5"
    assert after("fetaix", F_W3, "c3xc5xe5") == "B:WKe5:Bb4"


def test_a_man_that_leaps_back_from_the_last_rank_stays_a_man():
    assert turns_in("fetaix", F_W3, man_capture_dirs="all") == {"c3xa5", "c3xc5xe5", "c3xc5xa3"}
    assert after("fetaix", F_W3, "c3xc5xa3", man_capture_dirs="all") == "B:Wa3:Bd5"


@pytest.mark.parametrize("directions", ["forward_sideways", "all"])
def test_a_man_promoted_in_a_chain_stops_where_the_rules_say_so(directions):
    """F-W3 with promote_and_stop."""
    options = {"midchain_promotion": "promote_and_stop", "man_capture_dirs": directions}

    assert turns_in("fetaix", F_W3, **options) == {"c3xa5", "c3xc5"}
    assert after("fetaix", F_W3, "c3xc5", **options) == "B:WKc5:Bb4,d5"


def test_a_man_promoted_in_a_chain_goes_on_as_a_mullah_where_the_rules_say_so():
    """F-W3 with promote_and_continue."""
    options = {"midchain_promotion": "promote_and_continue"}

    assert turns_in("fetaix", F_W3, **options) == {"c3xa5xe5", "c3xc5xe5", "c3xc5xa3"}
    assert after("fetaix", F_W3, "c3xc5", **options) == "W:WKc5:Bb4,d5:Cc5"
    assert after("fetaix", F_W3, "c3xc5xa3", **options) == "B:WKa3:Bd5"


def test_a_mullah_does_not_stop_at_the_last_rank():
    assert turns_in("fetaix", "W:WKc3:Bc4,d5", midchain_promotion="promote_and_stop") == {"c3xc5xe5"}


def test_a_man_that_stops_on_the_last_rank_is_promoted():
    assert after("fetaix", F_W3, "c3xc5", "pass", chain="optional") == "B:WKc5:Bb4,d5"
    assert after("fetaix", F_W3, "c3xc5", chain="single") == "B:WKc5:Bb4,d5"


def test_a_simple_step_promotes_too():
    assert after("fetaix", "W:Wb4:Be2", "b4-a5") == "B:WKa5:Be2"
    assert after("fetaix", "B:We3:Bb2", "b2-c1") == "W:We3:BKc1"
    assert after("fetaix", "B:We3:Bb3", "b3-b2") == "W:We3:Bb2:H1"


# Bent leaps.

M_W1 = "W:Wf1:Be2,g2"
M_W1_LEAPS = {
    "murray": {
        *("f1xd1", "f1xc2", "f1xd3", "f1xh1", "f1xi2", "f1xh3"),
        *(f"f1xf3^e2x{last}" for last in ("f1^g2", "h1", "e2", "i2", "h3")),
        *(f"f1xf3^g2x{last}" for last in ("d1", "f1^e2", "c2", "g2", "d3")),
    },
    "culin": {
        *("f1xd1", "f1xc2^e2", "f1xd3", "f1xh1", "f1xi2^g2", "f1xh3"),
        *(f"f1xf3^e2x{last}" for last in ("f1^g2", "h1", "e2^g2", "i2^g2", "h3")),
        *(f"f1xf3^g2x{last}" for last in ("d1", "f1^e2", "c2^e2", "g2^e2", "d3")),
    },
}


@pytest.mark.parametrize("board", ["murray", "culin"])
def test_a_leap_that_could_have_two_victims_names_its_own(board):
    """M-W1."""
    leaps = M_W1_LEAPS[board]

    assert len(leaps) == 16
    assert turns_in(MOSONA, M_W1, board=board) == leaps


def test_the_two_ways_to_one_point_capture_different_pieces():
    """M-W1."""
    assert after(MOSONA, M_W1, "f1xf3^e2") == "W:Wf3:Bg2:Cf3"
    assert after(MOSONA, M_W1, "f1xf3^g2") == "W:Wf3:Be2:Cf3"


@pytest.mark.parametrize("board", ["murray", "culin"])
@pytest.mark.parametrize("leap", ["straight", "drawn_line"])
def test_a_leap_along_a_drawn_line_goes_straight_across_the_middle_row(board, leap):
    """M-W1."""
    assert turns_in(MOSONA, M_W1, board=board, leap=leap) == {"f1xd3", "f1xh3"}


def test_bent_leaps_may_be_single_or_stop_as_straight_ones():
    first = {"f1xd1", "f1xc2", "f1xd3", "f1xh1", "f1xi2", "f1xh3", "f1xf3^e2", "f1xf3^g2"}

    assert turns_in(MOSONA, M_W1, chain="single") == first
    assert turns_in(MOSONA, M_W1, chain="optional") == first | M_W1_LEAPS["murray"]


@pytest.mark.parametrize(("board", "chain"), [("murray", "f1xi2xg2^h3xf1"), ("culin", "f1xi2^g2xg2^h3xf1^e2")])
def test_a_victim_that_stays_until_the_turn_ends_shortens_a_chain(board, chain):
    """M-W3."""
    options = {"board": board, "opening": "any"}
    first = chain.split("xg2")[0]

    assert chain in turns_in(MOSONA, **options)
    late = turns_in(MOSONA, **options, capture_removal="end_of_turn")
    assert {turn for turn in late if turn.startswith("f1")} == {first}


def test_a_chain_that_may_not_return_to_its_start_ends_before_it():
    """M-W1 and M-W3; the start is the first origin of the chain, and free again when the turn ends."""
    options = {"chain_may_return_to_start": False}

    home = {"f1xf3^e2xf1^g2", "f1xf3^g2xf1^e2"}
    assert turns_in(MOSONA, M_W1, **options) == M_W1_LEAPS["murray"] - home
    assert turns_in(MOSONA, opening="any", **options) == {"f1xi2xg2^h3", "h1xi2xg2^h3", "k2xi2^j3"}
    position = "W:Wf1:Be2,g2,h3,n3"
    ends = {f"f1xi2xg2^h3x{last}" for last in ("d1", "c2", "d3", "f3")}
    assert turns_in(MOSONA, position, "f1xi2", "i2xg2", **options) == ends
    assert after(MOSONA, position, "f1xi2", "i2xg2", **options) == "W:Wg2:Be2,n3:Cg2:Sf1"
    assert after(MOSONA, position, "f1xi2xg2xd1", **options) == "B:Wd1:Bn3"


def test_a_chain_through_the_first_point_keeps_its_start():
    match = begin(MOSONA, "B:Wa2,c2,e2,j3:Bb3,d3", "d3xb1", "b1xc2", chain_may_return_to_start=False)

    assert match.position == "B:We2,j3:Bc2,b3:Cc2:Sd3"


def test_outer_rows_are_safe_from_straight_leaps_on_the_board_without_outer_lines():
    """M-W4."""
    assert turns_in(MOSONA, "W:Wg2:Bh3", leap="straight") == steps("g2: f1 h1 e2 i2 f3")
    assert turns_in(MOSONA, "W:Wg2:Bh3", leap="drawn_line") == {"g2xi2^h3"}
    assert turns_in(MOSONA, "W:Wg2:Bh3", leap="pattern") == {"g2xi2^h3"}
    assert turns_in(MOSONA, "W:Wf3:Bh3", board="culin", leap="straight") == {"f3xj3"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"board": "culin", "leap": "straight", "end_arc": True}, {"b1xb3"}),
        ({"board": "culin", "leap": "straight", "end_arc": False}, {"b1-d1", "b1-c2"}),
        ({"board": "culin", "leap": "drawn_line", "end_arc": False}, {"b1xb3"}),
        ({"board": "murray", "leap": "drawn_line"}, {"b1xb3"}),
        ({"board": "murray", "leap": "straight"}, {"b1-c2"}),
        ({"board": "zigzag", "leap": "straight"}, {"b1-c2"}),
    ],
)
def test_a_leap_goes_round_the_end_of_the_board_where_the_rules_say_so(options, expected):
    """M-W5."""
    assert turns_in(MOSONA, "W:Wb1:Ba2", **options) == expected


# Memory.

A_W3 = "W:Wa5:Bd1"


def test_a_coin_may_not_undo_its_last_step():
    """A-W1."""
    position = "W:Wb3:Be5:Ub3-a3"

    assert turns_in("alquerque", position) == {"b3-c3", "b3-b4"}
    assert after("alquerque", position, "b3-c3") == "B:Wc3:Be5:Uc3-b3"
    assert turns_in("alquerque", position, "b3-c3", "e5-e4") == steps("c3: d3 b4 c4 d4")
    assert after("alquerque", position, "b3-b4") == "B:Wb4:Be5"


def test_memory_goes_with_its_coin_however_many_turns_other_coins_take():
    match = begin("alquerque", "W:Wb1,c1:Be5:Ub1-a1", "c1-d1", "e5-d5", "d1-e1", "d5-c5")
    assert turns(match) == steps("b1: c1 b2") | steps("e1: e2 d2")

    match = begin("alquerque", "W:Wb1,c1:Be5:Ub1-a1", "b1-b2", "e5-e4", "c1-b1", "e4-e3")
    assert turns(match) >= {"b1-a1"}
    assert turns(match).isdisjoint({"b1-c1"})


def test_a_coin_stuck_by_its_memory_loses():
    """A-W3."""
    assert outcome_in("alquerque", f"{A_W3}:Ua5-b5") == Outcome(1, "blocked")
    assert turns_in("alquerque", A_W3) == {"a5-b5"}
    assert begin("alquerque", "W:Wb5:Bd2", "b5-a5", "d2-d1").outcome == Outcome(1, "blocked")


def test_a_frozen_coin_may_only_leap():
    frozen = {"last_rank_frozen": True}

    assert outcome_in("alquerque", A_W3, **frozen) == Outcome(1, "blocked")
    assert turns_in("alquerque", "W:Wa5,c3:Bd1", **frozen) == steps("c3: b3 d3 b4 c4 d4")
    assert turns_in("alquerque", "W:Wa5:Bb5", **frozen) == {"a5xc5"}
    assert outcome_in("alquerque", "B:Wa5:Bc1", **frozen) == Outcome(0, "blocked")


@pytest.mark.parametrize(
    ("scope", "memory", "replies"),
    [
        ("per_coin", "Ub1-a1,e1-d1,c5-b5,d5-e5", {"b1-c1"}),
        ("never_revisit", "Ub1-a1,e1-d1,c5-b5,d5-e5", {"b1-c1"}),
        ("per_player_last_move", "Ue1-d1,c5-b5", {"b1-a1", "b1-c1"}),
    ],
)
def test_the_scope_says_which_steps_may_not_be_undone(scope, memory, replies):
    match = begin(
        "alquerque", "W:Wa1,d1:Bb5,e5", "a1-b1", "e5-d5", "d1-e1", "b5-c5", undo_scope=scope, no_progress_limit=40
    )

    assert match.position == f"W:Wb1,e1:Bc5,d5:H4:{memory}"
    assert {turn for turn in turns(match) if turn.endswith("1")} == replies


def test_a_remembered_point_counts_while_a_piece_stands_on_it():
    assert after("alquerque", "W:Wa1,b2:Be5:Ub2-a2", "a1-a2") == "B:Wa2,b2:Be5:Ub2-a2"


@pytest.mark.parametrize(
    ("options", "turns_played", "memory"),
    [
        ({"undo_scope": "per_coin"}, ("a1-b1", "e5-d5", "b1-c1", "d5-c5"), ":Uc1-b1,c5-d5"),
        ({"undo_scope": "never_revisit"}, ("a1-b1", "e5-d5", "b1-c1", "d5-c5"), ":Uc1-b1,c5-d5"),
        ({"undo_scope": "never_revisit"}, ("a1-b1", "e5-d5", "b1-b2", "d5-d4"), ""),
        (
            {"undo_scope": "never_revisit", "undo_cleared_by_jump": False},
            ("a1-b1", "e5-d5", "b1-c1", "d5-d4"),
            ":Uc1-a1,c1-b1,d4-d5,d4-e5",
        ),
        (
            {"undo_scope": "per_coin", "undo_cleared_by_jump": False},
            ("a1-b1", "e5-d5", "b1-c1", "d5-d4"),
            ":Uc1-b1,d4-d5",
        ),
    ],
)
def test_what_cannot_bite_any_more_is_forgotten(options, turns_played, memory):
    """Where captures carry memory on, a chain may bring a coin back beside any point, and all is kept."""
    position = after("alquerque", "W:Wa1:Be5", *turns_played, **options)

    assert position[position.index("B") :].partition(":")[2] == memory[1:]


@pytest.mark.parametrize(
    ("options", "own"),
    [
        ({"undo_scope": "per_coin"}, ["e1-d1"]),
        ({"undo_scope": "never_revisit"}, ["e1-d1"]),
        ({"undo_scope": "per_coin", "undo_cleared_by_jump": False}, ["e1-d1", "b3-a3"]),
        (
            {"undo_scope": "never_revisit", "undo_cleared_by_jump": False},
            ["e1-d1", "b3-b1", "b3-d1", "b3-a3", "b3-b3", "b3-d3"],
        ),
    ],
)
def test_a_capture_clears_the_memory_of_its_coin_or_carries_it_on(options, own):
    """The chain comes back beside a3, from where the coin had stepped."""
    memory = ",".join([*own, "e5-d5"])
    chain = "b3xd3xd1xb1xb3"
    position = "W:Wb3,e1:Bc1,b2,d2,c3,e5:Ub3-a3,e1-d1,e5-d5"

    assert after("alquerque", position, chain, **options) == f"B:We1,b3:Be5:U{memory}"
    assert ("b3-a3" in turns_in("alquerque", position, chain, "e5-e4", **options)) == ("b3-a3" not in own)


@pytest.mark.parametrize(
    ("position", "turn"),
    [
        ("W:Wa1,b3:Ba2,e5:Ub3-c3,e5-d5", "a1xa3"),
        ("W:Wb3,a3:Bc1,b2,d2,c3,e5:Ub3-c3,e5-d5", "b3xd3xd1xb1xb3"),
    ],
)
@pytest.mark.parametrize("clears", [True, False])
def test_any_capture_of_a_player_clears_its_last_move_where_captures_clear(position, turn, clears):
    options = {"undo_scope": "per_player_last_move", "undo_cleared_by_jump": clears, "no_progress_limit": 40}
    memory = "e5-d5" if clears else "b3-c3,e5-d5"

    assert after("alquerque", position, turn, **options) == f"B:Wa3,b3:Be5:U{memory}"


def test_never_revisit_forbids_points_where_a_chain_has_landed():
    """After the round trip the coin steps to c3 and would go on to d3."""
    position = "W:Wb3,e1:Bc1,b2,d2,c3,e5:Ub3-a3,e1-d1,e5-d5"
    played = ("b3xd3xd1xb1xb3", "e5-e4", "b3-c3", "e4-e3")
    kept = {"undo_cleared_by_jump": False}

    assert "c3-d3" not in turns_in("alquerque", position, *played, undo_scope="never_revisit", **kept)
    assert "c3-d3" in turns_in("alquerque", position, *played, undo_scope="per_coin", **kept)


@pytest.mark.parametrize("removal", ["immediate", "end_of_turn"])
def test_the_memory_of_a_captured_coin_leaves_with_it(removal):
    position = "W:Wb2:Bc3,a5:Uc3-b3,a5-b5"

    assert after("alquerque", position, "b2xd4", capture_removal=removal) == "B:Wd4:Ba5:Ua5-b5"


@pytest.mark.parametrize("seed", range(20))
def test_the_piecepack_rules_always_yield_a_winner(seed):
    """1.3.2: at most 24 quiet moves of a coin between captures."""
    match = begin("alquerque")
    rng = np.random.default_rng(seed)
    while not match.is_over:
        assert len(match.turns) <= (24 + 23) * 24 + 23
        match.push(match.legal_steps[rng.integers(len(match.legal_steps))])

    assert match.outcome.winner in (0, 1)
    assert match.outcome.reason in ("captured", "blocked")


# The clock.


def test_a_turn_without_progress_moves_the_clock_and_a_capture_resets_it():
    assert after("fetaix", "W:Wb2:Be5:H5", "b2-b3") == "B:Wb3:Be5:H6"
    assert after("fetaix", "W:Wb2:Bc3,e5:H5", "b2xd4") == "B:Wd4:Be5"
    assert after("fetaix", f"{F_W1}:H5", "b2xd4") == "W:Wa1,d4:Bd3,c4:Cd4"
    assert after("alquerque_murray", "W:Wb2:Bc3,c4:H5", "b2xd4", "pass") == "B:Wd4:Bc4"


def test_promotion_resets_the_clock_where_it_is_progress():
    assert after("fetaix", "W:Wa4:Be2:H5", "a4-a5") == "B:WKa5:Be2"
    assert after("fetaix", "W:WKa4:Be2:H5", "a4-a5") == "B:WKa5:Be2:H6"
    assert after("alquerque_alfonso_x", "W:Wa4:Be2:H5", "a4-a5") == "B:Wa5:Be2:H6"


def test_promotion_moves_the_clock_where_only_captures_are_progress():
    fetaix = load_game("fetaix")
    match = Match(replace(fetaix, rules=replace(fetaix.rules, progress="capture")), "W:Wa4:Be2:H5")
    match.push("a4-a5")
    assert match.position == "B:WKa5:Be2:H6"


def test_a_forced_pass_is_a_turn_without_progress():
    match = begin("alquerque_alfonso_x", f"{BLOCKED}:H4", no_moves="pass")

    assert turns(match) == {"pass"}
    match.push("pass")
    assert match.position == f"B{BLOCKED[1:]}:H5"


@pytest.mark.parametrize(
    ("name", "options", "limit", "reason"),
    [
        ("fetaix", {}, 80, "no_progress"),
        ("fetaix", {"no_progress_limit": 3}, 3, "no_progress"),
        ("alquerque_alfonso_x", {}, 80, "no_progress"),
        ("alquerque_murray", {}, 80, "no_progress"),
        ("alquerque", {"no_progress_limit": 12}, 12, "no_progress"),
        (MOSONA, {}, 50, "majority"),
        (DAVIS, {}, 50, "majority"),
        (DAVIS, {"no_progress_result": "draw"}, 50, "no_progress"),
        (DAVIS, {"no_progress_limit": 300}, 300, "majority"),
    ],
)
def test_a_match_ends_when_the_clock_reaches_the_limit_and_not_before(name, options, limit, reason):
    position = {MOSONA: "W:Wb1:Bp3", DAVIS: "W:Wb1:Bp3"}.get(name, "W:Wa1:Be5")
    match = begin(name, f"{position}:H{limit - 2}", **options)
    for _ in range(2):
        assert match.outcome is None
        assert match.legal_steps
        match.push(match.legal_steps[0])

    assert f":H{limit}" in match.position
    assert match.outcome == Outcome(None, reason)
    assert match.legal_steps == ()


@pytest.mark.parametrize(
    ("position", "winner"), [("W:Wb1:Bp3", None), ("W:Wb1,d1:Bp3", 0), ("W:Wb1:Bn3,p3", 1), ("B:Wb1,d1:Bp3", 0)]
)
def test_the_majority_wins_at_the_limit_where_the_rules_say_so(position, winner):
    assert outcome_in(MOSONA, f"{position}:H50") == Outcome(winner, "majority")
    assert outcome_in(MOSONA, f"{position}:H50", no_progress_result="draw") == Outcome(None, "no_progress")
    assert outcome_in(MOSONA, f"{position}:H49") is None


def test_mullahs_count_as_one_piece_in_a_majority():
    majority = {"no_progress_result": "majority"}

    assert outcome_in("fetaix", "W:WKa1:Bc5,d5:H80", **majority) == Outcome(1, "majority")
    assert outcome_in("fetaix", "W:WKa1:Bc5:H80", **majority) == Outcome(None, "majority")
    assert outcome_in("fetaix", "W:Wa1:BKc5,d5:H80", **majority) == Outcome(1, "majority")
    assert outcome_in("fetaix", "W:Wa1,b1:BKc5:H80", **majority) == Outcome(0, "majority")


def test_a_limit_of_one_ends_the_match_with_the_first_turn():
    match = begin("fetaix", None, "c2-c3", no_progress_limit=1)

    assert match.outcome == Outcome(None, "no_progress")


def test_the_opening_rule_goes_with_a_rule_against_undoing_steps():
    fetaix = load_game("fetaix", opening="straight_only")
    match = Match(replace(fetaix, rules=replace(fetaix.rules, undo_scope="per_coin", man_steps="all")))

    assert [step.text for step in match.legal_steps] == ["c2-c3"]


def test_without_a_limit_the_clock_stands_still():
    match = begin("fetaix", "W:WKa1:BKc5", no_progress_limit="off", repetition="threefold_draw")
    match.push("a1-a2")

    assert match.position == "B:WKa2:BKc5"


# Other endings.

BLOCKED = "W:Wa1:Bb1,c1,a2,b2,a3,c3"
CORNERED = "W:Wa1,b1,c1,d1,e1,a2,b2,c2,d2,e2,a3,b3:Bc3,d3,e3,a4,b4,c4,d4,e4,a5,b5,c5,d5"
CORNERED_MAJORITY = "W:Wa1,b1,c1,d1,e1,a2,b2,c2,d2,e2,a3,b3,d3:Bc3,e3,a4,b4,c4,d4,e4,a5,b5,c5,d5"
MOSONA_BLOCKED = "W:Wb1:Bd1,a2,c2,e2,b3,d3"


def test_who_has_captured_everything_wins():
    assert outcome_in("fetaix", "B:Wc3:B") == Outcome(0, "captured")
    assert outcome_in("fetaix", "W:W:BKc3") == Outcome(1, "captured")
    assert outcome_in("fetaix", "W:Wc3:B") == Outcome(0, "captured")
    assert outcome_in("fetaix", "B:W:BKc3") == Outcome(1, "captured")
    match = begin("fetaix", "W:Wb2:Bc3", "b2xd4")
    assert match.position == "B:Wd4:B"
    assert match.outcome == Outcome(0, "captured")


@pytest.mark.parametrize("removal", ["immediate", "end_of_turn"])
def test_the_last_capture_ends_the_match_where_a_chain_may_stop(removal):
    match = begin("alquerque_murray", "W:Wb2:Bc3", "b2xd4", capture_removal=removal)

    assert match.outcome == Outcome(0, "captured")


@pytest.mark.parametrize(
    ("name", "position", "no_moves", "expected"),
    [
        ("alquerque_alfonso_x", BLOCKED, "loss", Outcome(1, "blocked")),
        ("alquerque_alfonso_x", BLOCKED, "draw", Outcome(None, "blocked")),
        ("alquerque_alfonso_x", BLOCKED, "majority", Outcome(1, "blocked")),
        ("alquerque_murray", CORNERED, "majority", Outcome(None, "blocked")),
        ("alquerque_murray", CORNERED_MAJORITY, "majority", Outcome(0, "blocked")),
        ("alquerque_murray", CORNERED_MAJORITY, "loss", Outcome(1, "blocked")),
        ("alquerque_murray", CORNERED_MAJORITY, "pass", None),
        ("fetaix", "W:Wa4:Ba5,b4,c4", "loss", Outcome(1, "blocked")),
        ("fetaix", "W:Wa4:Ba5,b4,c4", "draw", Outcome(None, "blocked")),
        ("fetaix", "W:Wa4:Ba5,b4,c4", "pass", None),
        (MOSONA, MOSONA_BLOCKED, "loss", Outcome(1, "blocked")),
        (MOSONA, MOSONA_BLOCKED, "majority", Outcome(1, "blocked")),
        (MOSONA, MOSONA_BLOCKED, "pass", None),
    ],
)
def test_who_cannot_move_loses_draws_counts_or_passes(name, position, no_moves, expected):
    match = begin(name, position, no_moves=no_moves)

    assert match.outcome == expected
    assert [step.text for step in match.legal_steps] == (["pass"] if expected is None else [])


def test_a_forced_pass_changes_nothing_but_the_mover_and_the_clock():
    assert after("fetaix", "W:Wa4:Ba5,b4,c4", "pass", no_moves="pass") == "B:Wa4:Ba5,b4,c4:H1"


SHUFFLE = ("a1-a2", "c5-d5", "a2-a1", "d5-c5")


def shuffled(match: Match, cycle: tuple[str, ...], plies: int) -> list[Outcome | None]:
    """Outcomes after each of so many plies of going round a cycle."""
    outcomes = []
    for ply in range(plies):
        match.push(cycle[ply % len(cycle)])
        outcomes.append(match.outcome)
    return outcomes


@pytest.mark.parametrize(
    ("options", "end"),
    [
        ({"repetition": "threefold_draw"}, Outcome(None, "repetition")),
        ({"repetition": "threefold_draw", "no_progress_limit": "off"}, Outcome(None, "repetition")),
        ({"repetition": "off"}, None),
    ],
)
def test_the_third_occurrence_of_a_position_is_a_draw_where_the_rules_say_so(options, end):
    match = begin("fetaix", "W:WKa1:BKc5", **options)

    assert shuffled(match, SHUFFLE, 8) == [None] * 7 + [end]
    assert (match.legal_steps == ()) == (end is not None)


def test_taking_a_step_back_takes_the_repetition_back():
    match = begin("fetaix", "W:WKa1:BKc5", repetition="threefold_draw")
    shuffled(match, SHUFFLE, 8)
    for _ in range(3):
        assert match.occurrences() == 3
        match.pop()
        assert match.outcome is None
        assert match.occurrences() == 2
        match.push("d5-e5")
        assert match.outcome is None
        match.pop()
        match.push("d5-c5")
        assert match.outcome == Outcome(None, "repetition")


def test_a_position_with_another_player_to_move_is_another_position():
    """South goes round a triangle, North to and fro."""
    match = begin("fetaix", "W:WKa1:BKc5", repetition="threefold_draw")
    outcomes = shuffled(match, ("a1-b2", "c5-d5", "b2-a2", "d5-c5", "a2-a1"), 5)

    assert outcomes == [None] * 5
    assert match.position == "B:WKa1:BKc5:H5"
    assert match.occurrences() == 1


def test_a_position_with_another_memory_is_another_position():
    """The start comes back with memories after 8 plies, and what came after 2 plies for the third time after 18."""
    match = begin("alquerque", "W:Wa1,d1:Ba5,d5", undo_scope="per_player_last_move", repetition="threefold_draw")
    cycle = ("a1-b1", "a5-b5", "d1-e1", "d5-e5", "b1-a1", "b5-a5", "e1-d1", "e5-d5")

    assert shuffled(match, cycle, 18) == [None] * 17 + [Outcome(None, "repetition")]


@pytest.mark.parametrize("no_progress_result", ["draw", "majority"])
def test_endings_come_in_order_captured_blocked_repetition_limit(no_progress_result):
    late = {"no_progress_result": no_progress_result}

    assert outcome_in("fetaix", "B:Wc3:B:H80", **late) == Outcome(0, "captured")
    assert outcome_in("fetaix", "W:W:Bc3:H80", **late, no_moves="draw") == Outcome(1, "captured")
    assert outcome_in("fetaix", "W:Wa4:Ba5,b4,c4:H80", **late, no_moves="draw") == Outcome(None, "blocked")
    assert outcome_in("fetaix", "W:Wa4:Ba5,b4,c4:H80", **late, no_moves="pass").reason != "blocked"
    match = begin("fetaix", "W:WKa1:BKc5,c4", repetition="threefold_draw", no_progress_limit=8, **late)
    assert shuffled(match, SHUFFLE, 8) == [None] * 7 + [Outcome(None, "repetition")]


@pytest.mark.parametrize("name", games())
def test_no_match_ends_in_the_middle_of_a_chain(name):
    can_stop = "chain" in load_game(name).option_table
    options = {"chain": "optional", **needed(name, "chain", "optional")} if can_stop else {}
    rng = np.random.default_rng(5)
    chains = 0
    for _ in range(20):
        match = begin(name, **options)
        while not match.is_over:
            match.push(match.legal_steps[rng.integers(len(match.legal_steps))])
            if match.chain is not None:
                chains += 1
                assert match.outcome is None
                assert match.legal_steps
                assert {step.origin for step in match.legal_steps} == {match.chain}

    assert chains
