"""A match played in the terminal by people, bots or both."""

import shlex
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import click

from ...errors import AlquerqueError, RecordError
from ...game.rules_text import SIDES
from ...game.step import Step, join_turn
from ...match.match import Match
from ...match.status_text import numbered_turns, outcome_sentence, standing
from ..console.capabilities import Terminal
from ..console.interruptible import work
from ..console.signals import orderly_end, undisturbed
from ..parameters import option_arguments
from .match_file import Forfeit, Found, Keeper
from .players import Seat
from .typed_input import play_typed, point_typed

if TYPE_CHECKING:
    from ...bots.bot import Bot

RESIGNED = "resigned"
# More targets than these, of several pieces, would hide the pieces.
_FEW_TARGETS = 4


Command = Callable[["Session"], None]
"""What a typed command does to a session."""


@dataclass
class Session:
    """One match, from its first board to its result.

    Attributes:
      match: The match.
      seats: Who plays South and North.
      terminal: Where it is shown.
      find_command: The command that a typed line means, None where it means a step.
      delay: Seconds to wait after each turn of a bot.
      keeper: Writes the match to files.
      forfeit: How the match has ended, where not on the board.
    """

    match: Match
    seats: tuple[Seat, Seat]
    terminal: Terminal
    find_command: Callable[[str], Command | None]
    delay: float = 0.0
    keeper: Keeper = field(default_factory=Keeper)
    forfeit: Forfeit | None = None
    _shown: int | None = None
    _kept: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._kept = list(self.match.steps)

    @property
    def people(self) -> list[int]:
        """The sides that people play."""
        return [player for player, seat in enumerate(self.seats) if seat.bot is None]

    def play(self) -> None:
        """Plays to the end of the match, or until somebody leaves.

        Raises:
          KeyboardInterrupt: After Ctrl-C, when the match has been saved.
          SystemExit: Likewise, when the terminal was closed; and if the match could not be written to `keeper.save_to`.
        """
        with orderly_end():
            try:
                path = self._play_on()
            except BaseException:
                with undisturbed():
                    self._part()
                raise
        if self.keeper.save_to not in (None, path):
            raise SystemExit(1)

    def say(self, text: str = "") -> None:
        """Prints a line as well as the terminal can."""
        click.echo(self.terminal.plain(text))

    def show(self, piece: int | None = None) -> None:
        """Draws the board, with the steps of one piece or of all."""
        match = self.match
        steps = [step for step in match.legal_steps if not step.is_pass and piece in (None, step.origin)]
        asks = self.goes_on and self.seats[match.player].bot is None
        marks = _marks(steps) if asks else {}
        picture = match.picture(turned=self.people == [1], **marks)
        self.say()
        click.echo(self.terminal.draw(picture))
        self._shown = len(match.steps)
        if asks:
            self._list_steps()

    def resign(self) -> None:
        """Gives the match up for the side that is to move."""
        self.forfeit = Forfeit(self.match.player, RESIGNED)

    def show_again(self) -> None:
        """Has the board drawn before the next question, even if nothing has been played."""
        self._shown = None

    def text(self) -> str:
        """The record of the match as it stands."""
        south, north = self.seats
        return self.keeper.text(self.match, (south.name, north.name), self.forfeit)

    def go_on_with(self, found: Found) -> None:
        """Goes on with the match of a file, with the players of this one; a person takes the person's side.

        Raises:
          BotError: If the bot cannot play that game.
          RecordError: If the match that is left has turns that no file has, and cannot be saved.
        """
        match = found.record.match
        south, north = self.seats
        if match.game.table_hash != self.match.game.table_hash:
            south, north = south.at(match.game), north.at(match.game)
        if len(self.people) == 1 and found.human not in (None, *self.people):
            south, north = north, south
        if self.match.steps and self.keeper.file_of(text := self.text()) in (None, self.keeper.beside):
            self.say(f"The match that you leave is saved in {self.keeper.set_aside(text)}.")
        self.keeper.adopt(found)
        self.forfeit = None
        self.match, self.seats = match, called_as(found, (south, north))
        self._kept = list(match.steps)
        self.say(describe_found(found))
        self.show_again()

    @property
    def goes_on(self) -> bool:
        """Whether the match is not over, on the board or otherwise."""
        return not self.match.is_over and self.forfeit is None

    @property
    def _is_fault(self) -> bool:
        """Whether the match has ended because a bot has failed."""
        return self.forfeit is not None and self.forfeit.reason != RESIGNED

    def _play_on(self) -> str | None:
        """Plays until the match is over or somebody leaves; returns the file that holds the match then."""
        self._greet()
        while True:
            try:
                while self.goes_on:
                    self._take_step()
                    self._keep_beside()
            except EOFError:
                return self._part()
            path = self._announce()
            if not self._is_taken_back():
                return path

    def _is_taken_back(self) -> bool:
        """Lets a person keep the match that is over, look at it or take the end of it back."""
        if not self.people or self._is_fault or sys.stdin is None or not sys.stdin.isatty():
            return False
        self.say("Enter leaves. You may also save FILE, undo, or see the turns or the board.")
        while not self.goes_on:
            try:
                text = read_line("> ").strip()
                if not text:
                    return False
                if (command := self.find_command(text)) is None:
                    raise AlquerqueError("the match is over; type undo to take the last turn back, or Enter to leave")
                command(self)
            except EOFError:
                return False
            except AlquerqueError as error:
                self.say(self.terminal.wrap(str(error)))
        self.show_again()
        return True

    def _take_step(self) -> None:
        bot = self.seats[self.match.player].bot
        if bot is None:
            self._show_once()
            self._ask()
        else:
            self._play_bot(bot)
            if not self.people:
                self._show_once()
            time.sleep(self.delay)

    def _greet(self) -> None:
        sides = ", ".join(f"{side}: {self._name(player)}" for player, side in enumerate(SIDES))
        self.say(f"{self.match.game.title}. {sides}.")
        if self.people:
            self.say(f"Type a step such as {self.match.legal_steps[0]}, its number, or help.")
        self._show_once()

    def _name(self, player: int) -> str:
        if self.seats[player].bot is None:
            called = self.seats[player].called
            return "you" if len(self.people) == 1 else called or "a person"
        return self.seats[player].spec

    def _show_once(self) -> None:
        if self._shown != len(self.match.steps):
            self.show()

    def _list_steps(self) -> None:
        if note := standing(self.match):
            self.say(note)
        steps = self.match.legal_steps
        numbered = [f"{number:>{len(str(len(steps)))}} {step}" for number, step in enumerate(steps, 1)]
        self.say()
        self.say(self.terminal.columns(numbered))

    def _play_bot(self, bot: "Bot") -> None:
        match, player, first = self.match, self.match.player, len(self.match.steps)
        while not match.is_over and match.player == player:
            try:
                # A copy, since a bot interrupted by Ctrl-C goes on thinking while the match is saved.
                match.push(work(partial(bot.choose, match.copy()), f"{SIDES[player]} is thinking ..."))
            except AlquerqueError as error:
                # Another program may be behind it.
                self.forfeit = Forfeit(player, " ".join(str(error).split()))
                return
        turn = join_turn([step.text for step in match.steps[first:]])
        self.say(f"\n{SIDES[player]} ({bot.name}) plays {turn}")

    def _ask(self) -> None:
        """Asks a person once and does what is said."""
        try:
            self._obey(read_line(f"{SIDES[self.match.player]}> ").strip())
        except AlquerqueError as error:
            self.say(self.terminal.wrap(str(error)))

    def _obey(self, text: str) -> None:
        if (command := self.find_command(text)) is not None:
            command(self)
        elif (point := point_typed(self.match, text)) is not None:
            self._show_piece(point)
        elif text:
            first, side = len(self.match.steps), SIDES[self.match.player]
            play_typed(self.match, text)
            if text.isdecimal():
                self.say(f"{side} plays {self.match.steps[first]}")

    def _show_piece(self, point: int) -> None:
        if not any(step.origin == point and not step.is_pass for step in self.match.legal_steps):
            raise AlquerqueError(f"nothing on {self.match.game.board.labels[point]} may move now")
        self.show(point)

    def _announce(self) -> str | None:
        """Tells the end of the match; returns the file that holds it."""
        path, notes = self._keep()
        self._show_once()
        self.say()
        if self.forfeit is None:
            outcome = self.match.outcome
            assert outcome is not None, "announced before the end"
            winner, sentence = outcome.winner, outcome_sentence(self.match, outcome)
        else:
            loser, reason = self.forfeit
            winner = 1 - loser
            what = f"has failed: {reason}" if self._is_fault else "resigns"
            sentence = f"{SIDES[winner]} wins: {SIDES[loser]} {what}."
        if len(self.people) == 1 and winner is not None:
            self.say("You win!" if winner in self.people else "You lose.")
        self.say(sentence)
        self._record(notes)
        if self._is_fault:
            self.say(f"Go on with: {self._command(path)}")
        return path

    def _keep(self) -> tuple[str | None, list[str]]:
        """Writes the match to a file if it has to be; returns the file that holds it, and what to say of it."""
        try:
            text = self.text()
        except RecordError as error:
            return None, [f"The match is not saved: {error}."]
        is_unfinished = self.goes_on or self._is_fault
        return self.keeper.keep(text, is_unfinished=is_unfinished and bool(self.match.steps))

    def _keep_beside(self) -> None:
        """Writes a turn that a person has a part in as soon as it is played."""
        played = list(self.match.steps)
        if self.people and played and self.goes_on and self._kept != played:
            with suppress(RecordError):  # where play ends, it is said why
                self.keeper.keep_beside(self.text())
            self._kept = played

    def _part(self) -> str | None:
        """Saves a match that has begun, and prints what is needed to go on later; returns the file that holds it."""
        # Saved before a word is said: the terminal may be closed already.
        path, notes = self._keep()
        with suppress(OSError):
            self.say()
            self._record(notes)
            if self.goes_on:
                self.say(f"Go on with: {self._command(path)}")
        return path

    def _command(self, path: str | None) -> str:
        """The command that goes on with the match, in a file or from its position."""
        seats = [["--opponent", seat.spec] for seat in self.seats]
        arguments = (
            [*option_arguments(self.match.game), "--position", self.match.position]
            if path is None
            else ["--load", path]
        )
        if len(self.people) == 1:
            arguments += [*seats[1 - self.people[0]], "--seat", str(self.people[0])]
        elif self.people:
            arguments += seats[0]
        else:
            arguments += ["--watch", self.seats[0].spec, *seats[1]]
        if path is not None and path == self.keeper.save_to:
            arguments += ["--save", path]
        return f"alquerque play {self.match.game.name} {shlex.join(arguments)}"

    def _record(self, notes: list[str]) -> None:
        if turns := numbered_turns(self.match):
            self.say(self.terminal.columns(turns))
        self.say(f"Position: {self.match.position}")
        for note in notes:
            self.say(note)


