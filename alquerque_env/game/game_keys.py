"""What a game file holds: its keys, their types and meanings."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from ..files.schema import Key
from .options import OptionFile, OptionValue


@dataclass(frozen=True, kw_only=True)
class StartFile:
    """The start in a game file."""

    south: Annotated[str, Key("Points of the men of `player_0`: labels separated by spaces.", low=1)]
    north: Annotated[str, Key("Points of the men of `player_1`.", low=1)]


@dataclass(frozen=True, kw_only=True)
class PromotionFile:
    """The promotion points in a game file."""

    south: Annotated[str, Key("Points where men of `player_0` are promoted: labels separated by spaces.", low=1)]
    north: Annotated[str, Key("Points where men of `player_1` are promoted.", low=1)]


@dataclass(frozen=True, kw_only=True)
class GameFile:
    """What a game file holds."""

    title: Annotated[str, Key("The game's name for people.", low=1)]
    version: Annotated[int, Key("Raised whenever play, actions or observations change.", low=1, high=1_000_000)]
    extends: Annotated[
        str, Key("A game that has every key that this file leaves out: an id, or the path of a file from this one.")
    ] = ""
    board: Annotated[
        str | dict[str, Any],
        Key(
            "A board of the package, the path of a board file from this one, or a table with the keys of a board file. "
            "If an option, `board` or `dash_sides`, chooses, a table of these."
        ),
    ]
    sources: Annotated[tuple[str, ...], Key("Where the rules are described.", low=1)]
    start: Annotated[StartFile, Key("Where the pieces stand.")]
    starts: Annotated[
        dict[str, StartFile], Key("Other starts, by the answer of the option `pieces` or `board` that has them.")
    ] = field(default_factory=dict)
    promotion: Annotated[PromotionFile | None, Key('Where men are promoted, if `promotion = "points"`.')] = None
    promoted_piece: Annotated[str, Key("What texts call a promoted piece.", low=1)] = "mullah"
    sanctuary: Annotated[str, Key("Points on which no piece can be captured: labels separated by spaces.")] = ""
    rules: Annotated[dict[str, OptionValue], Key("Rules with one answer in this game.")]
    openings: Annotated[
        dict[str, str | Annotated[tuple[str, ...], Key(low=1)]],
        Key(
            "The first steps that each answer of the rule `opening` allows, one or a list, as `c2-c3` in the frame of "
            "the player who begins; `*` stands for any point."
        ),
    ] = field(default_factory=dict)
    options: Annotated[dict[str, OptionFile], Key("Rules that the game leaves open.")] = field(default_factory=dict)
    defaults: Annotated[dict[str, OptionValue], Key("Other defaults for options of the extended game.")] = field(
        default_factory=dict
    )
