"""Runs the benchmark: measures an agent game by game, or each checkpoint of a training run.

What an interrupted run has found stands in a file beside the file of the final result.
"""

import functools
import json
import os
import platform
import shlex
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from .. import __version__
from ..arena.schedule import in_order
from ..bots.network.model_card import read_card
from ..bots.portable import PortableBot
from ..bots.shipped import META
from ..errors import LONGEST_PATH, AlquerqueError, BenchmarkError, require, shorten
from ..files.atomic import remove_partials, write_whole
from ..files.lock import locked_file
from ..processors import count_processors
from ..progress import Progress, Watch, unwatched
from .agent_answers import Choices, choose_in_positions, choose_in_puzzles, find_responses, play_ladder
from .agent_result import FORMAT, Faults, GameResult, Result, Timing, read_file
from .agents.agent import Agent, choose_games, find_agent, open_portable, pack_agent
from .agents.ask import CRASH, ILLEGAL, OVER_TIME, CheckedPlayer, Player
from .agents.facts import Facts, Training
from .entry import Entry, find_entries
from .protocol import Protocol

SUFFIX = ".unfinished"


class PartialResults(ExitStack):
    """The results of agents so far, game by game. A context that unlocks the file of the final result.

    Only whole games are kept, since an agent's decisions may depend on its earlier ones. Without an output nothing is.
    """

    def __init__(self, output: Path | None = None) -> None:
        super().__init__()
        self.path = None if output is None else output.with_name(f"{output.name}{SUFFIX}")
        self._results: dict[str, Result] = {}
        if output is None or self.path is None:
            return
        with ExitStack() as stack:
            stack.enter_context(locked_file(output))
            remove_partials(self.path.parent, self.path.name)
            if self.path.exists():
                self._results = {result.spec: result for result in read_file(self.path)}
            self.push(stack.pop_all())

    @property
    def count(self) -> int:
        """The number of games with a result, of all agents together."""
        return sum(len(result.games) for result in self._results.values())

    def games(self, result: Result) -> dict[str, GameResult]:
        """The results so far, by game, of the agent of a result that is still without games.

        Raises:
          BenchmarkError: If the agent was measured under other conditions.
        """
        found = self._results.get(result.spec)
        if found is None:
            return {}
        before, now = _conditions(found), _conditions(result)
        for name in now:
            if before[name] != now[name]:
                raise BenchmarkError(
                    f"{str(self.path)!r} holds results with {name} {before[name]!r}, not {now[name]!r}: "
                    "delete that file, or choose another for the result"
                )
        return found.games

    def note(self, result: Result) -> None:
        """Keeps the result of an agent so far."""
        self._results[result.spec] = result
        if self.path is not None:
            content = {"format": FORMAT, "results": [each.as_dict() for each in self._results.values()]}
            write_whole(self.path, json.dumps(content).encode())

    def remove(self) -> None:
        """Deletes the file, after the final result is written."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _conditions(result: Result) -> dict[str, Any]:
    content = result.as_dict()
    return {name: content[name] for name in ("benchmark", "quick", "version", "machine", "name", "facts")}


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
            command=command or format_command(["run", agent.spec, *names], protocol, name, training),
            name=name or agent.spec,
            spec=agent.spec,
            facts=facts,
            games={},
        )
        done = partial.games(result)
        # All games are opened first, so that a game that cannot be played stops the run at once.
        entries = find_entries(chosen, protocol, "if alone" if names else "left out")
        opened = _open(agent, {setting: entry for setting, entry in entries.items() if setting not in done})
        with closing(_measure_all(agent, opened, protocol, watch, executor)) as measured:
            for setting in [each for each in entries if each in done or each in opened]:
                result = replace(result, games={**result.games, setting: done.get(setting) or next(measured)})
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


def _open(agent: Agent, entries: Mapping[str, Entry]) -> dict[str, tuple[Entry, Player]]:
    """A player of each game, without those of other options that the agent does not play."""
    opened: dict[str, tuple[Entry, Player]] = {}
    for setting, entry in entries.items():
        if entry.missing is not None:
            raise BenchmarkError(entry.missing)
        try:
            opened[setting] = entry, agent.open(entry.game)
        except AlquerqueError:
            if not entry.game.chosen_options:
                raise
    return opened


def _measure_all(
    agent: Agent,
    opened: Mapping[str, tuple[Entry, Player]],
    protocol: Protocol,
    watch: Watch,
    executor: Executor | None,
) -> Generator[GameResult, None, None]:
    if executor is None:
        for entry, player in opened.values():
            yield _measure(agent.spec, entry, player, protocol, watch, is_function=agent.is_function)
        return
    measure = functools.partial(_measure_portable, pack_agent(agent), protocol)
    with closing(in_order(executor, measure, [entry for entry, _ in opened.values()])) as measured:
        for number, (entry, result) in enumerate(measured, start=1):
            yield result
            watch(Progress("games measured", number, len(opened), entry.game.name))


def _measure_portable(bot: PortableBot, protocol: Protocol, entry: Entry) -> GameResult:
    with open_portable(bot, entry.game, protocol) as player:
        return _measure(bot.spec, entry, player, protocol, unwatched, is_function=False)


def _measure(
    spec: str, entry: Entry, player: Player, protocol: Protocol, watch: Watch, *, is_function: bool
) -> GameResult:
    def watch_here(progress: Progress) -> None:
        watch(replace(progress, about=entry.game.name))

    checked = CheckedPlayer(player, protocol.limits)
    choices, seconds = dict[str, Choices](), list[float]()
    responses, puzzles, matches = None, None, dict[str, str]()
    spent: dict[str, float] = {}
    if entry.kinds:
        with _timed(spent, "choices"):
            choices, seconds = choose_in_positions(checked, entry, protocol, watch_here)
        checked.check_answered(spec)
    if entry.is_whole and not protocol.is_quick:
        with _timed(spent, "best response"):
            limit = protocol.exact.response_seconds
            responses = find_responses(spec, checked, entry.table, limit, is_function=is_function)
    if not protocol.is_quick:
        with _timed(spent, "puzzles"):
            puzzles = choose_in_puzzles(checked, entry, watch_here)
    if entry.ladder is not None:
        with _timed(spent, "matches"):
            matches = play_ladder(checked, spec, entry, entry.ladder, protocol, watch_here)
        checked.check_answered(spec)
    return GameResult(
        table=entry.table.digest if entry.kinds else None,
        choices=choices,
        responses=responses,
        puzzles=puzzles,
        ladder=None if entry.ladder is None else entry.ladder.sha256,
        matches=matches,
        timing=Timing.of(seconds),
        faults=Faults(
            illegal=checked.faults[ILLEGAL],
            crash=checked.faults[CRASH],
            over_time=checked.faults[OVER_TIME],
            first=checked.first_fault,
            gave_up=checked.has_given_up,
        ),
        processor_seconds=spent,
    )


@contextmanager
def _timed(spent: dict[str, float], track: str) -> Iterator[None]:
    began = time.process_time()
    yield
    spent[track] = time.process_time() - began


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
    return shlex.join(["alquerque", "benchmark", *words, *given, *quick])


CHECKPOINTS = "checkpoints"


def list_checkpoints(run: Path) -> list[tuple[int, Path]]:
    """The checkpoints of a run, ordered by their steps; the last written of those with equal steps."""
    by_steps: dict[int, Path] = {}
    cards = run.glob(f"{CHECKPOINTS}/[!.]*/{META}") if os.path.isdir(run) else ()
    for card in sorted(cards, key=lambda card: card.stat().st_mtime_ns):
        by_steps[read_card(card.parent).steps] = card.parent
    if not by_steps:
        raise BenchmarkError(f"{shorten(str(run), LONGEST_PATH)!r} is not a run with checkpoints")
    return sorted(by_steps.items())


def run_curve(
    run: str,
    protocol: Protocol,
    *,
    name: str | None = None,
    watch: Watch = unwatched,
    partial: PartialResults | None = None,
    executor: Executor | None = None,
) -> list[Result]:
    """Measures every checkpoint of a run.

    Args:
      run: Its folder, and optionally a colon and the number of simulations.
      protocol: The protocol.
      name: Name of the run in the results; the name of its folder if None.
      watch: Called now and then with the progress and the checkpoint.
      partial: Results of an interrupted run, to which this run adds its own.
      executor: As in `run_benchmark`.

    Returns:
      A result for each checkpoint, in the order of training.

    Raises:
      AlquerqueError, MissingExtraError: As `run_benchmark`.
    """
    folder, colon, simulations = run.rpartition(":")
    if not (colon and simulations.isdecimal()) or os.path.exists(run):
        folder, colon, simulations = run, "", ""
    called = name or f"{os.path.basename(os.path.realpath(folder))}{colon}{simulations}"
    command = format_command(["curve", run], protocol, name)
    results = []
    for steps, path in list_checkpoints(Path(folder)):

        def watch_here(progress: Progress, about: str = path.name) -> None:
            watch(replace(progress, about=about))

        spec, label = f"{path}{colon}{simulations}", f"{called}, {steps / 1e6:.3g} M steps"
        results.append(
            run_benchmark(
                spec, [], protocol, name=label, command=command, watch=watch_here, partial=partial, executor=executor
            )
        )
    return results


def curve_as_dict(run: str, results: Sequence[Result]) -> dict[str, Any]:
    """The results for JSON."""
    return {"format": FORMAT, "run": run, "results": [result.as_dict() for result in results]}
