"""Position text and step text: what is written is read back, and what is wrong is refused with a reason."""

from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from alquerque_env import Match, load_game
from alquerque_env.errors import AlquerqueError, IllegalStepError, NotationError, PositionError
from alquerque_env.game.game import Game
from tests.chosen_steps import random_match
from tests.match.match_texts import state

MOSONA = "awithlaknannai_mosona"
LATE = {"capture_removal": "end_of_turn"}
UNDO_PROM = Path(__file__).parents[1] / "cases" / "undo_prom.toml"
NO_RETURN = {"chain_may_return_to_start": False}


def position(name: str, text: str, **options: object) -> str:
    """The text that a text is written back as."""
    return Match(load_game(name, **options), text).position


# What is written is read back.


FIFTY = f"W:W{','.join(map(str, range(31, 51)))}:B{','.join(map(str, range(1, 21)))}"
UNORDERED = {**LATE, "undo_cleared_by_jump": False}


@pytest.mark.parametrize(
    ("name", "options", "text", "written"),
    [
        ("fetaix", {}, "W:Wb2,Ka3,a1:Be5,d5", "W:Wa1,b2,Ka3:Bd5,e5"),
        ("fetaix", {}, "W:Wa1:Be5:H0", "W:Wa1:Be5"),
        ("fetaix", {}, "W:Wa1:Be5:H07", "W:Wa1:Be5:H7"),
        ("fetaix", {}, "W:Wd4:Bc4:Cd4:H0", "W:Wd4:Bc4:Cd4"),
        ("alquerque", UNORDERED, "W:Wd4,a1:Bc3,c4:Ua1-b1:Xc3:Cd4", "W:Wa1,d4:Bc3,c4:Cd4:Ua1-b1:Xc3"),
        # As PDN has them.
        ("draughts_international", {}, "W:W31-50:B1-20", FIFTY),
        ("draughts_international", {}, "W:B1-20:W31-50", FIFTY),
        ("draughts_international", {}, "W:W31-50:B1-20.", FIFTY),
        ("draughts_international", {}, "W:B1-5,6,07-20:W31-49,50.", FIFTY),
        ("draughts_international", {}, "W:BK1-3,4:W31,K33-34", "W:W31,K33,K34:BK1,K2,K3,4"),
        ("draughts_international", {}, "B:B4:W31-31:H3.", "B:W31:B4:H3"),
        ("draughts_international", {}, "B:B:W31", "B:W31:B"),
    ],
)
def test_there_is_one_way_to_write_a_position_and_more_to_read_it(name, options, text, written):
    assert position(name, text, **options) == written
    assert position(name, written, **options) == written


def test_a_man_stays_on_its_promotion_row_in_a_chain_that_is_not_over():
    match = Match("draughts_international", "W:W22:B17,7,8,23")
    match.push("22x11")
    match.push("11x2")

    assert match.position == "W:W2:B7,8,17,23:C2:X7,17"
    assert state(Match(match.game, match.position)) == state(match)


def test_men_may_stand_on_promotion_points_where_they_have_stood_from_the_start():
    fetaix = load_game("fetaix")
    south, north = fetaix.start
    game = replace(fetaix, start=(south - {2} | {22}, north - {22} | {2}))
    match = Match(game)

    assert Match(game, match.position).position == match.position
    with pytest.raises(PositionError, match="the man on d5 would have been promoted there"):
        Match(game, "W:Wd5:Ba2")


# Promoted pieces remember nothing.


def test_a_promoted_piece_remembers_nothing():
    match = Match(UNDO_PROM)
    match.push("a2-a3")

    assert match.position == "B:Wb1,Ka3:Bb3,c3"
    match.push("c3-c2")
    match.push("a3xc3")
    assert match.position == "W:Wb1,Kc3:Bc2:Cc3:Uc2-c3"


def test_memory_holds_only_steps_that_the_piece_could_take():
    alquerque = load_game("alquerque", last_rank_frozen=True, no_progress_limit=30)
    game = replace(alquerque, rules=replace(alquerque.rules, man_steps="all"))
    match = Match(game, "W:We4:Ba1")
    match.push("e4-e5")

    assert match.position == "B:We5:Ba1:H1"


