"""The connection to a cluster.

`ray.init` waits for minutes at an address where no cluster answers, and its compiled part can end the process. So the
port is tried first, and then another process joins the cluster, which is ended when it takes too long.
"""

import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any

import ray
from ray._private import ray_constants
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ...errors import AlquerqueError, one_line, shorten
from .executor import VERSION, RayExecutor, different_version, worker_options

_TCP_SECONDS = 5.0
_JOIN_SECONDS = 25.0
_LOOK = 0.1

_HOPELESS = "Unauthenticated", "Failed to connect to GCS"
"""What Ray writes before it tries again and again: the token is refused, or nothing answers as Ray does."""

# Uses the `sys.path` of this process, not the working directory.
_PROGRAM = """
import sys
sys.path[:] = {0}
import ray
try:
    ray.init(address=sys.argv[1], log_to_driver=False, logging_level="CRITICAL")
    ray.shutdown()
except Exception as error:
    sys.exit(f"{{type(error).__name__}}: {{error}} {{error.__cause__}}")
"""


def parse_address(text: str) -> str:
    """Returns an address `HOST:PORT`; raises `AlquerqueError` if the text is none."""
    if text.startswith("ray://"):
        raise AlquerqueError(
            f"{shorten(text)!r} is an address of the Ray client, which cannot be used: "
            "run the command on a machine of the cluster, with HOST:PORT as printed by `ray start --head`"
        )
    found = re.fullmatch(r"(\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]]+):(\d{1,5})", text)
    if found is None or not 0 < int(found[2]) < 65536:
        raise AlquerqueError(
            f"{shorten(text)!r} is not the address of a Ray cluster: expected HOST:PORT, as printed by "
            "`ray start --head`, or local for this machine alone; without an address write --ray last, or --ray=local"
        )
    return text


