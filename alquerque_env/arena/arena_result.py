"""The result of an arena: ratings, scores and notes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..game.game import Game
from .arena_file import MatchResult
from .arena_settings import Settings
from .evaluation import SeatResult
from .intervals import Estimate
from .match_runner import CUT
from .openings import Openings
from .ratings import PairPoints, SeatPoints, rate, rate_by_seat
from .schedule import derive_seed
from .sprt import OUTCOMES, Verdict

ANCHOR = "random"


@dataclass(frozen=True)
class PlayerResult:
    """The result of a player.

    Attributes:
      name: Its spec.
      rating: In Elo points; the anchor has 0.
      seat_ratings: Its ratings as player 0 and as player 1, where the anchor has 0 as player 0; None in a game whose
        sides are alike, and where the pairings do not connect the seats, as in a gauntlet.
      wins, draws, losses: Numbers of matches.
      score: Share of points.
      seat_scores: Share of points as player 0 and as player 1.
      mean_steps: Mean length of its matches, with the openings.
      faults: Matches that it lost because it failed.
      first_fault: The error in the first of them; None if there is none.
    """

    name: str
    rating: Estimate
    seat_ratings: tuple[Estimate, Estimate] | None
    wins: int
    draws: int
    losses: int
    score: float
    seat_scores: tuple[float, float]
    mean_steps: float
    faults: int
    first_fault: str | None

    @property
    def games(self) -> int:
        """Number of its matches."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True)
class Meeting:
    """The results of two players against each other, from the first player's view.

    Attributes:
      first, second: Their names.
      wins, draws, losses: Numbers of matches.
      pairs: Numbers of openings with 0, 1/2, 1, 3/2 and 2 points from both seats.
      by_seat: The results of the first player as player 0 and as player 1; None in a game whose sides are alike.
    """

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]
    by_seat: tuple[SeatResult, SeatResult] | None = field(default=None, kw_only=True)

    @property
    def games(self) -> int:
        """Number of their matches."""
        return self.wins + self.draws + self.losses

    def seen_from(self, name: str) -> "Meeting":
        """Returns the same results with this player first."""
        if name == self.first:
            return self
        mirrored = None if self.by_seat is None else (self.by_seat[1].mirrored, self.by_seat[0].mirrored)
        turned = self.losses, self.draws, self.wins, self.pairs[::-1]
        return Meeting(self.second, self.first, *turned, by_seat=mirrored)

    def points(self, names: Sequence[str]) -> PairPoints:
        """Converts to the form of `rate`, where players are indices into `names`."""
        points = tuple(place / 2 for place, count in enumerate(self.pairs) for _ in range(count))
        return PairPoints(names.index(self.first), names.index(self.second), points)


@dataclass(frozen=True)
class PairingResult(Meeting):
    """The results of a pairing of an arena.

    Attributes:
      score: Share of points of the first player.
      seat_scores: Its share as player 0 and as player 1.
    """

    score: Estimate
    seat_scores: tuple[float, float]


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
                player.name: {name: value for name, value in asdict(player).items() if name not in _NAMED_APART}
                for player in self.players
            },
            "pairs": [
                {
                    "a": pairing.first,
                    "b": pairing.second,
                    **{name: getattr(pairing, name) for name in ("games", "wins", "draws", "losses")},
                    **_named("score", pairing.score),
                    "seats": list(pairing.seat_scores),
                    "openings": list(pairing.pairs),
                }
                for pairing in self.pairings
            ],
            "sprt": None if self.sprt is None else {"accepted": self.sprt.accepted, "ratio": self.sprt.ratio},
            "notes": list(self.notes),
        }
        found: dict[str, Any] = round_numbers(content, lambda number: round(number, 4))
        return found


_NAMED_APART = ("name", "rating", "seat_ratings")


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, "low": estimate.low, "high": estimate.high}


def pair_points(results: Sequence[MatchResult]) -> tuple[float, ...]:
    """Returns the points of the first player for each opening with both matches finished."""
    by_opening: dict[int, list[float]] = {}
    for result in sorted(results, key=lambda result: result.key):
        by_opening.setdefault(result.opening, []).append(result.points)
    return tuple(sum(points) for points in by_opening.values() if len(points) == 2)


def seat_points(results: Sequence[MatchResult]) -> tuple[tuple[float, float], ...]:
    """Returns the points of the first player in each seat, for each opening with both matches finished."""
    by_opening: dict[int, dict[int, float]] = {}
    for result in sorted(results, key=lambda result: result.key):
        by_opening.setdefault(result.opening, {})[result.seat] = result.points
    return tuple((points[0], points[1]) for points in by_opening.values() if len(points) == 2)


def count_pairs(points: Sequence[float]) -> tuple[int, ...]:
    """Counts the pairs with 0, 1/2, 1, 3/2 and 2 points."""
    return tuple(sum(2 * each == place for each in points) for place in range(OUTCOMES))


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
    names = list(dict.fromkeys(player.name for result in results for player in result.players))
    scored = [pairing.points(names) for result in results for pairing in result.pairings]
    seed = derive_seed(first.settings.seed, "intervals")
    ratings, _ = rate(len(names), scored, names.index(first.anchor), seed, first.settings.resamples)
    return dict(zip(names, ratings, strict=True))


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
    scored = [PairPoints(*pair, pair_points(found)) for pair, found in zip(pairings, by_pairing, strict=True)]
    anchor = names.index(ANCHOR) if ANCHOR in names else 0
    seed = derive_seed(settings.seed, "intervals")
    ratings, scores = rate(len(names), scored, anchor, seed, settings.resamples)
    by_seat = [SeatPoints(*pair, seat_points(found)) for pair, found in zip(pairings, by_pairing, strict=True)]
    seat_ratings: Sequence[tuple[Estimate, Estimate] | None] = [None] * len(names)
    if game.has_roles:
        seat_ratings = rate_by_seat(len(names), by_seat, anchor, seed, settings.resamples) or seat_ratings
    met = []
    for found, score, pair, seats in zip(by_pairing, scores, scored, by_seat, strict=True):
        won, drawn, lost = ([result.points for result in found].count(points) for points in (1, 0.5, 0))
        first, second = names[pair.first], names[pair.second]
        shares = tuple(sum(points) / len(points) for points in zip(*seats.points, strict=True))
        roles = _count_by_seat(found) if game.has_roles else None
        met.append(
            PairingResult(first, second, won, drawn, lost, count_pairs(pair.points), score, shares, by_seat=roles)
        )
    players = [
        _player(name, rating, seat_ratings[place], list(_sides(pairings, ordered, place)))
        for place, (name, rating) in enumerate(zip(names, ratings, strict=True))
    ]
    return ArenaResult(
        game=game,
        settings=settings,
        anchor=names[anchor],
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


def _count_by_seat(results: Sequence[MatchResult]) -> tuple[SeatResult, SeatResult]:
    """The results of the first player of a pairing in each seat."""
    points = [[result.points for result in results if result.seat == seat] for seat in (0, 1)]
    first, second = (SeatResult(*map(each.count, (1, 0.5, 0))) for each in points)
    return first, second


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
    both = points[0] + points[1]
    faults = [result.fault for seat, result in matches if result.fault is not None and result.winner != seat]
    return PlayerResult(
        name=name,
        rating=rating,
        seat_ratings=seat_ratings,
        wins=both.count(1),
        draws=both.count(0.5),
        losses=both.count(0),
        score=sum(both) / len(both),
        seat_scores=(sum(points[0]) / len(points[0]), sum(points[1]) / len(points[1])),
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
            failed = f"{player.name} failed in {player.faults} of {player.games} matches, which it lost"
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
