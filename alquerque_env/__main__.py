"""`python -m alquerque_env`, the same as the console script `alquerque`."""

from .cli.main import main

main(prog_name="python -m alquerque_env")
