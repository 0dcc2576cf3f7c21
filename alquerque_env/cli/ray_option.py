"""`--ray`: a command spreads its work over a cluster."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib.util import find_spec

import click

from ..errors import AlquerqueError, MissingExtraError


def _check_extra(_ctx: click.Context, _param: click.Parameter, address: str | None) -> str | None:
    """Refuses the option where Ray is not installed, as any wrong argument."""
    if address is not None and find_spec("ray") is None:
        raise AlquerqueError(f"--ray: {MissingExtraError('ray', 'ray')}")
    return address


ray_option = click.option(
    "--ray",
    is_flag=False,
    flag_value="local",
    callback=_check_extra,
    metavar="[HOST:PORT]",
    help="Spread the work over a Ray cluster, or over Ray's processes on this machine. Before other arguments write "
    "--ray=local.",
)


@contextmanager
def spread(address: str | None) -> Iterator[Executor | None]:
    """An executor on the cluster at an address during the context; None without an address.

    Raises:
      AlquerqueError: As `adapters.ray.connect`.
    """
    if address is None:
        yield None
        return
    from ..adapters.ray import connect

    with connect(address) as cluster:
        click.echo(f"Ray at {cluster.address}: {cluster.cpus} CPUs", err=True)
        with cluster.executor() as executor:
            yield executor
