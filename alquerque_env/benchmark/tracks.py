"""Measures an agent by version 2: by the exact values of whole games, and in matches against a ladder."""

import base64
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ..arena.exact_errors import KINDS, ExactErrors, draw_critical, summarise_choices
from ..arena.progress import Progress, Watch, unwatched
from ..errors import BenchmarkError
from ..game.game import Game, load_text
from ..match.match import Match
from ..solve.tables import EndgameTable
from ..solve.tables.whole import whole_command, whole_table
from .agents.ask import AgentError
from .agents.fault_count import CheckedPlayer
from .ladder import Ladder, find_ladder, read_ladder
from .protocol import ExactPlan, Protocol

_AT_ONCE = 512


class Entry(NamedTuple):
    """What is measured in a game with some options."""

    game: Game
    is_exact: bool  # whether choices are compared with exact values
    ladder: Ladder | None  # None if no matches are played

    @property
    def missing(self) -> str | None:
        """What to do about a table that has not been built; None if no table is missing."""
        if not self.is_exact or whole_table(self.game) is not None:
            return None
        name = " ".join([self.game.name, *self.game.option_texts])
        return f"there is no table of {name}: build it with {whole_command(self.game)}"

    @property
    def table(self) -> EndgameTable | None:
        """The table of the whole game, None if choices are not compared with it; `BenchmarkError` if it is missing."""
        if self.missing is not None:
            raise BenchmarkError(self.missing)
        return whole_table(self.game) if self.is_exact else None


@dataclass(frozen=True)
class ExactTrack:
    """The choices of an agent in critical positions of a whole game."""

    table: str  # hash of the values of the table
    sample: str  # SHA-256 of the positions
    uniform: ExactErrors
    natural: ExactErrors
    choices: str = ""  # in all positions, see `pack_choices`; results of before have none


def find_entries(
    names: Sequence[str], protocol: Protocol, without_table: Literal["left out", "if alone", "kept"]
) -> dict[str, Entry]:
    """What is measured in some games, by name of the setting.

    Settings whose table has not been built are left out, kept, or kept if no setting of their game has a table.
    """
    plan = _plan(protocol)
    found: dict[str, Entry] = {}
    for name in names:
        where = find_ladder(protocol, name)
        if where is not None:
            game = load_text(name)
            found[name] = Entry(game, False, read_ladder(where, game))
        settings = {each.name: load_text(name, **each.options) for each in plan.settings if each.game == name}
        built = {setting for setting, game in settings.items() if whole_table(game) is not None}
        keeps_all = without_table == "kept" or (without_table == "if alone" and not built)
        for setting, game in settings.items():
            if keeps_all or setting in built:
                found[setting] = Entry(game, True, found[name].ladder if setting in found else None)
    if not found:
        raise BenchmarkError("there is nothing to measure: none of the tables has been built")
    return found


def ask_in_critical_positions(
    agent: CheckedPlayer, table: EndgameTable, protocol: Protocol, watch: Watch = unwatched
) -> tuple[ExactTrack, list[float]]:
    """Compares an agent's choices with exact values; returns also the seconds of its answers."""
    drawn, sample = draw_positions(table, protocol)
    errors: dict[str, ExactErrors] = {}
    choices, seconds = list[np.ndarray](), list[float]()
    asked = sum(len(states) for states, _ in drawn.values())
    for kind, (states, values) in drawn.items():
        chosen = np.full(len(states), -1, np.int64)
        for first in range(0, len(states), _AT_ONCE):
            watch(Progress("positions", sum(len(each) for each in choices) + first, asked))
            matches = Match.of_engine(table.game, states[first : first + _AT_ONCE])
            for place, answer in enumerate(agent.ask_many(matches), start=first):
                if not isinstance(answer, AgentError):
                    chosen[place] = answer.step.action
                    seconds.append(answer.seconds)
        errors[kind] = summarise_choices(values, chosen, _plan(protocol).seed)
        choices.append(chosen)
    packed = pack_choices(np.concatenate(choices))
    return ExactTrack(table.digest, sample, **errors, choices=packed), seconds


def pack_choices(chosen: np.ndarray) -> str:
    """Actions, -1 for a fault, as the file of a result has them: all low bytes, then all high ones, by zlib, base64."""
    planes = chosen.astype("<i2").view(np.uint8).reshape(-1, 2).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def unpack_choices(text: str, count: int) -> np.ndarray | None:
    """So many actions, int64 `[count]`, from the text of `pack_choices`; None if it has others."""
    try:
        unpacker = zlib.decompressobj()
        found = np.frombuffer(unpacker.decompress(base64.b64decode(text, validate=True), 2 * count + 1), np.uint8)
        return np.ascontiguousarray(found.reshape(2, count).T).view("<i2")[:, 0].astype(np.int64)
    except (ValueError, zlib.error):
        return None


def draw_positions(table: EndgameTable, protocol: Protocol) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], str]:
    """The critical positions of each kind, with values, see `draw_critical`; and their SHA-256."""
    count = protocol.quick.positions if protocol.is_quick else _plan(protocol).positions
    drawn = {kind: draw_critical(table, count, kind, _plan(protocol).seed) for kind in KINDS}
    sample = b"".join(states.astype("<i8").tobytes() for states, _ in drawn.values())
    return drawn, hashlib.sha256(sample).hexdigest()


def _plan(protocol: Protocol) -> ExactPlan:
    assert protocol.exact is not None
    return protocol.exact
