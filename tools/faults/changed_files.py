"""Files of every kind with their contents changed at random and their checksums mended, as an attacker would do.

Each mutant is used as the package uses such files. It is refused in one sentence or read; if it says something that can
be verified, it is refused or true.
"""

import contextlib
import hashlib
import io
import itertools
import json
import lzma
import random
import shutil
import signal
import tempfile
import time
import tomllib
import tracemalloc
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors.numpy import load as load_arrays

from alquerque_env import Match, load_game, read_records
from alquerque_env.arena import Settings, play_arena
from alquerque_env.arena.openings import extend_list
from alquerque_env.benchmark.agent_result import read_file
from alquerque_env.benchmark.protocol import load_protocol
from alquerque_env.benchmark.report.leaderboard import render_page
from alquerque_env.benchmark.report.text_tables import print_result
from alquerque_env.benchmark.runner import PartialResults
from alquerque_env.bots.network.numpy_bot import load_numpy_bot
from alquerque_env.cli.command import report_console
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.options import OptionValue
from alquerque_env.game.rules_text import rule_sentences
from alquerque_env.match.records import Record, load_records
from alquerque_env.match.records.record_files import save_record
from alquerque_env.solve.notes import SUM
from alquerque_env.solve.proof import dfpn_kernels as k, solve_position
from alquerque_env.solve.tables import EndgameTable, build_table, load_table
from alquerque_env.solve.tables.table_file import MAGIC, TableFile
from alquerque_env.solve.tables.verify_table import verify_table
from alquerque_env.solve.tables.work_folder import PROGRESS, VALUES
from tests.brute_force import Clocked, Truth
from tests.small_games import small_game
from tools import check_certificate
from tools.faults.case import Case
from tools.faults.random_changes import mutate, mutate_bytes, write_toml

try:
    import resource
except ImportError:  # there is no limit on memory
    resource = None  # type: ignore[assignment]

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
MURRAY = load_game("alquerque_murray")
FETAIX = load_game("fetaix")

MOST_SECONDS = 10
MOST_MEMORY = 2.0
"""Times what the honest file takes."""

ALLOWANCE = 1 << 16
"""Bytes that a mutant may take beside that: an error with its text, its chain of calls and what these hold."""

FOR_A_BYTE = 64
"""Bytes that a mutant may take beside that for each byte that it is longer: Python's parser of TOML takes twice as much
for a digit."""

ROOM = 1 << 28
"""Bytes of address space that a mutant may take, which also counts what Python does not allocate."""


class LateError(BaseException):
    """A mutant takes too long. No package code catches it."""


