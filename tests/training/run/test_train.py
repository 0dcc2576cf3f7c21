"""`alquerque train` from end to end: results, repetition, interruption, and every way to be refused."""

import errno
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from alquerque_training.checkpoints.checkpoint import META, CheckpointError, load_checkpoint
from alquerque_training.checkpoints.int8_weights import quantise
from alquerque_training.measure.evaluate import as_strength
from alquerque_training.measure.gauntlet import Gauntlet
from alquerque_training.measure.metrics import read_log, read_metrics
from alquerque_training.ppo import PPOLearner
from alquerque_training.run import train as train_module
from alquerque_training.run.config_file import ConfigError
from alquerque_training.run.folder import Run, TrainingError
from alquerque_training.run.plot import plot_run
from alquerque_training.run.train import TrainingResult, train

from alquerque_env import games, load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.kernel_arrays import JIT
from tests.full_disk import files_up_to
from tests.training.tiny_runs import TINY_ALPHAZERO, stop_at, weights, without_time

ROOT = Path(__file__).parents[3]
ITERATIONS = 8


pytestmark = pytest.mark.usefixtures("folder")


def test_a_run_leaves_its_config_log_and_checkpoint(uninterrupted: TrainingResult) -> None:
    run = uninterrupted.run
    log = read_log(run / "log.jsonl")
    loaded = load_checkpoint(uninterrupted.checkpoint, load_game("alquerque"))

    assert run.name == "tiny-1"
    assert json.loads((run / "config.json").read_text())["self_play"]["num_games"] == 32
    assert [line["iteration"] for line in log] == list(range(1, ITERATIONS + 1))
    assert ["win_rate_player_0" in line for line in log] == [False] * 3 + [True] + [False] * 3 + [True]
    assert loaded.meta.steps == 4096
    assert list(loaded.meta.strength) == [as_strength(uninterrupted.evaluation, "policy alone")]
    assert uninterrupted.evaluation.games == 8
    assert sorted(path.name for path in (run / "checkpoints").iterdir()) == [
        "final",
        "step-000000001536",
        "step-000000003072",
    ]


def test_the_saved_weights_are_quantised() -> None:
    result = train(Path("tiny.toml"), ["run.total_steps=512", "network.weight_bits=8"])
    network = load_checkpoint(result.checkpoint, load_game("alquerque")).network
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    quantise(network, 8)

    assert all((before[name] == tensor).all() for name, tensor in network.state_dict().items())


def test_the_last_lines_say_result_checkpoint_and_what_to_do_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    result = train(Path("tiny.toml"))
    told = capsys.readouterr().out

    for words in (
        str(result.evaluation),
        f"play alquerque --opponent {result.checkpoint}",
        f"export {result.checkpoint}",
    ):
        assert words in told


