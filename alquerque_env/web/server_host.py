"""What the server answers requests from: its games, the tables and proofs of this machine, bots and checkpoints."""

import copy
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ..bots.analysis import Analysis, Limits
from ..bots.levels import levels
from ..errors import AlquerqueError, RulesError, UnknownNameError
from ..game.game import Game, games, load_game
from ..game.options import OptionValue
from ..game.step import Step
from ..match.match import Match
from ..solve.proved_steps import present_proof
from ..solve.tables import present_table
from ..solve.tables.build import memory_needed, plan
from ..solve.tables.index import least_pieces
from ..solve.tables.whole import seconds_needed
from .answers import MATCH_ANSWERS
from .bot_pool import BotPool, title_of
from .checkpoint_folders import CheckpointFolders
from .game_answers import GAME_ANSWERS, Body

_ANSWER = re.compile(r"\b(\w+)=('[^']*'|\w+)")


class Catalogue:
    """The games of the package, and games from files. A request names one by its `Game.argument`, never by a path.

    The page begins with `first`, by default the first game from a file, else `alquerque`. Two files with the same name
    are refused.
    """

    def __init__(self, own: Sequence[Game] = (), first: Game | None = None) -> None:
        found: dict[str, Game] = {}
        for game in own:
            if found.setdefault(game.argument, game) != game:
                raise AlquerqueError(f"two game files have the name {game.argument!r}: rename one of them")
        self.games: Mapping[str, Game] = found | {name: load_game(name) for name in games()}
        self.first = first.argument if first is not None else next(iter(found), "alquerque")
        self._with_options = lru_cache(maxsize=64)(self._with_options_uncached)

    def load(self, name: str, options: Mapping[str, OptionValue]) -> Game:
        """Loads a game with options."""
        if name not in self.games:
            raise UnknownNameError("game", name, self.games)
        return self._with_options(name, tuple(sorted(options.items()))) if options else self.games[name]

    def name_of(self, game: Game) -> str:
        """What requests call a game; refuses one from a file that the page does not offer."""
        known = self.games.get(game.argument)
        if known is None or known.file_text != game.file_text:
            raise AlquerqueError(
                f"the match is of a game from another {game.argument}: stop the server and start it with "
                f"--game and the path of that file"
            )
        return game.argument

    def _with_options_uncached(self, name: str, options: tuple[tuple[str, OptionValue], ...]) -> Game:
        game = self.games[name]
        try:
            return game.with_options(**dict(options))
        except RulesError as error:
            raise OptionsProblemError(game, error) from None


class OptionsProblemError(RulesError):
    """Options that contradict each other, told by question and answer: the page shows no names of options.

    Attributes:
      fields: The names of the options that the message is about.
    """

    def __init__(self, game: Game, error: RulesError) -> None:
        named: dict[str, None] = {}

        def in_words(found: re.Match[str]) -> str:
            name, value = found[1], found[2].strip("'")
            if name not in game.option_table:
                return found[0]
            option = game.option_table[name]
            question = "" if name in named else f"{option.question} – "
            named[name] = None
            return f"“{question}{option.meaning(option.parse(value, game.name))}”"

        text = _ANSWER.sub(in_words, str(error).removeprefix(f"{game.name}: "))
        super().__init__(f"{text[:1].upper()}{text[1:]}.")
        self.fields = list(named)


MOST_SECONDS, MOST_BYTES = 2 * 60 * 60, 4_000_000_000
"""Processor time and memory of a table that is worth naming."""


