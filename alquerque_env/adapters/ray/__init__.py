"""Ray: work spread over the machines of a cluster.

Example:
  from alquerque_env.adapters.ray import connect

  with connect("10.0.0.5:6379") as cluster, cluster.executor() as executor:
      result = play_arena(game, ["greedy", "alphabeta:2"], executor=executor)

`connect` joins a cluster or starts Ray on this machine. A cluster's executor runs functions as tasks, and for actors
and tasks of one's own there are `worker_options`, and `prepare_worker`, which they call first.
"""

from ...errors import require

require("ray", "ray")

from .cluster import Cluster, connect  # noqa: E402 - they import Ray
from .executor import VERSION, RayExecutor, prepare_worker, worker_options  # noqa: E402

__all__ = ["VERSION", "Cluster", "RayExecutor", "connect", "prepare_worker", "worker_options"]
