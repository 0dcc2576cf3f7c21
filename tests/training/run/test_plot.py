"""The picture of a run, from its log alone; and the same numbers for TensorBoard."""

import json
import math
import threading
import time
from importlib import util
from pathlib import Path

import pytest
from alquerque_training.measure.metrics import METRICS, Metric, MetricsLog, read_metrics
from alquerque_training.run.plot import TITLES, draw, plot_run
from click.testing import CliRunner
from matplotlib.figure import Figure
from matplotlib.image import imread

from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError

needs_tensorboard = pytest.mark.skipif(util.find_spec("tensorboard") is None, reason="TensorBoard is not installed")
PPO = {"policy_loss": -0.01, "value_loss": 0.1, "entropy": 0.9, "approx_kl": 0.01, "explained_variance": 0.3}


def record(iteration: int, **metrics: float) -> dict[str, float]:
    return {"iteration": iteration, "steps": 100 * iteration, "seconds": 1.5 * iteration, "draws": 0.25, **metrics}


def make_run(folder: Path, records: list[dict[str, float]], tail: str = "") -> Path:
    folder.mkdir()
    config = {"run": {"game": "alquerque", "algorithm": "ppo"}, "evaluation": {"games_per_seat": 100}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in records) + tail)
    return folder


def titles(figure: Figure) -> list[str]:
    return [axes.get_title() for axes in figure.axes]


def lines(figure: Figure, title: str) -> dict[str, tuple[list[float], list[float]]]:
    """Steps and values of each labelled line of a panel."""
    axes = figure.axes[titles(figure).index(title)]
    return {
        str(line.get_label()): (list(line.get_xdata()), list(line.get_ydata()))
        for line in axes.lines
        if not str(line.get_label()).startswith("_")
    }


def test_a_run_becomes_a_picture_in_its_folder(tmp_path: Path) -> None:
    run = make_run(tmp_path / "one", [record(number, **PPO, win_rate_player_0=0.5) for number in range(1, 9)])

    assert plot_run(run) == run / "plot.png"
    assert plot_run(run, tmp_path) == tmp_path / "one.png"
    done = CliRunner().invoke(main, ["plot", str(run), "-o", str(tmp_path / "x.PNG")])
    assert (done.exit_code, done.output) == (0, f"wrote {tmp_path / 'x.PNG'}\n")

    height, width, _ = imread(run / "plot.png").shape
    assert (width, height) > (1000, 500)
    assert sorted(path.name for path in run.iterdir()) == ["config.json", "log.jsonl", "plot.png"]


def test_values_stand_over_their_steps_and_only_what_is_measured_now_and_then_is_joined() -> None:
    records = [record(1), record(2, win_rate_player_0=0.5), record(3, draws=0.75), record(4, win_rate_player_0=0.9)]
    del records[1]["draws"]

    figure = draw(records, title="")

    assert lines(figure, TITLES["strength"]) == {"win rate player_0": ([200, 400], [0.5, 0.9])}
    ((steps, values),) = lines(figure, TITLES["outcomes"]).values()
    assert steps == [100, 200, 300, 400]
    assert [None if math.isnan(value) else value for value in values] == [0.25, None, 0.75, 0.25]


def test_the_metrics_of_a_learner_are_drawn_and_nothing_else() -> None:
    def panels(*names: str) -> list[str]:
        return titles(draw([{"iteration": 1, "steps": 10, **dict.fromkeys(names, 0.5)}], title=""))

    assert panels("policy_loss", "approx_kl", "win_rate_player_1") == [
        TITLES["strength"],
        TITLES["loss"],
        TITLES["change"],
    ]
    assert panels("value_loss", "game_length", "draws") == [TITLES["outcomes"], TITLES["length"], TITLES["loss"]]
    assert panels("a_metric_of_tomorrow") == []


