"""The documentation as a site: it is built without a warning, and its notebooks run."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("furo", "myst_nb", "sphinx", "torch")),
    reason="needs the extras docs and train",
)
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    options = ["-W", "--keep-going", "-n", "-q", "-D", "games_to_play=fetaix,pretwa"]  # `test_docs.py` writes all games
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "searchindex.js").exists()
    assert (tmp_path / "play" / "index.html").exists()
    assert {file.stem for file in (tmp_path / "play" / "games").iterdir()} == {"fetaix", "pretwa"}
    for page in ("index.html", "play.html"):
        assert 'href="play/"' in (tmp_path / page).read_text(encoding="utf-8")
