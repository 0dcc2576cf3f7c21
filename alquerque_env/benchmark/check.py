"""Checks a result that somebody else has measured: its answers against tables, puzzles, ladders and the rules.

The file of a result holds answers, from which all figures are computed. What the file says that they lose is computed
again. Answers that the agent does not give are found only by asking it again.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ..arena.arena_result import round_numbers
from ..arena.exact_errors import ILLEGAL
from ..arena.exploit.walk import gets_at_end
from ..arena.score import Meeting
from ..bots.spec import CHECKPOINT, parse_spec
from ..errors import AlquerqueError, BenchmarkError, UnknownNameError, require
from ..files.schema import show
from ..match.match import Match
from ..progress import Watch, unwatched
from ..solve.tables import EndgameTable
from .agent_answers import (
    Choices,
    Response,
    choose_in_positions,
    choose_in_puzzles,
    exact_errors,
    find_responses,
    judge_choices,
    judge_puzzles,
    seats_to_keep,
    unpack,
)
from .agent_result import GameResult, Result, read_file, round_number
from .agents.agent import Agent, find_agent
from .agents.ask import CheckedPlayer
from .agents.facts import read_facts
from .entry import Entry, entries_of
from .protocol import Protocol

_COMMAND = ["alquerque", "benchmark"]
_FLIPPED = 0.001  # share of choices that may differ on a machine that rounds sums otherwise
_GIVE_POLICY = "random", "greedy", "features"  # the bots that give the probabilities of their steps


def check_file(path: Path, protocol: Protocol, note: Callable[[str], object] = lambda _: None) -> list[Result]:
    """Checks the results in a file.

    Args:
      path: The file.
      protocol: The protocol by which they were measured.
      note: Is called with a sentence for each setting whose table is missing. Its choices are not checked.

    Returns:
      The results.

    Raises:
      BenchmarkError: If the file is no result of the protocol, or its answers are impossible or judged wrongly.
      OSError: If it cannot be read.
    """
    results = read_file(path)
    for result in results:
        for error in _find_errors(result, protocol, note):
            raise BenchmarkError(f"{str(path)!r}: {result.name}: {error}")
    return results


def check_choices(
    result: Result, spec: str, names: Sequence[str], protocol: Protocol, watch: Watch = unwatched
) -> dict[str, str]:
    """Asks an agent again in all positions of a result that `check_file` has accepted.

    An agent that draws its steps without a seed may choose otherwise within the intervals of the result. `names` are
    games or settings as the result names them; if there are none, all that can be asked again are.

    Returns:
      For each name what the agent did, such as "makes the same choices again".

    Raises:
      UnknownNameError: If the result does not have a name.
      BenchmarkError: If the agent has other weights, chooses otherwise, or is beaten where the result says that it is
        not; or the table of a setting in `names` is missing.
    """
    for name in names:
        if name not in result.games:
            raise UnknownNameError("game", name, result.games, of=f"the result of {result.name}")
    require("choix", "arena")
    agent = find_agent(spec, protocol)
    found: dict[str, str] = {}
    try:
        if agent.facts.weights != result.facts.weights:
            raise BenchmarkError(f"{spec!r} has other weights than the result of {result.name}")
        entries = entries_of(result.games, protocol)
        for name in dict.fromkeys(names or result.games):
            missing = entries[name].missing
            if missing is not None and names:
                raise BenchmarkError(missing)
            if missing is not None:
                found[name] = f"was not asked again: {missing}"
            else:
                found[name] = _ask_again(agent, name, entries[name], result.games[name], protocol, watch)
    finally:
        agent.close()
    return found


def _ask_again(agent: Agent, name: str, entry: Entry, told: GameResult, protocol: Protocol, watch: Watch) -> str:
    """Compares an agent's choices, and what the best response to it achieves, with a result."""
    player, now, puzzles = _choose(agent, entry, protocol, watch)
    pairs = [(now[kind].actions, told.choices[kind].actions) for kind in entry.kinds]
    pairs += [(puzzles.actions, told.puzzles.actions)] if puzzles and told.puzzles else []
    if not pairs:
        return "was not asked again: there are no exact values"
    changed, asked = 0, 0
    for text, before in pairs:
        chosen = unpack(text)
        changed += int(np.count_nonzero(chosen != unpack(before)))
        asked += len(chosen)
    wrong = {
        kind: (exact_errors(now[kind], protocol).wrong, exact_errors(told.choices[kind], protocol).wrong)
        for kind in entry.kinds
    }
    shares = " and ".join(f"in {a.value:.2%} of {kind} ones, {b.value:.2%} before" for kind, (a, b) in wrong.items())
    otherwise = f"chooses otherwise in {changed:,} of {asked:,} positions" + (f": wrong {shares}" if shares else "")
    if changed > _FLIPPED * asked:
        # A bot begins again with its seed; a function goes on, and shows whether it draws its steps.
        _, again, _ = _choose(agent, entry, protocol, watch)
        if again == now or any(a.low > b.high or b.low > a.high for a, b in wrong.values()):
            raise BenchmarkError(f"{name}: {agent.spec} {otherwise}")
        return f"{otherwise}; it draws at random"
    responses: Sequence[Response] = ()
    if told.responses:
        seconds = protocol.exact.response_seconds
        responses = find_responses(agent.spec, player, entry.table, seconds, is_function=agent.is_function) or ()
    for old, new in zip(told.responses or (), responses, strict=False):
        if None not in (old.kept, new.kept) and old.kept != new.kept:
            does = "keeps" if new.kept else "does not keep"
            raise BenchmarkError(f"{name}: {agent.spec} {does} what the start is worth in seat {new.seat}")
    return otherwise if changed else "makes the same choices again"


