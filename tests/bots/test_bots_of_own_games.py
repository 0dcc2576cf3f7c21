"""Bots in games from files: a bot of the package does not play another game of its game's name."""

from pathlib import Path

import pytest
from own_games import write_game

from alquerque_env import Match, load_bot, load_game
from alquerque_env.bots.levels import levels
from alquerque_env.bots.network.model_card import CheckpointError


@pytest.mark.parametrize("spec", ["random", "greedy", "alphabeta:2", "mcts:20"])
def test_a_bot_plays_a_game_from_a_file(spec: str, tmp_path: Path) -> None:
    file = write_game(tmp_path)
    match = Match(load_game(file))
    assert load_bot(spec, match.game, seed=0).choose(match) in match.legal_steps
    assert load_bot(spec, str(file), seed=0).choose(match) in match.legal_steps


def test_a_trained_bot_of_the_package_refuses_a_file_with_the_name_of_its_game(tmp_path: Path) -> None:
    own = load_game(write_game(tmp_path, "fetaix"))
    file = tmp_path / "fetaix.toml"
    file.write_text(load_game("fetaix").to_toml().replace("capture_or_promotion", "capture"), encoding="utf-8")

    for game in (own, load_game(file)):
        with pytest.raises(CheckpointError, match=r"made for other rules|was trained with"):
            load_bot("fetaix-small", game)
        assert not any("fetaix" in level.spec for level in levels(game))
    assert any("fetaix" in level.spec for level in levels(load_game("fetaix")))
