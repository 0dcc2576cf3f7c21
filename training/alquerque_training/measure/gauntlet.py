"""The arena of a run: matches of the player against fixed opponents, and its rating.

The opponents play each other once. All measurements of a run share these matches and the openings, so that its ratings
can be compared, and a player that wins or loses every match against one opponent is still rated by the others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

from alquerque_env import load_bot
from alquerque_env.arena import ArenaResult, PairingResult, Settings, play_arena, rate_together
from alquerque_env.arena.arena_result import ANCHOR
from alquerque_env.arena.openings import Openings, OpeningsError, choose_openings
from alquerque_env.arena.schedule import derive_seed
from alquerque_env.arena.score import CONFIDENCE, Estimate, Score
from alquerque_env.bots.network.model_card import CurvePoint, RatingCard
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.progress import Watch, unwatched
from alquerque_training.checkpoints.torch_bot import make_network_bot
from alquerque_training.config.settings import Config
from alquerque_training.measure.metrics import Record
from alquerque_training.networks import PolicyValueNetwork

PLAYER = "player"
Seats = tuple[Score, Score]  # as `player_0` and as `player_1`
SCORE = "score."


@dataclass(frozen=True)
class Measurement:
    """Results of a player against its opponents."""

    pairings: tuple[PairingResult, ...]  # the player against each of them, `random` first
    rating: Estimate  # rating in Elo; `random` has 0
    simulations: int  # simulations of the player's search, 0 for its policy alone
    roles: tuple[str, str] | None = None  # what texts call the player in each seat; None where the sides are alike
    # By opponent: its results against itself, from the same openings; see `Gauntlet.compare`.
    itself: Mapping[str, Seats] = field(default_factory=dict)

    def __str__(self) -> str:
        scores = ", ".join(
            f"{pairing.score.value:.1%} against {pairing.second}{self._by_seat(pairing)}" for pairing in self.pairings
        )
        rating = self.rating
        return f"{rating.value:+.0f} Elo, 95% interval {rating.low:+.0f} to {rating.high:+.0f}: {scores}"

    def _by_seat(self, pairing: PairingResult) -> str:
        """In brackets, the score as each side where the sides differ, and that of the opponent in its place."""
        if self.roles is None:
            return ""
        told = [f"{own.share.value:.1%} as {role}" for role, own in zip(self.roles, pairing.seats, strict=True)]
        if other := self.itself.get(pairing.second):
            told = [f"{own}, {pairing.second} {seat.share.value:.1%}" for own, seat in zip(told, other, strict=True)]
        return f" ({'; '.join(told)})"

    def as_record(self) -> dict[str, float]:
        """The result as part of a record of the log; see `measure.metrics`."""
        scores = {SCORE + pairing.second: round(pairing.score.value, 4) for pairing in self.pairings}
        scores |= {
            f"score_player_{seat}.{pairing.second}": round(own.share.value, 4)
            for pairing in self.pairings
            for seat, own in enumerate(() if self.roles is None else pairing.seats)
        }
        ratings = {"rating": self.rating.value, "rating_low": self.rating.low, "rating_high": self.rating.high}
        return scores | {name: round(value, 1) for name, value in ratings.items()}

    def as_rating(self) -> RatingCard:
        """The rating for a model card."""
        value, low, high = (round(number, 1) for number in (self.rating.value, self.rating.low, self.rating.high))
        return RatingCard(value=value, low=low, high=high, simulations=self.simulations)

    def as_strength(self, player: str) -> list[dict[str, Any]]:
        """Entries of `strength` in a model card, one for each opponent; `player` names who played."""
        return [
            {
                "opponent": pairing.second,
                "player": player,
                "simulations": self.simulations,
                "games": pairing.total.games,
                **vars(pairing.total),
                "score": round(pairing.score.value, 4),
                "low": round(pairing.score.low, 4),
                "high": round(pairing.score.high, 4),
                "confidence": CONFIDENCE,
                **_tell("by_seat", None if self.roles is None else pairing.seats),
                **_tell("opponent_by_seat", self.itself.get(pairing.second)),
            }
            for pairing in self.pairings
        ]


def _tell(key: str, seats: Seats | None) -> dict[str, Any]:
    """The results in each seat for a model card; nothing where there are none."""
    if seats is None:
        return {}
    shares = [[round(number, 4) for number in astuple(seat.share)] for seat in seats]
    names = ("score", "low", "high")
    return {key: [vars(seat) | dict(zip(names, share, strict=True)) for seat, share in zip(seats, shares, strict=True)]}


def read_curve(log: Iterable[Record], steps: int, wall_time: float) -> list[CurvePoint]:
    """The arenas in the log of a run, for a card's `curve`, after steps and seconds that trained its first weights."""
    return [
        CurvePoint(
            steps=steps + int(line["steps"]),
            wall_time=round(wall_time + line["seconds"], 3),
            rating=line["rating"],
            low=line["rating_low"],
            high=line["rating_high"],
            scores={key.removeprefix(SCORE): value for key, value in line.items() if key.startswith(SCORE)},
        )
        for line in log
        if "rating" in line
    ]


