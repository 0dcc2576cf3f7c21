"""The protocol of the benchmark: everything that decides the figures, apart from the agent; and the ladders of games.

Ladders come with the package, so that all agents play from the same openings and are rated with the same matches. Its
files are protected by checksums in `SHA256SUMS`.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..arena.openings import Opening, Openings
from ..arena.schedule import Settings
from ..arena.score import Meeting
from ..bots.network.model_card import read_card
from ..bots.shipped import WEIGHTS, shipped_bots
from ..bots.spec import parse_spec
from ..errors import BenchmarkError, UnknownNameError, made_for_other_rules
from ..files.atomic import write_whole
from ..files.lock import locked_file
from ..files.release import how_to_fetch
from ..files.schema import parse, read_toml
from ..game.game import Game

FOLDER = Path(__file__).parent
CURRENT = "v1"


@dataclass(frozen=True, kw_only=True)
class LadderPlan:
    """The opponents and openings of a ladder."""

    rungs: tuple[str, ...]  # specs of the opponents; `{game}` stands for the id of the game
    games: int  # matches against each opponent, an even number
    plies: int  # from here on as in `arena.Settings`
    seed: int
    judge: str
    batch: int
    max_steps: int


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The time limits of an agent.

    Attributes:
      decision: Seconds for a decision.
      warm_up: Seconds to load, and again for a first decision that does not count.
      patience: After this many decisions in a row that are late or end its process, the agent is not asked again in
        this game.
    """

    decision: float
    warm_up: float
    patience: int


@dataclass(frozen=True, kw_only=True)
class Quick:
    """A short run that shows whether an agent works; its figures are not comparable."""

    positions: int  # number of positions
    games: int  # matches against each opponent, an even number


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A game with some of its options."""

    game: str
    options: dict[str, str]  # those that are not the default ones
    pieces: int | None = None  # the most pieces of the table that has the exact values; None for that of all pieces

    @property
    def name(self) -> str:
        """Its name in results, such as `pretwa capture=optional`."""
        return " ".join([self.game, *(f"{option}={value}" for option, value in self.options.items())])


@dataclass(frozen=True, kw_only=True)
class ExactPlan:
    """How choices are compared with exact values."""

    settings: tuple[Setting, ...]
    positions: int  # number of critical positions of a whole game, of each kind
    endings: int  # number of critical positions of a table of few pieces
    seed: int
    response_seconds: float  # time for the best response to an agent in a seat


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A version of the benchmark.

    Attributes:
      version: Its name.
      folder: The folder of its ladders.
      seed: Seed of agents and of intervals.
      resamples: Bootstrap resamples of the ratings.
      exact: How choices are compared with exact values.
      ladder: The opponents and openings.
      limits: The time limits of an agent.
      quick: The size of a quick run.
      is_quick: Whether this is a quick run.
    """

    version: str
    folder: Path
    seed: int
    resamples: int
    exact: ExactPlan
    ladder: LadderPlan
    limits: Limits
    quick: Quick
    is_quick: bool = False

    @property
    def games(self) -> int:
        """Matches against each opponent."""
        return self.quick.games if self.is_quick else self.ladder.games

    @property
    def most_positions(self) -> int:
        """The most critical positions of a kind."""
        return self.quick.positions if self.is_quick else max(self.exact.positions, self.exact.endings)

    def shortened(self) -> "Protocol":
        """Returns the same protocol for a quick run."""
        return replace(self, is_quick=True)


def load_protocol(version: str = CURRENT) -> Protocol:
    """Returns a version of the benchmark that comes with the package.

    Raises:
      UnknownNameError: If there is no such version.
      BenchmarkError: If its file cannot be read; the error names file, key and value.
    """
    file = FOLDER / version / "protocol.toml"
    if not file.is_file():
        known = sorted(path.parent.name for path in FOLDER.glob(f"*/{file.name}"))
        raise UnknownNameError("version of the benchmark", version, known)
    content = read_toml(file, str(file), BenchmarkError)
    return parse(Protocol, content | {"folder": file.parent}, str(file), BenchmarkError)


SUMS = "SHA256SUMS"


def read_checked(folder: Path, name: str) -> tuple[str, str]:
    """Reads the text of a file in the folder of a protocol, and its SHA-256; refuses a damaged one."""
    try:
        data = (folder / name).read_bytes()
    except FileNotFoundError:
        raise BenchmarkError(f"benchmark {folder.name} has no {name}") from None
    found, expected = _sum(data), _read_sums(folder).get(name)
    if found != expected:
        raise BenchmarkError(
            f"benchmark {folder.name}: {name} is damaged: its SHA-256 is {found[:12]}…, "
            f"expected {expected[:12] + '…' if expected else 'none'}"
        )
    return data.decode(), found


