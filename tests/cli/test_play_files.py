"""Matches in the terminal and their files: saved, loaded, and kept when play ends early."""

import os
import re
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from alquerque_env import Match, Record, load_game, read_records
from alquerque_env.cli.main import main
from alquerque_env.cli.terminal_match import match_file, session
from alquerque_env.cli.terminal_match.session import Session
from alquerque_env.files.lock import locked_file
from alquerque_env.match.records import load_record, save_record
from tests.cli.terminal_play import RESUME, play, position_in, saved, shown

SAVED = re.compile(r"The match is saved in (.*)\.$", re.MULTILINE)


def resume(output: str, *more: str, typed: str = "quit") -> str:
    """The output of the printed command that resumes the match."""
    lines = "".join(f"{line}\n" for line in typed.split("|"))
    result = CliRunner().invoke(main, [*shlex.split(RESUME.search(output)[1]), *more], input=lines)
    assert result.exit_code == 0, result.output
    return result.stdout


def match_of(name: str, *turns: str, **options: object) -> Match:
    match = Match(load_game(name, **options))
    for turn in turns:
        match.push(turn)
    return match


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A path without a file."""
    return tmp_path / "match.pdn"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A file of three matches."""
    path = tmp_path / "three.pdn"
    turns = [("c2-c3",), ("b2-c3", "d4xb2"), ("d3-c3", "b3xd3")]
    texts = [str(Record(match_of("fetaix", *played), south=f"S{len(played)}")) for played in turns]
    save_record(path, "\n".join(texts))
    return path


# Saving.


def test_save_writes_a_record_and_the_match_goes_on(file):
    output = shown("fetaix", typed=f"c2-c3|save {file}|turns|c1xc3")
    record = load_record(file)

    assert f"The match is saved in {file}.\n" in output
    assert (record.south, record.north, record.result) == ("human", "random", "*")
    assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", record.date)
    assert record.match.turns == ("c2-c3", "c4xc2")
    assert "1. c2-c3 c4xc2   2. c1xc3" in output


@pytest.mark.parametrize(("begin", "typed", "count"), [((), "1|1", 4), (("--position", "W:Wa1:Bb2"), "1", 1)])
def test_a_turn_is_in_the_file_when_it_is_shown(begin, typed, count, file, monkeypatch):
    found = []
    say = Session.say

    def say_and_look(session, text=""):
        if " plays " in text:
            found.append((text.rpartition(" plays ")[2], file.exists() and load_record(file).match.turns[-1]))
        say(session, text)

    monkeypatch.setattr(Session, "say", say_and_look)
    shown("fetaix", *begin, "--save", str(file), typed=typed)

    assert [text for text, _ in found] == [turn for _, turn in found]
    assert len(found) == count


def test_two_sessions_do_not_write_to_one_file(file):
    shown("fetaix", "--save", str(file), typed="c2-c3|quit")
    (file.parent / f".{file.name}.01234567.partial").touch()  # of a process that was killed
    with locked_file(file):
        refused = play("fetaix", "--load", str(file), "--save", str(file))
    shown("fetaix", "--load", str(file), "--save", str(file), typed="quit")

    assert refused.exit_code == 2
    assert "is in use by process" in refused.stderr
    assert [path.name for path in file.parent.iterdir() if path.name != "state"] == [file.name]


def test_a_file_of_this_session_is_replaced_and_no_other(file, tmp_path):
    other = tmp_path / "letter.txt"
    other.write_text("dear")

    output = shown("fetaix", typed=f"save {file}|c2-c3|save {file}|save {other}|c1xc3")

    assert load_record(file).match.turns == ("c2-c3", "c4xc2")
    assert f"'{other}' exists already; choose another name" in " ".join(output.split())
    assert other.read_text() == "dear"
    assert "exists already" in " ".join(shown("fetaix", typed=f"save {file}").split())


