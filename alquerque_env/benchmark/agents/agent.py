"""Agents from their specs: bots of this package, checkpoints, exported players, engines, and functions of anybody's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...arena.seeds import derive_seed
from ...bots import load_bot
from ...bots.load import SPEC_KINDS, find_bot
from ...errors import UnknownNameError
from ...game.game import Game, games
from ..agent_facts import Facts, find_checkpoint, read_exported_game, read_facts, read_game
from ..protocol import Protocol
from .ask import BotThinker, Thinker
from .function import FunctionProcess, FunctionThinker, is_function_spec


@dataclass(frozen=True)
class Agent:
    """Whatever is measured.

    Attributes:
      spec: By which it was found.
      facts: What is known of it.
      games: Ids of the games that it may play.
      open: The agent as a player of a game.
      close: Ends whatever runs beside it.
    """

    spec: str
    facts: Facts
    games: tuple[str, ...]
    open: Callable[[Game], Thinker]
    close: Callable[[], None] = lambda: None


def find_agent(spec: str, protocol: Protocol) -> Agent:
    """An agent.

    Args:
      spec: As `load_bot` takes it, or `module:name` of a function.
      protocol: Says how long it may take.

    Raises:
      BotError: If the spec names no bot.
      BenchmarkError: If the function cannot be loaded.
    """
    if is_function_spec(spec) and spec.partition(":")[0] not in SPEC_KINDS and find_checkpoint(spec) is None:
        function = FunctionProcess(spec, protocol.limits)
        decision = protocol.limits.decision
        return Agent(
            spec, Facts("function"), games(), lambda game: FunctionThinker(function, game, decision), function.close
        )
    return _bot_agent(spec, protocol)


def _bot_agent(spec: str, protocol: Protocol) -> Agent:
    """What `load_bot` loads."""
    find_bot(spec)  # refuses what is none
    seed = derive_seed(protocol.seed, "agent")
    checkpoint = find_checkpoint(spec)
    known = read_exported_game(spec) if checkpoint is None else read_game(checkpoint[0])

    def open_bot(game: Game) -> Thinker:
        # A search that would take longer than it may ends, and is late.
        seconds = None if _kind_of(spec) == "engine" else protocol.limits.decision
        return BotThinker(load_bot(spec, game, seed=seed, time_limit=seconds, tables=False))

    facts = Facts(_kind_of(spec)) if checkpoint is None else read_facts(*checkpoint)
    return Agent(spec, facts, games() if known is None else (known,), open_bot)


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