@dataclass(frozen=True)
class ChangedFile:
    """A kind of file.

    Attributes:
      make: Writes an honest file into a folder; returns it.
      change: Writes a mutant over a copy of it.
      use: Does with a file what the package does with such files. May return a function that compares what the file
        was believed with the truth.
      resumes: Whether a use does again what the file has lost.
    """

    make: Callable[[Path], Path]
    change: Callable[[Path, random.Random], None]
    use: Callable[[Path], Callable[[], None] | None]
    resumes: bool = False

    def __call__(self, chance: random.Random, folder: Path) -> Iterator[Case]:
        """Yields mutants, a case each."""
        honest, changed, again = (folder / name for name in ("honest", "changed", "again"))
        honest.mkdir()
        path = self.make(honest).relative_to(honest)
        size = _size(honest)
        shutil.copytree(honest, again, dirs_exist_ok=True)
        self.use(again / path)  # imports and compiles everything before memory is limited
        *_, taken = self._measure(honest, path)
        if self.resumes:
            shutil.rmtree(again)
            again.mkdir()
            taken = max(taken, _measure(partial(self.make, again))[-1])
        while True:
            shutil.copytree(honest, changed)
            self.change(changed / path, chance)
            more = max(0, _size(changed) - size)
            allowed = taken * (1 + more / size) + FOR_A_BYTE * more + ALLOWANCE
            (refusal, compare), seconds, peak = self._measure(changed, path)
            if peak > MOST_MEMORY * allowed:  # what a first use imports is not the file's: is it less the second time?
                (refusal, compare), seconds, peak = self._measure(changed, path)
            told = f"{peak:,} bytes where the honest file takes {taken:,}, {seconds:.1f} s: {refusal or 'no refusal'}"
            assert "\n" not in refusal, told
            assert len(refusal) <= 2000, told
            assert seconds <= MOST_SECONDS, told
            assert peak <= MOST_MEMORY * allowed, told
            if compare is not None:
                compare()
            yield Case({"mutants": 1, "refused": bool(refusal)}, seconds, peak / allowed)
            shutil.rmtree(changed)

    def _measure(self, folder: Path, path: Path) -> tuple[tuple[str, Callable[[], None] | None], float, int]:
        """Uses a copy of a folder: the refusal or the function of `use`, the seconds and the bytes."""
        with tempfile.TemporaryDirectory(dir=folder.parent) as copy:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            return _measure(partial(self._try, Path(copy) / path))

    def _try(self, path: Path) -> tuple[str, Callable[[], None] | None]:
        try:
            with _limited():
                return "", self.use(path)
        except (AlquerqueError, OSError) as error:
            return str(error) or "no words", None
        except (Exception, LateError) as error:
            raise AssertionError(f"{type(error).__name__}: {error}") from error


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _measure(task: Callable[[], T]) -> tuple[T, float, int]:
    """What a task returns, and the seconds and the bytes that it takes, by Python's allocators and NumPy's."""
    tracemalloc.start()
    began = time.monotonic()
    try:
        return task(), time.monotonic() - began, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@contextmanager
def _limited() -> Iterator[None]:
    """Within it a file that takes more than `ROOM` ends in a `MemoryError`, and one that takes too long is stopped."""
    statm = Path("/proc/self/statm")
    if resource is None or not statm.exists():
        yield
        return

    def stop(_number: int, _frame: object) -> None:
        raise LateError(f"after {2 * MOST_SECONDS} s")

    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(statm.read_text().split()[0]) * resource.getpagesize()
    handler = signal.signal(signal.SIGALRM, stop)
    signal.alarm(2 * MOST_SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)


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


FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6}]


def pack(places: bytes) -> bytes:
    """The compressed block of a table file."""
    return lzma.compress(places, lzma.FORMAT_RAW, filters=FILTERS)


def unpack(block: bytes) -> bytes:
    """The places that a block holds."""
    return lzma.decompress(block, lzma.FORMAT_RAW, filters=FILTERS)


BOMB = pack(bytes(10**7))
"""A block of 1.5 kB that unpacks to 10 MB."""


# Its values depend on endless play and on the clock. It is so small that all of it is compared.
TABLE_GAME = small_game("awithlaknannai_mosona", "snake", "a2 b1", "e2", no_progress_limit=4)


def _build(path: Path) -> Path:
    return build_table(TABLE_GAME, 3, path, threads=1)


@cache
def _true_codes() -> list[int]:
    """The verified codes of an honest table."""
    with tempfile.TemporaryDirectory() as folder:
        return _verified(load_table(TABLE_GAME, _build(Path(folder) / "table.aqt")))


def _verified(table: EndgameTable) -> list[int]:
    verify_table(table, threads=1)
    return table.codes.tolist()


def _make_table(folder: Path) -> Path:
    return _build(folder / "table.aqt")


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
        if chance.randrange(2):
            places = bytearray(unpack(blocks[first]))
            for _ in range(chance.choice((1, 1, 2, 9))):
                places[chance.randrange(len(places))] = chance.randrange(len(header["codes"]))
            blocks[first] = pack(bytes(places))
        else:
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


def _use_table(path: Path) -> Callable[[], None]:
    table = load_table(TABLE_GAME, path)
    table.load()
    assert table.holds_under_limit in (True, False)
    table.steps(Match(TABLE_GAME, "W:Wa2,b1:Be2"))
    return _compare_codes(table)


def _compare_codes(table: EndgameTable) -> Callable[[], None]:
    codes = _verified(table)

    def compare() -> None:
        assert codes == _true_codes(), "a table with wrong values is verified"

    return compare


