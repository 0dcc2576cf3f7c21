"""Engines as bots: whole matches in the arena, and every way in which a program of somebody's can fail."""

import copy
import gc
import os
import pickle
import random
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from alquerque_env import Match, load_bot, load_game
from alquerque_env.arena.match_runner import play_matches
from alquerque_env.bots import Limits
from alquerque_env.bots.external.ugi_bot import MOST_LINES, Timeouts, UgiBot
from alquerque_env.errors import BotError
from alquerque_env.game.game import Game
from alquerque_env.search.scores import score_to_value
from tests.fake_engines import PATIENT, Fake, assert_ended
from tests.option_values import core_or_long
from tests.sets import first_by_default
from tools.faults.hostile_engines import is_alive

pytestmark = pytest.mark.skipif(os.name != "posix", reason="looks at processes")

ENGINE = f"{shlex.quote(sys.executable)} -m alquerque_env engine"
ALQUERQUE = load_game("alquerque")
QUICK = replace(PATIENT, turn=0.7, margin=0.7)


@pytest.fixture(autouse=True)
def long_timeouts(monkeypatch):
    """Ours is a slow engine on a machine with much to do."""
    monkeypatch.setattr(Timeouts.__init__, "__defaults__", tuple(vars(PATIENT).values()))


@pytest.fixture
def fake(tmp_path):
    return lambda *arguments, **words: Fake(tmp_path, *arguments, **words)


@pytest.fixture
def engine() -> Iterator:
    bots = []

    def load(arguments: str, game: Game, **words: object) -> UgiBot:
        bots.append(load_bot(f"ugi:{ENGINE} {arguments}", game, **words))
        return bots[-1]

    yield load
    for bot in bots:
        bot.close()


# Engines that do as they should


@pytest.mark.slow
@pytest.mark.parametrize("name", core_or_long())
def test_an_engine_plays_every_game_to_its_end_in_the_arena(engine, name):
    game = load_game(name)
    bot, greedy = engine("random --seed 1", game), load_bot("greedy", game, seed=2)
    ends = dict(play_matches([Match(game), Match(game)], [(bot, greedy), (greedy, bot)], 400))
    assert len(ends) == 2
    assert all(end.fault is None for end in ends.values()), ends


@first_by_default
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("alquerque_murray", {"no_moves": "pass", "repetition": "threefold_draw", "no_progress_limit": "12"}),
        ("fetaix", {"chain": "optional", "midchain_promotion": "promote_and_continue", "repetition": "threefold_draw"}),
        ("alquerque", {"who_starts": "player_1", "capture": "optional"}),
    ],
)
@pytest.mark.slow
def test_an_engine_is_told_the_rules_and_sees_the_whole_match(engine, name, options):
    """It thinks the same of a match as the bot that it is, also where positions have occurred before."""
    game, rng = load_game(name, **options), random.Random(name)
    bot, twin = engine("alphabeta:3", game), load_bot("alphabeta:3", game, seed=1)
    for _ in range(8):
        match = Match(game)
        for _ in range(rng.randrange(40)):
            quiet = [step for step in match.legal_steps if not step.captured and rng.random() < 0.8]
            match.push(rng.choice(quiet or list(match.legal_steps)))
            if match.is_over:
                match.pop()
                break
        told, known = bot.analyse(match), twin.analyse(match)
        assert (told.value, told.depth) == (known.value, known.depth)
        assert told.score == known.score or abs(known.value) == 1
    assert_ended_after_close(bot)


def assert_ended_after_close(bot: UgiBot) -> None:
    pid = bot.pid
    assert is_alive(pid)
    bot.close()
    assert bot.pid is None
    assert_ended(pid)


