"""The commands that a player can type during a match, besides steps."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from ... import load_bot
from ...bots.analysis import SEARCHER
from ...bots.match_report import report_match
from ...errors import AlquerqueError
from ...game import table_layout as TABLE
from ...game.rules_text import SIDES, rule_sentences
from ...game.step import join_turn
from ...match.link import format_link
from ...match.status_text import numbered_turns
from ...solve.exact_steps import exact_steps
from ...solve.proved_steps import present_proof
from ...solve.tables import present_table
from ..console.signals import run_interruptible
from .match_file import load_match
from .session import Command, Session, may_beat_a_search
from .typed_input import command_typed

HINT_SECONDS = 2.0  # that a hint by search takes


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


def find_command(text: str) -> Command | None:
    """Returns the command that a line means by its name or the beginning of it; None if the line is no command.

    Raises:
      AlquerqueError: If the first word is close to a command or begins several, or if the rest of the line is wrong.
    """
    typed, _, rest = text.partition(" ")
    name, rest = command_typed(typed.lower(), [*COMMANDS, *COMMANDS_WITH_MORE, *OTHER_NAMES]), rest.strip()
    name = OTHER_NAMES.get(name or "", name)
    if name is None:
        return None
    if name in COMMANDS:
        if rest:
            raise AlquerqueError(f"cannot read {rest!r} after {name}; type {name} alone")
        return COMMANDS[name][0]
    command, needed, _ = COMMANDS_WITH_MORE[name]
    if not rest:
        raise AlquerqueError(f"{name} needs {needed}, such as {name} {next(iter(COMMANDS_WITH_MORE[name][2]))}")
    return lambda session: command(session, rest)


def _help(session: Session) -> None:
    rows = [("pass", "end the turn, where the rules allow it"), *((name, what) for name, (_, what) in COMMANDS.items())]
    rows += [
        (f"{name} {example}", what)
        for name, (_, _, examples) in COMMANDS_WITH_MORE.items()
        for example, what in examples.items()
    ]
    print("\n".join(session.terminal.table(help_rows(session.match.game, rows))))


def _rules(session: Session) -> None:
    session.say("\n".join(session.terminal.bullets(rule_sentences(session.match.game))))


def _turns(session: Session) -> None:
    turns = numbered_turns(session.match)
    session.say(session.terminal.columns(turns) if turns else "No turn has been played.")


def _hint(session: Session) -> None:
    _check_unfinished(session)
    match, ahead = session.match, session.match.copy()
    known = exact_steps(match, present_table(match.game, shipped=True), present_proof(match.game)[0])
    opponent = "perfect" if known.known else session.players[1 - match.player].spec
    by_search = SEARCHER, f"a search of {HINT_SECONDS:g} seconds"
    spec, name = (opponent, opponent) if may_beat_a_search(opponent) else by_search
    bot = load_bot(spec, match.game, seed=0, time_limit=HINT_SECONDS)
    while not ahead.is_over and ahead.player == match.player:
        ahead.push(run_interruptible(partial(bot.choose, ahead), "thinking ..."))
    turn = join_turn([step.text for step in ahead.steps[len(match.steps) :]])
    session.say(f"{name} would play {turn}")
    if known.known:
        right = [each.step.text for each in known.steps if each.most >= known.least]
        is_only = len(right) == 1 < len(known.steps)
        told = "; ".join(f"{each.step.text}: {each.words or 'not known'}" for each in known.steps)
        only = f" Only {right[0]} keeps the value of the position." if is_only else ""
        session.say(session.terminal.wrap(f"{told}.{only}"))


def _save(session: Session, argument: str) -> None:
    path = _path(argument)
    session.saver.save(path, session.record)
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
    session.record.south, session.record.north = session.record.north, session.record.south
    session.seat((north, south))
    session.say(f"You play {SIDES[session.people[0]]} now.")
    session.redraw()


def _report(session: Session) -> None:
    if session.is_unfinished:
        raise AlquerqueError("the match is not over; report judges its turns then")
    task = partial(report_match, session.match.copy(), winner=session.record.winner)
    found = run_interruptible(task, "judging the turns ...")
    for sentence in found.sentences():
        session.say(session.terminal.wrap(sentence))


def _check_unfinished(session: Session) -> None:
    if not session.is_unfinished:
        raise AlquerqueError("the match is over")


def _quit(_session: Session) -> None:
    raise EOFError


COMMANDS: Mapping[str, tuple[Command, str]] = MappingProxyType(
    {
        "help": (_help, "list the commands"),
        "undo": (lambda session: session.record.take_back(session.people), "go back to your previous turn"),
        "hint": (_hint, "show what a bot would play, and what is known of each step"),
        "board": (Session.show, "draw the board and list the steps again"),
        "rules": (_rules, "show the rules of this game"),
        "position": (lambda session: session.say(session.match.position), "show the position as text"),
        "turns": (_turns, "list the turns so far"),
        "link": (_link, "show the match as a link, which the page in the browser opens"),
        "switch": (_switch, "change sides with the bot"),
        "report": (_report, "judge the turns of a match that is over"),
        "resign": (lambda session: session.record.resign(session.match.player), "give up the match"),
        "quit": (_quit, "leave and keep the match; prints how to resume it"),
    }
)
"""Commands that stand alone, and what they do."""

COMMANDS_WITH_MORE: Mapping[str, tuple[Callable[[Session, str], None], str, Mapping[str, str]]] = MappingProxyType(
    {
        "view": (_view, "a number of turns", {"2": "draw the board as it was two turns ago"}),
        "save": (_save, "the name of a file", {"match.pdn": "write the match to a file"}),
        "load": (
            _load,
            "the name of a file",
            {"match.pdn": "resume the match in a file", "match.pdn 2": "resume the second match in a file"},
        ),
    }
)
"""Commands that need something after their name, what that is, and examples of it with what they do."""

OTHER_NAMES: Mapping[str, str] = MappingProxyType({"?": "help", "exit": "quit"})
