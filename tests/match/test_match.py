"""One match: pushing in every form, popping, copies, outcome, turns, and what is refused."""

import copy
import pickle
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from alquerque_env import Match, Outcome, Step, games, load_game
from alquerque_env.engine.rules_scalar import position_key
from alquerque_env.errors import IllegalStepError, NotationError
from alquerque_env.game import state_layout as STATE
from tests.option_values import MIXED, few_first
from tests.sets import first_by_default

# South captures twice, or once where chains may stop.
TWO_LEAPS = "W:Wa1,b2:Be2,c3,d3,c4"
# After which two promoted pieces stand where they stood.
SHUFFLE = ("a1-a2", "c5-d5", "a2-a1", "d5-c5")


def begin(name: str, position: str | None = None, *steps: object, **options: object) -> Match:
    match = Match(load_game(name, **options), position)
    for step in steps:
        match.push(step)
    return match


def everything(match: Match) -> tuple[object, ...]:
    """What can be seen of a match, the clock and earlier positions included."""
    clock = [int(word) for word in match.state]
    seen = match.position, match.player, match.chain, match.occurrences(), clock
    return (*seen, match.legal_steps, match.outcome, match.is_over, match.steps, match.turns)


def random_walk(match: Match, seed: int, sub_steps: int = 10_000) -> Iterator[Step]:
    """Pushes random legal steps, most sub-steps or to the end; yields each."""
    rng = np.random.default_rng(seed)
    for _ in range(sub_steps):
        if match.is_over:
            return
        step = match.legal_steps[rng.integers(len(match.legal_steps))]
        match.push(step)
        yield step


VARIANTS = [*((name, {}) for name in games()), *MIXED[2::4]]


# Steps.


def test_a_step_says_what_it_does():
    match = begin("alquerque", None, "c2-c3")

    assert match.steps == (Step(origin=7, target=12, captured=(), action=match.steps[0].action, text="c2-c3"),)
    (capture,) = match.legal_steps
    assert (capture.origin, capture.target, capture.captured) == (17, 7, (12,))
    assert str(capture) == capture.text == "c4xc2"
    assert not capture.is_pass


def test_a_captured_piece_is_named_also_where_it_leaves_the_board_later():
    match = begin("fetaix", TWO_LEAPS, capture_removal="end_of_turn")

    assert [step.captured for step in match.legal_steps] == [(12,)]
    match.push("b2xd4")
    assert [step.captured for step in match.legal_steps] == [(17,)]


def test_stopping_stands_on_the_point_of_the_chain_and_a_forced_pass_nowhere():
    chain = begin("fetaix", TWO_LEAPS, "b2xd4", chain="optional")
    stop = chain.legal_steps[-1]
    (forced,) = begin("fetaix", "W:Wa4:Ba5,b4,c4", no_moves="pass").legal_steps

    for step, place in ((stop, 18), (forced, None)):
        assert (step.origin, step.target, step.captured, step.text, step.is_pass) == (place, place, (), "pass", True)
    assert stop.action == chain.game.num_actions - 1


def flanks(game):
    """Whether a step captures what it flanks, and is written as other steps are."""
    return game.captures(0) == "custodial"


@pytest.mark.parametrize(("name", "options"), few_first(VARIANTS), ids=str)
def test_the_action_of_a_step_is_the_same_step_in_the_mover_s_frame(name, options):
    game = load_game(name, **options)
    match = Match(game)
    labels = game.board.labels
    for _ in range(200):
        turn = game.turn if match.player == 1 else range(len(labels))
        assert len({step.action for step in match.legal_steps}) == len(match.legal_steps)
        for step in match.legal_steps:
            action = game.actions[step.action]
            assert (action is None) == step.is_pass
            if action is not None:
                ends = step.origin, step.target
                assert action[:2] == tuple(None if point is None else turn[point] for point in ends)
                assert action[2] in (None, *(turn[point] for point in step.captured))
                mark = "x" if step.captured and not flanks(game) else "@" if step.origin is None else "-"
                origin = "" if step.origin is None else labels[step.origin]
                target = labels[step.captured[0] if step.target is None else step.target]
                assert step.text.startswith(f"{origin}{mark}{target}")
        if next(random_walk(match, len(match.steps), 1), None) is None:
            match = Match(game)


# Pushing.


def test_a_step_is_pushed_as_itself_as_its_action_or_as_text():
    first = begin("fetaix").legal_steps[0]
    pushed = [first, first.action, np.int64(first.action), np.uint8(first.action), np.array(first.action), first.text]

    assert {begin("fetaix", None, step).position for step in pushed} == {begin("fetaix", None, "b2-c3").position}