def test_a_unit_has_its_own_axes() -> None:
    figure = draw([record(number, game_length=40, steps_per_second=1e5) for number in (1, 2)], title="")
    units = {axes.get_title(): axes.get_ylabel() for axes in figure.axes}

    assert units[TITLES["length"]] == "steps"
    assert units[TITLES["speed"]] == "steps/s"
    for panel in {metric.panel for metric in METRICS if metric.panel}:
        assert panel in TITLES
        assert len({metric.unit for metric in METRICS if metric.panel == panel}) == 1


def test_in_a_hunt_the_players_are_named_by_their_pieces_and_draws_stand_beside_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = {"win_rate_player_0": 0.9, "draw_rate_player_0": 0.1, "win_rate_player_1": 0.4, "draw_rate_player_1": 0.2}
    run = make_run(tmp_path / "hunt", [record(1, **rates, player_0_wins=0.5)])
    config = {"run": {"game": "bagh_chal", "algorithm": "ppo"}, "evaluation": {"games_per_seat": 100}}
    (run / "config.json").write_text(json.dumps(config))
    drawn = []
    monkeypatch.setattr("alquerque_env.arena.figures.save_figure", lambda figure, _path: drawn.append(figure))
    plot_run(run)

    expected = {"win rate tiger": 0.9, "win rate goat": 0.4, "draw rate tiger": 0.1, "draw rate goat": 0.2}
    assert lines(drawn[0], TITLES["strength"]) == {name: ([100], [rate]) for name, rate in expected.items()}
    assert set(lines(drawn[0], TITLES["outcomes"])) == {"draws", "tiger wins"}


def test_the_interval_of_a_win_rate_is_shown_where_the_number_of_games_is_known() -> None:
    records = [record(number, win_rate_player_0=1.0, win_rate_player_1=0.5) for number in (1, 2)]

    with_interval, without = (draw(records, title="", games_per_seat=games).axes[0].collections for games in (10, None))

    assert len(without) == 0
    heights = [band.get_paths()[0].get_extents() for band in with_interval]
    # Wilson's intervals of 10 of 10 and 5 of 10.
    assert [(round(box.y0, 3), round(box.y1, 3)) for box in heights] == [(0.722, 1.0), (0.237, 0.763)]


@pytest.mark.slow
def test_declared_metrics_are_drawn_by_what_the_run_says_of_them(tmp_path: Path) -> None:
    run = make_run(tmp_path / "one", [])
    surprise = Metric("surprise", "nat", "How little was foreseen.", "foresight", interval=("surprise_low", "no"))
    declared = (
        surprise,
        Metric("part", "share", "Of each.", "parts", is_family=True),
        Metric("quiet", "1", "Not drawn."),
    )
    logged = record(1, surprise=0.5, quiet=1.0, **{"part.a": 0.25, "part.b": 0.75})
    MetricsLog(run / "log.jsonl", declared=declared).write(logged)

    figure = draw([logged], title="", metrics=read_metrics(run / "log.jsonl"))

    assert plot_run(run).exists()
    assert titles(figure) == [TITLES["outcomes"], "foresight", "parts"]
    assert lines(figure, "foresight") == {"surprise": ([100], [0.5])}
    assert lines(figure, "parts") == {"against a": ([100], [0.25]), "against b": ([100], [0.75])}
    assert figure.axes[1].get_ylabel() == "nat"


def test_scores_are_drawn_by_opponent_and_the_rating_with_its_interval() -> None:
    arena = {"score.random": 0.9, "score.my_bot:64": 0.25, "rating": 100.0, "rating_low": 50.0, "rating_high": 170.0}
    figure = draw([record(1), record(2, **arena), record(3), record(4, **arena)], title="")

    assert lines(figure, TITLES["scores"]) == {
        "against random": ([200, 400], [0.9, 0.9]),
        "against my_bot:64": ([200, 400], [0.25, 0.25]),
    }
    assert lines(figure, TITLES["rating"]) == {"rating": ([200, 400], [100, 100])}
    (band,) = figure.axes[titles(figure).index(TITLES["rating"])].collections
    box = band.get_paths()[0].get_extents()
    assert (box.x0, box.x1, box.y0, box.y1) == (200, 400, 50, 170)
    assert titles(figure) == [TITLES["scores"], TITLES["rating"], TITLES["outcomes"]]


