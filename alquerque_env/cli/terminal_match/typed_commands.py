"""The commands that a player can type during a match, besides steps."""

import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from types import MappingProxyType
from typing import Any

import click

from ... import load_bot
from ...bots.analysis import MAX_DEPTH
from ...bots.match_reporter import report_match
from ...errors import AlquerqueError
from ...game import table_layout as TABLE
from ...game.rules_text import SIDES, rule_sentences
from ...game.step import PASS, join_turn
from ...match.link import format_link
from ...match.match import Match
from ...match.status_text import numbered_turns
from ..console.capabilities import join_words
from ..console.interruptible import run_interruptible
from .match_file import Forfeit, load_match
from .players import may_beat_a_search
from .session import RESIGNED, Command, Session

HELP = (
    ("pass", "end the turn, where the rules allow it"),
    ("undo", "go back to your previous turn"),
    ("hint", "show what a bot would play"),
    ("board", "draw the board and list the steps again"),
    ("rules", "show the rules of this game"),
    ("position", "show the position as text"),
    ("quit", "leave and keep the match; prints how to resume it"),
)


def help_rows(game: Any, rows: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """How steps are typed, with points of the game's board as examples, followed by other rows."""
    board, has_schedule = game.board, game.table.words[TABLE.STAGES]
    a, b, c, *others = (board.labels[point] for point in board.longest_line)
    return [
        (f"{a}-{b}, {a}x{c}", "play a step"),
        ("x".join((a, c, *others[1:2])), "play a whole turn"),
        (f"{a}x{c}^{b}", f"capture the piece on {b}, if the step could capture another"),
        *(((f"@{a}, x{a} or {a}", f"drop a piece on {a} or remove it, in the first turns"),) if has_schedule else ()),
        *(() if board.has_numbers else ((a, f"show where the piece on {a} can go"),)),
        ("3", "play the third step of the list"),
        *rows,
    ]


HINT_SECONDS = 2.0  # that a hint by search takes
EXAMPLE = "match.pdn"
MORE_HELP = (
    *HELP[:-1],
    ("turns", "list the turns so far"),
    ("view 2", "draw the board as it was two turns ago"),
    ("link", "show the match as a link, which the page in the browser opens"),
    (f"save {EXAMPLE}", "write the match to a file"),
    (f"load {EXAMPLE}", "resume the match in a file"),
    (f"load {EXAMPLE} 2", "resume the second match in a file"),
    ("switch", "change sides with the bot"),
    ("resign", "give up the match"),
    ("report", "judge the turns of a match that is over"),
    HELP[-1],
)


def find_command(text: str) -> Command | None:
    """Returns the command that a line means by its name or the beginning of it; None if the line is no command.

    Raises:
      AlquerqueError: If the first word is close to a command or begins several, or if the rest of the line is wrong.
    """
    typed, _, rest = text.partition(" ")
    name, rest = _command_name(typed.lower()), rest.strip()
    if name is None:
        return None
    if name in COMMANDS:
        if rest:
            raise AlquerqueError(f"cannot read {rest!r} after {name}; type {name} alone")
        return COMMANDS[name]
    command, needed = COMMANDS_WITH_MORE[name]
    if not rest:
        raise AlquerqueError(f"{name} needs {needed}")
    return lambda session: command(session, rest)


def _command_name(word: str) -> str | None:
    names = [*COMMANDS, *COMMANDS_WITH_MORE]
    if word in names:
        return word
    if not word.isalpha() or word == PASS:
        return None
    meant = [name for name in names if name.startswith(word)]
    if len(meant) == 1:
        return meant[0]
    if near := meant or get_close_matches(word, [*names, PASS], n=1):
        raise AlquerqueError(f"cannot read {word!r}; did you mean {join_words(near)}?")
    return None


def _help(session: Session) -> None:
    click.echo("\n".join(session.terminal.table(help_rows(session.match.game, MORE_HELP))))


def _turns(session: Session) -> None:
    turns = numbered_turns(session.match)
    session.say(session.terminal.columns(turns) if turns else "No turn has been played.")


def _undo(session: Session) -> None:
    """Goes back to the beginning of the person's turn, or of the turn before; a forfeit is taken back first."""
    if session.forfeit is not None:
        session.forfeit = None
        return
    session.match = before_turn_of(session.match, session.people)


def before_turn_of(match: Match, sides: Sequence[int]) -> Match:
    """The match before the last turn of these sides, or before what is played of it."""
    earlier = match.copy()
    for _ in match.steps:
        earlier.pop()
        if earlier.player in sides and (not earlier.turn_goes_on or not earlier.steps):
            return earlier
    raise AlquerqueError("there is nothing to take back")


def _hint(session: Session) -> None:
    _check_unfinished(session)
    match, ahead = session.match, session.match.copy()
    opponent = session.players[1 - match.player].spec
    by_search = f"alphabeta:{MAX_DEPTH}", f"a search of {HINT_SECONDS:g} seconds"
    spec, name = (opponent, opponent) if may_beat_a_search(opponent) else by_search
    bot = load_bot(spec, match.game, seed=0, time_limit=HINT_SECONDS)
    while not ahead.is_over and ahead.player == match.player:
        ahead.push(run_interruptible(partial(bot.choose, ahead), "thinking ..."))
    turn = join_turn([step.text for step in ahead.steps[len(match.steps) :]])
    session.say(f"{name} would play {turn}")


def _save(session: Session, argument: str) -> None:
    path = _path(argument)
    session.saver.save(path, session.text())
    session.say(f"The match is saved in {path}.")


def _load(session: Session, argument: str) -> None:
    path, number = _path(argument), 1
    words = argument.rsplit(maxsplit=1)
    if len(words) == 2 and words[1].isascii() and words[1].isdecimal() and not os.path.exists(path):
        path, number = _path(words[0]), int(words[1][:9])
    session.resume(load_match(path, number))


def _view(session: Session, argument: str) -> None:
    """Draws the board as it was some turns ago."""
    match, played = session.match.copy(), len(session.match.history)
    ago = int(argument[:9]) if argument.isascii() and argument.isdecimal() else -1
    if not 0 <= ago <= played:
        raise AlquerqueError(f"view needs a number of turns from 0 to {played}, found {argument!r}")
    for _, steps in match.history[played - ago :]:
        for _ in steps:
            match.pop()
    session.draw(match)


def _link(session: Session) -> None:
    session.say(f"#{format_link(session.match)}")


def _path(text: str) -> str:
    """The path that was typed, without quotes and with the home folder in place of `~`."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return os.path.expanduser(text[1:-1] if quoted else text)


def _switch(session: Session) -> None:
    _check_unfinished(session)
    if len(session.people) != 1:
        raise AlquerqueError("switch changes sides with a bot, but people play both sides")
    south, north = session.players
    session.players = north, south
    session.say(f"You play {SIDES[session.people[0]]} now.")
    session.redraw()


def _resign(session: Session) -> None:
    _check_unfinished(session)
    session.forfeit = Forfeit(session.match.player, RESIGNED)


def _report(session: Session) -> None:
    if session.is_unfinished:
        raise AlquerqueError("the match is not over; report judges its turns then")
    winner = None if session.forfeit is None else 1 - session.forfeit.loser
    found = run_interruptible(partial(report_match, session.match.copy(), winner=winner), "judging the turns ...")
    for sentence in found.sentences():
        session.say(session.terminal.wrap(sentence))


def _check_unfinished(session: Session) -> None:
    if not session.is_unfinished:
        raise AlquerqueError("the match is over")


def _quit(_session: Session) -> None:
    raise EOFError


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "help": _help,
        "?": _help,
        "board": Session.show,
        "undo": _undo,
        "hint": _hint,
        "rules": lambda session: session.say("\n".join(session.terminal.bullets(rule_sentences(session.match.game)))),
        "position": lambda session: session.say(session.match.position),
        "turns": _turns,
        "link": _link,
        "switch": _switch,
        "report": _report,
        "resign": _resign,
        "quit": _quit,
        "exit": _quit,
    }
)
COMMANDS_WITH_MORE: Mapping[str, tuple[Callable[[Session, str], None], str]] = MappingProxyType(
    {
        "save": (_save, f"the name of a file, such as save {EXAMPLE}"),
        "load": (_load, f"the name of a file, such as load {EXAMPLE}"),
        "view": (_view, "a number of turns, such as view 2"),
    }
)
"""Commands that need something after their name, and what that is."""
