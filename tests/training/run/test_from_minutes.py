"""`alquerque train GAME --minutes M`: settings that follow from the time and the measured speed."""

import re
from itertools import product
from pathlib import Path

import pytest
from alquerque_training.config.settings import Config
from alquerque_training.measure.metrics import read_log
from alquerque_training.run import from_minutes
from alquerque_training.run.config_file import complete_config, load_config
from alquerque_training.run.from_minutes import LARGE, MEDIUM, MOST_PROCESSES, SMALL, choose_settings, choose_size
from alquerque_training.run.train import train

from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from tests.own_games import write_game
from tests.training.tiny_runs import weights, without_time

DECISIONS = [1, 300, 3_000, 40_000, 250_000, 1_500_000, 6e6, 1e8, 1e11]
PROCESSES = range(1, MOST_PROCESSES + 1)
SMALL_BATCHES = ["alphazero.warmup_positions=200", "alphazero.batch_size=128"]
QUICK = ["search.simulations=2", "evaluation.games_per_seat=2", "run.seed=3"]


def chosen(decisions: float, processes: int = 2) -> Config:
    data = choose_settings(choose_size(decisions), decisions, 5, processes, can_shuffle=True)
    return complete_config(data, [], "chosen")


def given(game: str, minutes: float, *overrides: str) -> Config:
    """The settings that a person gets."""
    return from_minutes.config_from_minutes(game, minutes, list(overrides), from_minutes.Console(quiet=True))


def test_every_time_and_speed_gives_settings_that_can_be_trained_with() -> None:
    for size, decisions, minutes, processes in product((SMALL, MEDIUM, LARGE), DECISIONS, (0.5, 10_000), PROCESSES):
        data = choose_settings(size, decisions, minutes, processes, can_shuffle=False)
        config = complete_config(data, [], "chosen")  # refuses settings that contradict each other

        assert config.iterations >= 10
        assert config.run.checkpoint_every <= config.iterations
        assert config.evaluation.every <= config.iterations


def test_a_run_has_as_many_steps_as_fit_into_the_time() -> None:
    for decisions, processes in product(DECISIONS[3:], PROCESSES):
        assert chosen(decisions, processes).run.total_steps == pytest.approx(decisions, rel=0.05)


def test_the_process_that_learns_plays_fewer_games_than_each_of_the_others() -> None:
    for processes in PROCESSES[1:]:
        config = chosen(1e7, processes)
        assert config.games_of(0) < config.games_of(1)


def test_results_are_discounted_where_pieces_can_move_back_and_forth(measured: list[Config]) -> None:
    discounts = {game: given(game, 5).self_play.discount for game in ("alquerque", "fetaix")}

    assert discounts == {"alquerque": 1.0, "fetaix": 0.98}


@pytest.mark.parametrize(
    ("name", "minutes", "message"),
    [
        ("quickstart", 5, "--minutes takes a game and chooses the settings, and 'quickstart' is a config: "),
        ("mine.toml", 5, "--minutes takes a game and chooses the settings, and 'mine.toml' is a config: "),
        ("fetaiks", 5, "no game 'fetaiks'; did you mean 'fetaix'?"),
        ("fetaix", 0.1, "--minutes is 0.1, expected a number from 0.5 to 10,000"),
        ("fetaix", float("nan"), "--minutes is nan, expected a number from 0.5 to 10,000"),
    ],
)
def test_a_wrong_argument_is_refused_and_nothing_is_written(
    name: str, minutes: float, message: str, folder: Path
) -> None:
    (folder / "mine.toml").write_text("[run]\nseed = 1\n")
    before = sorted(folder.rglob("*"))

    with pytest.raises(AlquerqueError, match=re.escape(message)) as caught:
        train(name, minutes=minutes)

    assert "\n" not in str(caught.value)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("minutes", [0.5, 60, 10_000])
def test_a_game_that_no_search_plays_is_trained_by_ppo(measured: list[Config], minutes: float) -> None:
    config = given("zamma", minutes)

    assert {each.run.algorithm for each in [*measured, config]} == {"ppo"}
    assert config.network.feature_depth is None
    assert config.run.total_steps == pytest.approx(max(10_240, 30 * 60 * minutes), rel=0.1)
    assert config.iterations >= 8
    assert config.evaluation.every <= config.iterations >= config.run.checkpoint_every


@pytest.mark.parametrize(
    ("game", "override", "message"),
    [
        ("zamma", "run.algorithm=alphazero", "zamma has a board of 81 points, and training by search takes at most 63"),
        ("fetaix", "network.widht=3", "unknown key 'widht'; did you mean 'width'"),
        ("fetaix", "run.game=felli", r"the game is given twice, as 'fetaix' and as 'run\.game=felli'"),
    ],
)
def test_a_wrong_override_is_refused_before_anything_is_measured(
    game: str, override: str, message: str, measured: list[Config], folder: Path
) -> None:
    with pytest.raises(AlquerqueError, match=message):
        train(game, [override], minutes=5)
    assert measured == []


def test_overrides_are_measured_and_kept(measured: list[Config]) -> None:
    config = given("fetaix", 600, "network.width=32", "run.seed=7", "alphazero.processes=3")

    assert [each.network.width for each in measured] == [32] * len(measured)
    assert (config.network.width, config.run.seed, config.processes) == (32, 7, 3)
    assert config.games_of(0) < config.games_of(1)


def test_a_run_that_begins_with_weights_has_their_network(measured: list[Config]) -> None:
    config = given("felli", 5, "run.start=family")

    assert {str(each.network) for each in [*measured, config]} == {"family 32x3 with search features, depth 2"}


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Config]:
    """The configs whose speed was asked for. A machine with one core, 30 decisions a second, stands for this one."""
    asked = []

    def measure_speed(config: Config, *_: object) -> tuple[float, float, float]:
        asked.append(config)
        return 30.0, 0.1, 0.1

    monkeypatch.setattr(from_minutes, "measure_speed", measure_speed)
    monkeypatch.setattr(from_minutes, "count_processors", lambda: 1)
    return asked


@pytest.mark.slow
@pytest.mark.usefixtures("measured")
def test_the_config_of_a_run_alone_repeats_it_without_the_file_of_its_game(folder: Path) -> None:
    path = write_game(folder)

    result = train(str(path), QUICK, minutes=0.5)
    path.unlink()
    again = train(result.run / "config.toml")

    assert [result.run, again.run] == [Path("runs/mine-1"), Path("runs/mine-2")]
    assert load_config(result.run / "config.toml").run.seed == 3
    assert weights(again) == weights(result)
    assert without_time(again.run) == without_time(result.run)


@pytest.mark.slow
def test_a_run_is_measured_trained_and_told_what_it_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The speed is measured, and another one, which no load changes, is told."""

    def measure_speed(config: Config, game: Game, _: float) -> tuple[float, float, float]:
        assert min(measured_speed(config, game, 0.0)) > 0
        return 800.0, 1.0, 2.0

    measured_speed = from_minutes.measure_speed
    monkeypatch.setattr(from_minutes, "measure_speed", measure_speed)
    monkeypatch.setattr(from_minutes, "count_processors", lambda: 2)
    result = train(
        "alquerque",
        [*QUICK, "run.directory=trained", "run.total_steps=2000", *SMALL_BATCHES],
        minutes=0.5,
    )

    lines = capsys.readouterr().out
    config = load_config(result.run / "config.toml")
    assert f"{config.run.total_steps:,} steps in {config.iterations} iterations" in " ".join(lines.split())
    assert len(read_log(folder / "trained/alquerque-1/log.jsonl")) == config.iterations
