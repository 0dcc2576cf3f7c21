"""Paths given to commands: game files in place of a game's id, and what leads nowhere."""

import json
import os
import re
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

from alquerque_env import Match, Record, games, load_game
from alquerque_env.cli.main import COMMANDS, main
from alquerque_env.errors import RulesError
from tests.own_games import game_text, write_game
from tests.sets import first_by_default


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path / "tables"))
    return tmp_path


@pytest.fixture
def circles(here: Path) -> Path:
    """The folder, with links that lead in a circle."""
    for ending in (".toml", ".py", ".pdn", ".json", ".jsonl", ".table", ".npz", ""):
        try:
            os.symlink(f"other{ending}", f"circle{ending}")
            os.symlink(f"circle{ending}", f"other{ending}")
        except (OSError, NotImplementedError):
            pytest.skip("this system lets nobody make links")
    return here


def run(arguments: str | list[str], status: int = 0, typed: str = "") -> Result:
    """Runs a command that ends with a status, without a traceback."""
    words = arguments.split() if isinstance(arguments, str) else arguments
    result = CliRunner().invoke(main, words, input=typed)
    assert result.exit_code == status, result.output + result.stderr
    return result


@first_by_default
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("describe games/mine.toml", "alquerque solve games/mine.toml --from-start"),
        ("describe games/mine.toml --option chain=single", "Small game"),
        ("describe games/mine.toml --position W:Wa1:Bc2", "Steps: a1-b1, a1-a2, a1-b2."),
        ("perft games/mine.toml --depth 4 --turns", "26"),
        ("rollouts games/mine.toml --matches 10 --seed 1", "10"),
        ("play games/mine.toml --watch random --opponent greedy --seed 0", "wins"),
        ("arena games/mine.toml random greedy --games 2 --plies 2 --judge random", "random v. greedy"),
        ("openings games/mine.toml --count 1 --judge random -o openings.jsonl", "openings.jsonl: "),
        ("solve games/mine.toml --pieces 2 --verify", "every value checked"),
        ("solve games/mine.toml --from-start --certificate proof.txt --verify", "Certificate: proof.txt"),
    ],
)
def test_a_command_takes_the_path_of_a_game_file(arguments: str, shown: str, here: Path) -> None:
    (here / "games").mkdir()
    write_game(here / "games")
    assert shown in run(arguments).output


def test_the_command_that_resumes_a_match_has_the_path_that_was_given(here: Path) -> None:
    (here / "my games").mkdir()
    write_game(here / "my games")
    first = CliRunner().invoke(main, ["play", "my games/mine.toml", "--opponent", "greedy"], input="1\nsave a.pdn\n")

    (resume,) = re.findall("Resume with: alquerque (.*)", first.output)
    again = CliRunner().invoke(main, shlex.split(resume), input="quit\n")

    assert (first.exit_code, again.exit_code) == (0, 0)
    assert resume.startswith("play 'my games/mine.toml' --load a.pdn ")
    assert re.findall("Resume with: alquerque (.*)", again.output) == [resume]


def test_a_description_says_nothing_where_a_file_says_nothing(here: Path) -> None:
    text, _, _ = game_text().partition("[options]")
    rules = 'capture = "optional"\nundo_cleared_by_jump = false\nmullah_lines = "long_diagonals"\n'
    one = '[options]\nchain = { default = "single", values = ["single"], source = "an example" }\n'
    limit = "no_progress_limit = 20\n"
    (here / "mine.toml").write_text(text + rules + limit + one, encoding="utf-8")
    (here / "none.toml").write_text(f'{text}{rules}{limit}chain = "single"\n', encoding="utf-8")

    described, without_options = (run(f"describe {name}.toml").output for name in ("mine", "none"))

    assert "Small board: 9 points.\n" in described
    assert "Other values" not in described
    assert "## Options\n\nThe game has none.\n" in without_options
    for output in (described, without_options):
        assert "mullah" not in output
        assert "take back" not in output


@pytest.mark.parametrize(("limit", "told"), [("50", "The no-progress limit of 50 plies"), ('"off"', "12 positions")])
def test_a_table_is_built_where_the_no_progress_limit_is_no_option(limit: str, told: str, here: Path) -> None:
    repetition = "threefold_draw" if limit == '"off"' else "off"
    text = re.sub("no_progress_limit = .*", "", game_text())
    text = text.replace('repetition = "off"', f'repetition = "{repetition}"')
    text = text.replace("[options]", f"no_progress_limit = {limit}\n[options]")
    (here / "mine.toml").write_text(text, encoding="utf-8")
    assert told in run("solve mine.toml --pieces 2 -o mine.tab").output


NAMING_A_GAME = [
    "describe GAME",
    "perft GAME --depth 1",
    "rollouts GAME",
    "play GAME",
    "web --no-browser --game GAME",
    "site folder --game GAME",
    "puzzles GAME",
    "engine --game GAME",
    "mcp --game GAME",
    "train GAME --minutes 1",
    "arena GAME random greedy",
    "openings GAME -o x.jsonl",
    "solve GAME --from-start",
    "exploit greedy GAME",
    "dataset GAME -o x.npz",
    "export fetaix-small -o x.py --game GAME",
]


