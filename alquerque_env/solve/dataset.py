"""Positions with exact values, for supervised learning, and the card that says what is in a file of them."""

import json
import re
from collections.abc import Callable
from inspect import getdoc
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..batch.make_batch import make_batch
from ..engine.observation_form import ObservationForm
from ..errors import TableError
from ..files.atomic import open_whole
from ..files.parquet import SUFFIX, croissant, write_parquet
from ..files.regular import checksum
from ..game.game import Game
from ..game.options import spell
from ..game.outcomes import ONGOING
from ..match.position_text import format_position
from .solutions import known_solution
from .tables.table import EndgameTable

__all__ = ["Dataset", "make_dataset"]

AT_ONCE = 4096  # positions that are drawn and looked up at once
CARD = Path(__file__).with_suffix(".md")
IN_ARCHIVE = "The texts `game` and `options` name the game and its options."
IN_PARQUET = "A row of an array with more axes is one list; the metadata of the file name the game and its options."
READ_ARCHIVE = 'import numpy as np\n\ndata = np.load({name!r})\ndata["action_value"][0]'
READ_PARQUET = 'from pyarrow.parquet import read_table\n\ndata = read_table({name!r})\ndata["action_value"][0]'
MISSES = 20  # lots without a new position after which a table has too few of them


class Dataset(NamedTuple):
    """`N` positions of a table that are not over, at the beginning of a turn, with a clock of 0.

    Attributes:
      position: Text `[N]`, see `Match`.
      player: int8 `[N]`, the player to move.
      observation: What this player observes: int8 `[N, C, P]`, or the form that was asked for.
      action_mask: int8 `[N, A]`, 1 for legal actions.
      best: int8 `[N, A]`, 1 for legal actions that keep the value.
      value: int8 `[N]`, 1, 0 or -1 for the player to move.
      distance: int16 `[N]`, plies to the end under best play; -1 for draws and endless play.
      action_known: int8 `[N, A]`, 1 for legal actions of known value.
      action_value: int8 `[N, A]`, their values, 1, 0 or -1 for the player to move; 0 elsewhere.
      action_distance: int16 `[N, A]`, plies to the end after them under best play, this one included; -1 for draws,
        endless play and elsewhere.
    """

    position: np.ndarray
    player: np.ndarray
    observation: np.ndarray
    action_mask: np.ndarray
    best: np.ndarray
    value: np.ndarray
    distance: np.ndarray
    action_known: np.ndarray
    action_value: np.ndarray
    action_distance: np.ndarray


