"""Mutation tests: small faults are put into the source, one at a time, and a test must fail.

A mutant is one changed place in a function. The groups of mutants are the rules of play, position text, records,
endgame tables, `gae.py` and the arena. Mutants of the rules run under the checks of `rule_checks.py`. With --command
mutants of all groups run under a command, in a copy of the checkout; exit status 0 means that the mutant survived.
Mutants that no check can tell from the original are listed in `equivalent.toml`, with the reason. Needs Linux or macOS.

    python -m tools.mutation.mutate                    # all mutants of the rules, two at a time
    python -m tools.mutation.mutate --sample 40        # some of them
    python -m tools.mutation.mutate --results FILE     # keeps results in a file, and takes them from there
    python -m tools.mutation.mutate --command "pytest -x" --sample 60 --results NEW
    python -m tools.mutation.mutate --compare OLD NEW  # what OLD kills and NEW does not

Exit status 0 if every surviving mutant is listed, or if NEW kills all that OLD kills.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import time
import tomllib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ENVIRONMENT = dict(os.environ)
"""The variables for commands: as they were before kernels are switched off for the checks of the rules."""
if __name__ == "__main__":
    os.environ["ALQUERQUE_JIT"] = "0"

from alquerque_env.errors import AlquerqueError  # noqa: E402
from alquerque_env.files.json_lines import JsonLines, whole_lines  # noqa: E402
from tools.mutation.copies import copies_of  # noqa: E402
from tools.mutation.mutants import GROUPS, ROOT, RULES, SURVIVED, Mutant, mutants  # noqa: E402

EQUIVALENT = HERE / "equivalent.toml"
Judge = Callable[[Mutant], Awaitable[str]]


def listed() -> list[dict[str, Any]]:
    """The entries of `equivalent.toml`."""
    return tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("equivalent", [])


def is_listed(mutant: Mutant, entry: dict[str, Any]) -> bool:
    return (mutant.function, mutant.before, mutant.after, mutant.number) == (
        entry["function"],
        entry["before"],
        entry["after"],
        entry.get("number", 0),
    )


def draw(groups: Sequence[Sequence[Mutant]], count: int, seed: int) -> list[Mutant]:
    """Draws mutants, evenly from all groups as far as these have enough."""
    chance = random.Random(seed)
    mixed = [chance.sample(group, len(group)) for group in groups]
    return [mutant for each in zip_longest(*mixed) for mutant in each if mutant is not None][:count]


class Results(ExitStack):
    """What became of mutants under a command: in memory, and in a file if there is one, from which a run goes on.

    Raises:
      AlquerqueError: If the file has results of another command, or is damaged.
    """

    def __init__(self, path: Path | None, command: str | None) -> None:
        super().__init__()
        self.known = read_results(path) if path and path.exists() else {}
        self._file: JsonLines | None = None
        if path:
            header = {"command": command or "the checks of the rules"}
            self._file = self.enter_context(JsonLines(path, "results of mutants", ("mutants_file", 1), header))

    def add(self, mutant: Mutant, result: str) -> None:
        self.known[mutant.name] = result
        if self._file:
            self._file.add({"mutant": mutant.name, "result": result})


def read_results(path: Path) -> dict[str, str]:
    """The results in a file, by the names of mutants."""
    try:
        lines = [json.loads(line) for line in whole_lines(path.read_bytes())[1:]]
        return {line["mutant"]: line["result"] for line in lines}
    except (ValueError, KeyError, TypeError):
        raise AlquerqueError(f"{str(path)!r} is damaged or no file that --results wrote: choose another file") from None


def compare(old: dict[str, str], new: dict[str, str]) -> int:
    """Prints what the old results kill and the new ones do not; returns the exit status."""
    killed = [name for name, result in old.items() if result != SURVIVED]
    missed = [name for name in killed if new.get(name, SURVIVED) == SURVIVED]
    for name in missed:
        print(f"{'SURVIVED' if name in new else 'NOT RUN '}  {name}  (was {old[name]})")
    print(f"{len(old)} mutants: OLD kills {len(killed)}, NEW kills {len(killed) - len(missed)} of these")
    return 1 if missed else 0


async def stoppable(work: Awaitable[None]) -> None:
    """Cancels work at Ctrl-C or SIGTERM. A second signal does not interrupt the clean-up: task groups wait for it."""
    task = asyncio.current_task()
    assert task
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, task.cancel)
    await work


async def run(to_do: list[Mutant], judges: Sequence[Judge], results: Results) -> None:
    """Judges mutants, as many at a time as there are judges."""
    left = enumerate(to_do, 1)

    async def work(judge: Judge) -> None:
        for number, mutant in left:
            result = await judge(mutant)
            results.add(mutant, result)
            print(f"{number}/{len(to_do)}  {result:24} {mutant.name}", flush=True)

    async with asyncio.TaskGroup() as tasks:
        for judge in judges:
            tasks.create_task(work(judge))


async def run_command(to_do: list[Mutant], arguments: argparse.Namespace, results: Results) -> None:
    """Runs mutants under a command, which must first find no fault in the source as it is."""
    jobs = min(arguments.jobs, len(to_do))
    with copies_of(ROOT, jobs, arguments.command, 60 * arguments.minutes, ENVIRONMENT) as copies:
        began = time.monotonic()
        async with asyncio.TaskGroup() as tasks:
            unchanged = [tasks.create_task(copy.run()) for copy in copies]
        for task in unchanged:
            if task.result() != SURVIVED:
                why = task.result().removeprefix("killed: ")
                raise AlquerqueError(f"the command fails on the unchanged source, where it must pass: {why}")
        print(f"the command takes {time.monotonic() - began:.0f} s on the unchanged source", flush=True)
        await run(to_do, [copy.judge for copy in copies], results)


def run_rule_checks(to_do: list[Mutant], jobs: int, results: Results) -> None:
    """Runs mutants of the rules under their checks."""
    # Here, because they load the whole engine.
    from tools.mutation.rule_checks import run_checks_unchanged, run_in_fork

    run_checks_unchanged()
    killers: list[int] = []
    asyncio.run(stoppable(run(to_do, [lambda mutant: run_in_fork(mutant, killers)] * jobs, results)))


def choose(arguments: argparse.Namespace) -> list[Mutant]:
    """The mutants that the arguments ask for.

    Raises:
      AlquerqueError: If there are none, or if the checks of the rules do not cover them.
    """
    runs_anything = arguments.command or arguments.list
    names = arguments.group or (list(GROUPS) if runs_anything else [RULES])
    if not runs_anything and names != [RULES]:
        raise AlquerqueError("the checks that run without --command know the rules only: name a command, or no group")
    groups = [[mutant for mutant in mutants(name) if arguments.only in mutant.name] for name in dict.fromkeys(names)]
    if not any(groups):
        others = "" if runs_anything else "; mutants of other groups need --command"
        raise AlquerqueError(f"no mutant of {' or '.join(names)} has {arguments.only!r} in its name{others}")
    if arguments.sample:
        return draw(groups, arguments.sample, arguments.seed)
    return [mutant for group in groups for mutant in group]


def report(chosen: list[Mutant], known: dict[str, str]) -> int:
    """Prints the surviving mutants; returns the exit status."""
    survivors = [mutant for mutant in chosen if known[mutant.name] == SURVIVED]
    unlisted = [mutant for mutant in survivors if not any(is_listed(mutant, entry) for entry in listed())]
    killed = len(chosen) - len(survivors)
    print(f"{len(chosen)} mutants: {killed} killed, {len(survivors) - len(unlisted)} listed as equivalent")
    for mutant in unlisted:
        print(f"SURVIVED  {mutant.name}")
    return 1 if unlisted else 0


def positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r}, expected a whole number from 1 on")
    return number


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", metavar="CMD", help="judge mutants of all groups by this command of the shell")
    parser.add_argument("--minutes", type=positive, default=30, help="time after which CMD has killed a mutant")
    parser.add_argument("--group", action="append", choices=GROUPS, help="run mutants of these groups only")
    parser.add_argument("--only", default="", metavar="TEXT", help="run mutants whose name contains this text")
    parser.add_argument("--sample", type=positive, metavar="N", help="run N mutants, drawn evenly from the groups")
    parser.add_argument("--seed", type=int, default=0, help="which mutants are drawn")
    parser.add_argument("--list", action="store_true", help="print the names of the mutants and run none")
    parser.add_argument("--jobs", type=positive, default=2, help="mutants at a time")
    parser.add_argument("--results", type=Path, metavar="FILE", help="JSON lines; mutants that stand there are not run")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("OLD", "NEW"), help="compare two files of results")
    return parser.parse_args(words)


def fail(why: str) -> int:
    """Prints why nothing was run; returns the exit status."""
    print(f"mutate.py: {why}", file=sys.stderr)
    return 2


def main(words: Sequence[str] | None = None) -> int:
    arguments = parse(words)
    try:
        if arguments.compare:
            return compare(*map(read_results, arguments.compare))
        chosen = choose(arguments)
        if arguments.list:
            print(*(mutant.name for mutant in chosen), sep="\n")
            return 0
        with Results(arguments.results, arguments.command) as results:
            to_do = [mutant for mutant in chosen if mutant.name not in results.known]
            if to_do and arguments.command:
                asyncio.run(stoppable(run_command(to_do, arguments, results)))
            elif to_do:
                run_rule_checks(to_do, arguments.jobs, results)
            return report(chosen, results.known)
    except OSError as error:
        return fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except AlquerqueError as error:
        return fail(str(error))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("stopped; the results so far are kept with --results FILE, and the same command goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    # A shell lets what it starts in the background ignore it, and commands would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
