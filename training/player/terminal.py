"""A match against the player in a terminal."""

import sys
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from alquerque_env.cli.terminal import Terminal
from alquerque_env.errors import AlquerqueError, IllegalStepError
from alquerque_env.match import Match, Step
from training.player.choosing import Chooser
from training.puct import Evaluate

# Simulations of each level.
LEVELS = MappingProxyType({1: 0, 2: 10, 3: 40, 4: 160, 5: 640})
DEFAULT_LEVEL = 3
SIDES = ("South", "North")
ENDINGS = MappingProxyType(
    {
        "captured": "all pieces are captured",
        "blocked": "the side to move has no legal step",
        "repetition": "the position has occurred three times",
        "no_progress": "too many turns without progress",
        "majority": "too many turns without progress, and the pieces are counted",
    }
)
INTRODUCTION = "Type a step from the list, or a point to see where its piece may go. help lists the rest; quit ends."
HELP = """\
c2-c3       a step, as the list has them; a capture is c2xc4
c2xc4xe4    a whole turn of several captures
c2          show where the piece on c2 may go; then c3 sends it there
pass        stop capturing, where the rules allow it
hint        what the player would do in your place
undo        take your last step back
level N     the player's strength, 1 to 5
position    the position as text
new         begin again
quit        end"""


class QuitError(Exception):
    """The person at the terminal wants to end."""