def test_a_loaded_file_is_replaced_unless_it_holds_other_matches(file, three):
    save_record(file, str(Record(match_of("fetaix", "c2-c3", "c4xc2"), headers={"Event": "x"}, date="2020.01.02")))

    shown("fetaix", "--load", str(file), typed=f"c1xc3|save {file}")
    output = shown("fetaix", "--load", str(three), typed=f"save {three}")

    assert load_record(file).match.turns == ("c2-c3", "c4xc2", "c1xc3", "a3xc1")
    assert (load_record(file).headers["Event"], load_record(file).date) == ("x", "2020.01.02")
    assert "exists already" in " ".join(output.split())
    assert len(list(read_records(three.read_text()))) == 3


def test_names_of_files_keep_their_case_and_their_spaces(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))

    shown("fetaix", typed=f"SAVE {tmp_path}/My Match 2|save '{tmp_path}/Quoted'|save ~/Home|load {tmp_path}/My Match 2")

    assert sorted(os.listdir(tmp_path)) == ["Home", "My Match 2", "Quoted"]


# Loading.


def test_load_resumes_the_match_in_a_file(file):
    save_record(file, str(Record(match_of("fetaix", "c2-c3", "c4xc2"), south="human", north="Zoë")))

    output = shown("fetaix", typed=f"load {file}|undo|position|undo|2")

    assert "Fetaix, 2 turns, human (South) against Zoë (North)." in output
    assert f"\n{Match(load_game('fetaix')).position}\n" in output
    assert "there is nothing to take back" in output
    assert "1. c2-c3 c4xc2\n" in output


def test_load_resumes_a_match_of_another_game(file):
    match = Match(load_game("awithlaknannai_mosona", chain="optional"))
    save_record(file, str(Record(match, south="human")))

    output = shown("fetaix", typed=f"c2-c3|load {file}|hint|1|turns")

    assert "a search of 2 seconds would play" in output
    assert "North (random) plays" in output.split("would play")[1]
    assert "Resume with: alquerque play awithlaknannai_mosona --load" in output
    assert Match(match.game, position_in(output)).player == 0


def test_load_takes_a_match_by_its_number_and_keeps_the_one_before(file, three, state_folder):
    output = shown("fetaix", typed=f"c2-c3|load {three}|1|load {three} 3|turns|load {three} 4")

    assert f"This is match 1 of 3 in {three}." in output
    assert f"This is match 3 of 3 in {three}." in output
    assert "1. d3-c3 b3xd3" in output
    assert "holds 3 matches, so there is no match 4" in " ".join(output.split())
    assert output.count("The match that you leave is saved in") == 2
    assert sorted(record.match.turns[0] for record in saved(state_folder)) == ["c2-c3", "c2-c3", "d3-c3"]
    assert "The match that you leave" not in shown("fetaix", typed=f"load {three}")
    assert "The match that you leave" not in shown("fetaix", typed=f"c2-c3|save {file}|load {three}")


def test_a_match_that_is_over_is_not_resumed(file):
    match = Match(load_game("fetaix"), "W:Wa1:Bb2")
    match.push("a1xc3")
    save_record(file, str(Record(match)))

    output = " ".join(shown("fetaix", typed=f"load {file}|c2-c3").split())

    assert "is over and cannot be resumed (South wins: North has no pieces left)" in output
    assert "1. c2-c3 c4xc2" in output


def test_variations_and_comments_of_a_file_are_kept_while_its_match_goes_on(file):
    match = match_of("fetaix", "c2-c3", "c4xc2")
    comments = [(("d2-c3",), "worse"), (("c2-c3", "c4xc2"), "forced")]
    save_record(file, str(Record(match, variations=[match_of("fetaix", "d2-c3").steps], comments=comments)))

    shown("fetaix", "--load", str(file), "--save", str(file), typed="1")

    record = load_record(file)
    assert record.match.num_steps > 2
    assert [[step.text for step in line] for line in record.variations] == [["d2-c3"]]
    assert sorted(record.comments) == sorted(comments)


