"""The ladder of a game: the openings, the opponents, and the opponents' matches against each other.

Ladders come with the package, so that all agents play from the same openings and are rated with the same matches.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ..arena.openings import Opening, Openings
from ..arena.schedule import Settings
from ..arena.score import Meeting
from ..bots.network.model_card import read_card
from ..bots.shipped import WEIGHTS, shipped_bots
from ..bots.spec import parse_spec
from ..errors import BenchmarkError, made_for_other_rules
from ..files.schema import parse
from ..game.game import Game
from .protocol import Protocol, read_checked

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