@pytest.mark.parametrize("options", [{}, {"no_progress_limit": "off", "repetition": "threefold_draw"}])
def test_a_text_determines_the_legal_steps_even_if_the_start_recurs(options):
    """With optional captures both players can put their pieces back; only a clock tells this from the start."""
    game = load_game(MOSONA, capture="optional", **options)
    match = Match(game)
    for step in ("h1-i2", "g2-h1", "i2-g2", "h1-i2", "g2-h1", "i2-g2"):
        match.push(step)

    assert match.position == Match(game).position + (":H6" if options == {} else "")
    assert match.legal_steps == Match(game, match.position).legal_steps


# What is wrong is refused.

NEVER = {"undo_scope": "never_revisit"}
LAST_MOVE = {"undo_scope": "per_player_last_move", "no_progress_limit": 40}
LIFTED = "field U forbids steps although the capture that led to c3 has lifted that"
LATE_ON_C5 = "the man on c5 would have been promoted there, expected Kc5"
MALFORMED = [
    ("fetaix", {}, "", "expected mover:W<pieces>:B<pieces>, got 1 of these 3 fields"),
    ("fetaix", {}, "W:Wa1", "got 2 of these 3 fields"),
    ("fetaix", {}, "X:Wa1:Ba5", "the mover is 'X', expected W or B"),
    ("fetaix", {}, " W:Wa1:Ba5", "the mover is ' W'"),
    ("fetaix", {}, "W:Ba1:Bb1", "field 3 is 'Bb1', expected W and the pieces of player_0"),
    ("fetaix", {}, "W:Wa1:Wb1", "field 3 is 'Wb1', expected B and the pieces of player_1"),
    ("fetaix", {}, "W::Bb1", "field 2 is '', expected W"),
    ("fetaix", {}, "W:Wa1:Bz9", "unknown point 'z9' in B's pieces"),
    ("fetaix", {}, "W:Wa1,:Ba5", "unknown point '' in W's pieces"),
    ("fetaix", {}, "W:WKKa1:Ba5", "unknown point 'Ka1' in W's pieces"),
    ("fetaix", {}, "W:Wa1,Ka1:Ba5", "two pieces on a1"),
    ("fetaix", {}, "W:Wa1:Ba1", "two pieces on a1"),
    ("fetaix", {}, "W:W:B", "no piece stands on the board"),
    ("alquerque", {}, "W:WKa1:Ba5", "'Ka1' is promoted, but this game has no promotion"),
    ("fetaix", {}, "W:Wa1:Ba5:", "unknown field ''"),
    ("fetaix", {}, "W:Wa1:Ba5:Q3", "unknown field 'Q3', expected one that begins with H, C, U, A, X, S, V, D or Z"),
    ("fetaix", {}, "W:Wd4:Bc4:Cd4:Ae4", "field A names the point straight ahead of a chain, but that does not matter"),
    ("fetaix", {}, "W:Wa1:Ba5:H3:H3", "field H is given twice"),
    ("fetaix", {}, "W:Wd4:Bc4:Cd4:Cd4", "field C is given twice"),
    ("fetaix", {}, "W:Wa1:Ba5:H", "field H is empty"),
    ("fetaix", {}, "W:Wa1:Ba5:H-1", "H-1 is not a number of turns"),
    ("fetaix", {}, "W:Wa1:Ba5:H\N{SUPERSCRIPT TWO}", "is not a number of turns"),
    ("fetaix", {}, "W:Wa1:Ba5:H" + "9" * 5000, "is not a number of turns"),
    ("fetaix", {}, "W:Wa1:Ba5:H81", "H81 exceeds the limit of 80 turns without progress"),
    ("alquerque", {}, "W:Wa1:Ba5:H1", "field H counts turns without progress, but this game has no limit on them"),
    ("fetaix", {}, "W:Wd4:Bc4:H3:Cd4", "H3 is given in a chain of captures, but a capture is progress"),
    ("fetaix", {}, "W:Wd4:Bc4:Cz4", "unknown point 'z4' in field C"),
    ("fetaix", {}, "W:Wd4:Bc4:Ca1", "Ca1: player_0, who is to move, has no piece there"),
    ("fetaix", {}, "B:Wd4:Bc4:Cd4", "Cd4: player_1, who is to move, has no piece there"),
    ("fetaix", {"chain": "single"}, "W:Wd4:Bc4:Cd4", "in this game a turn is one leap"),
    ("fetaix", {}, "W:Wd4:Ba2:Cd4", "the piece on d4 cannot capture again, so its turn is over"),
    ("fetaix", {"chain": "optional"}, "W:Wd4:Ba2:Cd4", "the piece on d4 cannot capture again, so its turn is over"),
    ("fetaix", {}, "W:Wa1,b1:Bb2:Ca1", "no chain of captures leads to a1"),
    (
        "fetaix",
        {**LATE, "man_capture_dirs": "first_leap_forward_sideways"},
        "W:Wb1,c1,d1:Bb2,c2:Cc1:Xc2",
        "no chain of captures leads to c1",
    ),
    ("fetaix", {"midchain_promotion": "promote_and_stop"}, "W:Wc5:Bd5:Cc5", LATE_ON_C5),
    ("fetaix", {"midchain_promotion": "promote_and_stop", "man_capture_dirs": "all"}, "W:Wc5:Bb4:Cc5", LATE_ON_C5),
    ("fetaix", {"midchain_promotion": "promote_and_continue"}, "W:Wc5:Bd5:Cc5", LATE_ON_C5),
    ("fetaix", {}, "B:Wc5:Bd4", LATE_ON_C5),
    ("fetaix", {}, "W:Wc2:Ba1,d4", "the man on a1 would have been promoted there, expected Ka1"),
    ("draughts_english", {}, "B:W1-4:B9-12", "the man on 1 would have been promoted there, expected K1"),
    ("felli", {}, "W:Wa5:Bc2", "the man on a5 would have been promoted there, expected Ka5"),
    ("draughts_english", {}, "B:W32-29:B1", "'32-29' in W's pieces is no range"),
    ("draughts_english", {}, "B:W29-33:B1", "unknown point '33' in W's pieces"),
    ("draughts_english", {}, "B:W29-30-31:B1", "unknown point '30-31' in W's pieces"),
    ("draughts_english", {}, "B:W29-31,30:B1", "two pieces on 30"),
    ("draughts_english", {}, "B:W29:B1..", "unknown point '1.' in B's pieces"),
    ("draughts_english", {}, "B:W00:B1", "unknown point '00' in W's pieces"),
    ("fetaix", {}, "W:Wa1-c1:Be3", "'a1-c1' in W's pieces is no range, expected two numbers of points in ascending"),
    ("fetaix", {}, "W:Wd4:Bc3,c4:Cd4:Xc3", "in this game they are removed at once"),
    ("fetaix", LATE, "W:Wd4:Bc3,c4:Cd4", "field X is missing"),
    ("fetaix", LATE, "W:Wd4:Bc3,c4:Xc3", "field X names captured pieces, but field C is missing"),
    ("fetaix", LATE, "W:Wd4:Bc3,c4:Cd4:Xz3", "unknown point 'z3' in field X"),
    ("fetaix", LATE, "W:Wd4:Bc3,c4:Cd4:Xd4", "player_1 has no piece on d4 of field X"),
    ("fetaix", LATE, "W:Wd4:Bc3,c4:Cd4:Xc3,c3", "c3 is given twice in field X"),
    ("fetaix", LATE, "W:Wd4:Bc3,c4:Cd4:Xc4", "the piece on d4 cannot capture again"),
    ("fetaix", LATE, "W:Wd4,b2:Bc3,c4:Cd4:Xc3", "no chain of captures leads to d4"),
    ("fetaix", LATE, "W:WKe5:Bb4,e3:Ce5:Xb4", "no chain of captures leads to e5"),
    ("fetaix", LATE, "W:Wd4:Bc3,c4,a2:Cd4:Xc3,a2", "no chain of captures leads to d4"),
    (MOSONA, NO_RETURN, "W:Wi2:Bg2:Ci2", "field S is missing: a chain may not return to its start"),
    (MOSONA, {}, "W:Wi2:Bg2:Ci2:Sf1", "field S names the start of a chain, but it does not matter here"),
    (MOSONA, NO_RETURN, "W:Wi2:Bg2:Sf1", "field S names the start of a chain, but it does not matter here"),
    (MOSONA, NO_RETURN, "W:Wi2:Bg2:Ci2:Sz1", "unknown point 'z1' in field S"),
    (MOSONA, NO_RETURN, "W:Wi2,f1:Bg2:Ci2:Sf1", "a piece stands on f1, the start of the chain in field S"),
    (MOSONA, {**NO_RETURN, **LATE}, "W:Wi2:Bg2,j3:Ci2:Xg2:Sb1", "no chain of captures leads to i2"),
    (MOSONA, NO_RETURN, "W:Wd3:Be2:Cd3:Sc2", "no chain of captures leads to d3"),
    (MOSONA, {**NO_RETURN, "leap": "straight"}, "W:Wi2:Bk2:Ci2:Sl1", "no chain of captures leads to i2"),
    ("fetaix", {}, "W:Wa1:Ba5:Ua1-b1", "field U forbids steps back, but this game allows them"),
    ("fanorona", {}, "W:Wc3:Be3,i5:Cc3", "field V is missing: a chain may not return where it has been"),
    ("fanorona", {}, "W:Wc3:Be3,i5:Vb3", "field V names points where a chain has been, but that does not matter here"),
    ("fanorona", {}, "W:Wc3:Be3,i5:Cc3:Ve3", "a piece stands on e3, where the chain has been by field V"),
    (
        "fanorona",
        {},
        "W:Wc3:Be3,i5:Ad3",
        "field A names the point straight ahead of a chain, but that does not matter here",
    ),
    ("fanorona", {}, "W:Wc3:Be3,i5:Cc3:Vb3:Az9", "unknown point 'z9' in field A"),
    ("fanorona", {}, "W:Wc3:Be3,i5:Cc3:Vb3:Uc3-d3", "field U forbids steps back, but this game allows them"),
    ("fanorona", {}, "W:Wc3:Be3,i5:Cc3:Vb3:Ad3", "the piece on c3 cannot capture again"),
    ("fanorona", {}, "W:Wc3:Be3,i5:Cc3:Vb3", "no chain of captures leads to c3"),
    ("fanorona", {}, "W:Wc3:Be3,i5:Cc3:Vh3:Ac4", "no chain of captures leads to c3"),
    ("fetaix", {}, "W:Wa1:Ba5:Za1", "field Z names points that are closed, but in this game the board does not shrink"),
    ("fetaix", {}, "W:Wa1:Be5:D0,0", "field D counts pieces in hand during a schedule, but this game has no"),
    ("tuknanavuhpi", {}, "W:Wa1:Be9:Za1", "a piece stands on a1, which field Z closes"),
    ("tuknanavuhpi", {}, "W:Wc3:Be9:Za1", "field Z closes a1 without the rest of its part of the board"),
    ("seega_5x5", {}, "W:Wa1,b3:Be1:Ca1", "the piece on a1 cannot capture again, so its turn is over"),
    ("seega_5x5", {}, "W:Wa1,a4:Ba3,e5:Ca1", "no chain of captures leads to a1"),
    ("alquerque", {}, "W:Wa1:Ba5:Ua1", "'a1' in field U is not of the form <label>-<label>"),
    ("alquerque", {}, "W:Wa1:Ba5:Ua1-z1", "unknown point 'z1' in field U"),
    ("alquerque", {}, "W:Wa1:Ba5:Ub1-a1", "no piece stands on b1 of 'b1-a1' in field U"),
    ("alquerque", {}, "W:Wa2:Be5:Ua2-a1", "'a2-a1' in field U forbids a step that is not allowed anyway"),
    ("alquerque", {}, "W:Wa2:Be5:Ua2-c2", "'a2-c2' in field U forbids a step that is not allowed anyway"),
    ("alquerque", {}, "W:Wa2:Be5:Ua2-a3", "'a2-a3' in field U undoes no step"),
    ("alquerque", {}, "W:Wc3:Bc4,e5:Cc3:Uc3-b3", LIFTED),
    ("alquerque", LAST_MOVE, "W:Wc3,a1:Bc4,e5:Cc3:Ua1-b1", LIFTED),
    ("alquerque", {}, "W:Wb2:Be5:Ub2-a2,b2-a2", "'b2-a2' and 'b2-a2' in field U cannot both be remembered"),
    ("alquerque", LAST_MOVE, "W:Wb2,b1:Be5:Ub2-a2,b1-a1", "'b2-a2' and 'b1-a1' in field U cannot both be remembered"),
    ("alquerque", NEVER, "W:Wb2:Be5:Ub2-a2,b2-a2", "'b2-a2' and 'b2-a2' in field U cannot both be remembered"),
]


