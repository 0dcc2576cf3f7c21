"""Runs the benchmark: an agent against truth and against opponents, game by game."""

import os
import platform
import shlex
from collections.abc import Sequence
from dataclasses import replace

from .. import __version__
from ..arena.progress import Progress, Watch, unwatched
from ..errors import require
from ..game.game import load_game
from .against_ladder import climb
from .against_truth import examine, judge
from .agent_result import Faults, GameResult, Result, time_of
from .agents.agent import Agent, choose_games, find_agent
from .agents.ask import CRASH, ILLEGAL, OVER_TIME, Thinker
from .agents.fault_count import Guard
from .calibration import calibrate
from .ladder import Ladder, read_ladder
from .partial_result import Unfinished
from .protocol import Protocol
from .suite import Suite, read_suite


def run_benchmark(
    agent: str | Agent,
    names: Sequence[str],
    protocol: Protocol,
    *,
    name: str | None = None,
    command: str | None = None,
    watch: Watch = unwatched,
    unfinished: Unfinished | None = None,
) -> Result:
    """Measures an agent.

    Args:
      agent: A spec as `load_bot` takes it, `module:name` of a function from observation and mask to an action, or an
        agent, which is closed in the end. A function runs in a process of its own: a script that measures one does so
        under `if __name__ == "__main__":`.
      names: Ids of games; all that the agent may play if there are none.
      protocol: What is measured, and how.
      name: What to call the agent; its spec if None.
      command: What is noted as the command that repeats this; that of one agent if None.
      watch: Is told from time to time how far it is.
      unfinished: What an interrupted run has measured, and takes what this one does.

    Raises:
      AlquerqueError: If the agent or a game does not exist, the agent cannot play a game, or the package's data are
        not what they should be.
      MissingExtraError: If choix is not installed, or a bot needs packages that are not.
    """
    require("choix", "arena")
    agent = find_agent(agent, protocol) if isinstance(agent, str) else agent
    unfinished = unfinished or Unfinished()
    try:
        chosen = choose_games(agent, names)
        result = Result(
            benchmark=protocol.version,
            quick=protocol.is_quick,
            version=__version__,
            machine=_machine(),
            command=command or tell_command([agent.spec, *names], protocol, name),
            name=name or agent.spec,
            spec=agent.spec,
            facts=agent.facts,
            games={},
        )
        done = unfinished.games(result)
        # What cannot be played shall be refused before anything is.
        opened = {game: _open(agent, game, protocol) for game in chosen if game not in done}
        for game in chosen:
            found = done.get(game) or _measure(agent.spec, *opened[game], protocol, watch)
            result = replace(result, games={**result.games, game: found})
            unfinished.note(result)
    finally:
        agent.close()
    return result


def _open(agent: Agent, name: str, protocol: Protocol) -> tuple[Suite, Ladder, Thinker]:
    game = load_game(name)
    return read_suite(protocol, game), read_ladder(protocol, game), agent.open(game)


def _measure(spec: str, suite: Suite, ladder: Ladder, thinker: Thinker, protocol: Protocol, watch: Watch) -> GameResult:
    game = suite.game

    def watch_here(progress: Progress) -> None:
        watch(replace(progress, about=game.name))

    guard = Guard(thinker, protocol.limits)
    positions = suite.sample(protocol.quick.positions) if protocol.is_quick else suite.positions
    decisions = examine(guard, game, positions, watch_here)
    opponents = climb(guard, spec, game, ladder, protocol, watch_here)
    return GameResult(
        suite=suite.sha256,
        ladder=ladder.sha256,
        truth=judge(decisions, protocol),
        calibration=calibrate(decisions),
        opponents=opponents,
        timing=time_of([decision.seconds for decision in decisions if decision.seconds is not None]),
        faults=Faults(
            illegal=guard.faults[ILLEGAL],
            crash=guard.faults[CRASH],
            over_time=guard.faults[OVER_TIME],
            first=guard.first_fault,
            gave_up=guard.has_given_up,
        ),
    )


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"


def tell_command(words: Sequence[str], protocol: Protocol, name: str | None) -> str:
    """The command line that repeats a run."""
    named = ["--name", name] if name else []
    quick = ["--quick"] if protocol.is_quick else []
    return shlex.join(["alquerque", "benchmark", *words, *named, *quick])
