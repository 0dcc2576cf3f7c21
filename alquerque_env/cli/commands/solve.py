"""`alquerque solve`."""

import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...errors import AlquerqueError, UnknownNameError
from ...game.game import Game
from ...game.rules_text import SIDES, progress
from ..command import HelpfulCommand, Report, print_report
from ..console.progress_bar import Display
from ..parameters import FileOrFolder, FloatRange, IntRange, game_argument, json_option, open_match, position_option

if TYPE_CHECKING:
    from ...match.match import Match
    from ...solve.proof import Answer, Solution
    from ...solve.tables.table_file import Header

TABLE = FileOrFolder(dir_okay=False)
_STOPPED = "the same command resumes"


@click.command(cls=HelpfulCommand)
@game_argument
@click.option("--pieces", type=int, metavar="K", help="Build the table of all positions with at most K pieces.")
@click.option("--whole", is_flag=True, help="Build and verify the table of all positions, and say who wins the game.")
@click.option("--from-start", is_flag=True, help="Prove who wins from the start, or from --position.")
@click.option(
    "--each-option",
    is_flag=True,
    help="Solve all rule sets of the game, with a line for each in the file of -o. Options that are changed stay so.",
)
@click.option("--vary", multiple=True, metavar="NAME", help="With --each-option: vary only this option; repeatable.")
@click.option(
    "--verify", is_flag=True, help="Check all that a table says from the rules; with --from-start, check the proof."
)
@click.option(
    "--certificate",
    type=TABLE,
    metavar="FILE",
    help="With --from-start: write the proof, for others to check. FILE.xz is compressed, FILE.steps has the steps for "
    "the bot perfect.",
)
@position_option
@click.option("--seconds", type=FloatRange(0), metavar="S", help="With --from-start: stop after this time.")
@click.option("--table", type=TABLE, metavar="PATH", help="Use this table of the game.")
@click.option(
    "-o",
    "--output",
    type=TABLE,
    metavar="PATH",
    show_default="its place in the user's cache folder",
    help="File of the table.",
)
@click.option("--memory", type=FloatRange(0.001), default=16.0, metavar="GIB", help="Most memory to use.")
@click.option("--threads", type=IntRange(1), metavar="N", show_default="one a core", help="Threads for tables.")
@json_option
def solve(
    game: Game,
    pieces: int | None,
    whole: bool,
    verify: bool,
    certificate: Path | None,
    from_start: bool,
    each_option: bool,
    vary: tuple[str, ...],
    position: str | None,
    seconds: float | None,
    table: Path | None,
    output: Path | None,
    memory: float,
    threads: int | None,
    as_json: bool,
) -> None:
    """Compute exact values of positions.

    With --pieces K, build the endgame table: the value and distance of every position with at most K pieces. With
    --whole, build and verify the table of all positions, which says who wins; small games can be solved so. With
    --from-start, prove who wins the whole game by proof-number search, which looks positions up in the table.

    Ctrl-C stops; the same command resumes. The work is not spread over machines: threads share the table in memory.
    """
    if each_option:
        if whole or verify or from_start or pieces is not None or position is not None or table is not None:
            raise AlquerqueError(
                "--each-option solves whole games by its own tables: it goes with --vary, -o, --memory, --threads"
            )
        if output is None:
            raise AlquerqueError("--each-option writes a line for each rule set: give its file with -o FILE.jsonl")
        print_report(*_solve_each_option(game, vary, output, memory, threads), as_json=as_json)
        return
    if vary:
        raise AlquerqueError("--vary names options of a study: give --each-option too")
    if pieces is None and not whole and not verify and not from_start:
        raise AlquerqueError(
            "nothing to solve: give --pieces K, --whole, --from-start, or --verify to check an existing table"
        )
    if whole and (pieces is not None or from_start):
        raise AlquerqueError("--whole takes all pieces and the start position: give neither --pieces nor --from-start")
    if certificate is not None and not from_start:
        raise AlquerqueError("--certificate writes a proof: give --from-start too")
    match = open_match(game, position)  # compiles the rules before the progress bar appears
    path = output or table
    if whole:
        print_report(*_solve_whole(game, path, memory, threads), as_json=as_json)
    elif pieces is not None or (verify and not from_start):
        print_report(*_solve_table(game, pieces, verify, path, memory, threads), as_json=as_json)
    if from_start:
        print_report(*_solve_match(match, path, memory, seconds, verify, certificate), as_json=as_json)


