"""The part of `time` that searches use."""

from time import ticks_diff, ticks_ms  # type: ignore[attr-defined]

_BEGAN = ticks_ms()


def monotonic() -> float:
    """As `time.monotonic`."""
    return ticks_diff(ticks_ms(), _BEGAN) / 1000
