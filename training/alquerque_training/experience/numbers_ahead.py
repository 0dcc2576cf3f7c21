"""Random numbers drawn ahead, for games on a device that is not to be waited for.

How many rows need a number in a step is known on the device alone, but the generator is on the host. So the host draws
as many numbers as may be needed, copies them at once, and each row takes the next one by the count of those taken.
"""

from collections.abc import Callable

import torch
from torch import Tensor


class NumbersAhead:
    """The next numbers of a generator on the CPU, no more than `most`, to be taken on a device in their order."""

    def __init__(self, generator: torch.Generator, most: int, device: torch.device) -> None:
        self._generator, self._most = generator, most
        self._begin = generator.get_state()
        self._place = Place(device)
        self._drawn: dict[int, Tensor] = {}

    def uniform(self, flags: Tensor) -> Tensor:
        """float32 `[B]`, the next numbers in [0, 1) for the rows whose flag is set; arbitrary for the others."""
        return self._take(0, flags, lambda: torch.rand(self._most, generator=self._generator))

    def below(self, end: int, flags: Tensor) -> Tensor:
        """int64 `[B]`, the next integers from 0 to `end - 1` for the rows whose flag is set."""

        def draw() -> Tensor:
            return torch.randint(end, (self._most,), generator=self._generator, dtype=torch.int32)

        return self._take(end, flags, draw).long()

    def finish(self) -> None:
        """Leaves the generator behind the numbers that were taken. Waits for the device."""
        self._generator.set_state(self._begin)
        torch.rand(self._place.count(), generator=self._generator)

    def _take(self, kind: int, flags: Tensor, draw: Callable[[], Tensor]) -> Tensor:
        """The next numbers of a kind: uniform, or below an end. The generator takes the same steps for each of them."""
        if kind not in self._drawn:
            self._generator.set_state(self._begin)
            self._drawn[kind] = copied(draw(), flags.device)
        return self._drawn[kind][self._place.take(flags)]


class Place:
    """How many numbers have been taken, counted on a device."""

    def __init__(self, device: torch.device) -> None:
        self._taken = torch.zeros((), dtype=torch.int64, device=device)

    def take(self, flags: Tensor) -> Tensor:
        """int64 `[B]`, for each row whose flag is set the place of the next number; 0 or more for the others."""
        places = self._taken + flags.cumsum(0)
        self._taken = places[-1]
        return (places - 1).clamp(min=0)

    def count(self) -> int:
        """The number taken. Waits for the device."""
        return int(self._taken)


def copied(numbers: Tensor, device: torch.device) -> Tensor:
    """A tensor of the host on a device, without waiting for what the device does."""
    pinned = numbers.pin_memory() if device.type == "cuda" else numbers
    return pinned.to(device, non_blocking=True)


def rows_of(flags: Tensor, most: slice = slice(None)) -> Tensor | slice:
    """The rows whose flag is set, to be worked on; on a device, which would have to be waited for, all in `most`."""
    return flags.nonzero()[:, 0] if flags.device.type == "cpu" else most