@pytest.mark.parametrize(("name", "options", "text", "problem"), MALFORMED)
def test_malformed_text_is_refused_with_the_problem_and_the_text(name, options, text, problem):
    with pytest.raises(PositionError) as caught:
        Match(load_game(name, **options), text)

    assert problem in str(caught.value)
    assert str(caught.value).endswith(f"in position {text!r}")


def test_a_position_that_is_not_text_is_refused():
    for thing in (7, b"W:Wa1:Ba5", 1.5, ["W:Wa1:Ba5"]):
        with pytest.raises(PositionError, match=f"a position is text, not {type(thing).__name__}"):
            Match("fetaix", thing)


# Whatever is read, only a ValueError comes of it.

FUZZED: list[tuple[str, dict[str, object]]] = [
    ("fetaix", {}),
    ("fetaix", {**LATE, "man_capture_dirs": "all", "mullah_landing": "must_continue"}),
    ("fetaix", {**LATE, "man_capture_dirs": "all", "max_capture": "most_pieces"}),
    ("fetaix", {"chain": "optional", "midchain_promotion": "promote_and_continue", "no_moves": "pass"}),
    ("alquerque", {}),
    ("alquerque", {"undo_scope": "never_revisit"}),
    ("alquerque", {"undo_scope": "never_revisit", "undo_cleared_by_jump": False, **LATE}),
    ("alquerque", {"undo_scope": "per_player_last_move", "no_progress_limit": 30}),
    (MOSONA, {"capture": "optional"}),
    (MOSONA, {**LATE, **NO_RETURN, "chain": "optional"}),
    ("alquerque_murray", {**LATE, "no_moves": "pass"}),
]
ALPHABET = "WBKHCUAXSV:,-abcdeikz0123459"
FUZZ = settings(max_examples=60, deadline=None, derandomize=True, database=None)


