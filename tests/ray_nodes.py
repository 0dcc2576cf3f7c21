"""A Ray cluster on the loopback address whose nodes can be killed; import it only where Ray is installed."""

import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ray.cluster_utils import Cluster


class Nodes:
    """A cluster whose head does no work, and whose other nodes can be killed.

    Attributes:
      address: `HOST:PORT` of the head.
    """

    def __init__(self, count: int = 3) -> None:
        self._random = random.Random(5)
        # A dead node is noticed after three seconds instead of many.
        head = {"_system_config": {"health_check_period_ms": 1000, "health_check_failure_threshold": 3}}
        self._cluster = Cluster()
        self._add(num_cpus=0, include_dashboard=False, **head)
        self.address = str(self._cluster.address)
        self._nodes = [self.add() for _ in range(count)]

    def add(self, **options: Any) -> Any:
        """Adds a node with one CPU."""
        return self._add(num_cpus=1, **options)

    def remove(self, node: Any) -> None:
        """Kills a node."""
        self._cluster.remove_node(node, allow_graceful=False)

    def replace_one(self) -> None:
        """Kills a node, and adds another one."""
        self.remove(self._nodes.pop(self._random.randrange(len(self._nodes))))
        self._nodes.append(self.add())

    def shutdown(self) -> None:
        """Kills all nodes."""
        self._cluster.shutdown()

    def _add(self, **options: Any) -> Any:
        with _same_signal_handler():
            return self._cluster.add_node(node_ip_address="127.0.0.1", **options)


@contextmanager
def _same_signal_handler() -> Iterator[None]:
    """Restores the handler of SIGTERM, which Ray replaces in the process that starts a node."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