@pytest.mark.parametrize(
    "command", [pytest.param(line, marks=[pytest.mark.slow] * ("train" in line)) for line in NAMING_A_GAME]
)
@pytest.mark.parametrize(
    ("path", "problem"),
    [("min.toml", "no game file 'min.toml'; did you mean 'mine.toml'?"), ("circle.toml", "cannot be read")],
)
def test_a_path_that_leads_to_no_file_is_refused_in_one_line(
    command: str, path: str, problem: str, circles: Path
) -> None:
    extra = {"web": "uvicorn", "mcp": "mcp", "train": "torch"}.get(command.split()[0])
    pytest.importorskip(extra or "click")
    write_game(circles)
    before = sorted(circles.iterdir())

    result = run(command.replace("GAME", path), 2)

    assert result.stderr.count("\n") == 1
    assert problem in result.stderr
    assert sorted(circles.iterdir()) == before


def test_every_command_that_takes_a_game_is_tried_with_a_path() -> None:
    context = click.Context(main)
    commands = {name: main.get_command(context, name) for name in COMMANDS}
    for name, group in list(commands.items()):
        if isinstance(group, click.Group):
            commands |= {f"{name} {kind}": group.get_command(context, kind) for kind in group.list_commands(context)}
    taking = [name for name, each in commands.items() if any("GAME" in (p.metavar or "") for p in each.params)]
    untried = [name for name in taking if not any(line.startswith(f"{name} ") for line in NAMING_A_GAME)]

    assert untried == ["benchmark check", "benchmark run"]  # they take games of the package alone


def test_a_game_without_captures_is_described(here: Path) -> None:
    everywhere = " ".join(load_game(write_game(here)).board.labels)
    text = game_text().replace("version = 1", f'version = 1\nsanctuary = "{everywhere}"')
    (here / "mine.toml").write_text(text, encoding="utf-8")
    shown = run("describe mine.toml").output
    assert "simple steps by origin and target" in shown
    assert "captures by origin and target" not in shown


def test_json_names_the_game_and_its_hash(here: Path) -> None:
    game = load_game(write_game(here))
    for arguments in ("describe mine.toml --json", "arena mine.toml random greedy --games 2 --plies 2 --json"):
        found = json.loads(run(arguments).stdout)
        assert (found.get("game", found.get("name")), found["table_hash"]) == ("mine", game.table_hash)


def test_a_game_is_printed_as_one_file(here: Path) -> None:
    (here / "small.toml").write_text(game_text().partition("[board]\n")[2].partition("[start]")[0], encoding="utf-8")
    (here / "mine.toml").write_text(game_text(board='board = "small.toml"'), encoding="utf-8")
    game = load_game("mine.toml")
    (here / "other").mkdir()

    (here / "other" / "mine.toml").write_text(run("describe mine.toml --toml").output, encoding="utf-8")

    assert load_game("other/mine.toml") == game
    for other in ("--json", "--position W:Wa1:Bc2"):
        assert "--toml prints a game file" in run(f"describe mine.toml --toml {other}", 2).stderr


def test_a_match_is_resumed_with_the_same_file_only(here: Path) -> None:
    match = Match(load_game(write_game(here)))
    match.push(match.legal_steps[0])
    (here / "match.pdn").write_text(str(Record(match, south="human", north="random")), encoding="utf-8")

    assert "Small game" in run("play mine.toml --load match.pdn", typed="quit\n").output
    write_game(here, chain="single")
    refused = "'match.pdn' has a match of another mine.toml: give the file as it was when the match began"
    assert refused in run("play mine.toml --load match.pdn", 2).stderr
    assert "has a match of mine.toml, not of fetaix" in run("play fetaix --load match.pdn", 2).stderr
    (here / "match.pdn").write_text(str(Record(Match("fetaix"), south="human", north="random")), encoding="utf-8")
    write_game(here, "fetaix")
    assert "has a match of fetaix, not of fetaix.toml" in run("play fetaix.toml --load match.pdn", 2).stderr


def test_a_data_set_says_of_which_game_it_is(here: Path) -> None:
    game = load_game(write_game(here))
    run("solve mine.toml --pieces 2")
    run("dataset mine.toml --positions 5 -o data.npz")
    with np.load("data.npz", allow_pickle=False) as found:
        assert (str(found["game"]), str(found["game_file"])) == ("mine", game.file_text)


def test_an_engine_plays_a_game_from_a_file(here: Path) -> None:
    game = load_game(write_game(here))
    commands = "ugi|setoption name chain value single|isready|position startpos|go depth 1|isready|quit"
    told = run("engine alphabeta:1 --game mine.toml", typed=commands.replace("|", "\n")).stdout
    assert f"option name Game type combo default mine.toml var mine.toml var {games()[0]} " in told
    assert "option name chain type combo default compulsory " in told
    assert re.findall("^bestmove (.*)$", told, re.MULTILINE)[0] in {step.text for step in Match(game).legal_steps}
    assert "error" not in told


