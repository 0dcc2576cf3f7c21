"""Games of the alquerque family as reinforcement-learning environments.

>>> from alquerque_env import Match, load_game
>>> match = Match(load_game("alquerque"))
>>> match.push("c2-c3")
>>> [str(step) for step in match.legal_steps]
['c4xc2']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .envs.registration import register as _register
from .game.game import Game, games, load_game

if TYPE_CHECKING:
    from .batch.rollouts import rollouts
    from .bots import load_bot
    from .envs.aec import env
    from .envs.self_play_vector import SelfPlayVectorEnv
    from .game.step import Step
    from .match.match import Match, Outcome
    from .match.perft import perft
    from .match.records import format_record, read_records
    from .solve.tables import load_table

__version__ = "0.1.0"

# Loaded on first use: compiled kernels and environments are not needed to list the games.
_LAZY = {
    "Match": ".match.match",
    "Outcome": ".match.match",
    "Step": ".game.step",
    "SelfPlayVectorEnv": ".envs.self_play_vector",
    "env": ".envs.aec",
    "format_record": ".match.records",
    "load_bot": ".bots",
    "load_table": ".solve.tables",
    "perft": ".match.perft",
    "read_records": ".match.records",
    "rollouts": ".batch.rollouts",
}

__all__ = [
    "Game",
    "Match",
    "Outcome",
    "SelfPlayVectorEnv",
    "Step",
    "__version__",
    "env",
    "format_record",
    "games",
    "load_bot",
    "load_game",
    "load_table",
    "perft",
    "read_records",
    "rollouts",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name], __name__), name)
    globals()[name] = value
    return value


_register()
