"""Writes the static page: its files, the engine as one file for MicroPython, and the games as data."""

import gzip
import hashlib
import os
import secrets
import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import cache
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from ... import __version__
from ...bots.levels import Level, levels, trained_in_all
from ...bots.network.family import graph_data
from ...bots.network.model_card import read_card
from ...bots.shipped import FAMILY, shipped_bots, weights_file
from ...engine.bundle.bundler import Origin, bundle
from ...engine.bundle.game_data import game_data
from ...engine.bundle.recipes import MICROPYTHON
from ...errors import AlquerqueError
from ...files.atomic import hidden_path, make_whole_folder, remove_whole_folder
from ...files.browser_json import exact_number, write_json
from ...game import table_layout as TABLE
from ...game.game import Game
from ...game.options import OptionValue
from ...match.match import Match
from ...match.status_text import standing
from ...search.quiescence import CODES
from ...search.static_evaluation import evaluation_features
from ...solve.proved_steps import SHIPPED, SUFFIX, Section, read_steps
from ...solve.tables import EndgameTable, index_layout as INDEX
from ...solve.tables.build import plan
from ...solve.tables.probe import CAPTURES
from ...solve.tables.table import UnderLimit
from ...solve.tables.table_file import shipped_tables
from ...solve.tables.value_codes import DRAWN, ENDLESS, LOST, WON
from ...solve.tables.whole import whole_pieces
from ..answers import show_error
from ..game_answers import GAME_ANSWERS
from ..match_view import show_match
from .carried_host import PERFECT, SECONDS, is_carried
from .carried_tables import place_of_code

MOST_POSITIONS = 10_000_000  # a byte each in the memory of the page
ALWAYS = 1 << 20  # more plies than any match has


def site_table(game: Game) -> EndgameTable | None:
    """The table that comes with the package and has the most pieces among those that a page can hold."""
    for pieces, path in sorted(shipped_tables(game).items(), reverse=True):
        if plan(game, pieces, float("inf")).size <= MOST_POSITIONS:
            return EndgameTable(game, path)
    return None


def site_proof(game: Game) -> tuple[Sequence[Section], bytes]:
    """The sections of the proof of the start that comes with the package, and their data; none if there is none."""
    file = SHIPPED / f"{game.name}{SUFFIX}"
    if file.exists():
        header, data = read_steps(file)
        if header.table_hash == game.table_hash:
            return header.sections, data
    return (), b""


def table_data(table: EndgameTable, proof: tuple[Sequence[Section], bytes]) -> bytes:
    """A line of JSON, and a byte for each number: the place of its code in the list of codes; compressed by gzip.

    The data of the sections of a proof come after them.

    Whether a value holds after some plies without progress is written out: for each slice, and at last for turns that
    capture, the most plies with which each code holds, -1 if it never does.
    """
    table.load()
    codes = np.unique(table.codes)
    if len(codes) > 256:
        raise ValueError(f"{len(codes)} codes do not fit into a byte")
    sections, steps = proof
    header = {
        "pieces": table.pieces,
        "numbers": len(table.codes),
        "proof": [astuple(section) for section in sections],
        "codes": codes.tolist(),
        "index": [int(word) for word in table.index.words],
        "latest": _latest_clocks(table, int(np.abs(codes[np.abs(codes) != ENDLESS]).max()) - WON),
    }
    data = write_json(header) + b"\n" + np.searchsorted(codes, table.codes).astype(np.uint8).tobytes() + steps
    return gzip.compress(data, compresslevel=7, mtime=0)  # a hundredth more than by 9, in a quarter of the time


def _latest_clocks(table: EndgameTable, longest: int) -> list[list[int]]:
    plies = range(longest + table.pieces + 1)  # captures that the table leaves out make a win longer
    codes = [DRAWN, ENDLESS, -ENDLESS, *(code for ply in plies for code in (WON + ply, LOST - ply))]
    assert [place_of_code(code) for code in codes] == list(range(len(codes)))
    under_limit = UnderLimit(table.index, table.header.groups)
    last = max(1, int(table.game.table.words[TABLE.NO_PROGRESS_LIMIT]))
    rows = [INDEX.HEAD + INDEX.ROW_SIZE * place for place in range(len(table.index.slices))]
    every, clocks = np.repeat(np.array(codes, np.int16), last + 1), np.tile(np.arange(last + 1), len(codes))
    found = []
    for row in (*rows, CAPTURES):
        holds = under_limit.holds(every, clocks, np.full(len(every), row)).reshape(len(codes), last + 1)
        latest = holds.sum(1) - 1  # what holds has held before
        found.append(np.where(latest == last, ALWAYS, latest).tolist())
    return found


