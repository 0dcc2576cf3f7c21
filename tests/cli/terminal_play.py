"""`alquerque play` as tests run it: scripted in this process, or in a terminal of its own."""

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner, Result

from alquerque_env.cli.main import main
from alquerque_env.match.records import Record, load_record

MURRAY_CHAIN = "W:Wa1:Bb1,d1,e5"
RESUME = re.compile(r"Resume with: alquerque (.*)")


def play(game: str, *arguments: str, typed: str = "") -> Result:
    """Plays against `random` what is typed, words separated by spaces, and then the input ends."""
    lines = "".join(f"{line}\n" for line in typed.split("|"))
    opponent = [] if "--opponent" in arguments or "--watch" in arguments else ["--opponent", "random", "--seed", "1"]
    return CliRunner().invoke(main, ["play", game, *arguments, *opponent], input=lines if typed else "")


def shown(game: str, *arguments: str, typed: str = "") -> str:
    result = play(game, *arguments, typed=typed)
    assert result.exit_code == 0, result.output
    return result.stdout


def position_in(output: str) -> str:
    return re.findall(r"^Position: (.*)$", output, re.MULTILINE)[-1]


def saved(folder: Path) -> list[Record]:
    """The matches in a folder, in the order of file names."""
    return [load_record(file) for file in sorted(folder.glob("*"))]


@contextmanager
def spawned(*arguments: str, **environment: str) -> Iterator:
    """The program in a terminal of its own, at whose end the terminal is closed."""
    import pexpect

    child = pexpect.spawn(
        sys.executable,
        ["-m", "alquerque_env", *arguments],
        env=os.environ | {"TERM": "dumb", "PYTHONIOENCODING": "utf-8"} | environment,
        encoding="utf-8",
        timeout=90,
        dimensions=(60, 200),
        # A run in the background has Ctrl-C switched off, one under nohup SIGHUP, and would hand that on.
        preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)],
    )
    try:
        yield child
    finally:
        child.close(force=True)
