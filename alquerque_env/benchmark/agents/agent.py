"""Finds agents by their specs: bots, checkpoints, exported players, UGI engines, and functions."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...arena.schedule import derive_seed
from ...bots import load_bot
from ...bots.load import find_bot
from ...bots.packed import PackedBot, pack_bot, unpacked_bot
from ...bots.spec import FORMS
from ...errors import AlquerqueError, BenchmarkError, UnknownNameError, shorten
from ...files.schema import show
from ...game.game import Game, games
from ...game.game_source import names_file
from ..agent_facts import Facts, find_checkpoint, find_exported_game, read_facts
from ..protocol import Protocol, load_protocol, versions
from ..suite import measured_games
from .ask import BotPlayer, Player
from .function import FunctionPlayer, FunctionProcess, is_function_spec


@dataclass(frozen=True)
class Agent:
    """What the benchmark measures.

    Attributes:
      spec: Its spec.
      facts: Its description.
      games: Ids of the games in which it can be measured.
      open: Makes a player of a game.
      close: Ends its process, if it has one.
    """

    spec: str
    facts: Facts
    games: tuple[str, ...]
    open: Callable[[Game], Player]
    close: Callable[[], None] = lambda: None


def find_agent(spec: str, protocol: Protocol) -> Agent:
    """Finds an agent by a spec for `load_bot`, or by `module:name` of a function, which is loaded at once."""
    checkpoint = find_checkpoint(spec)
    if is_function_spec(spec) and spec.partition(":")[0] not in FORMS and checkpoint is None:
        function = FunctionProcess(spec, protocol.limits)
        decision = protocol.limits.decision
        measured = measured_games(protocol)
        return Agent(
            spec, Facts("function"), measured, lambda _game: FunctionPlayer(function, decision), function.close
        )
    find_bot(spec)  # raises BotError early
    known, facts = (find_exported_game(spec), Facts(_kind_of(spec))) if checkpoint is None else read_facts(*checkpoint)

    # A search ends at the limit, and its decision counts as late.
    seconds = None if facts.kind == "engine" else protocol.limits.decision

    def open_bot(game: Game) -> Player:
        return BotPlayer(load_bot(spec, game, seed=_seed(protocol), time_limit=seconds, tables=False))

    return Agent(spec, facts, measured_games(protocol) if known is None else (known,), open_bot)


def pack_agent(spec: str) -> PackedBot:
    """Packs an agent for other machines, which need not have functions and engines."""
    if is_function_spec(spec) and spec.partition(":")[0] not in FORMS and find_checkpoint(spec) is None:
        raise AlquerqueError(
            f"{shorten(spec)!r} is a function, which other machines need not have: measure it on this one"
        )
    return pack_bot(spec)


@contextmanager
def open_packed(bot: PackedBot, game: Game, protocol: Protocol) -> Iterator[Player]:
    """Makes the player of a packed agent, during the context."""
    with unpacked_bot(bot, game, seed=_seed(protocol), time_limit=protocol.limits.decision) as found:
        yield BotPlayer(found)


def _seed(protocol: Protocol) -> int:
    return derive_seed(protocol.seed, "agent")


def choose_games(agent: Agent, wanted: Sequence[str], protocol: Protocol) -> tuple[str, ...]:
    """The wanted games, or all games of the agent if none is named; refuses those that cannot be measured."""
    measured = measured_games(protocol)
    for name in wanted or agent.games:
        if name not in games() and (not wanted or names_file(name)):
            raise BenchmarkError(
                f"the benchmark has positions and opponents for games of the package only, not for {show(name)}: see "
                "`alquerque arena`"
            )
        if name in games() and name not in measured:
            others = [each for each in versions() if name in measured_games(load_protocol(each))]
            instead = f"but --protocol {others[-1]} does" if others else f"expected one of {', '.join(measured)}"
            raise BenchmarkError(f"benchmark {protocol.version} does not measure {name}, {instead}")
    for name in wanted:
        if name not in games():
            raise UnknownNameError("game", name, games())
        if name not in agent.games:
            raise UnknownNameError("game", name, agent.games, of=agent.spec)
    return tuple(dict.fromkeys(wanted)) or agent.games


def _kind_of(spec: str) -> Literal["engine", "exported", "bot"]:
    if spec.startswith("ugi:"):
        return "engine"
    path, _, _ = spec.rpartition(":")
    return "exported" if Path(spec).suffix == ".py" or Path(path).suffix == ".py" else "bot"
