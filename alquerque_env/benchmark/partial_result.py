"""What was measured before a run of the benchmark was interrupted, in a file beside that of its result."""

import json
from pathlib import Path
from typing import Any

from ..errors import BenchmarkError
from ..files.atomic import write_whole
from .agent_result import FORMAT, GameResult, Result, read_file

SUFFIX = ".unfinished"


class Unfinished:
    """The games in which agents have been measured so far.

    Each is kept as a whole, since what an agent does in a game may depend on all that it did there before.

    Args:
      output: The file of the result; None if nothing is to be kept.

    Raises:
      BenchmarkError: If there is such a file that holds something else.
      OSError: If it cannot be read.
    """

    def __init__(self, output: Path | None = None) -> None:
        self.path = None if output is None else output.with_name(f"{output.name}{SUFFIX}")
        self._results: dict[str, Result] = {}
        if self.path is not None and self.path.exists():
            self._results = {result.spec: result for result in read_file(self.path)}

    @property
    def count(self) -> int:
        """How many games of how many agents there are."""
        return sum(len(result.games) for result in self._results.values())

    def games(self, result: Result) -> dict[str, GameResult]:
        """What is known of an agent already.

        Args:
          result: What it is called, where it runs and so on, still without games.

        Raises:
          BenchmarkError: If it was measured under other conditions.
        """
        found = self._results.get(result.spec)
        if found is None:
            return {}
        before, now = _conditions(found), _conditions(result)
        for name in now:
            if before[name] != now[name]:
                raise BenchmarkError(
                    f"{str(self.path)!r} holds what was measured with {name} {before[name]!r}, not {now[name]!r}: "
                    "delete that file, or choose another for the result"
                )
        return found.games

    def note(self, result: Result) -> None:
        """Keeps what is known of an agent."""
        self._results[result.spec] = result
        if self.path is not None:
            content = {"format": FORMAT, "results": [each.as_dict() for each in self._results.values()]}
            write_whole(self.path, json.dumps(content).encode())

    def remove(self) -> None:
        """Everything is measured, and the result is written."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _conditions(result: Result) -> dict[str, Any]:
    content = result.as_dict()
    return {name: content[name] for name in ("benchmark", "quick", "version", "machine", "name", "facts")}
