"""The bot that plays by tables and proofs, and what it says of its steps. The tests of shipped tables have it play."""

import json
import lzma
from collections import Counter
from itertools import product

import pytest

from alquerque_env import Match, load_bot, load_game, load_table
from alquerque_env.bots.alphabeta import AlphaBetaBot
from alquerque_env.bots.match_report import judge_turns
from alquerque_env.bots.perfect import PerfectBot
from alquerque_env.solve import proved_steps
from alquerque_env.solve.exact_steps import exact_steps
from alquerque_env.solve.proved_steps import MAGIC
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


def write_proof(folder, claim, *lines, **changed):
    game = load_game("alquerque")
    header = {"game": "alquerque", "options": {**game.options, **changed}, "position": "", "table_pieces": 0}
    text = "\n".join([MAGIC, json.dumps(header), f"= {claim}", *lines, ""])
    (folder / "alquerque.xz").write_bytes(lzma.compress(text.encode()))


def test_it_plays_by_the_proof_that_comes_with_the_package():
    bot, match = load_bot("perfect", MOSONA, seed=0), Match(MOSONA)
    assert bot.analyse(match).best.line == ("j1-i2",)
    assert bot.note == "proved: wins"
    match.push(bot.choose(match))
    assert match.turns == ("j1-i2",)
    assert bot.note == "proved: wins"


def test_without_table_and_proof_it_searches_and_says_so():
    bot, match = load_bot("perfect", MOSONA, seed=0), Match(MOSONA, "W:Wb1,d1:Bj1,n1")
    assert bot.choose(match) in match.legal_steps
    assert bot.note == "searched, no table or proof reaches"


def test_a_proof_of_the_user_is_played_to_the_end_of_a_turn(folder):
    match = Match("alquerque", "W:Wa1,e1:Bb2,b4,d2,d4")
    after = "W:Wc3,e1:Bb4,d2,d4:Cc3"
    write_proof(folder, "player_1 does not win", f"{after} c3xa5^b4", f"{match.position} a1xc3^b2", "B:We1:Ba5 *")
    bot = load_bot("perfect", "alquerque", seed=0)
    analysis = bot.analyse(match)
    assert (analysis.best.line, analysis.value, bot.note) == (("a1xc3xa5",), 0, "proved: does not lose")


@pytest.mark.parametrize("damage", ["other options", "no certificate", "no steps", "cut off", "missing"])
def test_a_file_that_is_no_proof_of_these_rules_is_left_alone_and_a_damaged_one_is_told(folder, damage):
    match, file = Match("alquerque", "W:Wa1,e1:Bb2,d2"), folder / "alquerque.xz"
    changed = {"capture": "optional"} if damage == "other options" else {}
    write_proof(folder, "player_0 wins", f"{match.position} a1xc3^b2", **changed)
    if damage == "cut off":
        file.write_bytes(file.read_bytes()[:-20])
    elif damage == "no certificate":
        file.write_bytes(lzma.compress(b"another file\n[]\n"))
    elif damage == "no steps":
        write_proof(folder, "player_0 wins", f"{match.position} ?")
    elif damage == "missing":
        file.unlink()
    bot = load_bot("perfect", "alquerque", seed=0)
    assert bot.choose(match) in match.legal_steps
    is_damaged = damage in ("cut off", "no certificate")
    told = f"; {file} is damaged or no certificate" if is_damaged else ""
    assert bot.note == f"searched, no table or proof reaches{told}"


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


def test_a_clash_of_hashes_brings_no_step_of_another_position(folder, monkeypatch):
    monkeypatch.setattr(proved_steps, "hash", lambda _: 7, raising=False)
    match = Match("alquerque", "W:Wa1,e1:Bb2,d2")
    write_proof(folder, "player_0 wins", f"{match.position} a1xc3^b2")
    proof, _ = proved_steps.present_proof(match.game)
    assert str(proof.find(match)) == "a1xc3"
    assert proof.bounds(match) == (1, 1)
    other = Match("alquerque", "W:Wa1,e1:Bb2,d4")
    assert (proof.find(other), proof.bounds(other)) == (None, None)
