"""Bots that come with the package, by name, and the player of a checkpoint without torch."""

import json
import re
import shlex
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch
from alquerque_training.checkpoints.checkpoint import META, WEIGHTS
from alquerque_training.checkpoints.torch_bot import load_checkpoint_bot, load_playable
from alquerque_training.run.config_file import load_config, parse_config

from alquerque_env import Match, games, load_bot, load_game
from alquerque_env.arena.evaluation import evaluate
from alquerque_env.bots import shipped
from alquerque_env.bots.bot import GameBot
from alquerque_env.bots.levels import levels
from alquerque_env.bots.network.model_card import read_card
from alquerque_env.bots.network.network_bot import NetworkBot
from alquerque_env.bots.network.numpy_bot import NumpyMlp, load_numpy_bot
from alquerque_env.bots.shipped import FAMILY, shipped_bots
from alquerque_env.errors import AlquerqueError, BotError, MissingExtraError, install_command
from alquerque_env.game.game import Game
from alquerque_env.search.puct import Position, decide
from tests.drawn_matches import matches
from tests.hidden_packages import hide_package
from tests.option_values import few_first
from tests.own_games import write_game
from tests.sets import first_by_default
from tests.training.random_checkpoints import save_random_checkpoint

ROOT = Path(__file__).parents[2]
CASES = [
    *((name, {}) for name in games()),
    ("fetaix", {"repetition": "threefold_draw", "chain": "optional"}),
    ("alquerque", {"undo_scope": "never_revisit", "no_progress_limit": "30"}),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where shipped bots are looked for, with one of fetaix and two of alquerque."""
    checkpoints = tmp_path / "checkpoints"
    for name, kind in (("fetaix", "small"), ("alquerque", "small"), ("alquerque", "strong")):
        features = 0 if kind == "strong" else "off"
        save_random_checkpoint(checkpoints / name / kind, load_game(name), search_features=features, seed=len(kind))
    (checkpoints / "README.md").write_text("")
    (checkpoints / "fetaix" / "unfinished").mkdir()
    monkeypatch.setattr(shipped, "FOLDERS", (tmp_path / "nowhere", checkpoints))
    monkeypatch.setenv("ALQUERQUE_FETCHED", str(tmp_path / "nothing"))
    return checkpoints


def test_the_bots_that_are_there_have_names(folder: Path) -> None:
    assert shipped_bots() == {
        "alquerque-small": folder / "alquerque" / "small",
        "alquerque-strong": folder / "alquerque" / "strong",
        "fetaix-small": folder / "fetaix" / "small",
    }


@pytest.mark.parametrize(
    "folder", sorted(ROOT.glob("checkpoints/*/*/")), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_a_card_tells_how_a_bot_was_made_and_how_strong_it_is(folder: Path) -> None:
    """Its last command, read with the configs as they are, is its config, but for how often it is measured.

    Where it begins with what another run has left, that is the run of the command before.
    """
    meta = read_card(folder)
    *before, command = meta.command.replace("PYTHONPATH=training/research ", "").split(" && ")
    program, verb, config, *overrides = shlex.split(command)
    evaluation = meta.config["evaluation"]
    measured = [
        entry for entry in meta.strength if "score" in entry and entry["simulations"] == evaluation["simulations"]
    ]
    last = meta.curve[-1]  # by the run itself: its rating is of its time

    assert (program, verb) == ("alquerque", "train")
    given = ROOT / config if "/" in config else config  # a path, or the name of a config
    told, repeated = parse_config(meta.config, "the card").as_data(), load_config(given, overrides).as_data()
    for settings in (told, repeated):
        del settings["evaluation"]
        if search := settings.get("search"):
            search["final_simulations"] = search["final_simulations"] or search["simulations"]
    assert repeated == told
    if str(told["run"]["start"]).startswith("runs/"):
        assert told["run"]["start"] == f"runs/{Path(shlex.split(before[-1])[2]).stem}-{len(before)}/checkpoints/final"
    for earlier in before:
        assert load_config(ROOT / shlex.split(earlier)[2], shlex.split(earlier)[3:]).run.game == told["run"]["game"]
    assert [entry["opponent"] for entry in measured] == ["random", *evaluation["opponents"]]
    assert all(entry["games"] >= 200 for entry in measured)
    assert all(entry["low"] <= entry["score"] <= entry["high"] for entry in measured)
    assert last.steps == meta.steps
    assert last.low <= last.rating <= last.high
    assert meta.rating.low <= meta.rating.value <= meta.rating.high
    assert [*last.scores] == [entry["opponent"] for entry in measured]
    assert sorted(point.steps for point in meta.curve) == [point.steps for point in meta.curve]


def test_without_a_folder_no_bot_is_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "FOLDERS", (tmp_path / "nowhere",))
    monkeypatch.setenv("ALQUERQUE_FETCHED", str(tmp_path / "nothing"))

    assert shipped_bots() == {}
    with pytest.raises(BotError, match="no bot and no file 'fetaix-small'"):
        load_bot("fetaix-small", load_game("fetaix"))


def test_the_bots_of_the_checkout_are_those_that_are_shipped() -> None:
    folders = sorted(path.parent for path in (ROOT / "checkpoints").glob("*/*/meta.json"))
    folders = [ROOT / "checkpoints" / "family", *folders]

    assert [(path.parent.name, path.name) for path in shipped_bots().values()] == [
        (path.parent.name, path.name) for path in folders
    ]


@pytest.mark.parametrize(("suffix", "simulations"), [("", 0), (":0", 0), (":25", 25)])
def test_a_shipped_bot_is_loaded_by_its_name(folder: Path, suffix: str, simulations: int) -> None:
    game = load_game("fetaix")
    bot = load_bot(f"fetaix-small{suffix}", game)
    same = load_checkpoint_bot(folder / "fetaix" / "small", game, simulations)

    assert bot.name == (f"fetaix-small:{simulations}" if simulations else "fetaix-small")
    for match in matches(game, 10, seed=4):
        assert bot.choose(match) == same.choose(match)


def test_a_name_goes_before_a_file_of_the_same_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fetaix-small").write_text("")

    assert isinstance(load_bot("fetaix-small", load_game("fetaix")), NetworkBot)
    with pytest.raises(BotError, match="neither the folder of a checkpoint"):
        load_bot("./fetaix-small", load_game("fetaix"))


@pytest.mark.parametrize(
    ("spec", "game", "options", "hint"),
    [
        ("bagh_chal-strong", "bagh_chal", {}, "; did you mean 'bagh_chal-small'? (known: "),
        ("fetaix-stron", "fetaix", {}, "; did you mean 'fetaix-strong'? (known: "),
        ("fetaix-stron", "bagh_chal", {}, "'fetaix-stron' (known: "),
        ("fetaix-stron", "fetaix", {"no_progress_limit": 12}, "'fetaix-stron' (known: "),
        ("pattern:5", "fetaix", {}, "; did you mean 'patterns'? (known: "),
        ("pattern:5", "bagh_chal", {}, "'pattern:5' (known: "),
        ("master", "bagh_chal", {}, "'master' (known: "),
        ("trained", "fetaix", {}, "; the level of this name is fetaix-strong:"),
    ],
)
def test_bots_are_suggested_only_if_they_can_play_the_game(spec: str, game: str, options, hint: str) -> None:
    with pytest.raises(BotError) as caught:
        load_bot(spec, load_game(game, **options))
    assert hint in str(caught.value)
    example = {"bagh_chal": ", with NAME such as bagh_chal-small)"}.get(game, ", with NAME such as fetaix-strong)")
    assert str(caught.value).endswith(", NAME[:SIMULATIONS])" if options else example)


@pytest.fixture(params=["torch", "numpy"])
def evaluated_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "numpy":
        hide_package(monkeypatch, "torch")
    return request.param


def test_another_game_option_or_table_is_refused(folder: Path, evaluated_by: str) -> None:
    with pytest.raises(AlquerqueError, match="plays 'fetaix', not 'alquerque'"):
        load_bot("fetaix-small", load_game("alquerque"))
    with pytest.raises(AlquerqueError, match="was trained with chain='compulsory', this game has 'optional'"):
        load_bot("fetaix-small", load_game("fetaix", chain="optional"))
    rewrite(folder / "fetaix" / "small", table_hash="0123456789abcdef")
    with pytest.raises(AlquerqueError, match=r"was made for other rules, .*hash 0123456789abcdef, now .*train it"):
        load_bot("fetaix-small", load_game("fetaix"))


def test_a_trained_bot_of_the_package_refuses_a_file_with_the_name_of_its_game(tmp_path: Path) -> None:
    own = load_game(write_game(tmp_path, "fetaix"))
    file = tmp_path / "fetaix.toml"
    file.write_text(load_game("fetaix").to_toml().replace("capture_or_promotion", "capture"), encoding="utf-8")

    for game in (own, load_game(file)):
        with pytest.raises(AlquerqueError, match=r"made for other rules|was trained with"):
            load_bot("fetaix-small", game)
        assert not any("fetaix" in level.spec for level in levels(game))
    assert any("fetaix" in level.spec for level in levels(load_game("fetaix")))


def rewrite(path: Path, **changes: object) -> None:
    (path / META).write_text(json.dumps({**json.loads((path / META).read_text()), **changes}))


def put(*parts: str, **changes: object) -> Callable[[Path], None]:
    """A change of the card, of a table of it, or of one within a table."""

    def change(path: Path) -> None:
        part = card = json.loads((path / META).read_text())
        for name in parts:
            part = part[name]
        part.update(changes)
        rewrite(path, **card)

    return change


def rewrite_weights(path: Path, data: bytes) -> None:
    (path / WEIGHTS).write_bytes(data)
    rewrite(path, sha256={WEIGHTS: sha256(data).hexdigest()})


@first_by_default
@pytest.mark.parametrize(("name", "options"), few_first(CASES))
@pytest.mark.slow
def test_numpy_decides_as_torch_does(tmp_path: Path, name: str, options: dict) -> None:
    game = load_game(name, **options)
    depth = {"alquerque": 2, "awithlaknannai_mosona_davis": 0}.get(name, "off")
    path = save_random_checkpoint(tmp_path / "checkpoint", game, width=32, blocks=2, search_features=depth)
    for simulations, number in ((0, 150), (40, 20)):
        torch_bot, numpy_bot = (load(path, game, simulations) for load in (load_checkpoint_bot, load_numpy_bot))
        assert numpy_bot.name == torch_bot.name
        for match in matches(game, number, seed=6):
            assert numpy_bot.choose(match) == torch_bot.choose(match)
            (policy, value), (expected_policy, expected_value) = numpy_bot.evaluate(match), torch_bot.evaluate(match)
            assert policy == pytest.approx(expected_policy, abs=1e-12)
            assert value == pytest.approx(expected_value, abs=1e-12)


@first_by_default
@pytest.mark.parametrize("evaluated_by", ["torch", "numpy"], indirect=True)
@pytest.mark.parametrize("simulations", [0, 30])
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona"])
def test_many_matches_at_once_get_the_steps_that_each_would_get(tmp_path, evaluated_by, name, simulations):
    game = load_game(name)
    save_random_checkpoint(tmp_path / "bot", game, search_features=0 if name == "alquerque" else "off")
    bot = load_bot(f"{tmp_path / 'bot'}:{simulations}", game)
    asked = matches(game, 30)
    assert bot.choose_many(asked) == [bot.choose(match) for match in asked]


def test_without_torch_numpy_plays_by_name_and_by_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game("fetaix")
    match = matches(game, 1)[0]
    path = folder / "fetaix" / "small"
    expected = load_bot("fetaix-small:10", game)
    for package in ("torch", "pydantic"):
        with monkeypatch.context() as without:
            hide_package(without, package)
            for spec in ("fetaix-small:10", f"{path}:10"):
                bot = load_bot(spec, game)
                assert isinstance(bot, GameBot)
                assert isinstance(bot.evaluator, NumpyMlp)
                assert bot.name == spec
                assert bot.choose(match) == expected.choose(match)


def test_a_network_that_numpy_cannot_evaluate_needs_torch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "fetaix" / "small"
    put("network", kind="conv_network:ResidualConv")(path)
    with pytest.raises(AlquerqueError, match="has a network of kind 'conv_network:ResidualConv', which needs torch"):
        load_numpy_bot(path, load_game("fetaix"))
    hide_package(monkeypatch, "torch")
    message = f"torch is missing: {install_command('train')}"
    with pytest.raises(MissingExtraError, match=f"^{re.escape(message)}$"):
        load_bot("fetaix-small", load_game("fetaix"))


def test_a_card_that_asks_for_a_giant_network_is_refused_before_it_is_built(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    monkeypatch.setattr(torch.nn.init, "orthogonal_", lambda *_, **__: drawn.append(1))
    path, game = folder / "alquerque" / "small", load_game("alquerque")
    rewrite(path, network={"kind": "mlp", "width": 4096, "blocks": 64})
    with pytest.raises(AlquerqueError, match=r"weights\.safetensors: .* has shape .*, expected "):
        load_checkpoint_bot(path, game)
    with pytest.raises(AlquerqueError, match=r"16x1, .* asks for 4096x64"):
        load_numpy_bot(path, game)
    assert drawn == []


def test_a_card_without_search_features_is_that_of_a_network_without_them(folder: Path) -> None:
    path, game = folder / "alquerque" / "small", load_game("alquerque")
    expected = load_numpy_bot(path, game).evaluate(Match(game))
    network = json.loads((path / META).read_text())["network"]
    del network["search_features"]
    rewrite(path, network=network)
    assert load_numpy_bot(path, game).evaluate(Match(game)) == expected
    assert load_checkpoint_bot(path, game).evaluate(Match(game))[1] == pytest.approx(expected[1])


@pytest.mark.slow
def test_a_bot_searches_with_the_exploration_of_its_card(tmp_path: Path, evaluated_by: str) -> None:
    game, seen = load_game("fetaix"), matches(load_game("fetaix"), 20, seed=3)
    found = {}
    for exploration in (0.05, 0.3, 4.0):
        path = save_random_checkpoint(tmp_path / str(exploration), game, exploration=exploration)
        bot, alone = load_bot(f"{path}:60", game), load_bot(str(path), game)
        found[exploration] = [bot.evaluate(match) for match in seen]
        for match, (policy, value) in zip(seen, found[exploration], strict=True):
            expected = decide(Position.of(match), alone.evaluator, 60, exploration=exploration)
            assert list(policy.values()) == pytest.approx(expected.policy)
            assert value == pytest.approx(expected.value)
        assert bot.choose_many(seen) == [bot.choose(match) for match in seen]
        assert [bot.analyse(match).candidates[0].step for match in seen] == bot.choose_many(seen)
    assert found[0.05] != found[0.3] != found[4.0]


def test_a_card_of_before_there_was_an_exploration_is_understood(folder: Path, evaluated_by: str) -> None:
    path, game = folder / "alquerque" / "strong", load_game("alquerque")
    expected = load_bot("alquerque-strong:30", game).evaluate(Match(game))
    config = json.loads((path / META).read_text())["config"]
    del config["evaluation"]["exploration"]
    rewrite(path, config=config)
    assert load_bot("alquerque-strong:30", game).evaluate(Match(game)) == expected


BROKEN = [
    (lambda path: (path / WEIGHTS).write_bytes(b"0" * 100), "is damaged: its SHA-256 is"),
    (lambda path: (path / META).write_text("{"), "is not valid JSON"),
    (lambda path: (path / META).write_text("[" * 100_000), "is not valid JSON"),
    (put(format=2), "has format 2, expected 1"),
    (put(sha256={}), "sha256 names []"),
    (put(options=[]), "options is [], expected a table"),
    *((put(config=config), "meta.json: config") for config in (None, {"evaluation": None}, {"evaluation": []})),
    *(
        (put("config", "evaluation", exploration=value), "meta.json: config.evaluation.exploration")
        for value in (0, 101, 10**400, True, "1", None, [], float("nan"), float("inf"))
    ),
    *(
        (put("network", search_features=depth), "expected 'off' or an integer from 0 to 4")
        for depth in (-1, 5, 1.0, True, "2", [1] * 99, None)
    ),
    (lambda path: rewrite_weights(path, b"0" * 100), "not a safetensors file: "),
    (
        lambda path: rewrite_weights(path, safetensors.numpy.save({"a": np.zeros(2)})),
        "a is of type float64, expected float32",
    ),
    (lambda path: change(path, "plane_scale", lambda _: None), "plane_scale has shape None"),
    (lambda path: change(path, "input.bias", lambda _: None), "expected"),
    (lambda path: change(path, "policy.bias", lambda bias: bias[1:]), "policy.bias has shape (511,), expected (512,)"),
    (lambda path: change(path, "value.weight", lambda weight: weight * np.nan), "value.weight is not finite"),
    (lambda path: change(path, "blocks.1.first.bias", lambda _: np.zeros(16)), "has shape (16,), expected None"),
]


def change(path: Path, name: str, how) -> None:
    tensors = safetensors.numpy.load_file(path / WEIGHTS)
    tensors[name] = how(tensors.get(name))
    kept = {key: tensor.astype(np.float32) for key, tensor in tensors.items() if tensor is not None}
    rewrite_weights(path, safetensors.numpy.save(kept))


@first_by_default
@pytest.mark.parametrize(("spoil", "words"), BROKEN)
def test_a_broken_checkpoint_is_refused_without_torch_too(folder: Path, evaluated_by: str, spoil, words: str) -> None:
    path = folder / "fetaix" / "small"
    spoil(path)
    with pytest.raises(AlquerqueError) as refused:
        load_bot("fetaix-small", load_game("fetaix"))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500
    if evaluated_by == "numpy" or "config" in words:
        assert words in str(refused.value)
        assert str(path) in str(refused.value)


@first_by_default
@pytest.mark.parametrize("name", [name for name in shipped_bots() if name != FAMILY])
def test_what_is_shipped_plays_its_game_with_and_without_torch(name: str) -> None:
    path = shipped_bots()[name]
    game, checkpoint = load_playable(path)

    assert game.table_hash == default(game).table_hash
    assert name.startswith(f"{game.name}-")
    assert set(checkpoint.meta.sha256) == {WEIGHTS}
    assert checkpoint.meta.strength
    if name.endswith("-small"):
        assert sum(weight.numel() for weight in checkpoint.network.parameters()) <= 300_000  # a byte each
    torch_bot, numpy_bot = (load(path, game) for load in (load_checkpoint_bot, load_numpy_bot))
    for match in matches(game, 20):
        assert torch_bot.choose(match) == numpy_bot.choose(match)


@first_by_default
@pytest.mark.parametrize("name", ["fetaix", "bagh_chal", "felli"])
def test_the_bot_for_all_games_plays_them_with_and_without_torch(name: str) -> None:
    game = load_game(name)
    torch_bot, numpy_bot = (load(shipped_bots()[FAMILY], game) for load in (load_checkpoint_bot, load_numpy_bot))
    for match in matches(game, 20):
        assert torch_bot.choose(match) == numpy_bot.choose(match)
    found = evaluate(FAMILY, game, "greedy", 20, opening_plies=4, max_steps=400)
    assert found.wins + found.draws / 2 > 0.7 * found.games


def default(game: Game) -> Game:
    return load_game(game.name)
