"""The arena of a run: what is logged and kept of it, going on after a break, and opponents that are refused."""

import json
import signal
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
import torch
from alquerque_training.checkpoints.checkpoint import META, load_checkpoint
from alquerque_training.export.exporter import make_source
from alquerque_training.measure import gauntlet
from alquerque_training.measure.evaluate import as_strength
from alquerque_training.measure.gauntlet import Gauntlet
from alquerque_training.measure.metrics import read_log
from alquerque_training.networks.inference import make_network
from alquerque_training.run.config_file import ConfigError, load_config, parse_config
from alquerque_training.run.train import TrainingResult, train

from alquerque_env import load_bot, load_game
from alquerque_env.arena import Settings, play_arena, rate_together
from alquerque_env.arena.openings import find_openings
from alquerque_env.arena.score import Estimate
from alquerque_env.cli.main import INTERRUPTED
from alquerque_env.errors import AlquerqueError
from tests.training.tiny_runs import compiled, weights, without_time

CONFIG = """
[run]
game = "alquerque"
total_steps = 512
checkpoint_every = 2
[self_play]
num_games = 16
rollout_steps = 8
max_cycles = 40
[ppo]
minibatch_size = 128
[network]
width = 16
blocks = 1
weight_bits = 4
[evaluation]
games_per_seat = 2
opponents = ["greedy"]
opponent_games = 4
opponents_every = 3
max_cycles = 60
"""
pytestmark = pytest.mark.usefixtures("folder")


@compiled
@pytest.mark.parametrize("name", ["opponent_games", "final_games"])
@pytest.mark.slow
def test_more_games_than_there_are_openings_are_refused_by_name_and_leave_no_folder(name: str) -> None:
    with pytest.raises(AlquerqueError) as error:
        train(Path("tiny.toml"), [f"evaluation.{name}=10000", "evaluation.max_cycles=9"])

    assert str(error.value).startswith(f"evaluation.{name} is 10000: ")
    assert str(error.value).endswith(
        ", expected 5000; two games begin with each opening, so set it to twice as many as were found, or less"
    )
    assert list(Path("runs").iterdir()) == []


@compiled
@pytest.mark.slow
def test_the_last_measurement_is_that_of_the_weights_that_are_kept(uninterrupted: TrainingResult) -> None:
    """They are rounded at the end; who loads them scores the same from the same openings."""
    game = load_game("alquerque")
    first, *arena = load_checkpoint(uninterrupted.checkpoint, game).meta.strength
    last = read_log(uninterrupted.run / "log.jsonl")[-1]

    assert first == as_strength(uninterrupted.evaluation, "policy alone")
    assert [entry["opponent"] for entry in arena] == ["random", "greedy"]
    assert [entry["score"] for entry in arena] == [last["score.random"], last["score.greedy"]]
    assert all(entry["games"] == 4 == entry["wins"] + entry["draws"] + entry["losses"] for entry in arena)
    assert all((entry["player"], entry["simulations"]) == ("policy alone", 0) for entry in arena)
    header = json.loads((uninterrupted.run / "ladder.jsonl").read_text().splitlines()[0])
    settings = Settings(games=4, seed=header["seed"], max_steps=60, gauntlet=True)
    kept = load_bot(str(uninterrupted.checkpoint), game)
    again = play_arena(game, [kept, "random", "greedy"], settings)
    assert [pairing.score.value for pairing in again.pairings] == [entry["score"] for entry in arena]
    exported = make_source(game, load_checkpoint(uninterrupted.checkpoint, game))
    assert f"policy alone: scored {arena[1]['score']:.1%} in 4 games against greedy" in exported


@compiled
@pytest.mark.slow
def test_the_arena_of_a_run_searches_as_the_saved_bot(uninterrupted: TrainingResult, tmp_path: Path) -> None:
    """With as many simulations, and the exploration that stands in the card."""
    game, found = load_game("alquerque"), {}
    for exploration in (0.05, 20.0):
        folder = copytree(uninterrupted.checkpoint, tmp_path / str(exploration))
        card = json.loads((folder / META).read_text())
        card["config"]["evaluation"] |= {"simulations": 24, "exploration": exploration, "opponent_games": 20}
        (folder / META).write_text(json.dumps(card))
        kept, ladder = load_checkpoint(folder, game), tmp_path / "ladder.jsonl"

        measured = Gauntlet(game, parse_config(kept.meta.config, "the card"), ladder).measure(kept.network, 20)

        header = json.loads(ladder.read_text().splitlines()[0])
        settings = Settings(games=20, seed=header["seed"], max_steps=60, gauntlet=True)
        again = play_arena(game, [load_bot(f"{folder}:24", game), "random", "greedy"], settings)
        found[exploration] = [pairing.pairs for pairing in measured.pairings]
        assert [pairing.pairs for pairing in again.pairings] == found[exploration]
    assert found[0.05] != found[20.0]


