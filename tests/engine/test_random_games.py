"""Games that nobody chose, of boards and rules drawn at random, are played in every form: all agree and end.

`tools/play_random_games.py` plays as many as there is time for.
"""

import pytest

from alquerque_env.game.options import RULE_NAMES
from tests.random_games import ANSWERS, PLAIN, Tables, random_game, random_options
from tools.play_random_games import check_random_game, load_tables


def test_random_games_are_played_alike_in_every_form_and_end() -> None:
    assert sum(check_random_game(number) for number in range(70)) > 10


@pytest.mark.slow
def test_more_random_games_are_played_alike_in_every_form_and_end() -> None:
    assert sum(check_random_game(number) for number in range(40, 240)) > 20


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 4000, 250))
def test_many_random_games_are_played_alike_in_every_form_and_end(first: int) -> None:
    assert sum(check_random_game(number, with_torch=True) for number in range(first, first + 250)) > 20


@pytest.mark.slow
def test_every_rule_and_every_kind_of_board_is_drawn_and_played() -> None:
    loaded: list[Tables] = []
    answers: dict[str, set[object]] = {name: set() for name in ANSWERS}
    for number in range(1400):
        tables = random_game(number)
        game = load_tables(tables, random_options(tables, number))
        if game is not None:
            loaded.append(tables)
            for name in ANSWERS:
                answers[name].add(getattr(game.rules, name))
    assert len(loaded) > 150
    assert ANSWERS.keys() == set(RULE_NAMES) - {"board", "dash_sides", "pieces", "opening", "drop_order"}
    assert {name: set(known) - answers[name] for name, known in ANSWERS.items() if set(known) - answers[name]} == {}
    for key in ("rows", "points", "labels", "lines", "end_arcs", "bends", "circles"):
        assert sum(key in tables["board"] for tables in loaded) > 3, key
    for key in ("sanctuary", "promotion", "openings", "promoted_piece", "south", "north", "schedule", "double_steps"):
        assert sum(key in tables for tables in loaded) > 1, key
    assert PLAIN.keys() < ANSWERS.keys()
