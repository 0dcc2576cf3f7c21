"""Runs the benchmark: measures an agent game by game."""

import functools
import platform
import shlex
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from typing import Any

from .. import __version__
from ..arena.in_order import in_order
from ..arena.progress import Progress, Watch, unwatched
from ..bots.packed import PackedBot
from ..errors import AlquerqueError, BenchmarkError, require
from ..game.game import Game, load_text
from ..processors import count_processors
from .against_ladder import play_ladder
from .against_truth import ask_all, summarise
from .agent_facts import Facts, Training
from .agent_result import Faults, GameResult, Result, TrackedResult, TrackResult, time_of
from .agents.agent import Agent, choose_games, find_agent, open_packed, pack_agent
from .agents.ask import CRASH, ILLEGAL, OVER_TIME, Player
from .agents.fault_count import CheckedPlayer
from .calibration import calibrate
from .ladder import Ladder, read_ladder
from .partial_result import PartialResults
from .protocol import CURRENT, Protocol
from .puzzle_track import solve_puzzles
from .response import find_responses
from .suite import Suite, read_suite
from .tracks import Entry, ask_in_critical_positions, find_entries

Files = tuple[Game, Suite, Ladder] | Entry
"""The game and what is measured in it."""


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

    Returns:
      The figures of the agent in each game.

    Raises:
      AlquerqueError: If the agent or a game does not exist, the agent does not play a game or fails wherever it is
        asked for a choice, `training` is given for one that is no function, or the package's files are damaged. With an
        executor, also if the agent is a function or an engine.
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
            machine=f"{platform.system()} {platform.machine()}, {count_processors()} processors",
            command=command or format_command([agent.spec, *names], protocol, name, training),
            name=name or agent.spec,
            spec=agent.spec,
            facts=facts,
            games={},
        )
        if protocol.exact is not None:
            result = TrackedResult(**vars(result))
        done = partial.games(result)
        # All games are opened first, so that a game that cannot be played stops the run at once.
        files = _find_files(chosen, protocol, are_asked_for=bool(names))
        opened = _open(agent, {game: found for game, found in files.items() if game not in done})
        with closing(_measure_all(agent, opened, protocol, watch, executor)) as measured:
            for game in [game for game in files if game in done or game in opened]:
                games: dict[str, Any] = {**result.games, game: done.get(game) or next(measured)}
                result = replace(result, games=games)
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
    opened: Mapping[str, tuple[Files, Player]],
    protocol: Protocol,
    watch: Watch,
    executor: Executor | None,
) -> Generator[GameResult | TrackResult, None, None]:
    """Measures an agent in games, in order."""
    if executor is None:
        for files, player in opened.values():
            yield _measure(agent.spec, files, player, protocol, watch)
        return
    measure = functools.partial(_measure_packed, pack_agent(agent.spec), protocol)
    with closing(in_order(executor, measure, [files for files, _ in opened.values()])) as measured:
        for number, (files, result) in enumerate(measured, start=1):
            yield result
            watch(Progress("games", number, len(opened), files[0].name))


def _measure_packed(bot: PackedBot, protocol: Protocol, files: Files) -> GameResult | TrackResult:
    with open_packed(bot, files[0], protocol) as player:
        return _measure(bot.spec, files, player, protocol, unwatched)


def _find_files(names: Sequence[str], protocol: Protocol, *, are_asked_for: bool) -> Mapping[str, Files]:
    """What is measured in each game, or by version 2 in each setting of the games."""
    if protocol.exact is not None:
        return find_entries(names, protocol, "if alone" if are_asked_for else "left out")
    games = {name: load_text(name) for name in names}
    return {name: (game, read_suite(protocol, game), read_ladder(protocol, game)) for name, game in games.items()}


def _open(agent: Agent, files: Mapping[str, Files]) -> dict[str, tuple[Files, Player]]:
    """A player of each game, without those of other options that the agent does not play."""
    opened: dict[str, tuple[Files, Player]] = {}
    for name, found in files.items():
        _ = found.table if isinstance(found, Entry) else None  # a missing table stops the run at once
        try:
            opened[name] = found, agent.open(found[0])
        except AlquerqueError:
            if not found[0].chosen_options:
                raise
    return opened


def _measure(spec: str, files: Files, player: Player, protocol: Protocol, watch: Watch) -> GameResult | TrackResult:
    game = files[0]

    def watch_here(progress: Progress) -> None:
        watch(replace(progress, about=game.name))

    checked = CheckedPlayer(player, protocol.limits)
    if isinstance(files, Entry):
        return _measure_tracks(spec, files, checked, protocol, watch_here)
    _, suite, ladder = files
    positions = suite.sample(protocol.quick.positions) if protocol.is_quick else suite.positions
    decisions = ask_all(checked, game, positions, watch_here)
    checked.check_answered(spec)
    opponents = play_ladder(checked, spec, game, ladder, protocol, watch_here)
    return GameResult(
        suite=suite.sha256,
        ladder=ladder.sha256,
        truth=summarise(decisions, protocol, has_roles=game.has_roles),
        calibration=calibrate(decisions),
        opponents=opponents,
        timing=time_of([decision.seconds for decision in decisions if decision.seconds is not None]),
        faults=_faults_of(checked),
    )


def _measure_tracks(spec: str, entry: Entry, checked: CheckedPlayer, protocol: Protocol, watch: Watch) -> TrackResult:
    exact, responses, puzzles, opponents = None, None, None, None
    seconds: list[float] = []
    spent: dict[str, float] = {}
    if (table := entry.table) is not None and protocol.exact is not None:
        with _timed(spent, "choices"):
            exact, seconds = ask_in_critical_positions(checked, table, protocol, watch)
        checked.check_answered(spec)
        if not protocol.is_quick:
            with _timed(spent, "best response"):
                responses = find_responses(spec, checked, table, protocol.exact.response_seconds)
    if not protocol.is_quick:
        with _timed(spent, "puzzles"):
            puzzles = solve_puzzles(checked, entry.game, watch)
    if entry.ladder is not None:
        with _timed(spent, "matches"):
            opponents = play_ladder(checked, spec, entry.game, entry.ladder, protocol, watch)
    ladder = None if entry.ladder is None else entry.ladder.sha256
    return TrackResult(exact, responses, ladder, opponents, time_of(seconds), _faults_of(checked), puzzles, spent)


@contextmanager
def _timed(spent: dict[str, float], track: str) -> Iterator[None]:
    """Notes the processor time of a track."""
    began = time.process_time()
    yield
    spent[track] = time.process_time() - began


def _faults_of(checked: CheckedPlayer) -> Faults:
    return Faults(
        illegal=checked.faults[ILLEGAL],
        crash=checked.faults[CRASH],
        over_time=checked.faults[OVER_TIME],
        first=checked.first_fault,
        gave_up=checked.has_given_up,
    )


def format_command(words: Sequence[str], protocol: Protocol, name: str | None, training: Training | None = None) -> str:
    """The command that repeats a run."""
    options = {"name": name or None, **(asdict(training) if training else {})}
    given = [
        word
        for option, value in options.items()
        if value is not None
        for word in (f"--{option.replace('_', '-')}", str(value))
    ]
    quick = ["--quick"] if protocol.is_quick else []
    version = [] if protocol.version == CURRENT else ["--protocol", protocol.version]
    return shlex.join(["alquerque", "benchmark", *words, *given, *version, *quick])
