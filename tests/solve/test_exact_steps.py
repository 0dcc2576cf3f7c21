"""What is said of steps by proofs and rules."""

import json
import lzma
from pathlib import Path

import pytest

from alquerque_env import Match
from alquerque_env.solve.exact_steps import exact_steps
from alquerque_env.solve.proved_steps import MAGIC, ProvedSteps

NAME = "felli_simplified"


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
