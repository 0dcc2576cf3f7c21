"""The form of an exercise: a position and the line that solves it."""

from collections.abc import Sequence
from typing import NamedTuple

from ..errors import AlquerqueError
from ..game.game import Game
from ..match.match import Match

NOT_SOLVED, GOES_ON, SOLVED = "wrong", "right", "solved"
"""What an answer is: the wrong step, a right one after which the exercise goes on, or the last right one."""


class Exercise(NamedTuple):
    """A position to solve by doing.

    Attributes:
      position: Text of the first position.
      line: The turns that solve it, each as the texts of its steps: those of the player, and between them the replies.
        The first turn and the last one are the player's.
    """

    position: str
    line: tuple[tuple[str, ...], ...]

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of the line, one after the other."""
        return tuple(step for turn in self.line for step in turn)


class Attempt:
    """An exercise while somebody solves it.

    Attributes:
      match: The match as it stands; its player is the one who solves.

    Raises:
      AlquerqueError: If the line is not legal in the game.
    """

    def __init__(self, game: Game, exercise: Exercise) -> None:
        self.exercise = exercise
        self.match = Match(game, exercise.position)
        self.player = self.match.player
        check_line(game, exercise)

    @property
    def expected(self) -> str:
        """The step that solves the exercise from here."""
        return self.exercise.steps[len(self.match.steps)]

    @property
    def is_solved(self) -> bool:
        """Whether every step of the line has been played."""
        return len(self.match.steps) == len(self.exercise.steps)

    def answer(self, steps: Sequence[str]) -> str:
        """Plays the steps of the player, and the reply; a wrong step leaves the match before it.

        Returns:
          `NOT_SOLVED`, `GOES_ON` or `SOLVED`.
        """
        for step in steps:
            if self.is_solved or step != self.expected:
                return NOT_SOLVED
            _push(self.match, step)
        while not self.is_solved and self.match.player != self.player:
            _push(self.match, self.expected)
        return SOLVED if self.is_solved else GOES_ON


def check_line(game: Game, exercise: Exercise) -> Match:
    """Plays the line of an exercise; returns the match after it.

    Raises:
      AlquerqueError: If the position or a step is not one of the game, or the turns do not alternate.
    """
    match = Match(game, exercise.position)
    for number, turn in enumerate(exercise.line):
        player = match.player
        for step in turn:
            if match.player != player:
                raise AlquerqueError(f"turn {number + 1} of an exercise from {exercise.position} is more than one turn")
            _push(match, step)
        if not match.is_over and match.turn_goes_on:
            raise AlquerqueError(f"turn {number + 1} of an exercise from {exercise.position} does not end")
    if len(exercise.line) % 2 == 0:
        raise AlquerqueError(f"the line of an exercise from {exercise.position} does not end with the player's turn")
    return match


def _push(match: Match, text: str) -> None:
    """Plays the legal step with exactly this text."""
    step = next((step for step in match.legal_steps if step.text == text), None)
    match.push(text if step is None else step)  # the match says what is wrong with a text that is not legal
