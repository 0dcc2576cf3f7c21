"""`alquerque report`."""

import sys
import threading
from functools import partial
from itertools import count

import click

from ...bots.match_report import JudgedTurn, report_match
from ...match.records import load_record
from ..command import HelpfulCommand, print_line, print_report
from ..console.progress_bar import Display
from ..console.signals import interruptible
from ..parameters import IntRange, json_option


@click.command(cls=HelpfulCommand)
@click.argument("file", metavar="FILE")
@click.option("--match", "number", type=IntRange(1), default=1, show_default=True, help="Which match of the file.")
@json_option
def report(file: str, number: int, as_json: bool) -> None:
    """Report on a match: mistakes and accuracy.

    Turns are judged by a table or a proof of the game where one reaches, and by a search elsewhere; the report says
    which. Judging 100 turns takes at most 10 seconds. Ctrl-C ends with the turns that are judged.
    """
    record = load_record(file, number, tell=partial(print_line, err=True))
    match, stop = record.match, threading.Event()
    total, done = len(match.history), count(1)
    with interruptible() as interrupted, Display(pause=5.0) as display:

        def show(_: JudgedTurn) -> None:
            display.update("judging turns", next(done), total)
            if interrupted.status is not None:
                stop.set()

        found = report_match(match, winner=record.winner, progress=show, stop=stop)
    about = {"game": match.game.name, "south": record.south, "north": record.north, "result": record.result}
    print_report({**about, **found.as_dict()}, found.sentences(), as_json=as_json)
    if interrupted.status is not None:
        print_line(f"stopped after {len(found.turns)} of {total} turns", err=True)
        sys.exit(interrupted.status)
