"""A match against the player in a terminal."""

from datetime import date
from typing import Any

from alquerque_env.bots.network.network_bot import Chooser
from alquerque_env.cli.console.capabilities import Terminal
from alquerque_env.cli.terminal_match.typed_input import command_typed, listed_steps, piece_typed, play_typed, read_line
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.rules_text import SIDES
from alquerque_env.match.match import Match
from alquerque_env.match.records.record import Record
from alquerque_env.match.status_text import outcome_sentence, standing


class TerminalMatch:
    """A match of a person, who plays the side `seat`, against the player."""

    def __init__(self, match: Match, chooser: Chooser, terminal: Terminal, seat: int, rules: "tuple[str, ...]") -> None:
        south, north = ("human", "?") if seat == 0 else ("?", "human")
        self.record = Record(match, south=south, north=north, date=date.today())
        self.match, self.chooser, self.terminal, self.seat = match, chooser, terminal, seat
        self.commands: dict[str, Any] = {
            "board": self.show,
            "undo": lambda: self.record.take_back([seat]),
            "hint": lambda: print(f"It would play {chooser.choose_turn(match)} in your place."),
            "rules": lambda: print("\n".join(terminal.bullets(rules))),
            "position": lambda: print(f"Position: {match.position}"),
            "save": lambda: print(self.record),
            "resign": lambda: self.record.resign(seat),
            "help": lambda: print(f"Type a step, its number, a turn, a point, {', '.join(self.commands)} or quit."),
        }

    def play(self) -> None:
        """Plays until the person leaves."""
        shown = None
        try:
            while True:
                if shown != (shown := (self.match.steps, self.record.result)):
                    self.show()
                try:
                    self.go_on()
                except AlquerqueError as error:
                    print(self.terminal.wrap(str(error)))
        except EOFError:
            self.commands["position"]()

    def show(self, piece: "int | None" = None) -> None:
        """Shows the board with the targets of a piece, the person's steps, and at the end who won."""
        match, outcome = self.match, self.match.outcome
        targets = tuple(step.target for step in match.legal_steps if piece is not None and step.origin == piece)
        print(f"\n{self.terminal.draw(match.picture(turned=self.seat == 1, targets=targets))}\n")
        if outcome is not None:
            who = {None: "", self.seat: "You win! "}.get(outcome.winner, "You lose. ")
            print(self.terminal.wrap(f"{who}{outcome_sentence(match, outcome)} Type undo or quit."))
        elif self.record.is_over:
            print(f"You lose. {SIDES[1 - self.seat]} wins: {SIDES[self.seat]} resigned. Type undo or quit.")
        elif match.player == self.seat:
            print(self.terminal.wrap(standing(match)), self.terminal.columns(listed_steps(match)), sep="\n")

    def go_on(self) -> None:
        """Plays a turn of the player if it is to move; otherwise does what the person types."""
        match = self.match
        if not self.record.is_over and match.player != self.seat:
            turn = self.chooser.choose_turn(match)
            match.push_turn(turn)
            print(f"{SIDES[1 - self.seat]} plays {turn}")
            return
        line = read_line(f"{SIDES[self.seat]}> ")
        name = command_typed(line.lower(), [*self.commands, "quit"])
        if name == "quit":
            raise EOFError
        if name is not None:
            self.commands[name]()
        elif line and self.record.is_over:
            raise AlquerqueError("the match is over; type undo or quit")
        elif line and (point := piece_typed(match, line)) is not None:
            self.show(point)
        elif line:
            play_typed(match, line)
