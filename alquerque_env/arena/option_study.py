"""What each combination of the options of a game is worth: who wins, how soon, and how often players choose wrongly."""

import time
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import AlquerqueError, TableError
from ..files.json_lines import JsonLines
from ..game.game import Game
from ..game.options import OptionValue
from ..progress import Progress, Watch, unwatched
from ..solve.proof.game_value import value_after_schedule
from ..solve.tables import build_table, load_table
from ..solve.tables.build import plan
from ..solve.tables.whole import count_values, value_of_start, whole_pieces
from .exact_errors import measure_errors

MARK = "option_study", 1
NOT_VARIED = frozenset({"repetition", "no_progress_limit"})
"""Options that stay as they are: a table does not see earlier positions, and the limit may be any number."""

PLAYERS = "random", "alphabeta:3"
POSITIONS = 1000
"""Critical positions, drawn from all, in which the players choose."""


def rule_sets(game: Game, fixed: Mapping[str, OptionValue]) -> list[Game]:
    """The game with each combination of values of its options that is allowed, in a fixed order.

    An option has its listed values and the one that it has in the game. Where any number is allowed, no others.

    Args:
      game: The game.
      fixed: The options that keep a value.
    """
    kept = {name: game.options[name] for name in NOT_VARIED & game.options.keys()} | dict(fixed)
    varied = [
        [(name, value) for value in dict.fromkeys((*option.values, game.options[name])) if value != "N"]
        for name, option in game.option_table.items()
        if name not in kept
    ]
    found, refused = [], None
    for chosen in product(*varied):
        try:
            found.append(game.with_options(**kept, **dict(chosen)))
        except AlquerqueError as error:  # these values exclude each other
            refused = error
    if refused is not None and not found:
        raise refused
    return found


def study_options(
    game: Game,
    path: Path,
    *,
    fixed: Mapping[str, OptionValue] | None = None,
    memory: float = 16.0,
    threads: int | None = None,
    watch: Watch = unwatched,
) -> list[dict[str, Any]]:
    """Solves each rule set of a game, and adds a line to a file for each; those that have one are left out.

    Args:
      game: The game.
      path: The file, which the same call goes on with.
      fixed: The options that keep a value.
      memory: Most memory of a table, in GiB.
      threads: Of a table; None for one a core.
      watch: Is called with the progress.

    Returns:
      The rows: `options` and `table_hash`; `winner`, `plies` and first `steps` as in `Start`; numbers of `positions`
      that are `won`, `drawn` and `lost` for who is to move; the `digest` of the table; for each player the share of
      wrong choices in critical positions, in `errors`; and `seconds` of processor time.

    Raises:
      TableError: If a rule set is too large.
      OSError: If the file cannot be written.
    """
    every = rule_sets(game, fixed or {})
    for rules in every:
        plan(rules, whole_pieces(rules), memory)
    header = {"game": game.argument, "fixed": dict(fixed or {}), "positions": POSITIONS, "players": PLAYERS}
    with JsonLines(path, "a study of options", MARK, header) as file:
        rows = list(file.entries)
        known = [row["options"] for row in rows]
        todo = [rules for rules in every if dict(rules.options) not in known]
        for rules in todo:
            watch(Progress("rule sets", len(rows), len(every)))
            rows.append(_study(rules, memory, threads))
            file.add(rows[-1])
    watch(Progress("rule sets", len(rows), len(every)))
    return rows


def _study(game: Game, memory: float, threads: int | None) -> dict[str, Any]:
    began = time.process_time()
    with TemporaryDirectory() as folder:
        built = build_table(game, whole_pieces(game), Path(folder) / "table.aqt", memory=memory, threads=threads)
        table = load_table(game, built)
        start = value_after_schedule(table) if game.schedule else value_of_start(table)
        errors: dict[str, float | None] = {}
        for player in PLAYERS:
            try:
                errors[player] = round(measure_errors(player, game, POSITIONS, table=table).wrong.value, 4)
            except TableError:  # no step loses value in any position
                errors[player] = None
        return {
            "options": dict(game.options),
            "table_hash": game.table_hash,
            "winner": start.winner,
            "plies": start.plies,
            "steps": start.steps,
            **count_values(table),
            "digest": table.digest,
            "errors": errors,
            "seconds": round(time.process_time() - began, 1),
        }
