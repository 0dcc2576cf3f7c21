"""Puzzles solved in the terminal."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING

import click

from ...errors import AlquerqueError, plain_text
from ...exercises.exercise import NOT_SOLVED, Attempt
from ...exercises.puzzle_set import Puzzle, PuzzleSet
from ...exercises.winning_line import refute
from ...game.game import Game
from ...game.rules_text import SIDES
from ...game.step import join_turn
from ...match.match import Match
from ..console.capabilities import Terminal, join_words
from .puzzle_record import PuzzleRecord, puzzle_key, write_record
from .typed_commands import help_rows
from .typed_input import listed_steps, play_typed, read_line

if TYPE_CHECKING:
    from ...solve.tables import EndgameTable

_COMMANDS = {
    "hint": "show which piece moves; the puzzle then counts as not solved",
    "solution": "show the line and the position after it",
    "skip": "go on to the next puzzle",
    "board": "draw the board and list the steps again",
    "quit": "leave; the rating is kept",
}


@dataclass
class PuzzleSession:
    """Shows puzzles one after the other, those near the person's rating first."""

    game: Game
    puzzles: PuzzleSet
    terminal: Terminal
    record: PuzzleRecord
    find_table: Callable[[], "EndgameTable | None"]

    def play(self) -> None:
        """Plays until the person leaves or every puzzle has been tried."""
        self.say(f"{self.game.title}: {len(self.puzzles.puzzles)} puzzles. Type help for the commands.")
        skipped: set[str] = set()
        try:
            while (puzzle := self._next(skipped)) is not None:
                skipped.add(puzzle_key(self.game.name, puzzle))
                self._solve(puzzle)
        except EOFError:
            self.say(f"Your rating is {self.record.rating:.0f}.")
            return
        self.say(f"You have tried every puzzle of {self.game.title}. Your rating is {self.record.rating:.0f}.")

    def say(self, text: str = "") -> None:
        """Prints a line, without control characters and those that the terminal lacks."""
        click.echo(self.terminal.plain(plain_text(text)))

    def _next(self, skipped: set[str]) -> Puzzle | None:
        """The puzzle nearest to the person's rating among those not tried."""
        done = {*self.record.tried, *skipped}
        left = [each for each in self.puzzles.puzzles if puzzle_key(self.game.name, each) not in done]
        return min(left, key=lambda each: abs(each.rating - self.record.rating), default=None)

    def _solve(self, puzzle: Puzzle) -> None:
        attempt = Attempt(self.game, puzzle.exercise)
        side = SIDES[attempt.player]
        self.say(f"\nPuzzle, rating {puzzle.rating}. {side} wins. Find the only move.")
        self._show(attempt)
        while not attempt.is_solved:
            text = read_line(f"{side}> ")
            if not text:
                continue
            try:
                command = _find_command(text)
                if command == "quit":
                    raise EOFError
                if command == "skip":
                    return
                if command == "solution":
                    self._note(puzzle, solved=False)
                    self._show_solution(puzzle, attempt.player)
                    return
                self._answer(attempt, puzzle, text) if command is None else self._help(attempt, puzzle, command)
            except AlquerqueError as error:
                self.say(f"{error}.")
        key = puzzle_key(self.game.name, puzzle)
        change = self._note(puzzle, solved=True)
        is_first = self.record.tried.get(key, False)
        self.say(f"Solved.{f' Your rating is {self.record.rating:.0f} ({change:+.0f}).' if is_first else ''}")
        self._end(attempt.match, attempt.player)

    def _show_solution(self, puzzle: Puzzle, player: int) -> None:
        line, match = puzzle.exercise.line, Match(self.game, puzzle.position)
        for step in chain.from_iterable(line):
            match.push(step)
        self.say("The line is " + ", ".join(join_turn(list(turn)) for turn in line) + ".")
        self._end(match, player)

    def _end(self, match: Match, player: int) -> None:
        """Shows the last position of a puzzle until the person has seen it."""
        click.echo(self.terminal.draw(match.picture(turned=player == 1)))
        text = read_line("Press Enter for the next puzzle, or type quit. ")
        with suppress(AlquerqueError):
            if _find_command(text) == "quit":
                raise EOFError

    def _answer(self, attempt: Attempt, puzzle: Puzzle, text: str) -> None:
        match = attempt.match
        tried = match.copy()
        play_typed(tried, text)
        steps = [step.text for step in tried.steps[len(match.steps) :]]
        before = len(match.steps)
        if attempt.answer(steps) == NOT_SOLVED:
            while len(match.steps) > before:
                match.pop()
            self._note(puzzle, solved=False)
            sentence, _ = refute(tried, before, self.find_table())
            self.say(f"{sentence} Try again, or type solution.")
            return
        if attempt.is_solved:
            return
        played = match.history[-1] if match.player == attempt.player and not match.turn_goes_on else None
        if played is not None and played[0] != attempt.player:
            self.say(f"Right. {SIDES[1 - attempt.player]} plays {join_turn([step.text for step in played[1]])}.")
        self._show(attempt)

    def _help(self, attempt: Attempt, puzzle: Puzzle, command: str) -> None:
        if command == "board":
            self._show(attempt)
        elif command == "help":
            click.echo("\n".join(self.terminal.table(help_rows(self.game, tuple(_COMMANDS.items())))))
        else:
            self._note(puzzle, solved=False)
            step = next(step for step in attempt.match.legal_steps if step.text == attempt.expected)
            labels = self.game.board.labels
            self.say(f"The piece on {labels[step.origin]} moves." if step.origin is not None else f"Play {step.text}.")

    def _show(self, attempt: Attempt) -> None:
        picture = attempt.match.picture(turned=attempt.player == 1)
        click.echo(self.terminal.draw(picture))
        self.say(f"\n{self.terminal.columns(listed_steps(attempt.match))}")

    def _note(self, puzzle: Puzzle, *, solved: bool) -> float:
        """Keeps the result of a puzzle; returns the change of the rating."""
        before = self.record
        self.record = before.after(self.game.name, puzzle, solved=solved)
        if self.record is not before:
            try:
                write_record(self.record)
            except OSError as error:
                self.say(f"The rating cannot be kept: {error.strerror or error}.")
        return self.record.rating - before.rating


def _find_command(text: str) -> str | None:
    """The command that a line means; None if it means a step."""
    word = text.lower()
    names = [*_COMMANDS, "help"]
    if word in ("?", "exit"):
        return "help" if word == "?" else "quit"
    if not word.isalpha() or word == "pass":
        return None
    meant = [name for name in names if name.startswith(word)]
    if len(meant) == 1:
        return meant[0]
    if near := meant or get_close_matches(word, names, n=1):
        raise AlquerqueError(f"cannot read {word!r}; did you mean {join_words(near)}?")
    return None