@pytest.mark.slow
def test_an_engine_has_a_value_for_every_step_also_in_the_middle_of_a_chain(engine):
    """Each is what the bot itself finds one turn deeper, with the right sign."""
    game = load_game("alquerque_murray")
    bot, twin = engine("alphabeta:2", game), load_bot("alphabeta:3", game, seed=1)
    chained = Match(game, "W:Wa1,e1:Bb2,b3,d3,e5")
    chained.push("a1xc3")
    assert len(chained.legal_steps) > 2
    for match in (Match(game), Match(game, "B:Wa1,b2,c3,d1:Bd4,e5,a4"), Match(game, "W:Wa1,e1:Bb2"), chained):
        before = match.position
        told = bot.analyse(match, all_steps=True)
        assert match.position == before
        assert {one.step for one in told.candidates} == set(match.legal_steps)
        known = {one.step: one.value for one in twin.analyse(match, Limits(depth=3), all_steps=True).candidates}
        kept = {one.step: one.value for one in twin.analyse(match, Limits(depth=2), all_steps=True).candidates}
        for one in told.candidates:
            after = match.copy()
            after.push(one.step)
            assert one.value == pytest.approx((kept if after.player == match.player else known)[one.step])
            ahead = match.copy()
            for turn in one.line:
                ahead.push_turn(turn)
            assert ahead.steps[len(match.steps)] == one.step


def test_an_engine_is_asked_once_for_a_turn(fake):
    made = fake(turns=["a1xc3xe3"])
    match = Match(ALQUERQUE, "W:Wa1,e1:Bb2,b3,d3,e2")
    bot = made.bot(ALQUERQUE)
    for text in ("a1xc3", "c3xe3"):
        assert len(match.legal_steps) == 2
        assert str(bot.choose(match)) == text
        match.push(text)
    heard = made.heard
    assert sum(line.startswith("go") for line in heard) == 1
    # Many engines would think without end if nobody told them for how long.
    assert heard[-4:] == ["uginewgame", "position fen W:Wa1,e1:Bb2,e2,b3,d3", "isready", "go movetime 300000"]
    assert heard[:2] == ["ugi", "setoption name Game value alquerque"]
    assert "setoption name undo_cleared_by_jump value true" in heard
    bot.close()


def test_each_ask_shows_the_match_from_its_begin(fake):
    made = fake(turns=["d3-c3", "d2-c3"])
    match, bot = Match(ALQUERQUE), made.bot(ALQUERQUE)
    match.push(bot.choose(match))
    for turn in ("b3xd3", "e3xc3", "d4-d3"):
        match.push_turn(turn)
    with pytest.raises(BotError, match="answered 'd2-c3', which is no turn here: "):
        bot.choose(match)
    positions = [line for line in made.heard if line.startswith("position")]
    assert positions == ["position startpos", "position startpos moves d3-c3 b3xd3 e3xc3 d4-d3"]


def test_the_time_limit_is_handed_on_and_may_be_longer_than_the_timeout_of_a_turn(fake):
    made = fake("time.sleep(1); print('bestmove d3-c3', flush=True)")
    bot = made.bot(ALQUERQUE, timeouts=Timeouts(turn=0.1, margin=10), time_limit=0.5)
    assert str(bot.choose(Match(ALQUERQUE))) == "d3-c3"
    assert made.heard[-1] == "go movetime 500"
    bot.close()


def test_limits_are_handed_on_and_what_is_analysis_is_told(fake):
    said = "info depth 4 score cp 50 nodes 9 pv d3-c3 b3xd3 nonsense\ninfo nodes 20 time 3\nbestmove d3-c3"
    made = fake(f"print({said!r}, flush=True)")
    bot, told = made.bot(ALQUERQUE), []
    analysis = bot.analyse(Match(ALQUERQUE), Limits(seconds=0.3, depth=4, nodes=100), report=told.append)
    assert made.heard[-1] == "go movetime 300 depth 4 nodes 100"
    assert (analysis.depth, analysis.nodes, analysis.score) == (4, 20, 50)
    assert analysis.value == score_to_value(50)
    assert analysis.best.line == ("d3-c3", "b3xd3")
    assert [(one.depth, one.nodes) for one in told] == [(4, 9)]
    bot.close()


