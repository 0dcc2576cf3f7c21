"""Plays an arena from its openings to its ratings."""

from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..bots import Bot, load_bot
from ..bots.portable import PortableBot, pack_bot, unpacked_bot
from ..bots.spec import parse_spec
from ..errors import AlquerqueError, BotError, require
from ..files.regular import read_regular
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from ..progress import Progress, Watch, unwatched
from .arena_result import ArenaFile, ArenaResult, MatchResult, make_result, meet
from .match_runner import play_matches
from .openings import Opening, Openings, choose_openings
from .schedule import Batch, Settings, derive_seed, in_order, make_batches, make_pairings
from .sprt import Verdict, decide


def play_arena(
    game: Game,
    bots: Sequence[str | Bot],
    settings: Settings | None = None,
    *,
    output: Path | None = None,
    openings: Openings | None = None,
    executor: Executor | None = None,
    watch: Watch = unwatched,
) -> ArenaResult:
    """Lets bots play against each other and rates them.

    Args:
      game: The game.
      bots: Specs, as for `load_bot`, or bots. Each batch loads the bots of specs anew with derived seeds, so that the
        same seed gives the same result. Bots keep their state between batches.
      settings: The settings; None for the defaults.
      output: File for the finished matches. An existing file of the same arena is resumed.
      openings: The result of `choose_openings` for the same settings; None to choose them.
      executor: Plays whole batches in other processes or on other machines. The result and the file are the same as
        without one, unless `settings.seconds` is set. Bots are specs then; trained ones travel with their files.
      watch: Is called with the progress.

    Returns:
      The ratings and scores of the bots, and the result of each pairing.

    Raises:
      AlquerqueError: If there are fewer than two bots, two have the same name, a spec names no bot, SPRT is used with
        more than two, the number of openings is not half of `games`, or `output` is of another arena. With an
        executor, also if a bot is an object or an engine.
      OpeningsError: If the game has too few openings.
      MissingExtraError: If choix or a package that a bot needs is not installed.
      OSError: If `output` cannot be read or written.
    """
    arena = _Arena(game, bots, settings or Settings(), executor)
    if openings is not None and 2 * len(openings.list) != arena.settings.games:
        raise AlquerqueError(f"got {len(openings.list)} openings, expected {arena.settings.games // 2}: half the games")
    with arena.open_file(output) as record:
        if record.openings is None:
            record.set_openings(openings or choose_openings(game, arena.settings, watch, executor=executor))
        verdict = arena.play(record, watch)
        assert record.openings is not None
        results = list(record.results.values())
        return make_result(game, arena.settings, arena.names, arena.pairings, record.openings, results, verdict)


