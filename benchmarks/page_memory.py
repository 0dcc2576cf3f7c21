"""Measures the memory of `alquerque web`: `python benchmarks/page_memory.py [GAMES]`, of so many games, else of all.

Asks the server for everything that the page shows of each game: rules, pictures, lessons, two turns by every level and
an analysis by every evaluator. Prints the resident memory at the start and after every seventh game. Compiling takes
more: run it twice, since kernels are kept. Needs the extra `dev` and Linux.
"""

import json
import re
import sys
from pathlib import Path
from urllib.request import Request, urlopen

sys.path.append(str(Path(__file__).parent.parent))
from tests.browser import served_by

SECONDS = 0.1  # that a bot and an analysis take, which changes their memory little
ABOUT_A_GAME = ("card", "board", "rule-pictures", "lessons")


def megabytes(process: int) -> float:
    """The resident memory of a process."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1000


with served_by("--seconds", str(SECONDS)) as (server, address):

    def ask(name: str, **body: object) -> dict:
        """The answer of the server to a request."""
        data, kind = json.dumps(body).encode(), {"Content-Type": "application/json"}
        with urlopen(Request(f"{address}api/{name}", data, kind)) as answer:
            return json.load(answer)

    listed = ask("games")
    games = [game["id"] for game in listed["games"]][: int(sys.argv[1]) if sys.argv[1:] else None]
    print(f"at the start: {megabytes(server.pid):.0f} MB")
    for number, game in enumerate(games, start=1):
        for name in (*ABOUT_A_GAME, *["puzzles"][: game in listed["puzzles"]]):
            ask(name, game=game)
        rules = ask("rules", game=game)
        for level in rules["levels"]:
            steps: list[str] = []
            for _ in range(2):
                turn = ask("turn", match={"game": game, "steps": steps}, bot=level["spec"])
                steps += [step["text"] for step in turn["steps"]]
        for evaluator in ("search", *rules["evaluators"]):
            ask("analysis", match={"game": game}, evaluator=evaluator, seconds=SECONDS)
        if number % 7 == 0:
            print(f"after {number} games: {megabytes(server.pid):.0f} MB", flush=True)