MARK = "site.json"
"""The file that says that a folder is a static page."""

ANSWERED = ("card", "rule-pictures", "lessons", "puzzles")
"""The requests whose answers are files, one for each game, in folders of these names."""

ASKED_FOR = ("tables", "networks")
"""The folders of files that are fetched when they are asked for."""

FOLDERS = ("games", *ANSWERED, *ASKED_FOR)
"""The folders with a file for each game. Those that are not asked for are kept too."""

WEIGHTS = "networks/weights.safetensors"

POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'"
)
"""The content policy of the page."""

PERFECT_LEVEL = Level(
    "Perfect",
    PERFECT,
    "Plays by a table of all positions or by a proof from the start, and there gives no win and no draw away. Where "
    "the table cannot be fetched, it searches, and says so with its turn.",
)

LIMITED = "On this page a search ends after two seconds, and {}0 kB are fetched once."
"""What the level Trained says besides."""

_PROGRAM = f"{__package__}.carried_answers"
_FUNCTIONS = ("answer", "take_game", "refuse", "take_table", "take_network")
_HEAD = """<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="manifest" href="manifest.webmanifest">
<link rel="preload" href="games.json" as="fetch" crossorigin>
<link rel="preload" href="games/{first}.json" as="fetch" crossorigin>
"""


def write_site(
    folder: Path,
    games: Sequence[Game],
    first: Game,
    *,
    report: Callable[[int, str], None] = lambda _done, _name: None,
) -> int:
    """Writes the page as files, which any web server or file host can serve from any path.

    The folder appears whole or not at all. A static page that is there already is replaced.

    Args:
      folder: The folder to write.
      games: The games of the page.
      first: The one that it begins with.
      report: Is called with the number of games done and the name of the next one.

    Returns:
      The size of the files in bytes.

    Raises:
      AlquerqueError: If the folder has something else in it, or is no folder.
      OSError: If it cannot be written, with its name.
    """
    folder = Path(os.path.realpath(folder))
    check_folder(folder)
    found = dict(_files(games, first, report))
    version = hashlib.sha256(b"".join(name.encode() + data for name, data in sorted(found.items()))).hexdigest()[:16]
    later = sorted(name for name in found if _is_later(name, first))
    kept = {
        "version": version,
        "first": ["./", *sorted(found.keys() - {*later, "index.html"})],
        "later": [name for name in later if name.partition("/")[0] not in ASKED_FOR],
    }
    found["service_worker.js"] = b"const SITE = " + write_json(kept) + b";\n" + _own("files/service_worker.js")
    found[MARK] = write_json({"alquerque_env": __version__, "version": version})
    try:
        _write(folder, found)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from None
    return sum(map(len, found.values()))


def _is_later(name: str, first: Game) -> bool:
    """Whether a file is not needed for the first match."""
    return name.partition("/")[0] in FOLDERS and name != f"games/{first.argument}.json"


def check_folder(folder: Path) -> None:
    """Refuses a folder in which something else is than a static page."""
    if folder.exists() and not folder.is_dir():
        raise AlquerqueError(f"{str(folder)!r} is not a folder; expected one that is new or empty")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise AlquerqueError(
            f"{str(folder)!r} has other files in it, which are not replaced; expected a folder that is new, empty or a "
            "static page"
        )


def _write(folder: Path, found: Mapping[str, bytes]) -> None:
    """Writes the files beside the folder, and puts them into its place."""
    written = hidden_path(folder, f"{secrets.token_hex(4)}.partial") if folder.exists() else folder
    try:
        with make_whole_folder(written) as partial:
            for name, data in found.items():
                path = partial / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
        if written != folder:
            remove_whole_folder(folder)
            written.rename(folder)
    finally:
        if written != folder:
            shutil.rmtree(written, ignore_errors=True)


@cache
def make_engine() -> str:
    """The source code of all that answers requests, for MicroPython."""
    return bundle(MICROPYTHON, [Origin(_PROGRAM, name) for name in _FUNCTIONS])


