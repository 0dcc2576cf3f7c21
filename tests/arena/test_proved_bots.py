"""Bots that come with the package and are proved: nobody gets more against them than the start is worth."""

import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alquerque_training.export.exporter import export_player

from alquerque_env import Match, best_response, load_bot, load_game
from alquerque_env.bots.network.model_card import read_card
from alquerque_env.bots.shipped import shipped_bots, weights_file
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.solve.solutions import known_solution
from tools import check_certificate as checker

SAME = {name: read_card(folder).same_as for name, folder in shipped_bots().items() if read_card(folder).same_as}
PROVED = [name for name in shipped_bots() if name.endswith("-proved") and name not in SAME]
LARGEST = 550_000  # bytes of an exported file
SAMPLE = 300
CLOSEST = 20
ASKED_OF_FILE = 4  # of the closest ones; plain Python takes a second for one
CERTIFICATES = Path(__file__).parents[1] / "certificates"


def certificates(name: str) -> list[Path]:
    """Of each seat that the bot is proved in; large ones are compressed."""
    return sorted(CERTIFICATES.glob(f"{name}*.jsonl*"))


def of_every_certificate(mark: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """A test is made with each certificate, and has a mark with the large ones."""
    found = [(name, file) for name in PROVED for file in certificates(name)]
    marked = [pytest.param(*each, marks=[mark] * (each[1].suffix == ".xz"), id=each[1].name) for each in found]
    return pytest.mark.parametrize(("name", "file"), marked)


@of_every_certificate(pytest.mark.slow)
def test_the_certificate_of_a_proved_bot_holds_by_the_reference(name, file):
    kept = checker.check_kept(file)
    assert kept.header["agent"] == player(name, file)
    weights = (shipped_bots()[name] / "weights.safetensors").read_bytes()
    assert kept.header["files"]["weights.safetensors"] == sha256(weights).hexdigest()


@pytest.mark.parametrize("name", SAME)
def test_a_bot_that_is_another_one_plays_a_game_of_the_same_rules_with_its_weights(name):
    """So a certificate of the one holds for the other."""
    card, (original, _, kind) = read_card(shipped_bots()[name]), SAME[name].partition("/")
    other = shipped_bots()[f"{original}-{kind}"]
    game, same = load_game(card.game), load_game(original)
    assert (game.board.points, game.board.lines, game.start) == (same.board.points, same.board.lines, same.start)
    assert np.array_equal(game.table.words, same.table.words)
    assert weights_file(shipped_bots()[name]) == other / "weights.safetensors"
    assert (card.network, card.shape, card.exploration) == (
        (known := read_card(other)).network,
        known.shape,
        known.exploration,
    )
    assert (
        load_bot(name, game, seed=0).choose(Match(game)).text
        == load_bot(f"{original}-{kind}", same, seed=0).choose(Match(same)).text
    )


@pytest.mark.parametrize("name", PROVED)
def test_a_bot_is_proved_in_each_seat_that_can_keep_the_value_of_the_start(name):
    value = known_solution(load_game(name.removesuffix("-proved"))).winner
    seats = [read_seat(file) for file in certificates(name)]
    assert seats == ([0, 1] if value == "draw" else [int(value)])


def read_header(file: Path) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(next(iter(checker.read_lines(file))))
    return header


def read_seat(file: Path) -> int:
    return int(read_header(file)["seat"])


def player(bot: object, file: Path) -> str:
    """The bot, or its exported file, with the simulations of a certificate: 64 of them, or none."""
    simulations = read_header(file)["agent"].partition(":")[2]
    assert simulations in ("", "64")
    return f"{bot}:{simulations}" if simulations else str(bot)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROVED)
def test_a_proved_bot_and_its_exported_file_choose_as_its_certificates_say(name, tmp_path):
    """In a sample of the choices, and in the closest ones, which are asked one at a time, some of the exported file."""
    game, file = load_game(name.removesuffix("-proved")), tmp_path / "player.py"
    export_player(shipped_bots()[name], file)
    assert file.stat().st_size <= LARGEST
    for certificate in certificates(name):
        bot, exported = (load_bot(player(each, certificate), game) for each in (name, file))
        choices = [json.loads(line) for line in list(checker.read_lines(certificate))[1:]]
        sample = random.Random(0).sample(choices, min(SAMPLE, len(choices)))
        chosen = bot.choose_many([Match(game, text) for text, *_ in sample])
        assert [each.text for each in chosen] == [step for _, step, *_ in sample]
        closest = sorted((each for each in choices if len(each) == 3), key=lambda each: each[2])[:CLOSEST]
        for number, (text, step, *_) in enumerate(closest):
            assert bot.choose(Match(game, text)).text == step
            assert number >= ASKED_OF_FILE or exported.choose(Match(game, text)).text == step


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="takes hours in plain Python")
@of_every_certificate(pytest.mark.long)
def test_nobody_gets_more_against_a_proved_bot_than_the_start_is_worth(name, file, tmp_path):
    """The certificate that is written now has the choices of the one that is kept."""
    game, path = load_game(name.removesuffix("-proved")), tmp_path / "kept.jsonl"
    (found,) = best_response(player(name, file), game, seat=read_seat(file), certificate=path)
    assert (found.kept, found.complete, found.certified) == (True, True, True)
    assert {tuple(choice) for choice in read_choices(path)} == {tuple(choice) for choice in read_choices(file)}


def read_choices(file: Path) -> list[list[str]]:
    """The texts of each position and step; margins may differ by rounding."""
    return [json.loads(line)[:2] for line in list(checker.read_lines(file))[1:]]
