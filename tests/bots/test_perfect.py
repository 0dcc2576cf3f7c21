"""The bot that plays by tables and proofs, and what it says of its steps. The tests of shipped tables have it play."""

import gzip
from collections import Counter
from itertools import product

import pytest

from alquerque_env import Match, load_bot, load_game, load_table
from alquerque_env.arena.exploit.best_response import best_response
from alquerque_env.bots.alphabeta import AlphaBetaBot
from alquerque_env.bots.match_report import judge_turns
from alquerque_env.bots.perfect import PerfectBot
from alquerque_env.solve.exact_steps import exact_steps
from alquerque_env.solve.proof.certificate import open_proof_file
from alquerque_env.solve.tables import build_table, table_file
from tests.brute_force import Clocked, all_positions, text_of
from tests.small_games import small_game

MOSONA = "awithlaknannai_mosona"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The user's folder of tables and proofs; the package has no table of few pieces."""
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    monkeypatch.setattr(table_file, "FEW", tmp_path / "none")
    return tmp_path


def write_proof(folder, player, wins, *lines, **changed):
    """A file of steps: positions with steps of `alquerque`, of a proof that a player wins, or does not win."""
    game = load_game("alquerque", **changed)
    with open_proof_file(folder / "alquerque.steps", Match(game), 0) as file:
        record = file.begin_section(player, wins)
        for position, text in lines:
            match = Match(game, position)
            record(match.state, *(step.action for step in match.legal_steps if step.text == text))


def test_it_plays_by_the_proof_that_comes_with_the_package():
    bot, match = load_bot("perfect", MOSONA, seed=0), Match(MOSONA)
    assert bot.analyse(match).best.line == ("j1-i2",)
    assert bot.note == "proved: wins"
    match.push(bot.choose(match))
    assert match.turns == ("j1-i2",)
    assert bot.note == "proved: wins"


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["random", "alphabeta:2"])
def test_as_south_it_wins_every_match_of_alquerque_from_the_start(opponent, monkeypatch):
    monkeypatch.undo()  # the table of few pieces is needed
    match = Match("alquerque")
    bots = load_bot("perfect", match.game, seed=0), load_bot(opponent, match.game, seed=1)
    for _ in range(60):
        match = Match(match.game)
        while not match.is_over:
            bot = bots[match.player]
            match.push(bot.choose(match))
            assert bot.note.startswith(("proved: wins", "exact: wins")) or bot.name != "perfect" or not bot.note
        assert match.outcome.winner == 0


@pytest.mark.long
def test_every_match_of_alquerque_from_the_start_is_won_as_south(monkeypatch):
    monkeypatch.undo()
    (found,) = best_response("perfect", "alquerque", seat=0)
    assert (found.kept, found.complete, found.positions) == (True, True, 3_284_533)


def test_without_table_and_proof_it_searches_and_says_so():
    bot, match = load_bot("perfect", MOSONA, seed=0), Match(MOSONA, "W:Wb1,d1:Bj1,n1")
    assert bot.choose(match) in match.legal_steps
    assert bot.note == "searched, no table or proof reaches"


def test_a_proof_of_the_user_is_played_to_the_end_of_a_turn(folder):
    match = Match("alquerque", "W:Wa1,e1:Bb2,b4,c2,d2,d4,e4")
    after = "W:Wc3,e1:Bb4,c2,d2,d4,e4:Cc3"
    write_proof(folder, 1, False, (after, "c3xa5"), (match.position, "a1xc3"))
    bot = load_bot("perfect", "alquerque", seed=0)
    analysis = bot.analyse(match)
    assert (analysis.best.line, analysis.value, bot.note) == (("a1xc3xa5",), 0, "proved: does not lose")


@pytest.mark.parametrize("damage", ["other options", "another file", "no steps", "cut off", "longer", "missing"])
def test_a_file_that_is_no_proof_of_these_rules_is_left_alone_and_a_damaged_one_is_told(folder, damage):
    match, file = Match("alquerque", "W:Wa1,e1:Bb2,d2"), folder / "alquerque.steps"
    changed = {"capture": "optional"} if damage == "other options" else {}
    lines = [] if damage == "no steps" else [(match.position, "a1xc3")]
    write_proof(folder, 0, True, *lines, **changed)
    content = gzip.decompress(file.read_bytes())
    if damage == "cut off":
        file.write_bytes(file.read_bytes()[:-20])
    elif damage == "another file":
        file.write_bytes(b"another file\n[]\n")
    elif damage == "longer":
        file.write_bytes(gzip.compress(content + b"0"))
    elif damage == "missing":
        file.unlink()
    bot = load_bot("perfect", "alquerque", seed=0)
    assert bot.choose(match) in match.legal_steps
    if damage in ("cut off", "another file", "longer"):
        assert bot.note == f"searched, no table or proof reaches; {file} is damaged or has no steps of a proof"
    else:
        assert bot.note == "searched, no table or proof reaches"