@compiled
def test_the_model_card_has_rating_curve_and_command(uninterrupted: TrainingResult) -> None:
    meta = load_checkpoint(uninterrupted.checkpoint, load_game("alquerque")).meta
    measured = [line for line in read_log(uninterrupted.run / "log.jsonl") if "rating" in line]

    assert meta.rating is not None
    assert (meta.rating.value, meta.rating.low, meta.rating.high) == tuple(
        measured[-1][name] for name in ("rating", "rating_low", "rating_high")
    )
    assert [point.steps for point in meta.curve] == [384, 512]
    assert [point.rating for point in meta.curve] == [line["rating"] for line in measured]
    assert [point.scores["greedy"] for point in meta.curve] == [line["score.greedy"] for line in measured]
    assert 0 < meta.curve[0].wall_time < meta.curve[1].wall_time <= meta.wall_time
    folder = uninterrupted.run.parent
    assert meta.command == f"alquerque train {(folder / 'tiny.toml').as_posix()} run.directory={folder}"


@compiled
@pytest.mark.slow
def test_the_last_measurement_may_have_more_matches_than_those_before(folder: Path) -> None:
    result = train(Path("tiny.toml"), ["evaluation.final_games=8"])
    _, *arena = load_checkpoint(result.checkpoint, load_game("alquerque")).meta.strength

    ladder = [json.loads(line) for line in (result.run / "ladder.jsonl").read_text().splitlines()]
    assert sum("steps" in line for line in ladder) == 8  # the opponents meet once, though the run measures twice
    assert [entry["games"] for entry in arena] == [8, 8]
    assert read_log(result.run / "log.jsonl")[-1]["score.greedy"] == arena[1]["score"]


@compiled
@pytest.mark.slow
def test_fewer_matches_begin_with_the_same_openings_and_are_rated_on_the_same_scale(tmp_path: Path) -> None:
    """Ratings of a player that was measured twice differ by the luck of its own matches only."""
    game, config = load_game("alquerque"), load_config(Path("tiny.toml"), ["evaluation.final_games=40"])
    arena = gauntlet.Gauntlet(game, config, tmp_path / "ladder.jsonl")
    network = make_network(config, game, torch.Generator().manual_seed(1))

    few, many = (arena.measure(network, games) for games in (4, 40))

    of_random = [next(pairing for pairing in found.pairings if pairing.second == "random") for found in (few, many)]
    assert [pairing.total.games for pairing in of_random] == [4, 40]
    assert few == arena.measure(network, 4)
    assert few.rating.low < many.rating.value < few.rating.high
    with pytest.raises(AlquerqueError, match="got 20 openings, expected 21"):
        arena.measure(network, 42)