def test_load_is_refused_if_the_bot_cannot_play_the_other_game(file):
    save_record(file, str(Record(match_of("alquerque", "c2-c3"))))
    output = shown("fetaix", "--opponent", "fetaix-small:0", typed=f"load {file}|c2-c3")
    assert "plays 'fetaix', not 'alquerque'" in " ".join(output.split())
    assert "1. c2-c3 c4xc2" in output


def from_file(file: Path, south: str, north: str) -> str:
    """What is shown of a resumed match between these players, without --opponent."""
    save_record(file, str(Record(match_of("fetaix", "c2-c3"), south=south, north=north)), overwrite=True)
    result = CliRunner().invoke(main, ["play", "fetaix", "--load", str(file)], input="quit\n")
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("south", "north", "sides"),
    [
        ("human", "greedy", "South: you, North: greedy."),
        ("greedy", "human", "South: greedy, North: you."),
        ("human", "human", "South: a person, North: a person."),
        ("human", "?", "South: you, North: alphabeta:3."),
        ("Ann", "Ben", "South: Ann, North: Ben."),
        ("random", "Ann", "South: random, North: you."),
    ],
)
def test_the_players_in_the_file_play_on(south: str, north: str, sides: str, file: Path) -> None:
    assert sides in from_file(file, south, north)


def test_a_person_takes_the_side_of_the_person_in_the_file_and_keeps_the_name(file: Path, tmp_path: Path) -> None:
    save_record(file, str(Record(match_of("fetaix", "c2-c3"), south="random", north="Ann")))

    for output in (shown("fetaix", "--load", str(file)), shown("fetaix", typed=f"load {file}")):
        assert "--seat 1" in output
        assert "North> " in output
    assert "--seat 0" in shown("fetaix", "--load", str(file), "--seat", "0")
    shown("fetaix", "--load", str(file), "--save", str(tmp_path / "more.pdn"), typed="quit")
    assert load_record(tmp_path / "more.pdn").north == "Ann"


@pytest.mark.parametrize("name", ["ugi:touch trace", "player.py", "folder/final"])
def test_no_program_runs_because_a_file_names_it(file, name):
    output = from_file(file, "human", name)
    assert f"{name} played in the file and cannot be used; alphabeta:3 plays (--opponent changes it)." in output
    assert "South: you, North: alphabeta:3." in output
    assert not Path("trace").exists()


def test_a_match_resumed_from_a_file_with_a_result_is_saved_elsewhere(file, state_folder):
    match = match_of("fetaix", "c2-c3")
    save_record(file, str(Record(match, south="human", north="random", result="0-1", reason="resigned")))

    output = shown("fetaix", "--load", str(file), typed="quit")
    [kept] = saved(state_folder)
    assert kept.result == "*"
    assert str(state_folder) in SAVED.search(output)[1]


def test_what_a_killed_session_left_long_ago_is_removed(state_folder):
    state_folder.mkdir(parents=True)
    old, young = (state_folder / f".alquerque-20261124-{number}.pdn.0123456{number}.partial" for number in "12")
    for file in (old, young):
        file.write_text("[Game")
    os.utime(old, (0, 0))
    shown("fetaix", typed="c2-c3|quit")
    assert [file.name for file in state_folder.glob(".*")] == [young.name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["alquerque"], "has a match of fetaix, not of alquerque; give that game"),
        (["fetaix", "--option", "chain=single"], "has other options: the defaults; omit --option"),
        (["fetaix", "--save", "no/x"], "--save is 'no/x', but its folder does not exist"),
        (["fetaix", "--position", "W:Wa1:Bb2"], "--load and --position exclude each other"),
    ],
)
def test_a_file_that_does_not_fit_the_arguments_is_refused(three, arguments, message):
    result = play(*arguments, "--load", str(three))

    assert result.exit_code == 2
    assert message in result.stderr


def test_a_file_brings_its_options(file):
    save_record(file, str(Record(match_of("fetaix", "c2-c3", chain="single"))))
    for options in ([], ["--option", "chain=single"]):
        assert "1. c2-c3" in shown("fetaix", "--load", str(file), *options)
    refused = play("fetaix", "--load", str(file), "--option", "chain=optional")
    assert "has other options: --option chain=single" in refused.stderr


