"""The JSON that requests of the page carry."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ..match.link import MAX_STEPS
from ..match.records.tokens import MAX_COMMENT
from .record_view import MAX_COMMENTS, MAX_VARIATIONS

Name = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Text = Annotated[str, StringConstraints(max_length=4000)]
Player = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
"""Name of a person, or spec of a bot, which can be a whole command."""

MAX_LINK = 64_000


class Body(BaseModel):
    """A JSON object without unknown keys and with values of exactly the given types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class GameBody(Body):
    """A game with options; those left out have their defaults."""

    game: Name
    options: Annotated[dict[Name, str | int | bool], Field(max_length=64)] = {}


class BoardBody(GameBody):
    """A game whose board is drawn as South sees it, or turned for North."""

    turned: bool = False


class MatchBody(GameBody):
    """A match: the text of its first position, None for the start of the game, and those of its steps."""

    start: Text | None = None
    steps: Annotated[list[Name], Field(max_length=MAX_STEPS)] = []


class ShownBody(MatchBody):
    """A match to show, and whom the sentences about it call `you`: the side of the only person, None for nobody."""

    person: Annotated[int, Field(ge=0, le=1)] | None = None


Line = Annotated[list[Name], Field(max_length=MAX_STEPS)]
"""The texts of all steps of a variation, from the start of the match."""

Lines = Annotated[list[Line], Field(max_length=MAX_VARIATIONS, default_factory=list)]


class VariationsBody(Body):
    """A match and other lines of it."""

    match: MatchBody
    variations: Lines


Value = Annotated[float, Field(ge=-1, le=1)] | None


class JudgedBody(Body):
    """A turn as `show_judged` shows it."""

    number: int
    player: Annotated[int, Field(ge=0, le=1)]
    text: Text
    start: Annotated[int, Field(ge=0, le=MAX_STEPS)]
    end: Annotated[int, Field(ge=0, le=MAX_STEPS)]
    value: Value
    best: Value
    played: Value
    better: Annotated[list[Text], Field(max_length=1000)]
    is_exact: bool
    is_best_exact: bool
    is_complete: bool
    depth: int | None


class ReportBody(Body):
    """A match to report on, its result if people ended it, and the turns that are judged already."""

    match: ShownBody
    result: Name | None = None
    judged: Annotated[list[JudgedBody], Field(max_length=MAX_STEPS, default_factory=list)]


class BotBody(Body):
    """A match and the spec of the bot that plays the next turn. `id` names the request for `StopBody`."""

    match: ShownBody
    bot: Player
    id: Name = ""


class StopBody(Body):
    """The `id` of a request whose bot is to play now what it has found."""

    id: Name


class EvaluationBody(Body):
    """A match to evaluate, the evaluator, `search`, `exact` or the spec of a bot, and the time for it."""

    match: ShownBody
    evaluator: Player = "search"
    seconds: Annotated[float, Field(gt=0, le=60)] = 1.0


class RefuteBody(Body):
    """A match whose turn after the first `since` steps is a wrong answer to an exercise."""

    match: ShownBody
    since: Annotated[int, Field(ge=0, lt=MAX_STEPS)]


class MissedBody(Body):
    """A match and the sides whose missed wins are looked for."""

    match: MatchBody
    players: Annotated[list[Annotated[int, Field(ge=0, le=1)]], Field(max_length=2)]


class OpenBody(Body):
    """The folder of a checkpoint, and the simulations of its search for a step; None for those of the checkpoint."""

    folder: Text
    simulations: Annotated[int, Field(ge=0, le=100_000)] | None = None


class CommentBody(Body):
    """A comment, and the texts of all steps before it, from the start of the match."""

    steps: Annotated[list[Name], Field(max_length=MAX_STEPS)]
    text: Annotated[str, StringConstraints(max_length=MAX_COMMENT)]


class SaveBody(Body):
    """A match to write as a match file. People may have ended it with a result; the date is as `2026.11.21`."""

    match: MatchBody
    south: Player
    north: Player
    result: Name | None = None
    reason: Text | None = None
    date: Name | None = None
    headers: Annotated[dict[Name, Text], Field(max_length=64, default_factory=dict)]
    variations: Lines
    comments: Annotated[list[CommentBody], Field(max_length=MAX_COMMENTS, default_factory=list)]


class LoadBody(Body):
    """A part of a match file, and its place there as `show_records` takes it."""

    text: str
    number: Annotated[int, Field(ge=0, lt=1 << 31)] = 0
    line: Annotated[int, Field(ge=1, lt=1 << 31)] = 1
    is_inside: bool = False
    is_last: bool = True


class LinkBody(Body):
    """A link to a match, or an address with one."""

    link: Annotated[str, StringConstraints(max_length=MAX_LINK)]


class PictureBody(Body):
    """A match whose position is drawn as South sees it, or turned for North."""

    match: MatchBody
    turned: bool = False


BODIES: Mapping[str, type[Body]] = {
    "games": Body,
    "rules": GameBody,
    "card": GameBody,
    "board": BoardBody,
    "rule-pictures": GameBody,
    "lessons": GameBody,
    "puzzles": GameBody,
    "match": ShownBody,
    "variations": VariationsBody,
    "turn": BotBody,
    "move-now": StopBody,
    "analysis": EvaluationBody,
    "report": ReportBody,
    "refute": RefuteBody,
    "missed": MissedBody,
    "picture": PictureBody,
    "save": SaveBody,
    "load": LoadBody,
    "link": MatchBody,
    "open-link": LinkBody,
    "open": OpenBody,
}
"""What the request of each name carries."""
