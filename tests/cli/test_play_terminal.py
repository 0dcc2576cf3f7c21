"""Matches and their files in a real terminal: every command, Ctrl-C, and a terminal that is closed."""

import os
import re
import signal

import pytest

from alquerque_env import games
from alquerque_env.cli.console.signals import exit_on_signals, ignore_signals
from alquerque_env.match.records import load_record
from tests.cli.terminal_play import position_in, saved, spawned

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")


def play_to_the_end(child) -> str:
    """Plays the first step wherever it is asked, and returns the position at the end."""
    for _ in range(200):
        if child.expect(["North> ", r"Position: (\S+)\r\n"]):
            return child.match[1]
        child.sendline("1")
    raise AssertionError("the match does not end")


def test_without_a_game_the_games_are_listed_and_one_is_asked_for(state_folder):
    with spawned("play") as child:
        child.expect("Which game")
        assert f"{1 + games().index('fetaix')}:fetaix" in child.before.split()
        assert child.before.count("\n") < 15
        child.sendline("fetixa")
        child.expect("no game 'fetixa'; did you mean 'fetaix'")
        child.expect("Which game")
        child.sendline("goats TIGER")
        child.expect("Error: no game")
        child.expect("Which game")
        child.sendline("TIGER")
        child.expect(rf"{1 + games().index('tiger_game_forty')}:tiger_game_forty")
        child.expect("several games have these words")
        child.expect("Which game")
        child.sendline(str(1 + games().index("fetaix")))
        child.expect("Fetaix. South: you, North: alphabeta:3.")
        child.expect("South> ")


def test_a_whole_match_with_every_command_is_played_in_a_terminal(tmp_path, state_folder):
    middle, whole, copy = (tmp_path / f"{name}.pdn" for name in ("middle", "whole", "copy"))
    arguments = ["play", "alquerque", "--opponent", "random", "--seed", "5", "--save", str(whole)]
    with spawned(*arguments) as child:
        for typed, answer in (
            ("rules", "The players take turns"),
            ("hint", r"perfect would play c2-c3\s+c2-c3: wins; b2-c3: not known"),
            ("1", r"North \(random\) plays"),
            ("undo", "South to move"),
            ("2", r"North \(random\) plays"),
            (f"save {middle}", "The match is saved in"),
            ("1", r"North \(random\) plays"),
            (f"load {middle}", "The match that you leave is saved in"),
            ("turns", r"1\. "),
            ("switch", "You play North now"),
        ):
            child.expect(r"South> ")
            child.sendline(typed)
            child.expect(answer)
        first_end = play_to_the_end(child)
        child.expect(re.escape(f"The match is saved in {whole}."))
        child.expect("Press Enter to leave")
        for typed, answer in (
            ("1", "the match is over; type undo"),
            ("hint", "the match is over"),
            ("resign", "the match is over"),
            ("report", "Accuracy: South"),
            (f"save {copy}", "The match is saved in"),
            ("undo", "North> "),
            ("resign", "South wins: North resigns"),
            ("undo", "North> "),
        ):
            child.sendline(typed)
            child.expect(answer)
        child.sendline("1")
        position = play_to_the_end(child)
        child.expect("Press Enter to leave")
        child.sendline("")
        child.wait()

    record, begun = load_record(whole), load_record(middle)
    assert child.exitstatus == 0
    assert load_record(copy).match.position == first_end
    assert record.match.is_over
    assert record.match.position == position
    assert (record.south, record.north) == ("random", "human")
    assert (begun.south, begun.north) == ("human", "random")
    assert record.match.turns[: len(begun.match.turns)] == begun.match.turns
    assert len(saved(state_folder)) == 1


SIGNALS = [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)]


@pytest.mark.parametrize(
    ("game", "opponent", "reached", "number", "turns"),
    [
        *(("alquerque_alfonso_x", "alphabeta:60", "North is thinking", number, 1) for number in SIGNALS),
        ("fetaix", "random", r"North \(random\) plays[\s\S]*South> ", signal.SIGINT, 2),
    ],
)
@pytest.mark.slow
def test_a_signal_that_ends_the_program_saves_the_match(game, opponent, reached, number, turns, state_folder):
    with spawned("play", game, "--opponent", opponent) as child:
        child.expect("South> ")
        child.sendline("1")
        child.expect(reached)
        child.kill(number)
        child.expect(f"Resume with: alquerque play {game} --load")
        output = child.before.replace("\r\n", "\n")
        child.wait()

    (kept,) = saved(state_folder)
    assert child.exitstatus == 128 + number
    assert position_in(output) == kept.match.position
    assert len(kept.match.turns) == turns
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("environment", "box_drawing", "colours"),
    [
        ({"TERM": "xterm-256color"}, True, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "xterm-256color", "PYTHONIOENCODING": "ascii"}, False, True),
    ],
)
@pytest.mark.slow
def test_a_terminal_gets_colours_and_box_drawing_if_it_can_show_them(environment, box_drawing, colours, state_folder):
    with spawned("play", "fetaix", "--opponent", "random", **environment) as child:
        child.expect("South> ")
        text = child.before

    assert ("─" in text) == box_drawing
    assert re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", text).isascii() != box_drawing
    assert ("\x1b[1;38;5;208m" in text) == colours


@pytest.mark.slow
def test_an_error_is_broken_between_words(state_folder):
    with spawned("puzzles", "felli") as child:
        child.expect(r"there are no puzzles of felli; ([\s\S]+?)\r\n$")
        ids = child.match[1].removeprefix("there are some of").replace("\r\n", "").split(",")
        assert len(ids) > 10
        assert {each.strip() for each in ids} <= set(games())


def test_ignored_signals_stay_ignored_and_handlers_are_restored():
    numbers = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with exit_on_signals():
            os.kill(os.getpid(), signal.SIGHUP)
            with ignore_signals():
                os.kill(os.getpid(), signal.SIGTERM)
                os.kill(os.getpid(), signal.SIGINT)
            with pytest.raises(SystemExit, match=str(128 + signal.SIGTERM)):
                os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGHUP, before[0])

    assert [signal.getsignal(number) for number in numbers] == before