def write_checked(folder: Path, name: str, text: str) -> None:
    """Writes a file and its checksum."""
    data = text.encode()
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    with locked_file(folder / SUMS, waiting=lambda _sentence: None):  # others write their checksums too
        write_whole(folder / name, data)
        sums = _read_sums(folder) | {name: _sum(data)}
        write_whole(folder / SUMS, "".join(f"{value}  {file}\n" for file, value in sorted(sums.items())).encode())


def _read_sums(folder: Path) -> dict[str, str]:
    """The checksum of each file; the format is that of the program sha256sum."""
    file = folder / SUMS
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return {name: value for value, _, name in (line.partition("  ") for line in lines)}


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


GAME = "{game}"
_NOTED = 12  # hexadecimal digits of a checksum in a ladder file


@dataclass(frozen=True)
class Ladder:
    """The ladder of a game."""

    rungs: tuple[str, ...]  # specs of the opponents, `random` first
    openings: Openings  # the openings of all matches
    meetings: tuple[Meeting, ...]  # the matches of the opponents against each other
    sha256: str  # SHA-256 of the file


def ladder_file(game: str) -> str:
    """The ladder file of a game in the folder of a protocol."""
    return f"ladders/{game}.json"


def find_ladder(protocol: Protocol, game: Game) -> Ladder | None:
    """The ladder of a game; None if it has none with its options. Refuses a damaged one, see `read_ladder`."""
    has_ladder = not game.chosen_options and (protocol.folder / ladder_file(game.name)).is_file()
    return read_ladder(protocol, game) if has_ladder else None


def read_ladder(protocol: Protocol, game: Game) -> Ladder:
    """Reads the ladder of a game; refuses one that is damaged, of other rules, or with a bot that has changed."""
    file = ladder_file(game.name)
    text, sha256 = read_checked(protocol.folder, file)
    content = json.loads(text)
    what = f"the ladder of {game.name} in benchmark {protocol.version}"
    remedy = f"make it again with: python benchmarks/make_protocol.py {game.name}"
    if content["table_hash"] != game.table_hash:
        raise BenchmarkError(made_for_other_rules(what, content["table_hash"], game.table_hash, remedy))
    rungs = parse(tuple[str, ...], content["rungs"], file, BenchmarkError, "rungs")
    for spec in rungs:
        if parse_spec(spec).starts_program:
            raise BenchmarkError(f"{file}: rungs has {spec!r}, which starts a program; a ladder is data")
    now = noted_weights(rungs)
    for spec, weights in content["weights"].items():
        if missing := how_to_fetch(spec.partition(":")[0]):
            raise BenchmarkError(f"{what} needs its strongest player: {missing}")
        if now.get(spec) != weights:
            has = now.get(spec, "none")
            raise BenchmarkError(
                f"{what} was played by {spec} with weights {weights}, this package has {has}: {remedy}"
            )
    return Ladder(
        rungs=rungs,
        openings=Openings(
            parse(tuple[Opening, ...], content["openings"], file, BenchmarkError, "openings"), content["tried"]
        ),
        meetings=tuple(Meeting.read(*entry) for entry in content["meetings"]),
        sha256=sha256,
    )


def arena_settings(protocol: Protocol, *, gauntlet: bool = False) -> Settings:
    """The arena settings of a ladder's matches."""
    plan = {name: getattr(protocol.ladder, name) for name in ("plies", "seed", "judge", "batch", "max_steps")}
    return Settings(games=protocol.games, gauntlet=gauntlet, resamples=protocol.resamples, **plan)


def list_rungs(protocol: Protocol, game: Game) -> tuple[str, ...]:
    """The specs of a ladder's opponents, without the trained bots that the package does not have."""
    known = shipped_bots()
    named = [(rung, rung.replace(GAME, game.name)) for rung in protocol.ladder.rungs]
    return tuple(spec for rung, spec in named if rung == spec or spec.partition(":")[0] in known)


def noted_weights(rungs: Sequence[str]) -> dict[str, str]:
    """The checksums of the weights of trained bots, by spec."""
    folders = {spec: shipped_bots().get(spec.partition(":")[0]) for spec in rungs}
    return {spec: read_card(path).sha256[WEIGHTS][:_NOTED] for spec, path in folders.items() if path is not None}
