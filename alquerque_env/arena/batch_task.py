"""A batch of an arena: all that decides its results, so that any process can play it."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from ..bots import Bot
from ..bots.packed import PackedBot, unpacked_bot
from ..errors import BotError
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from .arena_file import MatchResult
from .arena_settings import Settings
from .match_runner import play_matches
from .openings import Opening
from .schedule import Batch, derive_seed


@dataclass(frozen=True, kw_only=True)
class BatchTask:
    """A batch to play, with its openings and the two bots of its pairing."""

    game: Game
    batch: Batch
    openings: tuple[Opening, ...]
    bots: tuple[str | Bot | PackedBot, str | Bot | PackedBot]
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
    if not isinstance(bot, str | PackedBot):
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
