"""Two processes that build the same tables at the same time, with random delays."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from alquerque_env.solve.tables import build_table
from tests.small_games import small_game
from tools.faults.case import Case
from tools.faults.long_work import table_content

GAME = small_game("fetaix", "wedge", "a1 b1", "b3", no_progress_result="majority")
PIECES = 3


def two_builders(chance: random.Random, folder: Path) -> Iterator[Case]:
    """Yields rounds, in each of which two processes build one table."""
    right = table_content(build_table(GAME, PIECES, folder / "right.aqt", threads=1))
    shared = folder / "shared"
    shared.mkdir()
    with ExitStack() as stack:
        builders = [stack.enter_context(builder(shared, chance.getrandbits(32))) for _ in range(2)]
        while True:
            for process in builders:
                print("table.aqt", file=process.stdin, flush=True)
            answers = [process.stdout.readline() for process in builders]
            assert answers == ["done\n"] * 2, answers
            assert [file.name for file in shared.iterdir()] == ["table.aqt"]
            assert table_content(shared / "table.aqt") == right, f"{shared / 'table.aqt'} is wrong"
            (shared / "table.aqt").unlink()
            yield Case({"rounds": 1})


def builder(folder: Path, seed: int) -> "subprocess.Popen[str]":
    """A process that builds a table in a folder whenever a line with its name comes in."""
    command = [sys.executable, "-m", "tools.faults.two_builders", str(folder), str(seed)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def build_slowly(folder: Path, seed: int) -> None:
    """Does what `builder` says."""
    chance = random.Random(seed)

    def delay(*_progress: object) -> None:
        time.sleep(chance.random() ** 8 / 400)

    for line in sys.stdin:
        time.sleep(chance.random() ** 3 / 5)
        build_table(GAME, PIECES, folder / line.strip(), watch=delay, threads=1)
        print("done", flush=True)


if __name__ == "__main__":
    build_slowly(Path(sys.argv[1]), int(sys.argv[2]))
