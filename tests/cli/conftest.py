"""What all tests of commands share."""

from pathlib import Path

import platformdirs
import pytest


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where matches that are left are kept: not among those of whoever runs the tests."""
    folder = tmp_path / "state" / "alquerque-env"
    monkeypatch.setattr(platformdirs, "user_state_dir", lambda _: str(folder))
    # For programs of their own.
    monkeypatch.setenv("XDG_STATE_HOME", str(folder.parent))
    return folder
