"""The result of an arena: ratings, scores and notes; and its file, one JSON object a line, a line for each match."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from ..errors import AlquerqueError
from ..files import schema
from ..files.json_lines import JsonLines
from ..game.game import Game
from .match_runner import CUT
from .openings import Opening, Openings
from .ratings import rate, rate_by_seat
from .schedule import Key, Settings, derive_seed
from .score import Estimate, Meeting, Score
from .sprt import Verdict

FORMAT = 1


@dataclass(frozen=True)
class MatchResult:
    """The result of a match of an arena."""

    pairing: int  # pairing, opening and seat as in `Key`
    opening: int
    seat: int
    winner: Annotated[int, schema.Key(low=0, high=1)] | None  # 0, 1, or None for a draw
    reason: str  # as in `match_runner.End`
    steps: Annotated[int, schema.Key(low=0)]  # its length, with the opening
    fault: str | None  # the loser's error; None without a fault
    turns: str  # the match in notation

    @property
    def key(self) -> Key:
        """The key of the match."""
        return Key(self.pairing, self.opening, self.seat)

    @property
    def points(self) -> float:
        """The score of the first player of the pairing: 1, 1/2 or 0."""
        return 0.5 if self.winner is None else float(self.winner == self.seat)


@dataclass(frozen=True)
class _OpeningsLine:
    openings: tuple[Opening, ...]
    tried: Annotated[int, schema.Key(low=0)]
    is_published: bool


class ArenaFile(ExitStack):
    """The openings and results of an arena, also written to a file if there is one. A context that closes the file.

    Args:
        path: The file; None for none. An existing file of the same arena is resumed.
        header: Everything that decides the results, for JSON.
        game: The game.
        count: How many openings it has.
        keys: Its matches.

    Raises:
        AlquerqueError: If the file is of another arena, or not the file of an arena.
        OSError: If the file cannot be read or written. The message says what is kept and how to resume.
    """

    def __init__(
        self, path: Path | None, header: Mapping[str, Any], game: Game, count: int, keys: Container[Key]
    ) -> None:
        super().__init__()
        self._game, self._count, self._keys = game, count, keys
        self.openings: Openings | None = None
        self.results: dict[Key, MatchResult] = {}
        self._file: JsonLines | None = None
        if path is None:
            return
        self._file = self.enter_context(JsonLines(path, "an arena", ("arena", FORMAT), header))
        for place, entry in enumerate(self._file.entries):
            try:
                self._take(entry)
            except AlquerqueError:
                self.close()
                raise self._file.damaged(place) from None

    def set_openings(self, openings: Openings) -> None:
        """Adds the openings."""
        self.openings = openings
        self._write(
            {
                "openings": [asdict(opening) for opening in openings.list],
                "tried": openings.tried,
                "is_published": openings.is_published,
            }
        )

    def add(self, result: MatchResult) -> None:
        """Adds a finished match; a match that has a result keeps it."""
        if result.key not in self.results:
            self.results[result.key] = result
            self._write(asdict(result))

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.add(entry)

    def _take(self, entry: Mapping[str, Any]) -> None:
        if self.openings is None:
            line = schema.parse(_OpeningsLine, entry, "openings")
            for opening in line.openings:
                opening.begin(self._game)
            if len(line.openings) != self._count:
                raise AlquerqueError(f"it has {len(line.openings)} openings, expected {self._count}")
            self.openings = Openings(line.openings, line.tried, line.is_published)
        else:
            result = schema.parse(MatchResult, entry, "match")
            if result.key not in self._keys:
                raise AlquerqueError(f"the arena has no match {result.key}")
            self.results[result.key] = result


ANCHOR = "random"


@dataclass(frozen=True)
class PlayerResult:
    """The result of a player.

    Attributes:
      name: Its spec.
      rating: In Elo points; the anchor has 0.
      seat_ratings: Its ratings as player 0 and as player 1, where the anchor has 0 as player 0; None in a game whose
        sides are alike, and where the pairings do not connect the seats, as in a gauntlet.
      seats: Its results as player 0 and as player 1.
      mean_steps: Mean length of its matches, with the openings.
      faults: Matches that it lost because it failed.
      first_fault: The error in the first of them; None if there is none.
    """

    name: str
    rating: Estimate
    seat_ratings: tuple[Estimate, Estimate] | None
    seats: tuple[Score, Score]
    mean_steps: float
    faults: int
    first_fault: str | None

    @property
    def total(self) -> Score:
        """Its results from both seats."""
        return self.seats[0] + self.seats[1]


@dataclass(frozen=True)
class PairingResult(Meeting):
    """The matches of a pairing of an arena.

    Attributes:
      score: Share of points of the first player.
    """

    score: Estimate


@dataclass(frozen=True)
class ArenaResult:
    """The result of an arena.

    Attributes:
      game: The game.
      settings: The settings.
      anchor: Name of the player whose rating is 0.
      players: The players, strongest first.
      pairings: The pairings.
      openings: Numbers of openings that were `played`, were `balanced` and were `tried`, and whether they were
        `published`: from the list that comes with the package. Then `tried` counts those of the whole list.
      sprt: The state of the test; None without one.
      notes: Warnings about the results, as sentences.
    """

    game: Game
    settings: Settings
    anchor: str
    players: tuple[PlayerResult, ...]
    pairings: tuple[PairingResult, ...]
    openings: dict[str, int | bool]
    sprt: Verdict | None
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Returns the result for JSON; the same seed gives the same result. Pairs are from the view of `a`."""
        content = {
            "game": self.game.name,
            "options": dict(self.game.options),
            "table_hash": self.game.table_hash,
            "settings": asdict(self.settings),
            "anchor": self.anchor,
            "openings": self.openings,
            "players": [player.name for player in self.players],
            "ratings": {player.name: _named("rating", player.rating) for player in self.players},
            "ratings_by_seat": {
                player.name: [_named("rating", rating) for rating in player.seat_ratings]
                for player in self.players
                if player.seat_ratings is not None
            },
            "results": {
                player.name: {
                    **asdict(player.total),
                    "score": player.total.share.value,
                    "seat_scores": [seat.share.value for seat in player.seats],
                    "mean_steps": player.mean_steps,
                    "faults": player.faults,
                    "first_fault": player.first_fault,
                }
                for player in self.players
            },
            "pairs": [
                {
                    "a": pairing.first,
                    "b": pairing.second,
                    "games": pairing.total.games,
                    **asdict(pairing.total),
                    **_named("score", pairing.score),
                    "seats": [seat.share.value for seat in pairing.seats],
                    "openings": list(pairing.pairs),
                }
                for pairing in self.pairings
            ],
            "sprt": None if self.sprt is None else {"accepted": self.sprt.accepted, "ratio": self.sprt.ratio},
            "notes": list(self.notes),
        }
        found: dict[str, Any] = round_numbers(content, lambda number: round(number, 4))
        return found


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, "low": estimate.low, "high": estimate.high}