class _SiteHost:
    """The host of requests about games, see `GameHost`: each game by its default rules."""

    def __init__(self, games: Sequence[Game], first: Game) -> None:
        self.games: Mapping[str, Game] = {game.argument: game for game in games}
        self.about: Mapping[str, Any] = {
            "first": first.argument,
            "seconds": SECONDS,
            "can_stop_bots": False,  # a worker that thinks hears nothing, and its time is short
            "checkpoints": [],
            "tables": [name for name, game in self.games.items() if site_table(game) is not None],
        }

    def load_game(self, name: str, /, **_: OptionValue) -> Game:
        """As in `GameHost`."""
        return self.games[name]

    def show_bots(self, game: Game) -> dict[str, Any]:
        """As in `GameHost`."""
        table = site_table(game)
        fetched = ceil(sum(map(len, network_files(game).values())) / 10_000)
        trained = [level._replace(about=f"{level.about} {LIMITED.format(fetched)}") for level in trained_in_all(game)]
        elsewhere = (PERFECT, *(level.spec for level in trained))
        carried = [level for level in levels(game) if is_carried(level.spec) and level.spec not in elsewhere]
        evaluators = [level.spec for level in carried if level.spec != "random"]
        carried += trained
        if table is not None and (table.pieces >= whole_pieces(game) or site_proof(game)[0]):
            carried.append(PERFECT_LEVEL)
            evaluators.append(PERFECT)
        shown = [level._asdict() for level in carried]
        return {"levels": shown, "evaluators": evaluators, "strongest": carried[-1].spec}


def make_game(game: Game) -> dict[str, Any]:
    """All that the page asks of a game before its first step, and what the engine needs of it."""
    host = _SiteHost([game], game)
    hashes = {name: hashlib.sha384(content).digest() for name, content in network_files(game).items()}
    data = game_data(game)
    features = evaluation_features(game)
    data["facts"]["evaluation_features"] = [exact_number(int(feature)) for feature in features]
    data["facts"]["has_table"] = game.argument in host.about["tables"]
    match = Match(game)
    return {
        "game": data,
        "rules": _answer("rules", game, host) | {"questions": []},  # by the default rules alone
        "network": [(name, f"sha384-{b64encode(found).decode()}") for name, found in hashes.items()],
        "boards": [GAME_ANSWERS["board"]({"game": game.argument, "turned": turned}, host) for turned in (False, True)],
        "start": show_match(match),
        "notes": [standing(match, person) for person in (0, 1, None)],
    }


@cache
def network_files(game: Game) -> Mapping[str, bytes]:
    """The files for the network in a game: the game as a graph, and the weights; none where it does not play."""
    if not trained_in_all(game):
        return {}
    folder = shipped_bots()[FAMILY]
    card = read_card(folder)
    facts = {name: getattr(card.network, name) for name in ("feature_depth", "sees_clock")}
    facts |= {"exploration": card.exploration, "gains": CODES}
    graph = write_json(facts | graph_data(game, sees_clock=card.network.sees_clock))
    return {f"networks/{game.argument}.json": graph, WEIGHTS: weights_file(folder).read_bytes()}


def _files(games: Sequence[Game], first: Game, report: Callable[[int, str], None]) -> Iterator[tuple[str, bytes]]:
    """The names of the files with their content."""
    static = files(__package__.rpartition(".")[0]) / "static"
    for file in static.iterdir():
        if file.name == "index.html":
            head = _HEAD.format(policy=POLICY, first=first.argument)
            yield file.name, file.read_text(encoding="utf-8").replace("<title>", f"{head}<title>", 1).encode()
        elif file.name != "server.js":
            yield f"static/{file.name}", file.read_bytes()
    for name in ("server.js", "worker.js", "family_network.js"):
        yield f"static/{name}", _own(f"files/{name}")
    yield "manifest.webmanifest", _own("files/manifest.webmanifest")
    for name in ("micropython.js", "micropython.wasm", "LICENSE.txt"):
        yield f"engine/{name}", _own(f"micropython/{name}")
    yield "engine/engine.txt", make_engine().encode()
    host = _SiteHost(games, first)
    for done, game in enumerate(games):
        report(done, game.name)
        yield f"games/{game.argument}.json", write_json(make_game(game))
        for name in ANSWERED:
            yield f"{name}/{game.argument}.json", write_json(_answer(name, game, host))
        if (table := site_table(game)) is not None:
            yield f"tables/{game.argument}.table", table_data(table, site_proof(game))
        yield from network_files(game).items()
    yield "games.json", write_json(GAME_ANSWERS["games"]({}, host))


def _answer(name: str, game: Game, host: _SiteHost) -> dict[str, Any]:
    """The answer to a request about a game, or its error."""
    try:
        return GAME_ANSWERS[name]({"game": game.argument}, host)
    except AlquerqueError as error:
        return show_error(error)


def _own(name: str) -> bytes:
    return (files(__package__) / name).read_bytes()
