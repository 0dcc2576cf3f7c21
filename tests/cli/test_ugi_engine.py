"""The engine: each command as a program sends it, whole turns in every game, and nothing that could end it."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.bots.external.process import Process
from alquerque_env.bots.external.ugi_protocol import parse_info
from alquerque_env.cli.ugi.ugi_engine import Engine, EngineOptions, play_moves
from alquerque_env.errors import IllegalStepError
from alquerque_env.game.kernel_arrays import JIT
from tests.drawn_matches import matches
from tests.option_values import MIXED, few_first
from tests.sets import first_by_default

COMMAND = [sys.executable, "-m", "alquerque_env", "engine"]
SOON = 120.0  # for what may compile

CASES = [
    *few_first((name, {}) for name in games()),
    *(pytest.param(*case, marks=pytest.mark.slow) for case in MIXED),
]


class Here:
    """An engine without a process."""

    def __init__(self, game: str = "alquerque", level: str = "random", **options: object) -> None:
        self.lines: list[str] = []
        self.engine = Engine(EngineOptions(load_game(game, **options), level), self.lines.append, seed=1)

    def ask(self, *lines: str) -> list[str]:
        """What is answered to commands, as far as it is answered at once."""
        self.lines.clear()
        for line in lines:
            assert self.engine.handle(line)
        return list(self.lines)

    def search(self, go: str = "go") -> list[str]:
        """The lines of a search, up to its turn."""
        self.ask(go)
        return self.until_best_move()

    def turn(self, go: str = "go") -> str:
        return self.search(go)[-1].removeprefix("bestmove ")

    def until_best_move(self) -> list[str]:
        """The lines up to the turn that was answered last, or is answered soon."""
        lines = list(self.lines)
        end = time.monotonic() + SOON
        while not lines or not lines[-1].startswith("bestmove"):
            assert time.monotonic() < end
            time.sleep(0.001)
            lines = list(self.lines)
        return lines


@pytest.fixture
def searcher() -> Here:
    return Here(level="alphabeta:3")


def is_error(lines: list[str], *words: str) -> bool:
    return len(lines) == 1 and lines[0].startswith("info string error: ") and all(word in lines[0] for word in words)


# Commands


def test_an_engine_introduces_itself_with_every_option_of_the_game(searcher):
    lines = searcher.ask("ugi")
    assert lines[-1] == "ugiok"
    assert lines[0] == "id name Alquerque"
    assert lines[1].startswith("id author ")
    options = {line.split()[2]: line.split() for line in lines[2:-1]}
    game = load_game("alquerque")
    assert set(options) == {"Game", "GameFile", "Level", *game.options}
    assert " ".join(options["Level"]) == "option name Level type string default alphabeta:3"
    for words in options.values():
        assert words[:2] == ["option", "name"]
        assert words[3:5] in (["type", "combo"], ["type", "string"], ["type", "check"])
        assert words[5] == "default"
        if words[4] == "combo":
            assert words[6] in words[8::2]
    assert options["Game"][8::2] == list(games())


def test_another_game_has_other_options_and_its_own_start(searcher):
    assert searcher.ask("setoption name game value fetaix", "setoption name MAX_CAPTURE value most_pieces") == []
    assert any(
        line.startswith("option name max_capture type combo default most_pieces") for line in searcher.ask("ugi")
    )
    assert searcher.ask("position startpos moves d3-c3", "query p1turn") == ["response false"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("setoption", ["setoption needs a name and a value"]),
        ("setoption name Hash value 128", ["no option 'Hash'", "known: Game, GameFile, Level"]),
        ("setoption name Game value fetaixx", ["no game 'fetaixx'; did you mean 'fetaix'?"]),
        ("setoption name Level value alphabta:3", ["did you mean 'alphabeta'"]),
        ("setoption name capture value sometimes", ["capture cannot be 'sometimes'"]),
        ("position", ["position needs startpos, or fen"]),
        ("position startpos d3-c3", ["followed by 'd3-c3', expected moves"]),
        ("position startpos moves d3-c3 nonsense", ["cannot read 'nonsense'"]),
        ("position startpos moves d3-c3 b3xd3 pass", ["pass is not legal"]),
        ("query p2turn", ["query needs one of"]),
        ("gogo", ["no command 'gogo'; did you mean 'go'?"]),
        ("x" * 5000, ["no command 'xxx"]),
    ],
)
def test_a_wrong_command_prints_an_error_and_changes_nothing(searcher, line, words):
    begin = ["position fen B:Wa1,b1:Be5,d5", "query p1turn"]
    assert searcher.ask(*begin) == ["response false"]
    lines = searcher.ask(line)
    assert is_error(lines, *words), lines
    assert len(lines[0]) < 600
    if line.startswith("position"):
        # An answer must not be about the position before the refused one.
        assert is_error(searcher.ask("query p1turn"), "the last position was refused")
        assert searcher.ask("go nodes 1")[-1] == "bestmove none"
        searcher.ask(*begin)
    assert searcher.ask("query p1turn", "query result") == ["response false", "response none"]


def test_empty_lines_and_a_stop_without_a_search_do_nothing(searcher):
    assert searcher.ask("", "   ", "\t", "stop") == []


def test_contradicting_options_are_reported_when_the_game_is_used(searcher):
    """After the first of two options matches could go on for ever."""
    searcher.ask("setoption name Game value alquerque_murray")
    assert searcher.ask("setoption name no_progress_limit value off") == []
    assert searcher.ask("setoption name repetition value threefold_draw", "position startpos") == []
    assert searcher.ask("setoption name repetition value off") == []
    assert is_error(searcher.ask("position startpos"), "a match could go on for ever")
    assert searcher.ask("setoption name repetition value threefold_draw", "position startpos") == []


@pytest.mark.parametrize(
    ("game", "options", "position", "answers"),
    [
        ("alquerque", {}, "startpos", ["false", "true", "none"]),
        ("alquerque", {}, "fen B:Wa1:Be5", ["false", "false", "none"]),
        ("alquerque", {}, "fen W:Wa1:Bb2 moves a1xc3", ["true", "false", "p1win"]),
        ("alquerque", {}, "fen B:Wb2:Ba1 moves a1xc3", ["true", "true", "p2win"]),
        ("alquerque", {"no_progress_limit": "2"}, "fen W:Wa1:Be5:H1 moves a1-a2", ["true", "false", "draw"]),
    ],
)
def test_south_is_player_one_in_answers_to_queries(searcher, game, options, position, answers):
    settings = [f"setoption name {name} value {value}" for name, value in options.items()]
    searcher.ask(f"setoption name Game value {game}", *settings)
    lines = searcher.ask(f"position {position}", "query gameover", "query p1turn", "query result")
    assert lines == [f"response {answer}" for answer in answers]


@pytest.mark.parametrize(
    "go",
    [
        "go",
        "go depth 0",
        "go nodes 500",
        "go movetime 100",
        "go movetime 0",
        "go p1time 3000 p2time 10 p1inc 0 p2inc 0",
        "go depth 3 nodes 2000 movetime 500",
    ],
)
def test_go_searches_within_its_limits(searcher, go):
    searcher.ask("position startpos moves d3-c3 b3xd3")
    lines = searcher.search(go)
    match = Match(load_game("alquerque"))
    for turn in ("d3-c3", "b3xd3"):
        match.push_turn(turn)
    infos = [parse_info(line) for line in lines[:-1]]
    assert all(info.score is not None and info.nodes is not None for info in infos)
    # In little time a position that was looked at is all there may be.
    assert infos[-1].nodes or "time" in go
    assert infos[-1].milliseconds is not None
    for turn in infos[-1].line:
        match.push_turn(turn)
    assert lines[-1] == f"bestmove {infos[-1].line[0]}"


@pytest.mark.parametrize("wrong", ["depth x", "nodes " + "9" * 5000, "fast", "x " * 5000])
def test_a_wrong_go_is_answered_by_an_error_and_a_turn(searcher, wrong):
    searcher.ask("position startpos")
    lines = searcher.search(f"go {wrong}")
    errors = [line for line in lines if line.startswith("info string")]
    assert is_error(errors, "go ")
    assert len(errors[0]) < 600
    Match("alquerque").push_turn(lines[-1].removeprefix("bestmove "))


def test_a_forced_win_is_given_as_a_number_of_turns(searcher):
    searcher.ask("position fen W:Wa1:Bb2,b3")
    lines = searcher.search("go depth 3")
    assert all(" score mate 1 " in line for line in lines[:-1])
    assert lines[-1] == "bestmove a1xc3xa3"
    searcher.ask("position fen B:We1,d1:Bb5")
    assert " mate " not in " ".join(searcher.search("go depth 3"))


def test_during_a_search_the_engine_is_ready_and_refuses_other_commands(searcher):
    assert "readyok" in searcher.ask("position startpos", "go infinite", "isready")
    for line in ("position startpos", "go depth 1", "setoption name Level value random", "uginewgame"):
        refusals = [told for told in searcher.ask(line) if "string" in told]
        assert is_error(refusals, "is refused during a search; send stop and wait for bestmove first")
    assert "response true" in searcher.ask("query p1turn")
    assert searcher.turn("stop") != "none"
    assert searcher.ask("position startpos", "query gameover") == ["response false"]


@pytest.mark.parametrize(
    ("level", "go"),
    [
        *((level, "go infinite") for level in ("alphabeta:60", "mcts:50", "greedy", "random", "perfect")),
        ("alphabeta:60", "go infinite depth 1 movetime 1"),
    ],
)
def test_an_infinite_search_that_ends_by_itself_is_answered_after_stop_or_the_end_of_the_engine(level, go):
    here = Here("felli_simplified", level)
    here.ask("position fen W:Wa1,e1:Bb2", "isready")
    for stop in (lambda: here.engine.handle("stop"), here.engine.close):
        here.ask(go)
        time.sleep(0.05)
        assert not [line for line in here.lines if line.startswith("bestmove")]
        assert is_error(here.ask("go"), "send stop and wait for bestmove first")
        stop()
        assert here.until_best_move()[-1] == "bestmove a1xc3"


def test_an_engine_says_what_its_turn_rests_on():
    here = Here("felli_simplified", "perfect")
    here.ask("position fen W:Wa1,e1,c2:Be5")
    here.turn()
    assert here.lines[-2] == "info string exact: wins in 7 turns"


def test_bestmove_is_none_after_the_end_of_the_match(searcher):
    searcher.ask("position fen W:Wa1:Bb2 moves a1xc3")
    lines = searcher.search()
    assert is_error(lines[:-1], "the match is over (captured)")
    assert lines[-1] == "bestmove none"


def test_a_bot_that_cannot_be_loaded_gives_an_error_and_readyok(tmp_path):
    (tmp_path / "meta.json").write_text("{}")
    (tmp_path / "weights.safetensors").write_bytes(b"")
    here = Here()
    assert here.ask(f"setoption name Level value {tmp_path}") == []
    lines = here.ask("isready")
    assert is_error(lines[:1], "checkpoint" if not lines[0].endswith('[train]"') else "missing")
    assert lines[1:] == ["readyok"]
    assert here.turn() == "none"


@pytest.mark.parametrize("ending", ["quit\n", ""])
@pytest.mark.parametrize("before", ["", "position startpos\ngo infinite\n"])
@pytest.mark.slow
def test_the_engine_ends_after_quit_or_the_end_of_its_input(before, ending):
    done = subprocess.run(COMMAND, input=before + ending, capture_output=True, text=True, timeout=SOON)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert all(line.startswith(("info ", "bestmove ")) for line in lines)
    assert bool(lines) == bool(before)


# Turns


MURRAY = "W:Wa1,e1:Bb2,b3,e5"


@pytest.mark.parametrize(
    ("moves", "player", "turns"),
    [
        (["a1xc3"], 1, ("a1xc3",)),
        (["a1xc3", "pass"], 1, ("a1xc3",)),
        (["a1xc3", "e5-e4"], 0, ("a1xc3", "e5-e4")),
        (["a1xc3", "c3xa3"], 1, ("a1xc3xa3",)),
        (["a1xc3xa3", "e5-e4"], 0, ("a1xc3xa3", "e5-e4")),
    ],
)
def test_an_optional_chain_ends_with_the_list_or_the_turn_of_the_opponent(moves, player, turns):
    match = Match(load_game("alquerque_murray"), MURRAY)
    play_moves(match, moves)
    assert (match.player, match.chain, match.turns) == (player, None, turns)


def test_an_unfinished_compulsory_chain_is_refused():
    match = Match(load_game("alquerque"), MURRAY)
    with pytest.raises(IllegalStepError, match=r"^a1xc3 is not a whole turn: c3xa3 must follow$"):
        play_moves(match, ["a1xc3"])


def test_pass_after_a_chain_is_the_turn_of_an_opponent_who_cannot_move():
    """North has one man left, which cannot move; South could have captured it too."""
    match = Match(load_game("fetaix", chain="optional", no_moves="pass"), "W:Wa1,b1,d1,c2,d2,b3,a4,b4,d4,e4:Bb2,c4")
    play_moves(match, ["a1xc3", "pass"])
    assert (match.turns, match.player) == (("a1xc3", "pass"), 0)


@first_by_default
@pytest.mark.parametrize("level", ["random", "greedy", "alphabeta:2", f"mcts:{30 if JIT else 3}"])
@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda value: str(value)[:40])
def test_every_bestmove_is_a_whole_legal_turn(name, options, level):
    here, chains = Here(name, level, **options), 0
    for match in matches(load_game(name, **options), 10):
        chains += match.chain is not None
        assert here.ask(f"position fen {match.position}") == []
        turn = here.turn("go nodes 40" if level.startswith("alphabeta") else "go")
        match.push_turn(turn)
        assert not match.turn_goes_on
    assert chains or load_game(name, **options).rules.chain == "single" or name != "fetaix"


# Malformed input


COMMANDS = "ugi isready uginewgame position query go stop setoption"
WORDS = (
    f"{COMMANDS} startpos fen moves depth nodes movetime infinite p1time p2time p1inc movestogo gameover p1turn result "
    "name value Game Level fetaix alquerque capture optional random pass a1-a2 d3-c3 b3xd3 W:Wa1:Bb2 W: B:W:B ^ xx "
    "W:Wa1,a1:B:H3 3 0 -1 99999 \x00 \x1b[2J é \u2028 'x'"
).split()


def test_random_words_do_not_end_the_engine():
    here, rng = Here(), random.Random(4)
    for _ in range(1500):
        line = " ".join(rng.choices(WORDS, k=rng.randrange(1, 9)))
        assert here.engine.handle(line)
        here.engine.close()
        for line in here.lines:
            assert "\n" not in line
            assert line.isprintable()
            assert not any(f"error: {kind}Error" in line for kind in ("Type", "Value", "Key", "Index", "Attribute"))
        here.lines.clear()
    assert here.ask("setoption name Game value fetaix", "query gameover") == ["response false"]


@pytest.mark.slow
def test_random_bytes_do_not_end_the_engine():
    rng = random.Random(6)
    garbage = b"\n".join(rng.randbytes(rng.randrange(200)) for _ in range(300))
    commands = (
        garbage + b"\n" + b"x" * (1 << 20) + b"yz\n" + b"position fen W:" + b"a1," * 200_000 + b"\nisready\nquit\n"
    )
    done = subprocess.run([*COMMAND, "random"], input=commands, capture_output=True, timeout=SOON)
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert lines[-1] == "readyok"
    assert sum("a line is longer than" in line for line in lines) == 1
    assert all(line.startswith("info string error: ") for line in lines[:-1])


@pytest.mark.slow
def test_the_engine_ends_quietly_after_its_reader():
    process = subprocess.Popen([*COMMAND, "random"], stdin=-1, stdout=-1, stderr=-1)
    process.stdout.close()
    _, lines = process.communicate(b"ugi\nisready\nposition startpos\ngo\nugi\n", timeout=SOON)
    assert (process.returncode, lines) == (0, b"")


def test_sending_to_a_process_that_does_not_read_does_not_block():
    process = Process([sys.executable, "-c", "import time; time.sleep(600)"])
    for _ in range(20):
        process.send("x" * (1 << 20))
    assert process.read(0.1) is None
    process.kill()


def test_no_program_runs_because_another_one_names_it(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    engine = Here()
    assert is_error(engine.ask(f"setoption name Level value ugi:touch {trace}"), "starts a program")
    assert engine.turn("go depth 1") == "c2-c3"
    assert not trace.exists()


@pytest.mark.slow
def test_the_spec_of_the_command_line_can_be_sent_back(tmp_path: Path) -> None:
    options = EngineOptions(load_game("fetaix"), "ugi:some engine")
    options.set("Level", "random")
    options.set("Level", "ugi:some engine")
    assert options.level == "ugi:some engine"