def _solve_table(
    game: Game, pieces: int | None, verify: bool, path: Path | None, memory: float, threads: int | None
) -> Report:
    from ...solve.tables import build_table, load_table
    from ...solve.tables.build import GIBIBYTE, is_built, memory_needed, plan
    from ...solve.tables.table_file import find_table, table_path, verification_folder
    from ...solve.tables.verify_table import verify_table
    from ...solve.tables.whole import seconds_needed

    began = time.monotonic()
    with Display(_STOPPED, counts=False) as display:
        if pieces is not None:
            index, path = plan(game, pieces, memory), path or table_path(game, pieces)
            minutes = seconds_needed(index, verify) / 60
            effort = f"about {minutes:,.0f} minutes" if minutes >= 1 else "less than a minute"
            need = f"{memory_needed(index) / GIBIBYTE:.2f} GiB of memory, {effort} of processor time"
            is_there = f"the table is there already: {path}" + ("; all that it says is checked now" if verify else "")
            display.note(is_there if is_built(path, index) else f"{index.size:,} numbers, {need}")
            build_table(game, pieces, path, memory=memory, threads=threads, watch=display.show, note=display.note)
        path = path or find_table(game, shipped=True)
        table = load_table(game, path)
        spent = table.header.seconds
        if verify:
            spent += verify_table(
                table, threads, display.show, folder=verification_folder(path), note=display.note
            ).seconds
    report, lines = _report_table(game, path, table.header, time.monotonic() - began, verify)
    return {**report, "processor_seconds": round(spent, 1)}, lines


def _solve_whole(game: Game, path: Path | None, memory: float, threads: int | None) -> Report:
    from ...solve.proof.game_value import value_after_schedule
    from ...solve.solutions import solution_of_table
    from ...solve.tables import load_table
    from ...solve.tables.table_file import proof_folder
    from ...solve.tables.whole import value_of_start, whole_command, whole_entry, whole_pieces

    report, lines = _solve_table(game, whole_pieces(game), True, path, memory, threads)
    table = load_table(game, report["path"])
    began = time.process_time()
    if game.schedule:
        with Display(_STOPPED, counts=False) as display:
            folder = proof_folder(open_match(game), table.pieces)
            start = value_after_schedule(table, folder, lambda *found: display.update(_sentence(*found)))
    else:
        start = value_of_start(table)
    seconds = report["processor_seconds"] + time.process_time() - began
    entry = whole_entry(table, start, whole_command(game), round(seconds, 1))
    return {**report, "whole": entry}, [*lines, *solution_of_table(game, entry).sentences()]


def _solve_each_option(game: Game, varied: tuple[str, ...], path: Path, memory: float, threads: int | None) -> Report:
    from ...arena.option_study import study_options

    for name in varied:
        if name not in game.option_table:
            raise UnknownNameError("option", name, game.option_table)
    fixed = {name: value for name, value in game.options.items() if name not in varied} if varied else {}
    fixed |= game.chosen_options
    with Display(_STOPPED) as display:
        rows = study_options(game, path, fixed=fixed, memory=memory, threads=threads, watch=display.show)
    names: dict[int | str | None, str] = {None: "not known", "draw": "draw"}
    names |= {player: f"{side} wins" for player, side in enumerate(SIDES)}
    winners = Counter(names[row["winner"]] for row in rows)
    lines = [f"{len(rows)} rule sets in {path}", *(f"{what}: {count}" for what, count in winners.most_common())]
    return {"game": game.argument, "rows": rows}, lines


def _solve_match(
    match: "Match", path: Path | None, memory: float, seconds: float | None, verify: bool, certificate: Path | None
) -> Report:
    from ...solve.proof import solve_position
    from ...solve.tables import load_table, present_table
    from ...solve.tables.table_file import proof_folder

    if match.is_over:
        raise AlquerqueError("the match is over in this position")
    table = present_table(match.game) if path is None else load_table(match.game, path)
    pieces = 0 if table is None else table.pieces
    with Display(_STOPPED, counts=False) as display:
        display.note(f"using the endgame table of {pieces} pieces" if pieces else "without an endgame table")
        solution = solve_position(
            match,
            table,
            memory=memory,
            seconds=seconds,
            folder=proof_folder(match, pieces),
            watch=lambda player, answer: display.update(_sentence(player, answer)),
            verify=verify,
            watch_check=lambda checked: display.update(f"{checked.positions:,} positions of the proof checked"),
            certificate=certificate,
        )
    return _report_solution(match, solution, pieces, verify, certificate)