class Play:
    """Matches of a person against the player.

    Args:
      game: What is played.
      evaluate: The player's policy and value.
      terminal: What the output can show.
    """

    def __init__(self, game: Any, evaluate: Evaluate, terminal: Terminal) -> None:
        self.match = Match(game)
        self.terminal = terminal
        self.chooser = Chooser(evaluate, LEVELS[DEFAULT_LEVEL])
        self.seat = 0
        self.selected: int | None = None
        # How many steps had been played each time the person did something.
        self.decisions: list[int] = []
        self.commands: dict[str, Callable[[], None]] = {
            "help": self.help,
            "hint": self.hint,
            "undo": self.undo,
            "position": self.show_position,
            "new": self.begin,
            "quit": self.quit,
        }

    def run(self, title: str, seat: int | None, simulations: int | None) -> None:
        """Plays until the person quits.

        Args:
          title: The game's name for people.
          seat: The person's side; asked for if None.
          simulations: The player's strength; asked for as a level if None.
        """
        print(f"{title}\n\n{self.terminal.wrap(INTRODUCTION)}\n")
        try:
            self.seat = self.ask_seat() if seat is None else seat
            self.chooser.simulations = self.ask_level() if simulations is None else simulations
            self.draw()
            while True:
                self.go_on()
        except (QuitError, EOFError):
            print("bye")

    def go_on(self) -> None:
        """Plays a turn of the player if it is to move, else does what the person says."""
        if self.match.is_over or self.match.player == self.seat:
            self.obey(self.ask("> "))
            return
        side, turn = SIDES[self.match.player], self.chooser.choose_turn(self.match)
        self.match.push(turn)
        if self.match.chain is not None:
            self.match.push("pass")
        print(f"\n{side} plays {turn}")
        self.draw()

    def ask(self, question: str) -> str:
        """A line from the person, without what does not matter in it."""
        if sys.stdin is None:
            raise EOFError
        return " ".join(input(question).lower().split())

    def ask_seat(self) -> int:
        """Lets the person choose a side."""
        first = self.match.player
        while True:
            answer = self.ask(f"Do you play South or North? {SIDES[first]} begins. [{SIDES[first]}] ")
            if answer in ("q", "quit"):
                self.quit()
            found = [seat for seat, side in enumerate(SIDES) if side.lower().startswith(answer)]
            if not answer or len(found) == 1:
                return found[0] if answer else first

    def ask_level(self) -> int:
        """Lets the person choose a strength; returns the simulations."""
        while True:
            answer = self.ask(f"Which level, 1 (weak, fast) to {len(LEVELS)}? [{DEFAULT_LEVEL}] ")
            if answer in ("q", "quit"):
                self.quit()
            if not answer or (level := _level(answer)):
                return LEVELS[level if answer else DEFAULT_LEVEL]

    def draw(self) -> None:
        """Shows the board, and what the person may do."""
        match, mine = self.match, self.choices()
        moves = [step for step in mine if not step.is_pass]
        targets = () if self.selected is None else tuple(step.target for step in moves)
        marks = {"turned": self.seat == 1, "origins": tuple(step.origin for step in moves), "targets": targets}
        print(f"\n{self.terminal.draw(match.picture(**marks))}\n")
        if match.outcome is not None:
            winner = match.outcome.winner
            result = "A draw" if winner is None else "You win" if winner == self.seat else "You lose"
            print(f"{result}: {ENDINGS[match.outcome.reason]}. Type new, undo or quit.")
        elif mine:
            which = "" if self.selected is None else f" from {self.label(self.selected)}"
            print(f"{SIDES[self.seat]}, your steps{which}:\n{self.terminal.columns([step.text for step in mine])}")

    def choices(self) -> list[Step]:
        """The person's legal steps, only those of the selected piece if there is one."""
        if self.match.player != self.seat:
            return []
        return [step for step in self.match.legal_steps if self.selected in (None, step.origin)]

    def label(self, point: int) -> str:
        """The name of a point."""
        return str(self.match.game.board.labels[point])

    def obey(self, line: str) -> None:
        """Does what a line says: a command, a point, a step or a turn."""
        word, _, argument = line.partition(" ")
        points = self.match.game.board.index
        if word == "level":
            self.set_level(argument)
        elif line in ("?", "h", "u", "q") or line in self.commands:
            self.commands[{"?": "help", "h": "hint", "u": "undo", "q": "quit"}.get(line, line)]()
        elif line in points and not self.match.is_over:
            self.point_at(points[line])
        elif line:
            self.play(line)

    def point_at(self, point: int) -> None:
        """Sends the selected piece to a point, or selects the piece that stands there."""
        moves = [step for step in self.choices() if not step.is_pass and step.target == point]
        chosen = moves if self.selected is not None or self.match.chain is not None else []
        if len(chosen) == 1:
            self.play(chosen[0].text)
        elif chosen:
            print(f"which of {', '.join(step.text for step in chosen)}?")
        elif any(step.origin == point for step in self.match.legal_steps):
            self.selected = point
            self.draw()
        else:
            print(f"no piece may go from {self.label(point)} now")

    def play(self, text: str) -> None:
        """Plays a step or turn of the person, if it is legal, and goes on with it as long as there is no choice."""
        played = len(self.match.steps)
        try:
            self.match.push(text)
        except IllegalStepError:
            print("the match is over" if self.match.is_over else f"{text} is not legal; your steps stand above")
            return
        except AlquerqueError as error:
            print(self.terminal.wrap(f"{error}; help lists the commands"))
            return
        while self.match.chain is not None and len(self.match.legal_steps) == 1:
            step = self.match.legal_steps[0]
            print(f"and on: {step.text}")
            self.match.push(step)
        self.decisions.append(played)
        self.selected = None
        self.draw()

    def help(self) -> None:
        """Lists what can be typed."""
        print(HELP)

    def hint(self) -> None:
        """Shows what the player would do."""
        if self.match.is_over:
            print("the match is over")
            return
        decision = self.chooser.decide(self.match)
        turn = self.chooser.choose_turn(self.match, decision.action)
        print(f"hint: {turn} (expected result {decision.value:+.2f}; 1 is a win for you, -1 a loss)")

    def undo(self) -> None:
        """Goes back to where the person last did something."""
        if not self.decisions:
            print("there is nothing to take back")
            return
        before = self.decisions.pop()
        while len(self.match.steps) > before:
            self.match.pop()
        self.selected = None
        self.draw()

    def set_level(self, text: str) -> None:
        """Changes the player's strength."""
        level = _level(text)
        if level is None:
            print(f"expected a level from 1 to {len(LEVELS)}, such as: level {DEFAULT_LEVEL}")
            return
        self.chooser.simulations = LEVELS[level]
        print(f"level {level}: {LEVELS[level]} simulations a step")

    def show_position(self) -> None:
        """Shows the position as text."""
        print(self.match.position)

    def begin(self) -> None:
        """Begins another match."""
        self.match = Match(self.match.game)
        self.decisions.clear()
        self.selected = None
        self.draw()

    def quit(self) -> None:
        """Ends."""
        raise QuitError


def _level(text: str) -> int | None:
    return next((level for level in LEVELS if text == str(level)), None)
