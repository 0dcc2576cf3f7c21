"""Two different steps of one position never have the same text, so that what is written is read as what was played."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from option_values import sampled_values

from alquerque_env import Match, format_record, load_game, read_records
from alquerque_env.cli.ugi.ugi_position import play_moves
from alquerque_env.errors import IllegalStepError

WHEEL = Path(__file__).parents[1] / "cases" / "wheel_fwd.toml"


def texts(match: Match) -> list[str]:
    return [step.text for step in match.legal_steps]


@pytest.mark.parametrize(("name", "options"), sampled_values(), ids=str)
def test_the_texts_of_the_legal_steps_differ(name: str, options: dict[str, object]) -> None:
    game = load_game(name, **options)
    generator = np.random.default_rng(7)
    for _ in range(3):
        match = Match(game)
        for _ in range(60):
            if match.is_over:
                break
            assert len(set(texts(match))) == len(match.legal_steps)
            match.push(match.legal_steps[generator.integers(len(match.legal_steps))])


def test_a_victim_is_named_where_only_north_can_have_two() -> None:
    match = Match(load_game(WHEEL))

    assert texts(match) == ["n1xs1^e1", "n1xs1^w1"]


def test_a_victim_is_named_where_only_south_can_have_two(tmp_path: Path) -> None:
    text = WHEEL.read_text(encoding="utf-8").replace('south = "e1 w1"', 'south = "s1"')
    file = tmp_path / "turned.toml"
    file.write_text(text.replace('north = "n1"', 'north = "e1 w1"').replace("player_1", "player_0"), encoding="utf-8")

    assert texts(Match(load_game(file))) == ["s1xn1^e1", "s1xn1^w1"]


@pytest.mark.parametrize("victim", ["e1", "w1"])
def test_a_capture_of_either_piece_is_read_back(victim: str) -> None:
    match, sent = Match(load_game(WHEEL)), Match(load_game(WHEEL))
    match.push(f"n1xs1^{victim}")
    (record,) = islice(read_records(format_record(match)), 1)
    play_moves(sent, match.turns)

    assert [match.game.board.labels[point] for point in match.steps[0].captured] == [victim]
    assert record.match.steps == match.steps
    assert sent.steps == match.steps


def test_a_text_that_names_no_victim_is_refused_where_there_are_two() -> None:
    with pytest.raises(IllegalStepError, match=r"'n1xs1' is ambiguous; say which: n1xs1\^e1, n1xs1\^w1"):
        Match(load_game(WHEEL)).push("n1xs1")