# Sides and ends.


def test_switch_gives_the_person_the_side_of_the_bot():
    output = shown("fetaix", typed="c2-c3|switch|undo|position|quit")
    two_people = shown("fetaix", "--opponent", "human", typed="switch|c2-c3")

    assert "You play North now." in output
    assert "South (random) plays c1xc3" in output
    assert re.search(r"^B:W", output, re.MULTILINE)
    assert "--opponent random --seat 1" in output
    assert "switch changes sides with a bot, but people play both sides" in two_people


def test_resign_ends_the_match_and_its_file_resumes_it(file, state_folder):
    output = shown("fetaix", "--save", str(file), typed="c2-c3|resign|c1xc3")
    record = load_record(file)

    assert "\nYou lose.\nNorth wins: South resigns.\n  1. c2-c3 c4xc2\n" in output
    assert "Resume with" not in output
    assert (record.result, record.reason) == ("0-1", "resigned")
    assert saved(state_folder) == []
    again = shown("fetaix", "--load", str(file), typed="1")
    assert "In the file it ended 0-1 (resigned); it resumes here." in again
    assert "1. c2-c3 c4xc2   2. c1xc3" in again


# Where the match is written while it is played, and when play ends.


def test_the_match_before_load_is_kept_if_the_next_one_takes_its_file(file, three, state_folder):
    output = shown("fetaix", "--save", str(file), typed=f"c2-c3|load {three} 2|quit")

    assert [record.match.turns[:1] for record in saved(state_folder)] == [("c2-c3",)]
    assert load_record(file).match.turns[:2] == ("b2-c3", "d4xb2")
    assert output.count("The match that you leave is saved in") == 1


def test_watched_bots_leave_a_record(file):
    output = shown("alquerque", "--watch", "random", "--opponent", "greedy", "--seed", "2", "--save", str(file))
    (record,) = read_records(file.read_text(encoding="utf-8"))

    assert (record.south, record.north) == ("random", "greedy")
    assert record.match.is_over
    assert record.match.position == position_in(output)
    assert f"The match is saved in {file}." in output


def test_an_unfinished_match_is_saved_in_the_named_file(file, state_folder):
    output = shown("fetaix", "--save", str(file), typed="c2-c3|quit")

    assert load_record(file).match.turns == ("c2-c3", "c4xc2")
    assert f"Resume with: alquerque play fetaix --load {file} --opponent random --seat 0 --save {file}\n" in output
    assert saved(state_folder) == []
    assert position_in(resume(output, typed="c1xc3")) == load_record(file).match.position
    assert len(load_record(file).match.turns) == 4


@pytest.mark.parametrize("typed", ["c2-c3", "c2-c3|quit"])
@pytest.mark.slow
def test_an_unfinished_match_is_saved_in_the_state_folder_or_where_it_is_saved_already(typed, file, state_folder):
    output = shown("fetaix", "--option", "chain=optional", typed=typed)
    (kept,) = state_folder.iterdir()

    assert re.fullmatch(r"fetaix-\d{8}-\d{6}\.pdn", kept.name)
    assert SAVED.findall(output) == [str(kept)]
    assert f"Resume with: alquerque play fetaix --load {kept} --opponent random --seat 0\n" in output
    again = resume(output, typed="turns|undo|position|quit")
    assert "1. c2-c3 c4xc2" in again
    assert Match(load_game("fetaix")).position in again
    output = shown("fetaix", typed=f"c2-c3|save {file}|quit")
    assert f"--load {file} " in resume(output)
    assert list(state_folder.iterdir()) == [kept]


def test_a_file_that_was_deleted_is_not_named(file, state_folder, monkeypatch):
    save = match_file.MatchSaver.save

    def save_and_lose(saver, path, text):
        save(saver, path, text)
        if path == str(file):
            file.unlink()

    monkeypatch.setattr(match_file.MatchSaver, "save", save_and_lose)
    output = shown("fetaix", typed=f"c2-c3|save {file}|quit")

    (kept,) = state_folder.iterdir()
    assert f"--load {kept} " in output