class _Arena:
    def __init__(
        self, game: Game, bots: Sequence[str | Bot], settings: Settings, executor: Executor | None = None
    ) -> None:
        require("choix", "arena")
        self.game, self.settings, self._bots, self._executor = game, settings, tuple(bots), executor
        self.names = tuple(bot if isinstance(bot, str) else bot.name for bot in bots)
        if len(bots) < 2:
            raise AlquerqueError(f"an arena needs two bots or more, got {len(bots)}")
        for place, name in enumerate(self.names):
            if name in self.names[:place]:
                raise AlquerqueError(f"{name!r} is given twice; a bot cannot be rated against itself")
        if settings.sprt is not None and len(bots) != 2:
            raise AlquerqueError(f"sprt decides between two bots, got {len(bots)}")
        for spec in (*bots, settings.judge_of(game)):
            if isinstance(spec, str):  # fails before anything is played
                load_bot(spec, game, seed=0, time_limit=settings.seconds, tables=False)
        self._travellers = self._bots if executor is None else tuple(map(_pack, bots))
        self.pairings = make_pairings(len(bots), gauntlet=settings.gauntlet)
        self._num_openings = settings.games // 2

    def header(self) -> dict[str, Any]:
        """Returns everything that decides the results."""
        # A hash of the files of each trained bot, so that replaced files are noticed.
        files = {bot: parse_spec(bot).files for bot in self._bots if isinstance(bot, str)}
        contents = {bot: b"".join(map(read_regular, paths)) for bot, paths in files.items() if paths}
        hashes = {bot: sha256(content).hexdigest()[:16] for bot, content in contents.items()}
        return {
            "game": self.game.name,
            "options": dict(self.game.options),
            "table_hash": self.game.table_hash,
            "players": self.names,
            **({"files": hashes} if hashes else {}),
            **asdict(self.settings),
        }

    def open_file(self, path: Path | None) -> ArenaFile:
        """Opens the file of the arena, if it has one."""
        keys = frozenset(key for batch in self._batches() for key in batch.keys)
        return ArenaFile(path, self.header(), self.game, self._num_openings, keys)

    def _batches(self) -> Iterator[Batch]:
        return make_batches(len(self.pairings), self._num_openings, self.settings.batch)

    def play(self, record: ArenaFile, watch: Watch) -> Verdict | None:
        """Plays the matches without a result, until all are finished or the question is decided."""
        count = len(self.pairings) * self.settings.games
        verdict = None
        watch(Progress("matches played", len(record.results), count))
        assert record.openings is not None
        # An interrupted batch is played again as a whole, because its bots depend on all its matches.
        left = {batch: None for batch in self._batches() if any(key not in record.results for key in batch.keys)}
        with closing(self._play_batches(left, record.openings)) as played_batches:
            for batch in self._batches():
                if batch in left:
                    for result in next(played_batches):
                        record.add(result)
                        watch(Progress("matches played", len(record.results), count))
                if self.settings.sprt is not None:
                    played = [result for result in record.results.values() if result.opening < batch.openings.stop]
                    verdict = decide(self.settings.sprt, meet(self.names[0], self.names[1], played).pairs)
                    if verdict.accepted is not None:
                        break
        return verdict

    def _play_batches(
        self, batches: Iterable[Batch], openings: Openings
    ) -> Generator[Iterable[MatchResult], None, None]:
        """Plays batches in order, each as its results are asked for; with an executor ahead of that."""
        tasks = (self._task(batch, openings) for batch in batches)
        if self._executor is None:
            yield from map(play_batch, tasks)
        else:
            yield from (results for _, results in in_order(self._executor, play_whole_batch, tasks))

    def _task(self, batch: Batch, openings: Openings) -> "BatchTask":
        first, second = self.pairings[batch.pairing]
        return BatchTask(
            game=self.game,
            batch=batch,
            openings=tuple(openings.list[place] for place in batch.openings),
            bots=(self._travellers[first], self._travellers[second]),
            settings=self.settings,
        )


def _pack(bot: str | Bot) -> PortableBot:
    """Prepares a bot for other processes, which can load specs but no objects and no engines."""
    if isinstance(bot, str):
        return pack_bot(bot)
    raise AlquerqueError(f"{bot.name!r} is an object, which other machines cannot load: give its spec")


@dataclass(frozen=True, kw_only=True)
class BatchTask:
    """A batch to play, with its openings and the two bots of its pairing."""

    game: Game
    batch: Batch
    openings: tuple[Opening, ...]
    bots: tuple[str | Bot | PortableBot, str | Bot | PortableBot]
    settings: Settings


def play_batch(task: BatchTask) -> Iterator[MatchResult]:
    """Plays a batch; yields the results in the order in which the matches end."""
    with ExitStack() as stack:
        first, second = (_seated(task, side, stack) for side in (0, 1))
        keys = task.batch.keys
        matches = [task.openings[key.opening - task.batch.openings.start].begin(task.game) for key in keys]
        seats = [(second, first) if key.seat else (first, second) for key in keys]
        for place, end in play_matches(matches, seats, task.settings.max_steps):
            yield MatchResult(
                *keys[place],
                winner=end.winner,
                reason=end.reason,
                steps=len(matches[place].steps),
                fault=end.fault,
                turns=" ".join(matches[place].turns),
            )


def play_whole_batch(task: BatchTask) -> list[MatchResult]:
    """Plays a batch to its end, see `play_batch`."""
    return list(play_batch(task))


def _seated(task: BatchTask, side: int, stack: ExitStack) -> Bot:
    bot = task.bots[side]
    if not isinstance(bot, str | PortableBot):
        return bot
    seed = derive_seed(task.settings.seed, "bot", *task.batch[:2], side)
    try:
        return stack.enter_context(unpacked_bot(bot, task.game, seed=seed, time_limit=task.settings.seconds))
    except BotError as error:
        return _MissingBot(bot if isinstance(bot, str) else bot.spec, str(error))


class _MissingBot:
    """Replaces a bot that can no longer be loaded, and loses its matches."""

    def __init__(self, name: str, fault: str) -> None:
        self.name, self._fault = name, fault

    def choose(self, _match: Match) -> Step:
        """Raises BotError."""
        raise BotError(self._fault)
