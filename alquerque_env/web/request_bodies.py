"""The JSON that requests of the page carry."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model

from ..match.link import MAX_STEPS
from ..match.records.tokens import MAX_COMMENT
from .record_view import MAX_COMMENTS, MAX_VARIATIONS

MAX_LINK = 64_000
MAX_POSITIONS = 64  # that one answer has

Name = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Text = Annotated[str, StringConstraints(max_length=4000)]
PlayerName = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
"""Name of a person, or spec of a bot, which can be a whole command."""
Player = Annotated[int, Field(ge=0, le=1)]
Place = Annotated[int, Field(ge=0, le=MAX_STEPS)]
Value = Annotated[float, Field(ge=-1, le=1)] | None
Steps = Annotated[list[Name], Field(max_length=MAX_STEPS)]
Lines = Annotated[list[Steps], Field(max_length=MAX_VARIATIONS)]


class Body(BaseModel):
    """A JSON object without unknown keys and with values of exactly the given types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class GameBody(Body):
    """A game with options; those left out have their defaults."""

    game: Name
    options: Annotated[dict[Name, str | int | bool], Field(max_length=64)] = {}


class MatchBody(GameBody):
    """A match: the text of its first position, None for the start of the game, and those of its steps.

    Sentences about it call `person` `you`: the side of the only person, None for nobody.
    """

    start: Text | None = None
    steps: Steps = []
    person: Player | None = None


class JudgedBody(Body):
    """A `JudgedTurn`."""

    number: int
    player: Player
    text: Text
    start: Place
    end: Place
    value: Value
    best: Value
    played: Value
    better: Annotated[list[Text], Field(max_length=1000)]
    is_exact: bool
    is_best_exact: bool
    is_complete: bool
    depth: int | None


class CommentBody(Body):
    """A comment, and the texts of all steps before it, from the start of the match."""

    steps: Steps
    text: Annotated[str, StringConstraints(max_length=MAX_COMMENT)]


def _body(base: type[Body] = Body, **fields: Any) -> type[Body]:
    """A body with further fields: each its type, or that and its default."""
    typed: dict[str, Any] = {
        name: field if isinstance(field, tuple) else (field, ...) for name, field in fields.items()
    }
    return create_model("Body", __base__=base, **typed)


BODIES: Mapping[str, type[Body]] = {
    "games": Body,
    "rules": GameBody,
    "card": GameBody,
    "board": _body(GameBody, turned=(bool, False)),
    "rule-pictures": GameBody,
    "lessons": GameBody,
    "puzzles": GameBody,
    "match": MatchBody,
    "variations": _body(match=MatchBody, variations=(Lines, [])),
    "positions": _body(match=MatchBody, counts=Annotated[list[Place], Field(max_length=MAX_POSITIONS)]),
    "turn": _body(match=MatchBody, bot=PlayerName, id=(Name, "")),  # `move-now` names it by `id`
    "move-now": _body(id=Name),
    "analysis": _body(
        match=MatchBody,
        evaluator=(PlayerName, "search"),
        seconds=(Annotated[float, Field(gt=0, le=60)], 1.0),
    ),
    "report": _body(
        match=MatchBody,
        result=(Name | None, None),  # if people ended the match
        judged=(Annotated[list[JudgedBody], Field(max_length=MAX_STEPS)], []),  # the turns that are judged already
    ),
    "refute": _body(match=MatchBody, since=Annotated[int, Field(ge=0, lt=MAX_STEPS)]),  # steps before the wrong turn
    "missed": _body(match=MatchBody, players=Annotated[list[Player], Field(max_length=2)]),
    "picture": _body(match=MatchBody, turned=(bool, False)),
    "save": _body(
        match=MatchBody,
        south=PlayerName,
        north=PlayerName,
        date=(Name | None, None),  # such as `2026.11.21`
        result=(Name | None, None),  # if people ended the match, and why
        reason=(Text | None, None),
        headers=(Annotated[dict[Name, Text], Field(max_length=64)], {}),
        variations=(Lines, []),
        comments=(Annotated[list[CommentBody], Field(max_length=MAX_COMMENTS)], []),
    ),
    "load": _body(  # a part of a match file, see `show_records`
        text=str,
        number=(Annotated[int, Field(ge=0, lt=1 << 31)], 0),
        line=(Annotated[int, Field(ge=1, lt=1 << 31)], 1),
        is_inside=(bool, False),
        is_last=(bool, True),
    ),
    "link": MatchBody,
    "open-link": _body(link=Annotated[str, StringConstraints(max_length=MAX_LINK)]),
    "checkpoints": GameBody,
    "open": _body(
        folder=Text,  # of a checkpoint
        simulations=(Annotated[int, Field(ge=0, le=100_000)] | None, None),  # for a step; None for its own number
    ),
}
"""What the request of each name carries."""