def called_as(found: Found, seats: tuple[Seat, Seat]) -> tuple[Seat, Seat]:
    """The same players, people with their names in a file."""
    south, north = (
        replace(seat, called=found.called(side)) if seat.bot is None else seat for side, seat in enumerate(seats)
    )
    return south, north


def describe_found(found: Found) -> str:
    """What a match in a file is, in a sentence or three."""
    record = found.record
    match = record.match
    played = len(match.turns)
    turns = f"{played or 'no'} turn{'s' * (played != 1)}"
    sentences = [f"{match.game.title}, {turns} of {record.south} (South) and {record.north} (North)."]
    if found.count > 1:
        sentences.append(f"This is match {found.number} of the {found.count} in {found.path}.")
    if record.result != "*":
        sentences.append(f"It ended there as {record.result} ({record.reason or 'no reason given'}); here it goes on.")
    return " ".join(sentences)


def _marks(steps: list[Step]) -> dict[str, tuple[int, ...]]:
    """What to mark on the board: the pieces that may move, and where they may go if that stays readable."""
    origins = tuple({step.origin for step in steps if step.origin is not None})
    targets = tuple({step.target for step in steps if step.target is not None})
    return {"origins": origins, "targets": targets if len(origins) == 1 or len(targets) <= _FEW_TARGETS else ()}


def read_line(prompt: str) -> str:
    """Reads what a person types, with editing and history where the terminal has them.

    Raises:
      EOFError: At the end of the input.
    """
    if sys.stdin is None:
        raise EOFError
    if sys.stdin.isatty():
        return input(prompt)
    line = input(prompt)
    # What a script gives is shown, so that the output reads like that of a terminal.
    click.echo(line)
    return line
