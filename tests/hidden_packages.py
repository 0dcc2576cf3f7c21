"""Hides installed packages, as if they were missing."""

import sys

import pytest


def hide_package(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Makes imports of a package fail, also for modules of the trainer that were already imported."""
    monkeypatch.setitem(sys.modules, package, None)
    for name in list(sys.modules):
        if name.partition(".")[0] == "alquerque_training":
            monkeypatch.delitem(sys.modules, name)
