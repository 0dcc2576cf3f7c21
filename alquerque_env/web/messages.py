"""Matches as the page sends them and as it shows them."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ..errors import AlquerqueError, IllegalStepError
from ..game.game import Game, load_game
from ..game.options import OptionValue
from ..game.step import Step, join_turn
from ..match.match import Match
from ..match.status_text import outcome_sentence, standing
from ..render.geometry import Place, lay_out

Name = Annotated[str, StringConstraints(min_length=1, max_length=80)]
Text = Annotated[str, StringConstraints(max_length=4000)]
MOST_STEPS = 5000


class Body(BaseModel):
    """What the page may send: nothing that is not named, nothing of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class RulesText(Body):
    """A game with its options.

    Attributes:
      game: Its id.
      options: Those that differ from their defaults, or all.
    """

    game: Name
    options: Annotated[dict[Name, str | int | bool], Field(max_length=64)] = {}

    def load(self) -> Game:
        """The game.

        Raises:
          AlquerqueError: If the game, an option or a value is not known.
        """
        return _load(self.game, tuple(sorted(self.options.items())))


class MatchText(RulesText):
    """A match from its start.

    Attributes:
      start: Position text, None for the start of the game.
      steps: Texts of the steps so far.
    """

    start: Text | None = None
    steps: Annotated[list[Name], Field(max_length=MOST_STEPS)] = []

    @classmethod
    def of(cls, match: Match, start: str | None) -> "MatchText":
        """A match that began at a position, None for the start of its game."""
        table = match.game.option_table
        options = {name: value for name, value in match.game.options.items() if value != table[name].default}
        return cls(game=match.game.name, options=options, start=start, steps=[step.text for step in match.steps])

    def replay(self) -> Match:
        """The match after all its steps.

        Raises:
          AlquerqueError: If the game, the start or a step is wrong; a wrong step is named by its number.
        """
        match = Match(self.load(), position=self.start)
        for number, text in enumerate(self.steps, 1):
            try:
                match.push(_find(match, text))
            except AlquerqueError as error:
                raise IllegalStepError(f"step {number}: {error}") from None
        return match


def show(match: Match) -> dict[str, Any]:
    """Everything that the page shows of a match; points are labels."""
    game, picture = match.game, match.picture()
    labels = game.board.labels
    outcome = match.outcome
    last = match.history[-1][1] if match.history else ()
    return {
        "position": match.position,
        "player": match.player,
        "chain": None if match.chain is None else labels[match.chain],
        "pieces": {labels[point]: list(piece) for point, piece in sorted(picture.pieces.items())},
        "legal": [show_step(game, step) for step in match.legal_steps],
        "turns": list(_turns(match)),
        "last_turn": [labels[point] for point in picture.last_turn],
        "last_ways": [way for step in last if (way := show_way(game, step))],
        "captured": [labels[point] for point in picture.captured],
        "pending": [labels[point] for point in picture.pending],
        "standing": standing(match),
        "description": picture.description,
        "outcome": None
        if outcome is None
        else {"winner": outcome.winner, "reason": outcome.reason, "sentence": outcome_sentence(match, outcome)},
    }


def show_step(game: Game, step: Step) -> dict[str, Any]:
    """A step with its way."""
    labels = game.board.labels
    return {
        "text": step.text,
        "origin": None if step.origin is None else labels[step.origin],
        "target": None if step.target is None else labels[step.target],
        "captured": [labels[point] for point in step.captured],
        "way": show_way(game, step),
    }


def show_way(game: Game, step: Step) -> list[list[float]]:
    """Where a step goes along, a polyline in the drawing units of the board as South sees it."""
    return [[round(x, 1), round(y, 1)] for x, y in _way(game, step)]


def _way(game: Game, step: Step) -> tuple[Place, ...]:
    """Where a piece goes along, over its victim where the leap bends."""
    if step.origin is None or step.target is None or step.is_pass:
        return ()
    layout = lay_out(game.board)
    route = layout.route(step.origin, step.target)
    if len(route) > 2 or not step.captured:
        return route
    start, end, over = route[0], route[-1], layout.places[step.captured[0]]
    bends = abs((end[0] - start[0]) * (over[1] - start[1]) - (end[1] - start[1]) * (over[0] - start[0])) > 1.0
    return (start, over, end) if bends else route


def _turns(match: Match) -> Iterator[dict[str, Any]]:
    """The turns so far, each with its player and the number of steps after it."""
    done = 0
    for player, steps in match.history:
        done += len(steps)
        yield {"player": player, "text": join_turn([step.text for step in steps]), "steps": done}


def _find(match: Match, text: str) -> Step | str:
    """The legal step of a text, or the text, so that `Match.push` says what is wrong with it."""
    return next((step for step in match.legal_steps if step.text == text), text)


@lru_cache(maxsize=64)
def _load(name: str, options: tuple[tuple[str, OptionValue], ...]) -> Game:
    return load_game(name, **dict(options))
