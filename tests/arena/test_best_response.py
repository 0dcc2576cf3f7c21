"""The best response to an agent, beside a plain recursion over matches, and certificates."""

import json
import signal
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

from alquerque_env import Match, best_response, load_bot, load_game, load_table
from alquerque_env.arena.exploit import walk
from alquerque_env.arena.exploit.asked_agent import AskedAgent
from alquerque_env.bots import GameBot
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError, BotError, TableError
from alquerque_env.game.canonical import find_canonical
from alquerque_env.solve.tables import build_table
from tests.small_games import small_game
from tools import check_certificate as checker

NAME = "felli_simplified"
FEW = "W:Wa1:Be5:H40"
WON = "W:Wa1,b2,c1:Be5,c5"
DRAWN = "W:Wb2,c2:Bc4,c5"


def lowest(_observation, mask):
    return mask.argmax()


class Uneven(GameBot):
    """Plays its first step with a probability of three quarters, else its last."""

    def policy(self, match):
        found = np.zeros(self.game.num_actions)
        found[match.legal_steps[0].action] += 0.75
        found[match.legal_steps[-1].action] += 0.25
        return found


class Stub(GameBot):
    """Plays what a function decides, and says whether it sees the clock and whether it decides in canonical images."""

    has_memory = False

    def __init__(self, game, decide, *, sees_clock=False, canonical=False):
        super().__init__("stub", game, 0)
        self.sees_clock, self.canonical, self._decide = sees_clock, canonical, decide


def last(match):
    return match.legal_steps[-1]


open_table = cache(load_table)


def holding(match):
    """The first step that holds a draw by the table, whatever the clock."""
    values = open_table(match.game.name).action_values(match, clockless=True).value
    return next(step for step in match.legal_steps if values[step.action] >= 0)


def keeping(table):
    """Chooses the first step that keeps the value by a table, whatever the clock."""
    chosen = {}

    def choose(match):
        key = match.position.partition(":H")[0]
        if key not in chosen:
            values = table.action_values(match, clockless=True).value
            chosen[key] = max(match.legal_steps, key=lambda step: values[step.action])
        return chosen[key]

    return choose


def in_image(match):
    """The same as `holding`, in the canonical image of a position."""
    image, symmetry = find_canonical(match.game.table.words, match.state.copy(), match.game.symmetries)
    action = holding(Match.from_state(match.game, image)).action
    return next(step for step in match.legal_steps if symmetry.actions[step.action] == action)


def small_table(folder, **rules):
    """A table of a whole small game."""
    game = small_game("felli_simplified", "square", "a1 b1 c1", "b3 c3", **rules)
    return load_table(game, build_table(game, 5, folder / "table.aqt"))


def known_positions(table, count):
    """Those of a sample of so many in which the match goes on and the value is known."""
    drawn = [Match.from_state(table.game, state) for state in table.sample(count, np.random.default_rng(0))]
    return [match.position for match in drawn if not match.is_over and table.value(match) is not None]


def asked_both_ways(table, decide, count):
    """What is found of one that says that it does not see the clock, and of one that decides alike and does not."""
    asked = {"positions": known_positions(table, count), "table": table}
    bots = [Stub(table.game, decide, sees_clock=sees_clock) for sees_clock in (False, True)]
    return zip(*(best_response(bot, table.game, **asked) for bot in bots), strict=True)


def recursion(game, seat, policy):
    """What an agent with a policy gets, by all lines of play, as a function of a position's text."""

    @cache
    def value(position):
        match = Match(game, position)
        if match.is_over:
            winner = match.outcome.winner
            return 0 if winner is None else 1 if winner == seat else -1
        weights = policy(match) if match.player == seat else np.zeros(game.num_actions)
        results, chances = [], []
        for step in match.legal_steps:
            after = match.copy()
            after.push(step)
            if match.player != seat or weights[step.action] > 0:
                results.append(value(after.position))
                chances.append(weights[step.action])
        return np.dot(results, chances) if match.player == seat else min(results)

    return value


