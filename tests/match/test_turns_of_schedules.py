"""Turns of several plies, as a schedule of the first plies has them, and what is written of them."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from alquerque_env import Match, Record, load_bot, load_game, perft, read_records
from alquerque_env.arena.openings import draw_match
from alquerque_env.cli.main import main
from alquerque_env.errors import IllegalStepError, PositionError
from alquerque_env.game import state_layout as STATE, table_layout as TABLE
from alquerque_env.game.game import Game
from alquerque_env.match.chain_check import check_states
from alquerque_env.match.perft import divide
from alquerque_env.match.status_text import outcome_sentence, standing
from tests.own_games import write_hunt

DROPS = ("2 times: first drops 2, second moves", "first moves, second moves")
"""North drops two goats in a turn, twice; then each side moves, still by the schedule."""


@pytest.fixture
def hunt(tmp_path: Path) -> Game:
    return load_game(write_hunt(tmp_path, *DROPS))


def after(game: Game, *turns: str) -> Match:
    match = Match(game)
    for turn in turns:
        match.push_turn(turn)
    return match


def test_a_turn_ends_when_the_mover_changes(hunt):
    match = Match(hunt)
    assert (match.player, match.turn_goes_on) == (1, False)
    match.push("@a1")
    assert (match.player, match.turn_goes_on, match.chain) == (1, True, None)
    match.push("@c1")
    assert (match.player, match.turn_goes_on) == (0, False)
    assert match.turns == ("@a1@c1",)
    assert [len(steps) for _, steps in match.history] == [2]
    match.pop()
    assert match.turn_goes_on
    match.push("@c1")
    match.push_turn("b2-b1")
    assert match.turns == ("@a1@c1", "b2-b1")


def test_a_removal_after_a_drop_stays_in_the_text_of_the_turn():
    match = after(load_game("rimau_rimau"), "@a1xb4@b4")
    assert match.turns == ("@a1xb4@b4",)
    (read,) = read_records(str(Record(match)))
    assert read.match.position == match.position


def test_two_tigers_remove_three_men_in_the_first_turn_and_one_of_them_goes_anywhere():
    assert after(load_game("rimau_rimau_malaysia"), "@c3xb4xc5xd6@c7").position == "B:Wc3,c7:Bc4,d4,b5,d5,b6,c6:D0,15"
    assert after(load_game("rimau_rimau_malaysia"), "@c7xb4xc5xd6@e1").position == "B:We1,c7:Bc4,d4,b5,d5,b6,c6:D0,15"
    with pytest.raises(IllegalStepError):
        after(load_game("rimau_rimau_malaysia"), "@e1xb4xc5xd6@c7")


def test_a_turn_of_drops_is_whole_or_refused(hunt):
    match = Match(hunt)
    with pytest.raises(IllegalStepError, match="after @a1 only @b1, @c1, @a2"):
        match.push_turn("@a1")
    with pytest.raises(IllegalStepError, match="the turn ends with @a1@b1"):
        match.push_turn("@a1@b1@c1")
    assert match.steps == ()
    match.push("@a1@b1")
    assert match.turns == ("@a1@b1",)


def test_a_match_that_ends_in_a_turn_does_not_go_on(tmp_path):
    match = Match(load_game(write_hunt(tmp_path, "first drops 2, second moves", goal="a1")))
    match.push("@a1")
    assert (match.outcome.winner, match.outcome.reason) == (1, "goal")
    assert not match.turn_goes_on
    assert outcome_sentence(match, match.outcome) == "North wins: North holds a1."


@pytest.mark.parametrize("schedule", [DROPS, ("first drops 3, second moves",)])
def test_counts_of_the_first_turns_add_up_to_those_of_all(tmp_path, schedule):
    game = load_game(write_hunt(tmp_path, *schedule))
    counts = divide(game, 2, turns=True)
    drops = schedule[0].count("3") + 2
    assert sum(counts.values()) == perft(game, 2, turns=True)
    assert all(turn.count("@") == drops for turn in counts)
    assert len(counts) == {2: 8 * 7, 3: 8 * 7 * 6}[drops]


def open_turn(game: Game) -> Match:
    match = Match(game)
    match.push("@a1")
    return match


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("B:Wb2:B:D0", "D0 is not of the form D<south>,<north> or D<south>,<north>+<k>"),
        ("B:Wb2:B:D-1,4", "D-1,4 is not of the form"),
        ("B:Wb2:B:D0,5", "D0,5 does not occur in the schedule with player_1 to move, expected the like of D0,4"),
        ("W:Wb2:Ba1:D0,3", "D0,3 does not occur in the schedule with player_0 to move, expected the like of D0,2"),
        ("B:Wb2:B:D0,4+1", "D0,4+1 counts too many plies with these hands and this mover, expected +0 at most"),
        ("B:Wb2:Ba1:D0,4", "player_1 has 1 pieces on the board, but at most 0 with 4 in hand"),
        ("B:Wb2,c1:B:D0,4", "player_0 has 2 pieces on the board, but at most 1 with 0 in hand"),
        ("B:W:B", "no piece stands on the board"),
    ],
)
def test_hands_that_the_schedule_does_not_have_are_refused(hunt, text, problem):
    with pytest.raises(PositionError) as refused:
        Match(hunt, text)
    assert problem in str(refused.value)
    assert text in str(refused.value)


def test_a_position_without_hands_is_one_after_the_schedule(hunt):
    match = Match(hunt, "B:Wb2:Ba1,c1")
    assert all(step.origin is not None for step in match.legal_steps)
    assert match.position == "B:Wb2:Ba1,c1"


def test_states_that_do_not_keep_the_schedule_are_refused(hunt):
    good = np.array([after(hunt, "@a1@c1").state], np.int64)
    assert (check_states(hunt, good) == good).all()
    stage, hand = (int(hunt.table.words[place]) for place in (TABLE.STAGE, TABLE.HAND))
    for place, value in ((stage, 1), (stage, -1), (stage, 99), (hand, 1), (hand + 1, 3), (STATE.PLAYER, 1)):
        wrong = good.copy()
        wrong[0, place] = value
        with pytest.raises(PositionError, match="row 0 of the states is not a position of hunt"):
            check_states(hunt, wrong)


def test_what_the_sides_still_drop_is_said(hunt):
    match = after(hunt, "@a1@c1", "b2-b1")
    assert standing(match) == "North still drops 2 goats."
    assert match.picture().hands == (0, 2)
    match.push("@a3")
    assert standing(match) == "North still drops 1 goat."
    assert match.picture().dropped == (hunt.board.index["a3"],)
    match.push("@c3")
    assert standing(match) == ""


def test_points_are_typed_for_drops(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = write_hunt(tmp_path, *DROPS)
    arguments = ["play", str(file), "--opponent", "random", "--seat", "1"]
    typed = ("b2", "c1", "@ a1", "undo", "@a1@c1", "position", "quit")
    found = CliRunner().invoke(main, arguments, input="\n".join(typed))
    assert found.exit_code == 0, found.output
    assert "nothing can be dropped on b2 now" in found.output
    assert "North still drops 3 goats." in found.output
    assert found.output.count("South (random) plays") == 2
    assert ":D0,2" in found.output


@pytest.mark.parametrize("spec", ["greedy", "alphabeta:2"])
def test_bots_play_turns_of_several_plies_to_the_end(hunt, spec):
    bot, match = load_bot(spec, hunt, seed=1), Match(hunt)
    while not match.is_over:
        match.push(bot.choose(match))
    assert [turn.count("@") for turn in match.turns[:3]] == [2, 0, 2]
    if bot.can_analyse:
        assert bot.analyse(Match(hunt)).best.line[0].count("@") == 2
        assert bot.analyse(open_turn(hunt)).best.line[0].count("@") == 1


def test_openings_are_whole_turns(hunt):
    for seed in range(5):
        match = draw_match(hunt, 3, np.random.default_rng(seed))
        assert [turn.count("@") for turn in match.turns] == [2, 0, 2]
