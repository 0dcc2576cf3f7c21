"""Files of every kind with their contents changed at random and their checksums mended, as an attacker would do.

`KINDS` has one `Kind` for each kind of file. All use one seeded generator, so that a failure can be repeated.
"""

import copy
import hashlib
import json
import lzma
import math
import random
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors.numpy import load as load_arrays

from alquerque_env import Match, load_game
from alquerque_env.arena import Settings, play_arena
from alquerque_env.arena.opening_lists import extend_list
from alquerque_env.benchmark.agent_result import read_file
from alquerque_env.benchmark.partial_result import PartialResults
from alquerque_env.benchmark.report.leaderboard import render_page
from alquerque_env.benchmark.report.text_tables import print_result
from alquerque_env.bots.network.numpy_bot import load_numpy_bot
from alquerque_env.cli.command import report_console
from alquerque_env.game.game import make_game
from alquerque_env.game.game_file import read_game_file
from alquerque_env.match.records import format_record, load_records
from alquerque_env.match.records.record_files import save_record
from alquerque_env.solve.tables import build_table, load_table
from alquerque_env.solve.tables.table_file import MAGIC, TableFile
from alquerque_env.solve.tables.verify_table import verify_table

ROOT = Path(__file__).parent.parent
MURRAY = load_game("alquerque_murray")

DEEP: Any = []
for _ in range(60):
    DEEP = [DEEP]

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 255, 2**15, 2**31, 2**63, -(2**70), 10**30, 0.5, -1e-300, 1e308),
    *(math.nan, math.inf, "", "x", "x" * 1000, "\x1b[31mred\x07", "a\nb", "ugi:false", "nowhere:make", "/dev/zero"),
    *("../..", "é\u2028", "🙂", [], {}, [[]], [0], ["a1"], {"a": 1}, DEEP),
)


def mutate(content: Any, chance: random.Random) -> Any:
    """A copy of a JSON value with one to three of its parts changed, left out, doubled or exchanged."""
    content = copy.deepcopy(content)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = list(_places(content))
        if not places:
            return chance.choice(HOSTILE)
        holder, key = chance.choice(places)
        value = holder[key]
        match chance.randrange(6):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, value)
            case 1:
                holder[chance.choice(("x", "", f"{key}s"))] = value
            case 2:
                other, place = chance.choice(places)
                holder[key] = copy.deepcopy(other[place])
            case 3 if isinstance(value, int | float):
                holder[key] = chance.choice((value + 1, value - 1, -value, value * 1000, value / 2, str(value)))
            case 3 if isinstance(value, str):
                cut = chance.randrange(len(value) + 1)
                holder[key] = chance.choice((value[:cut], value + value, value[::-1], value.upper()))
            case _:
                holder[key] = copy.deepcopy(chance.choice(HOSTILE))
    return content


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a JSON value as the list or table that holds it, and its key there."""
    keys = content.keys() if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    for key in list(keys):
        yield content, key
        yield from _places(content[key])


def mutate_bytes(data: bytes, chance: random.Random) -> bytes:
    """A copy of some bytes with a part changed, cut out, doubled or replaced."""
    first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    last = min(last, first + 200)
    other = chance.choice(
        (b"", b"\0", b"\xff\xfe", b"\x1b[2J", b"9" * 5000, chance.randbytes(20), data[first:last] * 2)
    )
    return data[:first] + other + data[last:]


def write_toml(content: dict[str, Any]) -> str:
    """The TOML text of a table, inner tables in line."""

    def text(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {text(each)}" for key, each in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(text, value)) + "]"
        return {None: '"null"'}.get(value) or json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")

    return "".join(f"{json.dumps(key)} = {text(value)}\n" for key, value in content.items())


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    Attributes:
      make: Writes an honest file into a folder; returns it.
      change: Writes a mutant over a copy of it.
      use: Does with a file what the package does with such files.
    """

    make: Callable[[Path], Path]
    change: Callable[[Path, random.Random], None]
    use: Callable[[Path], object]