def test_a_text_of_several_leaps_is_a_whole_turn():
    match = begin("fetaix", TWO_LEAPS, "b2xd4xb4")

    assert match.player == 1
    assert [step.text for step in match.steps] == ["b2xd4", "d4xb4"]
    assert begin("fetaix", TWO_LEAPS, "b2xd4", "d4xb4").position == match.position


def test_the_text_of_one_leap_does_not_stop_a_chain_and_that_of_several_does():
    """From b4 the piece could go on over b3 to b2."""
    position = "W:Wa1,b2:Bc3,c4,b3,e2"
    match = begin("alquerque_murray", position, "b2xd4xb4")

    assert match.player == 1
    assert [step.text for step in match.steps] == ["b2xd4", "d4xb4", "pass"]
    assert match.turns == ("b2xd4xb4",)
    assert begin("fetaix", TWO_LEAPS, "b2xd4", chain="optional").chain == 18
    assert begin("alquerque_murray", position, "b2xd4", "d4xb4").chain == 16
    in_the_middle = begin("alquerque_murray", position, "b2xd4", "d4xb4xb2")
    assert (in_the_middle.player, in_the_middle.turns) == (1, ("b2xd4xb4xb2",))


def test_the_victim_is_named_only_where_two_are_possible_and_may_always_be_named():
    murray = "W:Wf1:Be2,g2"

    assert "f1xc2" in {step.text for step in begin("awithlaknannai_mosona", murray).legal_steps}
    assert "f1xc2^e2" in {step.text for step in begin("awithlaknannai_mosona", murray, board="culin").legal_steps}
    for text in ("f1xc2", "f1xc2^e2"):
        assert begin("awithlaknannai_mosona", murray, text).position == "B:Wc2:Bg2"
        assert begin("awithlaknannai_mosona", murray, text, board="culin").position == "B:Wc2:Bg2"


NOT_LEGAL = f"is not legal in '{TWO_LEAPS}'"
WRONG_TYPES = [
    *(True, False, np.True_, 1.0, np.float64(1), None, b"b2-c3", (6, 12), ["b2-c3"], np.array([1, 2]), Fraction(1)),
]


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        *((text, f"{text} {NOT_LEGAL}; legal: b2xd4") for text in ("b2-b3", "b2xd4^c4", "a1-a2", "pass", "d4xb4")),
        *((number, f"action {number} {NOT_LEGAL}; legal: b2xd4") for number in (-1, 10_000, 2**70, np.int64(-1))),
        ("b2xd4xd2", f"b2xd4xd2 {NOT_LEGAL}: after b2xd4 only d4xb4 can follow"),
        ("b2xd4xb4xb2", f"b2xd4xb4xb2 {NOT_LEGAL}: the turn ends with b2xd4xb4"),
    ],
)
def test_what_is_not_legal_is_refused_with_what_is_and_changes_nothing(thing, message):
    match = begin("fetaix", TWO_LEAPS)
    before = everything(match)

    with pytest.raises(IllegalStepError) as caught:
        match.push(thing)
    assert str(caught.value) == message
    assert everything(match) == before


@pytest.mark.parametrize("thing", WRONG_TYPES, ids=repr)
def test_a_step_of_another_type_is_refused(thing):
    """In this position actions 0 and 1 are legal."""
    match = begin("alquerque_murray", "W:Wa1:Be5")
    assert {0, 1} <= {step.action for step in match.legal_steps}

    with pytest.raises(NotationError, match=f"a step is a Step, an action index or text, not {type(thing).__name__}"):
        match.push(thing)
    assert match.steps == ()


def test_push_turn_refuses_a_turn_that_must_go_on():
    match = begin("fetaix", TWO_LEAPS)
    before = everything(match)

    with pytest.raises(IllegalStepError, match=r"^b2xd4 is not legal in 'W:.*': after b2xd4 only d4xb4 can follow$"):
        match.push_turn("b2xd4")
    assert everything(match) == before


def test_a_step_of_another_position_is_refused():
    """The two steps have the same action, each in the frame of its player."""
    match = begin("alquerque_murray", "W:Wa1:Be5")
    south = next(step for step in match.legal_steps if step.text == "a1-b1")
    match.push(south)
    assert south.action in {step.action for step in match.legal_steps}
    before = everything(match)

    with pytest.raises(IllegalStepError, match=r"a1-b1 is not legal in .*; legal: e5-d5"):
        match.push(south)
    assert everything(match) == before


def test_nothing_is_legal_when_the_match_is_over():
    match = begin("fetaix", "W:Wb2:Bc3", "b2xd4")

    assert match.outcome == Outcome(winner=0, reason="captured")
    assert match.is_over
    assert match.legal_steps == ()
    for step in ("d4-d5", "pass", match.steps[0], 0):
        with pytest.raises(IllegalStepError, match="the match is over"):
            match.push(step)


# Taking back.


