"""One case of fault injection: what was done, and what it cost.

A kind of fault is a function that takes a random generator and an empty folder and yields cases without end. It raises
`AssertionError` when a promise is broken.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """What happened in one case.

    Attributes:
      counts: How often each thing happened, by its words, as `{"kills": 3, "runs": 1}`. The first entry counts faults.
      seconds: How long the longest step took that has a limit, in seconds.
      memory: The most memory that it took, as a multiple of what an honest file takes.
    """

    counts: Mapping[str, int]
    seconds: float = 0.0
    memory: float = 0.0


Kind = Callable[[random.Random, Path], Iterator[Case]]


@dataclass
class Total:
    """The sum of some cases.

    Attributes:
      counts: As those of a case, added.
      seconds: The longest of all.
      memory: The most of all.
    """

    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    memory: float = 0.0

    @property
    def faults(self) -> int:
        return next(iter(self.counts.values()), 0)

    def add(self, case: Case) -> None:
        self.counts.update(case.counts)
        self.seconds = max(self.seconds, case.seconds)
        self.memory = max(self.memory, case.memory)


def inject(kind: Kind, folder: Path, faults: int, seed: int, goes_on: Callable[[Total], bool] | None = None) -> Total:
    """Runs cases of a kind until there were so many faults.

    Args:
      kind: The kind of fault.
      folder: An empty folder.
      faults: How many faults to inject; the last case may bring more.
      seed: The same seed gives the same faults.
      goes_on: Is called after every case with the sum so far; False stops.

    Raises:
      AssertionError: If a promise is broken; the message has the number of the case.
    """
    total = Total()
    cases = kind(random.Random(seed), folder)
    for number in range(faults):
        try:
            found = list(islice(cases, 1))
        except AssertionError as error:
            raise AssertionError(f"case {number} with seed {seed}: {error}") from error
        for case in found:
            total.add(case)
        if not found or total.faults >= faults or (goes_on is not None and not goes_on(total)):
            break
    return total