def make_dataset(
    table: EndgameTable,
    count: int | None,
    *,
    seed: int = 0,
    observation: str = "planes",
    report: Callable[[int], None] = lambda _done: None,
) -> Dataset:
    """Draws different positions of a table uniformly, or takes all, and looks up their exact values.

    Args:
      table: The table.
      count: Number of positions; None for all of known value, in the order of the table.
      seed: Seed of the draw.
      observation: The form of observations, see `ObservationForm`.
      report: Is called with the number of positions so far.

    Returns:
      The positions with their values, one row each.

    Raises:
      UnknownNameError: If there is no such form.
      AlquerqueError: If the board is not a grid, but observations shall be one.
      TableError: If the table does not have so many positions whose values are known.
    """
    form = ObservationForm(table.game, observation)
    table.load()
    generator = np.random.default_rng(seed)
    seen: set[bytes] = set()
    parts: list[Dataset] = []
    missed = 0
    rest = table.positions()
    while count is None and (states := list(islice(rest, AT_ONCE))):
        parts.append(_look_up(table, np.stack(states), form)[0])
        report(AT_ONCE * len(parts))
    while count is not None and len(seen) < count:
        before = len(seen)
        lot = {state.tobytes(): state for state in table.sample(AT_ONCE, generator)}
        states = [state for key, state in lot.items() if key not in seen]
        if states:
            part, kept = _look_up(table, np.stack(states), form)
            kept = kept[: count - before]
            parts.append(Dataset(*(column[: len(kept)] for column in part)))
            seen.update(state.tobytes() for state in kept)
        missed = 0 if len(seen) > before else missed + 1
        if missed == MISSES:
            raise TableError(f"the table has only {len(seen):,} positions of known value, not {count:,}: ask for fewer")
        report(len(seen))
    return Dataset(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def write_dataset(path: Path, game: Game, dataset: Dataset, *, overwrite: bool = True) -> None:
    """Writes positions as a compressed NumPy archive or, where the name ends so, as Parquet; whole or not at all.

    Besides the fields of `Dataset` it has `game`, the id, `options`, texts `name=value`, and for a game from a file
    `game_file`, the text of `Game.file_text`; in Parquet these are the metadata of the file. Errors are those of
    `write_whole`.

    Raises:
      MissingExtraError: If a Parquet file is asked for, but the extra `data` is not installed.
    """
    if path.suffix == SUFFIX:
        said = {"game": game.name, "options": " ".join(game.option_texts), "game_file": game.file_text or ""}
        return write_parquet(path, dataset._asdict(), said, overwrite=overwrite)
    about: dict[str, Any] = {"game": np.array(game.name), "options": np.array(game.option_texts, np.str_)}
    if game.file_text:
        about["game_file"] = np.array(game.file_text)
    with open_whole(path, overwrite=overwrite) as file:
        np.savez_compressed(file, **about, **dataset._asdict())
    return None


def column_meanings() -> dict[str, str]:
    """What each column of a `Dataset` is, from its documentation."""
    found = re.findall(r"^  (\w+): (.*(?:\n    .*)*)", getdoc(Dataset) or "", re.MULTILINE)
    return {name: " ".join(meaning.split()) for name, meaning in found}


def dataset_croissant(path: Path, dataset: Dataset, game: Game, version: str, day: str) -> str:
    """The Croissant metadata of a Parquet file that `write_dataset` has written, made on a day, YYYY-MM-DD."""
    about = {"name": path.stem, "description": f"Positions of {game.title} with exact values.", "version": version}
    return croissant(path, dataset._asdict(), column_meanings(), **about, day=day)


def dataset_card(path: Path, dataset: Dataset, table: EndgameTable, drawn: str, command: str, version: str) -> str:
    """The card of a file: what is in it, how it was made, and how to check and read it, as Markdown.

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
        "file": f"`{path.name}`, {path.stat().st_size:,} bytes, SHA-256 `{checksum(path)}`",
        "licence": "MIT, as alquerque-env",
        "command": f"`{command}`, version {version}",
    }
    columns = [
        f"| `{name}` | {column.dtype} | {list(column.shape)} | {meaning} |"
        for (name, meaning), column in zip(column_meanings().items(), dataset, strict=True)
    ]
    is_parquet = path.suffix == SUFFIX
    return CARD.read_text(encoding="utf-8").format(
        pretty=json.dumps(f"{game.title}: positions with exact values"),
        configs=f"configs: [{{config_name: default, data_files: {json.dumps(path.name)}}}]\n" if is_parquet else "",
        title=game.title,
        facts="\n".join(f"| {name} | {fact} |" for name, fact in facts.items()),
        columns="\n".join(columns),
        note=IN_PARQUET if is_parquet else IN_ARCHIVE,
        reading=(READ_PARQUET if is_parquet else READ_ARCHIVE).format(name=path.name),
    )


def _look_up(table: EndgameTable, states: np.ndarray, form: ObservationForm) -> tuple[Dataset, np.ndarray]:
    """Returns what is known of states, without those that are over or of unknown value, and their states."""
    game = table.game
    shown = make_batch(game, len(states)).set(states)
    ongoing = shown.outcome == ONGOING
    found = table.probe(states[ongoing])
    kept = np.flatnonzero(ongoing)[found.known]
    states, mask = states[kept], shown.mask[kept]
    value, distance = found.value[found.known], found.distance[found.known]
    texts = [format_position(game.table.words, game.board.labels, state.tolist()) for state in states]
    after = table.action_values(states)
    dataset = Dataset(
        np.array(texts, np.str_),
        shown.player[kept],
        form(shown.observation[kept]),
        mask,
        (after.known & (after.value == value[:, None])).astype(np.int8),
        value,
        distance,
        after.known.astype(np.int8),
        after.value,
        after.distance,
    )
    return dataset, states