@pytest.mark.slow
def test_a_player_is_offered_with_the_search_and_the_options_that_it_learned_with(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("zero.toml").write_text(TINY_ALPHAZERO)
    train(Path("zero.toml"), ["run.options.capture=optional"])
    play = "alquerque play alquerque --option capture=optional --opponent runs/zero-1/checkpoints/final:8\n"
    assert play in capsys.readouterr().out


def test_the_same_seed_gives_the_same_run_and_another_seed_another(uninterrupted: TrainingResult) -> None:
    again, other = train(Path("tiny.toml")), train(Path("tiny.toml"), ["run.seed=1"])

    assert weights(again) == weights(uninterrupted)
    assert without_time(again.run) == without_time(uninterrupted.run)
    assert weights(other) != weights(uninterrupted)
    assert [again.run.name, other.run.name] == ["tiny-1", "tiny-2"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_matches_between_opponents_at_once_and_the_run_can_be_resumed(
    number: signal.Signals,
    status: int,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = ["run.total_steps=512", "evaluation.opponents=['greedy']", "evaluation.opponent_games=2"]

    prepare = Gauntlet.prepare

    def play_for_long(*given: object) -> None:
        prepare(*given)
        signal.raise_signal(number)
        for _ in range(50):
            time.sleep(0.1)
        pytest.fail("the signal did not end the matches")

    with monkeypatch.context() as patch, pytest.raises(SystemExit) as stopped:
        patch.setattr(Gauntlet, "prepare", play_for_long)
        train(Path("tiny.toml"), settings)
    assert stopped.value.code == status
    assert "resume with: alquerque train --resume runs/tiny-1" in capsys.readouterr().out

    resumed = train(Path("tiny.toml"), settings, resume=Path("runs/tiny-1"))
    assert weights(resumed) == weights(train(Path("tiny.toml"), settings))


@pytest.mark.skipif(not JIT, reason="plain Python computes search features on any board")
def test_search_features_on_a_board_with_too_many_points_are_refused_before_anything_is_played(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Gauntlet, "prepare", lambda *_: pytest.fail("opponents have met"))
    game = next(name for name in games() if load_game(name).board.is_wide)
    settings = [f"run.game={game}", "network.search_features=1", "evaluation.opponents=['greedy']"]
    with pytest.raises(ConfigError, match=f"{game} has a board of .* points, and .* search features takes at most 63"):
        train(Path("tiny.toml"), settings)
    assert not Path("runs").exists()


@pytest.mark.slow
def test_a_run_that_was_killed_before_it_had_a_config_is_begun_again(uninterrupted: TrainingResult) -> None:
    for made in ((), ("checkpoints",)):
        shutil.rmtree("runs", ignore_errors=True)
        Path("runs/tiny-1").mkdir(parents=True)
        Path("runs/tiny-1/.lock").touch()
        Path("runs/tiny-1/.config.json.01234567.partial").touch()
        for name in made:
            Path("runs/tiny-1", name).mkdir()

        result = train(Path("tiny.toml"))

        assert result.run == Path("runs/tiny-1")
        assert weights(result) == weights(uninterrupted)
        assert list(Path("runs").rglob(".*")) == []


def test_a_folder_with_other_files_is_not_taken_for_a_run(folder: Path) -> None:
    Path("runs/tiny-1").mkdir(parents=True)
    Path("runs/tiny-1/notes.txt").touch()
    Path("runs/tiny-2").touch()

    assert train(Path("tiny.toml"), ["run.total_steps=512"]).run == Path("runs/tiny-3")


@pytest.mark.slow
def test_training_beats_random(tmp_path: Path) -> None:
    """In a minute on one core; seeds 0, 1 and 2 won 100, 98, 100 as player_0 and 100, 94, 96 as player_1."""
    overrides = ["run.total_steps=400_000", "self_play.num_games=256", "evaluation.games_per_seat=100"]

    result = train(ROOT / "configs" / "quickstart.toml", [*overrides, f"run.directory={tmp_path}"])

    assert all(seat.wins >= 85 for seat in result.evaluation.seats)


@pytest.mark.slow
def test_both_backends_of_ppo_learn_the_same(folder: Path) -> None:
    settings = ["run.total_steps=2048", "ppo.symmetries=true", "ppo.pool_share=0.25", "ppo.pool_every=1"]
    settings += ["self_play.bots=['greedy']", "self_play.bots_share=0.25"]
    one, other = (
        train(Path("tiny.toml"), [*settings, f"ppo.backend={backend}", "ppo.device=cpu"])
        for backend in ("auto", "torch")
    )
    assert weights(one) == weights(other)
    assert without_time(one.run) == without_time(other.run)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["run.game=alquerqe"], "tiny.toml: run.game: no game 'alquerqe'; did you mean 'alquerque'?"),
        (["run.options.undo_scop=per_coin"], "tiny.toml: [run] no option 'undo_scop' of alquerque; did you mean"),
        (["run.options.undo_scope=never"], "tiny.toml: [run] alquerque: undo_scope cannot be 'never'"),
        (["ppo.clip=0"], "tiny.toml: ppo.clip is 0, expected greater than 0"),
        (["run.directory=tiny.toml"], "run.directory is 'tiny.toml', which cannot be written to: "),
    ],
)
def test_a_bad_config_is_refused_and_nothing_is_written(folder: Path, overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        train(Path("tiny.toml"), overrides)

    assert str(error.value).startswith(message)
    assert [path.name for path in folder.iterdir()] == ["tiny.toml"]


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run stopped after its fourth iteration."""
    stop_at(4, monkeypatch)
    return Path("runs/tiny-1")


@pytest.mark.slow
def test_a_run_cannot_be_resumed_with_another_config(interrupted: Path) -> None:
    with pytest.raises(ConfigError, match=r"was started with ppo\.clip = 0\.2, tiny\.toml has 0\.1") as error:
        train(Path("tiny.toml"), ["ppo.clip=0.1"], resume=interrupted)

    _, begin = str(error.value).rsplit(" with ", 1)
    assert begin == "run.start=runs/tiny-1/checkpoints/step-000000002048"
    assert train(Path("tiny.toml"), ["ppo.clip=0.1", begin]).run.name == "tiny-2"


@pytest.mark.slow
def test_a_run_in_use_is_refused_and_later_resumed_without_its_config_too(
    interrupted: Path, uninterrupted: TrainingResult
) -> None:
    code = (
        "from pathlib import Path; from alquerque_training.run.folder import Run\n"
        "with Run(Path('runs/tiny-1')).locked(): print('held', flush=True); input()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        card = Run(interrupted).checkpoints()[-1] / META
        content = card.read_bytes()
        card.write_bytes(b"")  # nothing is read that the holder may be writing
        with pytest.raises(ConfigError, match=f"run 'runs/tiny-1' is in use by process {holder.pid} on"):
            train(Path("tiny.toml"), resume=interrupted)
        card.write_bytes(content)
        holder.communicate("\n")

    Path("tiny.toml").unlink()
    assert weights(train(None, resume=interrupted)) == weights(uninterrupted)


def test_the_config_that_a_run_keeps_starts_no_program(uninterrupted: TrainingResult, folder: Path) -> None:
    run = folder / "runs" / "other-1"
    (run / "checkpoints").mkdir(parents=True)
    config = json.loads((uninterrupted.run / "config.json").read_text())
    (run / "config.json").write_text(json.dumps(config))
    with pytest.raises(ConfigError, match="has saved nothing yet: begin it again with its config"):
        train(None, resume=run)

    (run / "log.jsonl").write_text("{}\n")
    config["run"]["algorithm"] = "wild:Learner"
    (run / "config.json").write_text(json.dumps(config))
    with pytest.raises(ConfigError, match=r"started with run\.algorithm = 'wild:Learner', which runs a program"):
        train(None, resume=run)


def test_neither_a_finished_run_nor_a_folder_without_one_can_be_resumed(
    uninterrupted: TrainingResult, folder: Path
) -> None:
    with pytest.raises(ConfigError, match="is finished; its checkpoint is"):
        train(None, resume=uninterrupted.run)
    with pytest.raises(ConfigError, match=r"is not a run: config\.json: No such file"):
        train(Path("tiny.toml"), resume=folder)


@pytest.mark.slow
def test_a_broken_checkpoint_is_named_with_the_one_before_and_without_any_a_run_trains_from_the_beginning(
    interrupted: Path, uninterrupted: TrainingResult
) -> None:
    first, last = sorted((interrupted / "checkpoints").iterdir())
    (last / "training.safetensors").write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"is damaged: .*; the one before it is "):
        train(Path("tiny.toml"), resume=interrupted)

    shutil.rmtree(first)
    meta = json.loads((last / META).read_text())
    del meta["sha256"]["training.safetensors"]  # a checkpoint of weights alone
    (last / META).write_text(json.dumps(meta))
    words = r"training state does not fit this run: .*; the run has no other: delete it, and the same command "
    with pytest.raises(CheckpointError, match=words):
        train(Path("tiny.toml"), resume=interrupted)

    shutil.rmtree(last)

    assert weights(train(Path("tiny.toml"), resume=interrupted)) == weights(uninterrupted)


@pytest.mark.slow
def test_diverged_weights_are_not_saved_and_the_advised_command_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    iterate = PPOLearner.iterate

    def diverge(self: PPOLearner) -> dict[str, float]:
        """Losses of the third iteration are good, the weights that it leaves are not."""
        record = iterate(self)
        if self.iteration == 3:
            torch.nn.init.constant_(self.network.policy.bias, torch.nan)
        return record

    with monkeypatch.context() as patch, pytest.raises(TrainingError) as caught:
        patch.setattr(PPOLearner, "iterate", diverge)
        train(Path("tiny.toml"), ["run.checkpoint_every=1"])
    message, command = str(caught.value).split("in a new run: ")

    assert "policy.bias of the network is not finite in iteration 3, so the run has stopped" in message
    assert [path.name for path in Path("runs/tiny-1/checkpoints").iterdir()] == [
        "step-000000000512",
        "step-000000001024",
    ]
    program, name, config, *overrides = shlex.split(command)
    assert [program, name, config] == ["alquerque", "train", "tiny.toml"]
    assert overrides[1:] == ["run.start=runs/tiny-1/checkpoints/step-000000001024", "ppo.learning_rate=0.0005"]
    assert train(Path(config), overrides).checkpoint == Path("runs/tiny-2/checkpoints/final")


def test_a_run_that_got_nowhere_leaves_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: PPOLearner) -> dict[str, float]:
        raise RuntimeError("power cut")

    monkeypatch.setattr(PPOLearner, "iterate", fail)
    with pytest.raises(RuntimeError, match="power cut"):
        train(Path("tiny.toml"))

    assert list(Path("runs").iterdir()) == []


def test_a_second_ctrl_c_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    iterate = PPOLearner.iterate

    def iterate_under_fire(self: PPOLearner) -> dict[str, float]:
        if self.iteration == 2:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return iterate(self)

    monkeypatch.setattr(PPOLearner, "iterate", iterate_under_fire)
    with pytest.raises(KeyboardInterrupt):
        train(Path("tiny.toml"))

    assert len(read_log(Path("runs/tiny-1/log.jsonl"))) == 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# A disk that is full.


LARGE = os.strerror(errno.EFBIG)


def go_on(message: str) -> TrainingResult:
    """Does what a message tells to do."""
    words = shlex.split(re.split(r"(?:resume|start again) with: ", message)[1])
    assert words[:2] == ["alquerque", "train"]
    if words[2] == "--resume":
        return train(None, resume=Path(words[3]))
    assert words[2] == "tiny.toml"
    return train(Path("tiny.toml"), words[3:])


def test_a_full_disk_at_the_last_checkpoint(uninterrupted: TrainingResult, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as disk:
        caught = stop_at(8, monkeypatch, by=lambda: disk.enter_context(files_up_to(10_000)), error=TrainingError)

    assert str(caught) == (
        f"checkpoint 'runs/tiny-1/checkpoints/final' cannot be written: {LARGE}; the last checkpoint is "
        "'runs/tiny-1/checkpoints/step-000000003072': fix that and resume with: alquerque train --resume "
        "runs/tiny-1"
    )
    assert {path.name for path in Path("runs/tiny-1/checkpoints").iterdir()} == {
        "step-000000001536",
        "step-000000003072",
    }
    resumed = go_on(str(caught))
    assert weights(resumed) == weights(uninterrupted)
    assert without_time(resumed.run) == without_time(uninterrupted.run)


@pytest.mark.slow
def test_a_full_disk_at_the_first_line(uninterrupted: TrainingResult, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the run would be lost, so none of it is left behind."""
    make = train_module.create_run
    with ExitStack() as disk, monkeypatch.context() as patch, pytest.raises(TrainingError) as caught:

        def make_and_fill(*arguments: object, **named: object) -> object:
            run = make(*arguments, **named)
            disk.enter_context(files_up_to(100))
            return run

        patch.setattr(train_module, "create_run", make_and_fill)
        train(Path("tiny.toml"))

    assert str(caught.value) == (
        f"log 'runs/tiny-1/log.jsonl' cannot be written: {LARGE}; nothing has been saved yet: fix that and start "
        "again with: alquerque train tiny.toml"
    )
    assert list(Path("runs").iterdir()) == []
    assert weights(go_on(str(caught.value))) == weights(uninterrupted)


def test_a_full_disk_at_a_new_run(folder: Path) -> None:
    with files_up_to(100), pytest.raises(ConfigError) as caught:
        train(Path("tiny.toml"))

    assert str(caught.value) == (
        f"run.directory is 'runs', which cannot be written to: {LARGE}; fix that, or choose another one"
    )
    assert list(Path("runs").iterdir()) == []


# A learner of one's own.


LEARNER = """
import time

from alquerque_training.measure.metrics import Metric
from alquerque_training.ppo import PPOLearner


class Own(PPOLearner):
    metrics = {metrics}

    def iterate(self):
        time.sleep({pause})
        return super().iterate() | {record}

"""


def write_learner(folder: Path, name: str, metrics: str = "()", record: str = "{}", pause: float = 0.0) -> list[str]:
    """The overrides of a config that make such a learner learn; a name is imported once."""
    (folder / f"{name}.py").write_text(LEARNER.format(metrics=metrics, record=record, pause=pause))
    return [f"run.algorithm={name}:Own", "run.total_steps=2048"]


def test_the_run_measures_the_speed_and_not_the_learner(folder: Path) -> None:
    result = train(Path("tiny.toml"), write_learner(folder, "sleepy", record="{'steps_per_second': 1.0}", pause=0.2))
    log = read_log(result.run / "log.jsonl")

    speeds = [line["steps_per_second"] for line in log]
    # The time of an iteration by the run's clock, in which there are measurements too.
    seconds = [after["seconds"] - before["seconds"] for before, after in pairwise(log[:-1])]
    assert all(0.99 * 512 / passed <= speed < 512 / 0.2 for passed, speed in zip(seconds, speeds[1:-1], strict=True))


def test_a_learner_declares_metrics_of_its_own(folder: Path) -> None:
    metrics = "(Metric('surprise', 'nat', 'How little was foreseen.', 'mine'),)"
    result = train(Path("tiny.toml"), write_learner(folder, "declaring", metrics, "{'surprise': 0.5}"))

    assert [line["surprise"] for line in read_log(result.run / "log.jsonl")] == [0.5] * 4
    (surprise,) = (metric for metric in read_metrics(result.run / "log.jsonl") if metric.name == "surprise")
    assert (surprise.unit, surprise.meaning, surprise.panel) == ("nat", "How little was foreseen.", "mine")
    assert plot_run(result.run).exists()


def test_a_metric_that_is_not_declared_is_refused(folder: Path) -> None:
    with pytest.raises(AlquerqueError, match=re.escape("metrics = (Metric('my_loss', unit, meaning),)")):
        train(Path("tiny.toml"), write_learner(folder, "undeclared", record="{'my_loss': 0.5}"))
    assert list(folder.glob("runs/*")) == []
