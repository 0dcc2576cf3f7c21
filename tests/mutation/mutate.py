"""Mutation tests of the rules of play: small faults are put into the engine, one at a time, and a test must fail.

A mutant is one changed place in a function that finds legal actions, applies one or returns the outcome. Each runs in a
forked process with kernels off. The checks, fastest first: random positions compared with the reference under every
option value, the tests of the rules, random matches compared with the reference, many matches at once compared with
matches one by one. Mutants that no check can tell from
the original are listed in `equivalent.toml`, with the reason.

    python tests/mutation/mutate.py                  # all mutants, two at a time; needs Linux or macOS
    python tests/mutation/mutate.py --sample 40      # some of them
    python tests/mutation/mutate.py --results FILE   # keeps results in a file, and takes them from there

Exit status 0 if every surviving mutant is listed.
"""

import argparse
import ast
import contextlib
import copy
import io
import json
import multiprocessing
import os
import random
import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    os.environ["ALQUERQUE_JIT"] = "0"
    sys.path[:0] = [str(HERE.parent), str(HERE.parent / "engine"), str(HERE.parents[1])]

from alquerque_env.engine import binding, random_play, rules_scalar, rules_simd, vector_moves  # noqa: E402
from alquerque_env.engine import moves as moves_text  # noqa: E402
from alquerque_env.engine.words import integers, numpy_words  # noqa: E402
from alquerque_env.game import table_layout  # noqa: E402

EQUIVALENT = HERE / "equivalent.toml"
ENGINE = HERE.parents[1] / "alquerque_env" / "engine"
FUNCTIONS = {
    "rules": (
        *(
            "legal_actions",
            "apply_action",
            "outcome",
            "winner_of",
            "reward_of",
            "is_start",
            "_more_pieces",
            "keep_best",
            "_keep_continuing",
        ),
        *("_has_continuing_rival", "_keep_longest", "_longest_chain", "_was_seen", "_list_captures", "copy_state"),
    ),
    "moves": (
        *("look", "_look", "_take", "find_captures", "find_steps", "keep_opening", "add_pass", "can_continue"),
        *("count_capturable", "_narrow", "list_actions", "_list", "_section", "step_of"),
    ),
    "repetition": ("position_key",),
    "undo_memory": (*("remember", "forget", "remember_points", "forget_points", "forbid_remembered", "_within_steps"),),
}
# The modules that bind the text, with their kinds of words.
BINDING = {
    rules_scalar: (integers, moves_text),
    random_play: (integers, moves_text),
    rules_simd: (numpy_words, vector_moves),
}
SECONDS = 4
"""CPU time after which a check counts as failed."""
MEMORY = 4 << 30


class Mutant(NamedTuple):
    """A changed place.

    Attributes:
      function: Module and name, as `rules.outcome`.
      before: The first line of the statement that is changed.
      after: The same line after the change.
      number: Counts mutants that are alike so far.
      tree: The changed function.
    """

    function: str
    before: str
    after: str
    number: int
    tree: ast.FunctionDef

    @property
    def name(self) -> str:
        return f"{self.function}: {self.before}  ->  {self.after}" + (f"  #{self.number}" if self.number else "")


COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Every changed form of one node."""
    if isinstance(node, ast.Compare):
        for operator in COMPARISONS.get(type(node.ops[0]), ()):
            yield ast.Compare(node.left, [operator()], node.comparators)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
        for left_out in range(len(node.values)):
            values = [value for index, value in enumerate(node.values) if index != left_out]
            yield values[0] if len(values) == 1 else ast.BoolOp(node.op, values)
    is_nothing_added = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and value_of(node.right) == 0
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS and not is_nothing_added:
        changed = copy.copy(node)
        changed.op = OPERATORS[type(node.op)]()
        yield changed
    if isinstance(node, ast.UnaryOp):
        yield node.operand
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        changed = copy.copy(node)
        changed.test = ast.UnaryOp(ast.Not(), node.test)
        yield changed
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Continue) and not is_docstring(node):
        yield ast.Pass()
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        for value in (0, 1):
            if value != value_of(node.value):
                yield ast.Return(ast.Constant(value))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "max":
        yield ast.Call(ast.Name("min", ast.Load()), node.args, [])


def value_of(node: ast.AST) -> int | None:
    """The value of a name of the table's layout, such as ORIGIN, which is 0."""
    return vars(table_layout).get(node.id) if isinstance(node, ast.Name) else None


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def mutants() -> list[Mutant]:
    """All mutants of all functions."""
    found: list[Mutant] = []
    seen: Counter[tuple[str, str, str]] = Counter()
    for module, names in FUNCTIONS.items():
        tree = ast.parse((ENGINE / f"{module}.py").read_text(encoding="utf-8"))
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        for name in names:
            for before, after, changed in mutants_of(functions[name]):
                key = f"{module}.{name}", before, after
                found.append(Mutant(*key, seen[key], changed))
                seen[key] += 1
    return found


