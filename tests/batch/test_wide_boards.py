"""Games on boards with more points than a word has bits."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, SelfPlayVectorEnv, games, load_game
from alquerque_env.engine.rules_scalar import position_key
from alquerque_env.errors import AlquerqueError, PositionError, RulesError
from alquerque_env.game.game import Game
from alquerque_env.search.decision_batch import DecisionBatch
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.tables import build_table, load_table
from tests.all_forms import assert_equal, check_game, check_positions
from tests.grid_games import write_grid
from tests.option_values import Variants, is_fast
from tests.reference import Reference

FORTY = "tiger_game_forty"
WIDE = [name for name in games() if not is_fast(name)]

SHARES = [
    (FORTY, (0, 99), ()),
    *((name, (1, 4), pytest.mark.slow) for name in WIDE),
    *((name, (0, 1), pytest.mark.long) for name in WIDE),
]


@pytest.mark.parametrize(
    "variants",
    [pytest.param(Variants(name, "values", part), marks=marks, id=f"{name}-{part}") for name, part, marks in SHARES],
)
def test_batches_and_the_reference_agree_with_matches_from_any_position(variants: Variants) -> None:
    for game in variants:
        assert check_positions(game, Reference(game), np.random.default_rng(1), 8) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", WIDE)
def test_all_forms_of_a_game_are_the_same(name: str) -> None:
    check_game(load_game(name), 1)


def test_matches_of_a_batch_are_kept_as_arrays_of_integers_that_files_can_hold() -> None:
    one, other = SelfPlayVectorEnv(FORTY, 16), SelfPlayVectorEnv(FORTY, 16)
    one.reset(seed=1)
    other.reset(seed=2)
    for _ in range(5):
        one.step(one.sample_actions())
    kept = one.get_state()
    seen, info = other.set_state(kept)

    assert all(array.dtype.kind in "iub" for array in kept.values())
    assert_equal(info["action_mask"], np.stack([one.match(place).action_mask() for place in range(16)]))
    assert_equal(seen, np.stack([one.match(place).observation() for place in range(16)]))
    kept["states"][3, 0, 1] |= 1 << 40
    with pytest.raises(AlquerqueError, match="row 3 of the states is not a position of tiger_game_forty"):
        other.set_state(kept)


def test_a_match_begins_from_a_state_of_large_integers() -> None:
    match = Match(FORTY)
    match.push(match.legal_steps[0])

    assert Match.from_state(match.game, match.state).position == match.position
    for state in ([*match.state[:-1], "1"], match.state[:-1], [*match.state[:-1], -1]):
        with pytest.raises(PositionError):
            Match.from_state(match.game, state)


@pytest.mark.parametrize(("width", "height"), [(8, 8), pytest.param(14, 9, marks=pytest.mark.slow)])
def test_boards_of_64_to_126_points_are_played(width: int, height: int, tmp_path: Path) -> None:
    game = load_game(write_grid(tmp_path, width, height))

    assert check_positions(game, Reference(game), np.random.default_rng(1), 3) > 0


def test_hashes_depend_on_every_point() -> None:
    game = load_game(FORTY, repetition="threefold_draw")
    match = Match(game)
    keys = {position_key(game.table.plain_words, match.state)}
    for point in range(81):
        state = match.state
        state[0] ^= 1 << point
        keys.add(position_key(game.table.plain_words, state))

    assert len(keys) == 82
    assert all(0 <= key < 1 << 63 for key in keys)


@pytest.mark.parametrize(
    ("what", "use"),
    [
        ("an endgame table", lambda game: build_table(game, 4)),
        ("an endgame table", load_table),
        ("a proof", lambda game: solve_position(Match(game))),
        ("training by search", lambda game: DecisionBatch(game, 4, 0, seed=1)),
    ],
)
def test_what_takes_one_word_for_the_points_refuses_the_game_in_one_sentence(
    what: str, use: Callable[[Game], object]
) -> None:
    with pytest.raises(AlquerqueError) as caught:
        use(load_game(FORTY))

    assert str(caught.value) == f"tiger_game_forty has a board of 81 points, and {what} takes at most 63"


@pytest.mark.parametrize("rule", ["captures='custodial'", "captures='odd_rows'", "shrink='ranks'"])
def test_rules_that_need_one_word_are_refused_on_a_large_board(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    text = load_game(FORTY).to_toml().replace("[rules]", f"[rules]\n{rule.replace('=', ' = ')}")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=re.escape(f"has a board of 81 points, and {rule} takes at most 63")):
        load_game(path)
