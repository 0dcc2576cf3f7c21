"""The bots that the page can ask. Each is loaded once and used by one request at a time."""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..bots import load_bot
from ..bots.analysis import SEARCHER, Analysis, Limits
from ..bots.bot import GameBot
from ..bots.levels import Level, levels
from ..bots.load import find_bot
from ..bots.shipped import META
from ..bots.spec import CHECKPOINT, parse_spec
from ..errors import AlquerqueError, BotError, UnknownNameError
from ..game.game import Game
from ..game.step import Step
from ..match.match import Match
from .evaluation_view import SEARCH

if TYPE_CHECKING:
    from ..bots.network.model_card import ModelCard

MAX_BOTS = 6  # that are kept: a search by alpha-beta has a table of 17 MB
STEPS_OF_TURN = 1.5  # a bot searches no longer for a whole turn than for so many steps
_PLAYS_ONLY = ("random", "greedy")  # bots that evaluate nothing


class BotFailedError(BotError):
    """A bot failed to choose a step."""

    bot_failed = True  # see `show_error`


class BotPool:
    """Loaded bots by game and spec.

    Besides the levels the page offers specs, each with the `Game.argument` of every game that it plays, see
    `playable_games`. The page knows them by names without paths. The time limit of a bot for a step, and of an
    evaluation, is in seconds.
    """

    def __init__(self, offered: Mapping[str, Sequence[str]], seconds: float) -> None:
        self.seconds = seconds
        self._given = frozenset(offered)
        self._offered = dict(offered)
        self._specs = _name_all(offered)
        self._bots: OrderedDict[tuple[Game, str, str], tuple[GameBot, threading.Lock]] = OrderedDict()
        self._lock = threading.Lock()

    def levels(self, game: Game) -> tuple[Level, ...]:
        """The bots that play a game with its options: first the levels, weakest first, then those offered besides."""
        known = levels(game)
        names = {level.spec for level in known}
        offered = [name for name, spec in self._specs.items() if name not in names and self._plays(spec, game)]
        return (*known, *(Level(name, name, self._about(name)) for name in offered))

    def open(self, spec: str, games: Iterable[Game]) -> tuple[str, tuple[str, ...]]:
        """Offers another bot, or loads it anew: its name, and the `Game.argument` of every game that it plays.

        Raises:
          BotError: If it cannot be loaded, or plays none of the games.
        """
        try:
            played = playable_games(spec, games)
        except AlquerqueError as error:
            raise BotError(_without_paths(str(error))) from None
        with self._lock:
            for key in [key for key in self._bots if key[1] == spec]:
                del self._bots[key]
            # New dictionaries, since other threads read the old ones without the lock.
            self._offered = {**self._offered, spec: played}
            self._specs = _name_all(self._offered)
        return next(name for name, known in self._specs.items() if known == spec), played

    def _about(self, name: str) -> str:
        return "Added by --bot." if self._specs[name] in self._given else "Opened while the server runs."

    def choose_turn(self, match: Match, name: str, stop: threading.Event) -> tuple[list[Step], str]:
        """Chooses the steps of a turn, or the rest of one in the middle of a chain. The match stays unchanged.

        A search ends with the best step so far when `stop` is set.

        Returns the steps, and the bot's note on the first step that has one. Raises `UnknownNameError` for a bot that
        is not offered, `BotError` if it cannot be loaded, `BotFailedError` if it fails to choose.
        """
        spec = self._spec_of(name, match.game)
        bot, lock = self._load(name, match.game, spec, "player")
        ahead, note = match.copy(), ""
        end_of_turn = threading.Timer(STEPS_OF_TURN * self.seconds, stop.set)
        end_of_turn.daemon = True
        end_of_turn.start()
        try:
            while not ahead.is_over and ahead.player == match.player:
                with lock:
                    bot.stop = stop
                    ahead.push(bot.choose(ahead))
                    note = note or bot.note
        except AlquerqueError as error:
            with self._lock:  # the next request loads the bot again
                self._bots.pop((match.game, spec, "player"), None)
            raise BotFailedError(_without_paths(str(error))) from None
        finally:
            end_of_turn.cancel()
        return list(ahead.steps[len(match.steps) :]), note

    def evaluators(self, game: Game) -> list[str]:
        """The specs of those of the levels, and of the bots offered besides, that evaluate positions."""
        return [level.spec for level in self.levels(game) if level.spec not in _PLAYS_ONLY]

    def evaluate(self, match: Match, name: str, stop: threading.Event, limits: Limits) -> tuple[Analysis, str]:
        """Evaluates a position and all its steps by `SEARCH` or by a bot, which takes no longer than for a step.

        Returns the evaluation and the bot's note. Raises `UnknownNameError` for a bot that is not offered, `BotError`
        if it cannot be loaded or evaluates nothing, or the match is over.
        """
        spec = SEARCHER if name == SEARCH else self._spec_of(name, match.game)
        bot, lock = self._load(name, match.game, spec, "evaluator")
        try:
            with lock:
                longest = (limits.seconds if name == SEARCH else self.seconds) or 0
                limits = replace(limits, seconds=min(limits.seconds or 0, longest), stop=stop)
                return bot.analyse(match, limits, all_steps=True), bot.note
        except AlquerqueError as error:
            raise BotError(_without_paths(str(error))) from None

    def _spec_of(self, name: str, game: Game) -> str:
        known = [level.spec for level in self.levels(game)]
        if name not in known:
            raise UnknownNameError("bot", name, known)
        return self._specs.get(name, name)

    def _plays(self, spec: str, game: Game) -> bool:
        if game.argument not in self._offered[spec]:
            return False
        try:
            if as_trained(_card_of(spec), game) != game:
                return False
            if game.chosen_options:
                self._load(spec, game, spec, "player")
        except AlquerqueError:
            return False
        return True

    def _load(self, name: str, game: Game, spec: str, purpose: str) -> tuple[GameBot, threading.Lock]:
        """A bot and the lock to hold while it is used. A `player` does not wait for the same bot as an `evaluator`."""
        key = (game, spec, purpose)
        with self._lock:
            if key not in self._bots:
                try:
                    bot = load_bot(spec, game, time_limit=self.seconds, tables=False)
                except AlquerqueError:
                    raise BotError(f"{name} cannot be loaded any more: choose another one") from None
                self._bots[key] = bot, threading.Lock()
                while len(self._bots) > MAX_BOTS:
                    self._bots.popitem(last=False)
            self._bots.move_to_end(key)
            return self._bots[key]


