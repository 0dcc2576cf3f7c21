"""The interface of a bot, and the base class of the bots of this package."""

from collections.abc import Callable, Container, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..errors import BotError
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from .analysis import NO_LIMITS, Analysis, Limits, Report, find_step

if TYPE_CHECKING:
    import threading

    from ..solve.tables import EndgameTable


class Bot(Protocol):
    """Chooses steps."""

    @property
    def name(self) -> str:
        """Its spec."""

    def choose(self, match: Match) -> Step:
        """Returns one of `match.legal_steps`; the match is unchanged.

        Raises:
          BotError: If the match is over, or of another game.
        """


class GameBot:
    """A bot for one game. It plays a forced step at once and refuses matches of other games.

    Args:
      name: Its spec.
      game: The game that it plays.
      seed: Makes its choices repeatable; None for a random seed.

    Attributes:
      can_analyse: Whether the bot evaluates positions, so that `analyse` works.
      has_memory: Whether its choices depend on earlier ones: on plans or on a random generator.
      sees_clock: Whether they depend on the plies without progress.
      canonical: Whether it decides in the canonical image of a position, so that its choices in positions that are
        images of each other lead to such positions again.
      stop: As soon as another thread sets it, a search by `choose` ends with the best step so far. Only bots that can
        have a time limit look at it.
      note: What its last choice or analysis rests on, such as "exact: wins in 13 turns"; empty for most bots.
    """

    can_analyse = False
    has_memory = True
    sees_clock = True
    canonical = False
    stop: "threading.Event | None" = None
    note = ""

    def __init__(self, name: str, game: Game, seed: int | None) -> None:
        self.name = name
        self.game = game
        self._known_game = game
        self._generator = np.random.default_rng(seed)
        self._plan: dict[tuple[int, ...], int] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} of {self.game!r}>"

    def choose(self, match: Match) -> Step:
        """Returns one of `match.legal_steps`, see `Bot.choose`."""
        self._check(match)
        self.note = ""
        steps = match.legal_steps
        return steps[0] if len(steps) == 1 else self._decide(match)

    def choose_many(self, matches: Iterable[Match]) -> list[Step]:
        """Returns a step for each of several matches. Bots that search matches together override it.

        The steps are those that `choose` returns for one match after the other.

        Raises:
          BotError: If a match is over, or of another game; the message says which one.
        """
        return [self.choose(match) for match in self._check_all(matches)]

    def analyse(
        self, match: Match, limits: Limits = NO_LIMITS, *, all_steps: bool = False, report: Report | None = None
    ) -> Analysis:
        """Evaluates a position; the match is unchanged. Not safe to call from two threads at once.

        Args:
          match: A match that is not over.
          limits: Replace the bot's own limits.
          all_steps: Whether to evaluate every legal step instead of only the one that the bot would play.
          report: Is called with intermediate results.

        Returns:
          Value, line and candidates, as far as the bot has them.

        Raises:
          BotError: If the bot does not evaluate positions, or the match is over or of another game.
        """
        if not self.can_analyse:
            raise BotError(f"{self.name} does not evaluate positions; choose a bot that searches, such as alphabeta:5")
        self._check(match)
        return self._analyse(match, limits, all_steps, report)

    def policy(self, match: Match) -> np.ndarray | None:  # noqa: ARG002
        """Returns the probability of each action, float64 `[A]`; None for a bot that gives none."""
        return None

    def restart(self, seed: int) -> None:
        """Forgets its plans and seeds its random choices: the next one depends on the position and the seed alone."""
        self._generator, self._plan = np.random.default_rng(seed), {}

    def _decide(self, match: Match) -> Step:
        """Chooses among several legal steps."""
        raise NotImplementedError

    def _analyse(self, match: Match, limits: Limits, all_steps: bool, report: Report | None) -> Analysis:
        raise NotImplementedError

    def _pick(self, steps: Sequence[Step]) -> Step:
        """Chooses one of several equally good steps, by default at random."""
        return steps[int(self._generator.integers(len(steps)))]

    def _follow_plan(self, match: Match, find_line: Callable[[], tuple[int, ...]]) -> Step:
        """Plays the rest of a turn as planned when the turn began; otherwise plans a turn with `find_line`."""
        action = self._plan.get(_state_key(match))
        if action is None:
            actions = find_line()
            action = actions[0]
            self._plan = _plan_turn(match, actions)
        return find_step(match, action)

    def _check_all(self, matches: Iterable[Match]) -> list[Match]:
        checked = list(matches)
        for number, match in enumerate(checked):
            try:
                self._check(match)
            except BotError as error:
                raise BotError(f"match {number}: {error}") from None
        return checked

    def _check(self, match: Match) -> None:
        if match.outcome is not None:
            raise BotError(f"{self.name} cannot choose: the match is over ({match.outcome.reason})")
        if match.game is not self._known_game:
            if match.game.table_hash != self.game.table_hash:
                raise BotError(f"{self.name} plays {self.game!r}, not {match.game!r}")
            self._known_game = match.game


class SearchBot(GameBot):
    """A bot that searches, for at most `time_limit` seconds a step. Other arguments are those of `GameBot`.

    Attributes:
      keeping: Gives the actions of a position to choose from. By default all but those that a table knows to be worse.
    """

    can_analyse = True

    def __init__(self, name: str, game: Game, seed: int | None, time_limit: float | None = None) -> None:
        super().__init__(name, game, seed)
        self.time_limit = time_limit
        self._look_up(None)

    def use_table(self, table: "EndgameTable") -> None:
        """Lets the bot look up endgames, when it plays and in its searches."""
        self._look_up(table)

    def _look_up(self, table: "EndgameTable | None") -> None:
        from ..solve.tables.search_probe import Endgames  # its kernels are needed only by bots that search

        self._endgames = Endgames(table)
        self.keeping: Callable[[Match], Container[int]] = self._endgames.keeping

    def _decide(self, match: Match) -> Step:
        known = self._endgames.best(match)
        return self._pick(known) if known else self._search_step(match)

    def _search_step(self, match: Match) -> Step:
        """Chooses among several legal steps where the tablebase does not say what is best."""
        raise NotImplementedError


def _state_key(match: Match) -> tuple[int, ...]:
    return tuple(int(word) for word in match.state)


def _plan_turn(match: Match, actions: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Returns the action of a line in each state in the middle of its first turn."""
    plan = {}
    ahead = match.copy()
    for action, following in pairwise(actions):
        ahead.push(action)
        if not ahead.turn_goes_on:
            break
        plan[_state_key(ahead)] = following
    return plan