def replayed(game, found, agent):
    """The outcome of a line, after checking each step of the agent in a match of its own."""
    match = Match(game, found.position)
    for text in found.line:
        if match.player == found.seat:
            assert agent.choose(match).text == text
        match.push(text)
    return match.outcome


@pytest.mark.parametrize("position", [FEW, pytest.param("B:Wb4,c4:Bc1,d2:H44", marks=pytest.mark.slow)])
def test_the_value_is_that_of_all_lines_of_play(position):
    game = load_game(NAME)

    def policy(match):
        return np.eye(game.num_actions)[lowest(match.observation(), match.action_mask())]

    for found in best_response(lowest, game, positions=[position]):
        expected = recursion(game, found.seat, policy)(position)
        assert found.complete
        assert (found.value if found.seat == 0 else -found.value) == expected
        assert found.kept == (expected >= found.start_value * (1 - 2 * found.seat))
        if not found.kept:
            assert replayed(game, found, load_bot(lowest, game)).winner == 1 - found.seat


@pytest.mark.parametrize("position", [FEW, pytest.param("B:Wb4:Be1:H36", marks=pytest.mark.slow)])
@pytest.mark.parametrize("agent", ["random", "greedy", pytest.param("uneven", marks=pytest.mark.slow)])
def test_the_value_against_a_policy_is_the_expected_result_of_all_lines_of_play(agent, position):
    game = load_game(NAME)
    bot = Uneven("uneven", game, 0) if agent == "uneven" else load_bot(agent, game, seed=0)

    for found in best_response(bot, game, positions=[position]):
        expected = recursion(game, found.seat, bot.policy)(position)
        assert (found.value if found.seat == 0 else -found.value) == pytest.approx(expected, abs=1e-12)
        assert found.clock == (agent == "uneven")
        assert not found.kept


@pytest.mark.slow
@pytest.mark.parametrize("rules", [{"no_progress_result": "majority"}, {"no_moves": "draw"}])
def test_other_rules_of_the_limit_count(tmp_path, rules):
    table = small_table(tmp_path, no_progress_limit=4, **rules)
    bot, known = load_bot("random", table.game, seed=0), known_positions(table, 60)[:10]
    assert known

    for found in best_response(bot, table.game, positions=known, table=table):
        expected = recursion(table.game, found.seat, bot.policy)(found.position)
        assert (found.value if found.seat == 0 else -found.value) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("limit", "expected"), [(3, "cut by the limit"), (12, "fewer positions")])
def test_a_player_that_does_not_see_the_clock_is_walked_without_it_where_a_draw_is_enough(tmp_path, limit, expected):
    table = small_table(tmp_path, no_progress_limit=limit)
    seen = set()
    for found, other in asked_both_ways(table, last, 60):
        assert (found.value, found.kept, found.complete) == (other.value, other.kept, True)
        assert other.clock
        if found.start_value * (1 - 2 * found.seat) == 1:
            assert found.clock  # a win must come before the limit
        elif found.clock:
            seen.add("cut by the limit")  # a line that loses later
        elif found.kept and found.positions < other.positions:
            seen.add("fewer positions")
        if not found.kept:
            winner = replayed(table.game, found, Stub(table.game, last)).winner
            assert winner == (1 - found.seat if found.value == 2 * found.seat - 1 else None)
    assert expected in seen


@pytest.mark.parametrize("result", ["majority", "draw"])
def test_the_clock_counts_where_the_limit_would_take_something_from_the_player(tmp_path, result):
    table = small_table(tmp_path, no_progress_limit=7, no_progress_result=result)
    fewer = set()
    for found, other in asked_both_ways(table, keeping(table), 30):
        assert (found.value, found.kept, found.complete, other.clock) == (other.value, other.kept, True, True)
        needed = found.start_value * (1 - 2 * found.seat)
        if found.kept and not found.clock and found.positions < other.positions:
            fewer.add(needed)
    assert fewer >= ({0, 1} if result == "majority" else {0})


def refused(folder, lines, message):
    damaged = folder / "damaged.jsonl"
    damaged.write_text("".join(lines))
    with pytest.raises(checker.WrongError, match=message):
        checker.check_kept(damaged)
    assert checker.main([str(damaged)]) == 1