def mutants_of(function: ast.FunctionDef) -> Iterator[tuple[str, str, ast.FunctionDef]]:
    """The statement before and after, and the whole function, for every change of a function."""
    nodes = list(ast.walk(function))
    in_signature = {id(node) for node in ast.walk(function.args)} | {id(node) for node in function.decorator_list}
    for index, node in enumerate(nodes):
        if id(node) in in_signature or is_docstring(node):
            continue
        for number in range(len(list(changes(node)))):
            changed = copy.deepcopy(function)
            target = list(ast.walk(changed))[index]
            statement = enclosing(function, node)
            place = next(i for i, other in enumerate(nodes) if other is statement)
            replacement = list(changes(target))[number]
            Replace(target, replacement).visit(changed)
            ast.fix_missing_locations(changed)
            new = replacement if node is statement else list_statement(changed, function, place)
            yield first_line(statement), first_line(new), changed


class Replace(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old = old
        self.new = new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def statement_paths(function: ast.FunctionDef) -> dict[int, ast.stmt]:
    """The innermost statement around each node, by the node's identity."""
    around: dict[int, ast.stmt] = {}

    def enter(node: ast.AST, statement: ast.stmt) -> None:
        inner = node if isinstance(node, ast.stmt) else statement
        around[id(node)] = inner
        for child in ast.iter_child_nodes(node):
            enter(child, inner)

    enter(function, function)
    return around


def enclosing(function: ast.FunctionDef, node: ast.AST) -> ast.stmt:
    return statement_paths(function)[id(node)]


def list_statement(changed: ast.FunctionDef, function: ast.FunctionDef, place: int) -> ast.stmt:
    """The statement of a changed function that stands where one of the original does."""
    wanted = list(ast.walk(function))[place]
    originals = list(walk_statements(function))
    copies = list(walk_statements(changed))
    return copies[next(i for i, node in enumerate(originals) if node is wanted)]


def walk_statements(node: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
            yield from walk_statements(child)


def first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


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


# What runs in the process of a mutant.


def put_in(mutant: Mutant) -> None:
    """Changes the text and binds the function again, in every module that has it."""
    module_name, name = mutant.function.split(".")
    text = sys.modules[f"alquerque_env.engine.{module_name}"]
    binding.source_of(str(text.__file__))[name] = ast.unparse(mutant.tree)
    for module, kind in BINDING.items():
        if (
            name in binding.bound_in(module.__name__).functions
            and getattr(module, name).__code__.co_filename == text.__file__
        ):
            original = getattr(module, name)
            changed = binding.bind(getattr(text, name), vars(module), *kind)
            for other in list(sys.modules.values()):
                if getattr(other, "__dict__", {}).get(name) is original:
                    setattr(other, name, changed)


class Limit:
    """Lets a check fail that takes too long."""

    def __enter__(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)

    def __exit__(self, *error: object) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


class LimitEachTest:
    """A plugin of pytest that limits the time of each test."""

    def pytest_runtest_setup(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)

    def pytest_runtest_teardown(self) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def stop(*_: object) -> None:
    raise TimeoutError


class MatchError(Exception):
    """A difference from the reference, with the index of its game."""


def check_games(check: Callable[[Any], None], first: list[int]) -> None:
    """Compares with the reference under every option value, games in `first` before the others."""
    games = games_of_all_options()
    for index in [*first, *(index for index in range(len(games)) if index not in first)]:
        try:
            with Limit():
                check(games[index])
        except BaseException as error:
            raise MatchError(index) from error


@cache
def games_of_all_options() -> list[Any]:
    """Games under every option value, mixed so that options of all kinds are met early."""
    from option_values import every_value
    from test_against_reference import UNCOMMON, uncommon_game

    from alquerque_env import load_game

    cases = every_value()
    mixed = random.Random(1).sample(cases, len(cases))
    return [load_game(name, **options) for name, options in mixed] + [uncommon_game(*case) for case in UNCOMMON]


def check_tests() -> None:
    """The tests of the rules."""
    import pytest

    engine = HERE.parent / "engine"
    tests = [
        f"{engine}/test_rules.py",
        f"{engine}/test_engine.py::test_legal_actions_do_not_depend_on_what_buffers_held_before",
        f"{engine}/test_engine.py::test_the_opening_rule_holds_at_any_clock_where_there_is_no_limit",
    ]
    options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", f"--rootdir={HERE.parents[1]}"]
    if pytest.main([*tests, *options], [LimitEachTest()]) != 0:
        raise AssertionError("a test of the rules failed")


def run_checks(first: list[int]) -> None:
    """Raises an error if a check fails."""
    from batch_digest import compare_batches
    from test_against_reference import compare_matches, compare_positions

    check_games(compare_positions, first)
    check_tests()
    check_games(lambda game: compare_matches(game, 4), first)
    check_games(compare_batches, first)


def run_mutant(mutant: Mutant, first: list[int], connection: Any) -> None:
    """Sends how a mutant was killed, or that it survived, and the index of the game that killed it."""
    signal.signal(signal.SIGVTALRM, stop)
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.setrecursionlimit(2000)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            put_in(mutant)
            run_checks(first)
            result = "survived", None
        except MatchError as error:
            result = f"killed by {type(error.__cause__).__name__}", error.args[0]
        except BaseException as error:
            result = f"killed by {type(error).__name__}", None
    connection.send(result)


def run_in_fork(mutant: Mutant, killers: list[int]) -> str:
    """Runs one mutant in a process of its own; games that have killed mutants come first, the latest before others."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=run_mutant, args=(mutant, killers[::-1], sender))
    process.start()
    sender.close()
    try:
        result, killer = receiver.recv()
    except EOFError:
        result, killer = "killed with its process", None
    process.join()
    if killer is not None:
        killers[:] = [index for index in killers if index != killer] + [killer]
    return str(result)


def run(chosen: list[Mutant], jobs: int, results: Path | None) -> dict[str, str]:
    """Runs mutants; returns what became of each."""
    known: dict[str, str] = {}
    if results and results.exists():
        known = dict(json.loads(line) for line in results.read_text(encoding="utf-8").splitlines())
    to_do = [mutant for mutant in chosen if mutant.name not in known]
    killers: list[int] = []
    with ThreadPoolExecutor(jobs) as pool:
        done = pool.map(lambda mutant: run_in_fork(mutant, killers), to_do)
        for number, (mutant, result) in enumerate(zip(to_do, done, strict=True), 1):
            known[mutant.name] = result
            print(f"{number}/{len(to_do)}  {result:24} {mutant.name}", flush=True)
            if results:
                with results.open("a", encoding="utf-8") as file:
                    print(json.dumps([mutant.name, result]), file=file)
    return known


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N", help="run N mutants only, drawn with the seed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, metavar="FILE", help="JSON lines; mutants that stand there are not run")
    parser.add_argument("--only", default="", metavar="TEXT", help="run mutants whose name contains this text")
    arguments = parser.parse_args()
    run_checks_unchanged()
    chosen = [mutant for mutant in mutants() if arguments.only in mutant.name]
    if arguments.sample:
        chosen = random.Random(arguments.seed).sample(chosen, min(arguments.sample, len(chosen)))
    known = run(chosen, arguments.jobs, arguments.results)
    survivors = [mutant for mutant in chosen if known[mutant.name] == "survived"]
    unlisted = [mutant for mutant in survivors if not any(is_listed(mutant, entry) for entry in listed())]
    killed = len(chosen) - len(survivors)
    print(f"{len(chosen)} mutants: {killed} killed, {len(survivors) - len(unlisted)} listed as equivalent")
    for mutant in unlisted:
        print(f"SURVIVED  {mutant.name}")
    return 1 if unlisted else 0


def run_checks_unchanged() -> None:
    """Loads what the checks need, so that every fork has it, and makes sure that they pass."""
    signal.signal(signal.SIGVTALRM, stop)
    run_checks([])


if __name__ == "__main__":
    sys.exit(main())
