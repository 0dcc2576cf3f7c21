"""What is said of steps by a table that does not have all positions after them, and by proofs."""

import json
import lzma
from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, load_game, load_table
from alquerque_env.solve.exact_steps import exact_steps
from alquerque_env.solve.proved_steps import MAGIC, ProvedSteps
from alquerque_env.solve.tables import EndgameTable, build_table

NAME = "felli_simplified"
MOST = 3  # pieces of a small table


@pytest.fixture(scope="module")
def small_table(tmp_path_factory: pytest.TempPathFactory) -> EndgameTable:
    game = load_game(NAME)
    return EndgameTable(game, build_table(game, MOST, tmp_path_factory.mktemp("small") / "small.aqt"))


def four_pieces(count: int) -> list[Match]:
    """Positions of which the small table has only those after a capture."""
    table, generator = load_table(NAME), np.random.default_rng(7)
    found = []
    while len(found) < count:
        match = Match.from_state(table.game, table.sample(1, generator)[0])
        if len(match.picture().pieces) == MOST + 1 and not match.is_over:
            found.append(match)
    return found


def test_a_small_table_says_of_the_steps_that_it_reaches_what_the_whole_table_says(small_table: EndgameTable) -> None:
    whole, known, legal = load_table(NAME), 0, 0
    for match in four_pieces(40):
        of_all = exact_steps(match, whole, None)
        told = {found.step: found for found in of_all.known}
        assert list(told) == [found.step for found in whole.steps(match)]
        assert (of_all.least, of_all.most) == (whole.value(match), whole.value(match))
        found = exact_steps(match, small_table, None)
        assert all(told[exact.step] == exact for exact in found.known)
        assert found.least <= whole.value(match) <= found.most
        known, legal = known + len(found.known), legal + len(match.legal_steps)
    assert 0 < known < legal


def test_nothing_is_known_without_table_and_proof() -> None:
    match = Match(NAME)
    found = exact_steps(match, None, None)
    assert (found.least, found.most, found.known, found.best) == (-1, 1, (), ())
    assert [each.step for each in found.keeping] == list(match.legal_steps)


@pytest.mark.parametrize(("position", "result"), [("W:Wa1:B", 1), ("B:Wa1:B", -1), ("B:Wa1:Be5:H80", 0)])
def test_a_final_position_is_worth_its_outcome(position: str, result: int) -> None:
    match = Match("fetaix", position)
    assert match.is_over
    found = exact_steps(match, None, None)
    assert (found.least, found.most, found.steps, found.keeping, found.best) == (result, result, (), (), ())


@pytest.mark.parametrize(
    ("sections", "own", "opponent"),
    [
        (["player_0 wins"], "wins", "loses"),
        (["player_0 does not win"], "does not win", "does not lose"),
        (["player_1 does not win"], "does not lose", "does not win"),
        (["player_0 does not win", "player_1 does not win"], "draw", "draw"),
    ],
)
def test_a_proof_bounds_the_steps_that_lead_to_its_positions(
    tmp_path: Path, sections: list[str], own: str, opponent: str
) -> None:
    match = Match("alquerque", "W:Wa1:Be5")
    game = match.game
    step = match.legal_steps[0]
    after = match.copy()
    after.push(step)
    last = after.copy()
    last.push(after.legal_steps[0])
    header = {"game": game.name, "options": dict(game.options), "position": match.position}
    lines = [line for claim in sections for line in (f"= {claim}", f"{after.position} *", f"{last.position} *")]
    file = tmp_path / "alquerque.xz"
    file.write_bytes(lzma.compress("\n".join([MAGIC, json.dumps(header), *lines, ""]).encode()))
    proof = ProvedSteps(game, file)
    assert [(found.step, found.words) for found in exact_steps(match, None, proof).known] == [(step, own)]
    told = {found.step: found.words for found in exact_steps(after, None, proof).steps}
    assert told.pop(last.steps[-1]) == opponent
    # In a position that does not win, no step wins.
    others = {"loses": "loses", "does not win": "does not win", "draw": "does not win", "does not lose": ""}
    assert set(told.values()) == {others[opponent]}
    assert proof.bounds(match) is None