class Gauntlet:
    """Measures players of a run against the opponents of its config. The same player gets the same result.

    The ladder is the file of the matches between the opponents, of which there is one or more; it is continued.
    """

    def __init__(self, game: Game, config: Config, ladder: Path) -> None:
        self._game, self._path = game, ladder
        evaluation = config.evaluation
        games = max(evaluation.opponent_games, evaluation.final_games or 0)
        self._most = "opponent_games" if games == evaluation.opponent_games else "final_games"
        self._settings = _settings(config, games)
        self._opponents = (ANCHOR, *evaluation.opponents)
        self._evaluation = evaluation
        self._prepared: tuple[Openings, ArenaResult] | None = None

    def prepare(self, watch: Watch = unwatched) -> tuple[Openings, ArenaResult]:
        """Plays the matches between the opponents, unless they have been played. An exception of `watch` ends them.

        Returns the openings of all matches, and the results of the opponents against each other. Raises
        `AlquerqueError` if the game has too few openings, or the ladder has other settings.
        """
        if self._prepared is None:
            try:
                openings = choose_openings(self._game, self._settings, watch)
            except OpeningsError as error:
                # The advice in the error itself is about options of `alquerque arena`.
                raise AlquerqueError(
                    f"evaluation.{self._most} is {self._settings.games}: {error.found}; two games begin with "
                    "each opening, so set it to twice as many as were found, or less"
                ) from None
            ladder = play_arena(
                self._game, self._opponents, self._settings, output=self._path, openings=openings, watch=watch
            )
            self._prepared = openings, ladder
        return self._prepared

    def measure(self, network: PolicyValueNetwork, games: int, watch: Watch = unwatched) -> Measurement:
        """Plays against every opponent, at most as many games as these play with each other; see `prepare`."""
        _, ladder = self.prepare(watch)
        openings, settings = self._openings(games, watch)
        simulations, exploration = self._evaluation.simulations, self._evaluation.exploration
        player = make_network_bot(PLAYER, self._game, network, simulations, exploration=exploration)
        result = play_arena(self._game, [player, *self._opponents], settings, openings=openings, watch=watch)
        rating = rate_together([ladder, result])[PLAYER]
        roles = self._game.seats if self._game.has_roles else None
        return Measurement(result.pairings, rating, simulations, roles)

    def compare(self, measured: Measurement, watch: Watch = unwatched) -> Measurement:
        """Adds what each opponent reaches against itself, in the player's place; nothing where the sides are alike.

        A role that loses every match between equals is played well by whoever wins some of them.
        """
        if not self._game.has_roles:
            return measured
        games, itself = measured.pairings[0].total.games, {}
        openings, settings = self._openings(games, watch)
        for spec in self._evaluation.opponents:
            twin = load_bot(spec, self._game, seed=derive_seed(settings.seed, spec), tables=False)
            twin.name = PLAYER
            (pairing,) = play_arena(self._game, [twin, spec], settings, openings=openings, watch=watch).pairings
            itself[spec] = pairing.seats
        return replace(measured, itself=itself)

    def _openings(self, games: int, watch: Watch) -> tuple[Openings, Settings]:
        """The first openings of all matches, for so many games against each opponent."""
        found, _ = self.prepare(watch)
        return replace(found, list=found.list[: games // 2]), replace(self._settings, games=games, gauntlet=True)


def check_opponents(config: Config, game: Game) -> None:
    """Refuses opponents that cannot play the game, are equal, or whose matches would end within openings."""
    opponents = config.evaluation.opponents
    for place, spec in enumerate(opponents):
        if spec in (PLAYER, ANCHOR):
            raise AlquerqueError(f"opponents has {spec!r}, which always plays")
        if spec in opponents[:place]:
            raise AlquerqueError(f"opponents has {spec!r} twice")
        load_bot(spec, game, seed=0)
    if opponents:
        _settings(config, config.evaluation.opponent_games)


def _settings(config: Config, games: int) -> Settings:
    seed = derive_seed(config.run.seed, "opponents")
    return Settings(games=games, seed=seed, max_steps=config.evaluation.max_cycles)
