"""Training on games from files: runs and checkpoints keep the game and never open its file again."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from alquerque_training.checkpoints.checkpoint import load_start
from alquerque_training.checkpoints.torch_bot import load_playable
from alquerque_training.export.exporter import export_player
from alquerque_training.run.config_file import ConfigError, load_config
from alquerque_training.run.train import train
from rich.console import Console

from alquerque_env import Match, load_bot, load_game
from alquerque_env.bots.network.model_card import CheckpointError
from tests.forced_games import write_forced_game
from tests.own_games import write_game
from tests.training.tiny_runs import TINY, TINY_ALPHAZERO, power_cut, stop_at, weights

SHORT = ["run.total_steps=512", "run.checkpoint_every=1", "evaluation.games_per_seat=1", "self_play.max_cycles=20"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY.replace('"alquerque"', '"mine.toml"'), encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_checkpoint_is_played_and_exported_without_the_file_of_its_game(here: Path) -> None:
    file = write_game(here)
    game = load_game(file)
    console = Console(file=io.StringIO(), width=200)
    result = train("tiny.toml", SHORT, console=console)
    file.unlink()

    found, checkpoint = load_playable(result.checkpoint)
    match = Match(game)
    step = load_bot(str(result.checkpoint), game).choose(match)
    player = export_player(result.checkpoint, here / "bot.py")
    told = subprocess.run(
        [sys.executable, "-I", "-S", str(player.path), "--position", match.position], capture_output=True, check=True
    )

    assert found == game == player.game
    assert (checkpoint.meta.game, checkpoint.meta.game_file) == ("mine", game.file_text)
    assert step in match.legal_steps
    assert told.stdout.decode().strip() == step.text
    assert f"alquerque play mine.toml --opponent {result.checkpoint}" in console.file.getvalue()
    assert "mine.toml" not in (result.checkpoint.parent.parent / "config.json").read_text(encoding="utf-8")


def test_a_checkpoint_is_refused_by_another_file_of_the_name(here: Path) -> None:
    write_game(here)
    result = train("tiny.toml", SHORT, console=Console(file=io.StringIO()))
    changed = load_game(write_game(here, at_limit="majority"))

    with pytest.raises(CheckpointError, match="was made for other rules"):
        load_bot(str(result.checkpoint), changed)
    with pytest.raises(CheckpointError, match=r"run\.start: .*was made for other rules"):
        load_start(str(result.checkpoint), changed)
    card = result.checkpoint / "meta.json"
    content = json.loads(card.read_text(encoding="utf-8"))
    card.write_text(json.dumps({**content, "game_file": changed.file_text}), encoding="utf-8")
    with pytest.raises(CheckpointError, match="was made for other rules"):
        load_playable(result.checkpoint)


def stopped(here: Path, monkeypatch: pytest.MonkeyPatch, text: str, overrides: list[str]) -> Path:
    """The folder of a run that was stopped after its second iteration."""
    (here / "tiny.toml").write_text(text, encoding="utf-8")
    stop_at(3, monkeypatch, overrides=overrides, by=power_cut, error=RuntimeError)
    (run,) = (here / "runs").iterdir()
    return run


@pytest.mark.parametrize("algorithm", ["ppo", "alphazero"])
@pytest.mark.slow
def test_a_run_of_several_processes_is_resumed_without_the_file_of_its_game(
    algorithm: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TINY if algorithm == "ppo" else TINY_ALPHAZERO
    short = ["run.total_steps=2048", "run.checkpoint_every=1", "run.game=mine.toml", f"{algorithm}.processes=2"]
    file = write_game(here)
    run = stopped(here, monkeypatch, text, short)
    file.unlink()

    result = train("tiny.toml", short, run, console=Console(file=io.StringIO()))

    write_game(here)
    assert weights(result) == weights(train("tiny.toml", short, console=Console(file=io.StringIO())))


def test_a_run_is_not_resumed_with_another_game(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    overrides = ["run.checkpoint_every=1", "run.game=mine.toml"]
    file = write_game(here)
    run = stopped(here, monkeypatch, TINY, overrides)
    before = sorted(run.rglob("*"))

    write_game(here, chain="single")
    with pytest.raises(ConfigError, match=r"was started with another mine\.toml: .*put it back to resume"):
        train("tiny.toml", overrides, run, console=Console(file=io.StringIO()))
    file.unlink()
    with pytest.raises(ConfigError, match=r"run\.game: no game file 'other\.toml'"):
        train("tiny.toml", [*overrides, "run.game=other.toml"], run, console=Console(file=io.StringIO()))
    assert sorted(run.rglob("*")) == before


def test_a_config_shows_the_game_that_it_has_read(here: Path) -> None:
    write_game(here)
    config = load_config("tiny.toml")
    (here / "mine.toml").unlink()
    (here / "whole.toml").write_text(config.toml(), encoding="utf-8")

    assert load_config("whole.toml") == config
    assert config.run.load_game().name == "mine"
    with pytest.raises(ConfigError, match=r"tiny\.toml: run\.game: no game file 'mine\.toml'"):
        load_config("tiny.toml")


@pytest.mark.parametrize("config", [TINY, TINY_ALPHAZERO], ids=["ppo", "alphazero"])
def test_a_game_without_a_choice_is_refused_and_nothing_is_written(here: Path, config: str) -> None:
    write_forced_game(here, "forced")
    (here / "tiny.toml").write_text(config, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^tiny.toml: \[run\] forced has no choice: every step from its start is"):
        train("tiny.toml", ["run.game=forced.toml"], console=Console(file=io.StringIO()))
    assert not (here / "runs").exists()
