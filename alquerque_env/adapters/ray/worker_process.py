"""What every process of a cluster that works for this package has in common."""

import os
import platform
from functools import cache
from importlib import import_module
from typing import Any

from ...engine.compiled_parts import BOTS, ENVIRONMENTS, compile_and_wait
from ...engine.forms import compile_at_once
from ...errors import AlquerqueError
from ...game.kernel_arrays import JIT

VERSION = str(import_module(__name__.partition(".")[0]).__version__)
"""Version of the package. It stands in the package itself, which imports nothing of this module."""

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def worker_options() -> dict[str, Any]:
    """Options for `.options(...)` of remote functions and actors: one CPU and one thread, no GPU."""
    settings = {**dict.fromkeys(_THREADS, "1"), "CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": ""}
    settings["ALQUERQUE_JIT"] = os.environ.get("ALQUERQUE_JIT", "1")
    return {"num_cpus": 1, "num_gpus": 0, "runtime_env": {"env_vars": settings}}


@cache
def prepare_worker(version: str) -> None:
    """Makes a process of a cluster ready; has no effect when it is called again.

    Kernels are compiled by one process a machine. The others wait for it and load them.

    Args:
      version: Version of the package in the process that gives the work.

    Raises:
      AlquerqueError: If this machine has another version of the package.
    """
    if version != VERSION:
        raise AlquerqueError(different_version(platform.node(), VERSION))
    if JIT:
        compile_at_once()
        compile_and_wait((ENVIRONMENTS, BOTS))


def different_version(node: str, found: str | None) -> str:
    """The sentence that refuses a node without this version of the package."""
    has = "lacks alquerque-env" if found is None else f"has alquerque-env {found}"
    return f"node {node} of the Ray cluster {has}, this process has {VERSION}: install the same version on every node"