def check_address(address: str) -> None:
    """Checks within half a minute that this machine can join the cluster at an address, and says what hinders it."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _TCP_SECONDS).close()
    except OSError as error:
        reason = error.strerror or str(error) or "no answer"
        raise AlquerqueError(f"no Ray cluster at {address}: {reason}; start one with `ray start --head`") from None
    if (problem := _try_to_join(address)) is not None:
        raise AlquerqueError(_explain(address, problem))


def _try_to_join(address: str) -> str | None:
    """Joins a cluster from another process; returns what that process wrote if it failed."""
    with tempfile.TemporaryFile("w+b") as written:
        process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM.format(sys.path), address],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=written,
        )

        def read() -> str:
            written.seek(0)
            return written.read().decode(errors="replace")

        try:
            end = time.monotonic() + _JOIN_SECONDS
            while process.poll() is None and time.monotonic() < end and not any(map(read().count, _HOPELESS)):
                time.sleep(_LOOK)
            return None if process.poll() == 0 else read()
        finally:
            process.kill()
            process.wait()


def _explain(address: str, problem: str) -> str:
    if "Unauthenticated" in problem or "AuthenticationError" in problem:
        return (
            f"the Ray cluster at {address} refuses the token of this process: set RAY_AUTH_MODE=token, and put the "
            "cluster's token into ~/.ray/auth_token or RAY_AUTH_TOKEN"
        )
    versions = re.findall(r"Ray: (\S+)\s+Python: (\S+)", problem)
    if "Version mismatch" in problem and len(versions) == 2:
        (ray, python), (own_ray, own_python) = versions
        return (
            f"the Ray cluster at {address} has Ray {ray} on Python {python}, this process Ray {own_ray} on Python "
            f"{own_python}: install the same versions"
        )
    if "No node info found" in problem:
        return (
            f"this machine is no node of the Ray cluster at {address}: run `ray start --address={address}` on it first"
        )
    last = re.findall(r"^(\w+(?:Error|Exception): .*)", problem, re.MULTILINE)
    if last and "GCS" not in problem:
        return f"cannot join the Ray cluster at {address}: {shorten(one_line(last[-1]), 240)}"
    return (
        f"what listens at {address} does not answer as the head of a Ray cluster: "
        "expected the address that `ray start --head` prints, usually with port 6379"
    )


LOCAL = "local"
"""The address that stands for this machine alone."""

_ROOM_SECONDS = 10.0
_NODE_SECONDS = 60.0
_TICK = 0.2


@dataclass(frozen=True)
class Cluster:
    """A cluster that this process is connected to.

    Attributes:
      address: `HOST:PORT` of its head.
    """

    address: str

    @property
    def cpus(self) -> int:
        """Number of CPUs of all nodes."""
        return int(ray.cluster_resources().get("CPU", 0))

    @property
    def free_cpus(self) -> int:
        """Number of CPUs that no task or actor holds."""
        return int(ray.available_resources().get("CPU", 0))

    def executor(self) -> RayExecutor:
        """Returns an executor whose tasks take one CPU each."""
        return RayExecutor()


@contextmanager
def connect(address: str | None = None, *, cpus: int = 1) -> Iterator[Cluster]:
    """Connects this process to a cluster during the context.

    If Ray is connected already, that connection is used and left open. What Ray prints goes to standard error.

    Args:
      address: `HOST:PORT` of a cluster that this machine is a node of; None or "local" starts Ray on this machine, for
        this process alone.
      cpus: Least number of CPUs that must be free.

    Yields:
      The cluster, whose `executor` starts tasks.

    Raises:
      AlquerqueError: If the address is malformed, no cluster answers there, it refuses the token, versions differ, or
        too few CPUs are free. Each within a minute.
    """
    wanted = None if address is None else LOCAL if address == LOCAL else parse_address(address)
    with ray_prints_to_stderr():
        is_ours = not ray.is_initialized()
        if is_ours:
            _start(wanted)
        try:
            found = str(ray.get_runtime_context().gcs_address)
            if not is_ours and wanted not in (None, found):
                raise AlquerqueError(f"this process is connected to Ray at {found}, so it cannot use {wanted}")
            cluster = Cluster(found)
            _check_room(cluster, cpus)
            _check_nodes()
            yield cluster
        finally:
            if is_ours:
                with redirect_stdout(sys.stderr):  # what Ray has kept back
                    ray.shutdown()


def _start(address: str | None) -> None:
    """Starts Ray here, or joins a cluster."""
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": "CRITICAL"}
    if address in (None, LOCAL):
        # Without an address Ray would follow the file that an earlier cluster left.
        options |= {"address": LOCAL, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    else:
        assert address is not None
        check_address(address)
        options["address"] = address
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGTERM) if is_main else None
    try:
        with _on_loopback(options["address"] == LOCAL):
            ray.init(**options)
    except (ConnectionError, RuntimeError, OSError, ValueError, ray.exceptions.RayError) as error:
        ray.shutdown()
        place = "on this machine" if address in (None, LOCAL) else f"at {address}"
        raise AlquerqueError(f"cannot connect to Ray {place}: {shorten(one_line(str(error)), 240)}") from None
    finally:
        if is_main:  # Ray replaces it
            signal.signal(signal.SIGTERM, signal.SIG_DFL if handler is None else handler)


@contextmanager
def _on_loopback(is_local: bool) -> Iterator[None]:
    """Lets Ray listen on the loopback address, where other machines cannot reach it.

    `ray.init` replaces that address by another one unless this constant is false. It has a variable of the environment,
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER, which Ray reads when it is imported.
    """
    before = ray_constants.ENABLE_RAY_CLUSTER
    ray_constants.ENABLE_RAY_CLUSTER = before and not is_local
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


def _check_room(cluster: Cluster, cpus: int) -> None:
    """Waits until enough CPUs are free, but not too long."""
    end = time.monotonic() + _ROOM_SECONDS
    while (free := cluster.free_cpus) < cpus:
        if time.monotonic() > end:
            raise AlquerqueError(
                f"the Ray cluster at {cluster.address} has no room: {free} of its {cluster.cpus} CPUs are free, "
                f"expected {cpus}; add nodes with `ray start --address={cluster.address}`, or wait"
            )
        time.sleep(_TICK)


def _check_nodes() -> None:
    """Checks that every node that can work has the same version of the package."""

    # As it is defined in here, Ray sends its code. It has to run where the package is missing.
    def find_version() -> str | None:
        from importlib import import_module

        try:
            return str(import_module("alquerque_env").__version__)
        except ImportError:
            return None

    options = worker_options() | {"num_cpus": 0, "max_retries": 0}
    running = {
        ray.remote(find_version)
        .options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False), **options)
        .remote(): (node, name)
        for node, name in _working_nodes().items()
    }
    ready, _ = ray.wait(list(running), num_returns=len(running), timeout=_NODE_SECONDS)
    for reference, (node, name) in running.items():
        problem = "did not answer"
        if reference in ready:
            try:
                found = ray.get(reference)
            except ray.exceptions.RayError as error:
                problem = f"cannot run tasks: {shorten(one_line(str(error)), 240)}"
            else:
                if found != VERSION:
                    raise AlquerqueError(different_version(name, found))
                continue
        if node in _working_nodes():  # it may have left meanwhile
            raise AlquerqueError(f"node {name} of the Ray cluster {problem}")


def _working_nodes() -> dict[str, str]:
    """The host names of the nodes that offer CPUs, by the nodes' ids."""
    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) > 0]
    return {node["NodeID"]: node["NodeManagerHostname"] for node in nodes}


class _WithoutRay:
    """Passes on what Ray's own threads write to standard error: Ray prints when a node dies, at any logging level."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Writes a text."""
        is_rays = threading.current_thread().name.startswith("ray_")
        return int((sys.stderr if is_rays else self._stream).write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def ray_prints_to_stderr() -> Iterator[None]:
    """During the context, what Ray prints goes to standard error."""
    before = sys.stdout
    sys.stdout = own = _WithoutRay(before)
    try:
        yield
    finally:
        if sys.stdout is own:
            sys.stdout = before
