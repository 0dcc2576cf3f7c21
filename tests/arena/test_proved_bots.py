"""Bots that come with the package and are proved: nobody gets more against them than the start is worth."""

import json

import check_certificate as checker
import pytest
from alquerque_training.export.exporter import export_player

from alquerque_env import Match, best_response, load_bot, load_game
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.game.kernel_arrays import JIT

PROVED = [name for name in shipped_bots() if name.endswith("-proved")]
SIMULATIONS = 64
LARGEST = 550_000  # bytes of an exported file
CLOSEST = 20


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="takes hours in plain Python")
@pytest.mark.parametrize("name", PROVED)
def test_nobody_gets_more_against_a_proved_bot_than_the_start_is_worth(name, tmp_path):
    """Its exported file is small, and makes the same choices, even the closest ones."""
    game, path, file = load_game(name.removesuffix("-proved")), tmp_path / "kept.jsonl", tmp_path / "player.py"
    (found,) = best_response(f"{name}:{SIMULATIONS}", game, certificate=path)
    assert found.kept
    assert found.complete
    assert found.certified
    assert checker.check_kept(path).positions == found.positions

    export_player(shipped_bots()[name], file)
    assert file.stat().st_size <= LARGEST
    exported = load_bot(f"{file}:{SIMULATIONS}", game)
    choices = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    for text, step, *_ in sorted((each for each in choices if len(each) == 3), key=lambda each: each[2])[:CLOSEST]:
        assert exported.choose(Match(game, text)).text == step