class _StoppedError(Exception):
    """A build is stopped."""


def _make_work(folder: Path) -> Path:
    """Unfinished work on a table: one of two groups is done."""

    def watch(_: object) -> None:
        notes = folder / "table.aqt.work" / PROGRESS
        if json.loads(notes.read_text())["done"]:
            raise _StoppedError

    with contextlib.suppress(_StoppedError):
        build_table(TABLE_GAME, 3, folder / "table.aqt", threads=1, watch=watch)
    return folder / "table.aqt.work"


def _change_work(path: Path, chance: random.Random) -> None:
    """Changes the notes or the values of groups that are done, and mends the checksums."""
    notes, values = path / PROGRESS, path / VALUES
    content = json.loads(notes.read_text())
    del content[SUM]
    if chance.randrange(2):
        content = mutate(content, chance)
    else:
        codes = np.fromfile(values, np.int16)
        done = np.flatnonzero(codes)
        for number in chance.choices(done.tolist(), k=chance.randint(1, 9)):
            codes[number] = chance.choice(
                (*codes[done].tolist(), 0, -1, 32767, -32767, -32768, chance.randrange(-99, 99))
            )
        values.write_bytes(mutate_bytes(codes.tobytes(), chance) if chance.randrange(4) == 0 else codes.tobytes())
        end = max(done) + 1
        content["done"][0]["sums"][VALUES] = hashlib.sha256(codes[:end].tobytes()).hexdigest()
    _write_notes(notes, content, chance)


def _write_notes(path: Path, content: Any, chance: random.Random) -> None:
    """Writes notes with the right checksum, or one time in eight with bytes changed."""
    text = json.dumps(content, sort_keys=True)
    if isinstance(content, dict):
        content = {**content, SUM: hashlib.sha256(text.encode()).hexdigest()}
    path.write_bytes(json.dumps(content).encode())
    if chance.randrange(8) == 0:
        path.write_bytes(mutate_bytes(path.read_bytes(), chance))


def _use_work(path: Path) -> Callable[[], None]:
    """Resumes the work. A table of values that were changed is made, but not verified."""
    table = load_table(TABLE_GAME, _build(path.with_suffix("")))
    table.load()
    return _compare_codes(table)


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
    return Path(shutil.copy(ROOT / "benchmarks" / "alquerque_murray-small.json", folder / "result.json"))


def _use_result(path: Path) -> None:
    results = read_file(path)
    PartialResults(path.with_suffix(""))
    for result in results:
        render_page(path.parent, load_protocol())
        with contextlib.redirect_stdout(io.StringIO()):
            print_result(result, load_protocol(), report_console(100))


def _make_record(folder: Path) -> Path:
    match = Match(FETAIX)
    for _ in range(30):
        match.push(match.legal_steps[0])
    save_record(folder / "match.pdn", str(Record(match, south="person", north="alphabeta:3")))
    return folder / "match.pdn"


def _make_own_record(folder: Path) -> Path:
    file = _make_game(folder)
    match = Match(load_game(file))
    file.unlink()
    match.push(match.legal_steps[0])
    save_record(folder / "match.pdn", str(Record(match)))
    return folder / "match.pdn"


def _change_own_record(path: Path, chance: random.Random) -> None:
    """Changes the text of the game in a match file; its hash is left out, as in a file that was changed on purpose."""
    game = next(iter(load_records(path))).match.game
    headers = {"Game": game.name, "GameFile": json.dumps(mutate(json.loads(game.file_text), chance))}
    lines = [f"[{name} {json.dumps(value)}]" for name, value in headers.items()]
    path.write_text("\n".join([*lines, "", "*", ""]), encoding="utf-8")


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
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*not in UTF-8", UserWarning)
        found = list(load_records(path))
    for record in found:
        (again,) = read_records(str(record))
        assert (again.match.steps, again.match.position) == (record.match.steps, record.match.position)


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
    match = Match(load_game(path))
    assert rule_sentences(match.game)
    while not match.is_over and len(match.steps) < 30:
        match.push(match.legal_steps[len(match.steps) * 7 % len(match.legal_steps)])
    assert Match(match.game, match.position).position == match.position


