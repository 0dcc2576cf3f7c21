"""The card of a data set: what is in the file, how it was made, and how to check and read it, as Markdown."""

import hashlib
import re
from inspect import getdoc
from pathlib import Path

from ..game.options import spell
from .dataset import Dataset
from .solutions import known_solution
from .tables.table import EndgameTable


def dataset_card(path: Path, dataset: Dataset, table: EndgameTable, drawn: str, command: str, version: str) -> str:
    """The card of a file.

    Args:
      path: The file, which `write_dataset` has written.
      dataset: What is in it.
      table: Where it is from.
      drawn: How the positions were chosen, in a few words.
      command: What made the file.
      version: The version of the package.
    """
    game = table.game
    count = len(dataset.value)
    won, drawn_out, lost = (int((dataset.value == value).sum()) for value in (1, 0, -1))
    loses_value = (dataset.action_known & ~dataset.best & 1).any(1)
    with open(path, "rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    options = ", ".join(f"{name}={spell(value)}" for name, value in game.options.items())
    known = known_solution(game)
    facts = {
        "game": f"`{game.name}`, version {game.version}, hash of the rules `{game.table_hash}`",
        "options": options or "none",
        "positions": f"{count:,}, {drawn}; one of those that symmetries turn into each other",
        "for the player to move": f"{won:,} won, {drawn_out:,} drawn, {lost:,} lost",
        "critical": f"{int(loses_value.sum()):,} positions in which some action loses value",
        "table": f"all positions with at most {table.pieces} pieces, values `{table.digest}`",
        "start of the game": "unknown" if known is None else known.sentences()[0],
        "file": f"`{path.name}`, {path.stat().st_size:,} bytes, SHA-256 `{checksum}`",
        "licence": "MIT, as alquerque-env",
        "command": f"`{command}`, version {version}",
    }
    meanings = re.findall(r"^  (\w+): (.*(?:\n    .*)*)", getdoc(Dataset) or "", re.MULTILINE)
    columns = [
        f"| `{name}` | {column.dtype} | {list(column.shape)} | {' '.join(meaning.split())} |"
        for (name, meaning), column in zip(meanings, dataset, strict=True)
    ]
    return "\n".join(
        [
            f"# {game.title}: positions with exact values",
            "",
            "Each position has its value and distance, and those of each action. Plies without progress are 0 in it.",
            "",
            "| | |",
            "| --- | --- |",
            *(f"| {name} | {fact} |" for name, fact in facts.items()),
            "",
            "| column | dtype | shape | meaning |",
            "| --- | --- | --- | --- |",
            *columns,
            "",
            "N positions, A actions, C planes, P points. The texts `game` and `options` name the game and its options.",
            "",
            "```python",
            "import numpy as np",
            "",
            f"data = np.load({path.name!r})",
            'data["action_value"][0]',
            "```",
            "",
        ]
    )
