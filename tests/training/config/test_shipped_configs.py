"""Configs by name, and all settings as TOML."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from alquerque_training.config.settings import Config
from alquerque_training.run.config_file import find_config, load_config, parse_config, shipped_configs

from alquerque_env.errors import UnknownNameError

CONFIGS = Path(__file__).parents[3] / "configs"


def test_every_config_of_the_checkout_is_known_by_its_name() -> None:
    assert {name: path.read_text(encoding="utf-8") for name, path in shipped_configs().items()} == {
        path.stem: path.read_text(encoding="utf-8") for path in CONFIGS.glob("*.toml")
    }


def test_a_name_goes_before_a_file_of_the_same_name_and_a_path_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "quickstart").write_text("[run]\nseed = 77\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert load_config("quickstart") == load_config(CONFIGS / "quickstart.toml")
    assert load_config("./quickstart").run.seed == 77
    assert find_config(tmp_path / "quickstart") == tmp_path / "quickstart"


@pytest.mark.parametrize("given", ["quickstar", "configs/quickstart.tom"])
def test_an_unknown_name_is_refused_with_the_known_ones(given: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find_config(given)

    assert str(caught.value) == (
        f"no config {given!r}; did you mean 'quickstart'? (known: {', '.join(sorted(shipped_configs()))})"
    )


@pytest.mark.parametrize("name", sorted(shipped_configs()))
def test_settings_survive_their_toml(name: str) -> None:
    config = load_config(name, ["run.options.undo_scope=per_coin", 'run.directory=a "quoted" \\ pläce', "run.seed=5"])

    assert parse_config(tomllib.loads(config.toml()), "printed") == config


def test_toml_has_every_setting() -> None:
    printed = Config().toml()

    for section, table in Config().as_data().items():
        assert f"[{section}]" in printed
        assert all(f"\n{key} = " in printed or f"\n# {key} is not set" in printed for key in table)


@pytest.mark.slow
def test_print_config_prints_what_the_run_would_use_and_trains_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "alquerque_env", "train", "quickstart", "run.seed=8", "--print-config"]

    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert parse_config(tomllib.loads(done.stdout), "printed") == load_config("quickstart", ["run.seed=8"])
    assert list(tmp_path.iterdir()) == []
