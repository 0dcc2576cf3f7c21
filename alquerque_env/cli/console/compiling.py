"""Says that kernels are being compiled, since the first long command after an installation is silent for so long."""

import sys

from ...engine.cache_files import before_compiling

NOTE = "compiling kernels, once for this version; this can take a minute"


def announce_compiling() -> None:
    """Says so on a terminal, once, before the first kernel is compiled."""
    if sys.stderr.isatty():
        before_compiling.append(_announce)


def _announce() -> None:
    before_compiling.remove(_announce)
    print(f"\r{NOTE}", file=sys.stderr, flush=True)
