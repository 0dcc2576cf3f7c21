"""UGI engines as bots: any program that speaks UGI, the Universal Game Interface; none is waited for without end."""

import math
import os
import shlex
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...errors import AlquerqueError, BotError, IllegalTurnError, LateBotError
from ...game.game import Game
from ...game.options import spell
from ...game.step import Step
from ...match.match import Match
from ...search.scores import score_to_value
from ..analysis import NO_LIMITS, Analysis, Candidate, Limits, Report, actions_since
from ..bot import GameBot
from .process import Process, ProcessError
from .ugi_protocol import Go, Info, clip, parse_info, write_position

MOST_LINES = 20_000  # lines that an engine may write before its answer

_TICK = 0.05


@dataclass(frozen=True)
class Timeouts:
    """Seconds to wait for an engine."""

    handshake: float = 10.0  # for `ugiok` after the start
    loading: float = 120.0  # for `readyok`, while the engine may load and compile
    # For a turn without a limit. It is sent as `movetime`, because many engines would otherwise never answer.
    turn: float = 5.0
    work: float = 60.0  # for a turn that is limited by depth or nodes
    margin: float = 5.0  # for `bestmove` after the time that was sent, or after `stop`


class UgiClient(Process):
    """The client of a UGI engine that has been started and is ready for a game. Any fault of the engine kills it.

    The engine is sent the game as the option `Game`, one from a file as `GameFile` with its id and text, and every rule
    option by its name. It may ignore them. Raises `ProcessError` if it cannot be started, or does not answer.
    """

    def __init__(self, command: Sequence[str], game: Game, timeouts: Timeouts) -> None:
        super().__init__(command)
        self._timeouts = timeouts
        self._complaint = ""
        self.send("ugi")
        self._await("ugiok", timeouts.handshake)
        if game.file_text:
            self.send(f"setoption name GameFile value {game.name} {game.file_text}")
        else:
            self.send(f"setoption name Game value {game.name}")
        for option, value in game.options.items():
            self.send(f"setoption name {option} value {spell(value)}")
        self._await_ready()

    def search(
        self,
        position: str,
        go: Go,
        *,
        stop: threading.Event | None = None,
        listen: Callable[[Info], None] | None = None,
    ) -> tuple[str, Info]:
        """Lets the engine choose a turn.

        Args:
          position: The command that sets up the position.
          go: The limits. Without any, the engine searches for `Timeouts.turn` seconds, or, with `stop`, until it is
            set.
          stop: Stops the engine when it is set.
          listen: Is called with every `info` that has a score.

        Returns:
          The text of the turn, and the last `info` with a score.

        Raises:
          ProcessError: If the engine does not answer in time, ends, or writes too many lines.
        """
        self.send(position)
        self._await_ready()
        self._complaint = ""
        if go == Go():
            go = Go(movetime=round(1000 * self._timeouts.turn)) if stop is None else Go(infinite=True)
        self.send(str(go))
        if go.movetime is not None:
            seconds = go.movetime / 1000 + self._timeouts.margin
        else:
            seconds = self._timeouts.work if stop is None else math.inf
        best = Info()
        for line in self._answers("bestmove", seconds, stop):
            word, _, rest = line.partition(" ")
            if word == "bestmove":
                return (rest.split() or [""])[0], best
            info = parse_info(line)
            if info.score is not None or info.mate is not None:
                best = info
                if listen is not None:
                    listen(info)
            elif info.nodes is not None:
                best = replace(best, nodes=info.nodes)
        raise AssertionError  # the lines end with an error

    def fail(self, what: str, fault: type[BotError] = BotError) -> ProcessError:
        """Kills the engine; returns an error with what it did and its last error messages."""
        told = [what]
        if self._complaint:
            told.append(f"it said {self._complaint}")
        if words := self.last_error_output():
            told.append(f"last on its error output: {words}")
        self.kill()
        return ProcessError("; ".join(told), fault)

    def _await_ready(self) -> None:
        self.send("isready")
        self._await("readyok", self._timeouts.loading)

    def _await(self, word: str, seconds: float) -> None:
        next(line for line in self._answers(word, seconds) if line == word)

    def _answers(self, word: str, seconds: float, stop: threading.Event | None = None) -> Iterator[str]:
        """Yields the engine's lines for so many seconds, then raises `ProcessError` that `word` is missing.

        When the event is set, it sends `stop`, and at most `Timeouts.margin` is left.
        """
        end = time.monotonic() + seconds
        for _ in range(MOST_LINES):
            line = None
            while line is None:
                now = time.monotonic()
                if stop is not None and stop.is_set():
                    stop = None
                    self.send("stop")
                    seconds, end = self._timeouts.margin, min(end, now + self._timeouts.margin)
                if now >= end:
                    raise self.fail(f"has not answered within {seconds:g} seconds, without {word!r}", LateBotError)
                try:
                    line = self.read(end - now if stop is None else min(end - now, _TICK))
                except ProcessError as error:
                    raise self.fail(f"{error}, without {word!r}", error.fault) from None
                except BaseException:
                    # Its late answer must not be read as the answer to the next command.
                    self.kill()
                    raise
            if line.startswith("info string error"):
                self._complaint = clip(line.removeprefix("info string error").lstrip(": "), 200)
            yield line
        raise self.fail(f"wrote more than {MOST_LINES} lines, without {word!r}")


