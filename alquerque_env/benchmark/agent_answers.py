"""What an agent answered: its choices in positions and puzzles, best responses to it, and the points of its matches.

The file of a result holds these answers and nothing that follows from them: its figures are computed from it.
"""

import base64
import time
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np

from ..arena import play_arena
from ..arena.arena_result import ANCHOR
from ..arena.exact_errors import ExactErrors, find_chance, find_losses, summarise_losses
from ..arena.exploit.best_response import best_response
from ..arena.openings import Openings
from ..arena.ratings import rate
from ..arena.schedule import derive_seed
from ..arena.score import Estimate, Meeting, Score, estimate_share
from ..errors import BotError
from ..files.schema import Key
from ..game.step import Step
from ..match.match import Match
from ..progress import Progress, Watch, unwatched
from ..solve.tables import EndgameTable
from ..solve.tables.whole import value_of_start
from .agents.ask import AgentError, CheckedPlayer
from .entry import Entry
from .protocol import Ladder, Protocol, arena_settings

_AT_ONCE = 512
_FAULT = -1  # in place of an action


@dataclass(frozen=True)
class Choices:
    """The choices in the critical positions of a kind."""

    sample: str  # SHA-256 of the positions
    actions: str  # the action chosen in each, packed; -1 for a fault
    losses: str  # the value that each choice lost, packed; as the table says
    chance: float  # share of random steps that lose value, as the table says


@dataclass(frozen=True)
class PuzzleChoices:
    """The choices in the puzzles of a game."""

    sha256: str  # of the file of the puzzles
    actions: str  # the action chosen at each turn that has a choice, packed
    solved: str  # `+` or `-` for each puzzle, as the file says


@dataclass(frozen=True)
class Response:
    """What the best response to an agent in a seat achieves."""

    seat: int
    kept: bool | None  # whether the agent gets what the start is worth against any play, None if that is not known
    complete: bool  # whether the search came to its end
    positions: Annotated[int, Key(low=1)]  # found by the search
    line: tuple[str, ...]  # steps by which it gets less, empty if none were found


def pack(numbers: np.ndarray) -> str:
    """Numbers of 16 bits as text: all low bytes, then all high ones, by zlib and base64."""
    planes = numbers.astype("<i2").view(np.uint8).reshape(-1, 2).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def unpack(text: str, most: int = 100_000) -> np.ndarray:
    """The numbers in the text of `pack`, int64 `[N]`; raises `ValueError` if it has no numbers or more than `most`."""
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), 2 * most + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(data) % 2 or len(data) > 2 * most:
        raise ValueError(f"expected at most {most} numbers of 16 bits")
    planes = np.frombuffer(data, np.uint8).reshape(2, -1)
    return np.ascontiguousarray(planes.T).view("<i2")[:, 0].astype(np.int64)


def choose_in_positions(
    agent: CheckedPlayer, entry: Entry, protocol: Protocol, watch: Watch = unwatched
) -> tuple[dict[str, Choices], list[float]]:
    """Asks an agent in the critical positions of each kind; returns also the seconds of its answers."""
    samples = {kind: entry.sample(kind, protocol) for kind in entry.kinds}
    count = sum(len(sample.states) for sample in samples.values())
    found, seconds, done = dict[str, Choices](), list[float](), 0
    for kind, sample in samples.items():
        chosen = []
        for first in range(0, len(sample.states), _AT_ONCE):
            watch(Progress("positions judged", done, count))
            matches = Match.of_engine(entry.game, sample.states[first : first + _AT_ONCE])
            for answer in agent.ask_many(matches):
                if isinstance(answer, AgentError):
                    chosen.append(_FAULT)
                else:
                    chosen.append(answer.step.action)
                    seconds.append(answer.seconds)
            done += len(matches)
        found[kind] = judge_choices(sample.values, sample.sha256, np.array(chosen, np.int64))
    return found, seconds


def judge_choices(values: np.ndarray, sample: str, chosen: np.ndarray) -> Choices:
    """The choices in positions whose actions have some values, with what they lose."""
    return Choices(sample, pack(chosen), pack(find_losses(values, chosen)), find_chance(values))


def choose_in_puzzles(agent: CheckedPlayer, entry: Entry, watch: Watch = unwatched) -> PuzzleChoices | None:
    """Asks an agent in the puzzles of a game; None if it has none."""
    sha256 = entry.puzzles_sha256
    if sha256 is None:
        return None
    questions = entry.questions()
    chosen = []
    for first in range(0, len(questions), _AT_ONCE):
        watch(Progress("positions judged", first, len(questions)))
        answers = agent.ask_many([each.match for each in questions[first : first + _AT_ONCE]])
        chosen += [_FAULT if isinstance(answer, AgentError) else answer.step.action for answer in answers]
    actions = np.array(chosen, np.int64)
    return PuzzleChoices(sha256, pack(actions), judge_puzzles(entry, actions))


def judge_puzzles(entry: Entry, chosen: np.ndarray) -> str:
    """Which puzzles are solved by some actions: each of them must be the one that wins."""
    questions = entry.questions()
    solved = ["+"] * (questions[-1].puzzle + 1)
    for question, action in zip(questions, chosen, strict=True):
        if not any(step.action == action and step.text == question.solution for step in question.match.legal_steps):
            solved[question.puzzle] = "-"
    return "".join(solved)


