"""`alquerque report`, and the report typed after a match."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env.cli.main import main
from tests.lost_match import LOST_RECORD


@pytest.fixture
def match_file(tmp_path: Path) -> str:
    path = tmp_path / "match.pdn"
    path.write_text('[Game "fetaix"]\n\n*\n\n' + LOST_RECORD, encoding="utf-8")
    return str(path)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["report", *arguments])
    return result.exit_code, result.output


def test_a_match_of_a_file_is_judged(match_file: str) -> None:
    code, output = run(match_file, "--match", "2")

    assert code == 0
    assert "The decisive mistake: move 9 of South, c2xc4. Only d2xb4 kept the win." in output
    assert "Accuracy: South 62 %, North 85 %." in output
    assert "8. North d4-c3??  c5-e5 and 4 other turns kept the draw." in output


def test_the_report_is_one_json_object(match_file: str) -> None:
    code, output = run(match_file, "--match", "2", "--json")

    found = json.loads(output[output.index("{") :])
    assert code == 0
    assert (found["game"], found["result"], found["decisive"]) == ("felli_simplified", "0-1", 16)
    assert [turn["text"] for turn in found["turns"] if turn["kind"]] == ["c5-c4", "d4-c3", "c2xc4"]


def test_a_match_without_turns_has_no_mistakes(match_file: str) -> None:
    assert "No mistake was found." in run(match_file)[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["no/such/file"], "cannot read 'no/such/file'"), (["FILE", "--match", "3"], "there is no match 3")],
)
def test_wrong_arguments_are_refused(match_file: str, arguments: list[str], words: str) -> None:
    code, output = run(*[match_file if each == "FILE" else each for each in arguments])

    assert code == 2
    assert words in output


def test_a_match_behind_one_that_cannot_be_read_is_judged_and_latin_1_is_told() -> None:
    path = Path(__file__).parents[1] / "cases" / "pdn" / "federation.pdn"
    result = CliRunner().invoke(main, ["report", str(path), "--match", "4", "--json"])

    assert result.exit_code == 0
    assert json.loads(result.stdout[result.stdout.index("{") :])["north"] == "Loo, Dirk van"
    assert "is not in UTF-8 and is read as Latin-1" in result.stderr