def test_a_match_without_a_turn_is_not_kept_and_begun_again_by_its_name(state_folder):
    output = shown("fetaix", typed="quit")

    assert "saved" not in output
    assert "Position:" not in output
    assert output.endswith("\nResume with: alquerque play fetaix --opponent random --seat 0\n")
    assert saved(state_folder) == []


def test_matches_that_end_in_the_same_second_are_all_kept(state_folder, monkeypatch):
    class Clock(match_file.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 11, 21, 12, 30, 5)

    monkeypatch.setattr(match_file, "datetime", Clock)
    for _ in range(3):
        shown("fetaix", typed="c2-c3")

    names = sorted(file.name for file in state_folder.iterdir())
    assert names == [
        "fetaix-20261121-123005-2.pdn",
        "fetaix-20261121-123005-3.pdn",
        "fetaix-20261121-123005.pdn",
    ]


def test_the_position_is_printed_if_the_match_cannot_be_saved(state_folder):
    state_folder.parent.write_text("in the way")

    output = shown("fetaix", typed="c2-c3")

    assert "The match is not saved: cannot make the folder" in output
    assert f"--position {position_in(output)} " in output


def test_a_save_path_of_another_file_is_refused_before_the_match(file):
    file.write_text("mine")

    taken = play("fetaix", "--save", str(file))

    assert taken.stderr == f"alquerque: --save is {str(file)!r}, which exists already; choose another name\n"
    assert (taken.exit_code, taken.stdout, file.read_text()) == (2, "", "mine")


@pytest.mark.parametrize("typed", ["c2-c3", "c2-c3|resign"])
def test_the_match_is_saved_elsewhere_if_the_folder_was_deleted(typed, tmp_path, state_folder, monkeypatch):
    target = tmp_path / "here" / "match.pdn"
    target.parent.mkdir()
    monkeypatch.setattr(match_file.MatchSaver, "check_target", lambda _: shutil.rmtree(target.parent))

    result = play("fetaix", "--save", str(target), typed=typed)

    assert result.exit_code == 1
    assert f"cannot write '{target}': No such file or directory" in result.stdout
    assert [record.match.turns for record in saved(state_folder)] == [("c2-c3", "c4xc2")]


def test_the_match_is_kept_when_a_bot_fails(state_folder, monkeypatch):
    broken = SimpleNamespace(name="broken", choose=lambda _match: 1 // 0)
    monkeypatch.setattr(session, "load_bot", lambda *_, **__: broken)
    result = play("fetaix", typed="c2-c3")

    assert isinstance(result.exception, ZeroDivisionError)
    assert [record.match.turns for record in saved(state_folder)] == [("c2-c3",)]
    assert "Resume with: alquerque play fetaix --load" in result.stdout


def test_a_name_that_no_header_can_hold_is_escaped(file, monkeypatch):
    load_bot = session.load_bot
    monkeypatch.setattr(session, "load_bot", lambda _, game, **others: load_bot("random", game, **others))

    shown("fetaix", "--opponent", "a\nb", typed=f"c2-c3|save {file}")

    assert load_record(file).north == r"'a\nb'"


def test_a_match_of_another_program_is_resumed_and_saved_in_the_words_of_this_one(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "federation.pdn"
    shutil.copy(Path(__file__).parents[1] / "cases" / "pdn" / "federation.pdn", copy)
    arguments = ["--opponent", "random", "--seed", "1", "--seat", "0", "--save", str(file)]
    output = " ".join(shown("draughts_international", "--load", str(copy), *arguments, typed="quit").split())

    assert "Brandsma, André (South) against Hölscher, Jürgen (North). This is match 1 of 4 in" in output
    assert "is not in UTF-8 and is read as Latin-1: names may show wrong letters." in output
    assert "In the file it ended 0-1" in output
    assert '[South "Brandsma, André"]' in file.read_text(encoding="utf-8")
