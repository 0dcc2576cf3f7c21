"""The benchmark: measures agents by exact values, best responses, puzzles and matches against a ladder of opponents.

>>> from alquerque_env.benchmark import load_protocol
>>> protocol = load_protocol("v1")
>>> protocol.games, protocol.exact.positions
(100, 20000)

`run_benchmark` measures an agent. The protocol fixes everything else, so the same agent always gets the same figures.
`check_file` checks a result that somebody else has measured.
"""

from ..errors import BenchmarkError
from .agent_result import Result
from .agents.agent import Agent
from .agents.facts import Training
from .check import check_file
from .protocol import Protocol, load_protocol
from .report.leaderboard import make_leaderboard
from .runner import run_benchmark, run_curve

__all__ = [
    "Agent",
    "BenchmarkError",
    "Protocol",
    "Result",
    "Training",
    "check_file",
    "load_protocol",
    "make_leaderboard",
    "run_benchmark",
    "run_curve",
]
