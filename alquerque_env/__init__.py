"""The alquerque family of board games as reinforcement-learning environments.

Example:
  >>> from alquerque_env import Match, load_game
  >>> match = Match(load_game("alquerque"))
  >>> match.push("c2-c3")
  >>> [str(step) for step in match.legal_steps]
  ['c4xc2']

Games
  `games` lists the ids, `load_game` loads a `Game` with its rule options.
Matches
  `Match` plays one match by `Step`s and ends with an `Outcome`. `perft` counts sequences of steps, `rollouts` plays
  many random matches at once.
Environments
  `env`, or the module `alquerque_env.<id>_v0`, makes a PettingZoo environment, and `SelfPlayVectorEnv` is a batch of
  matches for self-play. `gymnasium.make("alquerque/<Id>-v0", opponent=...)` plays against a bot. A `GraphForm` turns
  observations into facts that mean the same in every game.
Bots and tables
  `load_bot` loads a bot by its spec, such as "mcts:1000", and `load_table` an endgame table. `evaluate` plays a bot, or
  a function from observation and action mask to action, against another from both seats; `measure_errors` compares
  its choices with exact values, and `best_response` finds out whether anybody can beat it.
Match files and links
  A `Record` is a match with names, date, result, variations and comments. Its text is a match file, which
  `read_records` reads. `format_link` and `read_link` write and read the link to a match. `report_match` names the
  mistakes of a match.

`alquerque_env.errors` lists the errors; `alquerque_env.render` draws positions.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import start as _start  # noqa: F401  first, so that it covers the other imports
from .envs.registration import register as _register
from .game.game import Game, games, load_game

if TYPE_CHECKING:
    from .arena.evaluation import evaluate
    from .arena.exact_errors import measure_errors
    from .arena.exploit.best_response import best_response
    from .batch.rollouts import rollouts
    from .bots import load_bot
    from .bots.match_report import report_match
    from .engine.graph_form import GraphForm
    from .envs.aec import env
    from .envs.self_play_vector import SelfPlayVectorEnv
    from .game.step import Step
    from .match.link import format_link, read_link
    from .match.match import Match, Outcome
    from .match.perft import perft
    from .match.records import Record, format_record, read_records
    from .solve.tables import load_table

__version__ = "0.1.0"

# Loaded on first use: listing the games needs neither compiled kernels nor environments.
_LAZY = {
    "GraphForm": ".engine.graph_form",
    "Match": ".match.match",
    "Outcome": ".match.match",
    "Record": ".match.records",
    "SelfPlayVectorEnv": ".envs.self_play_vector",
    "Step": ".game.step",
    "best_response": ".arena.exploit.best_response",
    "env": ".envs.aec",
    "evaluate": ".arena.evaluation",
    "format_link": ".match.link",
    "load_bot": ".bots",
    "load_table": ".solve.tables",
    "measure_errors": ".arena.exact_errors",
    "perft": ".match.perft",
    "read_link": ".match.link",
    "format_record": ".match.records",
    "read_records": ".match.records",
    "report_match": ".bots.match_report",
    "rollouts": ".batch.rollouts",
}

__all__ = [
    "Game",
    "GraphForm",
    "Match",
    "Outcome",
    "Record",
    "SelfPlayVectorEnv",
    "Step",
    "__version__",
    "best_response",
    "env",
    "evaluate",
    "format_link",
    "format_record",
    "games",
    "load_bot",
    "load_game",
    "load_table",
    "measure_errors",
    "perft",
    "read_link",
    "read_records",
    "report_match",
    "rollouts",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


_register()
