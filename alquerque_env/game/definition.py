"""A game as its file defines it, with its options still open."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from ..files.schema import Key
from .board import Board
from .options import Option, OptionFile, OptionValue, spell, with_article


@dataclass(frozen=True, kw_only=True)
class StartFile:
    """The start in a game file."""

    south: Annotated[str, Key("Points of the men of `player_0`: labels separated by spaces.")]
    north: Annotated[str, Key("Points of the men of `player_1`.")]


@dataclass(frozen=True, kw_only=True)
class PromotionFile:
    """The promotion points in a game file."""

    south: Annotated[str, Key("Points where men of `player_0` are promoted: labels separated by spaces.", low=1)]
    north: Annotated[str, Key("Points where men of `player_1` are promoted.", low=1)]


@dataclass(frozen=True, kw_only=True)
class DoubleStepsFile:
    """The points of double steps in a game file."""

    place: Annotated[str, Key("What texts call the points together, such as `the triangles`.", low=1)]
    points: Annotated[str, Key("The points, the one stepped over included: labels separated by spaces.", low=1)]


@dataclass(frozen=True, kw_only=True)
class SideFile:
    """What the rules answer for one side, in a game file. What is left out is as in `rules`."""

    piece: Annotated[str, Key("What texts call a piece of the side.", low=1)] = "man"
    pieces: Annotated[
        str, Key("What texts call several of them. Without this key it is `piece` with an s, or with men for man.")
    ] = ""
    captures: Annotated[
        Literal["rules", "leap", "odd_rows", "approach_withdrawal", "custodial", "none"],
        Key("How its men capture; `rules` stands for the answer of the table `rules`."),
    ] = "rules"
    man_steps: Annotated[
        Literal["rules", "all", "forward_sideways", "forward", "any_distance", "none"],
        Key("In which directions its men step."),
    ] = "rules"
    no_moves: Annotated[
        Literal["rules", "loss", "draw", "majority", "pass"], Key("What happens if the side cannot move.")
    ] = "rules"
    loses_at: Annotated[
        Annotated[int, Key(low=0, high=125)] | None,
        Key("The number of pieces with which the side has lost, those in hand counted."),
    ] = None
    goal: Annotated[str, Key("Points that win when the side holds all of them: labels separated by spaces.")] = ""


@dataclass(frozen=True, kw_only=True)
class GameFile:
    """What a game file holds."""

    title: Annotated[str, Key("The game's name for people.", low=1)]
    version: Annotated[int, Key("Raised whenever play, actions or observations change.", low=1, high=1_000_000)]
    about: Annotated[str, Key("What the game is, for people who choose one: one line. A game does not extend it.")] = ""
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
        dict[str, StartFile],
        Key("Other starts, by the answer of the option `drop_order`, `pieces` or `board` that has them."),
    ] = field(default_factory=dict)
    promotion: Annotated[PromotionFile | None, Key('Where men are promoted, if `promotion = "points"`.')] = None
    promoted_piece: Annotated[str, Key("What texts call a promoted piece.", low=1)] = "mullah"
    sanctuary: Annotated[str, Key("Points on which no piece can be captured: labels separated by spaces.")] = ""
    double_steps: Annotated[
        DoubleStepsFile | None,
        Key("Where a man may also step to the next point but one of a straight line, over a vacant point."),
    ] = None
    south: Annotated[SideFile, Key("What the rules answer for `player_0` alone.")] = field(default_factory=SideFile)
    north: Annotated[SideFile, Key("What the rules answer for `player_1` alone.")] = field(default_factory=SideFile)
    schedule: Annotated[
        tuple[str, ...],
        Key(
            "The first plies, in games in which pieces are dropped or removed: `20 times: north drops, south moves`, "
            "`south drops 2 on b2 c3`, `south removes 3`."
        ),
    ] = ()
    schedules: Annotated[
        dict[str, tuple[str, ...]],
        Key("Other schedules, by the answer of the option `drop_order`, `pieces` or `board` that has them."),
    ] = field(default_factory=dict)
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


BOARD_OPTIONS = ("board", "dash_sides")
"""Options that may choose the board."""

SIDES = ("south", "north")
"""What a game file calls `player_0` and `player_1`."""

START_OPTIONS = ("drop_order", "pieces", "board")
"""Options that may choose the start, and the schedule."""


@dataclass(frozen=True)
class Definition:
    """A game with its options still open.

    Attributes:
      name: The game's id.
      file: What errors call its file.
      content: What the file says, with the keys of the game that it extends.
      boards: The boards by the value of the option `board`; without that option, the board by the empty string.
      rules: The answers that no option changes.
      option_table: The options by name.
      tables: `content` as TOML has it, with the boards in it, for games that extend this one.
      text: `tables` as JSON, which stands for the file and all files that it names; empty for a game of the package.
      path: The path of the file as it was given; empty for a game of the package or from a text.
    """

    name: str
    file: str
    content: GameFile
    boards: Mapping[str, Board]
    rules: Mapping[str, OptionValue]
    option_table: Mapping[str, Option]
    tables: Mapping[str, Any]
    text: str
    path: str = ""


def ask_about_one_side(option: Option, content: GameFile) -> Option:
    """An option whose question names one side, if the file itself answers it for the other side."""
    own = {side: getattr(content, side) for side in SIDES}
    if option.name == "pieces":
        asked = [side for side in SIDES if own[side].captures == "none"]
    else:
        asked = [side for side in SIDES if getattr(own[side], option.name, "no such key") in (None, "rules")]
    if len(asked) != 1:
        return option
    side, name = own[asked[0]], asked[0].capitalize()
    question = re.sub(r"\ba (man|piece)\b", with_article(side.piece), option.question)
    question = re.sub(r"\b(a|each) side\b", name, question).replace(" pieces ", f" {plural(side)} ")
    return replace(option, question=question)


def plural(side: SideFile) -> str:
    """What texts call several pieces of a side."""
    several = side.pieces or re.sub("man$", "men", side.piece)
    return several + "s" * (several == side.piece and not side.pieces)


def schedule_of(content: GameFile, chosen: Mapping[str, OptionValue]) -> tuple[str, tuple[str, ...]]:
    """The schedule that options choose, and its key in the file."""
    other = _chosen_key(content.schedules, chosen)
    return ("schedule", content.schedule) if other is None else (f"schedules.{other}", content.schedules[other])


def all_lines(content: GameFile) -> list[str]:
    """The lines of all schedules."""
    return [line for lines in (content.schedule, *content.schedules.values()) for line in lines]


def start_of(content: GameFile, chosen: Mapping[str, OptionValue]) -> tuple[str, StartFile]:
    """The start that options choose, and its key in the file."""
    other = _chosen_key(content.starts, chosen)
    return ("start", content.start) if other is None else (f"starts.{other}", content.starts[other])


def _chosen_key(table: Mapping[str, Any], chosen: Mapping[str, OptionValue]) -> str | None:
    """The key of a table that is the answer of an option that may choose the start and the schedule."""
    answers = [spell(chosen[option]) for option in START_OPTIONS if option in chosen]
    return next((answer for answer in answers if answer in table), None)
