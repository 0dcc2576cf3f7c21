"""`alquerque play`."""

from contextlib import suppress
from datetime import date

import click

from ...errors import AlquerqueError
from ...game.game import Game
from ...game.rules_text import SIDES
from ...match.records import Record
from ...match.records.record import UNKNOWN_NAME
from ..command import HelpfulCommand, print_line
from ..console.capabilities import find_terminal
from ..console.signals import run_interruptible
from ..parameters import (
    MAX_SEED,
    FloatRange,
    asked_game_argument,
    open_match,
    position_option,
    seed_option,
    turn_time_option,
)
from ..terminal_match.match_file import LoadedMatch, MatchSaver, load_match
from ..terminal_match.session import HUMAN, Player, Session, is_own_bot, is_person, make_player, person_in
from ..terminal_match.typed_commands import find_command

DEFAULT_OPPONENT = "alphabeta:3"


@click.command(cls=HelpfulCommand)
@asked_game_argument
@click.option(
    "--opponent",
    metavar="SPEC",
    show_default=f"{DEFAULT_OPPONENT}, or the opponent in FILE",
    help="Your opponent: a bot, or human for a second person.",
)
@click.option(
    "--seat",
    type=click.Choice(["0", "1", *SIDES], case_sensitive=False),
    show_default="0, or the seat of the person in FILE",
    help="Your side: 0 or South, 1 or North.",
)
@position_option
@click.option("--load", metavar="FILE", help="Resume the match in this file, the first if it has several.")
@click.option("--save", metavar="FILE", help="Write the match to this file after each turn and at the end.")
@seed_option("Seed that makes the choices of bots repeatable.")
@turn_time_option
@click.option("--watch", metavar="SPEC", help="Let this bot play in your seat, and watch.")
@click.option("--delay", type=FloatRange(0, 60), default=0.0, metavar="SECONDS", help="Wait after the turns of bots.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw the board with ASCII characters.")
def play(
    game: Game,
    opponent: str | None,
    seat: str | None,
    position: str | None,
    load: str | None,
    save: str | None,
    seed: int | None,
    seconds: float | None,
    watch: str | None,
    delay: float,
    ascii_only: bool,
) -> None:
    """Play a match in the terminal.

    Without GAME the games are listed, to choose one.

    The board is drawn before your turn and the legal steps are listed. Type a step, its number, or `help` for the
    commands: hints, undo, save and more. A match that you leave is kept, and the command that resumes it is printed.
    """
    with suppress(ImportError):
        # Where the system has readline, importing it gives `input` editing and history.
        import readline  # noqa: F401
    if watch == HUMAN or (watch is not None and opponent == HUMAN):
        raise AlquerqueError("--watch shows a match between bots: neither --watch nor --opponent can be human")
    if load is not None and position is not None:
        raise AlquerqueError("--load and --position exclude each other: both say where the match starts")
    saver = MatchSaver(save)
    click.get_current_context().with_resource(saver.held())
    loaded = None if load is None else _load(load, game)
    if loaded is not None:
        saver.continue_match(loaded)
    saver.check_target()
    record = Record(open_match(game, position), date=date.today()) if loaded is None else loaded.record
    is_north = person_in(record) == 1 if seat is None else seat in ("1", SIDES[1])
    mine = make_player(watch or HUMAN, record.match.game, seed, seconds)
    their_seed = None if seed is None else (seed + 1) % MAX_SEED
    if opponent is None:
        theirs = _default_opponent(record.south if is_north else record.north, record.match.game, their_seed, seconds)
    else:
        theirs = make_player(opponent, record.match.game, their_seed, seconds)
    players = (theirs, mine) if is_north else (mine, theirs)
    session = Session(record, players, find_terminal(ascii_only=ascii_only), find_command, delay, saver, given=game)
    if loaded is not None:
        session.say(loaded.description)
    session.play()


def _default_opponent(name: str, game: Game, seed: int | None, seconds: float | None) -> Player:
    """The player that the file names for this side, if it can be used; otherwise `DEFAULT_OPPONENT`."""
    if is_person(name):
        return make_player(HUMAN, game)
    if is_own_bot(name):
        with suppress(AlquerqueError):
            return make_player(name, game, seed, seconds)
    if name != UNKNOWN_NAME:
        print_line(f"{name} played in the file and cannot be used; {DEFAULT_OPPONENT} plays (--opponent changes it).")
    return make_player(DEFAULT_OPPONENT, game, seed, seconds)


def _load(path: str, game: Game) -> LoadedMatch:
    """Reads the match in a file; refuses one that cannot be resumed, or of another game or options."""
    loaded = run_interruptible(lambda: load_match(path), f"reading {path} ...")
    found = loaded.record.match.game
    if found.argument != game.argument:
        raise AlquerqueError(f"{path!r} has a match of {found.argument}, not of {game.argument}; give that game")
    if found.file_text != game.file_text:
        raise AlquerqueError(
            f"{path!r} has a match of another {found.argument}: give the file as it was when the match began"
        )
    if game.option_arguments and found.table_hash != game.table_hash:
        chosen = " ".join(found.option_arguments) or "the defaults"
        raise AlquerqueError(f"the match in {path!r} has other options: {chosen}; omit --option")
    return loaded
