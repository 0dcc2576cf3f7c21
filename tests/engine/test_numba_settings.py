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


SILENT, UNREADABLE = "", "'NUMBA_DISABLE_JIT' is defined but its associated value"
UNKNOWN, BROKEN = (
    "ALQUERQUE_JIT is 'false', expected 0 or 1",
    "Numba cannot be imported, so kernels run as plain Python",
)


@pytest.mark.parametrize(
    ("setting", "compiles", "told"),
    [
        ("ALQUERQUE_JIT=false", True, UNKNOWN),
        ("ALQUERQUE_JIT=0", False, SILENT),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("ALQUERQUE_JIT=1", True, SILENT),
                ("ALQUERQUE_JIT=", True, SILENT),
                ("NUMBA_DISABLE_JIT=0", True, SILENT),
                *((f"NUMBA_DISABLE_JIT={value}", False, SILENT) for value in (1, 2, -1)),
                *((f"NUMBA_DISABLE_JIT={value}", True, UNREADABLE) for value in ("true", "0x1", "")),
                *((text, False, SILENT) for text in ("disable_jit: 1", "disable_jit: 2", "DISABLE_JIT: true")),
                *((text, False, BROKEN) for text in ("[1, 2]", "a: [")),
            )
        ),
    ],
)
def test_settings_and_their_files_are_followed_or_told_in_a_sentence(setting, compiles, told, tmp_path):
    name, is_variable, value = setting.partition("=")
    if not is_variable:
        write_settings(tmp_path, setting)
    done = run(SAY, tmp_path, **({name: value} if is_variable else {}))
    assert done.stdout.split()[0] == str(compiles)
    assert told in done.stderr
    assert (done.stderr == "") == (told == SILENT)
    assert "Traceback" not in done.stderr
    if told == SILENT and not is_variable:
        assert run(PLAY, tmp_path).stdout.strip() == "12"


@pytest.mark.slow
def test_settings_of_a_folder_that_is_entered_later_change_nothing(tmp_path):
    write_settings(tmp_path, "disable_jit: 1")
    enter = f"import alquerque_env.engine.forms, os; os.chdir({str(tmp_path)!r}); {PLAY}"
    done = run(enter, tmp_path.parent, ALQUERQUE_JIT="1")
    assert (done.stdout.strip(), done.stderr) == ("12", "")


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