def _make_config(folder: Path) -> Path:
    return Path(shutil.copy(ROOT / "configs" / "bot_opponents.toml", folder / "config.toml"))


def _use_config(path: Path) -> None:
    from alquerque_training.run.config_file import load_config

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

    found, errors = [], []
    for load in (load_numpy_bot, load_checkpoint_bot):
        try:
            found.append(load(path, FETAIX))
        except ValueError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    assert len(load_arrays((path / "weights.safetensors").read_bytes())) > 0


PROOF_MEMORY = 0.001
"""GiB."""

SOLVED = load_game("fetaix", no_progress_limit=2)
POSITION = "B:We3,e4:BKa1,e2"


def _make_proof(folder: Path) -> Path:
    work = folder / "proof"
    solve_position(Match(SOLVED, POSITION), memory=PROOF_MEMORY, folder=work)
    return work


def _change_proof(path: Path, chance: random.Random) -> None:
    """Changes the notes, or what the search memory says of some positions, whose checks are mended."""
    notes = path / "questions.json"
    if chance.randrange(2):
        content = json.loads(notes.read_text())
        del content[SUM]
        _write_notes(notes, mutate(content, chance), chance)
        if chance.randrange(2):
            return
    file = chance.choice(sorted(path.glob("*.memory")))
    if chance.randrange(8) == 0:
        file.write_bytes(mutate_bytes(file.read_bytes(), chance))
        return
    entries = np.fromfile(file, np.int64).reshape(-1, k.ENTRY_SIZE)
    held = np.flatnonzero(entries[:, k.E_KEY]).tolist()
    for place in chance.sample(held, min(len(held), chance.choice((1, 5, 50, len(held))))):
        entry = entries[place]
        check = int(entry[k.E_SEAL]) ^ seal_of(int(entry[k.E_PROOF]), int(entry[k.E_REST]))
        work = chance.choice((int(entry[k.E_REST]) >> k.WORK_AT, 0, 1, k.INFINITE))
        proof, disproof = chance.choice(
            ((0, k.INFINITE), (k.INFINITE, 0), (0, 0), (1, 1), (-1, 5), (k.INFINITE, k.INFINITE), (-(2**62), 3))
        )
        entry[k.E_PROOF], entry[k.E_REST] = proof, work << k.WORK_AT | disproof
        entry[k.E_SEAL] = check ^ seal_of(proof, int(entry[k.E_REST]))
    file.write_bytes(entries.tobytes())


def seal_of(proof: int, rest: int) -> int:
    """As the search memory seals its entries."""
    mask = (1 << 63) - 1
    return ((proof + 1) * 0x2545F4914F6CDD1D & mask) ^ ((rest + 1) * 0x1B03738712FAD5C9 & mask)


def _use_proof(path: Path) -> Callable[[], None]:
    solution = solve_position(Match(SOLVED, POSITION), memory=PROOF_MEMORY, folder=path, verify=True)

    def compare() -> None:
        assert solution.winner == _winner(SOLVED.name, tuple(SOLVED.options.items()), POSITION), (
            "a wrong proof is verified"
        )

    return compare


@cache
def _winner(name: str, options: tuple[tuple[str, OptionValue], ...], position: str) -> int | str | None:
    """Who wins; None if that is not found soon."""
    game = load_game(name, **dict(options))
    limit = game.rules.no_progress_limit
    if limit != "off" and limit > SOLVED.rules.no_progress_limit:
        return solve_position(Match(game, position), memory=PROOF_MEMORY, seconds=5).winner
    # By trying all ways to play with the slow rules.
    clocked = Clocked(game)
    state = clocked.reference.parse(position)
    value = Truth(game, [state]).value(state)[0] if limit == "off" else clocked.value(state)
    return "draw" if value == 0 else state.player if value > 0 else 1 - state.player


def _make_certificate(folder: Path) -> Path:
    path = folder / "certificate.xz"
    solve_position(Match(SOLVED, POSITION), memory=PROOF_MEMORY, certificate=path)
    return path


