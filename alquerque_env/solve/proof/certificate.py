"""Certificates: proofs in text files that a program without this engine can check.

`tests/check_certificate.py` checks them by the rules alone; `docs/tables.md` describes the format.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from ...errors import TableError
from ...files.atomic import open_whole
from ...game.rules_text import SIDES
from ...game.step import Step
from ...match.match import Match
from .dfpn import PROVED, ProofSearch

MAGIC = "alquerque certificate 1"
_BETWEEN_REPORTS = 1 << 12
_ENTRIES_FOR_A_GAP = 1 << 18
_NODES_FOR_A_GAP = 1 << 24


def write_certificate(
    path: Path, answers: Mapping[ProofSearch, str], winner: int | str, watch: Callable[[int], None] | None = None
) -> int:
    """Writes the proof of a value.

    Args:
      path: The file; compressed if its name ends with `.gz`.
      answers: The searches that show the value, each with its answer, PROVED or DISPROVED.
      winner: The value of the position: 0, 1 or "draw".
      watch: Called now and then with the number of positions written.

    Returns:
      The number of positions written.

    Raises:
      TableError: If the proof does not hold, or too little of it is left in memory.
      OSError: If the file cannot be written. The error names it.
    """
    match = next(iter(answers)).match
    header = {
        "game": match.game.name,
        "options": dict(match.game.options),
        "table_hash": match.game.table_hash,
        "position": match.position,
        "winner": winner,
    }
    written = 0
    with ExitStack() as stack:
        whole = stack.enter_context(open_whole(path))
        is_compressed = path.suffix == ".gz"
        file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=whole, mtime=0)) if is_compressed else whole
        file.write(f"{MAGIC}\n{json.dumps(header)}\n".encode())
        for search, answer in answers.items():
            is_win = answer == PROVED or winner == 1 - search.player
            succeeds = search.player if answer == PROVED else 1 - search.player
            claim = f"{SIDES[succeeds]} wins" if is_win else f"{SIDES[search.player]} does not win"
            file.write(f"{claim}\n".encode())
            for line in _lines(search, answer):
                file.write(f"{line}\n".encode())
                written += 1
                if watch and written % _BETWEEN_REPORTS == 0:
                    watch(written)
    return written


def _lines(search: ProofSearch, answer: str) -> Iterator[str]:
    """The positions of the succeeding side with its steps, and the positions that the endgame table decides."""
    game = search.match.game
    succeeds = search.player if answer == PROVED else 1 - search.player
    waiting, seen = [(search.match.position, search)], set()
    while waiting:
        position, source = waiting.pop()
        if position in seen:
            continue
        seen.add(position)
        match = Match(game, position)
        steps = [(source.work_to_show(after, answer), step, after) for step, after in _after(match)]
        if match.player == succeeds:
            shown = [(work, place) for place, (work, _, _) in enumerate(steps) if work is not None]
            if not shown:
                seen.discard(position)
                waiting.append((position, _search_again(match, source, answer)))
                continue
            steps = [steps[min(shown)[1]]]
            yield f"{position} {steps[0][1].text}"
        for work, _, after in steps:
            if after.is_over and work is None:
                raise TableError(f"the proof does not hold: {after.position} ends with another result")
            if after.is_over or after.position in seen:
                continue
            if work == 0:
                seen.add(after.position)
                yield f"{after.position} table"
            else:
                waiting.append((after.position, source))


def _after(match: Match) -> Iterator[tuple[Step, Match]]:
    for step in match.legal_steps:
        after = match.copy()
        after.push(step)
        yield step, after


def _search_again(match: Match, source: ProofSearch, answer: str) -> ProofSearch:
    """A search of a position that is no longer in memory."""
    search = ProofSearch(match, source.player, source.table, _ENTRIES_FOR_A_GAP)
    if not search.run(_NODES_FOR_A_GAP):
        raise TableError("too little of the proof is left in memory to write it: solve the position again")
    if search.answer.state != answer:
        raise TableError(f"the proof does not hold: {match.position} is {search.answer.state}, not {answer}")
    return search
