"""A game as its file defines it, with its options still open."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from ..files.schema import Key
from .board import Board
from .options import Option, OptionFile, OptionValue, spell, with_article

_Text = Annotated[str, Key(low=1)]


@dataclass(frozen=True, kw_only=True)
class StartFile:
    """The start in a game file."""

    south: str
    north: str


@dataclass(frozen=True, kw_only=True)
class PromotionFile:
    """The promotion points in a game file."""

    south: _Text
    north: _Text


@dataclass(frozen=True, kw_only=True)
class DoubleStepsFile:
    """The points of double steps in a game file."""

    place: _Text
    points: _Text


@dataclass(frozen=True, kw_only=True)
class SideFile:
    """What the rules answer for one side, in a game file. What is left out is as in `rules`."""

    piece: _Text = "man"
    pieces: str = ""
    animal: Literal["buffalo", "dog", "fox", "goat", "goose", "hare", "jaguar", "leopard", "ox", "tiger"] | None = None
    captures: Literal["rules", "leap", "odd_rows", "approach_withdrawal", "custodial", "none"] = "rules"
    man_steps: Literal["rules", "all", "forward_sideways", "forward", "any_distance", "none"] = "rules"
    no_moves: Literal["rules", "loss", "draw", "majority", "pass"] = "rules"
    loses_at: Annotated[int, Key(low=0, high=125)] | None = None
    goal: str = ""


@dataclass(frozen=True, kw_only=True)
class GameFile:
    """What a game file holds. `file_keys.toml` says what each key means."""

    title: _Text
    version: Annotated[int, Key(low=1, high=1_000_000)]
    about: str = ""
    extends: str = ""
    board: str | dict[str, Any]
    sources: Annotated[tuple[str, ...], Key(low=1)]
    start: StartFile
    starts: dict[str, StartFile] = field(default_factory=dict)
    promotion: PromotionFile | None = None
    promoted_piece: _Text = "mullah"
    sanctuary: str = ""
    double_steps: DoubleStepsFile | None = None
    south: SideFile = field(default_factory=SideFile)
    north: SideFile = field(default_factory=SideFile)
    schedule: tuple[str, ...] = ()
    schedules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rules: dict[str, OptionValue]
    openings: dict[str, str | Annotated[tuple[str, ...], Key(low=1)]] = field(default_factory=dict)
    options: dict[str, OptionFile] = field(default_factory=dict)
    defaults: dict[str, OptionValue] = field(default_factory=dict)


BOARD_OPTIONS = ("board", "dash_sides")
"""Options that may choose the board."""

SIDES = ("south", "north")
"""What a game file calls `player_0` and `player_1`."""

START_OPTIONS = ("drop_order", "pieces", "board")
"""Options that may choose the start, and the schedule."""


@dataclass(frozen=True)
class Definition:
    """A game with its options still open."""

    name: str  # the game's id
    file: str  # what errors call its file
    content: GameFile  # what the file says, with the keys of the game that it extends
    # the boards by the value of the option `board`; without that option, the board by the empty string
    boards: Mapping[str, Board]
    rules: Mapping[str, OptionValue]  # the answers that no option changes
    option_table: Mapping[str, Option]  # the options by name
    tables: Mapping[str, Any]  # `content` as TOML has it, with the boards in it, for games that extend this one
    # `tables` as JSON, which stands for the file and all files that it names; empty for a game of the package
    text: str
    path: str = ""  # the path of the file as it was given; empty for a game of the package or from a text


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
