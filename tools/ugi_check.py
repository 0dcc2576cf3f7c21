"""Says whether a program speaks the Universal Game Interface: `python -m tools.ugi_check [--game GAME] COMMAND ...`.

    cc -O2 -o pretwa_engine examples/pretwa_engine.c
    python -m tools.ugi_check --game pretwa ./pretwa_engine

Each rule of the protocol is a line: `pass`, or `FAIL` with what was expected and what the program did. What is legal
and how a match ends is what the package says. Exit status 0: all rules are kept. 1: some are not.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import click

from alquerque_env import Match, load_game
from alquerque_env.bots.external.process import Process, ProcessError
from alquerque_env.bots.external.ugi_protocol import NOTHING, clip, parse_info, write_position
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.options import spell

TURNS = 200  # of a match that does not end before
MARGIN = 0.5  # seconds in which a program must not answer


class BrokenRuleError(Exception):
    """What a program did instead of what a rule expects."""


class Samples(NamedTuple):
    """Matches of a game that rules are tried on."""

    begun: Match
    over: Match | None
    chain: Match | None


class Session(Process):
    """A program that is asked and has to answer."""

    def __init__(self, command: Sequence[str], patience: float) -> None:
        super().__init__(command)
        self.patience = patience

    def ask(self, *commands: str, until: str, seconds: float | None = None) -> list[str]:
        """The lines after some commands, as far as the first that begins with a word."""
        for command in commands:
            self.send(command)
        seconds = self.patience if seconds is None else seconds
        lines = self.hear(until, seconds)
        if not has_word(lines, until):
            said = f"; it said {clip(lines[-1], 80)}" if lines else ""
            raise BrokenRuleError(f"no {until} within {seconds:g} seconds after {clip(commands[-1])}{said}")
        return lines

    def hear(self, until: str, seconds: float) -> list[str]:
        """The lines of so many seconds, as far as the first that begins with a word."""
        lines: list[str] = []
        end = time.monotonic() + seconds
        while not has_word(lines, until) and (line := self.read(end - time.monotonic())) is not None:
            lines.append(line)
        return lines

    def answer(self, query: str) -> str:
        return self.ask(f"query {query}", until="response")[-1].removeprefix("response ")

    def turn(self, match: Match, go: str, seconds: float | None = None) -> list[str]:
        """The lines of a search, which must end with a legal turn."""
        lines = self.ask(write_position(None, match.turns), go, until="bestmove", seconds=seconds)
        push(match.copy(), lines[-1])
        return lines


def has_word(lines: Sequence[str], word: str) -> bool:
    return bool(lines) and lines[-1].split()[:1] == [word]


def push(match: Match, line: str) -> None:
    text = "".join(line.split()[1:2])
    try:
        match.push_turn(text)
    except AlquerqueError as error:
        raise BrokenRuleError(f"the turn {clip(text)}: {error}") from None


Rule = Callable[[Session, Samples], None]
RULES: dict[str, Rule] = {}


def rule(expected: str) -> Callable[[Rule], Rule]:
    def add(function: Rule) -> Rule:
        RULES[expected] = function
        return function

    return add


def expect(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise BrokenRuleError(f"{what} was {found!r}, expected {expected!r}")


def prepare(session: Session, game: Game) -> None:
    """Tells a program which game it plays."""
    known = {"Game": game.name, **{name: spell(value) for name, value in game.options.items()}}
    if game.file_text:
        known = {"GameFile": f"{game.name} {game.file_text}"}
    session.ask("ugi", until="ugiok")
    session.ask(*(f"setoption name {name} value {value}" for name, value in known.items()), "isready", until="readyok")


@rule("ugi is answered by id name, id author and ugiok")
def introduce(session: Session, _: Samples) -> None:
    lines = session.ask("ugi", until="ugiok")
    for words in ("id name ", "id author "):
        if not any(line.startswith(words) and line.removeprefix(words).strip() for line in lines):
            raise BrokenRuleError(f"no line begins with {words.strip()!r}")


@rule("an unknown command is ignored, and isready is answered after it by readyok")
def unknown_command(session: Session, _: Samples) -> None:
    session.ask("no such command", "isready", until="readyok")


@rule("a turn that is not legal is refused, and does not end the program")
def wrong_turn(session: Session, _: Samples) -> None:
    session.ask("position startpos moves zz-zz", "position fen nothing", "isready", until="readyok")


@rule("uginewgame sets up the start: query gameover, p1turn, result answer false, who moves, none")
def new_game(session: Session, samples: Samples) -> None:
    session.ask("uginewgame", "isready", until="readyok")
    check_queries(session, Match(samples.begun.game))


@rule("position startpos moves TURN ... plays whole turns")
def startpos(session: Session, samples: Samples) -> None:
    session.send(write_position(None, samples.begun.turns))
    check_queries(session, samples.begun)


@rule("position fen TEXT sets up a position")
def fen(session: Session, samples: Samples) -> None:
    session.send(write_position(samples.begun.position, ()))
    check_queries(session, samples.begun)


def check_queries(session: Session, match: Match) -> None:
    expect("gameover", session.answer("gameover"), str(match.is_over).lower())
    result = NOTHING
    if match.outcome is not None:
        result = "draw" if match.outcome.winner is None else f"p{match.outcome.winner + 1}win"
    else:
        expect("p1turn", session.answer("p1turn"), str(match.player == 0).lower())
    expect("result", session.answer("result"), result)


@rule("go movetime 100 is answered in time by bestmove and a legal turn")
def movetime(session: Session, samples: Samples) -> None:
    session.turn(samples.begun, "go movetime 100", 0.1 + session.patience)


@rule("go with depth, nodes or clocks is answered by bestmove and a legal turn")
def limits(session: Session, samples: Samples) -> None:
    for go in ("go depth 1", "go nodes 50", "go p1time 2000 p2time 2000 p1inc 10 p2inc 10"):
        session.turn(samples.begun, go)


@rule("a line info has a score that can be read, if it has one, and a pv that begins with a legal turn")
def info(session: Session, samples: Samples) -> None:
    for line in session.turn(samples.begun, "go depth 1"):
        found = parse_info(line)
        if " score " in line and found.score is None and found.mate is None and "bound" not in line:
            raise BrokenRuleError(f"the score of {clip(line, 80)} cannot be read")
        if found.line:
            push(samples.begun.copy(), f"pv {found.line[0]}")


@rule("go infinite is answered after stop and not before; during the search isready is answered")
def infinite(session: Session, samples: Samples) -> None:
    lines = session.ask(write_position(None, samples.begun.turns), "go infinite", "isready", until="readyok")
    lines += session.hear("bestmove", MARGIN)
    if any(line.startswith("bestmove") for line in lines):
        raise BrokenRuleError("bestmove came before stop")
    push(samples.begun.copy(), session.ask("stop", until="bestmove")[-1])


@rule("a chain of captures is one turn: bestmove has all its leaps")
def chain(session: Session, samples: Samples) -> None:
    if samples.chain is not None:
        session.turn(samples.chain, "go depth 1")


@rule("after the end of a match query gameover and result say so, and go is answered by bestmove none")
def over(session: Session, samples: Samples) -> None:
    if samples.over is not None:
        session.send(write_position(None, samples.over.turns))
        check_queries(session, samples.over)
        expect("the answer", session.ask("go depth 1", until="bestmove")[-1], f"bestmove {NOTHING}")


@rule("a whole match against random turns has legal turns alone")
def whole_match(session: Session, samples: Samples) -> None:
    match, chance = Match(samples.begun.game), random.Random(2)
    session.send("uginewgame")
    for number in range(TURNS):
        if match.is_over:
            break
        if number % 2:
            push(match, session.turn(match, "go depth 1")[-1])
        else:
            random_turn(match, chance)


@rule("quit ends the program")
def leave(session: Session, _: Samples) -> None:
    session.send("quit")
    end = time.monotonic() + session.patience
    try:
        while session.read(end - time.monotonic()) is not None:
            pass
    except ProcessError:
        return
    raise BrokenRuleError(f"it runs on {session.patience:g} seconds after quit")


def random_turn(match: Match, chance: random.Random) -> None:
    match.push(chance.choice(match.legal_steps))
    while match.turn_goes_on:
        match.push(chance.choice(match.legal_steps))


def samples_of(game: Game) -> Samples:
    """A match of three turns, one that is over, and one with a chain to be captured; None for what was not found."""
    begun = over = chained = None
    for seed in range(20):
        match, chance = Match(game), random.Random(seed)
        for number in range(TURNS):
            before = match.copy()
            if match.is_over or (begun and over and chained):
                break
            random_turn(match, chance)
            if len(match.steps) - len(before.steps) > 1 and match.steps[-1].captured:
                chained = before
            if number == 2 and not match.is_over:
                begun = match.copy()
        over = match if match.is_over else over
    assert begun is not None, f"{game.name} ends within three turns"
    return Samples(begun, over, chained)


def check(command: Sequence[str], game: Game, patience: float) -> Iterator[tuple[str, str]]:
    """Each rule with what the program did instead; empty if it kept the rule."""
    samples, session = samples_of(game), start(command, game, patience)
    for expected, test in RULES.items():
        fault = ""
        try:
            test(session, samples)
        except (BrokenRuleError, ProcessError) as error:
            fault = str(error)
            session.kill()  # a late answer must not be taken for that to the next rule
            session = start(command, game, patience)
        yield expected, fault
    session.close()


def start(command: Sequence[str], game: Game, patience: float) -> Session:
    """A program that has been told its game."""
    try:
        prepare(session := Session(command, patience), game)
    except (BrokenRuleError, ProcessError) as error:
        raise click.ClickException(f"no rule can be tried: {error}") from None
    return session


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--game", "name", default="alquerque", show_default=True, help="Game that the program plays.")
@click.option("--patience", default=10.0, show_default=True, help="Seconds that an answer may take.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def main(name: str, patience: float, command: tuple[str, ...]) -> None:
    """Checks a program."""
    faults = 0
    for expected, fault in check(command, load_game(name), patience):
        click.echo(f"FAIL  {expected}\n      {fault}" if fault else f"pass  {expected}")
        faults += bool(fault)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
