"""Writes the tutorials and the exercises of the course as notebooks: `python docs/make_notebooks.py`.

A notebook in `docs/notebooks/` has the text and the code of its page, after a badge that opens it in Colab and a cell
that installs the package. `needs` at the head of a page names what it needs beyond that, and `checker` a module beside
the page, which the notebook carries. `tests/docs/test_notebooks.py` checks that every notebook is up to date.
"""

import re
import tomllib
from pathlib import Path

import nbformat
from myst_nb.core.read import read_myst_markdown_notebook

DOCS = Path(__file__).parent
URLS = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
COLAB = URLS["Source"].replace("https://github.com/", "https://colab.research.google.com/github/") + "/blob/main/"
NOTEBOOKS = DOCS / "notebooks"
PAGES = (*sorted(DOCS.glob("tutorials/*.md")), *sorted(DOCS.glob("course/*.md")))
"""The pages that are notebooks."""

INSTALL = """\
import importlib.util

if importlib.util.find_spec("alquerque_env") is None:
    %pip install -q {packages}"""


def colab(page: Path) -> str:
    """The badge that opens the notebook of a page in Colab."""
    address = f"{COLAB}docs/notebooks/{page.stem}.ipynb"
    return f"[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({address})"


def notebook(page: Path) -> str:
    """The notebook of a page, as JSON."""
    made = read_myst_markdown_notebook(page.read_text(encoding="utf-8"))
    kernel, head = made.metadata.kernelspec, made.metadata
    packages = ['"alquerque-env[train]"', *head.get("needs", [])]
    first = [nbformat.v4.new_markdown_cell(colab(page))]
    first.append(nbformat.v4.new_code_cell(INSTALL.format(packages=" ".join(packages))))
    if checker := head.get("checker"):
        source = (page.parent / f"{checker}.py").read_text(encoding="utf-8")
        first.append(
            nbformat.v4.new_code_cell(
                f"%%writefile {checker}.py\n{source}", metadata={"jupyter": {"source_hidden": True}}
            )
        )
    made.cells[:0] = first
    made.metadata = nbformat.from_dict({"kernelspec": kernel})
    for number, cell in enumerate(made.cells):
        cell.id = f"cell-{number}"  # else drawn at random
        if cell.cell_type == "markdown":
            cell.source = re.sub(
                r"\]\((?!https:)([^)\s]+)\)", lambda found: f"]({_address(page, found[1])})", cell.source
            )
    nbformat.validate(made)
    return nbformat.writes(made) + "\n"


def _address(page: Path, link: str) -> str:
    """Where a link of a page leads on the site."""
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve().relative_to(DOCS.resolve()).with_suffix(".html")
    return URLS["Documentation"] + target.as_posix() + "#" * bool(anchor) + anchor


if __name__ == "__main__":
    for page in PAGES:
        (NOTEBOOKS / f"{page.stem}.ipynb").write_text(notebook(page), encoding="utf-8")
