"""Model cards and files of checkpoints, read and checked without torch."""

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from ...errors import LONGEST_PATH, AlquerqueError, did_you_mean, made_for_other_rules, shorten
from ...files.regular import read_regular
from ...files.schema import Key, parse, show
from ...game.game import Game
from ...game.options import OptionValue
from ...search.puct import EXPLORATION, MOST_EXPLORATION
from ...search.quiescence import MAX_DEPTH
from ..shipped import FAMILY, META, WEIGHTS, near_checkpoint, shipped_bots, weights_file

FORMAT: Literal[1] = 1
TRAINING = "training.safetensors"
NO_FEATURES: Literal["off"] = "off"
NO_CLOCK = "without a clock"
"""Ends the description of a network that does not see the clock."""
OF_A_GAME = "game", "game_version", "options", "table_hash", "shape"
"""Keys that every card has but that of a network for all games."""
CANONICAL = "of canonical images"
"""The same for a network that is given canonical images."""


class CheckpointError(AlquerqueError):
    """A folder that is not a checkpoint, is damaged, or belongs to another game."""


@dataclass(frozen=True, kw_only=True)
class NetworkCard:
    """The network in a model card."""

    kind: Annotated[str, Key("Architecture: `mlp`, `family`, or `module:name` of one outside the package.")]
    width: Annotated[int, Key("Units of a layer.", low=1, high=4096)]
    blocks: Annotated[int, Key("Residual blocks, or rounds of messages.", low=0, high=64)]
    search_features: Annotated[
        Literal["off"] | Annotated[int, Key(low=0, high=MAX_DEPTH)],
        Key("Depth in turns of the search whose results the network receives, or `off`."),
    ] = NO_FEATURES
    sees_clock: Annotated[
        bool, Key("Whether the player sees the plies without progress and earlier positions. Left out where it does.")
    ] = True
    canonical: Annotated[
        bool, Key("Whether the player sees the canonical image of each position. Left out where it does not.")
    ] = False
    weight_bits: Annotated[
        Annotated[int, Key(low=2, high=16)] | None, Key("Bits to which the weights were rounded.")
    ] = None

    @property
    def feature_depth(self) -> int | None:
        """Depth in turns of the search features, None without them."""
        return None if isinstance(self.search_features, str) else self.search_features

    def __str__(self) -> str:
        return describe_network(self)


@dataclass(frozen=True, kw_only=True)
class ShapeCard:
    """The sizes of a network in a model card."""

    planes: Annotated[int, Key("Planes of an observation.", low=1, high=4096)]
    points: Annotated[int, Key("Points of the board.", low=1, high=4096)]
    actions: Annotated[int, Key("Actions of the game.", low=1, high=65_536)]


@dataclass(frozen=True, kw_only=True)
class RatingCard:
    """A rating in a model card."""

    value: Annotated[float, Key("Rating in Elo; `random` has 0.")]
    low: Annotated[float, Key("Lower end of the 95% interval.")]
    high: Annotated[float, Key("Upper end of the 95% interval.")]
    simulations: Annotated[int, Key("Simulations of the search for a step, 0 for the policy alone.")]


