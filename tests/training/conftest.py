"""A small run, for tests that stop it in many ways: of `CONFIG` of the module of a test, or of `TINY`."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from alquerque_training.run.train import TrainingResult, train

from tests.training.tiny_runs import TINY


def config_of(request: pytest.FixtureRequest) -> str:
    return getattr(request.module, "CONFIG", TINY)


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with nothing in it but the config `tiny.toml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(config_of(request))
    return tmp_path


@pytest.fixture(scope="session")
def train_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TrainingResult]:
    @cache
    def run(config: str) -> TrainingResult:
        folder = tmp_path_factory.mktemp("uninterrupted")
        (folder / "tiny.toml").write_text(config)
        return train(folder / "tiny.toml", [f"run.directory={folder}"])

    return run


@pytest.fixture(scope="module")
def uninterrupted(request: pytest.FixtureRequest, train_once: Callable[[str], TrainingResult]) -> TrainingResult:
    """The run without any interruption."""
    return train_once(config_of(request))
