"""Makes the files of a protocol of the benchmark: the positions of a game, and the matches between its opponents.

alquerque solve fetaix --pieces 5
python benchmarks/make_protocol.py suite fetaix
python benchmarks/make_protocol.py ladder fetaix

Positions come from an endgame table. They are sorted into strata by the number of pieces and the value for the player
to move. Won and drawn positions must have a step that loses value. Lost positions only serve to compare the values that
agents expect. A match gives at most one position to each stratum.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from alquerque_env import Game, Match, Step, __version__, load_table
from alquerque_env.arena import ArenaResult, play_arena
from alquerque_env.arena.arena_result import Meeting
from alquerque_env.arena.opening_lists import choose_openings
from alquerque_env.arena.openings import PositionKeys
from alquerque_env.arena.progress import Progress, Watch, unwatched
from alquerque_env.arena.schedule import derive_seed
from alquerque_env.arena.text_report import print_result
from alquerque_env.benchmark import Protocol, load_protocol
from alquerque_env.benchmark.ladder import arena_settings, ladder_file, list_rungs, noted_weights
from alquerque_env.benchmark.protocol import CURRENT, SuitePlan, write_checked
from alquerque_env.benchmark.suite import SuitePosition, format_suite, suite_file
from alquerque_env.bots import Bot, load_bot
from alquerque_env.cli.console.progress_bar import Display
from alquerque_env.errors import AlquerqueError, BenchmarkError
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import load_text
from alquerque_env.solve.tables import EndgameTable

LONGEST = 600
"""The most steps of a match."""


def sample_endings(game: Game, plan: SuitePlan, pieces: int) -> Iterator[list[Match]]:
    """For each match, its positions with several legal steps and at most `pieces` pieces.

    They have no plies without progress. Positions that are equal under the symmetries of the game are given once.
    """
    bots = [load_bot(spec, game, seed=derive_seed(plan.seed, "player", spec), tables=False) for spec in plan.players]
    keys = PositionKeys(game)
    seen: set[bytes] = set()
    for number in range(plan.matches):
        generator = np.random.default_rng(derive_seed(plan.seed, "match", number))
        found = []
        for match in _play(game, bots, plan.random_share, generator):
            state = match.state
            count = sum(int(word).bit_count() for word in state[STATE.MEN : STATE.PLAYER])
            if len(match.legal_steps) > 1 and count <= pieces:
                state[STATE.QUIET] = 0
                fresh = Match.from_state(game, state)
                key = keys.key(fresh)
                if key not in seen:
                    seen.add(key)
                    found.append(fresh)
        yield found


def _play(game: Game, bots: Sequence[Bot], random_share: float, generator: np.random.Generator) -> Iterator[Match]:
    """Plays a match and yields it before every step, always the same object."""
    players = [bots[int(place)] for place in generator.integers(len(bots), size=2)]
    match = Match(game)
    while not match.is_over and len(match.steps) < LONGEST:
        yield match
        steps = match.legal_steps
        is_random = generator.random() < random_share
        step = steps[int(generator.integers(len(steps)))] if is_random else players[match.player].choose(match)
        match.push(step)


Stratum = tuple[int, int]
"""Pieces and value."""

Strata = dict[Stratum, list[SuitePosition]]


def make_suite(protocol: Protocol, game: Game, table: EndgameTable, watch: Watch = unwatched) -> int:
    """Writes the suite of a game with its default options into the folder of the protocol; returns its length."""
    found = find_positions(game, protocol.suite, table, watch)
    origin = {
        "suite": protocol.version,
        "game": game.name,
        "table_hash": game.table_hash,
        "seed": protocol.suite.seed,
        "pieces": table.pieces,
        "made_by": f"alquerque-env {__version__}",
    }
    write_checked(protocol.folder, suite_file(game.name), format_suite(origin, found))
    return len(found)


def find_positions(game: Game, plan: SuitePlan, table: EndgameTable, watch: Watch) -> list[SuitePosition]:
    """The positions of a suite, ordered by pieces and then value, wins first."""
    strata: Strata = defaultdict(list)
    for number, matches in enumerate(sample_endings(game, plan, table.pieces)):
        watch(Progress("matches", number, plan.matches, game.name))
        _sort_in(strata, matches, table, plan.positions)
    chosen = _share_out(strata, [stratum for stratum in strata if stratum[1] >= 0], plan.positions)
    chosen |= _share_out(strata, [stratum for stratum in strata if stratum[1] < 0], plan.lost_positions)
    order = sorted(strata, key=lambda stratum: (stratum[0], -stratum[1]))
    return [entry for stratum in order for entry in strata[stratum][: chosen[stratum]]]


def _sort_in(strata: Strata, matches: Sequence[Match], table: EndgameTable, most: int) -> None:
    """Adds the first position of a match for each stratum that is not full."""
    added = set()
    for match in matches:
        entry = describe(match, table)
        if entry is None or not (entry.is_critical or entry.value < 0):
            continue
        stratum = entry.pieces, entry.value
        if stratum not in added and len(strata[stratum]) < most:
            added.add(stratum)
            strata[stratum].append(entry)


def _share_out(strata: Strata, among: Sequence[Stratum], count: int) -> dict[Stratum, int]:
    """How many positions to take from each stratum: equally many, or all of a stratum that has fewer."""
    shares: dict[Stratum, int] = {}
    for place, stratum in enumerate(sorted(among, key=lambda stratum: (len(strata[stratum]), stratum))):
        shares[stratum] = min(len(strata[stratum]), (count - sum(shares.values())) // (len(among) - place))
    return shares


def describe(match: Match, table: EndgameTable) -> SuitePosition | None:
    """A position with its exact values; None if not in the table, or perhaps other under the no-progress limit."""
    after = [_after(match, step) for step in match.legal_steps]
    values = [_value_for(match.player, each, table) for each in after]
    known = [value for value in values if value is not None]
    value = table.value(match)
    if value is None or len(known) < len(values) or any(_may_be_late(each, table) for each in (match, *after)):
        return None
    best = max(known)
    if value != best:
        raise BenchmarkError(f"the table says {value} of {match.position!r} of {match.game.name}, its steps say {best}")
    is_unique = _count_best_turns(match, best, table, 2) == 1
    return SuitePosition(match.position, best, table.distance(match), tuple(known), is_unique)


def _value_for(player: int, match: Match, table: EndgameTable) -> int | None:
    """1, 0 or -1 for a player; None if the position is not in the table."""
    if match.outcome is not None:
        winner = match.outcome.winner
        return 0 if winner is None else 1 if winner == player else -1
    value = table.value(match)
    return None if value is None else value if match.player == player else -value


def _may_be_late(match: Match, table: EndgameTable) -> bool:
    """Whether the no-progress limit, which tables leave out, might end the match before it is won."""
    limit = match.game.rules.no_progress_limit
    if match.is_over or limit == "off":
        return False
    distance = table.distance(match)
    return distance is not None and distance >= limit


def _after(match: Match, step: Step) -> Match:
    after = match.copy()
    after.push(step)
    return after


def _count_best_turns(match: Match, best: int, table: EndgameTable, most: int) -> int:
    """How many whole turns keep a value, counted up to `most`."""
    count = 0
    for step in match.legal_steps:
        after = _after(match, step)
        if count < most and _value_for(match.player, after, table) == best:
            count += _count_best_turns(after, best, table, most - count) if after.turn_goes_on else 1
    return count


def make_ladder(protocol: Protocol, game: Game, watch: Watch = unwatched) -> ArenaResult:
    """Plays all opponents of a game against each other and writes the ladder into the folder of the protocol.

    The meetings that have been played are kept in a file beside it until all have, so that the same call resumes.
    """
    settings = arena_settings(protocol)
    openings = choose_openings(game, settings, watch)
    rungs = list_rungs(protocol, game)
    file = ladder_file(game.name)
    kept = protocol.folder / f"{file}.matches"
    kept.parent.mkdir(exist_ok=True)
    result = play_arena(game, rungs, settings, output=kept, openings=openings, watch=watch)
    content = {
        "ladder": protocol.version,
        "game": game.name,
        "table_hash": game.table_hash,
        "weights": noted_weights(rungs),
        "rungs": rungs,
        "tried": openings.tried,
        "openings": [{"steps": each.steps, "is_balanced": each.is_balanced} for each in openings.list],
        "meetings": [
            {name: told[name] for field in fields(Meeting) if told[name := field.name] is not None}
            for told in map(asdict, result.pairings)
        ],
    }
    write_checked(protocol.folder, file, _format_ladder(content))
    kept.unlink()
    return result


def _format_ladder(content: Mapping[str, Any]) -> str:
    """JSON with one line for each opening and each meeting, for readable diffs."""
    parts = []
    for name, value in content.items():
        if isinstance(value, list):
            rows = ",\n  ".join(json.dumps(entry) for entry in value)
            parts.append(f"{json.dumps(name)}: [\n  {rows}\n ]")
        else:
            parts.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("suite", "ladder"))
    parser.add_argument("game")
    parser.add_argument("--table", type=Path, help="the endgame table, if it is not the game's own")
    parser.add_argument("--protocol", default=CURRENT, help="its version")
    chosen = parser.parse_args()
    protocol, game = load_protocol(chosen.protocol), load_text(chosen.game)
    with Display() as display:
        if chosen.what == "ladder":
            result = make_ladder(protocol, game, display.show)
            print_result(result, Console())
        else:
            count = make_suite(protocol, game, load_table(game, chosen.table), display.show)
            display.note(f"{count} positions")
    print(f"written to {protocol.folder}")


if __name__ == "__main__":
    try:
        main()
    except AlquerqueError as error:
        sys.exit(str(error))