@cache
def fuzzed_game(case: int) -> Game:
    name, options = FUZZED[case]
    return load_game(name, **options)


@cache
def pool(case: int) -> tuple[str, ...]:
    """Positions of two random matches, half of them from the middle of a chain."""
    found = [match.position for seed in range(2) for match in islice(random_match(fuzzed_game(case), seed), 120)]
    in_chains = [text for text in found if ":C" in text]
    return tuple((in_chains * len(found))[: len(found)] + found)


@st.composite
def positions_with_faults(draw: st.DrawFn) -> tuple[int, str]:
    """A case with a position of it, changed in a few places."""
    case = draw(st.integers(0, len(FUZZED) - 1))
    text = draw(st.sampled_from(pool(case)))
    for _ in range(draw(st.integers(1, 3))):
        text = draw(st.sampled_from((with_changed_characters, with_changed_fields)))(draw, text, pool(case))
    return case, text


def with_changed_characters(draw: st.DrawFn, text: str, _: tuple[str, ...]) -> str:
    place = draw(st.integers(0, len(text)))
    length = draw(st.integers(0, 3))
    return text[:place] + draw(st.text(ALPHABET, max_size=2)) + text[place + length :]


def with_changed_fields(draw: st.DrawFn, text: str, others: tuple[str, ...]) -> str:
    """The fields with one gone, one twice, two swapped, or one from another position."""
    fields = text.split(":")
    a, b = (draw(st.integers(0, len(fields) - 1)) for _ in range(2))
    change = draw(st.sampled_from(("drop", "double", "swap", "borrow", "point")))
    if change == "drop":
        del fields[a]
    elif change == "double":
        fields.insert(b, fields[a])
    elif change == "swap":
        fields[a], fields[b] = fields[b], fields[a]
    elif change == "borrow":
        fields.insert(b, draw(st.sampled_from(draw(st.sampled_from(others)).split(":"))))
    else:
        points = fields[a].split(",")
        points[draw(st.integers(0, len(points) - 1))] = draw(st.sampled_from(("a1", "c3", "i2", "Kb2", "e5", "b1-a1")))
        fields[a] = ",".join(points)
    return ":".join(fields)


