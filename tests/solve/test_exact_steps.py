"""What is said of steps by proofs and rules."""

import random
from pathlib import Path

import pytest

from alquerque_env import Match, load_game
from alquerque_env.game.options import OptionValue
from alquerque_env.solve.exact_steps import exact_steps
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.proved_steps import ProvedSteps, present_proof, read_steps
from tests.solve.proof_cases import CASES, MEMORY, few_pieces, minimax

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


@pytest.mark.parametrize(("name", "options", "pieces"), CASES[:-1])
def test_who_plays_by_packed_steps_gets_what_is_proved_and_knows_it(
    tmp_path: Path, name: str, options: dict[str, OptionValue], pieces: int
) -> None:
    game, rng = load_game(name, **options), random.Random(5)
    for number, first in enumerate(few_pieces(game, pieces, 3, 6)):
        file = tmp_path / f"{number}.steps"
        winner = solve_position(first, memory=MEMORY, certificate=file).winner
        header, data = read_steps(file)
        proof = ProvedSteps(header.sections, data)
        assert winner == minimax(first)
        for player in (0, 1) if winner == "draw" else (winner,):
            match = first.copy()
            while not match.is_over:
                known = exact_steps(match, None, proof)
                worth = value_of(minimax(match), match.player)
                assert known.least <= worth <= known.most
                assert all(each.least <= worth for each in known.steps)
                least = value_of(winner, player)
                assert (known.least if match.player == player else -known.most) >= least
                step = proof.find(match) if match.player == player else None
                assert step or match.player != player or len(match.legal_steps) == 1
                match.push(step or rng.choice(match.legal_steps))
            assert value_of("draw" if match.outcome.winner is None else match.outcome.winner, player) >= least


def value_of(winner: int | str, player: int) -> int:
    return 0 if winner == "draw" else 1 if winner == player else -1


def test_a_position_outside_a_proof_is_not_known() -> None:
    proof, _ = present_proof(load_game("alquerque"))
    for position in ("W:Wa1,e1,c2,d2:Bb2,d4,e5,a5", "B:Wa1,e1,c2,d2:Bb2,d4,e5,a5"):
        assert (proof.find(Match("alquerque", position)), proof.bounds(Match("alquerque", position))) == (None, None)
