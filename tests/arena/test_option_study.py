"""The study of the options of a game: each rule set once, with what its table says."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.arena.option_study import rule_sets
from alquerque_env.cli.main import main

NAME = "felli_simplified"
STUDIED = NAME, "pretwa", "tiger_and_buffaloes"


def test_rule_sets_are_all_combinations_that_do_not_exclude_each_other() -> None:
    every = rule_sets(load_game(NAME), {})
    assert len({rules.table_hash for rules in every}) == len(every) == 2 * 3 * 2 * 4 * 2 * 2
    assert {rules.options["no_progress_limit"] for rules in every} == {50}
    numbers = rule_sets(load_game("tiger_and_buffaloes"), {})
    assert {rules.options["loses_at"] for rules in numbers} == {9, "none"}
    excluding = rule_sets(load_game("catch_the_hare"), {})
    assert len(excluding) > 1
    assert load_game("catch_the_hare").table_hash in {rules.table_hash for rules in excluding}


@pytest.mark.slow
def test_each_rule_set_has_a_row_and_a_stopped_study_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "studied.jsonl"
    command = ["solve", NAME, "--each-option", "--threads", "1", "-o", str(path)]
    chosen = ["--option", "chain=single", "--option", "no_moves=pass", "--option", "no_progress_result=majority"]
    told = CliRunner().invoke(main, [*command, *chosen, "--json"], catch_exceptions=False)
    rows = json.loads(told.stdout)["rows"]
    assert len(rows) == 8

    # A process that was killed leaves a part of a line: the rest is solved, and the rows are the same.
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:40])
    again = json.loads(CliRunner().invoke(main, [*command, *chosen, "--json"], catch_exceptions=False).stdout)["rows"]
    timeless = [[{**row, "seconds": None} for row in part] for part in (rows, again)]
    assert timeless[0] == timeless[1]

    by_options = {tuple(row["options"].items()): row for row in rows}
    for row in rows:
        other = {
            **row["options"],
            "who_starts": "player_1" if row["options"]["who_starts"] == "player_0" else "player_0",
        }
        turned = by_options[tuple(other.items())]
        assert {row["winner"], turned["winner"]} in ({"draw"}, {0, 1})
        assert (row["plies"], row["won"]) == (turned["plies"], turned["won"])
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 2
    assert "choose another file" in refused.output.replace("\n", " ")


@pytest.mark.parametrize("name", STUDIED)
def test_the_rows_of_the_repository_agree_with_the_tables_of_the_package(name: str) -> None:
    studied = Path(__file__).parents[2] / "docs" / "data" / f"{name}.jsonl"
    header, *rows = [json.loads(line) for line in studied.read_text(encoding="utf-8").splitlines()]
    assert [row["options"] for row in rows] == [
        dict(rules.options) for rules in rule_sets(load_game(name), header["fixed"])
    ]
    told = json.loads((files("alquerque_env.solve") / "whole" / f"{name}.json").read_text(encoding="utf-8"))
    known = {entry["table_hash"]: entry for entry in told}
    found = [row for row in rows if row["table_hash"] in known]
    assert found
    for row in found:
        entry = known[row["table_hash"]]
        for key in ("winner", "plies", "steps", "positions", "won", "drawn", "lost"):
            assert row[key] == entry[key], key


@pytest.mark.slow
def test_named_options_alone_are_varied_also_after_a_schedule(tmp_path: Path) -> None:
    path = tmp_path / "tiger.jsonl"
    command = ["solve", "tiger_and_buffaloes", "--each-option", "--vary", "capture", "-o", str(path), "--json"]
    rows = json.loads(CliRunner().invoke(main, command, catch_exceptions=False).stdout)["rows"]
    assert [row["options"]["capture"] for row in rows] == ["compulsory", "optional"]
    assert {row["winner"] for row in rows} == {1}
    default = load_game("tiger_and_buffaloes").options
    assert all({**row["options"], "capture": None} == {**default, "capture": None} for row in rows)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--vary capture", "give --each-option too"),
        ("--each-option --vary dice -o x.jsonl", "no option 'dice'"),
        ("--each-option", "give its file with -o FILE.jsonl"),
        ("--each-option --whole -o x.jsonl", "it goes with --vary"),
    ],
)
def test_a_study_that_cannot_be_is_refused(words: str, told: str) -> None:
    refused = CliRunner().invoke(main, ["solve", NAME, *words.split()])
    assert refused.exit_code == 2
    assert told in " ".join(refused.output.split())