@pytest.mark.slow
def test_an_engine_gets_a_game_from_a_file_as_text(here: Path) -> None:
    file = write_game(here)
    copied = shutil.copy(file, here / "renamed.toml")
    spec = f"ugi:{sys.executable} -m alquerque_env engine alphabeta:2"
    arguments = ["arena", str(copied), spec, "random", "--games", "2", "--plies", "2", "--judge", "random", "--json"]

    result = CliRunner().invoke(main, arguments)

    assert result.exit_code == 0, result.stderr
    assert not any(player["faults"] for player in json.loads(result.output)["results"].values())


@pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
@pytest.mark.slow
def test_training_takes_the_path_of_a_game_file(here: Path) -> None:
    write_game(here)
    quick = "run.total_steps=512 self_play.num_games=16 self_play.rollout_steps=16 ppo.minibatch_size=128"
    small = "network.width=8 evaluation.games_per_seat=1 evaluation.opponents=[] self_play.opening_plies=1"
    run(f"train ppo run.game=mine.toml {quick} {small}")
    os.remove("mine.toml")
    resumed = f"train ppo run.game=mine.toml {quick} {small} --resume runs/ppo-1"
    assert "run 'runs/ppo-1' is finished" in run(resumed, 2).stderr

    for force in ("", " --force"):
        run(f"export runs/ppo-1/checkpoints/final -o bot.py{force}")

    assert "Game: mine, version 1" in Path("bot.py").read_text(encoding="utf-8")
    assert "run.game: no game file 'mine.toml'" in run("train ppo run.game=mine.toml", 2).stderr

    write_game(here, "other")
    assert "exported player 'bot.py' plays 'mine', not" in run("play other.toml --opponent bot.py", 2).stderr
    write_game(here, chain="optional")
    said = run("play mine.toml --opponent bot.py", 2).stderr
    assert "exported player 'bot.py' plays with chain=compulsory, this game has optional" in said
    write_game(here, at_limit="majority")
    assert "exported player 'bot.py' was made for other rules" in run("play mine.toml --opponent bot.py", 2).stderr
    write_game(here)
    assert "Resume with: " in run("play mine.toml --opponent bot.py --seat 1", typed="quit\n").output

    own = "has positions and opponents for games of the package only, not for 'mine': see `alquerque arena`"
    for agent in ("bot.py", "runs/ppo-1/checkpoints/final"):
        assert own in run(f"benchmark run {agent} --quick", 2).stderr


def test_the_benchmark_is_of_the_games_of_the_package(here: Path) -> None:
    write_game(here)
    assert "for games of the package only, not for 'mine.toml'" in run("benchmark run random mine.toml", 2).stderr


@pytest.mark.parametrize("key", ['extends = "circle.toml"\n', 'board = "circle.toml"\n'])
def test_a_circle_of_links_that_a_game_file_names_is_refused_in_a_sentence(key: str, circles: Path) -> None:
    board = "[board]" if key.startswith("extends") else ""
    text = game_text(board=board) if key.startswith("board") else game_text()
    (circles / "mine.toml").write_text(key + text, encoding="utf-8")
    with pytest.raises(RulesError, match="but there is no file"):
        load_game("mine.toml")


TOO_LONG = "n" * 5000


@pytest.mark.parametrize("path", ["circle{}", TOO_LONG, "file.txt/x{}", ""])
@pytest.mark.parametrize(
    "command",
    [
        "train quickstart --resume {}",
        "plot {}",
        "export {} -o player.py",
        "export fetaix-small -o {.py}",
        "solve alquerque --pieces 2 -o {.table}",
        "solve alquerque --verify --table {.table}",
        "dataset alquerque --table {.table} -o data.npz",
        "dataset alquerque -o {.npz} --positions 10",
        "arena alquerque random greedy --games 2 -o {.jsonl}",
        "openings alquerque --count 1 --judge random -o {.jsonl}",
        "benchmark run random fetaix --quick --output {.json}",
        "benchmark curve {}",
        "benchmark run {.py} fetaix --quick",
        "play alquerque --load {.pdn}",
        "play alquerque --opponent {.py}",
        "engine {.py}",
    ],
)
def test_a_path_that_no_file_can_have_is_refused_in_a_sentence(command: str, path: str, circles: Path) -> None:
    pytest.importorskip("torch" if command.split()[0] in ("train", "export") else "click")
    (circles / "file.txt").write_text("a file")
    before = sorted(circles.iterdir())
    ending = command.partition("{")[2].partition("}")[0]
    arguments = [part.replace(f"{{{ending}}}", path.format(ending)) for part in command.split()]
    error = run(arguments, 2).stderr
    assert error.count("\n") == 1
    assert len(error) < 2000
    assert [file for file in sorted(circles.iterdir()) if file.name != "tables"] == before


def test_a_link_to_a_place_in_a_missing_folder_is_no_place_for_a_result(here: Path) -> None:
    os.symlink("missing/result.jsonl", "link.jsonl")
    told = run("arena alquerque random greedy --games 2 -o link.jsonl", 2).stderr
    assert f"folder {str(here / 'missing')!r} does not exist" in told
