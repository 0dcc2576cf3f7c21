"""The table of the deepest drawn games, from `docs/data/drawn_games.jsonl`."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markdown_parts import paragraph, rows
from unseen_tables import read

from alquerque_env.drawn import draw_game
from alquerque_env.game.rules_text import SIDES

FILE = Path(__file__).parent / "data" / "drawn_games.jsonl"
DEEPEST = 20
PLAYER = "alphabeta:3"
FEWEST = 200  # critical positions in which a player was measured, at least, for a game to be called deep


def drawn_sentence(_: str) -> str:
    """How the games of the file end, and how hard they are."""
    found = read(FILE)
    ends = Counter({"draw": "a draw", None: "open"}.get(row["winner"], "a win") for row in found)
    errors = [row["errors"][PLAYER] for row in found if row["critical"] >= FEWEST]
    share = sum(error > 0.05 for error in errors) / len(errors)
    seconds = sum(row["seconds"] for row in found)
    return paragraph(
        f"Of {len(found):,} games, {ends['a draw']} are draws under best play and {ends['a win']} are won; in the "
        f"other {ends['open']} the no-progress limit may change the result. "
        f"`{PLAYER}` is wrong in {sum(errors) / len(errors):.1%} of the critical positions in the mean, and in more "
        f"than 5% of them in {share:.0%} of the games. Solving and measuring took {seconds / len(found):.2f} seconds "
        "of processor time a game."
    )


def deepest_table(_: str) -> str:
    """The games in which a search of three turns is wrong most often. Of two with the same figures, the first."""
    rated = [row for row in read(FILE) if row["critical"] >= FEWEST]
    known = {(row["positions"], *row["errors"].values()): row for row in reversed(rated)}
    deepest = sorted(known.values(), key=lambda row: -row["errors"][PLAYER])[:DEEPEST]
    head = "seed", "points", "rules", "start", "positions", "drawn", *(f"`{name}` wrong" for name in rated[0]["errors"])
    return rows(head, [_cells(row) for row in deepest])


def _cells(row: Mapping[str, Any]) -> list[str]:
    game = draw_game(row["seed"])
    kinds = {"leap": "leaps", "odd_rows": "leaps over rows", "custodial": "flanking", "none": "no captures"}
    rules = [f"{kinds[game.captures(0)]}, {game.rules.capture}", f"chain {game.rules.chain}"]
    rules += ["hunt"] if row["hunt"] else []
    rules += ["promotion"] if game.rules.promotion != "none" else []
    start = "draw" if row["winner"] == "draw" else f"{SIDES[row['winner']]} wins in {row['plies']}"
    errors = [f"{error:.1%}" for error in row["errors"].values()]
    share = f"{row['drawn'] / row['positions']:.1%}"
    return [str(row["seed"]), str(row["points"]), ", ".join(rules), start, f"{row['positions']:,}", share, *errors]
