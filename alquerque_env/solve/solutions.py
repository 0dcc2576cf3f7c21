"""Values of whole games that come with the package, and the sources of rules with the names of their authors.

`solved/GAME.json` is the result of `alquerque solve GAME --from-start`, which searched the start position.
`whole/GAME.json` lists what tables of the whole game say, one entry for each choice of options.
`published/GAME.json` is a value that others have published, with the letters of their work among the game's sources.
"""

import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, NamedTuple

from ..game.game import Game
from ..game.rules_text import SIDES


class WholeTable(NamedTuple):
    """What the table of all positions of a game says.

    Attributes:
      plies: Plies from the start to the end under best play; None for a draw.
      steps: The texts of the first steps that keep the value.
      positions: Positions at the beginning of a turn.
      won: How many of them are won for the player to move.
      drawn: How many are drawn.
      lost: How many are lost.
      digest: The hash of the values, `EndgameTable.digest`.
      command: What built the table.
      processor_seconds: The time of all processors that this took, verification included; None if not measured.
    """

    plies: int | None
    steps: tuple[str, ...]
    positions: int
    won: int
    drawn: int
    lost: int
    digest: str
    command: str
    processor_seconds: float | None


class KnownSolution(NamedTuple):
    """The value of the start of a game.

    Attributes:
      winner: 0 or 1, "draw", or None if it is not known.
      losers: The players who are known not to win.
      line: The turns of a line that shows it; empty for a draw that a whole table says.
      nodes: The positions searched; 0 if the table of the whole game says it.
      table_pieces: The most pieces of the endgame table used.
      whole: What the table of the whole game says; None if it has not been built.
      published: The publication that the value is from; empty if the package has computed it.
    """

    winner: int | str | None
    losers: tuple[int, ...]
    line: tuple[str, ...]
    nodes: int
    table_pieces: int
    whole: WholeTable | None = None
    published: str = ""

    def sentences(self) -> list[str]:
        """Returns what is known, for people."""
        cannot = "".join(f" {SIDES[loser]} cannot win." for loser in self.losers)
        if self.winner is None:
            effort = f"after {self.nodes:,} positions over the endgame table of {self.table_pieces} pieces"
            return [f"Who wins under best play is unknown {effort}.{cannot}"]
        won = "It is a draw" if self.winner == "draw" else f"{SIDES[int(self.winner)]} wins"
        if self.published:
            return [f"{won} under best play ({self.published}). This package has not checked it."]
        if self.whole is None:
            effort = f"proved in {self.nodes:,} positions over the endgame table of {self.table_pieces} pieces"
            return [f"{won}: {effort}.", f"A line: {' '.join(self.line)}."]
        found = self.whole
        soon = "" if found.plies is None else f" in {found.plies} plies"
        counts = f"{found.won:,} are won, {found.drawn:,} drawn and {found.lost:,} lost for the player to move"
        return [
            f"{won} under best play{soon}.",
            *([f"First steps that keep this: {', '.join(found.steps)}."] if found.steps else []),
            f"Of all {found.positions:,} positions, {counts}.",
            *([f"A line of best play: {' '.join(self.line)}."] if self.line else []),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Returns its fields as JSON has them."""
        return {**self._asdict(), "whole": None if self.whole is None else self.whole._asdict()}


def known_solution(game: Game) -> KnownSolution | None:
    """Returns the value of the start of a game with its options; None if nobody has searched it."""
    for entry in _read("whole", game) or ():
        if entry["table_hash"] == game.table_hash:
            return solution_of_table(game, entry)
    found: Any = _read("solved", game) or _read("published", game)
    if found is None or found["table_hash"] != game.table_hash:
        return None
    if "source" in found:
        losers = tuple(player for player in (0, 1) if player != found["winner"])
        return KnownSolution(found["winner"], losers, (), 0, 0, published=find_source(game, found["source"]))
    questions = found["questions"]
    nodes = sum(question["nodes"] for question in questions)
    losers = tuple(question["player"] for question in questions if question["state"] == "disproved")
    return KnownSolution(found["winner"], losers, tuple(found["line"]), nodes, found["table_pieces"])


def _read(folder: str, game: Game) -> Any:
    file = resources.files(__package__) / folder / f"{game.name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def solution_of_table(game: Game, entry: Mapping[str, Any]) -> KnownSolution:
    """The value of the start from an entry of `whole/GAME.json`."""
    winner = entry["winner"]
    losers = tuple(player for player in (0, 1) if player != winner)
    whole = WholeTable(**{name: entry[name] for name in WholeTable._fields} | {"steps": tuple(entry["steps"])})
    return KnownSolution(winner, losers, tuple(entry["line"]), 0, sum(game.most_pieces), whole)


_KEYED = re.compile(r"([A-Z][A-Za-z]{0,4}): (.+)")
_END_OF_NAME = re.compile(r"[,;:(<]| as .* quotes")


def cite(game: Game, option: str) -> str:
    """What the sources answer to the question of an option, as `Wikipedia: unknown; Mats Winther: not backward`."""
    names = source_names(game)
    if not names:
        return game.option_table[option].source
    keys = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"\b({keys})\b", lambda found: names[found[1]], game.option_table[option].source)


def sources(game: Game) -> list[str]:
    """The sources of a game without the letters that stand for them in its file."""
    return [found[2] if (found := _KEYED.match(source)) else source for source in game.sources]


def find_source(game: Game, letters: str) -> str:
    """The source that a game's file names by these letters."""
    return next(source.removeprefix(f"{letters}: ") for source in game.sources if source.startswith(f"{letters}: "))


def source_names(game: Game) -> dict[str, str]:
    """A short name for each source that has a key, such as `WIN` for Mats Winther."""
    keyed = (_KEYED.match(source) for source in game.sources)
    return {found[1]: _END_OF_NAME.split(found[2], maxsplit=1)[0].strip() for found in keyed if found}
