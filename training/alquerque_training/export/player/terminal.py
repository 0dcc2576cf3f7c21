"""A match against the player in a terminal, with the commands of `alquerque play`."""

from collections.abc import Callable
from time import strftime
from types import MappingProxyType
from typing import Any

from alquerque_env.bots.network.network_bot import Chooser
from alquerque_env.cli.console.capabilities import Terminal, align
from alquerque_env.cli.terminal_match.typed_commands import HELP, help_rows
from alquerque_env.cli.terminal_match.typed_input import ask_for_step, listed_steps, piece_typed, play_typed, read_line
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.rules_text import SIDES
from alquerque_env.game.step import PASS
from alquerque_env.match.match import Match
from alquerque_env.match.records.tokens import GAME_FILE, TABLE_HASH, format_header
from alquerque_env.match.status_text import numbered_turns, outcome_sentence, standing

# Simulations of each level.
LEVELS = MappingProxyType({1: 0, 2: 10, 3: 40, 4: 160, 5: 640})
DEFAULT_LEVEL = 3
MORE_HELP = (
    ("save", "print the match as a match file, which the package reads"),
    ("level 4", "change the player's strength, 1 to 5"),
    ("resign", "give up the match"),
    ("new", "begin again"),
    ("quit", "leave"),
)


class Play:
    """Matches of a person against the player, with the rules as sentences."""

    def __init__(self, game: Any, chooser: Chooser, terminal: Terminal, rules: tuple[str, ...]) -> None:
        self.match = Match(game)
        self.terminal = terminal
        self.rules = rules
        self.chooser = chooser
        self.seat = 0
        self.has_resigned = False
        # Number of steps played before each turn of the person.
        self.turns: list[int] = []
        self.commands: dict[str, Callable[[], None]] = {
            "help": self.help,
            "?": self.help,
            "board": self.draw,
            "undo": self.undo,
            "hint": self.hint,
            "rules": self.show_rules,
            "position": self.show_position,
            "save": self.show_record,
            "resign": self.resign,
            "new": self.begin,
            "quit": self.leave,
            "exit": self.leave,
        }

    @property
    def is_over(self) -> bool:
        """Whether the rules or the person ended the match."""
        return self.has_resigned or self.match.is_over

    def run(self, title: str, seat: int | None, simulations: int | None) -> None:
        """Plays until the person leaves, who is asked for a side and a level if there is none."""
        self.say(f"{title}. {ask_for_step(self.match)}")
        try:
            self.seat = self.choose_seat() if seat is None else seat
            self.chooser.simulations = self.choose_level() if simulations is None else simulations
            self.draw()
            while True:
                self.go_on()
        except EOFError:
            self.say()
            self.show_position()

    def go_on(self) -> None:
        """Plays a turn of the player if it is to move, otherwise reads a line of the person."""
        match = self.match
        if not self.is_over and match.player != self.seat:
            turn, side = self.chooser.choose_turn(match), SIDES[match.player]
            match.push(turn)
            if match.turn_goes_on:
                match.push(PASS)
            self.say(f"\n{side} plays {turn}")
            self.draw()
            return
        try:
            self.obey(read_line(f"{SIDES[self.seat]}> "))
        except AlquerqueError as error:
            self.say(self.terminal.wrap(str(error)))

    def say(self, text: str = "") -> None:
        """Prints a line with the characters that the terminal supports."""
        print(self.terminal.plain(text))

    def choose(self, question: str, answers: list[str], default: str) -> int:
        """Asks until the person answers with the beginning of one of the answers, or nothing; returns its index."""
        while True:
            answer = read_line(f"{question} [{default}] ").lower() or default.lower()
            found = [place for place, each in enumerate(answers) if each.lower().startswith(answer)]
            if len(found) == 1:
                return found[0]
            if answer in ("q", "quit", "exit"):
                self.leave()
            self.say(f"Type {', '.join(answers)} or quit.")

    def choose_seat(self) -> int:
        """Lets the person choose a side."""
        first = SIDES[self.match.player]
        return self.choose(f"Your side, South or North? {first} begins.", list(SIDES), first)

    def choose_level(self) -> int:
        """Lets the person choose a strength; returns the simulations."""
        levels = [str(level) for level in LEVELS]
        question = f"Level, 1 (weak, fast) to {len(LEVELS)} (strong, slow)?"
        return LEVELS[1 + self.choose(question, levels, str(DEFAULT_LEVEL))]

    def draw(self, piece: int | None = None) -> None:
        """Shows the board and the person's steps, of one piece or of all."""
        match = self.match
        asks = not self.is_over and match.player == self.seat
        steps = [step for step in match.legal_steps if asks and not step.is_pass and piece in (None, step.origin)]
        marks = {"origins": tuple(step.origin for step in steps if step.origin is not None)}
        if piece is not None or match.chain is not None:
            marks["targets"] = tuple(step.target for step in steps if step.target is not None)
        self.say(f"\n{self.terminal.draw(match.picture(turned=self.seat == 1, **marks))}")
        if match.outcome is not None:
            who = {None: "", self.seat: "You win! "}.get(match.outcome.winner, "You lose. ")
            self.say(f"\n{who}{outcome_sentence(match, match.outcome)} Type new, undo or quit.")
        elif self.has_resigned:
            self.say(f"\nYou lose. {SIDES[1 - self.seat]} wins: {SIDES[self.seat]} resigned. Type new, undo or quit.")
        elif asks:
            self.say("\n".join(part for part in ("", standing(match)) if part))
            self.say(self.terminal.columns(listed_steps(match)))

    def obey(self, line: str) -> None:
        """Executes a line: a command, a point, a step or a turn."""
        word, _, argument = line.lower().partition(" ")
        meant = [name for name in self.commands if word and name.startswith(word) and not argument]
        if word == "level":
            self.set_level(argument)
        elif len(meant) == 1:
            self.commands[meant[0]]()
        elif self.is_over:
            raise AlquerqueError("the match is over; type new, undo or quit")
        elif (point := piece_typed(self.match, line)) is not None:
            self.draw(point)
        elif line:
            self.play(line)

    def play(self, text: str) -> None:
        """Plays a step or turn of the person, and continues it while only one step is legal."""
        match, played, is_new = self.match, len(self.match.steps), not self.match.turn_goes_on
        play_typed(match, text)
        if text.isdecimal():
            self.say(f"{SIDES[self.seat]} plays {match.steps[played]}")
        while match.turn_goes_on and len(match.legal_steps) == 1:
            self.say(f"and continues with {match.legal_steps[0]}")
            match.push(match.legal_steps[0])
        if is_new:
            self.turns.append(played)
        self.draw()

    def help(self) -> None:
        """Lists the commands."""
        rows = help_rows(self.match.game, [row for row in HELP if row[0] != "quit"] + list(MORE_HELP))
        for line in align(rows):
            self.say(f"  {line}")

    def hint(self) -> None:
        """Shows the turn that the player would choose."""
        if self.is_over:
            raise AlquerqueError("the match is over")
        decision = self.chooser.decide(self.match)
        turn = self.chooser.choose_turn(self.match, decision.action)
        self.say(f"It would play {turn} in your place, and expects {decision.value:+.2f} for you (1 wins, -1 loses).")

    def undo(self) -> None:
        """Takes back to the beginning of the person's last turn, or a resignation."""
        if self.has_resigned:
            self.has_resigned = False
            self.draw()
            return
        if not self.turns:
            raise AlquerqueError("there is nothing to take back")
        before = self.turns.pop()
        while len(self.match.steps) > before:
            self.match.pop()
        self.draw()

    def show_rules(self) -> None:
        """Shows the rules."""
        for sentence in self.rules:
            self.say(self.terminal.wrap(sentence, "  ", "- "))

    def show_position(self) -> None:
        """Shows the position as text."""
        self.say(f"Position: {self.match.position}")

    def set_level(self, text: str) -> None:
        """Changes the player's strength."""
        level = next((level for level in LEVELS if text == str(level)), None)
        if level is None:
            raise AlquerqueError(f"there is no level {text!r}; levels are 1 to {len(LEVELS)}")
        self.chooser.simulations = LEVELS[level]
        self.say(f"Level {level}, {LEVELS[level]} simulations for each step.")

    def begin(self) -> None:
        """Begins another match."""
        self.match = Match(self.match.game)
        self.turns.clear()
        self.has_resigned = False
        self.draw()

    def resign(self) -> None:
        """Gives the match up."""
        if self.is_over:
            raise AlquerqueError("the match is over")
        self.has_resigned = True
        self.draw()

    def show_record(self) -> None:
        """Shows the match as the text of a match file."""
        match, game = self.match, self.match.game
        if match.turn_goes_on:
            raise AlquerqueError("the turn is not finished: play on, or undo")
        names = ["human", "?"] if self.seat == 0 else ["?", "human"]
        winner = 1 - self.seat if self.has_resigned else match.outcome.winner if match.outcome else None
        result = "*" if not self.is_over else "1/2-1/2" if winner is None else ("1-0", "0-1")[winner]
        headers = {
            "Game": game.name,
            "Options": " ".join(game.options),
            "South": names[0],
            "North": names[1],
            "Date": strftime("%Y.%m.%d"),
            "Result": result,
            "Reason": "resigned" if self.has_resigned else "",
            TABLE_HASH: game.table_hash if game.file_text else "",
            GAME_FILE: game.file_text,
        }
        for name, value in headers.items():
            if value:
                self.say(format_header(name, value))
        self.say()
        self.say(self.terminal.wrap(" ".join([*numbered_turns(match), result])))

    def leave(self) -> None:
        """Ends the matches."""
        raise EOFError
