"""Steps over a vacant point to the next one, within the points that a game file names."""

from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, load_game, perft
from alquerque_env.errors import RulesError
from alquerque_env.game.rules_text import play_sentences
from tests.all_forms import check_positions
from tests.own_games import write_rules
from tests.reference import Reference

BOARD = {"rows": [[0, 1, 2, 3]] * 2, "lines": ["a1 b1 c1 d1", "a2 b2 c2 d2", "a1 a2", "b1 b2", "c1 c2", "d1 d2"]}
WITHIN = {"double_steps": {"place": "the west", "points": "a1 b1 c1"}}


def steps(file: Path, position: str) -> set[str]:
    return {step.text for step in Match(load_game(file), position).legal_steps}


def test_a_man_steps_over_a_vacant_point_where_all_three_are_named(tmp_path: Path) -> None:
    file = write_rules(tmp_path, "doubles", BOARD, "a1", "d2", WITHIN)

    assert steps(file, "W:Wa1:Bd2") == {"a1-a2", "a1-b1", "a1-c1"}
    assert steps(file, "W:Wb1:Bd2") == {"b1-a1", "b1-b2", "b1-c1"}
    assert steps(file, "W:Wa1,b1:Bd2") == {"a1-a2", "b1-a1", "b1-b2", "b1-c1"} - {"b1-a1"}
    assert steps(file, "W:Wa1:Bc1") == {"a1-a2", "a1-b1"}


def test_the_rules_name_the_place(tmp_path: Path) -> None:
    game = load_game(write_rules(tmp_path, "doubles", BOARD, "a1", "d2", WITHIN))

    sentence = "Within the west, a piece may also step over a vacant point to the next one of a line."
    assert sentence in play_sentences(game)


def test_the_reference_agrees(tmp_path: Path) -> None:
    game = load_game(write_rules(tmp_path, "doubles", BOARD, "a1 a2", "d1 d2", WITHIN))

    assert [perft(game, depth) for depth in (1, 2, 3)] == [
        Reference(game).perft(Reference(game).start(), depth) for depth in (1, 2, 3)
    ]
    assert check_positions(game, Reference(game), np.random.default_rng(1), 8) > 0


def test_memory_of_steps_to_the_next_point_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="undo_scope='per_coin' remembers steps to the next point, and double_steps"):
        load_game(write_rules(tmp_path, "doubles", BOARD, "a1", "d2", WITHIN, undo_scope="per_coin"))


def test_chains_of_flanking_are_refused(tmp_path: Path) -> None:
    flanking = {"captures": "custodial", "capture": "optional", "chain": "optional"}
    with pytest.raises(RulesError, match="captures='custodial' lets each step of a chain lead to the next point"):
        load_game(write_rules(tmp_path, "doubles", BOARD, "a1", "d2", WITHIN, **flanking))
    assert load_game(write_rules(tmp_path, "doubles", BOARD, "a1", "d2", WITHIN, **(flanking | {"chain": "single"})))
