"""Plays an arena from its openings to its ratings."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..bots import Bot, load_bot
from ..bots.load import played_files
from ..errors import AlquerqueError, BotError, require
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from .arena_file import MatchResult, Record
from .arena_result import ArenaResult, count_pairs, pair_points, sum_up
from .arena_settings import DEFAULT_JUDGE, Settings
from .match_runner import play_matches
from .opening_lists import choose_openings
from .openings import Openings
from .schedule import Batch, make_batches, make_pairings
from .seeds import derive_seed
from .sprt import Verdict, decide
from .stage import Progress, Watch, unwatched


def play_arena(
    game: Game,
    bots: Sequence[str | Bot],
    settings: Settings | None = None,
    *,
    output: Path | None = None,
    openings: Openings | None = None,
    watch: Watch = unwatched,
) -> ArenaResult:
    """Lets bots play against each other and rates them.

    Args:
      game: What is played.
      bots: Specs as `load_bot` takes them, or bots. Bots from specs are loaded anew for each batch, with seeds of
        their own: with specs alone, the same seed gives the same result. A bot keeps what it remembers.
      settings: How many matches, from which openings, and so on.
      output: File that takes each match as it ends. One that exists from the same arena is gone on with.
      openings: What `choose_openings` gives for the same settings, for those who have them already; chosen if None.
      watch: Is told from time to time how far it is.

    Raises:
      AlquerqueError: If there are less than two bots, two have one name, a spec names none, SPRT is asked of more than
        two, there are too few openings or not as many as are to be played, or `output` belongs to another arena.
      MissingExtraError: If choix is not installed, or a bot needs packages that are not.
      OSError: If `output` cannot be read or written.
    """
    arena = _Arena(game, bots, settings or Settings())
    if openings is not None and 2 * len(openings.list) != arena.settings.games:
        raise AlquerqueError(f"got {len(openings.list)} openings, expected {arena.settings.games // 2}: half the games")
    with Record(output, arena.header()) as record:
        if record.openings is None:
            record.set_openings(choose_openings(game, arena.settings, watch) if openings is None else openings)
        verdict = arena.play(record, watch)
        assert record.openings is not None
        results = list(record.results.values())
        return sum_up(game, arena.settings, arena.names, arena.pairings, record.openings, results, verdict)


class _Arena:
    """What stays the same while an arena is played."""

    def __init__(self, game: Game, bots: Sequence[str | Bot], settings: Settings) -> None:
        require("choix", "arena")
        self.game, self.settings, self._bots = game, settings, tuple(bots)
        # A spec that names no bot shall be refused before anything is played.
        self.names = tuple(bot if isinstance(bot, str) else bot.name for bot in bots)
        if len(bots) < 2:
            raise AlquerqueError(f"an arena needs two bots or more, got {len(bots)}")
        for place, name in enumerate(self.names):
            if name in self.names[:place]:
                raise AlquerqueError(f"{name!r} is given twice; a bot cannot be rated against itself")
        if settings.sprt is not None and len(bots) != 2:
            raise AlquerqueError(f"sprt decides between two bots, got {len(bots)}")
        for spec in (*bots, settings.judge or DEFAULT_JUDGE):
            if isinstance(spec, str):
                load_bot(spec, game, seed=0, time_limit=settings.seconds, tables=False)
        self.pairings = make_pairings(len(bots), gauntlet=settings.gauntlet)
        self._num_openings = settings.games // 2

    def header(self) -> dict[str, Any]:
        """All that decides the results."""
        return {
            "game": self.game.name,
            "options": dict(self.game.options),
            "table_hash": self.game.table_hash,
            "players": self.names,
            **({"files": files} if (files := self._fingerprints()) else {}),
            **self.settings.as_dict(),
        }

    def _fingerprints(self) -> dict[str, str]:
        """What tells the files of trained bots from others that may take their place."""
        files = {bot: played_files(bot) for bot in self._bots if isinstance(bot, str)}
        contents = {bot: b"".join(path.read_bytes() for path in paths) for bot, paths in files.items() if paths}
        return {bot: sha256(content).hexdigest()[:16] for bot, content in contents.items()}

    def play(self, record: Record, watch: Watch) -> Verdict | None:
        """Plays what is not yet in the record, until all is played or the question is decided."""
        count = len(self.pairings) * self.settings.games
        verdict = None
        watch(Progress("matches", len(record.results), count))
        for batch in make_batches(len(self.pairings), self._num_openings, self.settings.batch):
            if any(key not in record.results for key in batch.keys):
                # A batch that was interrupted is played as a whole: what its bots do depends on all its matches.
                for result in self._play_batch(batch, record):
                    record.add(result)
                    watch(Progress("matches", len(record.results), count))
            if self.settings.sprt is not None:
                played = [result for result in record.results.values() if result.opening < batch.openings.stop]
                verdict = decide(self.settings.sprt, count_pairs(pair_points(played)))
                if verdict.accepted is not None:
                    break
        return verdict

    def _play_batch(self, batch: Batch, record: Record) -> Iterator[MatchResult]:
        assert record.openings is not None
        first, second = (self._seated(batch, side) for side in (0, 1))
        keys = batch.keys
        matches = [record.openings.list[key.opening].begin(self.game) for key in keys]
        seats = [(second, first) if key.seat else (first, second) for key in keys]
        for place, end in play_matches(matches, seats, self.settings.max_steps):
            yield MatchResult(
                *keys[place],
                winner=end.winner,
                reason=end.reason,
                steps=len(matches[place].steps),
                fault=end.fault,
                turns=" ".join(matches[place].turns),
            )

    def _seated(self, batch: Batch, side: int) -> Bot:
        bot = self._bots[self.pairings[batch.pairing][side]]
        if not isinstance(bot, str):
            return bot
        seed = derive_seed(self.settings.seed, "bot", *batch[:2], side)
        try:
            return load_bot(bot, self.game, seed=seed, time_limit=self.settings.seconds, tables=False)
        except BotError as error:
            return _Absent(bot, str(error))


class _Absent:
    """Stands for a bot that was there when the arena began and is not any more: it loses its matches.

    Args:
      name: Its spec.
      fault: Why it is not.
    """

    def __init__(self, name: str, fault: str) -> None:
        self.name, self._fault = name, fault

    def choose(self, _match: Match) -> Step:
        """It does not.

        Raises:
          BotError: In any case.
        """
        raise BotError(self._fault)
