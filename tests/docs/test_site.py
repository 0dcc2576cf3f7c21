"""The documentation as a site: it is built without a warning, its notebooks run, and its search finds the guides."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.browser import CHROMIUM, FLAGS

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, which is built without a warning."""
    if any(find_spec(name) is None for name in ("furo", "myst_nb", "sphinx", "torch")):
        pytest.skip("needs the extras docs and train")
    folder = tmp_path_factory.mktemp("site")
    options = ["-W", "--keep-going", "-n", "-q", "-D", "games_to_play=fetaix,pretwa"]  # `test_docs.py` writes all games
    command = [sys.executable, "-m", "sphinx", *options, str(DOCS), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as browser:
        yield browser.new_page()


def test_code_of_notebooks_is_python_also_where_they_are_not_run() -> None:
    for notebook in (*DOCS.glob("tutorials/*.md"), *DOCS.glob("course/*.md")):
        assert "\n  language: python\n" in notebook.read_text(encoding="utf-8").split("---\n")[1], notebook


@pytest.mark.slow
def test_the_site_has_the_page_for_playing_and_the_notebooks(site: Path) -> None:
    notebooks = {file.name for file in (DOCS / "notebooks").iterdir()}
    assert {file.name for file in (site / "_downloads").rglob("*.ipynb")} == notebooks
    assert (site / "play" / "index.html").exists()
    assert {file.stem for file in (site / "play" / "games").iterdir()} == {"fetaix", "pretwa"}
    for name in ("index.html", "play.html"):
        assert 'href="play/"' in (site / name).read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_api_reference_shows_the_module_of_every_name(site: Path) -> None:
    for source in (DOCS / "api").glob("*.md"):
        shown = unescape(re.sub(r"<[^>]+>", "", (site / "api" / f"{source.stem}.html").read_text(encoding="utf-8")))
        names = re.findall(r"^\.\. auto(?:function|class|exception|data):: (\S+)", source.read_text(), re.MULTILINE)
        assert names
        assert [name for name in names if name not in shown] == []


def hits(site: Path, page: Page, words: str) -> list[str]:
    """Where the results of the site's search lead, best first."""
    page.goto(f"{(site / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    page.wait_for_function("document.querySelector('.search-summary')?.textContent.includes('found')")
    links = "links => links.map((link) => link.pathname + link.hash)"
    return page.eval_on_selector_all("ul.search > li > a", links)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_search_finds_the_guide_before_the_pages_of_games(site: Path, page: Page) -> None:
    for words in ("action mask", "observation", "reward", "render", "vector env"):
        guides = [hit for hit in hits(site, page, words) if "/api/" not in hit]
        assert guides[0].partition("#")[0].endswith("/environments.html"), words


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_search_finds_every_word_of_the_glossary_first(site: Path, page: Page) -> None:
    words = re.findall(r"^## (.*)$", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"Step", "Turn", "Ply", "Action", "Natural", "Uniform", "Critical", "Kept", "Image", "Clock"} <= set(words)
    for word in words:
        assert hits(site, page, word)[0].partition("#")[0].endswith("/glossary.html"), word
