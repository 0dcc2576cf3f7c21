"""What the program `alquerque` does before it loads its other modules, so that none of them ends it with a traceback.

Ctrl-C ends the program at once while it loads modules, and when its work is done. A working directory that has been
deleted ends it too, since some packages that it loads need one. So does a package in an archive, whose sources and data
are no files.
"""

import os
import signal
import sys
import threading
from types import FrameType

INTERRUPTED = 130
"""Exit status after Ctrl-C."""

_interrupted = False


def _is_program() -> bool:
    """Whether Python runs this program, and not another one that imports the package."""
    name = sys.argv[0] if getattr(sys, "argv", None) else ""
    return os.path.basename(name) in ("alquerque", "alquerque.exe") or (name == "-m" and __package__ in sys.orig_argv)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)  # no module can be in the middle of work that must be saved


def _raise(_number: int, _frame: FrameType | None) -> None:
    global _interrupted
    _interrupted = True
    raise KeyboardInterrupt


def raise_interrupts() -> None:
    """Lets Ctrl-C raise `KeyboardInterrupt` again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, _raise)


def was_interrupted() -> bool:
    """Whether Ctrl-C has raised `KeyboardInterrupt`. Code in C can drop the exception, as when a module is loaded."""
    return _interrupted


def end_quietly() -> None:
    """Lets Ctrl-C end the program at once from now on. Has no effect in another program."""
    if IS_PROGRAM and signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _raise):
        signal.signal(signal.SIGINT, _end)


def _check_folder() -> None:
    try:
        os.getcwd()
    except FileNotFoundError:
        sys.exit("alquerque: the working directory has been deleted: change to another one")


def check_unpacked(module: str) -> None:
    """Checks that a package is not imported from an archive such as a zip file.

    Args:
      module: The file of one of its modules.

    Raises:
      ImportError: If it is. The program ends with the same sentence.
    """
    place, package = os.path.dirname(module), os.path.basename(os.path.dirname(module))
    archive = place
    while archive != os.path.dirname(archive) and not os.path.lexists(archive):
        archive = os.path.dirname(archive)
    if not os.path.isfile(archive):
        return
    problem = f"{package} cannot run from the archive {archive}: unpack it, and import the package from the folder"
    if IS_PROGRAM or sys.argv[:1] == [archive]:
        sys.exit(f"alquerque: {problem}")
    raise ImportError(problem)


IS_PROGRAM = _is_program() and threading.current_thread() is threading.main_thread()

if IS_PROGRAM:
    end_quietly()
    _check_folder()
check_unpacked(__file__)
