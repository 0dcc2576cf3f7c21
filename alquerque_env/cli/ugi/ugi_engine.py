"""What an engine does at each command."""

import threading
from collections.abc import Callable
from contextlib import suppress

from ...bots.alphabeta import MAX_DEPTH
from ...bots.analysis import Limits
from ...bots.bot import GameBot
from ...bots.external.ugi_protocol import (
    NOTHING,
    Go,
    ProtocolError,
    clip,
    parse_go,
    parse_position,
    parse_set_option,
)
from ...bots.load import find_bot
from ...bots.mcts import MAX_SIMULATIONS
from ...errors import AlquerqueError, BotError, UnknownNameError
from ...game.game import Game
from ...match.match import Match
from .ugi_options import Settings
from .ugi_position import play_moves
from .ugi_search import Search

GOODBYE = 5.0
"""Seconds that a search has to come to its end when the engine is to quit."""

LONGEST_COMPLAINT = 500

_WHILE_THINKING = {"isready", "stop", "quit", "ugi", "query"}


class Engine:
    """A bot that obeys commands. They come one after another; answers come from more than one thread.

    Args:
      settings: What is played, and who plays.
      say: Writes a line, at once.
      name, author: What it says of itself.
      seed: Makes the bot's choices repeatable; None for another course each time.
    """

    def __init__(
        self,
        settings: Settings,
        say: Callable[[str], None],
        *,
        name: str = "Alquerque",
        author: str = "the authors of alquerque-env",
        seed: int | None = None,
    ) -> None:
        self._settings = settings
        self._identity = (f"id name {name}", f"id author {author}")
        self._write = say
        self._seed = seed
        self._lock = threading.RLock()
        self._game: Game | None = None
        self._match: Match | None = None
        self._has_refused = False
        self._bot: GameBot | None = None
        self._search: Search | None = None
        self._commands: dict[str, Callable[[str, list[str]], None]] = {
            "ugi": self._introduce,
            "setoption": self._set_option,
            "isready": self._get_ready,
            "uginewgame": self._begin,
            "position": self._set_up,
            "query": self._answer,
            "go": self._go,
            "stop": self._stop,
        }

    def obey(self, line: str) -> bool:
        """Does what a line says; whether there is more to do afterwards."""
        words = line.split()
        if words[:1] == ["quit"]:
            return False
        if words:
            try:
                self._obey(words[0], line, words[1:])
            # Nothing that anybody sends may end the engine.
            except Exception as error:
                self.complain(error)
        return True

    def complain(self, error: Exception) -> None:
        """Says what went wrong."""
        told = " ".join(str(error).split())
        if not isinstance(error, (AlquerqueError, ImportError)):
            told = f"{type(error).__name__}: {told}"
        told = "".join(character for character in told[:LONGEST_COMPLAINT] if character.isprintable())
        self._say(f"info string error: {told}")

    def close(self) -> None:
        """Ends the search that is under way."""
        if self._search is not None:
            self._search.stop()
            self._search.wait(GOODBYE)

    def _say(self, line: str) -> None:
        with self._lock:
            self._write(line)

    @property
    def _is_thinking(self) -> bool:
        return self._search is not None and self._search.is_running

    def _obey(self, command: str, line: str, words: list[str]) -> None:
        if command not in self._commands:
            known = [*self._commands, "quit"]
            if len(command) > 40:
                raise ProtocolError(f"no command {clip(command)} (known: {', '.join(known)})")
            raise UnknownNameError("command", command, known)
        if command not in _WHILE_THINKING and self._is_thinking:
            raise ProtocolError(f"{command} came in the middle of a search; send stop and wait for bestmove first")
        self._commands[command](line, words)

    def _introduce(self, _line: str, _words: list[str]) -> None:
        with self._lock:
            for line in (*self._identity, *self._settings.lines(), "ugiok"):
                self._say(line)

    def _set_option(self, line: str, _words: list[str]) -> None:
        self._settings.put(*parse_set_option(line))
        self._game = self._match = self._bot = None
        self._has_refused = False

    def _get_ready(self, _line: str, _words: list[str]) -> None:
        if not self._is_thinking:
            try:
                self._load()
            # Who asks waits for an answer in any case.
            except Exception as error:
                self.complain(error)
        self._say("readyok")

    def _begin(self, _line: str, _words: list[str]) -> None:
        self._match, self._has_refused = None, False

    def _set_up(self, _line: str, words: list[str]) -> None:
        self._has_refused = True
        text, moves = parse_position(words)
        match = Match(self._current_game(), text)
        play_moves(match, moves)
        self._match, self._has_refused = match, False

    def _answer(self, _line: str, words: list[str]) -> None:
        if len(words) != 1 or words[0] not in ("gameover", "p1turn", "result"):
            raise ProtocolError("query needs one of gameover, p1turn, result after it")
        match = self._current()
        if words[0] == "gameover":
            told = str(match.is_over).lower()
        elif words[0] == "p1turn":
            told = str(match.player == 0).lower()
        elif match.outcome is None:
            told = NOTHING
        else:
            told = "draw" if match.outcome.winner is None else f"p{match.outcome.winner + 1}win"
        self._say(f"response {told}")

    def _go(self, _line: str, words: list[str]) -> None:
        go = parse_go(words)
        try:
            match = self._current()
            if match.outcome is not None:
                raise BotError(f"there is nothing to choose: the match is over ({match.outcome.reason})")
            bot = self._load()
            self._search = Search(bot, match.copy(), _limits(go, match.player), self._say, self.complain, self._lock)
        except Exception as error:
            # Who waits for a turn must not wait in vain.
            self.complain(error)
            self._say(f"bestmove {NOTHING}")

    def _stop(self, _line: str, _words: list[str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _current_game(self) -> Game:
        if self._game is None:
            self._game = self._settings.make_game()
        return self._game

    def _current(self) -> Match:
        # Who asks means the position that was refused, not the one before.
        if self._has_refused:
            raise ProtocolError("the last position was refused; send another one")
        if self._match is None:
            self._match = Match(self._current_game())
        return self._match

    def _load(self) -> GameBot:
        """The bot, loaded and compiled."""
        if self._bot is None:
            game = self._current_game()
            bot = find_bot(self._settings.level)(game, self._seed, None)
            start = Match(game)
            with suppress(BotError):  # such as that a start without a step to choose is over
                if bot.can_think:
                    bot.think(start, Limits(depth=1, nodes=1))
            self._bot = bot
        return self._bot


def _limits(go: Go, player: int) -> Limits:
    depth, nodes = go.depth, go.nodes
    if go.infinite:
        depth, nodes = depth or MAX_DEPTH, MAX_SIMULATIONS if nodes is None else nodes
    return Limits(go.seconds(player), None if depth is None else max(depth, 1), nodes)
