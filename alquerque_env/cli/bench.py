"""`alquerque bench`: a group, one command for each thing that is measured."""

import click


@click.group(invoke_without_command=True)
@click.pass_context
def bench(ctx: click.Context) -> None:
    """Measure speed on this machine; each figure is printed with the command, the machine and the commit."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