def _sentence(player: int, answer: "Answer") -> str:
    """The answer so far to whether a player wins."""
    if answer.state == "open" and answer.nodes == 0:
        return f"{SIDES[player]} wins: open, not started"
    missing = f", {answer.proof} to prove or {answer.disproof} to disprove" if answer.state == "open" else ""
    return f"{SIDES[player]} wins: {answer.state}{missing}; {answer.nodes:,} positions"


def _report_solution(
    match: "Match", solution: "Solution", pieces: int, verify: bool, certificate: Path | None
) -> Report:
    answers, checked = solution.answers.items(), solution.checked.items()
    report = {
        "game": match.game.name,
        "options": dict(match.game.options),
        "table_hash": match.game.table_hash,
        "position": match.position,
        "winner": solution.winner,
        "questions": [{"player": player, **asdict(answer)} for player, answer in answers],
        "line": list(solution.line),
        "table_pieces": pieces,
        "seconds": round(solution.seconds, 1),
    }
    if checked:
        report["checked"] = [{"player": player, **proof._asdict()} for player, proof in checked]
    lines = [_sentence(player, answer) for player, answer in answers]
    for player, proof in checked:
        what = f"The proof of whether {SIDES[player]} wins holds"
        lines.append(f"{what}: {proof.positions:,} positions, {proof.ends:,} ends, {proof.gaps:,} gaps.")
    if verify and any(answer.state == "open" for _, answer in answers):
        lines.append("Open questions have no proof to check.")
    if solution.winner is None:
        lines.append(f"not known yet after {solution.seconds:.0f} s; the same command resumes")
        lines += ["There is no certificate before the answer is known."] if certificate is not None else []
    else:
        lines.append("It is a draw." if solution.winner == "draw" else f"{SIDES[int(solution.winner)]} wins.")
        lines += [f"A line: {' '.join(solution.line)}"] if solution.line else []
        lines += [f"Certificate: {certificate}"] if certificate is not None else []
    return report, lines


def _report_table(game: Game, path: Path, header: "Header", seconds: float, verified: bool) -> Report:
    positions = sum(part.positions for part in header.slices)
    size = path.stat().st_size
    studied = [group for group in header.groups if "longest_way" in group]
    limit = game.rules.no_progress_limit
    # How many values the no-progress limit would change, which a table leaves out; None where it was not studied.
    clock = (
        None
        if not studied
        else {
            "limit": int(limit),
            "longest_way": max(group["longest_way"] for group in studied),
            "changed": sum(group["changed"] for group in studied),
        }
    )
    report = {
        "game": header.game,
        "options": header.options,
        "table_hash": header.table_hash,
        "pieces": header.pieces,
        "positions": positions,
        "bytes": size,
        "path": str(path),
        "seconds": round(seconds, 1),
        "verified": verified,
        "clock": clock,
        "slices": [{key: value for key, value in asdict(part).items() if key != "blocks"} for part in header.slices],
    }
    width = max(len(part.name) for part in header.slices)
    lines = [f"{'slice':<{width}} {'positions':>13} {'won':>7} {'drawn':>7} {'lost':>7} {'longest':>8}"]
    for part in header.slices:
        shares = " ".join(f"{getattr(part, what) / max(part.positions, 1):>7.2%}" for what in ("won", "drawn", "lost"))
        lines.append(f"{part.name:<{width}} {part.positions:>13,} {shares} {part.longest:>8}")
    if clock:
        lines.append(
            f"The longest way to {progress(game)} has {clock['longest_way']} plies. The no-progress limit of "
            f"{clock['limit']} plies, which the table leaves out, would change the values of {clock['changed']:,} "
            "positions."
        )
    elif limit != "off":
        lines.append("The effect of the no-progress limit on the values is not studied under these rules.")
    checked = "; every value checked" if verified else ""
    lines.append(f"{positions:,} positions, {size / positions:.3f} bytes each, {seconds:.0f} s: {path}{checked}")
    return report, lines