def _change_text(path: Path, chance: random.Random, parse: Callable[[str], Any], write: Callable[[Any], str]) -> None:
    """Changes a part of what a text holds, or one time in four the text itself."""
    if chance.randrange(4) == 0:
        path.write_bytes(mutate_bytes(path.read_bytes(), chance))
    else:
        found = mutate(parse(path.read_text()), chance)
        path.write_bytes(write(found).encode(errors="replace"))


def _change_json(path: Path, chance: random.Random) -> None:
    _change_text(path, chance, json.loads, json.dumps)


def _change_toml(path: Path, chance: random.Random) -> None:
    def write(content: Any) -> str:
        return write_toml(content if isinstance(content, dict) else {"x": content})

    _change_text(path, chance, tomllib.loads, write)


def _change_lines(path: Path, chance: random.Random) -> None:
    def parse(text: str) -> list[Any]:
        return [json.loads(line) for line in text.splitlines()]

    def write(entries: Any) -> str:
        return "".join(f"{json.dumps(entry)}\n" for entry in (entries if isinstance(entries, list) else [entries]))

    _change_text(path, chance, parse, write)


def pack(places: bytes) -> bytes:
    """The compressed block of a table file."""
    return lzma.compress(places, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 6}])


BOMB = pack(bytes(10**8))
"""A block of 15 kB that unpacks to 100 MB."""


def _make_table(folder: Path) -> Path:
    return build_table(MURRAY, 2, folder / "table.aqt", threads=1)


def _change_table(path: Path, chance: random.Random) -> None:
    """Changes the header or a block, and mends the checksum of each."""
    file = TableFile(path)
    header: Any = json.loads(json.dumps(asdict(file.header)))
    blocks = _blocks(path, file)
    if chance.randrange(2):
        header = mutate(header, chance)
    else:
        part = chance.choice([part for part in header["slices"] if part["blocks"]])
        first = sum(len(other["blocks"]) for other in header["slices"][: header["slices"].index(part)])
        crafted = chance.choice((b"", b"\0" * 9, b"\xff" * part["size"], chance.randbytes(part["size"])))
        blocks[first] = chance.choice((mutate_bytes(blocks[first], chance), pack(crafted), BOMB))
        part["blocks"][0] = [len(blocks[first]), hashlib.sha256(blocks[first]).hexdigest()]
    write_table_file(path, header, blocks)


def _blocks(path: Path, file: TableFile) -> list[bytes]:
    lengths = [length for part in file.header.slices for length, _ in part.blocks]
    rest = path.read_bytes()[-sum(lengths) :]
    return [rest[sum(lengths[:place]) :][:length] for place, length in enumerate(lengths)]


def write_table_file(path: Path, header: Any, blocks: list[bytes]) -> None:
    """Writes a table file with a header and blocks, and the right checksum."""
    text = json.dumps(header).encode()
    path.write_bytes(MAGIC + hashlib.sha256(text).hexdigest().encode() + b" " + text + b"\n" + b"".join(blocks))


def _use_table(path: Path) -> None:
    table = load_table(MURRAY, path)
    table.load()
    assert table.holds_under_limit in (True, False)
    table.steps(Match(MURRAY, "W:Wa1,b1:Be5"))
    verify_table(table, threads=1)


def _make_arena(folder: Path) -> Path:
    _use_arena(folder / "arena.jsonl")
    return folder / "arena.jsonl"


def _use_arena(path: Path) -> None:
    settings = Settings(games=4, judge="random", plies=4, resamples=10)
    json.dumps(play_arena(MURRAY, ["random", "greedy"], settings, output=path).as_dict())


def _make_openings(folder: Path) -> Path:
    _use_openings(folder / "openings.jsonl")
    return folder / "openings.jsonl"


def _use_openings(path: Path) -> None:
    extend_list(path, MURRAY, 3, judges=["random"])


def _make_result(folder: Path) -> Path:
    return Path(shutil.copy(ROOT / "benchmarks" / "alquerque-small.json", folder / "result.json"))


