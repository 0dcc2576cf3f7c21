"""A match played in the terminal by people, bots or both, and its players."""

import shlex
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import click

from ...bots.bot import Bot
from ...bots.load import find_bot, load_bot
from ...bots.spec import FORMS, parse_spec
from ...errors import AlquerqueError, RecordError, control_character, one_line
from ...game.game import Game
from ...game.rules_text import SIDES
from ...game.step import Step, join_turn
from ...match.match import Match
from ...match.records import Record
from ...match.records.record import RESIGNED, UNKNOWN_NAME
from ...match.status_text import numbered_turns, outcome_sentence, standing
from ..console.capabilities import Terminal
from ..console.signals import exit_on_signals, ignore_signals, run_interruptible
from .match_file import LoadedMatch, MatchSaver
from .typed_input import ask_for_step, listed_steps, piece_typed, play_typed, read_line

HUMAN = "human"


@dataclass(frozen=True)
class Player:
    """The player of one side."""

    spec: str  # the bot's spec, or `human`
    bot: Bot | None  # the bot; None for a person
    seed: int | None = None  # makes the bot's choices repeatable; None for different choices each time
    seconds: float | None = None  # time limit of the bot, as in `load_bot`

    def name(self, known: str) -> str:
        """Name in a record that has a name already: that of a person stays. It cannot hold control characters."""
        if self.bot is None:
            return known if is_person(known) else HUMAN
        return self.spec if control_character(self.spec) is None else ascii(self.spec)

    def for_game(self, game: Game) -> "Player":
        """The same player for another game; raises `BotError` if the bot cannot play it."""
        return make_player(self.spec, game, self.seed, self.seconds)


def person_in(record: Record) -> int | None:
    """The side that a person played; None if two people played, or none."""
    sides = [side for side, name in enumerate((record.south, record.north)) if is_person(name)]
    return sides[0] if len(sides) == 1 else None


def is_own_bot(name: str) -> bool:
    """Whether a name in a match file is a bot of this package. No file can make other programs run."""
    try:
        find_bot(name, programs=False)
    except AlquerqueError:
        return False
    return parse_spec(name).is_shipped


def may_beat_a_search(text: str) -> bool:
    """Whether a player may be stronger than a search of some seconds: trained bots and `perfect`; not programs."""
    spec = parse_spec(text)
    return spec.kind == "perfect" or (text != HUMAN and spec.kind not in FORMS and not spec.starts_program)


def is_person(name: str) -> bool:
    """Whether a name in a match file looks like that of a person."""
    is_bot = parse_spec(name).starts_program or "/" in name or "\\" in name or is_own_bot(name)
    return name != UNKNOWN_NAME and not is_bot


def make_player(spec: str, game: Game, seed: int | None = None, seconds: float | None = None) -> Player:
    """Makes a player for a game from a bot's spec, which may raise `BotError`, or `human`; see `Player`."""
    bot = None
    if spec != HUMAN:
        bot = run_interruptible(lambda: load_bot(spec, game, seed=seed, time_limit=seconds), f"loading {spec} ...")
    return Player(spec, bot, seed, seconds)


# With more targets of several pieces than this, their marks would hide the pieces.
_MAX_TARGETS = 4


Command = Callable[["Session"], object]  # what a typed command does to a session