def test_a_running_mean_is_that_of_the_values_there_are() -> None:
    """Every other iteration has none for a while, and for longer than the mean reaches none has one."""
    records = [
        record(number, entropy=float(number % 4)) if number <= 400 and number % 2 else record(number)
        for number in range(1, 1001)
    ]

    ((label, (steps, values)),) = lines(draw(records, title=""), TITLES["policy"]).items()

    assert len(steps) == 1000
    assert label == "entropy, running mean"
    assert all(math.isclose(value, 2, abs_tol=0.1) for value in values[:400])
    assert all(math.isnan(value) for value in values[450:])


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    run, empty = make_run(tmp_path / "one", [record(1)]), make_run(tmp_path / "empty", [], tail='{"iteration": 1')
    without_log = make_run(tmp_path / "young", [])
    (without_log / "log.jsonl").unlink()
    damaged = make_run(tmp_path / "damaged", [record(1)])
    (damaged / "config.json").write_text("{")

    for arguments, message in (
        ([tmp_path / "none"], "none' is not a run: config.json: No such file"),
        ([tmp_path / "folder"], "folder' is not a run: config.json: No such file"),
        ([tmp_path], f"is not a run: config.json: No such file or directory; did you mean {str(without_log)!r}?"),
        ([empty], "empty' has no iterations yet"),
        ([without_log], "young' has no iterations yet"),
        ([damaged], "config.json is not valid JSON"),
        ([run, tmp_path / "picture.pdf"], "picture.pdf' is neither a folder nor the name of a .png file"),
        ([run, tmp_path / "none" / "x.png"], "x.png' cannot be written: No such file"),
    ):
        with pytest.raises(AlquerqueError) as error:
            plot_run(*arguments)
        assert message in str(error.value)
        assert "\n" not in str(error.value)
    assert sorted(path.name for path in run.iterdir()) == ["config.json", "log.jsonl"]


# TensorBoard.


def scalars(folder: Path, tag: str) -> list[tuple[int, float]]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    return (
        [(event.step, round(event.value, 3)) for event in events.Scalars(tag)]
        if tag in events.Tags()["scalars"]
        else []
    )


@needs_tensorboard
@pytest.mark.filterwarnings("ignore")
def test_tensorboard_gets_every_metric_over_its_steps_and_forgets_what_a_resumed_run_does_again(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path / "log.jsonl")
    for number in (1, 2, 3):
        log.write(record(number, policy_loss=1.0))
    time.sleep(1.1)  # TensorBoard sorts files by the second in their names, and within a second by a number as text
    log = MetricsLog(tmp_path / "log.jsonl", iteration=1)
    log.write(record(2, policy_loss=0.25))

    assert scalars(tmp_path, "loss/policy_loss") == [(100, 1.0), (200, 0.25)]
    assert scalars(tmp_path, "outcomes/draws") == [(100, 0.25), (200, 0.25)]
    assert scalars(tmp_path, "other/seconds") == [(100, 1.5), (200, 3.0)]


def test_nothing_is_written_where_tensorboard_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alquerque_training.measure.metrics.find_spec", lambda _name: None)
    MetricsLog(tmp_path / "log.jsonl").write(record(1))

    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


@needs_tensorboard
@pytest.mark.filterwarnings("ignore")
def test_a_folder_that_tensorboard_cannot_write_to_is_an_error_of_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tensorboard").write_text("a file")
    before = threading.excepthook

    with pytest.raises(OSError, match="tensorboard"):
        MetricsLog(tmp_path / "log.jsonl")
    assert threading.excepthook is before
    assert capsys.readouterr().err == ""