def ask_for_memory(packed: bytes, size: int) -> bytes:
    """An .xz file whose header says that unpacking takes a memory of another size, with its checksum mended."""
    length = (packed[12] + 1) * 4
    header = bytearray(packed[12 : 12 + length - 4])
    header[4] = size
    return packed[:12] + bytes(header) + zlib.crc32(header).to_bytes(4, "little") + packed[12 + length :]


@cache
def _compressed_bomb(text: str) -> bytes:
    """A small .xz file of a text with 10 MB behind it."""
    return lzma.compress(text.encode() + bytes(10**7))


def _change_certificate(path: Path, chance: random.Random) -> None:
    """Changes the header, the words of a line, the order of the lines or the bytes."""
    lines = lzma.decompress(path.read_bytes()).decode().splitlines()
    match chance.randrange(8):
        case 0:
            packed = path.read_bytes()
            memory = ask_for_memory(packed, chance.randrange(41))
            path.write_bytes(chance.choice((mutate_bytes(packed, chance), memory)))
            return
        case 1:
            path.write_bytes(lzma.compress(mutate_bytes("\n".join(lines).encode() + b"\n", chance)))
            return
        case 2:
            lines[1] = json.dumps(mutate(json.loads(lines[1]), chance))
        case 3:
            path.write_bytes(_compressed_bomb("\n".join(lines) + chance.choice(("", "\n", " "))))
            return
        case 4 | 5:
            first, second = (chance.randrange(len(lines)) for _ in range(2))
            text, other = (lines[place].partition(" ") for place in (first, second))
            lines[first] = text[0] + " " + chance.choice((other[2], "?", "*", "pass", "a1-a2", ""))
            if chance.randrange(2):
                lines[second] = other[0] + " " + text[2]
        case 6:
            first, second = (chance.randrange(len(lines)) for _ in range(2))
            lines[first], lines[second] = lines[second], lines[first]
        case _:
            lines = [
                " ".join(map(str, line)) if isinstance(line, list) else str(line)
                for line in mutate([line.split(" ") for line in lines], chance)
            ]
    path.write_bytes(lzma.compress("".join(f"{line}\n" for line in lines).encode(errors="replace")))


def _use_certificate(path: Path) -> Callable[[], None] | None:
    """Checks it as a user does. It may leave claims open, and says so; then nothing is compared."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = check_certificate.main([str(path), "--sample", "10", "--budget", "200"])
    *_, last = said.getvalue().splitlines()
    if status:
        assert " does not hold: " in last, last
        raise OSError(last)
    if said.getvalue().count("No claim is left") != said.getvalue().count("positions hold"):
        return None

    with contextlib.redirect_stdout(said):
        sections = check_certificate.check(path)
    header = json.loads(next(itertools.islice(check_certificate.read_lines(path), 1, None)))
    game = load_game(header["game"], **header["options"])

    def compare() -> None:
        winner = _winner(game.name, tuple(game.options.items()), header["position"])
        for section in sections:
            assert winner is None or (section.player == winner) == section.wins, f"{section.name} is shown and false"

    return compare


FILES = {
    "file-table": ChangedFile(_make_table, _change_table, _use_table),
    "file-table-work": ChangedFile(_make_work, _change_work, _use_work, resumes=True),
    "file-proof": ChangedFile(_make_proof, _change_proof, _use_proof, resumes=True),
    "file-certificate": ChangedFile(_make_certificate, _change_certificate, _use_certificate),
    "file-arena": ChangedFile(_make_arena, _change_lines, _use_arena, resumes=True),
    "file-openings": ChangedFile(_make_openings, _change_lines, _use_openings, resumes=True),
    "file-benchmark": ChangedFile(_make_result, _change_json, _use_result),
    "file-record": ChangedFile(_make_record, _change_record, _use_record),
    "file-own-record": ChangedFile(_make_own_record, _change_own_record, _use_record),
    "file-game": ChangedFile(_make_game, _change_game, _use_game),
    "file-config": ChangedFile(_make_config, _change_toml, _use_config),
    "file-checkpoint": ChangedFile(_make_checkpoint, _change_checkpoint, _use_checkpoint),
}