def check_text(case: int, text: str) -> bool:
    """Whether the text is accepted; if so, it can be written back and played on to the end."""
    game = fuzzed_game(case)
    try:
        match = Match(game, text)
    except PositionError as error:
        assert repr(text) in str(error)  # noqa: PT017 (whether it is raised is what is drawn)
        return False
    again = Match(game, match.position)
    assert again.position == match.position
    assert state(again) == state(match)
    assert again.outcome == match.outcome
    rng = np.random.default_rng(len(text))
    bound = 5000
    while not match.is_over:
        assert len(match.steps) < bound, "the match does not end"
        match.push(match.legal_steps[rng.integers(len(match.legal_steps))])
    return True


@FUZZ
@given(case=st.integers(0, len(FUZZED) - 1), text=st.text() | st.text(ALPHABET))
def test_any_text_is_a_position_or_refused(case, text):
    check_text(case, text)


@FUZZ
@given(positions_with_faults())
def test_a_position_with_faults_is_another_position_or_refused(changed):
    check_text(*changed)


def test_faults_leave_some_positions_and_spoil_others():
    """Otherwise the test of faults would prove little."""
    rng = np.random.default_rng(0)
    accepted = []
    for case in range(len(FUZZED)):
        for text in pool(case)[::9]:
            place = int(rng.integers(2, len(text)))
            accepted.append(check_text(case, text[:place] + text[place + 3 :]))

    assert 20 < sum(accepted) < len(accepted) - 20


