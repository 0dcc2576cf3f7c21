"""The leaderboard: a page with the figures of many results."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...arena.exact_errors import ENDINGS, NATURAL, UNIFORM
from ...errors import BenchmarkError
from ...files.atomic import write_whole
from ...game.game import games, load_text
from ...game.rules_text import SIDES
from ..agent_answers import Opponents, Response, exact_errors, rate_agent, solved_share
from ..agent_result import GameResult, Result, read_file
from ..entry import Entry, find_entries
from ..protocol import CURRENT, Protocol, load_protocol
from .text_tables import format_rating, format_share, format_steps, format_time

PAGE = "README.md"
NOTHING = "–"

GROUPS = (
    "Searches and simple bots",
    "Networks without search features",
    "Networks with search features",
    "Functions, of other libraries or by hand",
)

INTRODUCTION = Path(__file__).with_suffix(".md")
"""The page up to its tables."""

_FACTS = ("network", "library", "algorithm", "steps", "seed", "parameters", "time", "faults", "trained on", "run")


@dataclass(frozen=True)
class Row:
    """An agent in one setting: its name on the page, its result, and the figures of the setting."""

    label: str
    result: Result
    setting: str
    game: GameResult
    entry: Entry
    protocol: Protocol

    @property
    def group(self) -> str:
        """One of `GROUPS`."""
        simple, without, with_features, functions = GROUPS
        facts = self.result.facts
        if facts.kind == "function":
            return functions
        return with_features if facts.search_features is not None else simple if facts.parameters is None else without

    @cached_property
    def opponents(self) -> Opponents | None:
        """The matches against the ladder; None without one."""
        ladder = self.entry.ladder
        return None if ladder is None else rate_agent(self.result.spec, self.game.matches, ladder, self.protocol)

    @property
    def rank(self) -> tuple[int, float, float, str]:
        """Orders the rows of a setting, the best first."""
        kind = next((kind for kind in _MAIN_KINDS if kind in self.game.choices), None)
        wrong = 1.0 if kind is None else exact_errors(self.game.choices[kind], self.protocol).wrong.value
        rating = 0.0 if self.opponents is None else self.opponents.rating.value
        return GROUPS.index(self.group), wrong, -rating, self.label

    def cells(self) -> Iterator[str]:
        """The cells of its line in the table."""
        facts, timing, game = self.result.facts, self.game.timing, self.entry.game
        yield self.label
        errors = {kind: exact_errors(choices, self.protocol) for kind, choices in self.game.choices.items()}
        for kind in (NATURAL, UNIFORM, ENDINGS):
            yield format_share(errors[kind].wrong) if kind in errors else NOTHING
        main = [errors[kind] for kind in _MAIN_KINDS if kind in errors]
        yield f"{main[0].regret.value:.3f}" if main else NOTHING
        yield ", ".join(map(_kept, self.game.responses or ())) or NOTHING
        puzzles = self.game.puzzles
        yield NOTHING if puzzles is None else f"{format_share(solved_share(puzzles))} of {len(puzzles.solved)}"
        yield NOTHING if self.opponents is None else format_rating(self.opponents.rating)
        for seat in range(2):
            is_told = self.opponents is not None and game.has_roles
            yield format_share(self.opponents.seats[seat].share) if self.opponents and is_told else NOTHING
        yield facts.network or NOTHING
        yield facts.library or NOTHING
        yield facts.algorithm or NOTHING
        yield NOTHING if facts.steps is None else format_steps(facts.steps)
        yield NOTHING if facts.seed is None else str(facts.seed)
        yield NOTHING if facts.parameters is None else f"{facts.parameters / 1e3:.0f} k"
        yield NOTHING if timing is None else format_time(timing.median)
        yield str(self.game.faults.count or NOTHING)
        yield "this" if self.setting in facts.settings else ", ".join(facts.settings) or NOTHING
        yield f"{sum(self.game.processor_seconds.values()):.0f} s" if self.game.processor_seconds else NOTHING


_MAIN_KINDS = NATURAL, ENDINGS
"""The kind of positions that decides the order, and of which the regret is shown."""


def make_leaderboard(folder: Path, benchmark: str = CURRENT) -> Path:
    """Writes the page of the results in a folder.

    Returns:
      The page.

    Raises:
      BenchmarkError: If there are no results, or they cannot be compared.
      MissingExtraError: If choix is not installed.
      OSError: If something cannot be read or written.
    """
    page = folder / PAGE
    write_whole(page, render_page(folder, load_protocol(benchmark)).encode())
    return page


def render_page(folder: Path, protocol: Protocol) -> str:
    """The text of the page of a folder, with the other pages in it: what was measured elsewhere."""
    results = _read_results(folder, protocol)
    place = _place_of(folder)
    files = {f"{place}/{path.relative_to(folder).as_posix()}": result for path, result in results}
    commands = dict.fromkeys(f"{result.command} -o {file}" for file, result in files.items())
    parts = [
        INTRODUCTION.read_text(encoding="utf-8").format(
            benchmark=protocol.version,
            folder=place,
            machines="; ".join(sorted({result.machine for _, result in results})),
        ),
        *(f"## {_title(name)}\n\n{_tables(rows)}" for name, rows in _sort(results, protocol).items()),
        *(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md")) if path.name != PAGE),
        "## Commands\n\nThe results come from these commands, run in the root of the repository:\n\n"
        "```sh\n" + "\n".join(commands) + "\n```\n",
    ]
    return "\n".join(parts)


def _read_results(folder: Path, protocol: Protocol) -> list[tuple[Path, Result]]:
    """Reads the results in a folder, with their files; refuses quick runs and those of another version."""
    results = [(path, result) for path in sorted(folder.rglob("*.json")) for result in read_file(path)]
    if not results:
        raise BenchmarkError(f"there are no results in {str(folder)!r}")
    for path, result in results:
        if result.benchmark != protocol.version:
            raise BenchmarkError(f"{str(path)!r} is of benchmark {result.benchmark}, expected {protocol.version}")
        if result.quick:
            raise BenchmarkError(f"{str(path)!r} is a quick run, which cannot be compared with others")
    return results


def _sort(results: Sequence[tuple[Path, Result]], protocol: Protocol) -> Mapping[str, list[Row]]:
    """The rows of each setting, the best first; refuses an agent that is there twice, or measured otherwise."""
    measured = {name for _, result in results for name in result.games}
    entries = find_entries(sorted({name.partition(" ")[0] for name in measured}), protocol, "kept")
    found: dict[str, list[Row]] = {}
    for path, result in results:
        for name, game in result.games.items():
            if name not in entries:
                raise BenchmarkError(f"{str(path)!r} has {name!r}, which is not measured")
            row = Row(_label_of(result, name.partition(" ")[0]), result, name, game, entries[name], protocol)
            for other in (rows := found.setdefault(name, [])):
                if other.label == row.label:
                    raise BenchmarkError(
                        f"{str(path)!r} has {row.label} in {name}, which is there already; --name tells apart"
                    )
            ladder = None if row.entry.ladder is None else row.entry.ladder.sha256
            if game.ladder != ladder or (rows and rows[0].game.measured_by != game.measured_by):
                raise BenchmarkError(
                    f"{str(path)!r} was measured by other positions or opponents of {name} than others: measure it "
                    f"again with: {result.command}"
                )
            rows.append(row)
    order = {name: place for place, name in enumerate(games())}
    names = sorted(found, key=lambda name: (order[name.partition(" ")[0]], name))
    return {name: sorted(found[name], key=lambda row: row.rank) for name in names}


def _label_of(result: Result, game: str) -> str:
    """The name of an agent on the page, in the part of a game."""
    depth = result.facts.search_features
    return result.name.removeprefix(f"{game}-") + ("" if depth is None else f" (search features, depth {depth})")


def _title(name: str) -> str:
    game, *options = name.split(" ")
    return " ".join([load_text(game).title, *(f"`{option}`" for option in options)])


def _tables(rows: Sequence[Row]) -> str:
    """The tables of the groups that have rows, each under its name."""
    shares = [f"wrong, {kind}" for kind in (NATURAL, UNIFORM, ENDINGS)]
    seats = [f"as {role}" for role in rows[0].entry.game.seats]
    headings = ("agent", *shares, "regret", "kept", "puzzles", "rating", *seats, *_FACTS)
    groups = {group: [list(row.cells()) for row in rows if row.group == group] for group in GROUPS}
    return "\n".join(f"**{group}**\n\n{table_of(headings, cells)}" for group, cells in groups.items() if cells)


def table_of(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table without the columns that are empty."""
    kept = [place for place in range(len(headings)) if place == 0 or any(row[place] != NOTHING for row in rows)]
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1), *rows]
    return "".join(f"| {' | '.join(line[place].replace('|', '/') for place in kept)} |\n" for line in lines)


def _kept(response: Response) -> str:
    kept = {True: "yes", False: "no", None: "?"}[response.kept]
    return f"{SIDES[response.seat]} {kept}"


def _place_of(folder: Path) -> str:
    """A folder as commands name it: from the working directory, or by its name alone if it is not below that."""
    place, here = folder.resolve(), Path.cwd()
    return (place.relative_to(here) if place.is_relative_to(here) else Path(place.name)).as_posix()
