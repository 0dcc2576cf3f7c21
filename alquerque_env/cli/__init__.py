"""The console program `alquerque`.

A command stands in a module of its own, which is imported when the command is called: listing the games does not wait
for compiled kernels. A new command is a module and a line in `program.COMMANDS`.
"""

from .main import main

__all__ = ["main"]
