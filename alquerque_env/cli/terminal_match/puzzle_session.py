"""Puzzles solved in the terminal, with the rating that is kept in the user's state folder."""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import AlquerqueError
from ...exercises.exercise import NOT_SOLVED, Attempt, refute
from ...exercises.puzzle_rating import FIRST, rate_person
from ...exercises.puzzle_set import Puzzle, PuzzleSet
from ...files.atomic import write_whole
from ...files.regular import read_regular
from ...files.schema import parse
from ...files.user_folders import user_state_folder
from ...game.game import Game
from ...game.rules_text import SIDES
from ...game.step import join_turn
from ...match.match import Match
from ..console.capabilities import Terminal
from .typed_commands import help_rows
from .typed_input import command_typed, listed_steps, play_typed, read_line

if TYPE_CHECKING:
    from ...solve.tables import EndgameTable

_COMMANDS = {
    "hint": "show which piece moves; the puzzle then counts as not solved",
    "solution": "show the line and the position after it",
    "skip": "go on to the next puzzle",
    "board": "draw the board and list the steps again",
    "quit": "leave; the rating is kept",
}
_NAMES = (*_COMMANDS, "help", "?", "exit")
_MOST_BYTES = 4_000_000


@dataclass(frozen=True)
class PuzzleRecord:
    """A person's rating, and the puzzles that were tried, each with whether it was solved at once."""

    rating: float = FIRST
    tried: dict[str, bool] = field(default_factory=dict)

    def after(self, game: str, puzzle: Puzzle, *, solved: bool) -> "PuzzleRecord":
        """The record after a puzzle; one that was tried before changes no rating."""
        key = puzzle_key(game, puzzle)
        if key in self.tried:
            return self
        rating = rate_person(self.rating, puzzle.rating, solved=solved)
        return replace(self, rating=rating, tried={**self.tried, key: solved})


def puzzle_key(game: str, puzzle: Puzzle) -> str:
    """A short name of a puzzle, the same in every set that has it."""
    return f"{game}:{hashlib.sha256(puzzle.position.encode()).hexdigest()[:12]}"


def record_file() -> Path:
    """The file of the record."""
    return user_state_folder() / "puzzles.json"


def read_record() -> PuzzleRecord:
    """Reads the record; a new one if there is none. Raises `AlquerqueError` if the file cannot be used."""
    file = record_file()
    try:
        content = json.loads(read_regular(file, _MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return PuzzleRecord()
    except OSError as error:
        raise AlquerqueError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise AlquerqueError(f"{file} is damaged: delete it to begin with a new rating") from None
    return parse(PuzzleRecord, content, str(file))


def write_record(record: PuzzleRecord) -> None:
    """Writes the record; raises `OSError` if it cannot."""
    file = record_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(asdict(record)).encode())


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
        self.terminal.say(f"{self.game.title}: {len(self.puzzles.puzzles)} puzzles. Type help for the commands.")
        skipped: set[str] = set()
        try:
            while (puzzle := self._next(skipped)) is not None:
                skipped.add(puzzle_key(self.game.name, puzzle))
                self._solve(puzzle)
        except EOFError:
            self.terminal.say(f"Your rating is {self.record.rating:.0f}.")
            return
        self.terminal.say(f"You have tried every puzzle of {self.game.title}. Your rating is {self.record.rating:.0f}.")

    def _next(self, skipped: set[str]) -> Puzzle | None:
        """The puzzle nearest to the person's rating among those not tried."""
        done = {*self.record.tried, *skipped}
        left = [each for each in self.puzzles.puzzles if puzzle_key(self.game.name, each) not in done]
        return min(left, key=lambda each: abs(each.rating - self.record.rating), default=None)

    def _solve(self, puzzle: Puzzle) -> None:
        attempt = Attempt(self.game, puzzle.exercise)
        side = SIDES[attempt.player]
        self.terminal.say(f"\nPuzzle, rating {puzzle.rating}. {side} wins. Find the only move.")
        self._show(attempt)
        while not attempt.is_solved:
            text = read_line(f"{side}> ")
            if not text:
                continue
            try:
                command = command_typed(text.lower(), _NAMES)
                if command in ("quit", "exit"):
                    raise EOFError
                if command == "skip":
                    return
                if command == "solution":
                    self._note(puzzle, solved=False)
                    self._show_solution(puzzle, attempt.player)
                    return
                self._answer(attempt, puzzle, text) if command is None else self._help(attempt, puzzle, command)
            except AlquerqueError as error:
                self.terminal.say(f"{error}.")
        key = puzzle_key(self.game.name, puzzle)
        change = self._note(puzzle, solved=True)
        is_first = self.record.tried.get(key, False)
        self.terminal.say(f"Solved.{f' Your rating is {self.record.rating:.0f} ({change:+.0f}).' if is_first else ''}")
        self._end(attempt.match, attempt.player)

    def _show_solution(self, puzzle: Puzzle, player: int) -> None:
        line, match = puzzle.exercise.line, Match(self.game, puzzle.position)
        for step in chain.from_iterable(line):
            match.push(step)
        self.terminal.say("The line is " + ", ".join(join_turn(list(turn)) for turn in line) + ".")
        self._end(match, player)

    def _end(self, match: Match, player: int) -> None:
        """Shows the last position of a puzzle until the person has seen it."""
        click.echo(self.terminal.draw(match.picture(turned=player == 1)))
        text = read_line("Press Enter for the next puzzle, or type quit. ")
        with suppress(AlquerqueError):
            if command_typed(text.lower(), _NAMES) in ("quit", "exit"):
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
            self.terminal.say(f"{sentence} Try again, or type solution.")
            return
        if attempt.is_solved:
            return
        played = match.history[-1] if match.player == attempt.player and not match.turn_goes_on else None
        if played is not None and played[0] != attempt.player:
            self.terminal.say(
                f"Right. {SIDES[1 - attempt.player]} plays {join_turn([step.text for step in played[1]])}."
            )
        self._show(attempt)

    def _help(self, attempt: Attempt, puzzle: Puzzle, command: str) -> None:
        if command == "board":
            self._show(attempt)
        elif command in ("help", "?"):
            print("\n".join(self.terminal.table(help_rows(self.game, tuple(_COMMANDS.items())))))
        else:
            self._note(puzzle, solved=False)
            step = next(step for step in attempt.match.legal_steps if step.text == attempt.expected)
            origin = None if step.origin is None else self.game.board.labels[step.origin]
            self.terminal.say(f"Play {step.text}." if origin is None else f"The piece on {origin} moves.")

    def _show(self, attempt: Attempt) -> None:
        picture = attempt.match.picture(turned=attempt.player == 1)
        click.echo(self.terminal.draw(picture))
        self.terminal.say(f"\n{self.terminal.columns(listed_steps(attempt.match))}")

    def _note(self, puzzle: Puzzle, *, solved: bool) -> float:
        """Keeps the result of a puzzle; returns the change of the rating."""
        before = self.record
        self.record = before.after(self.game.name, puzzle, solved=solved)
        if self.record is not before:
            try:
                write_record(self.record)
            except OSError as error:
                self.terminal.say(f"The rating cannot be kept: {error.strerror or error}.")
        return self.record.rating - before.rating
