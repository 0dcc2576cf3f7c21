"""Checks that a tag may be released: `python .ci/check_release.py v1.2.3`.

The tag, `__version__`, CITATION.cff and the newest section of CHANGELOG.md name the same version, the changelog lists
nothing as unreleased, and pyproject.toml names the repository that releases.
"""

import os
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def faults(tag: str, root: Path = ROOT, repository: str | None = None) -> list[str]:
    """What keeps a tag from being released, in sentences; empty if nothing does.

    Args:
      tag: Such as `v1.2.3`.
      root: Top of the checkout.
      repository: `owner/name` on GitHub, if that is where the release runs.
    """

    def found(pattern: str, file: str) -> str:
        match = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.MULTILINE)
        return match[1] if match else "nothing"

    version = tag.removeprefix("v")
    said = {
        "alquerque_env/__init__.py": found(r'^__version__ = "(.*)"$', "alquerque_env/__init__.py"),
        "CITATION.cff": found(r"^version: (.*)$", "CITATION.cff"),
        "the newest section of CHANGELOG.md": found(r"^## (?:Unreleased\s+^## )?(\S+)", "CHANGELOG.md"),
    }
    wrong = [f"the tag is {tag}, but {place} says {text}" for place, text in said.items() if text != version]
    urls = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    if repository and urls["Source"] != f"https://github.com/{repository}":
        wrong.append(f"pyproject.toml names {urls['Source']}, but the release runs in {repository}")
    return wrong


if __name__ == "__main__":
    if wrong := faults(sys.argv[1], repository=os.environ.get("GITHUB_REPOSITORY")):
        sys.exit("\n".join(wrong))
