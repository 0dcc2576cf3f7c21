"""The ladder of a game: the openings, the opponents, and the opponents' results against each other.

Ladders come with the package, so that all agents play from the same openings and are rated with the same results.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..arena import Settings
from ..arena.arena_result import Meeting
from ..arena.openings import Opening, Openings
from ..bots.network.model_card import read_card
from ..bots.shipped import WEIGHTS, shipped_bots
from ..bots.spec import parse_spec
from ..errors import BenchmarkError
from ..files.schema import parse
from ..game.game import Game
from .protocol import Protocol, check_rules, load_protocol, read_checked

GAME = "{game}"
SIDES = ("first", "second")
_NOTED = 12  # hexadecimal digits of a checksum in a ladder file


@dataclass(frozen=True)
class Ladder:
    """The ladder of a game."""

    rungs: tuple[str, ...]  # specs of the opponents, `random` first
    openings: Openings  # the openings of all matches
    meetings: tuple[Meeting, ...]  # the results of the opponents against each other
    sha256: str  # SHA-256 of the file


def ladder_file(game: str) -> str:
    """The ladder file of a game in the folder of a protocol."""
    return f"ladders/{game}.json"


def find_ladder(protocol: Protocol, game: str) -> Protocol | None:
    """The protocol that has the ladder of a game: this one or the one that it extends; None if neither has."""
    if (protocol.folder / ladder_file(game)).is_file():
        return protocol
    return None if protocol.extends is None else find_ladder(load_protocol(protocol.extends), game)


def read_ladder(protocol: Protocol, game: Game) -> Ladder:
    """Reads the ladder of a game; refuses one that is damaged, of other rules, or with a bot that is gone."""
    file = ladder_file(game.name)
    text, sha256 = read_checked(protocol.folder, file)
    content = json.loads(text)
    check_rules("ladder", protocol.version, content["table_hash"], game)
    now = _find_names(content["weights"], protocol, game)
    meetings = [entry | {side: now.get(entry[side], entry[side]) for side in SIDES} for entry in content["meetings"]]
    rungs = parse(tuple[str, ...], content["rungs"], file, BenchmarkError, "rungs")
    for spec in rungs:
        if parse_spec(spec).starts_program:
            raise BenchmarkError(f"{file}: rungs has {spec!r}, which starts a program; a ladder is data")
    return Ladder(
        rungs=tuple(now.get(spec, spec) for spec in rungs),
        openings=Openings(
            parse(tuple[Opening, ...], content["openings"], file, BenchmarkError, "openings"), content["tried"]
        ),
        meetings=parse(tuple[Meeting, ...], meetings, file, BenchmarkError, "meetings"),
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


def _find_names(noted: Mapping[str, str], protocol: Protocol, game: Game) -> dict[str, str]:
    """The current specs of a ladder's bots, found by their weights, since newer bots may have taken their names."""
    found = {}
    for spec, weights in noted.items():
        _, colon, simulations = spec.partition(":")
        called = [spec, *(f"{name}{colon}{simulations}" for name in shipped_bots())]
        known = noted_weights(called)
        found[spec] = next((name for name in called if known.get(name) == weights), "")
        if not found[spec]:
            raise BenchmarkError(
                f"the ladder of {game.name} in benchmark {protocol.version} was played by {spec} with weights "
                f"{weights}, this package has {known.get(spec, 'none')}"
            )
    return found