def test_where_a_proof_says_that_it_loses_it_searches_for_the_hardest_fight(monkeypatch):
    monkeypatch.setattr(AlphaBetaBot, "_search_step", lambda self, match: match.legal_steps[-1])
    match = Match("alquerque")
    match.push_turn("c2-c3")
    match.push(match.legal_steps[0])
    bot = load_bot("perfect", "alquerque", seed=0)
    while match.player == 0 or len(match.legal_steps) == 1:
        match.push(bot.choose(match))
    assert bot.choose(match) == match.legal_steps[-1]
    assert bot.note == "proved: loses"


@pytest.mark.parametrize(
    ("position", "note"),
    [
        ("W:Wa1,e1,c2:Be5", "exact: wins in 7 turns"),
        ("W:Wa1,c1:Ba5,e5", "exact: draws"),
        ("B:Wb2,d2,c3:Be5", "exact: loses in 8 turns"),
        ("W:Wa1,e1,c2:Be5:H43", "exact: wins in 7 turns"),
        ("W:Wa1,e1,c2:Be5:H44", "searched, table and proof leave steps open"),
    ],
)
def test_it_says_what_its_table_knows(position, note):
    bot, match = load_bot("perfect", "felli_simplified", seed=0), Match("felli_simplified", position)
    bot.analyse(match)
    assert bot.note == note


def test_a_forced_step_has_no_note():
    bot = load_bot("perfect", "felli_simplified", seed=0)
    bot.choose(Match("felli_simplified", "W:Wa1,e1,c2:Be5"))
    assert bot.note
    bot.choose(Match("felli_simplified", "W:Wa1:Bb2"))
    assert not bot.note


def near_the_limit(folder):
    """A small game with a table of three pieces in the folder, and its positions in which not every step is known."""
    game = small_game("alquerque_murray", "hook", "a1 b1", "b3", no_progress_limit=6)
    table = load_table(game, build_table(game, 3, folder / table_file.table_name(game, 3)))
    for state, clock in product(all_positions(game, 3), (2, 3, 4)):
        match = Match(game, f"{text_of(game, state)}:H{clock}", table=table)
        if None in {found.value for found in table.steps(match)}:
            yield match, exact_steps(match, table, None)


def test_a_step_of_the_value_of_the_position_is_enough_though_others_are_unknown(folder):
    bot, clocked, notes = None, None, Counter()
    for match, found in near_the_limit(folder):
        bot, clocked = bot or PerfectBot("perfect", match.game, 0, None), clocked or Clocked(match.game)
        if found.best:
            value = clocked.value(clocked.reference.parse(match.position))
            assert bot.choose(match) in {each.step for each in found.best}, match.position
            assert bot.note.split()[1] == {1: "wins", 0: "draws", -1: "loses"}[value]
            analysis = bot.analyse(match, all_steps=True)
            assert (analysis.value, len(analysis.candidates)) == (value, len(match.legal_steps))
            assert all(each.value <= value for each in analysis.candidates), match.position
            notes[bot.note.split()[1]] += 1
    assert min(notes["wins"], notes["draws"]) > 10, notes


def test_a_report_is_exact_where_value_and_step_are_known_and_calls_no_step_the_only_one(folder):
    """A step that is not known may keep the value too."""
    clocked, mistakes = None, 0
    for match, found in near_the_limit(folder):
        clocked = clocked or Clocked(match.game)
        for each in found.steps if found.best else ():
            ended = match.copy()
            ended.push(each.step)
            if each.least == each.most and not ended.turn_goes_on:
                (turn,) = judge_turns(ended, lambda *_: None, match.table)
                value = clocked.value(clocked.reference.parse(match.position))
                assert (turn.is_exact, turn.best, turn.played) == (True, value, each.least), match.position
                assert not turn.sentence.startswith("Only"), match.position
                mistakes += bool(turn.kind)
    assert mistakes > 5


def test_searches_leave_out_steps_that_are_known_to_be_worse(folder):
    asked = [(m, found) for m, found in near_the_limit(folder) if not found.best and found.keeping != found.steps]
    assert len(asked) > 100
    bots = PerfectBot("perfect", asked[0][0].game, 0, None), AlphaBetaBot("alphabeta:1", asked[0][0].game, 1, 0)
    bots[1].use_table(asked[0][0].table)
    for (match, found), bot in product(asked[::5], bots):
        keeping = {each.step for each in found.keeping}
        assert bot.choose(match) in keeping, match.position
        for all_steps in (False, True):
            assert bot.analyse(match, all_steps=all_steps).best.step in keeping, match.position
