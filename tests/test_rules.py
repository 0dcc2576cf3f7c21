"""The rules, by the worked positions of the rules dossier (F-W1 and so on) and by what each option says.

Everything goes through `Match`, in whole turns: `turns` lists those that can be played, in notation.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from alquerque_env import Match, Outcome, games, load_game

MOSONA = "awithlaknannai_mosona"
DAVIS = "awithlaknannai_mosona_davis"


def begin(name: str, position: str | None = None, *turns_played: str, **options: object) -> Match:
    """A match from a position, after whole turns."""
    match = Match(load_game(name, **options), position)
    for turn in turns_played:
        match.push(turn)
    return match


def turns(match: Match) -> set[str]:
    """All whole turns from here; in the middle of a chain, all ways to finish the turn."""
    found = list(finished_turns(match))
    assert len(found) == len(set(found)), f"a turn is listed twice: {found}"
    return set(found)


def finished_turns(match: Match) -> Iterator[str]:
    for step in match.legal_steps:
        match.push(step)
        if match.chain is None:
            yield match.turns[-1]
        else:
            yield from finished_turns(match)
        match.pop()


def turns_in(name: str, position: str | None, **options: object) -> set[str]:
    return turns(begin(name, position, **options))


def after(name: str, position: str | None, *turns_played: str, **options: object) -> str:
    return begin(name, position, *turns_played, **options).position


def outcome_in(name: str, position: str, **options: object) -> Outcome | None:
    return begin(name, position, **options).outcome


def steps(text: str) -> set[str]:
    """`c3: b2 c2` as the set of `c3-b2` and `c3-c2`."""
    origin, targets = text.split(":")
    return {f"{origin}-{target}" for target in targets.split()}


# The openings (1.0 and 1.2.5)

ALQUERQUE_REPLIES = {
    "b2-c3": {"d4xb2"},
    "c2-c3": {"c4xc2"},
    "d3-c3": {"b3xd3"},
    "d2-c3": {"b4xd2", "d4xd2"},
}


@pytest.mark.parametrize("name", ["fetaix", "alquerque"])
def test_south_opens_by_a_step_to_the_centre_and_north_captures(name):
    match = begin(name)
    assert turns(match) == set(ALQUERQUE_REPLIES)
    for opening, replies in ALQUERQUE_REPLIES.items():
        assert turns(begin(name, None, opening)) == replies


@pytest.mark.parametrize("name", ["alquerque_alfonso_x", "alquerque_murray"])
def test_in_the_other_alquerques_north_may_capture_or_step(name):
    assert turns_in(name, None) == set(ALQUERQUE_REPLIES)
    assert turns(begin(name, None, "c2-c3")) == {"c4xc2", "b1-c2", "x"} - {"b1-c2", "x"} | set()


MOSONA_REPLIES = {
    "h1-i2": {"g2xh1", "h3xh1^i2", "j3xh1"},
    "j1-i2": {
        "g2xj1xi2xg2^h1",
        "h3xj1xi2",
        "j3xj1^i2xi2",
        "j3xj1^i2xj3^k2",
        "j3xj1^k2xk2",
        "j3xj1^k2xj3^i2",
        "l3xj1xk2xl3",
    },
    "k2-i2": {"g2xk2xi2^j1xg2^h1", "h3xk2xi2^j1", "j3xk2xi2^j1", "l3xk2xm2^l1", "n3xk2xm2^l1xn3"},
}