class Answer(NamedTuple):
    """An engine's principal variation and the `info` line that it came with."""

    actions: tuple[int, ...]
    info: Info


class UgiBot(GameBot):
    """Asks an engine for whole turns. The engine gets the whole match each time, so that it sees repetitions.

    It starts with the bot, which raises `BotError` if it cannot, ends with it, and is started again after a fault. With
    a time limit it is sent the seconds for a turn; without one it decides itself.
    """

    can_analyse = True

    def __init__(
        self,
        name: str,
        game: Game,
        command: Sequence[str],
        time_limit: float | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        super().__init__(name, game, None)
        self._command = tuple(command)
        self._time_limit = time_limit
        self._timeouts = timeouts or Timeouts()
        self._match: weakref.ref[Match] | None = None
        self._lost: weakref.WeakKeyDictionary[Match, tuple[tuple[Step, ...], BotError]] = weakref.WeakKeyDictionary()
        self._client: UgiClient | None = None
        try:
            self._client = self._start()
        except ProcessError as error:
            raise error.fault(f"{self.name} {error}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        # A process cannot be copied: a copy of the bot starts its own.
        return UgiBot, (self.name, self.game, self._command, self._time_limit, self._timeouts)

    @property
    def pid(self) -> int | None:
        """The engine's process id; None while it does not run."""
        return None if self._client is None else self._client.pid

    def close(self) -> None:
        """Ends the engine. The next search starts it again."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _decide(self, match: Match) -> Step:
        return self._follow_plan(match, lambda: self._ask(match, NO_LIMITS).actions)

    def _analyse(self, match: Match, limits: Limits, all_steps: bool, report: Report | None) -> Analysis:
        if all_steps:
            steps = match.legal_steps
            seconds = self._time_limit if limits.seconds is None else limits.seconds
            part = replace(
                limits,
                seconds=None if seconds is None else seconds / len(steps),
                nodes=None if limits.nodes is None else math.ceil(limits.nodes / len(steps)),
            )
            answers = [self._try(match, step, part) for step in steps]
            return self._make_analysis(match, sorted(answers, key=lambda answer: -self._value(answer.info)))
        listen = None if report is None else lambda answer: report(self._make_analysis(match, [answer]))
        return self._make_analysis(match, [self._ask(match, limits, listen=listen)])

    def _try(self, match: Match, step: Step, limits: Limits) -> Answer:
        """Returns the engine's evaluation of a step, from the view of the player to move before it."""
        after = match.copy()
        after.push(step)
        if after.outcome is not None:
            winner = after.outcome.winner
            info = Info(score=0) if winner is None else Info(mate=1 if winner == match.player else -1)
            return Answer((step.action,), info)
        answer = self._ask(after, limits, within=match)
        info = answer.info if after.player == match.player else _before_turn(answer.info)
        return Answer((step.action, *answer.actions), info)

    def _make_analysis(self, match: Match, answers: list[Answer]) -> Analysis:
        candidates = tuple(Candidate.from_line(match, actions, self._value(info)) for actions, info in answers)
        info = answers[0].info
        return Analysis(candidates[0].value, candidates, info.depth, info.nodes, info.score)

    def _value(self, info: Info) -> float:
        if info.mate is not None:
            return math.copysign(1.0, info.mate)
        if info.score is None:
            raise BotError(f"{self.name} does not evaluate positions: it sent no 'info' with a score")
        return score_to_value(info.score)

    def _ask(
        self,
        match: Match,
        limits: Limits,
        *,
        within: Match | None = None,
        listen: Callable[[Answer], None] | None = None,
    ) -> Answer:
        """Lets the engine choose a turn in a match, which may be a variation `within` another one.

        If the engine fails it is killed, and the bot raises the same `BotError` again if it is asked in the same place
        of the same match; for the next match it starts a new engine.
        """
        within = within or match
        steps, fault = self._lost.get(within, (None, None))
        if fault is not None and steps == within.steps:
            raise fault
        try:
            return self._search(match, limits, within, listen)
        except ProcessError as error:
            self._client = None
            fault = error.fault(f"{self.name} {error}")
            self._lost[within] = (within.steps, fault)
            raise fault from None
        except BaseException:
            client, self._client = self._client, None
            if client is not None:
                client.kill()
            raise

    def _search(self, match: Match, limits: Limits, within: Match, listen: Callable[[Answer], None] | None) -> Answer:
        self._client = client = self._client or self._start()
        if self._match is None or self._match() is not within:
            client.send("uginewgame")
            self._match = weakref.ref(within)
        seconds = self._time_limit if limits.seconds is None else limits.seconds
        milliseconds = None if seconds is None else max(1, round(1000 * seconds))

        def hear(info: Info) -> None:
            if listen is not None and (actions := _legal_part(match, info.line)):
                listen(Answer(actions, info))

        go = Go(movetime=milliseconds, depth=limits.depth, nodes=limits.nodes)
        text, info = client.search(_write_match(match), go, stop=limits.stop, listen=hear)
        ahead = match.copy()
        try:
            ahead.push_turn(text)
        except AlquerqueError as error:
            what = f"answered {clip(text)}, which is no turn here: {error}"
            raise client.fail(what, IllegalTurnError) from None
        actions = actions_since(match, ahead)
        line = _legal_part(match, info.line)
        return Answer(line if line[: len(actions)] == actions else actions, info)

    def _start(self) -> UgiClient:
        self._match = None
        return UgiClient(self._command, self.game, self._timeouts)


def split_command(spec: str, text: str) -> list[str]:
    """Splits a command line into the program and its arguments; raises `BotError` if it cannot."""
    try:
        words = shlex.split(text, posix=os.name != "nt")
    except ValueError as error:
        raise BotError(f"{spec!r}: the command cannot be read ({str(error).lower()}); quote it as in a shell") from None
    if os.name == "nt":  # shlex keeps quotation marks there
        words = [word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word for word in words]
    if not words:
        raise BotError(f"{spec!r} needs the command that starts the engine after the colon, as in ugi:./engine")
    return words


def _before_turn(info: Info) -> Info:
    """Converts an evaluation after a turn to the view of who played it: signs change, an end is one turn later."""
    score = None if info.score is None else -info.score
    mate = None if info.mate is None else -info.mate - (1 if info.mate > 0 else -1)
    return replace(info, score=score, mate=mate)


def _write_match(match: Match) -> str:
    """Writes the command that sets up a match."""
    if match.turn_goes_on:
        # UGI has only whole turns. After a capture or a ply of the schedule no earlier position can occur again, so the
        # history is not needed.
        return write_position(match.position, ())
    start = match.copy()
    while start.steps:
        start.pop()
    is_start = start.position == Match(match.game).position
    return write_position(None if is_start else start.position, match.turns)


def _legal_part(match: Match, line: Sequence[str]) -> tuple[int, ...]:
    """Returns the actions of a line up to its first illegal turn."""
    ahead = match.copy()
    for turn in line:
        try:
            ahead.push_turn(turn)
        except AlquerqueError:
            break
    return actions_since(match, ahead)
