"""The leaderboard of version 2: a page of wrong choices, best responses, puzzles and matches."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from ...arena.intervals import Estimate, estimate_share
from ...game.game import Game, games, load_text
from ...game.rules_text import SIDES
from ..agent_result import Result, TrackResult
from ..response import Response
from .result_rows import (
    AGENTS,
    FACTS,
    GROUPS,
    NOTHING,
    UPDATE,
    Row,
    by_group,
    check_fits,
    commands_of,
    fact_cells,
    label_of,
    machines_of,
    place_of,
    table_of,
)
from .text_tables import format_rating, format_share

INTRODUCTION = """\
# Leaderboard of benchmark {benchmark}

`alquerque benchmark AGENT --protocol {benchmark}` measures an agent by the exact values of whole games, by puzzles,
and in matches against a ladder of bots.

| column | meaning |
| --- | --- |
| wrong, natural | share of choices that lose value, in positions of matches in which some step does; 95% interval |
| wrong, uniform | the same in positions drawn from all of the game |
| regret | mean value lost by a choice in natural positions, from 0 to 2 |
| kept | whether nobody gets more against the agent than the start is worth, in each seat that has something to keep; \
`?` if the search did not come to its end |
| puzzles | share of the puzzles of the game that the agent solves, with its 95% interval |
| rating | Elo points against the ladder of the game, `random` = 0, with its 95% interval |
| as ... | score in each seat of a game whose sides differ, against the whole ladder |
| library, algorithm, seed | how it was trained; of functions as their authors say |
| steps | environment steps used in training |
| trained on | "this" game with these options, or others, unchanged; of functions as their authors say |
| time | median time of a decision, in one thread; an agent may be asked in many positions at once |
| faults | illegal answers, crashes and late answers |
| run | processor time of the measurement, without that of the process of a function |

{update}
## Reading the tables

{agents}\
* Tables are sorted by wrong choices in natural positions, or by rating in games without exact values, best
  first. Where intervals overlap, the order is uncertain.
* Times depend on the machine and its load. Measured on: {machines}.
"""

Board = Mapping[str, list[Row[TrackResult]]]
"""The agents of each setting, group by group, the best first."""


def render_tracks(folder: Path, results: Sequence[tuple[Path, Result]], benchmark: str) -> str:
    """The text of the page."""
    board = _sort(results)
    version = f" --protocol {benchmark}"
    parts = [
        INTRODUCTION.format(
            benchmark=benchmark,
            update=UPDATE.format(folder=place_of(folder), version=version),
            agents=AGENTS,
            machines=machines_of(results),
        ),
        *(f"## {_title(name)}\n\n{_tables(name, rows)}" for name, rows in board.items()),
        commands_of(folder, results),
    ]
    return "\n".join(parts)


def _sort(results: Sequence[tuple[Path, Result]]) -> Board:
    """Sorts results by setting, group and errors; refuses an agent that is there twice, or measured otherwise."""
    found: dict[str, list[Row[TrackResult]]] = {}
    for path, result in results:
        for name, game in cast(Mapping[str, TrackResult], result.games).items():
            rows = found.setdefault(name, [])
            row = Row(label_of(result, name.partition(" ")[0]), result, game)
            check_fits(path, name, row, rows)
            rows.append(row)
    groups = list(GROUPS)

    def rank(row: Row[TrackResult]) -> tuple[int, float, float, str]:
        exact, opponents = row.game.exact, row.game.opponents
        wrong = 1.0 if exact is None else exact.natural.wrong.value
        return groups.index(row.group), wrong, 0.0 if opponents is None else -opponents.rating.value, row.label

    order = {name: place for place, name in enumerate(games())}
    names = sorted(found, key=lambda name: (order.get(name.partition(" ")[0], len(order)), name))
    return {name: sorted(found[name], key=rank) for name in names}


def _title(name: str) -> str:
    game, *options = name.split(" ")
    return " ".join([load_text(game).title, *(f"`{option}`" for option in options)])


def _tables(name: str, rows: Sequence[Row[TrackResult]]) -> str:
    game = load_text(name.partition(" ")[0])
    seats = [f"as {role}" for role in game.seats]
    headings = (
        "agent",
        "wrong, natural",
        "wrong, uniform",
        "regret",
        "kept",
        "puzzles",
        "rating",
        *seats,
        *FACTS,
        "trained on",
        "run",
    )
    return by_group(
        rows,
        lambda group: table_of(headings, [list(_cells(row, name, game)) for row in rows if row.group == group]),
    )


def _cells(row: Row[TrackResult], name: str, game: Game) -> Iterator[str]:
    exact, puzzles, opponents = row.game.exact, row.game.puzzles, row.game.opponents
    yield row.label
    yield NOTHING if exact is None else format_share(exact.natural.wrong)
    yield NOTHING if exact is None else format_share(exact.uniform.wrong)
    yield NOTHING if exact is None else f"{exact.natural.regret.value:.3f}"
    yield ", ".join(map(_kept, row.game.responses or ())) or NOTHING
    yield NOTHING if puzzles is None else f"{format_share(puzzles.solved)} of {puzzles.puzzles}"
    yield NOTHING if opponents is None else format_rating(opponents.rating)
    for seat in range(2):
        score = _seat_score(row.game, seat) if game.has_roles else None
        yield NOTHING if score is None else format_share(score)
    yield from fact_cells(row)
    known = row.result.facts.settings
    yield "this" if name in known else ", ".join(known) or NOTHING
    yield f"{sum(row.game.processor_seconds.values()):.0f} s" if row.game.processor_seconds else NOTHING


def _kept(response: Response) -> str:
    kept = {True: "yes", False: "no", None: "?"}[response.kept]
    return f"{SIDES[response.seat]} {kept}"


def _seat_score(found: TrackResult, seat: int) -> Estimate | None:
    """The score in a seat against the whole ladder; None if that is not known."""
    results = [rung.by_seat[seat] for rung in found.opponents.rungs if rung.by_seat] if found.opponents else []
    games_played = sum(each.games for each in results)
    return estimate_share(sum(each.wins + each.draws / 2 for each in results), games_played) if games_played else None
