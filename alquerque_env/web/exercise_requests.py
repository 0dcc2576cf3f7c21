"""Requests about lessons and puzzles."""

from functools import lru_cache
from typing import Any

from ..errors import AlquerqueError
from ..exercises.puzzle_set import games_with_puzzles
from ..game.game import Game
from ..solve.proved_steps import present_proof
from ..solve.tables import present_table
from .catalogue import Catalogue
from .exercise_view import ELO, show_lessons, show_missed, show_puzzles, show_refutation
from .request_bodies import GameBody, MissedBody, RefuteBody


class ExerciseRequests:
    """Answers them from the files of the package, and from the tables that are present."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._lessons = lru_cache(maxsize=64)(show_lessons)
        self._puzzles = lru_cache(maxsize=16)(show_puzzles)

    def list_games(self) -> dict[str, Any]:
        """The games that have puzzles, and how a person is rated."""
        return {"puzzles": [name for name in games_with_puzzles() if name in self._catalogue.games], "elo": ELO}

    def lessons(self, body: GameBody) -> dict[str, Any]:
        """The lessons of a game."""
        return self._lessons(body.load(self._catalogue))

    def puzzles(self, body: GameBody) -> dict[str, Any]:
        """The puzzles of a game."""
        return self._puzzles(body.load(self._catalogue))

    def refute(self, body: RefuteBody) -> dict[str, Any]:
        """Why a turn does not win."""
        match = body.match.replay(self._catalogue)
        if len(match.steps) <= body.since:
            raise AlquerqueError(f"the match has {len(match.steps)} steps, so none follows the first {body.since}")
        return show_refutation(match, body.since, _table_of(match.game), body.match.person)

    def missed(self, body: MissedBody) -> dict[str, Any]:
        """The missed wins of a match."""
        match = body.match.replay(self._catalogue)
        proof, _ = present_proof(match.game)
        return show_missed(match, body.players, _table_of(match.game), proof)


def _table_of(game: Game) -> Any:
    return present_table(game, shipped=True)
