"""Runs the benchmark: measures an agent game by game."""

import functools
import os
import platform
import shlex
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import asdict, replace

from .. import __version__
from ..arena.in_order import in_order
from ..arena.progress import Progress, Watch, unwatched
from ..bots.packed import PackedBot
from ..errors import BenchmarkError, require
from ..game.game import load_text
from .against_ladder import play_ladder
from .against_truth import ask_all, summarise
from .agent_facts import Facts, Training
from .agent_result import Faults, GameResult, Result, time_of
from .agents.agent import Agent, choose_games, find_agent, open_packed, pack_agent
from .agents.ask import CRASH, ILLEGAL, OVER_TIME, Player
from .agents.fault_count import CheckedPlayer
from .calibration import calibrate
from .ladder import Ladder, read_ladder
from .partial_result import PartialResults
from .protocol import Protocol
from .suite import Suite, read_suite


def run_benchmark(
    agent: str | Agent,
    names: Sequence[str],
    protocol: Protocol,
    *,
    name: str | None = None,
    training: Training | None = None,
    command: str | None = None,
    watch: Watch = unwatched,
    partial: PartialResults | None = None,
    executor: Executor | None = None,
) -> Result:
    """Measures an agent.

    Args:
      agent: A spec for `load_bot`, `module:name` of a function from observation and mask to an action, or an agent,
        which is closed afterwards. A function runs in its own process, so a script that measures one must do so under
        `if __name__ == "__main__":`.
      names: Ids of games; if empty, all that the protocol measures and the agent plays.
      protocol: The protocol.
      name: Name of the agent in the result; its spec if None.
      training: How a function was trained. The facts of other agents come from their files.
      command: The command in the result; the one that measures this agent if None.
      watch: Called now and then with the progress.
      partial: Results of an interrupted run, to which this run adds its own.
      executor: Measures games in other processes or on other machines, each as a whole, because an agent keeps its
        state from one position to the next. The figures are the same, except for the times.

    Raises:
      AlquerqueError: If the agent or a game does not exist, the agent does not play a game, `training` is given for one
        that is no function, or the package's files are damaged. With an executor, also if the agent is a function or an
        engine.
      MissingExtraError: If choix or a package of a bot is not installed.
    """
    require("choix", "arena")
    agent = find_agent(agent, protocol) if isinstance(agent, str) else agent
    partial = partial or PartialResults()
    try:
        facts = agent.facts if training is None else _with_training(agent, training)
        chosen = choose_games(agent, names, protocol)
        result = Result(
            benchmark=protocol.version,
            quick=protocol.is_quick,
            version=__version__,
            machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
            command=command or format_command([agent.spec, *names], protocol, name, training),
            name=name or agent.spec,
            spec=agent.spec,
            facts=facts,
            games={},
        )
        done = partial.games(result)
        # All games are opened first, so that a game that cannot be played stops the run at once.
        opened = {game: _open(agent, game, protocol) for game in chosen if game not in done}
        with closing(_measure_all(agent, opened, protocol, watch, executor)) as measured:
            for game in chosen:
                result = replace(result, games={**result.games, game: done.get(game) or next(measured)})
                partial.note(result)
    finally:
        agent.close()
    return result


def _with_training(agent: Agent, training: Training) -> Facts:
    """The facts of a function with those of its training; refuses other agents."""
    if agent.facts.kind != "function":
        given = next((name for name, value in asdict(training).items() if value is not None), "training")
        raise BenchmarkError(f"{given} is given for {agent.spec!r}, expected a function as module:name")
    return replace(agent.facts, **asdict(training))


def _measure_all(
    agent: Agent,
    opened: Mapping[str, tuple[Suite, Ladder, Player]],
    protocol: Protocol,
    watch: Watch,
    executor: Executor | None,
) -> Generator[GameResult, None, None]:
    """Measures an agent in games, in order."""
    if executor is None:
        for game in opened.values():
            yield _measure(agent.spec, *game, protocol, watch)
        return
    measure = functools.partial(_measure_packed, pack_agent(agent.spec), protocol)
    with closing(in_order(executor, measure, [(suite, ladder) for suite, ladder, _ in opened.values()])) as measured:
        for number, ((suite, _), result) in enumerate(measured, start=1):
            yield result
            watch(Progress("games", number, len(opened), suite.game.name))


def _measure_packed(bot: PackedBot, protocol: Protocol, files: tuple[Suite, Ladder]) -> GameResult:
    suite, ladder = files
    with open_packed(bot, suite.game, protocol) as player:
        return _measure(bot.spec, suite, ladder, player, protocol, unwatched)


def _open(agent: Agent, name: str, protocol: Protocol) -> tuple[Suite, Ladder, Player]:
    game = load_text(name)
    return read_suite(protocol, game), read_ladder(protocol, game), agent.open(game)


def _measure(spec: str, suite: Suite, ladder: Ladder, player: Player, protocol: Protocol, watch: Watch) -> GameResult:
    game = suite.game

    def watch_here(progress: Progress) -> None:
        watch(replace(progress, about=game.name))

    checked = CheckedPlayer(player, protocol.limits)
    positions = suite.sample(protocol.quick.positions) if protocol.is_quick else suite.positions
    decisions = ask_all(checked, game, positions, watch_here)
    opponents = play_ladder(checked, spec, game, ladder, protocol, watch_here)
    return GameResult(
        suite=suite.sha256,
        ladder=ladder.sha256,
        truth=summarise(decisions, protocol, has_roles=game.has_roles),
        calibration=calibrate(decisions),
        opponents=opponents,
        timing=time_of([decision.seconds for decision in decisions if decision.seconds is not None]),
        faults=Faults(
            illegal=checked.faults[ILLEGAL],
            crash=checked.faults[CRASH],
            over_time=checked.faults[OVER_TIME],
            first=checked.first_fault,
            gave_up=checked.has_given_up,
        ),
    )


def format_command(words: Sequence[str], protocol: Protocol, name: str | None, training: Training | None = None) -> str:
    """The command that repeats a run."""
    options = {"name": name or None, **(asdict(training) if training else {})}
    given = [word for option, value in options.items() if value is not None for word in (f"--{option}", str(value))]
    quick = ["--quick"] if protocol.is_quick else []
    return shlex.join(["alquerque", "benchmark", *words, *given, *quick])
