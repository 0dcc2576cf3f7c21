"""The tiny run of `tiny_runs.py`, for tests that stop it in many ways."""

from pathlib import Path

import pytest
from alquerque_training.run.train import TrainingResult, train
from tiny_runs import TINY


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with nothing in it but the config `tiny.toml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path


@pytest.fixture(scope="session")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> TrainingResult:
    """The tiny run without any interruption."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    (folder / "tiny.toml").write_text(TINY)
    return train(folder / "tiny.toml", [f"run.directory={folder}"])
