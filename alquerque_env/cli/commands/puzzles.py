"""`alquerque puzzles`."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import click

from ...engine.forms import compile_at_once
from ...exercises.puzzle_set import PuzzleSet, load_puzzles
from ...game.game import Game
from ..command import HelpfulCommand, print_report
from ..console.capabilities import find_terminal
from ..console.progress_bar import Display
from ..parameters import FileOrFolder, game_argument, json_option, open_match, seed_option, use_one_thread


@click.command(cls=HelpfulCommand)
@game_argument
@click.option("--agent", metavar="SPEC", help="Measure this bot on the puzzles, instead of solving them yourself.")
@click.option("--file", type=FileOrFolder(dir_okay=False), metavar="FILE", help="Take the puzzles of this file.")
@seed_option("Seed of the random choices of a bot.", default=0)
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw the board with ASCII characters.")
@json_option
def puzzles(game: Game, agent: str | None, file: Path | None, seed: int, ascii_only: bool, as_json: bool) -> None:
    """Solve puzzles, or measure a bot on them.

    A puzzle is a won position in which one turn alone wins, as an endgame table knows, and again one alone after the
    reply that resists longest. Those near your rating come first; it is kept in the user's state folder.

    With --agent the share of puzzles is printed that a bot solves by choosing each of these turns. With --json alone
    the puzzles are described.
    """
    found = load_puzzles(game, file)
    if agent is not None:
        print_report(*_measure(game, found, agent, seed), as_json=as_json)
    elif as_json:
        print_report(_describe(found), (), as_json=True)
    else:
        from ...solve.tables import present_table
        from ..terminal_match.puzzle_session import PuzzleSession, read_record

        open_match(game)
        terminal = find_terminal(ascii_only=ascii_only)
        PuzzleSession(game, found, terminal, read_record(), partial(present_table, game, shipped=True)).play()


def _describe(found: PuzzleSet) -> dict[str, Any]:
    return {
        "game": found.game,
        "options": found.options,
        "puzzles": len(found.puzzles),
        "pieces": found.pieces,
        "seed": found.seed,
        "command": found.command,
        "bots": list(found.bots),
        "grades": {str(grade): count for grade, count in sorted(Counter(each.grade for each in found.puzzles).items())},
        "sources": dict(Counter(each.source for each in found.puzzles)),
        "tags": dict(Counter(tag for each in found.puzzles for tag in each.tags)),
    }


def _measure(game: Game, found: PuzzleSet, agent: str, seed: int) -> tuple[dict[str, Any], list[str]]:
    use_one_thread()
    compile_at_once()
    from ...exercises.solved_share import measure_puzzles

    open_match(game)  # compiles the rules before the progress bar appears
    with Display() as display:
        share = measure_puzzles(
            agent, game, found.puzzles, seed=seed, watch=lambda done, total: display.update(agent, done, total)
        )
    solved = share.solved
    report = {
        "game": game.name,
        "options": dict(game.options),
        "agent": agent,
        "seed": seed,
        "puzzles": share.puzzles,
        "solved": solved.value,
        "low": solved.low,
        "high": solved.high,
        "grades": [
            {"missed_by": grade, "solved": count, "puzzles": total} for grade, (count, total) in share.by_grade.items()
        ],
    }
    lines = [
        f"{agent} solves {solved.value:.1%} ({solved.low:.1%} to {solved.high:.1%}) of {share.puzzles} puzzles "
        f"of {game.title}.",
        *(
            f"  missed by {grade} of {len(found.bots)} bots: {count} of {total}"
            for grade, (count, total) in share.by_grade.items()
        ),
    ]
    return report, lines