def _use_result(path: Path) -> None:
    results = read_file(path)
    PartialResults(path.with_suffix(""))
    for result in results:
        render_page(path.parent, [(path, result)])
        print_result(result, report_console(100))


def _make_record(folder: Path) -> Path:
    match = Match(load_game("fetaix"))
    for _ in range(30):
        match.push(match.legal_steps[0])
    save_record(folder / "match.pdn", format_record(match, south="person", north="alphabeta:3"))
    return folder / "match.pdn"


def _change_record(path: Path, chance: random.Random) -> None:
    """Changes a line of a match file, or the words of its turns."""
    lines = path.read_text().splitlines()
    if chance.randrange(3) == 0:
        path.write_bytes(mutate_bytes(path.read_bytes(), chance))
        return
    words = [line.split(" ") for line in lines]
    changed = mutate(words, chance)
    rows = changed if isinstance(changed, list) else [changed]
    texts = [" ".join(map(str, row)) if isinstance(row, list) else str(row) for row in rows]
    path.write_bytes("\n".join(texts).encode(errors="replace"))


def _use_record(path: Path) -> None:
    for record in load_records(path):
        assert record.match.position


def _make_game(folder: Path) -> Path:
    for board in (ROOT / "alquerque_env" / "game" / "boards").glob("*.toml"):
        shutil.copy(board, folder)
    content = tomllib.loads((ROOT / "alquerque_env" / "game" / "games" / "fetaix.toml").read_text())
    content["board"] = "alquerque.toml"
    (folder / "mine.toml").write_text(write_toml(content))
    return folder / "mine.toml"


def _change_game(path: Path, chance: random.Random) -> None:
    _change_toml(chance.choice((path, path, path.with_name("alquerque.toml"))), chance)


def _use_game(path: Path) -> None:
    assert Match(make_game(read_game_file(path))).position


def _make_config(folder: Path) -> Path:
    return Path(shutil.copy(ROOT / "configs" / "bot_opponents.toml", folder / "config.toml"))


def _use_config(path: Path) -> None:
    from alquerque_training.config.loader import load_config

    load_config(path)


def _make_checkpoint(folder: Path) -> Path:
    return Path(shutil.copytree(ROOT / "checkpoints" / "fetaix" / "small", folder / "small"))


def _change_checkpoint(path: Path, chance: random.Random) -> None:
    """Changes the model card, or the header or the numbers of the weights, whose checksum is mended."""
    meta, weights = path / "meta.json", path / "weights.safetensors"
    if chance.randrange(2):
        _change_json(meta, chance)
        return
    data = weights.read_bytes()
    size = int.from_bytes(data[:8], "little")
    if chance.randrange(3):
        header = json.dumps(mutate(json.loads(data[8 : 8 + size]), chance)).encode()
        data = len(header).to_bytes(8, "little") + header + data[8 + size :]
    else:
        data = mutate_bytes(data[: size + 200], chance) + data[size + 200 :]
    weights.write_bytes(data)
    card = json.loads(meta.read_text())
    card["sha256"]["weights.safetensors"] = hashlib.sha256(data).hexdigest()
    meta.write_text(json.dumps(card))


def _use_checkpoint(path: Path) -> None:
    from alquerque_training.checkpoints.torch_bot import load_checkpoint_bot

    game = load_game("fetaix")
    found, errors = [], []
    for load in (load_numpy_bot, load_checkpoint_bot):
        try:
            found.append(load(path, game))
        except ValueError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    assert len(load_arrays((path / "weights.safetensors").read_bytes())) > 0


KINDS = {
    "table": Kind(_make_table, _change_table, _use_table),
    "arena": Kind(_make_arena, _change_lines, _use_arena),
    "openings": Kind(_make_openings, _change_lines, _use_openings),
    "benchmark": Kind(_make_result, _change_json, _use_result),
    "record": Kind(_make_record, _change_record, _use_record),
    "game": Kind(_make_game, _change_game, _use_game),
    "config": Kind(_make_config, _change_toml, _use_config),
    "checkpoint": Kind(_make_checkpoint, _change_checkpoint, _use_checkpoint),
}