class _AskedAnew:
    """An agent that answers a question again instead of remembering what it has answered."""

    name = "agent"

    def __init__(self, agent: CheckedPlayer) -> None:
        self._agent = agent

    def choose(self, match: Match) -> Step:
        """Chooses a step; raises `AgentError` if the agent did not choose a legal one in time."""
        found = self._agent.ask(match)
        if isinstance(found, AgentError):
            raise found
        return found.step


def find_responses(
    spec: str, player: CheckedPlayer, table: EndgameTable, seconds: float, *, is_function: bool
) -> tuple[Response, ...] | None:
    """The best response for each seat that has something to keep; None to an agent that fails or chooses at random.

    The search in a seat stops after so many seconds: of processor time, so that other work of the machine changes
    nothing, or by the clock if the agent plays in another process.
    """
    clock = time.monotonic if is_function else time.process_time
    asked = _AskedAnew(player) if is_function else spec  # bots are loaded anew
    responses = []
    for seat in seats_to_keep(table):
        began = clock()

        def is_late(began: float = began) -> bool:
            return clock() - began >= seconds

        try:
            [found] = best_response(asked, table.game, seat=seat, table=table, stop=is_late)
        except BotError:  # it does not choose alike when asked again
            return None
        responses.append(Response(seat, found.kept, found.complete, found.positions, found.line))
    return tuple(responses)


def seats_to_keep(table: EndgameTable) -> tuple[int, ...]:
    """The seats that have something to keep in a whole game."""
    winner = value_of_start(table).winner
    return (winner,) if isinstance(winner, int) else (0, 1)


def play_ladder(
    agent: CheckedPlayer, spec: str, entry: Entry, ladder: Ladder, protocol: Protocol, watch: Watch = unwatched
) -> dict[str, str]:
    """The points against every opponent, see `Meeting.signs`; none of an agent that is an opponent itself."""
    if spec in ladder.rungs:
        return {}
    openings = Openings(ladder.openings.list[: protocol.games // 2], ladder.openings.tried)
    settings = arena_settings(protocol, gauntlet=True)
    result = play_arena(entry.game, [agent, *ladder.rungs], settings, openings=openings, watch=watch)
    return {pairing.second: pairing.signs for pairing in result.pairings}


@dataclass(frozen=True)
class Rung:
    """The matches of an agent against one opponent."""

    meeting: Meeting  # seen from the agent
    rating: Estimate  # of the opponent, in Elo points
    score: Estimate  # the agent's share of points


@dataclass(frozen=True)
class Opponents:
    """The matches of an agent against the ladder."""

    rating: Estimate  # in Elo points, `random` = 0
    rungs: tuple[Rung, ...]  # in the order of the ladder

    @property
    def seats(self) -> tuple[Score, Score]:
        """The results against all opponents as `player_0` and as `player_1`."""
        nothing = Score(0, 0, 0)
        first, second = (sum((rung.meeting.seats[seat] for rung in self.rungs), nothing) for seat in (0, 1))
        return first, second

    @property
    def total(self) -> Score:
        """The results against all opponents."""
        return self.seats[0] + self.seats[1]


def exact_errors(choices: Choices, protocol: Protocol) -> ExactErrors:
    """The errors of choices in critical positions."""
    return summarise_losses(unpack(choices.losses), choices.chance, protocol.exact.seed)


def solved_share(choices: PuzzleChoices) -> Estimate:
    """The share of puzzles that are solved."""
    return estimate_share(choices.solved.count("+"), len(choices.solved))


def rate_agent(spec: str, matches: dict[str, str], ladder: Ladder, protocol: Protocol) -> Opponents:
    """Rates an agent by its matches, see `play_ladder`, and those of the opponents against each other."""
    return _rate(spec, tuple(matches.items()), ladder, protocol.seed, protocol.resamples)


@lru_cache(maxsize=64)  # those of agents that are opponents are asked for one after the other
def _rate(spec: str, matches: tuple[tuple[str, str], ...], ladder: Ladder, seed: int, resamples: int) -> Opponents:
    played = tuple(Meeting.read(spec, name, signs) for name, signs in matches)
    ratings, scores = _fit((*ladder.meetings, *played), seed, resamples)
    found = {}
    for meeting, score in zip((*ladder.meetings, *played), scores, strict=True):
        if spec in (meeting.first, meeting.second):
            own = meeting.seen_from(spec)
            seen = score if own is meeting else Estimate(1 - score.value, 1 - score.high, 1 - score.low)
            found[own.second] = Rung(own, ratings[own.second], seen)
    return Opponents(ratings[spec], tuple(found[name] for name in ladder.rungs if name != spec))


@lru_cache(maxsize=16)
def _fit(meetings: tuple[Meeting, ...], seed: int, resamples: int) -> tuple[dict[str, Estimate], list[Estimate]]:
    return rate(meetings, ANCHOR, derive_seed(seed, "ratings"), resamples)
