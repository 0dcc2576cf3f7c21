"""`alquerque play`."""

from contextlib import suppress

import click

from ...errors import AlquerqueError
from ...game.game import Game
from ...game.rules_text import SIDES
from ...match.records.record import UNKNOWN_NAME
from ..console.capabilities import find_terminal
from ..console.interruptible import work
from ..parameters import MAX_SEED, check_range, open_match, option_arguments, takes_game, takes_position
from ..terminal_match.match_file import Found, Keeper, find_match
from ..terminal_match.players import HUMAN, Seat, is_own_bot, is_person, take_seat
from ..terminal_match.session import Session, called_as, describe_found
from ..terminal_match.typed_commands import find_command

OPPONENT = "alphabeta:3"


@click.command()
@takes_game
@click.option(
    "--opponent",
    metavar="SPEC",
    show_default=f"{OPPONENT}, or that of the match in FILE",
    help="Who plays against you: random, greedy, alphabeta:DEPTH, mcts:SIMULATIONS, a path or name of a trained "
    "player, ugi:COMMAND for an engine, or human for two people.",
)
@click.option(
    "--seat",
    type=click.Choice(["0", "1", *SIDES], case_sensitive=False),
    show_default="0, or that of the person in FILE",
    help="Yours: 0 or South, 1 or North.",
)
@takes_position
@click.option("--load", metavar="FILE", help="Go on with the match of a file, the first if there are several.")
@click.option("--save", metavar="FILE", help="Write the match to a file: after each turn, and however play ends.")
@click.option("--seed", type=int, metavar="N", help="Make the bots' choices repeatable.")
@click.option("--seconds", type=float, metavar="S", help="For a turn of a bot that searches; engines have 5 without.")
@click.option("--watch", metavar="SPEC", help="Watch a bot play in your seat.")
@click.option("--delay", type=float, default=0.0, metavar="SECONDS", help="Wait after a bot's turn.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with plain characters.")
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
    """Play in the terminal. The legal steps are listed; type one, its number, or help."""
    with suppress(ImportError):
        # Gives `input` editing and history where the system has it.
        import readline  # noqa: F401
    if watch == HUMAN or (watch is not None and opponent == HUMAN):
        raise AlquerqueError("--watch shows a match between bots; neither it nor --opponent can be human")
    if load is not None and position is not None:
        raise AlquerqueError("--load and --position both say where to begin; give one of them")
    check_range("--delay", delay, 0, 60)
    check_range("--seed", seed or 0, 0, MAX_SEED)
    keeper = Keeper(save)
    found = None if load is None else _find(load, game)
    if found is not None:
        keeper.adopt(found)
    keeper.check_target()
    match = open_match(game, position) if found is None else found.record.match
    is_north = found is not None and found.human == 1 if seat is None else seat in ("1", SIDES[1])
    mine = take_seat(watch or HUMAN, match.game, seed, seconds)
    their_seed = None if seed is None else (seed + 1) % MAX_SEED
    if opponent is None:
        theirs = _usual(None if found is None else found.names[not is_north], match.game, their_seed, seconds)
    else:
        theirs = take_seat(opponent, match.game, their_seed, seconds)
    seats = (theirs, mine) if is_north else (mine, theirs)
    if found is not None:
        seats = called_as(found, seats)
    session = Session(match, seats, find_terminal(ascii_only=ascii_only), find_command, delay, keeper)
    if found is not None:
        session.say(describe_found(found))
    session.play()


def _usual(name: str | None, game: Game, seed: int | None, seconds: float | None) -> Seat:
    """The opponent where none is named: who plays that side in the file, if they can; a person if a person did."""
    if name is not None and is_person(name):
        return take_seat(HUMAN, game)
    if name is not None and is_own_bot(name):
        with suppress(AlquerqueError):
            return take_seat(name, game, seed, seconds)
    if name not in (None, UNKNOWN_NAME):
        click.echo(f"{name} played here; {OPPONENT} does now, unless --opponent says otherwise.")
    return take_seat(OPPONENT, game, seed, seconds)


def _find(path: str, game: Game) -> Found:
    """The match of a file, if it is of the game that was named.

    Raises:
      AlquerqueError: If it is of another game or has other options, or cannot be gone on with.
    """
    found = work(lambda: find_match(path), f"reading {path} ...")
    held = found.record.match.game
    if held.name != game.name:
        raise AlquerqueError(f"{path!r} holds a match of {held.name}, not {game.name}; name that game")
    if option_arguments(game) and held.table_hash != game.table_hash:
        chosen = " ".join(option_arguments(held)) or "the defaults"
        raise AlquerqueError(f"the match in {path!r} has other options: {chosen}; leave --option away")
    return found
