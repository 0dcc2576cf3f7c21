"""The documentation as a site: `sphinx-build -W --keep-going -n docs site`.

Pages are plain Markdown, so that they also read well in the repository. What only a site needs is added here: the
navigation follows the links of `index.md`, `<!-- include: FILE -->` stands for a file outside of `docs/`, and `play/`
holds the page for playing, as `alquerque site` writes it, with the games of `-D games_to_play=`, by default all.
"""

import os
import re
import sys
from importlib.metadata import version as version_of
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))
from make_notebooks import DOCS, PAGES, URLS, colab

from alquerque_env import games, load_game
from alquerque_env.web.site.site_folder import write_site

ROOT = DOCS.parent
REPOSITORY = URLS["Source"]
# The kernels of the notebooks find the checkers of the course.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(DOCS / "course"), os.environ.get("PYTHONPATH")]))

project = "alquerque-env"
project_copyright = "The alquerque-env authors"
release = version_of("alquerque-env")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["images", "notebooks"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_execution_show_tb = True
nb_merge_streams = True

autodoc_mock_imports = ["pyspiel", "ray", "stable_baselines3", "tensordict", "tianshou", "torchrl"]
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
# Types of other libraries and of modules that are not public are named, and not linked.
nitpick_ignore_regex = [("py:class", ".*"), ("py:exc", "gymnasium.*")]

html_theme = "furo"
html_title = f"alquerque-env {release}"
html_theme_options = {"source_repository": REPOSITORY, "source_branch": "main", "source_directory": "docs/"}
html_show_sphinx = False


_PLAY = '<a href="play/">Play here</a>: every game, in the browser, without installing anything.'


def _toctree(pages: list[str], *options: str) -> str:
    return "\n".join(["", "```{toctree}", ":hidden:", *options, "", *pages, "```", ""])


def complete(_app: Sphinx, page: str, source: list[str]) -> None:
    """Adds to a page what only the site needs."""
    text = source[0]
    if page == "index":
        for section in text.split("\n## ")[1:]:
            pages = re.findall(r"^\* \[[^]]*\]\(([\w/]+)\.md\)", section, re.MULTILINE)
            source[0] += _toctree(pages, f":caption: {section.splitlines()[0]}")
    elif page.startswith("games/"):
        source[0] = f"---\nnosearch: true\n---\n\n{text}"  # else these pages of the same phrases come before the guides
    elif DOCS / f"{page}.md" in PAGES:
        name = page.rpartition("/")[2]
        bar = f"{colab(DOCS / f'{page}.md')} [Download the notebook](path:../notebooks/{name}.ipynb)"
        source[0] = re.sub(r"^(# .*\n)", rf"\1\n{bar}\n", text, count=1, flags=re.MULTILINE)
    elif page == "glossary":  # words that the index has are found before the names of the API
        source[0] = re.sub(r"^(## (.*)\n)", r"\1\n```{index} ! \2\n```\n", text, flags=re.MULTILINE)
    elif page == "games":
        source[0] += _toctree(["games/*"], ":glob:")
    elif found := re.search(r"<!-- include: (\S+) -->", text):
        included = (ROOT / found[1]).read_text(encoding="utf-8").partition("\n")[2]
        source[0] = text[: text.index("\n")] + _with_links(included, Path(found[1]).parent)
    if page in ("index", "play"):
        source[0] = source[0].replace("\n## ", f"\n{_PLAY}\n\n## ", 1)


def _with_links(text: str, folder: Path) -> str:
    """A page of the repository whose links lead into the site, or to the repository."""

    def link(found: re.Match[str]) -> str:
        path, _, anchor = found[1].partition("#")
        if not path or "://" in path:
            return found[0]
        target = (ROOT / folder / path).resolve().relative_to(ROOT)
        if target.is_relative_to("docs"):
            return f"]({target.relative_to('docs').as_posix()}{'#' * bool(anchor)}{anchor})"
        return f"]({REPOSITORY}/blob/main/{target.as_posix()})"

    return re.sub(r"\]\(([^)\s]+)\)", link, text)


def list_tables(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Makes the tables of docstrings, which are Markdown, lists in reStructuredText."""
    for number, line in enumerate(lines):
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            lines[number] = f"* {cells[0]}: {cells[1]}" if cells[0].strip("-") else ""


def add_page(app: Sphinx, error: Exception | None) -> None:
    """Writes the page for playing beside the documentation."""
    if error is None and app.builder.format == "html":
        names = app.config.games_to_play
        first = load_game(names[0] if names else "alquerque")
        write_site(Path(app.outdir) / "play", [load_game(name) for name in names or games()], first)


def setup(app: Sphinx) -> None:
    """Registers what this file adds to Sphinx."""
    app.add_config_value("games_to_play", [], "", [list])
    app.connect("source-read", complete)
    app.connect("autodoc-process-docstring", list_tables)
    app.connect("build-finished", add_page)
