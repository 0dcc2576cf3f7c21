"""Copies of the checkout in which a command, such as one that runs tests, judges mutants."""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import cache_from_source
from pathlib import Path
from tempfile import TemporaryDirectory

from alquerque_env.errors import AlquerqueError
from tools.mutation.mutants import SURVIVED, Mutant

GRACE = 10
"""Seconds in which a command that is stopped may end what it started."""
MOST_TEXT = 200
"""Characters of the command's output in a result."""
LEFT_OUT = {Path("tests/tools/test_mutation.py")}
"""Compares the list of equivalent mutants with the source: it would kill mutants that no other test does."""


class Copy:
    """A copy of a checkout, with a kernel cache and a folder for temporary files of its own.

    Args:
      root: The top folder of the checkout.
      folder: An empty folder that takes the copy.
      command: What runs in the copy, by a shell. Exit status 0 means that it found no fault.
      seconds: Time after which the command is stopped, and counts as having found one.
      environment: The variables that the command sees besides those of the copy.
    """

    def __init__(self, root: Path, folder: Path, command: str, seconds: float, environment: Mapping[str, str]) -> None:
        self._checkout, self._kernels, self._temporary = folder / "checkout", folder / "kernels", folder / "tmp"
        self._output = folder / "output"
        self._command, self._seconds = command, seconds
        self._environment = {
            **environment,
            "PYTHONPATH": os.pathsep.join([str(self._checkout), str(self._checkout / "training")]),
            "NUMBA_CACHE_DIR": str(self._kernels),
            "TMPDIR": str(self._temporary),
        }
        for file in files_of(root):
            place = self._checkout / file
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / file, place, follow_symlinks=False)

    async def judge(self, mutant: Mutant) -> str:
        """Runs the command on a mutant; returns what became of it."""
        with self._changed(mutant):
            return await self.run()

    async def run(self) -> str:
        """Runs the command on what is in the copy."""
        self._temporary.mkdir()
        try:
            with self._output.open("wb") as output:
                process = await asyncio.create_subprocess_shell(
                    self._command,
                    cwd=self._checkout,
                    env=self._environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            try:
                async with asyncio.timeout(self._seconds):
                    status = await process.wait()
            except TimeoutError:
                return "killed by time"
            finally:
                await end_group(process.pid)
                await process.wait()
        finally:
            shutil.rmtree(self._temporary, ignore_errors=True)
        return SURVIVED if status == 0 else f"killed: {told(self._output.read_text(errors='replace'), status)}"

    @contextmanager
    def _changed(self, mutant: Mutant) -> Iterator[None]:
        """Within this context the copy has the mutant; then it is as before, and kernels of the mutant are deleted."""
        file = self._checkout / mutant.file
        content, times, kernels = file.read_bytes(), file.stat(), self._kernel_folders()
        try:
            file.write_text(mutant.file_text(), encoding="utf-8")
            forget_bytecode(file)
            yield
        finally:
            file.write_bytes(content)
            # Numba compiles again what has another time.
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
            forget_bytecode(file)
            for folder in self._kernel_folders() - kernels:
                shutil.rmtree(folder, ignore_errors=True)

    def _kernel_folders(self) -> set[Path]:
        """A folder for each state of the source that kernels were compiled from."""
        return set(self._kernels.glob("*/*"))


@contextmanager
def copies_of(
    root: Path, number: int, command: str, seconds: float, environment: Mapping[str, str]
) -> Iterator[list[Copy]]:
    """Several copies of a checkout, which are deleted at the end."""
    with TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        yield [Copy(root, Path(folder) / str(index), command, seconds, environment) for index in range(number)]


def files_of(root: Path) -> list[Path]:
    """The files of a checkout that git knows or does not ignore.

    Raises:
      AlquerqueError: If git cannot list them.
    """
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        found = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        raise AlquerqueError(f"--command needs git and a checkout: git cannot list the files of {root}") from None
    return [file for file in map(Path, filter(None, found)) if file not in LEFT_OUT and (root / file).is_file()]


def forget_bytecode(file: Path) -> None:
    """Python would take a file of the same size and second for the one that it has compiled."""
    for compiled in Path(cache_from_source(file)).parent.glob(f"{file.stem}.*.pyc"):
        compiled.unlink()


def told(output: str, status: int) -> str:
    """The last failed test in the output of pytest, or the last line of another output, or the exit status."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    failed = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return ([f"exit status {status}", *lines, *failed][-1])[:MOST_TEXT]


async def end_group(leader: int) -> None:
    """Ends what is left of a group of processes: first by an interrupt, so that tests can end what they started."""
    for sign in (signal.SIGINT, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, sign)
            for _ in range(10 * GRACE):
                os.killpg(leader, 0)
                await asyncio.sleep(0.1)