def _choose(agent: Agent, entry: Entry, protocol: Protocol, watch: Watch) -> Any:
    """A new player of an agent, and its choices in positions and puzzles."""
    player = CheckedPlayer(agent.open(entry.game), protocol.limits)
    choices, _ = choose_in_positions(player, entry, protocol, watch)
    return player, choices, choose_in_puzzles(player, entry, watch)


def _find_errors(result: Result, protocol: Protocol, note: Callable[[str], object]) -> Iterator[str]:
    """What is wrong with a result, in sentences. Each takes for granted what those before it have checked."""
    if result.benchmark != protocol.version:
        yield f"is of benchmark {result.benchmark}, expected {protocol.version}"
    if result.quick:
        yield "is a quick run, whose figures are not comparable"
    yield from _fact_errors(result)
    try:
        entries = entries_of(result.games, protocol)
    except BenchmarkError as error:
        yield str(error)
        return
    for name, found in result.games.items():
        yield from (f"{name}: {error}" for error in _game_errors(result, found, entries[name], protocol))
        if entries[name].missing is not None:
            note(f"{name}: the choices are not checked: {entries[name].missing}")


def _fact_errors(result: Result) -> Iterator[str]:
    """A command that does not repeat a result, and facts that its agent cannot have."""
    try:
        words = shlex.split(result.command)
    except ValueError:
        words = []
    is_run = words[2:3] == ["curve"] or words[2:4] == ["run", result.spec]
    if words[:2] != _COMMAND or not is_run or shlex.join(words) != result.command:
        yield f"command is {show(result.command)}, expected {' '.join(_COMMAND)} run {result.spec}"
    told = {name: value for name, value in asdict(result.facts).items() if value is not None}
    known: dict[str, Any] = told
    spec = parse_spec(result.spec)
    if spec.kind == CHECKPOINT and spec.files:
        facts = read_facts(spec)[1]
        known = round_numbers(asdict(facts), round_number) if facts.weights == result.facts.weights else told
    elif result.facts.kind in ("bot", "exported", "engine"):
        known = {"kind": result.facts.kind}
    for name, value in round_numbers(told, round_number).items():
        if known.get(name) != value:
            yield f"facts.{name} is {show(value)}, expected {show(known.get(name))}"


def _game_errors(result: Result, found: GameResult, entry: Entry, protocol: Protocol) -> Iterator[str]:
    if tuple(found.choices) != entry.kinds:
        yield f"choices are of {', '.join(found.choices) or 'nothing'}, expected {', '.join(entry.kinds) or 'nothing'}"
    if found.responses is not None and not entry.is_whole:
        yield "responses should not be there"
    if found.responses is None and entry.is_whole and result.facts.kind in ("bot", "checkpoint"):
        yield "responses should be there: a bot chooses alike when it is asked again"
    if not entry.kinds and (found.table is not None or found.timing is not None):
        yield "table and timing should not be there without choices"
    if entry.kinds and entry.missing is None:
        if found.table != entry.table.digest:
            yield f"table is {show(found.table)}, expected {entry.table.digest[:12]}…"
        for kind, choices in found.choices.items():
            yield from (f"choices.{kind}: {error}" for error in _choice_errors(choices, entry, kind, protocol))
        if found.responses is not None:
            yield from _response_errors(found.responses, result.spec, entry.table)
    yield from _puzzle_errors(found, entry)
    yield from _match_errors(result.spec, found, entry, protocol)
    whole = ["best response"] * entry.is_whole
    wanted = [*["choices"] * bool(entry.kinds), *whole, "puzzles", *["matches"] * (entry.ladder is not None)]
    if [*found.processor_seconds] != wanted:
        yield f"processor_seconds are of {', '.join(found.processor_seconds)}, expected {', '.join(wanted)}"
    yield from _fault_errors(found, protocol)


