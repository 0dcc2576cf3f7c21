"""The leaderboard: the page of results, and that of the repository."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.benchmark import Result, load_protocol, make_leaderboard
from alquerque_env.benchmark.agent_answers import Choices, PuzzleChoices, Response, pack
from alquerque_env.benchmark.agent_result import Faults, GameResult, Timing
from alquerque_env.benchmark.agents.facts import Facts
from alquerque_env.benchmark.protocol import find_ladder
from alquerque_env.benchmark.report.leaderboard import GROUPS, PAGE, render_page
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
LADDER = find_ladder(load_protocol(), load_game("alquerque_murray"))


def choices(wrong: int, sample: str = "5") -> Choices:
    """Choices in 8 positions of which some lose 2."""
    return Choices(sample * 64, pack(np.zeros(8)), pack(np.array([2] * wrong + [0] * (8 - wrong))), 0.5)


def solved(wrong: int, sample: str = "5", kept: bool | None = False) -> GameResult:
    """What an agent may have done in a solved game."""
    return GameResult(
        table="7" * 16,
        choices={"uniform": choices(wrong + 1, sample), "natural": choices(wrong, sample)},
        responses=(Response(0, kept, True, 90, ()), Response(1, None, False, 10, ())),
        puzzles=PuzzleChoices("9" * 64, pack(np.zeros(40)), "+-" * 20),
        ladder=None,
        matches={},
        timing=Timing(16, 0.00125, 0.0025),
        faults=Faults(0, 0, 0, None, gave_up=False),
        processor_seconds={"choices": 9.5, "puzzles": 0.75},
    )


def played(wins: int) -> GameResult:
    """What an agent may have done in a game with a ladder, of whose table few pieces are known."""
    matches = dict.fromkeys(LADDER.rungs, "+" * wins + "-" * (100 - wins))
    part = {"choices": {"endings": choices(2)}, "responses": None, "puzzles": None}
    return replace(solved(0), ladder=LADDER.sha256, matches=matches, **part)


NETWORK = Facts("checkpoint", "ppo", 2_500_000, 60.0, 102_429, "a" * 64, 0, network="mlp 64x2")
FEATURES = replace(NETWORK, network="mlp 64x2 with search features, depth 3", search_features=3)
BOT = Facts("bot")
FUNCTION = Facts("function", "MaskablePPO", 200_000, library="sb3-contrib 2.9", seed=3, trained_on="fetaix, pretwa")


def result(name: str, facts: Facts = BOT, **games: GameResult) -> Result:
    command = f"alquerque benchmark run {name}"
    return Result("v1", False, "0.1.0", "Linux x86_64, 2 processors", command, name, name, facts, games)


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


def test_the_page_has_errors_responses_and_puzzles_the_best_first(tmp_path: Path) -> None:
    optional = {"pretwa capture=optional": solved(2)}
    folder = write(
        tmp_path / "benchmarks",
        result("random", pretwa=solved(4), **optional),
        result("pretwa-small", NETWORK, pretwa=solved(2, kept=True)),
        result("pretwa-strong:64", FEATURES, pretwa=solved(0)),
        result("greedy", pretwa=solved(3)),
        result("mine", FUNCTION, pretwa=solved(4), **optional),
    )

    page = make_leaderboard(folder).read_text(encoding="utf-8")

    bots, plain, features, functions = GROUPS
    assert page.index("## Pretwa\n") < page.index("## Pretwa `capture=optional`")
    found = tables(page, "Pretwa\n")
    assert list(found) == list(GROUPS)
    assert [row[0] for row in found[bots]] == ["agent", "greedy", "random"]
    assert found[features][1][0] == "strong:64 (search features, depth 3)"
    assert found[plain] == [
        ["agent", "wrong, natural", "wrong, uniform", "regret", "kept", "puzzles",
         "network", "algorithm", "steps", "parameters", "time", "run"],
        ["small", "25.0% (7.1% to 59.1%)", "37.5% (13.7% to 69.4%)", "0.500", "South yes, North ?",
         "50.0% (35.2% to 64.8%) of 40", "mlp 64x2", "ppo", "2.5 M", "102 k", "1.25 ms", "10 s"],
    ]  # fmt: skip
    trained = [tables(page, title)[functions] for title in ("Pretwa\n", "Pretwa `capture=optional`")]
    cells = [dict(zip(head, row, strict=True)) for head, row in trained]
    assert [each["trained on"] for each in cells] == ["this", "fetaix, pretwa"]
    assert (cells[0]["library"], cells[0]["seed"], cells[0]["steps"]) == ("sb3-contrib 2.9", "3", "200 k")
    assert page.count("alquerque benchmark run greedy -o benchmarks/3.json\n") == 1


@pytest.mark.slow  # fits ratings to resamples
def test_the_page_has_ratings_of_a_ladder_and_the_checkpoints_of_a_curve(tmp_path: Path) -> None:
    results = [result(f"run, {wins} wins", alquerque_murray=played(wins)).as_dict() for wins in (40, 60)]
    (tmp_path / "curve.json").write_text(json.dumps({"format": 2, "run": "runs/1", "results": results}))
    [[head, *rows]] = tables(make_leaderboard(tmp_path).read_text(), "Alquerque (Murray)").values()
    assert head[:4] == ["agent", "wrong, endings", "regret", "rating"]
    assert [row[0] for row in rows] == ["run, 60 wins", "run, 40 wins"]  # as wrong as each other


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (result("greedy", pretwa=solved(4, sample="6")), "was measured by other positions or opponents of pretwa"),
        (result("greedy", pretwa=replace(solved(4), ladder="0" * 64)), "was measured by other positions or opponents"),
        (result("random", pretwa=solved(4)), "has random in pretwa, which is there already"),
        (replace(result("greedy", pretwa=solved(4)), quick=True), "is a quick run"),
        (replace(result("greedy", pretwa=solved(4)), benchmark="v9"), "is of benchmark v9, expected v1"),
        (result("greedy", chess=solved(4)), "chess"),
    ],
)
def test_results_that_cannot_be_compared_are_refused(changed: Result, words: str, tmp_path: Path) -> None:
    folder = write(tmp_path, result("random", pretwa=solved(4)), changed)
    with pytest.raises(AlquerqueError, match=words):
        make_leaderboard(folder)
    assert not (folder / PAGE).exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 2}', '{"format": 2, "results": [3]}'])
def test_files_that_are_not_results_are_refused_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    shown = CliRunner().invoke(main, ["benchmark", "leaderboard", str(tmp_path)])

    assert shown.exit_code == 2
    assert "x.json' " in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


@pytest.mark.slow  # fits ratings to resamples
def test_the_leaderboard_of_the_repository_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BENCHMARKS.parent)
    assert (BENCHMARKS / PAGE).read_text(encoding="utf-8") == render_page(BENCHMARKS, load_protocol())
