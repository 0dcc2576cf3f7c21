"""An engine: its options, the commands that it reads from a stream and handles, and its search in a thread.

`docs/play.md` describes the commands.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ...bots.analysis import MAX_DEPTH, MAX_SIMULATIONS, Analysis, Limits, actions_since, format_line
from ...bots.bot import GameBot
from ...bots.external.ugi_protocol import (
    NOTHING,
    Go,
    Info,
    ProtocolError,
    clip,
    parse_go,
    parse_position,
    parse_set_option,
)
from ...bots.load import find_bot
from ...errors import AlquerqueError, BotError, IllegalStepError, UnknownNameError, one_line
from ...files.input_lines import Bytes, read_lines
from ...game.game import Game, games, load_game, load_text
from ...game.options import Option, OptionValue, spell
from ...game.step import PASS, join_turn
from ...match.match import Match
from ...search.scores import turns_to_end, value_to_score

GAME, GAME_FILE, LEVEL = "Game", "GameFile", "Level"

QUIT_SECONDS = 5.0  # time that a search has to end when the engine quits

MAX_ERROR = 500  # characters of the longest error message

_DURING_SEARCH = {"isready", "stop", "quit", "ugi", "query"}


class EngineOptions:
    """The options of an engine: a game with its options, and the spec of the bot.

    Raises:
      BotError: If the spec names no bot.
    """

    def __init__(self, game: Game, level: str) -> None:
        find_bot(level, game)
        self._given = self.level = level
        self._first = self._base = game
        self._values: dict[str, OptionValue] = dict(game.options)

    def make_game(self) -> Game:
        """Makes the game with the current options.

        Raises:
          RulesError: If its options contradict each other.
        """
        return self._base.with_options(**self._values)

    def set(self, name: str, value: str) -> None:
        """Sets an option.

        Raises:
          UnknownNameError: If there is no such option or game.
          RulesError: If a rule does not have this value, or a file or text is not that of a game.
          BotError: If the level names no bot, or starts a program.
        """
        known = {option.lower(): option for option in (GAME, GAME_FILE, LEVEL, *self._base.option_table)}
        option = known.get(name.lower())
        if option is None:
            raise UnknownNameError("option", name, known.values())
        if option == GAME:
            # Programs send defaults back, and the file of the command line may lie in another folder.
            is_first = value == self._first.argument
            self._begin(load_text(self._first.name, self._first.file_text) if is_first else load_game(value))
        elif option == GAME_FILE:
            game, _, text = value.partition(" ")
            if text:
                self._begin(load_text(game, text))
        elif option == LEVEL:
            # Programs send defaults back, so the spec of the command line is allowed here too.
            find_bot(value, self._base, programs=value == self._given)
            self.level = value
        else:
            self._values[option] = self._base.option_table[option].parse(value, self._base.name)

    def lines(self) -> Iterator[str]:
        """The options in the notation of UGI, with their current values as defaults."""
        own = [self._base.argument] if self._base.file_text else []
        yield f"option name {GAME} type combo default {self._base.argument} {_choices([*own, *games()])}"
        yield f"option name {GAME_FILE} type string default <empty>"
        yield f"option name {LEVEL} type string default {self.level}"
        for name, option in self._base.option_table.items():
            yield f"option name {name} {_kind(option, spell(self._values[name]))}"

    def _begin(self, game: Game) -> None:
        self._base, self._values = game, dict(game.options)


def _kind(option: Option, value: str) -> str:
    known = [spell(each) for each in option.values]
    if "N" in known:
        # UGI has no type for a word or a number.
        return f"type string default {value}"
    if set(known) == {"true", "false"}:
        return f"type check default {value}"
    return f"type combo default {value} {_choices(known)}"


def _choices(values: tuple[str, ...] | list[str]) -> str:
    return " ".join(f"var {value}" for value in values)


class Engine:
    """A bot that handles UGI commands. `handle` is called from one thread; `write` is called from several.

    Args:
      options: The game and the bot.
      write: Writes a line and flushes it.
      name: Printed by the command `ugi`.
      seed: Makes the bot's choices repeatable; None for different choices each time.
    """

    def __init__(
        self,
        options: EngineOptions,
        write: Callable[[str], None],
        *,
        name: str = "Alquerque",
        seed: int | None = None,
    ) -> None:
        self._options = options
        self._identity = (f"id name {name}", "id author the authors of alquerque-env")
        self._write_line = write
        self._seed = seed
        self._lock = threading.RLock()
        self._game: Game | None = None
        self._match: Match | None = None
        self._has_bad_position = False
        self._bot: GameBot | None = None
        self._thread: threading.Thread | None = None  # of the last search, which no other thread shares the bot with
        self._is_searching = False
        self._stop = threading.Event()
        self._commands: dict[str, Callable[[str, list[str]], None]] = {
            "ugi": self._introduce,
            "setoption": self._set_option,
            "isready": self._get_ready,
            "uginewgame": self._new_game,
            "position": self._set_position,
            "query": self._query,
            "go": self._go,
            "stop": lambda _line, _words: self._stop.set(),
        }

    def handle(self, line: str) -> bool:
        """Handles a command; returns False if it is `quit`."""
        words = line.split()
        if words[:1] == ["quit"]:
            return False
        if words:
            try:
                self._handle(words[0], line, words[1:])
            except Exception as error:  # no command may end the engine
                self.report_error(error)
        return True

    def report_error(self, error: Exception) -> None:
        """Prints an error."""
        text = one_line(str(error))
        if not isinstance(error, (AlquerqueError, ImportError)):
            text = f"{type(error).__name__}: {text}"
        self._write(f"info string error: {text[:MAX_ERROR]}")

    def close(self) -> None:
        """Ends a running search."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(QUIT_SECONDS)

    def _write(self, line: str) -> None:
        with self._lock:
            self._write_line(line)

    def _handle(self, command: str, line: str, words: list[str]) -> None:
        if command not in self._commands:
            known = [*self._commands, "quit"]
            if len(command) > 40:
                raise ProtocolError(f"no command {clip(command)} (known: {', '.join(known)})")
            raise UnknownNameError("command", command, known)
        with self._lock:  # it is held while `bestmove` is printed, after which no search runs
            is_refused = self._is_searching and command not in _DURING_SEARCH
        if is_refused:
            raise ProtocolError(f"{command} is refused during a search; send stop and wait for bestmove first")
        self._commands[command](line, words)

    def _introduce(self, _line: str, _words: list[str]) -> None:
        with self._lock:
            for line in (*self._identity, *self._options.lines(), "ugiok"):
                self._write(line)

    def _set_option(self, line: str, _words: list[str]) -> None:
        self._options.set(*parse_set_option(line))
        self._game = self._match = self._bot = None
        self._has_bad_position = False

    def _get_ready(self, _line: str, _words: list[str]) -> None:
        if not self._is_searching:
            try:
                self._load_bot()
            except Exception as error:  # `readyok` must follow in any case
                self.report_error(error)
        self._write("readyok")

    def _new_game(self, _line: str, _words: list[str]) -> None:
        self._match, self._has_bad_position = None, False

    def _set_position(self, _line: str, words: list[str]) -> None:
        self._has_bad_position = True
        text, moves = parse_position(words)
        match = Match(self._current_game(), text)
        play_moves(match, moves)
        self._match, self._has_bad_position = match, False

    def _query(self, _line: str, words: list[str]) -> None:
        if len(words) != 1 or words[0] not in ("gameover", "p1turn", "result"):
            raise ProtocolError("query needs one of gameover, p1turn, result")
        match = self._current_match()
        if words[0] == "gameover":
            answer = str(match.is_over).lower()
        elif words[0] == "p1turn":
            answer = str(match.player == 0).lower()
        elif match.outcome is None:
            answer = NOTHING
        else:
            answer = "draw" if match.outcome.winner is None else f"p{match.outcome.winner + 1}win"
        self._write(f"response {answer}")

    def _go(self, _line: str, words: list[str]) -> None:
        go, faults = parse_go(words)
        for fault in faults:
            self.report_error(ProtocolError(fault))
        try:
            match = self._current_match()
            if match.outcome is not None:
                raise BotError(f"the match is over ({match.outcome.reason})")
            bot = self._load_bot()
            self._stop = threading.Event()
            search = self._stop, bot, match.copy(), _limits(go, match.player), go.infinite
            # A daemon thread: a bot that ignores `stop` must not keep the program from ending.
            self._thread = threading.Thread(target=self._search, args=search, daemon=True)
            self._is_searching = True
            self._thread.start()
        except Exception as error:  # `bestmove` must follow in any case
            self.report_error(error)
            self._write(f"bestmove {NOTHING}")

    def _search(self, stop: threading.Event, bot: GameBot, match: Match, limits: Limits, until_stopped: bool) -> None:
        """Prints `info` lines and then `bestmove`, with `until_stopped` only after `stop`."""
        turn, report = NOTHING, partial(self._report, time.monotonic())
        try:
            if bot.can_analyse:
                analysis = bot.analyse(match, replace(limits, stop=stop), report=report)
                report(analysis)
                if bot.note:
                    self._write(f"info string {bot.note}")
                turn = analysis.best.line[0]
            else:
                ahead = match.copy()
                ahead.push(bot.choose(ahead))
                while ahead.turn_goes_on:
                    ahead.push(bot.choose(ahead))
                turn = format_line(match, actions_since(match, ahead))[0]
        except Exception as error:  # a user's own bot can fail in any way, and the engine must go on
            self.report_error(error)
        if until_stopped:
            stop.wait()
        with self._lock:
            self._is_searching = False
            self._write(f"bestmove {turn}")

    def _report(self, begin: float, analysis: Analysis) -> None:
        score = value_to_score(analysis.value) if analysis.score is None else analysis.score
        info = Info(
            depth=analysis.depth,
            score=score,
            mate=None if analysis.score is None else turns_to_end(score),
            nodes=analysis.nodes,
            milliseconds=round(1000 * (time.monotonic() - begin)),
            line=analysis.best.line,
        )
        self._write(str(info))

    def _current_game(self) -> Game:
        if self._game is None:
            self._game = self._options.make_game()
        return self._game

    def _current_match(self) -> Match:
        # The user means the refused position, not the one before.
        if self._has_bad_position:
            raise ProtocolError("the last position was refused; send another one")
        if self._match is None:
            self._match = Match(self._current_game())
        return self._match

    def _load_bot(self) -> GameBot:
        if self._bot is None:
            game = self._current_game()
            bot = find_bot(self._options.level)(game, self._seed, None)
            with suppress(BotError):  # such as for a start without a legal step
                if bot.can_analyse:
                    bot.analyse(Match(game), Limits(depth=1, nodes=1))
            self._bot = bot
        return self._bot


