"""The form of an exercise, a position and the line that solves it; and how lines of puzzles are found.

The line of a puzzle has the player's only turns that win, and between them the replies that resist longest. The wins
that a player missed in a match are found too, and why a turn does not win.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import AlquerqueError
from ..game.game import Game
from ..game.step import Step, join_turn
from ..match.match import Match
from ..match.replay import first_position, push_text
from ..match.status_text import outcome_sentence
from ..solve.exact_steps import exact_steps

if TYPE_CHECKING:
    from ..solve.proved_steps import ProvedSteps
    from ..solve.tables.match_values import MatchValues

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
            push_text(self.match, step)
        while not self.is_solved and self.match.player != self.player:
            push_text(self.match, self.expected)
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
            push_text(match, step)
        if not match.is_over and match.turn_goes_on:
            raise AlquerqueError(f"turn {number + 1} of an exercise from {exercise.position} does not end")
    if len(exercise.line) % 2 == 0:
        raise AlquerqueError(f"the line of an exercise from {exercise.position} does not end with the player's turn")
    return match


Turn = tuple[str, ...]  # the texts of its steps


def winning_line(match: Match, table: "MatchValues | None", proof: "ProvedSteps | None" = None) -> tuple[Turn, ...]:
    """Returns the line from a position in which one turn alone wins; empty in another.

    It goes on while one turn alone wins and a table knows the best reply, and ends with a turn of the player. A proof
    is asked about the first turn alone.
    """
    now = match.copy()
    turns: list[Turn] = []
    replies: list[Turn] = []
    only = only_turn(now, table, proof)
    while only:
        turns += [*replies, only]
        for text in only:
            push_text(now, text)
        replies = [] if table is None else push_best_reply(now, match.player, table)
        only = only_turn(now, table) if replies else ()
    return tuple(turns)


def only_turn(match: Match, table: "MatchValues | None", proof: "ProvedSteps | None" = None) -> Turn:
    """Returns the only turn that wins; empty if there is none, or a choice among winning steps within it."""
    now, player, line = match.copy(), match.player, []
    while not now.is_over and now.player == player:
        known = exact_steps(now, table, proof).steps
        wins = [found.step for found in known if found.least == 1]
        is_sure = all(found.most < 1 or found.least == 1 for found in known)
        if len(wins) != 1 or not is_sure:
            return ()
        line.append(wins[0].text)
        now.push(wins[0])
        if not now.turn_goes_on:
            break
    return tuple(line)


def push_best_reply(match: Match, player: int, table: "MatchValues") -> list[Turn]:
    """Plays the turns of the opponent of `player` with the best steps; returns them, or nothing if none is known.

    A lost opponent resists as long as possible, and if possible so that one turn alone wins again.
    """
    played = len(match.history)
    while not match.is_over and match.player != player:
        best = table.best_steps(match)
        ranked = [found for found in table.steps(match) if found.step in best]
        if not ranked:
            return []
        longest = [found.step for found in ranked if found.distance == ranked[0].distance]
        match.push(next((step for step in longest if _wins_alone(match, step, player, table)), longest[0]))
    return [tuple(step.text for step in steps) for _, steps in match.history[played:]]


def _wins_alone(match: Match, step: Step, player: int, table: "MatchValues") -> bool:
    """Whether after a step of the opponent one turn alone wins."""
    after = match.copy()
    after.push(step)
    return after.player == player and bool(only_turn(after, table))


def find_missed_wins(
    match: Match, players: Sequence[int], table: "MatchValues | None", proof: "ProvedSteps | None"
) -> Iterator[tuple[int, Exercise]]:
    """Yields the positions in which one turn alone won, as a table or a proof knows, and the player took another.

    Args:
      match: The match; it is unchanged.
      players: The sides that are looked at.
      table: A table of the game, None if there is none.
      proof: A proof of the game, None if there is none.

    Yields:
      The number of turns before the position, and the position with the line that wins, see `winning_line`. Turns with
      a choice among winning steps are left out.
    """
    ahead = Match(match.game, first_position(match))
    for number, (player, steps) in enumerate(match.history):
        only = only_turn(ahead, table, proof) if player in players and len(ahead.legal_steps) > 1 else ()
        if only and only != tuple(step.text for step in steps):
            yield number, Exercise(ahead.position, winning_line(ahead, table, proof))
        for step in steps:
            ahead.push(step)


def refute(
    match: Match, since: int, table: "MatchValues | None", person: int | None = None
) -> tuple[str, tuple[str, ...]]:
    """Says what is wrong with the turn that the player has just begun or ended.

    Args:
      match: The match after it.
      since: The number of steps before it.
      table: An endgame table, None if there is none.
      person: Whom the sentence calls `you`, see `status_text`.

    Returns:
      A sentence, and the steps of the best reply; none where no table has them.
    """
    player = match.history[-1][0]
    turn = join_turn([step.text for step in match.steps[since:]])
    if match.outcome is not None:
        return f"{turn} ends the match. {outcome_sentence(match, match.outcome, person)}", ()
    value = None if table is None else table.value(match)
    if table is None or value is None:
        return f"{turn} does not win.", ()
    own = value if match.player == player else -value
    result = "only draws" if own == 0 else "loses"
    reply = [text for turn in push_best_reply(match.copy(), player, table) for text in turn]
    if not reply:
        return f"{turn} {result}.", ()
    return f"{turn} {result}: the opponent answers {join_turn(reply)}.", tuple(reply)