@dataclass(frozen=True, kw_only=True)
class StartCard:
    """The checkpoint that gave a run its first weights, in a model card."""

    steps: Annotated[int, Key("Steps of self-play that trained these weights.")]
    wall_time: Annotated[float, Key("Seconds of training of these weights.")]
    weights: Annotated[str, Key("SHA-256 of the weights file.")]
    processor_time: Annotated[
        float | None, Key("Seconds of processor time of their training. Left out where it is not known.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class CurvePoint:
    """Strength during training in a model card."""

    steps: Annotated[int, Key("Steps of self-play that trained the weights.")]
    wall_time: Annotated[float, Key("Seconds of training of the weights.")]
    rating: Annotated[float, Key("Rating in Elo; `random` has 0.")]
    low: Annotated[float, Key("Lower end of the 95% interval.")]
    high: Annotated[float, Key("Upper end of the 95% interval.")]
    scores: Annotated[
        dict[str, float], Key("By opponent: wins plus half of the draws, divided by the number of matches.")
    ]


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """The model card of a checkpoint, `meta.json`: the game, the network, the training and the measured strength.

    A network of the kind `family` belongs to no game: its card has none of the keys in `OF_A_GAME`.
    """

    format: Annotated[Literal[1], Key("Version of this format.")]
    game: Annotated[str, Key("Id of the game.")] = ""
    game_version: Annotated[int, Key("Version of the game.")] = 0
    options: Annotated[dict[str, OptionValue], Key("Every rule option with its value.")] = field(default_factory=dict)
    table_hash: Annotated[str, Key("Hash of the rules, `game.table_hash`.")] = ""
    game_file: Annotated[
        str, Key("The text of the game's file, `game.file_text`. Left out for a game of the package.")
    ] = ""
    network: Annotated[NetworkCard, Key("The network.")]
    shape: Annotated[ShapeCard | None, Key("Sizes of input and output of the network.")] = None
    same_as: Annotated[
        str,
        Key(
            "The checkpoint, `GAME/NAME` beside this one, whose weights it has, since the games differ by their names "
            "alone. Left out where it has its own."
        ),
    ] = ""
    config: Annotated[dict[str, Any], Key("The whole training config; see the settings.")]
    seed: Annotated[int, Key("Seed of the run.")]
    start: Annotated[StartCard | None, Key("The checkpoint that gave the run its first weights.")] = None
    steps: Annotated[int, Key("Steps of self-play that trained the weights, earlier runs included.")]
    wall_time: Annotated[float, Key("Seconds of training, earlier runs included, interruptions excluded.")]
    processor_time: Annotated[
        float | None,
        Key(
            "Seconds of processor time of training and its arenas, all processes together, earlier runs included. "
            "Left out where it is not known."
        ),
    ] = None
    hardware: Annotated[str, Key("The machine.")]
    versions: Annotated[dict[str, str], Key("Versions of Python, torch and NumPy.")]
    command: Annotated[str | None, Key("The command that started the run.")] = None
    rating: Annotated[RatingCard | None, Key("Rating from the matches in `strength`.")] = None
    curve: Annotated[
        tuple[CurvePoint, ...],
        Key("Strength during training, earlier runs included. Each run measured it with its own search."),
    ] = ()
    strength: Annotated[
        tuple[dict[str, Any], ...],
        Key(
            "Measured results, each with opponent, number of games and interval. Where the sides differ, `by_seat` has "
            "those of `player_0` and `player_1`, and `opponent_by_seat` those of the opponent itself in their place."
        ),
    ]
    exact_errors: Annotated[
        tuple[dict[str, Any], ...],
        Key(
            "Share of wrong choices in positions in which some step loses value, drawn uniformly or from matches, with "
            "its interval, and the mean value lost, by the table of the whole game. Left out where there is none."
        ),
    ] = ()
    licence: Annotated[str, Key("SPDX identifier.")]
    sha256: Annotated[dict[str, str], Key("SHA-256 of each file of the checkpoint.")]

    @property
    def plays_all(self) -> bool:
        """Whether the network belongs to no game."""
        return self.network.kind == FAMILY

    @property
    def exploration(self) -> float:
        """Exploration constant of the search."""
        return float(self.config.get("evaluation", {}).get("exploration", EXPLORATION))

    @property
    def steps_of_run(self) -> int:
        """Steps of self-play in the run itself."""
        return self.steps - (self.start.steps if self.start else 0)

    @property
    def seconds_of_run(self) -> float:
        """Seconds of training in the run itself."""
        return self.wall_time - (self.start.wall_time if self.start else 0)

    @property
    def processor_time_of_run(self) -> float | None:
        """Seconds of processor time of the run itself."""
        before = self.start.processor_time if self.start else 0
        return None if self.processor_time is None or before is None else self.processor_time - before

    def as_start(self) -> StartCard:
        """Describes these weights for a run that begins with them."""
        return StartCard(
            steps=self.steps,
            wall_time=self.wall_time,
            weights=self.sha256[WEIGHTS],
            processor_time=self.processor_time,
        )


def read_card(path: Path) -> ModelCard:
    """Reads the model card of a checkpoint; `CheckpointError` names file, key, value and what is expected."""
    if not os.path.exists(path):  # Path.exists raises where a name is too long
        near = near_checkpoint(path) or did_you_mean(path, shipped_bots())
        raise CheckpointError(f"no checkpoint {shorten(str(path), LONGEST_PATH)!r}{near}")
    try:
        data = json.loads(read_regular(path / META))
    except OSError as error:
        near = near_checkpoint(path)
        raise CheckpointError(f"{str(path)!r} is not a checkpoint: {META}: {error.strerror}{near}") from None
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {META} is not valid JSON: {error}") from None
    name = f"checkpoint {str(path)!r}: {META}"
    if isinstance(data, dict) and data.get("format") != FORMAT:
        raise CheckpointError(f"checkpoint {str(path)!r} has format {show(data.get('format'))}, expected {FORMAT}")
    card = parse(ModelCard, data, name, CheckpointError)
    for key in OF_A_GAME:
        if card.plays_all == (key in data):
            trouble = f"{key} is there, but a network" if card.plays_all else f"{key} is missing: only a network"
            raise CheckpointError(f"{name}: {trouble} of kind {FAMILY!r} belongs to no game")
    if not {WEIGHTS} <= card.sha256.keys() <= {WEIGHTS, TRAINING}:
        raise CheckpointError(f"{name}: sha256 names {sorted(card.sha256)}, expected {WEIGHTS}")
    evaluation = parse(dict[str, Any], card.config.get("evaluation", {}), name, CheckpointError, "config.evaluation")
    key = "config.evaluation.exploration"
    exploration = parse(float, evaluation.get("exploration", EXPLORATION), name, CheckpointError, key)
    if not 0 < exploration <= MOST_EXPLORATION:
        raise CheckpointError(f"{name}: {key} is {exploration}, expected a number above 0, at most {MOST_EXPLORATION}")
    return card


def describe_network(network: Any) -> str:
    """Names a network by its settings or its card, such as `mlp 256x2 with search features, depth 4`."""
    depth = network.feature_depth
    features = "" if depth is None else f" with search features, depth {depth}"
    more = f" {CANONICAL}" * network.canonical
    return f"{network.kind} {network.width}x{network.blocks}{features}{more}{f' {NO_CLOCK}' * (not network.sees_clock)}"


def describe_player(search_features: int | None, simulations: int) -> str:
    """Names how a network plays: `search of 64 simulations`, `policy alone`, or that with the depth of its features."""
    if simulations:
        return f"search of {simulations} simulations"
    return "policy alone" + ("" if search_features is None else f" with search features, depth {search_features}")


def check_game(path: Path, card: ModelCard, game: Game) -> None:
    """Checks that a checkpoint plays a game: that it plays all, or that game, options, rules and sizes are the same."""
    if card.plays_all:
        return
    if card.game != game.name:
        raise CheckpointError(f"checkpoint {str(path)!r} plays {card.game!r}, not {game.name!r}")
    for option, value in game.options.items():
        if card.options.get(option, value) != value:
            raise CheckpointError(
                f"checkpoint {str(path)!r} was trained with {option}={card.options[option]!r}, this game has {value!r}"
            )
    if card.table_hash != game.table_hash:
        remedy = "train it again, or play it with the version that made it"
        what = f"checkpoint {str(path)!r}"
        raise CheckpointError(made_for_other_rules(what, card.table_hash, game.table_hash, remedy))
    known = ShapeCard(planes=len(game.planes), points=len(game.board.points), actions=game.num_actions)
    if card.shape != known:
        raise CheckpointError(f"checkpoint {str(path)!r}: {META}: shape is {card.shape}, this game has {known}")


def read_checked(path: Path, name: str, checksum: str) -> bytes:
    """Reads a file of a checkpoint; raises `CheckpointError` if it is missing or not what it was."""
    try:
        data = read_regular(weights_file(path) if name == WEIGHTS else path / name)
    except OSError as error:
        raise CheckpointError(f"checkpoint {str(path)!r}: {name}: {error.strerror}") from None
    if (found := hashlib.sha256(data).hexdigest()) != checksum:
        raise CheckpointError(
            f"checkpoint {str(path)!r}: {name} is damaged: its SHA-256 is {found[:12]}…, expected {checksum[:12]}…"
        )
    return data
