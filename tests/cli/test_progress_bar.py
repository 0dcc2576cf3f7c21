"""Progress of long tasks: a bar in a terminal, lines elsewhere, a note after Ctrl-C."""

import re
import sys

import pytest

from alquerque_env.cli.console import progress_bar as module
from alquerque_env.cli.console.progress_bar import Display
from tests.cli.terminal_play import spawned


def test_without_a_terminal_lines_are_printed(capsys):
    with Display() as display:
        display.update("nothing yet", 1, 3)
    with Display(pause=0) as display:
        display.update("stones", 2, 3)
        display.update("stones", 3, 3, line="all three")
        display.update("nobody knows")
        display.note("by the way")
    assert capsys.readouterr().err.splitlines() == ["stones: 2 of 3", "all three", "nobody knows", "by the way"]


def test_lines_have_the_estimated_time_left(capsys, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    with Display(pause=0) as display:
        display.update("stones", 10, 100)
        now[0] += 60
        display.update("stones", 40, 100)
        display.update("shells", 0, 50)
        now[0] += 5
        display.update("shells", 10, 50, line="a fifth")
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["stones: 10 of 100", "stones: 40 of 100, 2:00 left", "shells: 0 of 50", "a fifth, 0:20 left"]


def test_no_time_is_estimated_from_the_first_hundredth_of_a_task(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    with Display(pause=0) as display:
        for done in (0, 1, 50):
            display.update("positions", done, 1000)
            now[0] += 10
    assert capsys.readouterr().err.splitlines() == [
        "positions: 0 of 1000",
        "positions: 1 of 1000",
        "positions: 50 of 1000, 6:20 left",
    ]


@pytest.mark.parametrize(("stopped", "said"), [("go on later", "stopped; go on later\n"), (None, "")])
def test_a_note_is_printed_after_ctrl_c(capsys, stopped, said):
    with pytest.raises(KeyboardInterrupt), Display(stopped):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == said


def test_no_note_is_printed_after_other_errors(capsys):
    with pytest.raises(ZeroDivisionError), Display("go on later"):
        raise ZeroDivisionError
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.slow
def test_in_a_terminal_a_bar_goes_from_stage_to_stage():
    words = ["arena", "alquerque", "random", "greedy", "--games", "8", "--judge", "alphabeta:1"]
    with spawned(*words, TERM="xterm-256color") as child:
        text = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]|\r", "", child.read())
        child.wait()
    assert child.exitstatus == 0
    for shown in ("balanced openings found", "matches played", "8/8", "random v. greedy"):
        assert shown in text