def playable_games(spec: str, games: Iterable[Game]) -> tuple[str, ...]:
    """The games that a bot plays, each as its `Game.argument`; if it plays none, an error that says why.

    A checkpoint plays its game with the options that it was trained with.
    """
    find_bot(spec)  # what is no bot at all is refused once, and not for each game
    card = _card_of(spec)
    found: list[str] = []
    errors: dict[str, AlquerqueError] = {}
    for game in games:
        try:
            load_bot(spec, as_trained(card, game))
            found.append(game.argument)
        except AlquerqueError as error:
            errors[game.name] = error
    if found:
        return tuple(found)
    if card is None:
        raise next(iter(errors.values()))
    missing = f"checkpoint {parse_spec(spec).name!r} plays {card.game!r}, which the page does not have"
    raise errors.get(card.game, BotError(f"{missing}: start the server with --game FILE"))


def title_of(spec: str, game: Game) -> str:
    """The title of a game that a bot plays, with the options that the bot needs if they are not the default ones."""
    options = as_trained(_card_of(spec), game).option_texts
    return f"{game.title} with {', '.join(options)}" if options else game.title


def as_trained(card: "ModelCard | None", game: Game) -> Game:
    """The game with the options of a checkpoint that plays it; the game itself for other bots."""
    if card is None or card.game != game.name:
        return game
    return game.with_options(**{name: card.options.get(name, value) for name, value in game.options.items()})


def _card_of(spec: str) -> "ModelCard | None":
    """The model card of a checkpoint; None for other bots."""
    from ..bots.network.model_card import read_card

    path = parse_spec(spec).path
    return read_card(path) if path is not None and (path / META).is_file() else None


def _name_all(specs: Iterable[str]) -> dict[str, str]:
    """The specs by names without the folders of this machine: a checkpoint has that of its run, `run-1/final:100`."""
    named: dict[str, str] = {}
    for text in specs:
        spec = parse_spec(text)
        parts = [part for part in Path(spec.name).parts if part != "checkpoints"]
        is_folder = spec.kind == CHECKPOINT and not spec.is_shipped
        name = "/".join(parts[-2:]) + text[len(spec.name) :] if is_folder else _without_paths(text)
        found, number = name, 1
        while name in named:
            number += 1
            name = f"{found} ({number})"
        named[name] = text
    return named


def _without_paths(text: str) -> str:
    """A text with the last part alone of each path."""
    return re.sub(r"""[^\s'":]*[/\\](?=[^\s'"/\\])""", "", text)
