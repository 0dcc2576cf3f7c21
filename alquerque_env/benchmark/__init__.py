"""A benchmark for agents: what they know of endgames whose exact values are known, and what they score on a ladder.

>>> from alquerque_env.benchmark import load_protocol
>>> protocol = load_protocol("v1")
>>> protocol.games, protocol.suite.positions
(100, 450)

`run_benchmark` measures an agent; a protocol decides all its figures, so that people get the same for the same agent.
"""

from ..errors import BenchmarkError
from .agent_result import Result
from .agents.agent import Agent
from .protocol import Protocol, load_protocol
from .report.leaderboard import make_leaderboard
from .report.learning_curve import run_curve
from .runner import run_benchmark

__all__ = [
    "Agent",
    "BenchmarkError",
    "Protocol",
    "Result",
    "load_protocol",
    "make_leaderboard",
    "run_benchmark",
    "run_curve",
]