def _limits(go: Go, player: int) -> Limits:
    depth, nodes = go.depth, go.nodes
    if go.infinite:
        depth, nodes = depth or MAX_DEPTH, MAX_SIMULATIONS if nodes is None else nodes
    return Limits(go.seconds(player), None if depth is None else max(depth, 1), nodes)


MAX_LINE = 1 << 20  # characters of the longest command, enough for the longest match


def serve(engine: Engine, stream: Bytes) -> None:
    """Lets an engine handle the commands in a stream until it has to quit or the stream ends."""
    try:
        for line in read_lines(stream, MAX_LINE):
            if line is None:
                engine.report_error(ProtocolError(f"a line is longer than {MAX_LINE} characters; it is ignored"))
            elif not engine.handle(line):
                break
    finally:
        engine.close()


def play_moves(match: Match, moves: Sequence[str]) -> None:
    """Plays whole turns and single steps of turns.

    A chain that could continue is ended if a turn of the opponent follows, or nothing. `pass` after such a chain is the
    turn of an opponent who cannot move; if the opponent can move, it ends the chain. Raises `NotationError` for a text
    that cannot be read, `IllegalStepError` for a step that is not legal or a turn that is incomplete; the turns before
    stay.
    """
    begun: list[str] = []
    for move in moves:
        if begun and not _continues(match, move):
            _end_turn(match, begun)
            begun = []
            if move == PASS and not any(step.is_pass for step in match.legal_steps):
                continue
        played = len(match.steps)
        match.push_turn(move, is_whole=False)
        begun += [step.text for step in match.steps[played:]]
        if not match.turn_goes_on:
            begun = []
    if begun:
        _end_turn(match, begun)


def _continues(match: Match, move: str) -> bool:
    """Whether a move goes on with a turn that has begun."""
    if match.chain is None:  # a ply of the schedule follows, in which a player passes only if there is no other step
        return not match.legal_steps[0].is_pass
    return move.startswith(f"{match.game.board.labels[match.chain]}x")


def _end_turn(match: Match, begun: Sequence[str]) -> None:
    stop = next((step for step in match.legal_steps if step.is_pass), None)
    if stop is None:
        following = ", ".join(step.text for step in match.legal_steps)
        raise IllegalStepError(f"{join_turn(list(begun))} is not a whole turn: {following} must follow")
    match.push(stop)
