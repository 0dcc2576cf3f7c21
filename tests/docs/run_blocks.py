"""Runs blocks of Python, `[[name, source], ...]` as JSON, one by one. The status is 1 if one fails.

Each runs in a copy of this process, in which nothing of the package has been imported.
"""

import doctest
import json
import os
import sys
import traceback

import gymnasium  # noqa: F401  what takes long to import is imported here, once
import numba  # noqa: F401
import pettingzoo  # noqa: F401
import torch  # noqa: F401


def fails(source: str) -> bool:
    try:
        if not source.startswith(">>> "):
            exec(compile(source, "block", "exec"), {"__name__": "__main__"})
            return False
        runner = doctest.DocTestRunner()
        runner.run(doctest.DocTestParser().get_doctest(source, {}, "block", None, 0))
        return runner.failures > 0
    except Exception:
        traceback.print_exc(file=sys.stdout)
        return True


sys.path.insert(0, "")  # modules in the folder are found, as in a session
failed = False
for name, source in json.load(sys.stdin):
    child = os.fork()
    if child == 0:
        status = int(fails(source))
        sys.stdout.flush()
        os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        failed = True
        print(f"{name} does not run by itself:\n{source}", flush=True)
sys.exit(failed)
