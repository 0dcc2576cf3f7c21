"""The address of a cluster, and whether a cluster can be joined there.

`ray.init` waits for minutes at an address where no cluster answers, and its compiled part can end the process. So the
port is tried first, and then another process joins the cluster, which is ended when it takes too long.
"""

import re
import socket
import subprocess
import sys
import tempfile
import time

from ...errors import AlquerqueError, one_line, shorten

_TCP_SECONDS = 5.0
_JOIN_SECONDS = 25.0
_TICK = 0.1

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
                time.sleep(_TICK)
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