def test_a_certificate_leaves_out_the_clock_where_the_limit_gives_enough(tmp_path):
    path = tmp_path / "kept.jsonl"
    (found,) = best_response(Stub(load_game(NAME), holding), NAME, seat=0, positions=[DRAWN], certificate=path)
    assert (found.kept, found.clock, found.certified) == (True, False, True)
    kept = checker.check_kept(path)
    assert kept.positions == found.positions
    assert kept.header["clock"] is False
    header, *choices = path.read_text().splitlines(keepends=True)
    assert choices

    for old, new in (('"result":0', '"result":1'), ('"clock":false', '"clock":true')):
        assert old in header
        refused(tmp_path, [header.replace(old, new), *choices], "no choice in|do not arise|ends the match with less")


def test_images_count_as_one_for_a_player_that_decides_in_canonical_images(tmp_path):
    game, path, position = load_game("pretwa"), tmp_path / "kept.jsonl", "W:Wa1:Bd1"
    (once,) = best_response(Stub(game, in_image, canonical=True), game, seat=0, positions=[position], certificate=path)
    (each,) = best_response(Stub(game, in_image), game, seat=0, positions=[position])
    assert (once.images, each.images) == (True, False)
    assert (once.kept, once.value, once.complete, once.certified) == (each.kept, each.value, each.complete, True)
    assert once.kept
    assert 5 * once.positions < each.positions
    kept = checker.check_kept(path)
    assert kept.positions == once.positions

    header, *choices = path.read_text().splitlines(keepends=True)
    refused(tmp_path, [header.replace('"images":true', '"images":false'), *choices], "no choice in")
    refused(tmp_path, [header, *choices[1:]], "no choice in")


def test_a_player_that_sees_the_clock_after_all_gets_no_certificate(tmp_path):
    bot = Stub(load_game(NAME), lambda match: last(match) if ":H49" in match.position else holding(match))
    with pytest.raises(BotError, match="asked again"):
        best_response(bot, NAME, seat=0, positions=[DRAWN], certificate=tmp_path / "kept.jsonl")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_shipped_bot_loses_the_won_game_in_25_steps():
    game = load_game(NAME)
    (found,) = best_response("felli_simplified-small", game)

    assert (found.value, found.kept, found.complete, len(found.line)) == (-1, False, True, 25)
    assert replayed(game, found, load_bot("felli_simplified-small", game)).winner == 1


def test_a_certificate_holds_by_the_reference_and_a_damaged_one_is_refused(tmp_path):
    path = tmp_path / "kept.jsonl"
    (found,) = best_response("perfect", NAME, positions=[WON], certificate=path)
    assert found.kept
    assert found.certified
    kept = checker.check_kept(path)
    assert kept.positions == found.positions
    assert kept.header["result"] == 1
    header, *choices = path.read_text().splitlines(keepends=True)

    refused(tmp_path, [header, *choices[1:]], "no choice in")
    refused(tmp_path, [header, *choices, choices[0].replace("c1", "d2")], "do not arise")
    text, step = json.loads(choices[0])[:2]
    others = [each.text for each in Match(NAME, text).legal_steps if each.text != step]
    other = json.dumps([text, others[0]]) + "\n"
    refused(tmp_path, [header, other, *choices[1:]], "no choice in|ends the match with less|arise")
    refused(tmp_path, [header, json.dumps([text, "a1-a1"]) + "\n", *choices[1:]], "a1-a1 in .* expected a legal step")
    refused(tmp_path, [header.replace('"positions":', '"positions":1'), *choices], "another number of positions")
    refused(tmp_path, [header.replace('"seat":0', '"seat":1'), *choices], "ends the match with less|no choice in")
    refused(tmp_path, ["{}\n"], "no certificate")
    refused(tmp_path, [header, other, *choices], "there are two choices in one position")
    refused(tmp_path, [header, choices[0], *choices], "there are two choices in one position")
    refused(tmp_path, [header.replace('"seat":0', '"seat":1,"seat":0'), *choices], "a key is there twice")


