"""Bots that are engines: programs of anybody's that speak UGI, the Universal Game Interface."""

import math
import os
import shlex
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import AlquerqueError, BotError, IllegalTurnError
from ...game.game import Game
from ...game.step import Step
from ...match.match import Match
from ..alphabeta import squeeze
from ..analysis import NO_LIMITS, Candidate, Limits, Report, Thought
from ..bot import GameBot, rest_of_turn, state_key, step_of
from ..turns import push_turn, tell_line
from .process import ProcessError
from .ugi_client import Dialogue, Patience
from .ugi_protocol import Go, Info, clip, write_position


@dataclass(frozen=True)
class Answer:
    """What an engine plays.

    Attributes:
      actions: The steps of its turn, and of the turns that it expects afterwards.
      info: What it said it thinks.
    """

    actions: tuple[int, ...]
    info: Info


class UgiBot(GameBot):
    """Asks an engine for whole turns, each time with the whole match, so that the engine sees repetitions.

    The engine is started now, ended when this bot is no longer needed, and started again after a fault.

    Args:
      name: Its spec.
      game: The game that it plays, which the engine is told by its options.
      command: The program and its arguments.
      time_limit: Seconds for a turn, which the engine is told; None to leave that to the engine.
      patience: For how long to wait for it.

    Raises:
      BotError: If the engine cannot be started.
    """

    can_think = True

    def __init__(
        self,
        name: str,
        game: Game,
        command: Sequence[str],
        time_limit: float | None = None,
        patience: Patience | None = None,
    ) -> None:
        super().__init__(name, game, None)
        self._command = tuple(command)
        self._time_limit = time_limit
        self._patience = patience or Patience()
        self._plan: dict[tuple[int, ...], int] = {}
        self._match: weakref.ref[Match] | None = None
        self._lost: weakref.WeakKeyDictionary[Match, tuple[tuple[Step, ...], BotError]] = weakref.WeakKeyDictionary()
        self._dialogue: Dialogue | None = None
        try:
            self._dialogue = self._start()
        except ProcessError as error:
            raise error.fault(f"{self.name} {error}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        # A process cannot be copied: a copy of the bot has its own.
        return UgiBot, (self.name, self.game, self._command, self._time_limit, self._patience)

    @property
    def pid(self) -> int | None:
        """The number of the engine's process, None while there is none."""
        return None if self._dialogue is None else self._dialogue.pid

    def close(self) -> None:
        """Ends the engine; it is started again when it is asked again."""
        dialogue, self._dialogue = self._dialogue, None
        if dialogue is not None:
            dialogue.close()

    def _decide(self, match: Match) -> Step:
        action = self._plan.get(state_key(match))
        if action is None:
            actions = self._ask(match, NO_LIMITS).actions
            action = actions[0]
            self._plan = rest_of_turn(match, actions)
        return step_of(match, action)

    def _think(self, match: Match, limits: Limits, every: bool, report: Report | None) -> Thought:
        if every:
            steps = match.legal_steps
            seconds = self._time_limit if limits.seconds is None else limits.seconds
            part = replace(
                limits,
                seconds=None if seconds is None else seconds / len(steps),
                nodes=None if limits.nodes is None else math.ceil(limits.nodes / len(steps)),
            )
            answers = [self._try(match, step, part) for step in steps]
            return self._thought(match, sorted(answers, key=lambda answer: -self._value(answer.info)))

        def listen(answer: Answer) -> None:
            if report is not None:
                report(self._thought(match, [answer]))

        return self._thought(match, [self._ask(match, limits, listen=listen)])

    def _try(self, match: Match, step: Step, limits: Limits) -> Answer:
        """What the engine thinks of a step, in the eyes of who makes it."""
        after = match.copy()
        after.push(step)
        if after.outcome is not None:
            winner = after.outcome.winner
            info = Info(score=0) if winner is None else Info(mate=1 if winner == match.player else -1)
            return Answer((step.action,), info)
        answer = self._ask(after, limits, within=match)
        info = answer.info if after.player == match.player else _turned(answer.info)
        return Answer((step.action, *answer.actions), info)

    def _thought(self, match: Match, answers: list[Answer]) -> Thought:
        candidates = []
        for answer in answers:
            step, line = step_of(match, answer.actions[0]), tell_line(match, answer.actions)
            candidates.append(Candidate(step, line, self._value(answer.info), None))
        info = answers[0].info
        return Thought(candidates[0].value, tuple(candidates), info.depth, info.nodes, info.score)

    def _value(self, info: Info) -> float:
        if info.mate is not None:
            return math.copysign(1.0, info.mate)
        if info.score is None:
            raise BotError(f"{self.name} does not say what a position is worth: it sent no 'info' with a score")
        return squeeze(info.score)

    def _ask(
        self,
        match: Match,
        limits: Limits,
        *,
        within: Match | None = None,
        listen: Callable[[Answer], None] | None = None,
    ) -> Answer:
        """Lets the engine choose a turn.

        Args:
          match: Where.
          limits: What it may spend.
          within: The match of which this is a variation.
          listen: Is told what the engine plays and thinks so far.

        Raises:
          BotError: If the engine does not answer as it should. It has been ended then, and fails at once when it is
            asked again at the same place of the same match: that match is lost, the next one has a new engine.
        """
        within = within or match
        steps, fault = self._lost.get(within, (None, None))
        if fault is not None and steps == within.steps:
            raise fault
        try:
            return self._search(match, limits, within, listen)
        except ProcessError as error:
            self._dialogue = None
            fault = error.fault(f"{self.name} {error}")
            self._lost[within] = (within.steps, fault)
            raise fault from None
        except BaseException:
            dialogue, self._dialogue = self._dialogue, None
            if dialogue is not None:
                dialogue.kill()
            raise

    def _search(self, match: Match, limits: Limits, within: Match, listen: Callable[[Answer], None] | None) -> Answer:
        self._dialogue = dialogue = self._dialogue or self._start()
        if self._match is None or self._match() is not within:
            dialogue.new_match()
            self._match = weakref.ref(within)
        seconds = self._time_limit if limits.seconds is None else limits.seconds
        milliseconds = None if seconds is None else max(1, round(1000 * seconds))

        def hear(info: Info) -> None:
            if listen is not None and (actions := _playable(match, info.line)):
                listen(Answer(actions, info))

        go = Go(movetime=milliseconds, depth=limits.depth, nodes=limits.nodes)
        text, info = dialogue.search(_set_up(match), go, stop=limits.stop, listen=hear)
        ahead = match.copy()
        try:
            push_turn(ahead, text)
        except AlquerqueError as error:
            what = f"answered {clip(text)}, which is no turn here: {error}"
            raise dialogue.fail(what, IllegalTurnError) from None
        actions = tuple(step.action for step in ahead.steps[len(match.steps) :])
        line = _playable(match, info.line)
        return Answer(line if line[: len(actions)] == actions else actions, info)

    def _start(self) -> Dialogue:
        self._match = None
        return Dialogue(self._command, self.game, self._patience)


def split_command(spec: str, text: str) -> list[str]:
    """The program and its arguments from a command line.

    Raises:
      BotError: If there is no program, or a quotation has no end.
    """
    try:
        words = shlex.split(text, posix=os.name != "nt")
    except ValueError as error:
        raise BotError(f"{spec!r}: the command cannot be read ({str(error).lower()}); quote it as in a shell") from None
    if os.name == "nt":  # there quotation marks stay where they are
        words = [word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word for word in words]
    if not words:
        raise BotError(f"{spec!r} needs the command that starts the engine after the colon, as in ugi:./engine")
    return words


def _turned(info: Info) -> Info:
    """What is thought after a turn, in the eyes of who made it: signs change, and an end is one turn farther away."""
    score = None if info.score is None else -info.score
    mate = None if info.mate is None else -info.mate - (1 if info.mate > 0 else -1)
    return replace(info, score=score, mate=mate)


def _set_up(match: Match) -> str:
    """The command that shows a match to an engine, from its begin."""
    if match.chain is not None:
        # Turns are whole in this protocol. Nothing that was before a capture can come again, so nothing is lost.
        return write_position(match.position, ())
    start = match.copy()
    while start.steps:
        start.pop()
    is_start = start.position == Match(match.game).position
    return write_position(None if is_start else start.position, match.turns)


def _playable(match: Match, line: Sequence[str]) -> tuple[int, ...]:
    """The steps of a line as far as it can be played."""
    ahead = match.copy()
    for turn in line:
        try:
            push_turn(ahead, turn)
        except AlquerqueError:
            break
    return tuple(step.action for step in ahead.steps[len(match.steps) :])