def meet(first: str, second: str, results: Iterable[MatchResult]) -> Meeting:
    """The matches of two players, from each opening with both matches finished, in the order of the openings."""
    by_opening: dict[int, dict[int, float]] = {}
    for result in sorted(results, key=lambda result: result.key):
        by_opening.setdefault(result.opening, {})[result.seat] = result.points
    finished = tuple((points[0], points[1]) for points in by_opening.values() if len(points) == 2)
    return Meeting(first, second, finished)


def rate_together(results: Sequence[ArenaResult]) -> dict[str, Estimate]:
    """Rates the players of several arenas of one game by all their matches.

    Args:
      results: The arenas, connected by common players. Players with the same name are one player. The anchor and the
        settings of the intervals are those of the first arena.

    Returns:
      The rating of each player in Elo points, by its name.

    Raises:
      MissingExtraError: If choix is not installed.
    """
    first = results[0]
    meetings = [pairing for result in results for pairing in result.pairings]
    seed = derive_seed(first.settings.seed, "intervals")
    return rate(meetings, first.anchor, seed, first.settings.resamples)[0]


def make_result(
    game: Game,
    settings: Settings,
    names: Sequence[str],
    pairings: Sequence[tuple[int, int]],
    openings: Openings,
    results: Sequence[MatchResult],
    verdict: Verdict | None,
) -> ArenaResult:
    """Computes the result of an arena from its matches."""
    ordered = sorted(results, key=lambda result: result.key)
    by_pairing = [[result for result in ordered if result.pairing == number] for number in range(len(pairings))]
    meetings = [
        meet(names[first], names[second], found) for (first, second), found in zip(pairings, by_pairing, strict=True)
    ]
    anchor = ANCHOR if ANCHOR in names else names[0]
    seed = derive_seed(settings.seed, "intervals")
    ratings, scores = rate(meetings, anchor, seed, settings.resamples)
    by_seat = rate_by_seat(meetings, anchor, seed, settings.resamples) if game.has_roles else None
    met = [
        PairingResult(meeting.first, meeting.second, meeting.points, score)
        for meeting, score in zip(meetings, scores, strict=True)
    ]
    players = [
        _player(name, ratings[name], by_seat[name] if by_seat else None, list(_sides(pairings, ordered, place)))
        for place, name in enumerate(names)
    ]
    return ArenaResult(
        game=game,
        settings=settings,
        anchor=anchor,
        players=tuple(sorted(players, key=lambda player: -player.rating.value)),
        pairings=tuple(met),
        openings={
            "played": len(openings.list),
            "balanced": openings.num_balanced,
            "tried": openings.tried,
            "published": openings.is_published,
        },
        sprt=verdict,
        notes=tuple(_notes(openings, players, met, ordered)),
    )