def test_the_checker_prints_no_control_characters_of_a_certificate(tmp_path, capsys):
    path = tmp_path / "kept.jsonl"
    best_response("perfect", NAME, positions=[WON], certificate=path)
    header, *choices = path.read_text().splitlines(keepends=True)
    path.write_text("".join([header.replace('"perfect"', '"per\\u001b[2Jfect\\u202e\\n"'), *choices]))
    assert checker.main([str(path)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("per?[2Jfect?? as player_0")
    assert told.rstrip("\n").isprintable()


@pytest.mark.slow
def test_close_choices_are_asked_of_the_exported_player(tmp_path):
    pytest.importorskip("torch")
    path = tmp_path / "kept.jsonl"
    (found,) = best_response("felli_simplified-small:8", NAME, positions=["W:Wd4,c4,b4:Bc1"], certificate=path)
    assert found.certified == (found.value is not None and found.value >= 0)
    if found.certified:
        kept = checker.check_kept(path)
        assert kept.header["smallest_margin"] >= 0
        assert kept.header["asked_of_exported"] == kept.header["asked_alone"]
        assert set(kept.header["files"]) == {"meta.json", "weights.safetensors"}
        assert checker.main([str(path)]) == 0


def test_a_stopped_search_says_what_it_knows():
    stops = iter([False])
    (found,) = best_response(lowest, NAME, positions=[WON], stop=lambda: next(stops, True))
    assert (found.complete, found.kept, found.value, found.line) == (False, None, None, ())

    # By then the table has seen a wrong choice, and shows how to use it.
    (found,) = best_response(lowest, NAME, positions=[WON], most_positions=60)
    assert (found.complete, found.kept, found.value) == (False, False, None)
    assert replayed(load_game(NAME), found, load_bot(lowest, NAME)).winner != 0


def test_an_agent_that_changes_its_mind_is_refused():
    generator = np.random.default_rng(0)

    def sample(_observation, mask):
        return generator.choice(np.flatnonzero(mask))

    with pytest.raises(BotError, match=r"and, asked again, .* an agent that always chooses alike"):
        best_response(sample, NAME, positions=[WON])


@pytest.mark.parametrize("spec", ["alphabeta:2", "mcts:20", pytest.param("perfect", marks=pytest.mark.slow)])
def test_a_bot_with_a_memory_answers_alike_in_any_order(spec):
    table = load_table(NAME)
    states = table.sample(40, np.random.default_rng(0))
    matches = [match for match in (Match.from_state(table.game, state) for state in states) if not match.is_over]
    bot = load_bot(spec, NAME, seed=5, tables=False)

    def ask(match):
        bot.restart(0)
        return bot.choose(match)

    forwards = [ask(match) for match in matches]
    assert forwards == [ask(match) for match in matches[::-1]][::-1]


def test_a_network_chooses_alike_for_one_position_and_for_many_whatever_their_clocks():
    table = load_table(NAME)
    states = table.sample(12, np.random.default_rng(1))
    found = [Match.from_state(table.game, state) for state in states]
    matches = [Match(table.game, f"{match.position}:H{7 * number % 50}") for number, match in enumerate(found)]
    matches = [match for match in matches if not match.is_over]
    bot = load_bot("felli_simplified-small:8", NAME, tables=False)

    chosen = bot.choose_many(matches)
    assert chosen == [bot.choose(match) for match in matches]
    assert [step for step, _ in bot.choose_with_margins(matches)] == chosen
    assert all(0 <= margin <= 1 for _, margin in bot.choose_with_margins(matches))


def test_what_cannot_be_answered_is_refused():
    with pytest.raises(TableError, match=r"is unknown.*alquerque solve fetaix --option .* --whole"):
        best_response("random", load_game("fetaix", man_capture_dirs="all"))
    with pytest.raises(TableError, match=r"may come first.* a position with a smaller H"):
        best_response("random", NAME, positions=["B:Wb4,c4:Bd2:H45"])
    with pytest.raises(AlquerqueError, match="choose the option repetition=off"):
        best_response("random", load_game(NAME, repetition="threefold_draw"))
    with pytest.raises(AlquerqueError, match="seat is 2, expected 0 or 1"):
        best_response("random", NAME, seat=2)
    with pytest.raises(AlquerqueError, match="one seat and one first position"):
        best_response("random", NAME, positions=[FEW], certificate="kept.jsonl")
    with pytest.raises(TableError, match="the match is over"):
        best_response("random", NAME, positions=["W:Wa1:B"])


def test_a_game_with_a_proof_is_followed_from_its_start():
    game = load_game("alquerque")
    (found,) = best_response(lowest, game, most_positions=20_000)
    assert (found.seat, found.start_value, found.clock) == (0, 1, False)
    assert found.kept is False
    assert replayed(game, found, load_bot(lowest, game)).winner == 1


def run(*arguments):
    result = CliRunner().invoke(main, ["exploit", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_prints_what_was_found(tmp_path):
    found = json.loads(run("perfect", NAME, "--position", WON, "--json"))
    told = {
        "game": NAME,
        "agent": "perfect",
        "seat": 0,
        "start_value": 1,
        "kept": True,
        "complete": True,
        "clock": True,
    }
    assert found == found | told | {"line": []}
    assert found["positions"] > 100

    found = json.loads(run("greedy", NAME, "--position", FEW, "--json"))
    assert found["start_value"] == 0
    assert [each["seat"] for each in found["seats"]] == [0, 1]
    assert all(each["line"] and not each["kept"] for each in found["seats"])

    path = tmp_path / "kept.jsonl"
    told = run("perfect", NAME, "--position", WON, "--certificate", path)
    assert "nobody can get more against it" in told
    assert checker.check_kept(path).header["agent"] == "perfect"
    told = run("perfect", NAME, "--position", WON, "--positions", 5)
    assert "nobody has beaten it yet" in told
    told = run("perfect", NAME, "--position", WON, "--positions", 1)
    assert "nothing has been played against it" in told
    told = run("greedy", NAME, "--position", FEW, "--seat", 0).splitlines()
    assert "as South, who draws under best play: it gets only -" in told[0]
    assert told[1].startswith("A line that shows it: ")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_command_with_what_is_known(sent):
    command = [sys.executable, "-m", "alquerque_env", "exploit", "mcts:2000", "pretwa", "--seat", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "positions, asked in" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(sent)
    told, error = process.communicate(timeout=300)
    found = json.loads(told)
    assert process.returncode == 128 + sent
    assert not found["complete"]
    assert found["positions"] > 1
    assert "Traceback" not in error


def walked(agent, value, ask_at_once=64, lot=64, stops_at=10**9):
    """A walk from the start as South, depth first; it is stopped at a check, and goes on."""
    checks = iter(range(10**9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "_AT_ONCE", ask_at_once)
        patch.setattr(walk, "_LEVEL", max(ask_at_once, 1))
        patch.setattr(walk, "_LOT", lot)
        found = walk.Walk(
            AskedAgent(agent, load_game(NAME), 0, Match(NAME)),
            0,
            Match(NAME),
            counts_clock=False,
            value=value,
            table=None,
            depth_first=True,
        )
        found.run(lambda: next(checks) != stops_at)
        found.run(lambda: True)
    return found


@pytest.mark.parametrize("agent", [pytest.param("alphabeta:1", marks=pytest.mark.slow), "last"])
def test_how_many_are_asked_at_once_changes_no_walk_and_a_stop_loses_nothing(agent):
    agent = Stub(load_game(NAME), last) if agent == "last" else agent
    first = walked(agent, -1)
    assert first.is_complete
    assert len(first.positions) > 256  # several lots
    for ask_at_once, stops_at in ((1, 10**9), (1, 5), (7, 3)):
        other = walked(agent, -1, ask_at_once, stops_at=stops_at)
        assert (other.positions.states == first.positions.states).all()
        assert (other.worst, other.line()) == (first.worst, first.line())
    large = walked(agent, -1, lot=1024)
    assert {*map(bytes, large.positions.states)} == {*map(bytes, first.positions.states)}
