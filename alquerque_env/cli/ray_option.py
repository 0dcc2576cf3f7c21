"""`--ray`: a command spreads its work over a cluster."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

import click

ray_option = click.option(
    "--ray",
    is_flag=False,
    flag_value="local",
    metavar="[HOST:PORT]",
    help="Spread the work over a Ray cluster, or over Ray's processes on this machine. Before other arguments write "
    "--ray=local.",
)


@contextmanager
def spread(address: str | None) -> Iterator[Executor | None]:
    """An executor on the cluster at an address during the context; None without an address.

    Raises:
      AlquerqueError: As `adapters.ray.connect`.
      MissingExtraError: If Ray is not installed.
    """
    if address is None:
        yield None
        return
    from ..adapters.ray import connect

    with connect(address) as cluster:
        click.echo(f"Ray at {cluster.address}: {cluster.cpus} CPUs", err=True)
        with cluster.executor() as executor:
            yield executor
