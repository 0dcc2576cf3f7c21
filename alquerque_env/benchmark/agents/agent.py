"""Agents from their specs: bots of this package, checkpoints, exported players, engines, and functions of anybody's."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol as Interface

from ...arena.seeds import derive_seed
from ...bots import load_bot
from ...bots.load import KNOWN, find_bot
from ...errors import UnknownNameError
from ...game.game import Game, games
from ..agent_facts import Facts, find_checkpoint, read_exported_game, read_facts, read_game
from ..protocol import Protocol
from .ask import BotThinker, Thinker
from .function import FunctionProcess, FunctionThinker, is_function_spec


class Agent(Interface):
    """Whatever is measured.

    Attributes:
      spec: By which it was found.
      facts: What is known of it.
      games: Ids of the games that it may play.
    """

    spec: str
    facts: Facts
    games: tuple[str, ...]

    def open(self, game: Game) -> Thinker:
        """The agent as a player of a game."""

    def close(self) -> None:
        """Ends whatever runs beside it."""


class BotAgent:
    """What `load_bot` loads."""

    def __init__(self, spec: str, protocol: Protocol) -> None:
        find_bot(spec)  # refuses what is none
        self.spec = spec
        self._seed = derive_seed(protocol.seed, "agent")
        self._seconds = protocol.limits.decision
        checkpoint = find_checkpoint(spec)
        known = read_exported_game(spec) if checkpoint is None else read_game(checkpoint[0])
        self.games = games() if known is None else (known,)
        self.facts = Facts(_kind_of(spec)) if checkpoint is None else read_facts(*checkpoint)

    def open(self, game: Game) -> Thinker:
        """The bot as a player of a game; a search that would take longer than it may ends, and is late."""
        seconds = None if _kind_of(self.spec) == "engine" else self._seconds
        return BotThinker(load_bot(self.spec, game, seed=self._seed, time_limit=seconds, tables=False))

    def close(self) -> None:
        """There is nothing to end."""


class FunctionAgent:
    """A function `module:name` from an observation and a mask to an action."""

    facts = Facts("function")

    def __init__(self, spec: str, protocol: Protocol) -> None:
        self.spec = spec
        self.games = games()
        self._seconds = protocol.limits.decision
        self._function = FunctionProcess(spec, protocol.limits)

    def open(self, game: Game) -> Thinker:
        """The function as a player of a game."""
        return FunctionThinker(self._function, game, self._seconds)

    def close(self) -> None:
        """Ends the process of the function."""
        self._function.close()


def find_agent(spec: str, protocol: Protocol) -> Agent:
    """An agent.

    Args:
      spec: As `load_bot` takes it, or `module:name` of a function.
      protocol: Says how long it may take.

    Raises:
      BotError: If the spec names no bot.
      BenchmarkError: If the function cannot be loaded.
    """
    own = {known.partition(":")[0] for known in KNOWN}
    if is_function_spec(spec) and spec.partition(":")[0] not in own and find_checkpoint(spec) is None:
        return FunctionAgent(spec, protocol)
    return BotAgent(spec, protocol)


def choose_games(agent: Agent, wanted: Sequence[str]) -> tuple[str, ...]:
    """The games that are asked for, or all that an agent may play.

    Raises:
      UnknownNameError: If it does not play one of them.
    """
    for name in wanted:
        if name not in games():
            raise UnknownNameError("game", name, games())
        if name not in agent.games:
            raise UnknownNameError("game", name, agent.games, of=agent.spec)
    return tuple(dict.fromkeys(wanted)) or agent.games


def _kind_of(spec: str) -> str:
    if spec.startswith("ugi:"):
        return "engine"
    path, _, _ = spec.rpartition(":")
    return "exported" if Path(spec).suffix == ".py" or Path(path).suffix == ".py" else "bot"
