"""A match played in the terminal by people, bots or both."""

import shlex
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property, partial
from typing import TYPE_CHECKING

import click

from .. import load_bot
from ..errors import AlquerqueError
from ..match import PASS, Match, Step, join_turn
from ..sentences import SIDES, rule_sentences
from ..standing import numbered_turns, outcome_sentence, standing
from .parameters import option_arguments
from .talk import HELP
from .terminal import Terminal, join_words
from .typed import play_typed, point_typed
from .working import work

if TYPE_CHECKING:
    from ..bots.bot import Bot

HUMAN = "human"
HINT_SPEC = "alphabeta:4"

# More targets than these, of several pieces, would hide the pieces.
_FEW_TARGETS = 4


@dataclass(frozen=True)
class Seat:
    """Who plays a side.

    Attributes:
      spec: The bot's spec, or `human`.
      bot: The bot, None for a person.
    """

    spec: str
    bot: "Bot | None"


@dataclass
class Session:
    """One match, from its first board to its result.

    Attributes:
      match: The match.
      seats: Who plays South and North.
      terminal: Where it is shown.
      delay: Seconds to wait after each turn of a bot.
    """

    match: Match
    seats: tuple[Seat, Seat]
    terminal: Terminal
    delay: float = 0.0
    _turn_starts: list[int] = field(default_factory=list)
    _shown: int | None = None

    @property
    def people(self) -> list[int]:
        """The sides that people play."""
        return [player for player, seat in enumerate(self.seats) if seat.bot is None]

    def play(self) -> None:
        """Plays to the end of the match, or until somebody leaves.

        Raises:
          KeyboardInterrupt: After Ctrl-C, when the position has been printed.
        """
        try:
            self._greet()
            while not self.match.is_over:
                self._take_step()
        except EOFError:
            self._part()
        except (KeyboardInterrupt, Exception):
            self._part()
            raise
        else:
            self._announce()

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

    def _say(self, text: str = "") -> None:
        click.echo(self.terminal.plain(text))

    def _greet(self) -> None:
        sides = ", ".join(f"{side}: {self._name(player)}" for player, side in enumerate(SIDES))
        self._say(f"{self.match.game.title}. {sides}.")
        if self.people:
            self._say("Type a step such as c2-c3, its number, or help.")
        self._show_once()

    def _name(self, player: int) -> str:
        if self.seats[player].bot is None:
            return "you" if len(self.people) == 1 else "a person"
        return self.seats[player].spec

    def _show_once(self) -> None:
        if self._shown != len(self.match.steps):
            self._show()

    def _show(self, piece: int | None = None) -> None:
        """Draws the board, with the steps of one piece or of all."""
        match = self.match
        steps = [step for step in match.legal_steps if not step.is_pass and piece in (None, step.origin)]
        asks = not match.is_over and self.seats[match.player].bot is None
        marks = _marks(steps) if asks else {}
        picture = match.picture(turned=self.people == [1], **marks)
        self._say()
        click.echo(self.terminal.draw(picture))
        self._shown = len(match.steps)
        if asks:
            self._list_steps()

    def _list_steps(self) -> None:
        if note := standing(self.match):
            self._say(note)
        steps = self.match.legal_steps
        numbered = [f"{number:>{len(str(len(steps)))}} {step}" for number, step in enumerate(steps, 1)]
        self._say()
        self._say(self.terminal.columns(numbered))

    def _play_bot(self, bot: "Bot") -> None:
        match, player, first = self.match, self.match.player, len(self.match.steps)
        while not match.is_over and match.player == player:
            # A copy, since a bot interrupted by Ctrl-C goes on thinking while the position is printed.
            match.push(work(partial(bot.choose, match.copy()), f"{SIDES[player]} is thinking ..."))
        turn = join_turn([step.text for step in match.steps[first:]])
        self._say(f"\n{SIDES[player]} ({bot.name}) plays {turn}")

    def _ask(self) -> None:
        """Asks a person until a step has been played or taken back."""
        match = self.match
        before = len(match.steps)
        if match.chain is None or not self._turn_starts:
            self._note_turn(before)
        while len(match.steps) == before:
            try:
                self._obey(read_line(f"{SIDES[match.player]}> ").strip())
            except AlquerqueError as error:
                self._say(self.terminal.wrap(str(error)))

    def _note_turn(self, start: int) -> None:
        if not self._turn_starts or self._turn_starts[-1] != start:
            self._turn_starts.append(start)

    def _obey(self, text: str) -> None:
        if (command := self._command(text.lower())) is not None:
            command()
        elif (point := point_typed(self.match, text)) is not None:
            self._show_piece(point)
        elif text:
            first, side = len(self.match.steps), SIDES[self.match.player]
            play_typed(self.match, text)
            if text.isdecimal():
                self._say(f"{side} plays {self.match.steps[first]}")

    def _command(self, word: str) -> Callable[[], None] | None:
        """The command of a name or of its beginning, None if it is none.

        Raises:
          AlquerqueError: If the word is nearly a command, or the beginning of several.
        """
        if word in self._commands:
            return self._commands[word]
        if not word.isalpha() or word == PASS:
            return None
        meant = [name for name in self._commands if name.startswith(word)]
        if len(meant) == 1:
            return self._commands[meant[0]]
        if near := meant or get_close_matches(word, [*self._commands, PASS], n=1):
            raise AlquerqueError(f"cannot read {word!r}; did you mean {join_words(near)}?")
        return None

    @cached_property
    def _commands(self) -> Mapping[str, Callable[[], None]]:
        return {
            "help": self._help,
            "?": self._help,
            "board": self._show,
            "undo": self._undo,
            "hint": self._hint,
            "rules": self._rules,
            "position": lambda: self._say(self.match.position),
            "quit": self._leave,
            "exit": self._leave,
        }

    def _help(self) -> None:
        width = max(len(typed) for typed, _ in HELP)
        for typed, meaning in HELP:
            self._say(f"  {typed:<{width}}  {meaning}")

    def _rules(self) -> None:
        for sentence in rule_sentences(self.match.game):
            self._say(self.terminal.wrap(sentence, "  ", "- "))

    def _leave(self) -> None:
        raise EOFError("the player has left")

    def _show_piece(self, point: int) -> None:
        if not any(step.origin == point and not step.is_pass for step in self.match.legal_steps):
            raise AlquerqueError(f"nothing on {self.match.game.board.labels[point]} may move now")
        self._show(point)

    def _undo(self) -> None:
        """Takes back to the start of the person's turn, or of the turn before if it has just begun."""
        now = len(self.match.steps)
        while self._turn_starts and self._turn_starts[-1] >= now:
            self._turn_starts.pop()
        if not self._turn_starts:
            self._note_turn(now)
            raise AlquerqueError("there is nothing to take back")
        while len(self.match.steps) > self._turn_starts[-1]:
            self.match.pop()

    @cached_property
    def _hint_bot(self) -> "Bot":
        return load_bot(HINT_SPEC, self.match.game, seed=0)

    def _hint(self) -> None:
        ahead = self.match.copy()
        first = len(ahead.steps)
        while not ahead.is_over and ahead.player == self.match.player:
            ahead.push(work(lambda: self._hint_bot.choose(ahead), "thinking ..."))
        turn = join_turn([step.text for step in ahead.steps[first:]])
        self._say(f"{HINT_SPEC} would play {turn}")

    def _announce(self) -> None:
        outcome = self.match.outcome
        assert outcome is not None, "announced before the end"
        self._show_once()
        self._say()
        if len(self.people) == 1 and outcome.winner is not None:
            self._say("You win!" if outcome.winner in self.people else "You lose.")
        self._say(outcome_sentence(self.match, outcome))
        self._record()

    def _part(self) -> None:
        """Prints what is needed to go on later."""
        seats = [["--opponent", seat.spec] for seat in self.seats]
        arguments = [*option_arguments(self.match.game), "--position", self.match.position]
        if len(self.people) == 1:
            arguments += [*seats[1 - self.people[0]], "--seat", str(self.people[0])]
        elif self.people:
            arguments += seats[0]
        else:
            arguments += ["--watch", self.seats[0].spec, *seats[1]]
        self._say()
        self._record()
        self._say(f"Go on with: alquerque play {self.match.game.name} {shlex.join(arguments)}")

    def _record(self) -> None:
        if turns := numbered_turns(self.match):
            self._say(self.terminal.columns(turns))
        self._say(f"Position: {self.match.position}")


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