@compiled
@pytest.mark.parametrize(("arena", "steps"), [(1, 384), (2, 512)])
@pytest.mark.slow
def test_a_stopped_arena_is_played_when_the_run_is_resumed(
    arena: int,
    steps: int,
    uninterrupted: TrainingResult,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ctrl-C at its first match; nothing but matches is lost."""
    arenas = []

    def stop(game, bots, settings, **others):
        arenas.append(settings.gauntlet)
        if arenas.count(True) == arena:
            signal.raise_signal(signal.SIGINT)
        return play_arena(game, bots, settings, **others)

    with monkeypatch.context() as patch, pytest.raises(SystemExit) as stopped:
        patch.setattr(gauntlet, "play_arena", stop)
        train(Path("tiny.toml"))
    assert stopped.value.code == INTERRUPTED
    shown = capsys.readouterr().out.splitlines()
    assert shown[-1] == "interrupted and saved; resume with: alquerque train --resume runs/tiny-1"
    assert Path(f"runs/tiny-1/checkpoints/step-{steps:012d}").exists()
    assert "rating" not in read_log(Path("runs/tiny-1/log.jsonl"))[-1]
    ladder = Path("runs/tiny-1/ladder.jsonl")
    ladder.write_bytes(ladder.read_bytes()[:-50])  # as if the machine had stopped in the middle of it

    resumed = train(Path("tiny.toml"), resume=Path("runs/tiny-1"))
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("in the arena ")]

    assert shown[-1] == f"in the arena {resumed.measurement}"
    found = read_log(resumed.run / "log.jsonl")[2]["rating"]
    assert steps == 512 or shown[0].startswith(f"in the arena after 384 steps: {found:+.0f} Elo, 95% interval ")
    assert without_time(resumed.run) == without_time(uninterrupted.run)
    assert resumed.measurement == uninterrupted.measurement
    assert ladder.read_bytes() == (uninterrupted.run / "ladder.jsonl").read_bytes()
    assert weights(resumed) == weights(uninterrupted)


@compiled
@pytest.mark.slow
def test_a_run_in_a_game_of_two_roles_is_measured_by_seat_beside_its_opponents() -> None:
    result = train(Path("tiny.toml"), ["run.game=bagh_chal", "evaluation.every=4"])
    game, log = load_game("bagh_chal"), read_log(result.run / "log.jsonl")
    _, of_random, of_greedy = load_checkpoint(result.checkpoint, game).meta.strength

    for seat in (0, 1):
        assert log[-1][f"win_rate_player_{seat}"] + log[-1][f"draw_rate_player_{seat}"] <= 1
        for entry in (of_random, of_greedy):
            own = entry["by_seat"][seat]
            assert own["wins"] + own["draws"] + own["losses"] == entry["games"] // 2 == 2
            assert own["low"] <= own["score"] == log[-1][f"score_player_{seat}.{entry['opponent']}"] <= own["high"]
    assert sum(seat["score"] for seat in of_greedy["opponent_by_seat"]) == 1  # greedy against itself
    assert "opponent_by_seat" not in of_random
    assert "as tiger, greedy" in str(result.measurement)


def test_players_of_several_arenas_are_rated_by_all_their_matches() -> None:
    """An arena that is cut in two gives the ratings of the whole."""
    bots = ["alphabeta:1", "random", "greedy"]
    whole = play_arena(load_game("fetaix"), bots, Settings(games=8, plies=6, seed=3, judge="random", resamples=20))
    ladder = replace(
        whole,
        players=tuple(player for player in whole.players if player.name != "alphabeta:1"),
        pairings=whole.pairings[2:],
    )

    together = rate_together([ladder, replace(whole, pairings=whole.pairings[:2])])

    assert {name: rating.value for name, rating in together.items()} == pytest.approx(
        {player.name: player.rating.value for player in whole.players}, abs=1e-3
    )
    assert together["random"] == Estimate(0, 0, 0)
    assert together["alphabeta:1"].low < together["alphabeta:1"].value < together["alphabeta:1"].high


def test_openings_that_are_given_are_played_as_if_they_had_been_found(tmp_path: Path) -> None:
    game, settings = load_game("fetaix"), Settings(games=8, plies=6, seed=3, judge="random", resamples=20)
    openings = find_openings(game, 4, 6, seed=3, judge="random", max_steps=1000)

    given = play_arena(game, ["random", "greedy"], settings, output=tmp_path / "given", openings=openings)
    found = play_arena(game, ["random", "greedy"], settings, output=tmp_path / "found")

    assert given.as_dict() == found.as_dict()
    assert (tmp_path / "given").read_bytes() == (tmp_path / "found").read_bytes()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ('opponents=["gredy"]', "tiny.toml: [evaluation] no bot and no file 'gredy'; did you mean 'greedy'?"),
        ('opponents=["greedy", "greedy"]', "tiny.toml: [evaluation] opponents has 'greedy' twice"),
        ('opponents=["random"]', "tiny.toml: [evaluation] opponents has 'random', which always plays"),
        (
            "max_cycles=8",
            "tiny.toml: evaluation.max_cycles is 8, expected more than the 8 plies of the arena's openings",
        ),
        (
            "opponent_games=5",
            "tiny.toml: evaluation.opponent_games is 5, expected a multiple of 2",
        ),
    ],
)
def test_opponents_that_cannot_be_met_are_refused_and_nothing_is_written(
    folder: Path, override: str, message: str
) -> None:
    with pytest.raises(ConfigError) as error:
        train(Path("tiny.toml"), [f"evaluation.{override}"])

    assert str(error.value).startswith(message)
    assert [path.name for path in folder.iterdir()] == ["tiny.toml"]