def _sides(
    pairings: Sequence[tuple[int, int]], results: Sequence[MatchResult], player: int
) -> Iterator[tuple[int, MatchResult]]:
    """Yields the matches of a player with its seat."""
    for result in results:
        first, second = pairings[result.pairing]
        if player == first:
            yield result.seat, result
        elif player == second:
            yield 1 - result.seat, result


def _player(
    name: str,
    rating: Estimate,
    seat_ratings: tuple[Estimate, Estimate] | None,
    matches: list[tuple[int, MatchResult]],
) -> PlayerResult:
    points: tuple[list[float], list[float]] = ([], [])
    for seat, result in matches:
        points[seat].append(0.5 if result.winner is None else float(result.winner == seat))
    faults = [result.fault for seat, result in matches if result.fault is not None and result.winner != seat]
    return PlayerResult(
        name=name,
        rating=rating,
        seat_ratings=seat_ratings,
        seats=(Score.of(points[0]), Score.of(points[1])),
        mean_steps=sum(result.steps for _, result in matches) / len(matches),
        faults=len(faults),
        first_fault=faults[0] if faults else None,
    )


def _notes(
    openings: Openings,
    players: Sequence[PlayerResult],
    pairings: Sequence[PairingResult],
    results: Sequence[MatchResult],
) -> Iterator[str]:
    count = len(openings.list)
    if openings.num_balanced < count:
        yield (
            f"only {openings.num_balanced} of {openings.tried} openings were balanced; "
            f"{count - openings.num_balanced} of the {count} played are probably decided, which draws scores to 50%; "
            "more may be found among longer ones (--plies)"
        )
    clean = [pairing for pairing in pairings if pairing.score.value in (0, 1)]
    if clean:
        met = ", ".join(f"{pairing.first} v. {pairing.second}" for pairing in clean)
        yield f"one side won every match of {met}: its rating depends on its results against others"
    cut = sum(result.reason == CUT for result in results)
    if cut:
        yield f"{cut} of {len(results)} matches were cut for their length and count as draws"
    for player in players:
        if player.faults:
            failed = f"{player.name} failed in {player.faults} of {player.total.games} matches, which it lost"
            yield f"{failed}; the first: {player.first_fault}"


def round_numbers(content: Any, shorten: Callable[[float], float]) -> Any:
    """Rounds all floats in a JSON value with `shorten`."""
    if isinstance(content, float):
        return shorten(content)
    if isinstance(content, dict):
        return {name: round_numbers(value, shorten) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [round_numbers(value, shorten) for value in content]
    return content
