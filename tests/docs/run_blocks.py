"""Runs blocks of Python one by one, each in a process in which nothing of the package has been imported.

The blocks are read as JSON, `[[name, source], ...]`, from standard input. The status is 1 if one fails.
"""

import doctest
import json
import os
import sys
import traceback
from contextlib import suppress

import gymnasium  # noqa: F401  what takes long to import is imported once, the processes are copies of this one
import pettingzoo  # noqa: F401

with suppress(ImportError):
    import numba  # noqa: F401
with suppress(ImportError):
    import torch  # noqa: F401


def succeeds(source: str) -> bool:
    if not source.startswith(">>> "):
        exec(compile(source, "block", "exec"), {"__name__": "__main__"})
        return True
    runner = doctest.DocTestRunner()
    runner.run(doctest.DocTestParser().get_doctest(source, {}, "block", None, 0))
    return runner.failures == 0


def run(source: str) -> None:
    """Ends the process, with status 0 if the block succeeds."""
    status = 1
    try:
        status = int(not succeeds(source))
    except Exception:
        traceback.print_exc(file=sys.stdout)
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.path.insert(0, "")  # modules in the folder are found, as in a session
    failed = False
    for name, source in json.load(sys.stdin):
        child = os.fork()
        if child == 0:
            run(source)
        if os.waitpid(child, 0)[1] != 0:
            failed = True
            print(f"{name} does not run by itself:\n{source}", flush=True)
    sys.exit(failed)
