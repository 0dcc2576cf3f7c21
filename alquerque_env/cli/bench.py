"""`alquerque bench`: a group, one command for each thing that is measured."""

import click


@click.group()
def bench() -> None:
    """Measure speed on this machine; each figure is printed with the command, the machine and the commit."""
