"""The files of a checkpoint, read and checked with the standard library alone: for who plays without torch."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from ...errors import AlquerqueError
from ...game.game import Game
from ...search.puct import EXPLORATION, MOST_EXPLORATION
from ...search.quiescence import MOST_TURNS

FORMAT: Literal[1] = 1
WEIGHTS, META = "weights.safetensors", "meta.json"
NO_FEATURES: Literal["off"] = "off"


class CheckpointError(AlquerqueError):
    """A folder that is not a checkpoint, is damaged, or belongs to another game."""


class PlayedGame(Protocol):
    """What a checkpoint says of the game that it plays."""

    @property
    def game(self) -> str:
        """Id of the game."""

    @property
    def game_version(self) -> int:
        """Version of the game."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Every rule option with its value."""

    @property
    def table_hash(self) -> str:
        """Identifies the action table."""


@dataclass(frozen=True, kw_only=True)
class PlayerMeta:
    """The part of `meta.json` that one needs to play.

    Attributes:
      game: Id of the game.
      game_version: Version of the game.
      options: Every rule option with its value.
      table_hash: Identifies the action table.
      kind: Architecture of the network.
      search_features: Depth in turns of the search whose results the network receives, None if it receives none.
      exploration: Weight of the policy against what a search has found out.
      weights_sha256: Checksum of the weights.
    """

    game: str
    game_version: int
    options: Mapping[str, Any]
    table_hash: str
    kind: str
    search_features: int | None
    exploration: float
    weights_sha256: str


def read_player_meta(path: Path) -> PlayerMeta:
    """Reads what one needs to play.

    Raises:
      CheckpointError: If there is no checkpoint or its `meta.json` cannot be understood.
    """
    data = read_json(path)
    match data:
        case {
            "game": str(game),
            "game_version": int(version),
            "options": dict(options),
            "table_hash": str(table_hash),
            "network": {"kind": str(kind), **network},
            "sha256": {"weights.safetensors": str(checksum)},
        }:
            return PlayerMeta(
                game=game,
                game_version=version,
                options=options,
                table_hash=table_hash,
                kind=kind,
                search_features=_read_search_features(path, kind, network),
                exploration=_read_exploration(path, data),
                weights_sha256=checksum,
            )
    raise CheckpointError(f"checkpoint {str(path)!r}: {META} does not say what it plays")


def describe_network(kind: str, width: int, blocks: int, search_features: int | None) -> str:
    """Names a network in tables and messages, such as `mlp 256x2 with search features, depth 4`.

    Args:
      kind: Architecture.
      width: Units of a layer.
      blocks: Residual blocks.
      search_features: Depth in turns of the search whose results the network receives, None if it receives none.
    """
    features = "" if search_features is None else f" with search features, depth {search_features}"
    return f"{kind} {width}x{blocks}{features}"


def describe_player(search_features: int | None, simulations: int) -> str:
    """Names how a network plays, such as `search of 64 simulations` or `policy alone`.

    Args:
      search_features: As for `describe_network`. A policy that receives results of a search is named with its depth.
      simulations: Simulations of the tree search for a step, 0 for none.
    """
    if simulations:
        return f"search of {simulations} simulations"
    return "policy alone" + ("" if search_features is None else f" with search features, depth {search_features}")


def find_renamed(network: Mapping[Any, Any]) -> str | None:
    """Explains what replaces the first name in a network's settings that older versions used; None if all are known."""
    turns = network.get("turns", 0)
    if network.get("kind") == "quiescent":
        return f"network.kind = 'quiescent' is now network.kind = 'mlp' with network.search_features = {turns!r:.40}"
    if "turns" in network:
        return f"network.turns is now network.search_features: {NO_FEATURES!r}, or a depth from 0 to {MOST_TURNS}"
    return None


def _read_search_features(path: Path, kind: str, network: Mapping[Any, Any]) -> int | None:
    where = f"checkpoint {str(path)!r}: {META}"
    if renamed := find_renamed({"kind": kind, **network}):
        raise CheckpointError(f"{where}: {renamed}")
    depth = network.get("search_features", NO_FEATURES)
    if depth == NO_FEATURES:
        return None
    if type(depth) is not int or not 0 <= depth <= MOST_TURNS:
        raise CheckpointError(
            f"{where}: network.search_features is {depth!r:.40}, expected {NO_FEATURES!r} or 0 to {MOST_TURNS}"
        )
    return depth


def _read_exploration(path: Path, data: Mapping[str, Any]) -> float:
    where = f"checkpoint {str(path)!r}: {META}: config"
    config = data.get("config")
    if not isinstance(config, dict):
        raise CheckpointError(f"{where} is {config!r:.40}, expected an object")
    evaluation = config.get("evaluation", {})
    if not isinstance(evaluation, dict):
        raise CheckpointError(f"{where}.evaluation is {evaluation!r:.40}, expected an object")
    exploration = evaluation.get("exploration", EXPLORATION)
    if type(exploration) not in (int, float) or not 0 < exploration <= MOST_EXPLORATION:
        raise CheckpointError(
            f"{where}.evaluation.exploration is {exploration!r:.40}, "
            f"expected a number above 0 and at most {MOST_EXPLORATION}"
        )
    return float(exploration)


def read_json(path: Path) -> Any:
    """Reads `meta.json` of a format that is known.

    Raises:
      CheckpointError: If that is not possible.
    """
    if not path.exists():
        raise CheckpointError(f"no checkpoint {str(path)!r}")
    try:
        data = json.loads((path / META).read_bytes())
    except OSError as error:
        raise CheckpointError(f"{str(path)!r} is not a checkpoint: {META}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {META} is not valid JSON: {error}") from None
    if isinstance(data, dict) and data.get("format") != FORMAT:
        raise CheckpointError(f"checkpoint {str(path)!r} has format {data.get('format')!r}, expected {FORMAT}")
    return data


def check_game(path: Path, meta: PlayedGame, game: Game) -> None:
    """Refuses a checkpoint of another game.

    Raises:
      CheckpointError: If game, options or action table are others.
    """
    if meta.game != game.name:
        raise CheckpointError(f"checkpoint {str(path)!r} plays {meta.game!r}, not {game.name!r}")
    for option, value in game.options.items():
        if meta.options.get(option, value) != value:
            raise CheckpointError(
                f"checkpoint {str(path)!r} was trained with {option}={meta.options[option]!r}, this game has {value!r}"
            )
    if meta.table_hash != game.table_hash:
        raise CheckpointError(
            f"checkpoint {str(path)!r} was trained on action table {meta.table_hash}, this one is {game.table_hash} "
            f"(game version {meta.game_version} -> {game.version})"
        )


def read_checked(path: Path, name: str, checksum: str) -> bytes:
    """Reads a file of a checkpoint.

    Raises:
      CheckpointError: If it is missing or not what it was.
    """
    try:
        data = (path / name).read_bytes()
    except OSError as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {name}: {error.strerror}") from None
    if (found := hashlib.sha256(data).hexdigest()) != checksum:
        raise CheckpointError(
            f"checkpoint {str(path)!r}: {name} is damaged: its SHA-256 is {found[:12]}…, expected {checksum[:12]}…"
        )
    return data
