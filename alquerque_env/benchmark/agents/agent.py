"""Finds agents by their specs: bots, checkpoints, exported players, UGI engines, and functions."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ...arena.schedule import derive_seed
from ...bots import load_bot
from ...bots.load import find_bot
from ...bots.portable import PortableBot, pack_bot, unpacked_bot
from ...bots.spec import FUNCTION, Spec, parse_spec
from ...errors import AlquerqueError, BenchmarkError, UnknownNameError, shorten
from ...files.schema import show
from ...game.game import Game, games
from ...game.game_file import names_file
from ..entry import measured_games
from ..protocol import Protocol
from .ask import BotPlayer, Player
from .facts import Facts, read_facts
from .function import FunctionProcess


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

    @property
    def is_function(self) -> bool:
        """Whether it is a function, which plays in a process of its own."""
        return self.facts.kind == "function"


def find_agent(text: str, protocol: Protocol) -> Agent:
    """Finds an agent by a spec for `load_bot`, or by `module:name` of a function, which is loaded at once."""
    spec = parse_spec(text)
    if spec.kind == FUNCTION:
        return _find_function(spec, protocol)
    find_bot(text)  # raises BotError early
    known, facts = read_facts(spec)
    # A search ends at the limit, and its decision counts as late.
    seconds = None if facts.kind == "engine" else protocol.limits.decision

    def open_bot(game: Game) -> Player:
        return BotPlayer(load_bot(text, game, seed=_seed(protocol), time_limit=seconds, tables=False))

    return Agent(text, facts, measured_games(protocol) if known is None else (known,), open_bot)


def _find_function(spec: Spec, protocol: Protocol) -> Agent:
    function = FunctionProcess(spec.text, protocol.limits)
    _, facts = read_facts(spec)
    return Agent(spec.text, facts, measured_games(protocol), lambda _game: function, function.close)


def pack_agent(agent: Agent) -> PortableBot:
    """Packs an agent for other machines, which need not have functions and engines."""
    if agent.is_function:
        raise AlquerqueError(
            f"{shorten(agent.spec)!r} is a function, which other machines need not have: measure it on this one"
        )
    return pack_bot(agent.spec)


@contextmanager
def open_portable(bot: PortableBot, game: Game, protocol: Protocol) -> Iterator[Player]:
    """Makes the player of a portable agent, during the context."""
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
            raise BenchmarkError(f"the benchmark does not measure {name}, expected one of {', '.join(measured)}")
    for name in wanted:
        if name not in games():
            raise UnknownNameError("game", name, games())
        if name not in agent.games:
            raise UnknownNameError("game", name, agent.games, of=agent.spec)
    return tuple(dict.fromkeys(wanted)) or agent.games
