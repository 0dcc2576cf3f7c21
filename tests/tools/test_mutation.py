"""Mutants are as they are listed, a sample of those of the rules is killed, and commands judge mutants in copies."""

import ast
import os
import subprocess
import sys

import pytest

from alquerque_env.engine import binding, random_play, rules
from tools.mutation import mutants, mutate, rule_checks

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
forks = pytest.mark.skipif(sys.platform == "win32", reason="mutants run in processes of POSIX")


@pytest.fixture(scope="module")
def groups():
    return [mutants.mutants(group) for group in mutants.GROUPS]


def test_every_listed_mutant_is_one_of_the_source_and_has_a_reason(groups):
    for entry in mutate.listed():
        assert any(mutate.is_listed(mutant, entry) for group in groups for mutant in group), entry
        assert len(entry["reason"].split()) > 5, entry


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


@pytest.mark.long
@forks
def test_a_sample_of_the_mutants_is_killed():
    command = [sys.executable, "-m", "tools.mutation.mutate", "--sample", "40", "--seed", "1"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