@pytest.mark.parametrize(("name", "options"), few_first(VARIANTS), ids=str)
def test_pop_takes_back_everything_that_push_has_done(name, options):
    match = begin(name, **options)
    seen = [everything(match)]
    seen += [everything(match) for _ in random_walk(match, 3, 250)]
    steps = match.steps

    for before, step in zip(seen[-2::-1], steps[::-1], strict=True):
        assert match.pop() == step
        assert everything(match) == before
    for step, after in zip(steps, seen[1:], strict=True):
        match.push(step)
        assert everything(match) == after


def test_taking_a_step_back_takes_the_repetition_back():
    match = begin("fetaix", "W:WKa1:BKc5", *SHUFFLE, *SHUFFLE, repetition="threefold_draw")
    for _ in range(3):
        assert match.outcome == Outcome(None, "repetition")
        assert match.occurrences() == 3
        match.pop()
        assert match.outcome is None
        assert match.occurrences() == 2
        match.push("d5-e5")
        assert match.outcome is None
        match.pop()
        match.push("d5-c5")


def test_nothing_can_be_taken_back_before_the_first_step():
    match = begin("fetaix", "W:Wd4:Bc4:Cd4")

    with pytest.raises(IndexError, match="no step to take back"):
        match.pop()


# Copies.


COPIES = {
    "copy": Match.copy,
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda match: pickle.loads(pickle.dumps(match)),
}


@first_by_default
@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(("name", "options"), VARIANTS[-5:], ids=str)
def test_a_copy_has_the_same_history_and_goes_its_own_way(name, options, make):
    match = begin(name, **options)
    list(random_walk(match, 8, 6))
    before = everything(match)
    twin = make(match)
    assert everything(twin) == before

    list(random_walk(twin, 1))
    assert everything(match) == before
    ended = everything(twin)
    assert ended != before
    list(random_walk(match, 2, 3))
    while match.steps:
        match.pop()
    assert everything(twin) == ended
    assert match.position == begin(name, **options).position


@pytest.mark.parametrize("make", COPIES.values(), ids=COPIES)
def test_a_copy_remembers_how_often_positions_occurred(make):
    match = begin("fetaix", "W:WKa1:BKc5", *SHUFFLE, *SHUFFLE[:3], repetition="threefold_draw")
    twin = make(match)
    twin.push("d5-c5")

    assert (twin.outcome, match.outcome) == (Outcome(None, "repetition"), None)
    match.push("d5-c5")
    assert match.occurrences() == twin.occurrences() == 3


def test_the_state_handed_out_is_a_copy():
    match = begin("fetaix")
    match.state[STATE.PLAYER] = 1

    assert match.player == 0


# History.


def test_an_unfinished_turn_is_the_last_of_the_turns():
    assert begin("fetaix", TWO_LEAPS, "b2xd4").turns == ("b2xd4",)
    assert begin("fetaix", TWO_LEAPS, "b2xd4xb4", "d3-d2").turns == ("b2xd4xb4", "d3-d2")


@pytest.mark.parametrize(
    ("name", "position", "options"),
    [
        ("fetaix", "W:Wa4:BKe1,a5,b4,c4", {"no_moves": "pass", "capture": "optional"}),
        ("alquerque_murray", None, {"no_progress_limit": "off"}),
        ("awithlaknannai_mosona", "W:Wb1:Bp3", {"chain_may_return_to_start": False}),
    ],
)
def test_keys_tell_how_often_the_position_occurred_since_the_last_progress(name, position, options):
    """`keys` is what the engine counts by; `occurrences` is what the match counts by."""
    repeated = 0
    for seed in range(12):
        match = begin(name, position, **options, repetition="threefold_draw")
        for _ in random_walk(match, seed, 300):
            if match.chain is not None:
                continue
            clock = int(match.state[STATE.QUIET])
            keys = match.keys(clock + 1)
            assert keys[clock] == position_key(match.game.table.plain_words, match.state)
            earlier = [keys[before] for before in range(clock % 2, clock, 2)].count(keys[clock])
            assert earlier == match.occurrences() - 1
            repeated += earlier > 0

    assert repeated > 3


def test_keys_begin_at_the_first_position_of_the_match():
    match = begin("fetaix", "W:WKa1:BKc5:H7", *SHUFFLE, repetition="threefold_draw")
    keys = match.keys(20)

    assert keys[11] == keys[7] == position_key(match.game.table.plain_words, match.state)
    assert len({int(key) for key in keys[7:11]}) == 4
    assert not any(keys[:7])
    assert not any(keys[12:])


def test_repr_is_code_that_makes_the_match():
    match = begin("fetaix", "W:Wa1:BKe5:H3", chain="optional")

    assert repr(match) == "Match(load_game('fetaix', chain='optional'), position='W:Wa1:BKe5:H3')"
    assert eval(repr(match), {"Match": Match, "load_game": load_game}).position == match.position
