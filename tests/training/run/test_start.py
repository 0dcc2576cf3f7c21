"""Runs that begin with the weights of another: what they learn from, what they say of it, and how they go on."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from alquerque_training.checkpoints.checkpoint import CheckpointError, load_checkpoint
from alquerque_training.run.config_file import load_config
from alquerque_training.run.train import TrainingResult, train

from alquerque_env import load_game
from alquerque_env.bots.network.model_card import ModelCard, read_card
from tests.sets import first_by_default, first_case
from tests.training.tiny_runs import TINY, TINY_ALPHAZERO, compiled, ctrl_c, power_cut, stop_at, weights, without_time

GAME = load_game("alquerque")
ALPHAZERO = TINY_ALPHAZERO.replace("= 3072", "= 512").replace("rollout_steps = 24", "rollout_steps = 8")
CONFIGS = {
    "ppo": TINY.replace("4096", "2048"),
    "alphazero": ALPHAZERO.replace("warmup_positions = 128", "warmup_positions = 100"),
}


@pytest.fixture(scope="module", params=first_case(CONFIGS))
def first(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TrainingResult:
    """A run with random weights to begin with."""
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "tiny.toml").write_text(CONFIGS[request.param])
    return train(folder / "tiny.toml", [f"run.directory={folder}"])


@pytest.fixture
def overrides(first: TrainingResult, tmp_path: Path) -> list[str]:
    """Lets a run go on from the first one."""
    return [f"run.start={first.checkpoint}", f"run.directory={tmp_path}", "run.seed=1"]


def config(first: TrainingResult) -> Path:
    return first.run.parent / "tiny.toml"


def card(result: TrainingResult) -> ModelCard:
    """What a checkpoint says of itself, but for times and where it was made."""
    return replace(read_card(result.checkpoint), wall_time=0, processor_time=0, command=None, config={})


def test_a_run_begins_with_the_weights_it_is_given(
    first: TrainingResult, overrides: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a learning rate of next to nothing they stay what they were."""
    name = load_config(config(first)).run.algorithm
    small = [f"{name}.learning_rate=1e-12", f"{name}.final_learning_rate=1e-12"]
    stop_at(1, monkeypatch, config(first), [*overrides, *small])
    saved = next((tmp_path / "tiny-1" / "checkpoints").iterdir())

    before = load_checkpoint(first.checkpoint, GAME).network.state_dict()
    after = load_checkpoint(saved, GAME).network.state_dict()

    assert all(before[name].sub(after[name]).abs().max() < 1e-6 for name in before)


def test_the_steps_behind_the_first_weights_count(first: TrainingResult, overrides: list[str], tmp_path: Path) -> None:
    second = train(config(first), overrides)
    third = train(config(first), [f"run.start={second.checkpoint}", f"run.directory={tmp_path / 'third'}"])
    metas = [read_card(result.checkpoint) for result in (first, second, third)]

    own = metas[0].steps
    assert metas[0].start is None
    assert [meta.steps for meta in metas] == [own, 2 * own, 3 * own]
    assert [meta.steps_of_run for meta in metas] == [own, own, own]
    assert metas[2].wall_time > metas[1].wall_time > metas[0].wall_time > 0
    assert metas[2].processor_time > metas[1].processor_time > metas[0].processor_time > 0
    assert metas[1].start.processor_time == metas[0].processor_time
    for before, meta, result in zip(metas, metas[1:], (second, third), strict=False):
        assert meta.start is not None
        assert meta.start.weights == before.sha256["weights.safetensors"]
        assert meta.start.steps == before.steps
        assert meta.seconds_of_run == pytest.approx(result.seconds, abs=0.002)


@compiled
@pytest.mark.slow
def test_the_curve_continues_that_of_the_first_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny.toml").write_text(CONFIGS["ppo"])
    measured = ['evaluation.opponents=["greedy"]', "evaluation.opponent_games=2", "evaluation.opponents_every=2"]
    arguments = [*measured, "evaluation.max_cycles=40", f"run.directory={tmp_path}"]
    first = train(tmp_path / "tiny.toml", arguments)
    arguments.append(f"run.start={first.checkpoint}")
    stop_at(3, monkeypatch, tmp_path / "tiny.toml", arguments)
    second = train(tmp_path / "tiny.toml", arguments, resume=tmp_path / "tiny-2")
    before, after = (read_card(result.checkpoint) for result in (first, second))

    assert [point.steps for point in before.curve] == [1024, 2048]
    assert [point.steps for point in after.curve] == [1024, 2048, 3072, 4096]
    assert after.curve[:2] == before.curve


@first_by_default
@pytest.mark.parametrize(
    ("stop", "error", "iteration"),
    [(power_cut, RuntimeError, 1), (ctrl_c, SystemExit, 2), (ctrl_c, SystemExit, 4), (power_cut, RuntimeError, 4)],
)
def test_a_stopped_run_is_resumed_with_the_same_result(
    first: TrainingResult,
    overrides: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stop: Callable[[], object],
    error: type[BaseException],
    iteration: int,
) -> None:
    """A power cut before the first checkpoint leaves nothing but what the run began with."""
    whole = train(config(first), [*overrides, f"run.directory={tmp_path / 'whole'}"])
    stop_at(iteration, monkeypatch, config(first), overrides, by=stop, error=error)
    resumed = train(config(first), overrides, resume=tmp_path / "tiny-1")

    assert weights(resumed) == weights(whole)
    assert card(resumed) == card(whole)
    assert without_time(resumed.run) == without_time(whole.run)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "network.width=32",
            "run.start: checkpoint '.*' is of alquerque with network mlp 16x., expected mlp 32x. "
            "(.* has shape .*): set network.width = 16, or give another",
        ),
        (
            "network.search_features=0",
            "run.start: .* with network mlp 16x., expected mlp 16x. with search features, depth 0 "
            '(.* has shape .*): set network.search_features = "off", or give another',
        ),
        (
            "run.game=fetaix",
            "run.start: checkpoint '.*' plays 'alquerque', not 'fetaix'; it is of alquerque with network "
            'mlp 16x.: set run.game = "alquerque", or give one of fetaix',
        ),
        (
            "run.options.last_rank_frozen=true",
            "run.start: checkpoint '.*' was trained with last_rank_frozen=False, this game has True; it is of "
            "alquerque with network .*: set run.options.last_rank_frozen = false, or give another",
        ),
        (
            "run.start=nowhere",
            "run.start: no checkpoint 'nowhere'; give the folder of a checkpoint, or leave run.start out to begin with "
            "random weights",
        ),
    ],
)
def test_weights_that_do_not_fit_are_refused_and_nothing_is_written(
    first: TrainingResult, overrides: list[str], tmp_path: Path, change: str, message: str
) -> None:
    with pytest.raises(CheckpointError) as error:
        train(config(first), [*overrides, change])

    assert re.fullmatch(message.replace("(", r"\(").replace(")", r"\)"), str(error.value))
    assert list(tmp_path.iterdir()) == []