class ServerHost:
    """The host of all requests, see `GameHost` and `MatchHost`. Checkpoints may be opened below the folders."""

    def __init__(self, catalogue: Catalogue, bots: BotPool, checkpoints: Sequence[Path]) -> None:
        self._catalogue = catalogue
        self._bots = bots
        self.checkpoints = CheckpointFolders(checkpoints, {each.name: each.title for each in catalogue.games.values()})
        self._stop = threading.Event()
        self._thinking: dict[str | None, threading.Event] = {}  # by the ids of requests
        self.games: Mapping[str, Game] = catalogue.games
        self.name_of = catalogue.name_of
        self.table_of = partial(present_table, shipped=True)
        self.proof_of = lru_cache(maxsize=16)(lambda game: present_proof(game)[0])
        self.about_tables = missing_table
        self.about: Mapping[str, Any] = {
            "first": catalogue.first,
            "seconds": bots.seconds,
            "can_stop_bots": True,
            "checkpoints": self.checkpoints.names,
            "tables": None,
        }

    @contextmanager
    def until(self, stop: threading.Event, name: str | None) -> "Iterator[ServerHost]":
        """The same host for one request, whose searches end when the event is set, by `move_now` with its name too."""
        # Requests run at once: each has an event of its own, and they share everything else.
        host = copy.copy(self)
        host._stop = stop
        if name is not None:
            self._thinking[name] = stop
        try:
            yield host
        finally:
            self._thinking.pop(name, None)

    def is_stopped(self) -> bool:
        """As in `MatchHost`."""
        return self._stop.is_set()

    def load_game(self, name: str, /, **options: OptionValue) -> Game:
        """As in `MatchHost`."""
        return self._catalogue.load(name, options)

    def show_bots(self, game: Game) -> dict[str, Any]:
        """As in `GameHost`."""
        offered = [level._asdict() for level in self._bots.levels(game)]
        return {"levels": offered, "evaluators": self._bots.evaluators(game), "strongest": levels(game)[-1].spec}

    def choose_turn(self, match: Match, bot: str) -> tuple[Sequence[Step], str]:
        """As in `MatchHost`."""
        return self._bots.choose_turn(match, bot, self._stop)

    def evaluate(self, match: Match, evaluator: str, limits: Limits) -> tuple[Analysis, str]:
        """As in `MatchHost`."""
        return self._bots.evaluate(match, evaluator, self._stop, limits)

    def move_now(self, name: str) -> bool:
        """Ends a search of a bot, which plays what it has found; returns whether it was thinking."""
        stop = self._thinking.get(name)
        if stop is not None:
            stop.set()
        return stop is not None

    def open_checkpoint(self, folder: str, simulations: int | None) -> dict[str, Any]:
        """Offers the bot of a checkpoint: its name, and the titles of the games that it plays."""
        path = self.checkpoints.find(folder)
        spec = str(path) if simulations is None else f"{path}:{simulations}"
        name, played = self._bots.open(spec, self.games.values())
        return {"name": name, "games": [title_of(spec, self.games[game]) for game in played]}


ANSWERS: Mapping[str, Callable[[Body, Any], dict[str, Any]]] = {  # the host is a `ServerHost`
    **GAME_ANSWERS,
    **MATCH_ANSWERS,
    "move-now": lambda body, host: {"stopped": host.move_now(body["id"])},
    "checkpoints": lambda body, host: host.checkpoints.show(host.load_game(body["game"], **body["options"])),
    "open": lambda body, host: host.open_checkpoint(body["folder"], body["simulations"]),
}
"""All requests by their names; the last ones are about the bots of a server."""


def missing_table(match: Match) -> str:
    """Returns the command that builds a table with the position, or why there is none, in a sentence."""
    picture = match.picture()
    if sum(picture.hands):
        return "Tables have no positions with pieces in hand."
    return _missing_table(match.game, len(picture.pieces))


@lru_cache(maxsize=64)
def _missing_table(game: Game, needed: int) -> str:
    found, problem = None, "it is too large"
    for pieces in range(least_pieces(game), needed + 1):
        try:
            index = plan(game, pieces, float("inf"))
        except AlquerqueError as error:
            problem = str(error)
            break
        seconds = seconds_needed(index, False)
        size = memory_needed(index)
        if seconds > MOST_SECONDS or size > MOST_BYTES:
            break
        found = pieces, seconds, size
    if found is None:
        return f"No table has this position: {problem}."
    pieces, seconds, size = found
    largest = f"the largest table for two hours and 4 GB, of {pieces} pieces"
    what = "a table with this position" if pieces == needed else largest
    command = " ".join(["alquerque solve", game.command_argument, *game.option_arguments, f"--pieces {pieces}"])
    time = f"{max(1, round(seconds))} s" if seconds < 60 else f"{round(seconds / 60)} minutes"
    cost = f"about {time} on one core and {max(1, round(size / 1e6)):,} MB of memory"
    return f"This command builds {what}, in {cost}: {command}"