@dataclass
class Session:
    """One match, from its first board to its result."""

    record: Record
    players: tuple[Player, Player]  # South and North
    terminal: Terminal
    # Returns the command that a typed line means; None if it means a step.
    find_command: Callable[[str], Command | None]
    delay: float = 0.0  # seconds to wait after each turn of a bot
    saver: MatchSaver = field(default_factory=MatchSaver)
    given: Game | None = None  # the game that the user named. A match from a file has it without its path.
    # Number of steps when the board was last drawn; None to draw it before the next question.
    _drawn: int | None = None
    _saved: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._saved = list(self.match.steps)
        self.seat(self.players)

    @property
    def match(self) -> Match:
        """The match of the record."""
        return self.record.match

    @property
    def people(self) -> list[int]:
        """The sides that people play."""
        return [side for side, player in enumerate(self.players) if player.bot is None]

    @property
    def is_unfinished(self) -> bool:
        """Whether neither the rules nor a player has ended the match."""
        return not self.record.is_over

    def play(self) -> None:
        """Plays until the match is over or the user leaves.

        Raises:
          KeyboardInterrupt: On Ctrl-C, after the match is saved.
          SystemExit: On a signal such as a closed terminal, after the match is saved; with status 1 at the end of play
            if the match could not be written to the file named by the user.
        """
        with exit_on_signals():
            try:
                path = self._play_to_end()
            except BaseException:
                with ignore_signals():
                    self._leave()
                raise
        if self.saver.save_to not in (None, path):
            raise SystemExit(1)

    def say(self, text: str = "") -> None:
        """Prints lines, as `Terminal.say`."""
        self.terminal.say(text)

    def show(self, piece: int | None = None) -> None:
        """Draws the board and lists the legal steps; the board marks those of one piece or of all."""
        match = self.match
        asks = self.is_unfinished and self.players[match.player].bot is None
        steps = [step for step in match.legal_steps if asks and not step.is_pass and piece in (None, step.origin)]
        origins = tuple({step.origin for step in steps if step.origin is not None})
        targets = tuple({step.target for step in steps if step.target is not None})
        if len(origins) != 1 and len(targets) > _MAX_TARGETS:
            targets = ()
        self.say()
        self.draw(match, origins=origins, targets=targets)
        self._drawn = len(match.steps)
        if asks:
            if note := standing(match):
                self.say(note)
            self.say(f"\n{self.terminal.columns(listed_steps(match))}")

    def draw(self, match: Match, **marks: tuple[int, ...]) -> None:
        """Draws a position, as the person sees it."""
        click.echo(self.terminal.draw(match.picture(turned=self.people == [1], **marks)))

    def redraw(self) -> None:
        """Draws the board before the next question, even if no step has been played."""
        self._drawn = None

    def seat(self, players: tuple[Player, Player]) -> None:
        """Lets these players go on, and names them in the record."""
        self.players = south, north = players
        self.record.south, self.record.north = south.name(self.record.south), north.name(self.record.north)

    def resume(self, loaded: LoadedMatch) -> None:
        """Continues with a match from a file; a person takes the side of the person in the file.

        The players stay, or `BotError` if one cannot play that game. A match that would be lost is saved, or
        `RecordError`.
        """
        match, person = loaded.record.match, person_in(loaded.record)
        south, north = self.players
        if match.game.table_hash != self.match.game.table_hash:
            south, north = south.for_game(match.game), north.for_game(match.game)
        if len(self.people) == 1 and person not in (None, *self.people):
            south, north = north, south
        if self.match.steps and self.saver.file_with(self.record) is None:
            self.say(f"The match that you leave is saved in {self.saver.save_in_state_folder(self.record)}.")
        self.saver.continue_match(loaded)
        self.record = loaded.record
        self.seat((south, north))
        self._saved = list(match.steps)
        self.say(loaded.description)
        self.redraw()

    @property
    def _is_untouched(self) -> bool:
        """Whether the match is at the start of its game, which needs no text."""
        return not self.match.steps and self.match.position == Match(self.match.game).position

    @property
    def _has_failed(self) -> bool:
        """Whether the match ended because a bot failed."""
        return not (self.is_unfinished or self.match.is_over or self.record.reason == RESIGNED)

    def _play_to_end(self) -> str | None:
        """Plays until the match is over or the user leaves; returns the file that holds the match."""
        sides = ", ".join(f"{side}: {self._name(number)}" for number, side in enumerate(SIDES))
        self.say(f"{self.match.game.title}. {sides}.")
        if self.people and self.match.legal_steps:
            self.say(ask_for_step(self.match))
        self._show_once()
        while True:
            try:
                while self.is_unfinished:
                    self._play_turn()
                    self._save_turn()
            except EOFError:
                return self._leave()
            path = self._announce()
            if not self._is_taken_back():
                return path

    def _name(self, side: int) -> str:
        if self.players[side].bot is not None:
            return self.players[side].spec
        name = (self.record.south, self.record.north)[side]
        return "you" if len(self.people) == 1 else "a person" if name == HUMAN else name

    def _show_once(self) -> None:
        if self._drawn != len(self.match.steps):
            self.show()

    def _play_turn(self) -> None:
        """Lets a bot play its turn, or reads one line from a person."""
        match, player, first = self.match, self.match.player, len(self.match.steps)
        bot = self.players[player].bot
        if bot is None:
            self._show_once()
            self._report_errors(lambda: self._do(read_line(f"{SIDES[player]}> ")))
            return
        note = ""  # of the first step of the turn that has one
        while not match.is_over and match.player == player:
            try:
                # The bot gets a copy since after Ctrl-C it goes on thinking while the match is saved.
                match.push(run_interruptible(partial(bot.choose, match.copy()), f"{SIDES[player]} is thinking ..."))
                note = note or getattr(bot, "note", "")
            except AlquerqueError as error:  # such as an illegal turn of an engine
                self.record.resign(player, one_line(str(error)))
                return
        self._save_turn()  # what is shown is kept, even if the process is killed now
        turn = join_turn([step.text for step in match.steps[first:]])
        self.say(f"\n{SIDES[player]} ({bot.name}) plays {turn}{f' ({note})' if note else ''}")
        if not self.people:
            self._show_once()
        time.sleep(self.delay)

    def _do(self, text: str) -> None:
        """Does what a person typed."""
        if (command := self.find_command(text)) is not None:
            command(self)
        elif not self.is_unfinished:
            raise AlquerqueError("the match is over; type undo to take back the last turn, or press Enter to leave")
        elif (point := piece_typed(self.match, text)) is not None:
            self.show(point)
        elif text:
            first, side = len(self.match.steps), SIDES[self.match.player]
            play_typed(self.match, text)
            self._save_turn()
            if text.isdecimal():
                self.say(f"{side} plays {self.match.steps[first]}")

    def _report_errors(self, task: Callable[[], None]) -> None:
        try:
            task()
        except AlquerqueError as error:
            self.say(self.terminal.wrap(str(error)))

    def _announce(self) -> str | None:
        """Prints the result; returns the file that holds the match."""
        path, notes = self._save_at_end()
        self._show_once()
        self.say()
        winner, sentence = self._result()
        if len(self.people) == 1 and winner is not None:
            self.say("You win!" if winner in self.people else "You lose.")
        self.say(sentence)
        self._say_record(notes)
        if self._has_failed:
            self.say(f"Resume with: {self._resume_command(path)}")
        return path

    def _result(self) -> tuple[int | None, str]:
        """The winner, and a sentence that says why."""
        winner, outcome = self.record.winner, self.match.outcome
        if outcome is not None or winner is None:
            return winner, "" if outcome is None else outcome_sentence(self.match, outcome)
        what = f"failed: {self.record.reason}" if self._has_failed else "resigns"
        return winner, f"{SIDES[winner]} wins: {SIDES[1 - winner]} {what}."

    def _is_taken_back(self) -> bool:
        """Asks after the end of a match for commands, until one of them reopens it or the user leaves."""
        if not self.people or self._has_failed or sys.stdin is None or not sys.stdin.isatty():
            return False
        self.say("Press Enter to leave, or type report, undo, save FILE, turns or board.")
        while not self.is_unfinished:
            try:
                text = read_line("> ")
                if not text:
                    return False
                self._report_errors(partial(self._do, text))
            except EOFError:
                return False
        self.redraw()
        return True

    def _save_turn(self) -> None:
        """Saves the match after each turn if a person plays; one that is over only where the user wants it."""
        played = list(self.match.steps)
        is_wanted = self.is_unfinished or self.saver.save_to is not None
        if self.people and played and is_wanted and self._saved != played:
            with suppress(RecordError):  # the error is shown when play ends
                self.saver.save_turn(self.record)
            self._saved = played

    def _save_at_end(self) -> tuple[str | None, list[str]]:
        """Saves the match if it has to be; returns the file that holds it, and what to tell the user."""
        is_unfinished = self.is_unfinished or self._has_failed
        return self.saver.save_at_end(self.record, is_unfinished=is_unfinished and bool(self.match.steps))

    def _leave(self) -> str | None:
        """Saves the match and prints the command that resumes it; returns the file that holds the match."""
        # Saved before anything is printed: the terminal may be closed already.
        path, notes = self._save_at_end()
        with suppress(OSError):
            self.say()
            self._say_record(notes)
            if self.is_unfinished:
                self.say(f"Resume with: {self._resume_command(path)}")
        return path

    def _resume_command(self, path: str | None) -> str:
        """The command that resumes the match, from a file or from its position."""
        opponents = [["--opponent", player.spec] for player in self.players]
        game = self.match.game
        start = [] if self._is_untouched else ["--position", self.match.position]
        arguments = [*game.option_arguments, *start] if path is None else ["--load", path]
        if len(self.people) == 1:
            arguments += [*opponents[1 - self.people[0]], "--seat", str(self.people[0])]
        elif self.people:
            arguments += opponents[0]
        else:
            arguments += ["--watch", self.players[0].spec, *opponents[1]]
        if path is not None and path == self.saver.save_to:
            arguments += ["--save", path]
        given = self.given
        if given is not None and (game.name, game.file_text) == (given.name, given.file_text):
            game = given
        return f"alquerque play {game.command_argument} {shlex.join(arguments)}"

    def _say_record(self, notes: list[str]) -> None:
        if turns := numbered_turns(self.match):
            self.say(self.terminal.columns(turns))
        if not self._is_untouched:
            self.say(f"Position: {self.match.position}")
        for note in notes:
            self.say(note)
