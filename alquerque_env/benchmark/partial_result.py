"""Results of an interrupted run of the benchmark, in a file beside the file of the final result."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..errors import BenchmarkError
from ..files.atomic import remove_partials, write_whole
from ..files.lock import locked_file
from .agent_result import FORMAT, GameResult, Result, read_file

SUFFIX = ".unfinished"


class PartialResults(ExitStack):
    """The results of agents so far, game by game. A context that unlocks the file of the final result.

    Only whole games are kept, since an agent's decisions may depend on its earlier ones. Without an output nothing is.
    """

    def __init__(self, output: Path | None = None) -> None:
        super().__init__()
        self.path = None if output is None else output.with_name(f"{output.name}{SUFFIX}")
        self._results: dict[str, Result] = {}
        if output is None or self.path is None:
            return
        with ExitStack() as stack:
            stack.enter_context(locked_file(output))
            remove_partials(self.path.parent, self.path.name)
            if self.path.exists():
                self._results = {result.spec: result for result in read_file(self.path)}
            self.push(stack.pop_all())

    @property
    def count(self) -> int:
        """The number of games with a result, of all agents together."""
        return sum(len(result.games) for result in self._results.values())

    def games(self, result: Result) -> dict[str, GameResult]:
        """The results so far, by game, of the agent of a result that is still without games.

        Raises:
          BenchmarkError: If the agent was measured under other conditions.
        """
        found = self._results.get(result.spec)
        if found is None:
            return {}
        before, now = _conditions(found), _conditions(result)
        for name in now:
            if before[name] != now[name]:
                raise BenchmarkError(
                    f"{str(self.path)!r} holds results with {name} {before[name]!r}, not {now[name]!r}: "
                    "delete that file, or choose another for the result"
                )
        return found.games

    def note(self, result: Result) -> None:
        """Keeps the result of an agent so far."""
        self._results[result.spec] = result
        if self.path is not None:
            content = {"format": FORMAT, "results": [each.as_dict() for each in self._results.values()]}
            write_whole(self.path, json.dumps(content).encode())

    def remove(self) -> None:
        """Deletes the file, after the final result is written."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _conditions(result: Result) -> dict[str, Any]:
    content = result.as_dict()
    return {name: content[name] for name in ("benchmark", "quick", "version", "machine", "name", "facts")}