def test_a_stop_is_handed_on(fake):
    bot, stop = (
        fake("pass", at_stop="print('info score mate -3\\nbestmove d3-c3', flush=True)").bot(ALQUERQUE),
        threading.Event(),
    )
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    analysis = bot.analyse(Match(ALQUERQUE), Limits(stop=stop))
    timer.join()
    assert (analysis.value, str(analysis.best.step)) == (-1, "d3-c3")
    bot.close()


def test_an_answer_too_many_is_not_taken_for_the_next(fake):
    twice = "turn = turns.pop(0); print('bestmove', turn); print('bestmove', turn, flush=True)"
    bot = fake(twice, turns=["d3-c3", "d2-c3"]).bot(ALQUERQUE)
    assert [str(bot.choose(Match(ALQUERQUE))) for _ in range(2)] == ["d3-c3", "d2-c3"]
    bot.close()


def test_who_says_nothing_of_values_cannot_be_asked_for_them(fake):
    bot = fake(turns=["d3-c3"]).bot(ALQUERQUE)
    with pytest.raises(BotError, match=r"^fake does not evaluate positions: it sent no 'info' with a score$"):
        bot.analyse(Match(ALQUERQUE))
    bot.close()


# Engines that do not

CHILD = "child = subprocess.Popen(['sleep', '600']); open('child.txt', 'w').write(str(child.pid))"
BAD = {
    "exits": ("sys.exit(3)", "ended with status 3, without 'bestmove'"),
    "speaks before it dies": (
        "print('out of memory', file=sys.stderr, flush=True); os.abort()",
        "ended by signal 6, without 'bestmove'; last on its error output: out of memory",
    ),
    "hangs": ("time.sleep(600)", "has not answered within 1.4 seconds, without 'bestmove'"),
    "closes its output": ("os.close(1); time.sleep(600)", "closed its output, without 'bestmove'"),
    "plays what is illegal": (
        "print('bestmove a1-a5', flush=True)",
        "answered 'a1-a5', which is no turn here: a1-a5 is",
    ),
    "plays nothing": ("print('bestmove', flush=True)", "answered '', which is no turn here: cannot read ''"),
    "cannot play": (
        "print('info string error: no idea\\nbestmove none', flush=True)",
        "it said 'no idea'",
    ),
    "writes garbage": ("os.write(1, bytes(range(256)) * 40 + b'\\n'); time.sleep(600)", "has not answered within"),
    "plays garbage": ("os.write(1, b'bestmove \\xff\\x00\\x1b[2J\\n')", "answered '"),
    "floods": ("[print('info string so what') for _ in iter(int, 1)]", f"wrote more than {MOST_LINES} lines"),
    "floods without end of line": (
        "[os.write(1, b'x' * 65536) for _ in iter(int, 1)]",
        f"more than {MOST_LINES} lines",
    ),
}


@first_by_default
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_engine_loses_its_matches_and_the_others_go_on(fake, kind):
    at_go, words = BAD[kind]
    bot = fake(at_go).bot(ALQUERQUE, timeouts=QUICK if "not answered" in words else PATIENT)
    first = bot.pid
    random_bots = [load_bot("random", ALQUERQUE, seed=seed) for seed in range(2)]
    seats = [(bot, random_bots[0]), (random_bots[0], random_bots[1]), (random_bots[1], bot)]
    ends = dict(play_matches([Match(ALQUERQUE) for _ in seats], seats, 400))
    assert (ends[0].winner, ends[0].reason) == (1, "fault")
    assert (ends[2].winner, ends[2].reason) == (0, "fault")
    for place in (0, 2):
        fault = ends[place].fault
        assert fault.startswith("fake ")
        assert words in fault
        assert fault.isprintable()
        assert len(fault) < 600
    assert ends[1].fault is None
    assert ends[1].reason != "fault"
    assert bot.pid is None
    assert_ended(first)


