"""The leaderboard: the page and picture of results, and those that are in the repository."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from alquerque_env.arena.evaluation import SeatResult
from alquerque_env.arena.exact_errors import ExactErrors
from alquerque_env.arena.intervals import Estimate
from alquerque_env.benchmark import BenchmarkError, make_leaderboard
from alquerque_env.benchmark.against_ladder import Opponents, Rung
from alquerque_env.benchmark.against_truth import Share, Stratum, Truth
from alquerque_env.benchmark.agent_facts import Facts
from alquerque_env.benchmark.agent_result import Faults, GameResult, Result, Timing, TrackedResult, TrackResult
from alquerque_env.benchmark.calibration import Bin, Calibration
from alquerque_env.benchmark.puzzle_track import PuzzleTrack
from alquerque_env.benchmark.report.leaderboard import PICTURE, digest, render_page
from alquerque_env.benchmark.report.result_rows import GROUPS, PAGE, read_results
from alquerque_env.benchmark.report.track_leaderboard import render_tracks
from alquerque_env.benchmark.response import Response
from alquerque_env.benchmark.tracks import ExactTrack
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def around(value: float) -> Estimate:
    return Estimate(value, value - 0.125, value + 0.125)


def played(rating: float, optimal: float = 0.75) -> GameResult:
    """What an agent may have done in a game."""
    share = Share(450, around(optimal), around(0.25), 0.5)
    rung = Rung("greedy", around(100), 60, 20, 20, around(0.7))
    return GameResult(
        suite="5" * 64,
        ladder="1" * 64,
        truth=Truth(share, None, {"win_to_draw": 3}, (Stratum(4, 1, share), Stratum(4, 0, share))),
        calibration=Calibration(600, around(0.5), 0.5, 0.25, (Bin(600, 0.5, 0.25),)),
        opponents=Opponents(Estimate(rating, rating - 50, rating + 50), 0.7, (rung,)),
        timing=Timing(600, 0.00125, 0.0025),
        faults=Faults(0, 0, 0, None, gave_up=False),
    )


NETWORK = Facts("checkpoint", "ppo", 2_500_000, 60.0, 102_429, "a" * 64, 0, network="mlp 64x2")
FEATURES = replace(NETWORK, network="mlp 64x2 with search features, depth 3", search_features=3)
BOT = Facts("bot")
FUNCTION = Facts("function", "MaskablePPO", 200_000, library="sb3-contrib 2.9", seed=3)


def result(name: str, facts: Facts = NETWORK, **games: GameResult) -> Result:
    command = f"alquerque benchmark {name}"
    return Result("v1", False, "0.1.0", "Linux x86_64, 2 processors", command, name, name, facts, games)


def chosen(wrong: float, sample: str = "5", kept: bool | None = False) -> TrackResult:
    """What an agent may have done in a solved game."""
    errors = [ExactErrors(2_000, around(share), around(2 * share), 0.5) for share in (wrong + 0.125, wrong)]
    return TrackResult(
        exact=ExactTrack("7" * 16, sample * 64, *errors),
        responses=(Response(0, kept, True, 90, ()), Response(1, None, False, 10, ())),
        ladder=None,
        opponents=None,
        timing=Timing(600, 0.00125, 0.0025),
        faults=Faults(0, 0, 0, None, gave_up=False),
        puzzles=PuzzleTrack("9" * 64, 40, around(0.5)),
        processor_seconds={"choices": 9.5, "puzzles": 0.75},
    )


def tracked(name: str, facts: Facts = BOT, **games: TrackResult) -> TrackedResult:
    return TrackedResult(**vars(result(name, facts)) | {"benchmark": "v2", "games": games})


def write(folder: Path, *results: Result) -> Path:
    folder.mkdir(exist_ok=True)
    for number, each in enumerate(results):
        (folder / f"{number}.json").write_text(json.dumps(each.as_dict()))
    return folder


def tables(page: str, heading: str) -> dict[str, list[list[str]]]:
    """The rows of the tables under a heading, by the name of the group; the first row has the names of columns."""
    found: dict[str, list[list[str]]] = {}
    for line in page.partition(f"## {heading}")[2].partition("##")[0].splitlines():
        if line.startswith("**"):
            rows = found.setdefault(line.strip("*"), [])
        elif line.startswith("|") and not line.startswith("| ---"):
            rows.append([cell.strip() for cell in line.split("|")[1:-1]])
    return found


def test_the_page_has_the_agents_of_each_game_the_best_first(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "benchmarks",
        result("random", BOT, fetaix=played(0), alquerque=played(0)),
        result("fetaix-strong:64", FEATURES, fetaix=played(700, 0.9)),
        result("fetaix-plain", fetaix=played(400)),
        result("alphabeta:3", BOT, fetaix=played(500), alquerque=played(450)),
        result("mine", FUNCTION, fetaix=played(300)),
    )

    page = make_leaderboard(folder).read_text(encoding="utf-8")

    game, bots, plain, features, functions = (tables(page, "Fetaix"), *GROUPS)
    assert list(game) == list(GROUPS)
    assert [row[0] for row in game[bots]] == ["agent", "alphabeta:3", "random"]
    assert [row[0] for row in game[plain]] == ["agent", "plain"]
    assert game[features] == [
        ["agent", "rating", "optimal", "loss", "value", "network", "algorithm", "steps", "parameters", "time"],
        ["strong:64 (search features, depth 3)", "+700 (+650 to +750)", "90.0% (77.5% to 102.5%)", "0.250", "0.50",
         "mlp 64x2 with search features, depth 3", "ppo", "2.5 M", "102 k", "1.25 ms"],
    ]  # fmt: skip
    assert game[functions] == [
        ["agent", "rating", "optimal", "loss", "value", "library", "algorithm", "steps", "seed", "time"],
        ["mine", "+300 (+250 to +350)", "75.0% (62.5% to 87.5%)", "0.250", "0.50",
         "sb3-contrib 2.9", "MaskablePPO", "200 k", "3", "1.25 ms"],
    ]  # fmt: skip
    assert tables(page, "Rating and optimal choices") == {
        bots: [
            ["agent", "`alquerque`", "`fetaix`"],
            ["alphabeta:3", "+450, 75.0%", "+500, 75.0%"],
            ["random", "+0, 75.0%", "+0, 75.0%"],
        ],
        plain: [["agent", "`fetaix`"], ["plain", "+400, 75.0%"]],
        features: [["agent", "`fetaix`"], ["strong:64 (search features, depth 3)", "+700, 90.0%"]],
        functions: [["agent", "`fetaix`"], ["mine", "+300, 75.0%"]],
    }
    assert "alquerque benchmark alphabeta:3 -o benchmarks/3.json\n" in page


def test_the_page_of_version_2_has_errors_responses_and_puzzles_the_best_first(tmp_path: Path) -> None:
    optional = {"pretwa capture=optional": chosen(0.25)}
    seats = SeatResult(30, 0, 20), SeatResult(10, 0, 40)
    played_seats = Rung("greedy", around(100), 40, 0, 60, around(0.4), seats)
    hunt = replace(
        chosen(0), exact=None, responses=None, ladder="1" * 64, opponents=Opponents(around(90), 0.4, (played_seats,))
    )
    folder = write(
        tmp_path / "v2",
        tracked("random", pretwa=chosen(0.5), **optional),
        tracked("pretwa-small", NETWORK, pretwa=chosen(0.25, kept=True)),
        tracked("greedy", pretwa=chosen(0.375), bagh_chal=hunt),
        tracked("mine", replace(FUNCTION, trained_on="fetaix, pretwa"), pretwa=chosen(0.5), **optional),
        result("random", fetaix=played(0)),
    )

    page = make_leaderboard(folder, "v2").read_text(encoding="utf-8")

    bots, plain, _, functions = GROUPS
    assert "Fetaix" not in page
    assert page.index("## Bagh-Chal") < page.index("## Pretwa\n") < page.index("## Pretwa `capture=optional`")
    assert [row[0] for row in tables(page, "Pretwa\n")[bots]] == ["agent", "greedy", "random"]
    assert tables(page, "Pretwa\n")[plain] == [
        ["agent", "wrong, natural", "wrong, uniform", "regret", "kept", "puzzles",
         "network", "algorithm", "steps", "parameters", "time", "run"],
        ["small", "25.0% (12.5% to 37.5%)", "37.5% (25.0% to 50.0%)", "0.500", "South yes, North ?",
         "50.0% (37.5% to 62.5%) of 40", "mlp 64x2", "ppo", "2.5 M", "102 k", "1.25 ms", "10 s"],
    ]  # fmt: skip
    trained = [tables(page, title)[functions] for title in ("Pretwa\n", "Pretwa `capture=optional`")]
    assert [dict(zip(head, row, strict=True))["trained on"] for head, row in trained] == ["this", "fetaix, pretwa"]
    [head, row] = tables(page, "Bagh-Chal")[bots]
    assert dict(zip(head, row, strict=True)).keys() >= {"rating", "puzzles", "as tiger", "as goat"}
    assert [cell.partition(" ")[0] for cell in row if "%" in cell] == ["50.0%", "60.0%", "20.0%"]
    assert page.count("alquerque benchmark greedy -o v2/2.json") == 1


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (tracked("greedy", pretwa=chosen(0.5, sample="6")), "was measured by other positions or opponents of pretwa"),
        (tracked("random", pretwa=chosen(0.5)), "has random in pretwa, which is there already"),
        (replace(tracked("greedy", pretwa=chosen(0.5)), quick=True), "is a quick run"),
        (tracked("greedy", chess=chosen(0.5)), "chess"),
    ],
)
def test_results_of_version_2_that_cannot_be_compared_are_refused(
    changed: TrackedResult, words: str, tmp_path: Path
) -> None:
    folder = write(tmp_path, tracked("random", pretwa=chosen(0.5)), changed)
    with pytest.raises(AlquerqueError, match=words):
        make_leaderboard(folder, "v2")
    assert not (folder / PAGE).exists()


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    written = result("random", fetaix=played(0)), result("mine", FUNCTION, fetaix=played(90))

    read = [found for _, found in read_results(write(tmp_path, *written), "v1")]

    assert [found.as_dict() for found in read] == [each.as_dict() for each in written]
    assert [found.facts for found in read] == [NETWORK, FUNCTION]
    assert [found.games["fetaix"].truth.strata for found in read] == [
        each.games["fetaix"].truth.strata for each in written
    ]


def test_the_checkpoints_of_a_curve_are_agents_too(tmp_path: Path) -> None:
    results = [result(f"run, {steps} steps", fetaix=played(steps)).as_dict() for steps in (1, 2)]
    (tmp_path / "curve.json").write_text(json.dumps({"format": 1, "run": "runs/1", "results": results}))

    [rows] = tables(make_leaderboard(tmp_path).read_text(), "Fetaix").values()
    assert [row[0] for row in rows] == ["agent", "run, 2 steps", "run, 1 steps"]


def test_the_picture_names_its_results(tmp_path: Path) -> None:
    results = [result("random", fetaix=played(0)), result("greedy", fetaix=played(90))]
    make_leaderboard(write(tmp_path, *results))

    with Image.open(tmp_path / PICTURE) as picture:
        assert picture.text["Description"] == digest(results)
    assert digest(results) != digest(results[:1])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (replace(result("greedy", fetaix=played(0)), quick=True), "is a quick run"),
        (result("random", fetaix=played(0)), "has random in fetaix, which is there already"),
        (
            result("greedy", fetaix=replace(played(0), suite="6" * 64)),
            "was measured by other positions or opponents of fetaix .*: measure it again with: ",
        ),
    ],
)
def test_results_that_cannot_be_compared_are_refused(changed: Result, words: str, tmp_path: Path) -> None:
    folder = write(tmp_path, result("random", fetaix=played(0)), changed)

    with pytest.raises(BenchmarkError, match=words):
        make_leaderboard(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["0.json", "1.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2}', '{"format": 1}', '{"format": 1, "results": [3]}'])
def test_files_that_are_not_results_are_refused_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    shown = CliRunner().invoke(main, ["benchmark", "--leaderboard", str(tmp_path)])

    assert shown.exit_code == 2
    assert "x.json' " in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


def test_the_leaderboards_of_the_repository_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BENCHMARKS.parent)
    tracks = BENCHMARKS / "v2"
    assert (tracks / PAGE).read_text(encoding="utf-8") == render_tracks(tracks, read_results(tracks, "v2"), "v2")
    results = read_results(BENCHMARKS, "v1")

    assert (BENCHMARKS / PAGE).read_text(encoding="utf-8") == render_page(BENCHMARKS, results)
    with Image.open(BENCHMARKS / PICTURE) as picture:
        assert picture.text["Description"] == digest(found for _, found in results)
