"""The commands that a person may type while a match is played, beside steps."""

import os
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import partial
from types import MappingProxyType

from ... import load_bot
from ...errors import AlquerqueError
from ...game.rules_text import SIDES, rule_sentences
from ...game.step import PASS, join_turn
from ...match.status_text import numbered_turns
from ..console.capabilities import align, join_words
from ..console.interruptible import work
from .help_rows import HELP, help_rows
from .match_file import find_match
from .session import Command, Session

HINT_SPEC = "alphabeta:4"
EXAMPLE = "match.pdn"
# Leaving comes last in the list.
MORE_HELP = (
    *HELP[:-1],
    ("turns", "show the turns so far"),
    (f"save {EXAMPLE}", "write the match to a file"),
    (f"load {EXAMPLE}", "go on with the match of a file"),
    (f"load {EXAMPLE} 2", "go on with its second match"),
    ("switch", "change sides with the bot"),
    ("resign", "give the match up"),
    HELP[-1],
)


def find_command(text: str) -> Command | None:
    """What a line means if it begins with a command, or with the beginning of one; None if it does not.

    Raises:
      AlquerqueError: If the word is nearly a command, or the beginning of several; if something is missing after it, or
        too much.
    """
    typed, _, rest = text.partition(" ")
    name, rest = _meant(typed.lower()), rest.strip()
    if name is None:
        return None
    if name in COMMANDS:
        if rest:
            raise AlquerqueError(f"cannot read {rest!r} after {name}; type {name} alone")
        return COMMANDS[name]
    if not rest:
        raise AlquerqueError(f"{name} needs the name of a file, such as {name} {EXAMPLE}")
    do = FILE_COMMANDS[name]
    return lambda session: do(session, rest)


def _meant(word: str) -> str | None:
    names = [*COMMANDS, *FILE_COMMANDS]
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
    for line in align(help_rows(session.match.game.board, MORE_HELP)):
        session.say(f"  {line}")


def _board(session: Session) -> None:
    session.show()


def _rules(session: Session) -> None:
    for sentence in rule_sentences(session.match.game):
        session.say(session.terminal.wrap(sentence, "  ", "- "))


def _position(session: Session) -> None:
    session.say(session.match.position)


def _turns(session: Session) -> None:
    turns = numbered_turns(session.match)
    session.say(session.terminal.columns(turns) if turns else "No turn has been played.")


def _undo(session: Session) -> None:
    """Takes back to where the person's turn begins, or the turn before if it has just begun."""
    if session.forfeit is not None:
        session.forfeit = None
        return
    earlier = session.match.copy()
    for _ in session.match.steps:
        earlier.pop()
        if earlier.player in session.people and (earlier.chain is None or not earlier.steps):
            session.match = earlier
            return
    raise AlquerqueError("there is nothing to take back")


def _hint(session: Session) -> None:
    _check_goes_on(session)
    match, ahead = session.match, session.match.copy()
    bot = load_bot(HINT_SPEC, match.game, seed=0)
    while not ahead.is_over and ahead.player == match.player:
        ahead.push(work(partial(bot.choose, ahead), "thinking ..."))
    turn = join_turn([step.text for step in ahead.steps[len(match.steps) :]])
    session.say(f"{HINT_SPEC} would play {turn}")


def _save(session: Session, argument: str) -> None:
    path = _path(argument)
    session.keeper.save(path, session.text())
    session.say(f"The match is saved in {path}.")


def _load(session: Session, argument: str) -> None:
    path, number = _path(argument), 1
    words = argument.rsplit(maxsplit=1)
    if len(words) == 2 and words[1].isascii() and words[1].isdecimal() and not os.path.exists(path):
        path, number = _path(words[0]), int(words[1][:9])
    session.go_on_with(find_match(path, number))


def _path(text: str) -> str:
    """The name of a file as it was typed, perhaps in quotes, perhaps in the home folder."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return os.path.expanduser(text[1:-1] if quoted else text)


def _switch(session: Session) -> None:
    _check_goes_on(session)
    if len(session.people) != 1:
        raise AlquerqueError("switch changes sides with a bot, and here people play both")
    south, north = session.seats
    session.seats = north, south
    session.say(f"You play {SIDES[session.people[0]]} now.")
    session.show_again()


def _resign(session: Session) -> None:
    _check_goes_on(session)
    session.resign()


def _check_goes_on(session: Session) -> None:
    if not session.goes_on:
        raise AlquerqueError("the match is over")


def _quit(_session: Session) -> None:
    raise EOFError("the player has left")


COMMANDS: Mapping[str, Callable[[Session], None]] = MappingProxyType(
    {
        "help": _help,
        "?": _help,
        "board": _board,
        "undo": _undo,
        "hint": _hint,
        "rules": _rules,
        "position": _position,
        "turns": _turns,
        "switch": _switch,
        "resign": _resign,
        "quit": _quit,
        "exit": _quit,
    }
)
FILE_COMMANDS: Mapping[str, Callable[[Session, str], None]] = MappingProxyType({"save": _save, "load": _load})