@pytest.mark.parametrize(
    "text",
    ["", "a1", "a1-", "a1-b1-c1^a1", "a1xb1-c1", "a1-b1^a1", "A1-B1", "a1-b1 ", "a1-b1\n", "a1--b1", "Pass"],
)
def test_a_step_that_cannot_be_read_is_refused(text):
    match = Match("fetaix")

    with pytest.raises(NotationError, match="cannot read"):
        match.push(text)
    assert match.steps == ()


def test_a_step_with_an_unknown_point_is_refused_with_the_points_that_there_are():
    for text, point in (("a1-z9", "z9"), ("a1xc1^q7", "q7")):
        with pytest.raises(NotationError, match=rf"unknown point '{point}' in '.*{point}'; points are a1 to e5"):
            Match("fetaix").push(text)


def everything(match: Match) -> tuple[object, ...]:
    return match.position, state(match), match.steps, match.turns, match.legal_steps, match.outcome, match.occurrences()


@st.composite
def steps_with_faults(draw: st.DrawFn) -> tuple[int, str, str]:
    """A case, a position of it, and a legal turn there, changed in a place or not at all."""
    case = draw(st.integers(0, len(FUZZED) - 1))
    text = draw(st.sampled_from(pool(case)))
    match = Match(fuzzed_game(case), text)
    mover = match.player
    length = draw(st.integers(1, 4))
    while match.player == mover and len(match.steps) < length and not match.is_over:
        match.push(draw(st.sampled_from(match.legal_steps)))
    turn = match.turns[-1] if match.turns else "pass"
    if draw(st.booleans()):
        place = draw(st.integers(0, len(turn)))
        changed = draw(st.text("abcdei12345x-^", max_size=2))
        turn = turn[:place] + changed + turn[place + draw(st.integers(0, 3)) :]
    return case, text, turn


@FUZZ
@given(steps_with_faults() | st.tuples(st.integers(0, len(FUZZED) - 1), st.none(), st.text()))
def test_a_pushed_text_is_played_and_can_be_taken_back_or_changes_nothing(drawn):
    case, text, turn = drawn
    match = Match(fuzzed_game(case), text)
    before = everything(match)
    try:
        match.push(turn)
    except (NotationError, IllegalStepError) as error:
        assert turn in str(error) or repr(turn) in str(error)  # noqa: PT017
    else:
        assert match.steps
        while match.steps:
            match.pop()
    assert everything(match) == before


def test_a_refusal_repeats_the_beginning_of_a_long_text_only() -> None:
    match = Match(load_game("alquerque"))
    long = ["a" * 10_000, "a1" + "xa3" * 10_000, "z9" * 10_000, "z" * 10_000 + "1-a1"]
    for text in long:
        with pytest.raises(AlquerqueError) as error:
            match.push(text)
        assert isinstance(error.value, ValueError)
        assert len(str(error.value)) < 1_000
