"""Mutants are as they are listed, a sample of those of the rules is killed, and commands judge mutants in copies."""

import ast
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

from alquerque_env.engine import binding, random_play, rules
from tools.mutation import copies, mutants, mutate, rule_checks

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
TOY = '''\
"""A module of two functions."""


class Box:
    # What is before a function stays.
    @staticmethod
    def double(number: int = 2) -> int:
        """Doubles a number."""
        return number * 2


def count(number: int) -> int:
    found = 0
    while found < number:
        found += 1
    return found
'''
forks = pytest.mark.skipif(sys.platform == "win32", reason="mutants run in processes of POSIX")


@pytest.fixture(scope="module")
def groups():
    return [mutants.mutants(group) for group in mutants.GROUPS]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The top folder of a checkout with one module, whose mutants are the only ones."""
    root = tmp_path / "toy_checkout"
    root.mkdir()
    (root / "toy.py").write_text(TOY)
    monkeypatch.setattr(copies, "files_of", lambda root: [Path("toy.py")])
    monkeypatch.setattr(mutate, "ROOT", root)
    monkeypatch.setattr(mutate, "GROUPS", ["toy"])
    monkeypatch.setattr(mutate, "mutants", lambda group: toy_mutants(root))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return root


def toy_mutants(root):
    return list(mutants.mutants_of_file(root, Path("toy.py")))


def changed_by(root, before, after):
    return next(each for each in toy_mutants(root) if (each.before, each.after) == (before, after))


def test_every_listed_mutant_is_one_of_the_source_and_has_a_reason(groups):
    for entry in mutate.listed():
        assert any(mutate.is_listed(mutant, entry) for group in groups for mutant in group), entry
        assert len(entry["reason"].split()) > 5, entry


def test_mutants_differ_from_the_source_and_from_each_other(groups):
    names = [mutant.name for group in groups for mutant in group]
    assert len(names) > 5000
    assert all(len(group) > 20 for group in groups)
    assert len(set(names)) == len(names)
    assert all(mutant.before != mutant.after for group in groups for mutant in group)


def test_a_file_with_a_mutant_differs_from_the_source_in_one_place(toy):
    found = toy_mutants(toy)
    assert {mutant.function for mutant in found} == {"toy.Box.double", "toy.count"}
    original = ast.unparse(ast.parse(TOY)).splitlines()
    for mutant in found:
        lines = ast.unparse(ast.parse(mutant.file_text())).splitlines()
        assert [line.strip() for line, other in zip(lines, original, strict=True) if line != other] == [mutant.after]
        assert "# What is before a function stays." in mutant.file_text()


def test_mutants_are_drawn_evenly_from_all_groups_and_the_same_with_the_same_seed(groups):
    drawn = mutate.draw(groups, 60, seed=0)
    assert Counter(mutant.code.file.parts[:2] for mutant in mutate.draw(groups, 12, seed=0)) == {
        ("alquerque_env", "engine"): 2,
        ("alquerque_env", "match"): 4,
        ("alquerque_env", "solve"): 2,
        ("training", "alquerque_training"): 2,
        ("alquerque_env", "arena"): 2,
    }
    assert drawn == mutate.draw(groups, 60, seed=0) != mutate.draw(groups, 60, seed=1)
    # A small group gives what it has, and the others give the rest.
    assert len(mutate.draw([groups[0][:3], groups[1]], 60, seed=0)) == 60


def test_a_mutant_is_bound_as_the_module_binds_the_function():
    for module in rule_checks.BINDING:
        bound = binding.bound_in(module.__name__).functions
        for name in ("legal_actions", "apply_action"):
            if name in bound:
                before = ast.unparse(bound[name])
                binding.bind_again(getattr(rules, name), dict(vars(module)))
                assert ast.unparse(bound[name]) == before
    # Captures are counted there, and not compared.
    assert "keep_all(" in ast.unparse(binding.bound_in(random_play.__name__).functions["legal_actions"])


@forks
@pytest.mark.slow
def test_a_command_kills_a_mutant_by_its_exit_status_or_by_time(toy, tmp_path):
    check = f"{sys.executable} -c 'import toy; assert toy.Box.double(3) == 6; toy.count(3); print(toy.__file__)'"
    copy, hasty = (copies.Copy(toy, tmp_path / str(limit), check, limit, os.environ) for limit in (60, 1))
    double = "return number * 2"

    async def judge():
        return [
            await copy.run(),
            await copy.judge(changed_by(toy, double, "return number + 2")),
            await copy.judge(changed_by(toy, "return found", "return 1")),
            await hasty.judge(changed_by(toy, "found += 1", "pass")),
            await copy.run(),
        ]

    assert asyncio.run(judge()) == ["survived", "killed: AssertionError", "survived", "killed by time", "survived"]
    assert (tmp_path / "60" / "output").read_text().strip() == str(tmp_path / "60" / "checkout" / "toy.py")
    assert (toy / "toy.py").read_text() == TOY


@forks
def test_kernels_and_temporary_files_of_a_mutant_are_deleted_and_those_of_the_source_stay(toy, tmp_path):
    # A folder for each state of the source, as the package makes them.
    check = 'state=$NUMBA_CACHE_DIR/kernels/$(cksum < toy.py | cut -d" " -f1); mkdir -p $state; mkdir $TMPDIR/rest'
    copy = copies.Copy(toy, tmp_path / "copy", check, 10, os.environ)
    asyncio.run(copy.run())
    (kept,) = (tmp_path / "copy" / "kernels" / "kernels").iterdir()
    time_of_source = (tmp_path / "copy" / "checkout" / "toy.py").stat().st_mtime_ns
    assert asyncio.run(copy.judge(toy_mutants(toy)[0])) == "survived"
    assert list((tmp_path / "copy" / "kernels" / "kernels").iterdir()) == [kept]
    assert not (tmp_path / "copy" / "tmp").exists()
    # Numba compiles a file again that has another time.
    assert (tmp_path / "copy" / "checkout" / "toy.py").stat().st_mtime_ns == time_of_source


@forks
def test_a_run_goes_on_where_it_ended_and_another_command_is_refused(toy, tmp_path, capsys):
    file, count = tmp_path / "results", len(toy_mutants(toy))
    words = ["--results", str(file), "--jobs", "2", "--command"]
    assert mutate.main([*words, "grep -q 'found +=' toy.py", "--only", "found += 1"]) == 1
    assert "SURVIVED  toy.count: found += 1  ->  found += 2" in capsys.readouterr().out
    part = file.read_text()
    assert 0 < len(part.splitlines()) < count
    assert mutate.main([*words, "grep -q 'found +=' toy.py"]) == 1
    assert file.read_text().startswith(part)
    assert len(file.read_text().splitlines()) == 1 + count
    assert mutate.main([*words, "false"]) == 2
    assert "choose another file" in capsys.readouterr().err
    assert not list(tmp_path.glob("mutants-*"))


@forks
def test_a_command_that_fails_on_the_unchanged_source_judges_nothing(toy, capsys):
    assert mutate.main(["--command", "echo no such test; exit 4"]) == 2
    assert capsys.readouterr().err == (
        "mutate.py: the command fails on the unchanged source, where it must pass: no such test\n"
    )


@pytest.mark.parametrize("words", [["--group", "arena"], ["--only", "sprt."]])
def test_mutants_of_other_groups_are_refused_without_a_command(words, capsys):
    assert mutate.main(words) == 2
    assert "command" in capsys.readouterr().err


def test_a_comparison_names_what_the_old_command_killed_and_the_new_one_does_not(tmp_path, capsys):
    results = {
        "old": {"a": "killed: FAILED test", "b": "killed by time", "c": "survived", "d": "killed: FAILED test"},
        "new": {"a": "killed: exit status 1", "b": "survived", "c": "survived"},
    }
    for name, found in results.items():
        lines = [{"mutants_file": 1, "command": name}, *({"mutant": a, "result": b} for a, b in found.items())]
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    assert mutate.main(["--compare", old, new]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "SURVIVED  b  (was killed by time)",
        "NOT RUN   d  (was killed: FAILED test)",
        "4 mutants: OLD kills 3, NEW kills 1 of these",
    ]
    assert mutate.main(["--compare", new, new]) == 0
    assert mutate.main(["--compare", __file__, new]) == 2


@pytest.mark.long
@forks
def test_a_sample_of_the_mutants_is_killed():
    command = [sys.executable, "-m", "tools.mutation.mutate", "--sample", "40", "--seed", "1"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.long
@forks
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_its_commands_and_leaves_no_copies(sign, tmp_path):
    started, folder = tmp_path / "started", tmp_path / "temporary"
    folder.mkdir()
    command = f"trap '' INT; ls alquerque_env/arena/sprt.py && echo $$ >> {started}; sleep 600"
    words = [sys.executable, "-m", "tools.mutation.mutate", "--only", "sprt.", "--jobs", "2", "--command", command]
    with subprocess.Popen(words, env={**ENVIRONMENT, "TMPDIR": str(folder)}) as process:
        while not started.exists() or len(started.read_text().split()) < 2:
            time.sleep(0.1)
        process.send_signal(sign)
        time.sleep(1)
        process.send_signal(sign)  # does not interrupt the clean-up
        assert process.wait(60) == 130
    for leader in started.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.killpg(int(leader), 0)
    assert not list(folder.iterdir())