@pytest.mark.parametrize(
    ("at_ugi", "words"),
    [
        ("sys.exit('no licence')", "fake ended with status 1, without 'ugiok'; last on its error output: no licence"),
        ("time.sleep(600)", "fake has not answered within 4 seconds, without 'ugiok'"),
        ("[print('hello') for _ in iter(int, 1)]", f"fake wrote more than {MOST_LINES} lines, without 'ugiok'"),
        ("print('ugiok', flush=True); time.sleep(600)", "fake has not answered within 0.5 seconds, without 'readyok'"),
    ],
)
def test_an_engine_that_cannot_be_started_is_no_bot(fake, at_ugi, words):
    made = fake(at_ugi=at_ugi)
    # The first one has to begin, which takes a moment, and then hangs.
    timeouts = Timeouts(handshake=4 if at_ugi.startswith("time") else 120, loading=0.5)
    with pytest.raises(BotError) as caught:
        made.bot(ALQUERQUE, timeouts=timeouts)
    assert str(caught.value) == words
    assert_ended(made.pid)


def test_an_engine_that_dies_in_mid_match_has_lost_that_and_is_started_again_for_the_next(fake):
    """As it would after any fault: asked again in the same place it fails again, in another match it plays."""
    bot = fake("print('bestmove', turns.pop(0), flush=True) if turns else sys.exit(9)", turns=["d3-c3"]).bot(ALQUERQUE)
    match, pid = Match(ALQUERQUE), bot.pid
    match.push(bot.choose(match))
    for turn in ("b3xd3", "e3xc3", "d4-d3"):
        match.push_turn(turn)
    for _ in range(2):
        with pytest.raises(BotError, match=r"^fake ended with status 9, without 'bestmove'$"):
            bot.choose(match)
        assert bot.pid is None
    assert_ended(pid)
    other = Match(ALQUERQUE)
    assert str(bot.choose(other)) == "d3-c3"
    assert bot.pid not in (None, pid)
    bot.close()


def test_all_that_an_engine_has_started_ends_with_it(fake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bot = fake("sys.exit(1)", at_ugi=CHILD).bot(ALQUERQUE, timeouts=QUICK)
    child = int((tmp_path / "child.txt").read_text())
    assert is_alive(child)
    with pytest.raises(BotError):
        bot.choose(Match(ALQUERQUE))
    assert_ended(child)


def test_a_copy_of_a_bot_has_an_engine_of_its_own(fake):
    bot = fake(turns=["d3-c3"]).bot(ALQUERQUE)
    for twin in (copy.deepcopy(bot), pickle.loads(pickle.dumps(bot))):
        assert is_alive(bot.pid)
        assert bot.pid != twin.pid
        assert str(twin.choose(Match(ALQUERQUE))) == "d3-c3"
        twin.close()
    bot.close()


@pytest.mark.slow
def test_an_engine_ends_with_its_bot(fake):
    bot = fake().bot(ALQUERQUE)
    pid = bot.pid
    assert is_alive(pid)
    del bot
    gc.collect()
    assert_ended(pid)


@pytest.mark.slow
def test_an_engine_ends_with_the_program(fake):
    """Also one that neither reads nor wants to end."""
    made = fake("signal.pause()", at_ugi="import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)")
    program = (
        "import sys\nfrom alquerque_env import Match, load_bot, load_game\n"
        "bot = load_bot(sys.argv[1], load_game('alquerque'))\nprint(bot.pid)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, made.spec], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert_ended(int(done.stdout))


# Messages


def test_no_shell_reads_the_command(tmp_path):
    with pytest.raises(BotError):
        load_bot(f"ugi:{sys.executable} -c pass; touch {tmp_path / 'made'}", ALQUERQUE)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "words",
    [
        {"at_ugi": r"sys.exit('\x1b[31mred\x07\x1b]0;title\x07')"},
        {"at_go": r"print('bestmove \x1b[31mred', flush=True)"},
        {"at_go": r"print('info string error: \x1b[2Jgone', flush=True); sys.exit('\x9b31m')"},
    ],
)
def test_no_control_characters_of_an_engine_reach_a_message(fake, words):
    """They could change what a terminal shows."""
    with pytest.raises(BotError) as caught:
        fake(**words).bot(ALQUERQUE).choose(Match(ALQUERQUE, "W:Wa1,b1:Be5"))
    assert str(caught.value).isprintable()
    assert any(word in str(caught.value) for word in ("red", "gone"))
