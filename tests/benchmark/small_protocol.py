"""A small protocol for tests: one solved game with a ladder, and one with positions of few pieces."""

from dataclasses import replace
from pathlib import Path

from make_protocol import make_ladder

from alquerque_env import load_game
from alquerque_env.benchmark import load_protocol
from alquerque_env.benchmark.protocol import Limits, Protocol, Setting

NAME, FEW = "felli_simplified", "alquerque_murray"
POSITIONS = 100  # of each kind
LIMITS = Limits(decision=60.0, warm_up=60.0, patience=2)


def small_protocol(folder: Path, *, with_ladder: bool = True) -> Protocol:
    """Version 1, only smaller, with its files in a folder."""
    full = load_protocol()
    settings = Setting(game=NAME, options={}), Setting(game=FEW, options={}, pieces=5)
    ladder = replace(full.ladder, rungs=("random", "greedy", "{game}-small:8"), games=4, judge="random", max_steps=80)
    small = replace(
        full,
        folder=folder,
        resamples=20,
        exact=replace(full.exact, settings=settings, positions=POSITIONS, endings=40, response_seconds=1.0),
        ladder=replace(ladder, plies=4),
        limits=LIMITS,
        quick=replace(full.quick, positions=20, games=2),
    )
    if with_ladder:
        make_ladder(small, load_game(NAME))
    return small
