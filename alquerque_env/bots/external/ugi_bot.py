"""UGI engines as bots: any program that speaks UGI, the Universal Game Interface."""

import math
import os
import shlex
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...errors import AlquerqueError, BotError, IllegalTurnError
from ...game.game import Game
from ...game.step import Step
from ...match.match import Match
from ...search.scores import score_to_value
from ..analysis import NO_LIMITS, Analysis, Candidate, Limits, Report, actions_since
from ..bot import GameBot
from .process import ProcessError
from .ugi_client import Timeouts, UgiClient
from .ugi_protocol import Go, Info, clip, write_position


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