def _choice_errors(choices: Choices, entry: Entry, kind: str, protocol: Protocol) -> Iterator[str]:
    sample = entry.sample(kind, protocol)
    if choices.sample != sample.sha256:
        yield f"sample is {choices.sample[:12]}…, expected {sample.sha256[:12]}…"
    values, chosen = sample.values, unpack(choices.actions)
    if (
        len(chosen) != len(values)
        or chosen.max() >= values.shape[1]
        or (values[np.arange(len(values)), chosen][chosen >= 0] == ILLEGAL).any()
    ):
        yield f"actions are not legal ones in {len(values)} positions"
        return
    judged = judge_choices(values, sample.sha256, chosen)
    if not np.array_equal(unpack(choices.losses), unpack(judged.losses)):
        yield "losses are not those of the actions"
    if choices.chance != round_number(judged.chance):
        yield f"chance is {choices.chance}, expected {round_number(judged.chance)}"


def _response_errors(found: Sequence[Response], spec: str, table: EndgameTable) -> Iterator[str]:
    """What is wrong with the best responses to an agent. Their lines are played again."""
    seats, limit = seats_to_keep(table), table.game.rules.no_progress_limit
    if (told := tuple(each.seat for each in found)) != seats:
        yield f"responses are of the seats {told}, expected {seats}"
        return
    needed, most = int(len(seats) == 1), table.index.size * (1 if limit == "off" else limit + 1)
    for each in found:
        where = f"responses: seat {each.seat}"
        match = Match(table.game)
        try:
            for step in each.line:
                match.push(step)
        except AlquerqueError as error:
            yield f"{where} has a line that cannot be played: {error}"
            return
        if each.line and (not match.is_over or gets_at_end(match, each.seat) >= needed):
            yield f"{where} has a line that does not end with less for it than the start is worth"
        # An agent that draws its steps may make up for a lost line of a drawn game by others.
        is_open = not each.complete and (not each.line or (spec.partition(":")[0] in _GIVE_POLICY and not needed))
        kept = None if is_open else not each.line
        if each.kept is not kept:
            line = "a line" if each.line else "no line"
            yield f"{where} has kept {each.kept}, complete {each.complete} and {line}, so kept should be {kept}"
        if each.positions > most:
            yield f"{where} has {each.positions} positions, expected at most {most}"


def _puzzle_errors(found: GameResult, entry: Entry) -> Iterator[str]:
    sha256 = entry.puzzles_sha256
    if (found.puzzles is None) != (sha256 is None):
        yield f"puzzles should {'not ' if sha256 is None else ''}be there"
    if found.puzzles is None or sha256 is None:
        return
    if found.puzzles.sha256 != sha256:
        yield f"puzzles have SHA-256 {found.puzzles.sha256[:12]}…, expected {sha256[:12]}…"
        return
    count, chosen = len(entry.questions()), unpack(found.puzzles.actions)
    if len(chosen) != count:
        yield f"puzzles.actions are {len(chosen)}, expected {count}"
    elif found.puzzles.solved != judge_puzzles(entry, chosen):
        yield "puzzles.solved are not those that the actions solve"


def _match_errors(spec: str, found: GameResult, entry: Entry, protocol: Protocol) -> Iterator[str]:
    if found.ladder != (None if entry.ladder is None else entry.ladder.sha256):
        yield f"ladder has SHA-256 {show(found.ladder)}, which is not that of the file"
    wanted = () if entry.ladder is None or spec in entry.ladder.rungs else entry.ladder.rungs
    if tuple(found.matches) != wanted:
        yield f"matches are against {', '.join(found.matches) or 'nobody'}, expected {', '.join(wanted) or 'nobody'}"
    for name, signs in found.matches.items():
        if (games := Meeting.read(spec, name, signs).total.games) != protocol.games:
            yield f"matches against {name} are {games}, expected {protocol.games}"


def _fault_errors(found: GameResult, protocol: Protocol) -> Iterator[str]:
    chosen = [unpack(choices.actions) for choices in found.choices.values()]
    answered = sum(int((actions >= 0).sum()) for actions in chosen)
    failed = sum(len(actions) for actions in chosen) - answered
    timed = found.timing.decisions if found.timing else 0
    if timed != answered or failed > found.faults.count:
        yield f"timing.decisions is {timed} of {answered + failed}, but there are {found.faults.count} faults"
    if (found.faults.first is None) != (found.faults.count == 0):
        yield f"faults.first is {found.faults.first!r}, but there are {found.faults.count} faults"
    if found.faults.gave_up and found.faults.count < protocol.limits.patience:
        yield f"faults.gave_up is true after {found.faults.count} faults, expected {protocol.limits.patience} or more"
    if found.timing and not found.timing.median <= found.timing.slow <= protocol.limits.decision:
        above = "above timing.slow" if found.timing.median > found.timing.slow else "or timing.slow above the limit"
        yield f"timing.median is {above}"
