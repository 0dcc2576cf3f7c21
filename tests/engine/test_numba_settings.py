"""Settings of Numba in the environment and in `.numba_config.yaml`: Numba itself says whether it compiles."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")

SAY = "from alquerque_env.game.kernel_arrays import JIT; import sys; print(JIT, 'numba' in sys.modules)"
PLAY = "import alquerque_env; print(alquerque_env.perft('alquerque', 4))"


def run(program: str, folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("ALQUERQUE_JIT", *settings)}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), **settings}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def write_settings(folder: Path, text: str) -> None:
    pytest.importorskip("yaml")  # without it Numba leaves the file alone
    (folder / ".numba_config.yaml").write_text(text, encoding="utf-8")


def test_whether_kernels_are_compiled_is_known_without_importing_numba(tmp_path):
    assert run(SAY, tmp_path).stdout.split() == ["True", "False"]


@pytest.mark.slow
@pytest.mark.parametrize(("value", "compiles"), [("0", True), ("1", False), ("2", False), ("-1", False)])
def test_every_number_that_switches_numba_off_is_followed(value, compiles, tmp_path):
    done = run(SAY, tmp_path, NUMBA_DISABLE_JIT=value)
    assert (done.stdout.split()[0], done.stderr) == (str(compiles), "")


@pytest.mark.slow
@pytest.mark.parametrize("value", ["true", "0x1", ""])
def test_a_setting_that_numba_cannot_read_is_told_in_a_sentence(value, tmp_path):
    done = run(SAY, tmp_path, NUMBA_DISABLE_JIT=value)
    assert done.stdout.split()[0] == "True"
    assert "'NUMBA_DISABLE_JIT' is defined but its associated value" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("value", ["disable_jit: 1", "disable_jit: 2", "DISABLE_JIT: true"])
def test_a_file_of_settings_that_switches_numba_off_is_followed(value, tmp_path):
    write_settings(tmp_path, value)
    assert run(SAY, tmp_path).stdout.split()[0] == "False"
    done = run(PLAY, tmp_path)
    assert (done.stdout.strip(), done.stderr) == ("12", "")


@pytest.mark.slow
@pytest.mark.parametrize("value", ["[1, 2]", "a: ["])
def test_a_file_of_settings_that_numba_cannot_read_is_told_in_a_sentence(value, tmp_path):
    write_settings(tmp_path, value)
    done = run(SAY, tmp_path)
    assert done.stdout.split()[0] == "False"
    assert "Numba cannot be imported, so kernels run as plain Python" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_settings_of_a_folder_that_is_entered_later_change_nothing(tmp_path):
    write_settings(tmp_path, "disable_jit: 1")
    enter = f"import alquerque_env.engine.forms, os; os.chdir({str(tmp_path)!r}); {PLAY}"
    done = run(enter, tmp_path.parent, ALQUERQUE_JIT="1")
    assert (done.stdout.strip(), done.stderr) == ("12", "")


@pytest.mark.parametrize(
    ("value", "compiles"),
    [("false", True), ("0", False), *(pytest.param(value, True, marks=pytest.mark.slow) for value in ("1", ""))],
)
def test_a_wrong_value_of_the_switch_of_the_package_is_told(value, compiles, tmp_path):
    done = run(SAY, tmp_path, ALQUERQUE_JIT=value)
    assert done.stdout.split()[0] == str(compiles)
    assert ("ALQUERQUE_JIT is 'false', expected 0 or 1: it is ignored" in done.stderr) == (value == "false")


@pytest.mark.slow
def test_commands_run_in_a_folder_whose_settings_switch_numba_off(tmp_path):
    write_settings(tmp_path, "disable_jit: 1")
    program = "import sys; sys.argv = ['alquerque', *{!r}]; from alquerque_env.cli.main import main; main()"
    for command in (["perft", "alquerque", "--depth", "2"], ["games"], ["rollouts", "alquerque", "--matches", "2"]):
        done = run(program.format(command), tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    told = run(program.format(["compile"]), tmp_path)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert ".numba_config.yaml switches compilation off" in told.stderr
