"""Functions as tasks on a cluster, by the interface of `concurrent.futures`.

Ray's own pool, `ray.util.multiprocessing.Pool`, keeps its processes in actors that do not come back when their node
dies.
"""

import os
import platform
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeVar

import ray

from ...engine.forms import BOTS, ENVIRONMENTS, compile_and_wait, compile_at_once
from ...errors import AlquerqueError, one_line, shorten
from ...game.kernel_arrays import JIT

VERSION = str(import_module(__name__.partition(".")[0]).__version__)
"""Version of the package. It stands in the package itself, which imports nothing of this module."""

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def worker_options() -> dict[str, Any]:
    """Returns the options for `.options(...)` of remote functions and actors: one CPU and one thread, no GPU."""
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


Result = TypeVar("Result")

RETRIES = 16
"""Most times that a task is run again after its node or process died. One that ends every process must stop."""


class RayExecutor(Executor):
    """Runs functions on the cluster that this process is connected to.

    A function and its arguments travel as pickles. A function that raises an exception is not run again. A task is run
    again if its node or process dies, so it must not change anything but what it returns.
    """

    def __init__(self) -> None:
        self._task = ray.remote(_run).options(max_retries=RETRIES, retry_exceptions=False, **worker_options())
        self._lock = threading.Lock()
        self._pending: set[Future[Any]] = set()
        self._closed = False

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> "Future[Result]":
        """Returns the future of a function's result; it starts as soon as a CPU is free."""
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            reference = self._task.remote(VERSION, fn, args, kwargs)
            future = _TaskFuture(reference)
            self._pending.add(future)
        future.add_done_callback(self._forget)
        reference.future().add_done_callback(partial(_deliver, future))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Refuses further functions; waits for those submitted, or cancels them."""
        with self._lock:
            self._closed = True
            pending = list(self._pending)
        for future in pending:
            if cancel_futures:
                future.cancel()
        if wait:
            for future in pending:
                with suppress(CancelledError):
                    future.exception()

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        """Waits for what was submitted; after an exception, as Ctrl-C is one, cancels it."""
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            self._pending.discard(future)


class _TaskFuture(Future[Any]):
    """A future that can be cancelled while its task runs."""

    def __init__(self, reference: "ray.ObjectRef[Any]") -> None:
        super().__init__()
        self._reference = reference

    def cancel(self) -> bool:
        """Ends the task, unless it has finished."""
        if not super().cancel():
            return False
        ray.cancel(self._reference)
        return True


def _run(
    version: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Exception | None]:
    """Runs on a node; returns the function's result, or the exception that it raised."""
    try:
        prepare_worker(version)
        return function(*args, **kwargs), None
    except AlquerqueError as error:
        return None, error
    except Exception as error:
        error.add_note(traceback.format_exc())
        return None, error


def _deliver(future: Future[Any], finished: "Future[tuple[Any, Exception | None]]") -> None:
    """Passes what a task returned on to its future."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        result, error = finished.result()
    except Exception as failure:
        reason = shorten(one_line(str(failure).strip().rpartition("\n")[2]), 240)
        error = AlquerqueError(f"a task failed on the Ray cluster: {type(failure).__name__}: {reason}")
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
