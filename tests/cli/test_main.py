"""The console program: help, output of commands, and errors in one line."""

import errno
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from alquerque_env import Match, __version__, games, load_game, perft, rollouts
from alquerque_env.batch.rollouts import measure_branching
from alquerque_env.cli.commands import compile as compile_module, doctor
from alquerque_env.cli.main import COMMANDS, main
from alquerque_env.engine import kernel_cache
from alquerque_env.engine.kernel_cache import cache_root
from alquerque_env.errors import AlquerqueError, install_command
from alquerque_env.files.lock import locked_file
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.game.planes import planes
from alquerque_env.match.perft import divide
from tests.sets import first_by_default

NEEDS_TORCH = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
BAD_ARGUMENTS = [
    ("gams", "no command 'gams'; did you mean 'games'?"),
    ("--verbos", "no such option '--verbos'"),
    ("games fetaix", "unexpected extra argument"),
    ("describe", "missing argument 'GAME'"),
    ("describe fetaixx", "no game 'fetaixx'; did you mean 'fetaix'?"),
    ("describe fetaix --option chain", "--option is 'chain', expected NAME=VALUE"),
    ("describe fetaix --option chain=single --option chain=optional", "--option chain is given twice"),
    ("rollouts fetaix --matches 0", "invalid value for '--matches': 0 is not in the range 1<=x<="),
    ("rollouts fetaix --seed -1", "invalid value for '--seed': -1 is not in the range 0 to"),
    ("perft fetaix", "missing option '--depth'"),
    ("perft fetaix --depth x", "'x' is not a valid integer"),
    ("perft fetaix --depth 0 --divide", "--divide needs --depth 1 or more"),
    ("play fetaix --seat 2", "'2' is not one of '0', '1'"),
    ("play fetaix --opponent stockfish", "stockfish"),
    ("play fetaix --watch human", "--watch shows a match between bots"),
    ("web --no-browser --bot nobody", "no bot and no file 'nobody'"),
    ("web --no-browser --checkpoints no/such/folder", "no/such/folder"),
    ("web --no-browser --port 99999", "99999 is not in the range 1<=x<=65535"),
    ("web --no-browser --seconds 0", "0.0 is not in the range 0.1<=x<=600"),
    ("export somewhere", "give one file to write: -o FILE.py for a player, or --onnx FILE.onnx for its network"),
    ("export somewhere -o pyproject.toml", "exists; --force replaces it"),
    ("export somewhere -o network.onnx", "'network.onnx': -o writes a player, FILE.py, and --onnx a network"),
    ("export somewhere --onnx no_such_folder/network.onnx", "folder 'no_such_folder' does not exist"),
    ("train fetaix --minutes 0.1", "'--minutes': 0.1 is not in the range"),
    (
        "train fetaix --minutes 5 --resume runs/fetaix-1",
        "leave it out: alquerque train --resume runs/fetaix-1",
    ),
    ("train", "missing argument 'CONFIG'"),
    ("train fetaix --minutes 5 --option chain=single", "write run.options.chain=single without --option"),
    ("train fetaix --minutes 5 --ray", "--minutes measures this machine and not a cluster"),
    ("train fetaix --minutes 5 --print-config", "writes them to the run's config.toml"),
    *(
        pytest.param(line, message, marks=NEEDS_TORCH)
        for line, message in (
            ("train fetaix", "'fetaix' is a game and not a config: alquerque train fetaix --minutes 10"),
            ("train quickstart --resume no_such_run --print-config", "--print-config and --resume exclude each other"),
            ("export no_such_checkpoint -o bot.py", "no checkpoint 'no_such_checkpoint'"),
            ("export no_such_checkpoint -o .", "'.' is a directory"),
        )
    ),
]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def output_of(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "alquerque_env", *arguments]


def words_of(line: str) -> list[str]:
    return [word.strip("'") for word in line.split()]


@pytest.mark.parametrize(("line", "message"), BAD_ARGUMENTS)
def test_a_bad_argument_ends_with_status_2_and_one_line(line: str, message: str) -> None:
    done = CliRunner().invoke(main, words_of(line), prog_name="alquerque")

    assert done.exit_code == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert message in done.stderr
    assert done.stderr.startswith("alquerque: ")


@pytest.mark.parametrize("name", COMMANDS)
def test_any_error_of_the_package_ends_a_command_with_status_2_and_one_line(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AlquerqueError("what was wrong,\nand what\twas expected")

    monkeypatch.setattr(main.get_command(click.Context(main), name), "make_context", refuse)
    done = CliRunner().invoke(main, [name], prog_name="alquerque")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "alquerque: what was wrong, and what was expected\n"


def test_a_bad_argument_ends_a_process_with_status_2_and_one_line() -> None:
    done = subprocess.run(command("describe", "tic_tac_toe"), capture_output=True, text=True, timeout=120)

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.startswith("python -m alquerque_env: ")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_begins_with_its_summary_and_ends_with_examples(name: str) -> None:
    shown = output_of(name, "--help")

    assert shown.startswith(f"Usage: alquerque {name}")
    assert shown.splitlines()[2].strip() == COMMANDS[name]
    assert f"\nExamples:\n  alquerque {name}" in shown
    assert all(len(line) <= 80 for line in shown.partition("\nExamples:")[0].splitlines())


def test_without_a_command_the_commands_are_listed() -> None:
    shown = output_of()

    assert all(f"  {name} " in shown for name in COMMANDS)
    assert shown == output_of("--help")


def test_the_version_is_that_of_the_package() -> None:
    assert output_of("--version") == f"alquerque {__version__}\n"


def test_games_lists_ids_with_titles() -> None:
    lines = output_of("games").splitlines()

    assert [line.split()[0] for line in lines] == list(games())
    assert [line.split(maxsplit=1)[1] for line in lines] == [load_game(name).title for name in games()]
    listed = json.loads(output_of("games", "--json"))["games"]
    assert listed == [{"name": name, "title": load_game(name).title} for name in games()]


@pytest.mark.slow
def test_listing_the_games_loads_only_what_every_command_needs() -> None:
    heavy = "('torch', 'pygame', 'training', 'alquerque_env.bots', 'alquerque_env.match.match', 'alquerque_env.render')"
    code = (
        "import sys; from alquerque_env.cli.main import main; main(['games'], standalone_mode=False); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)

    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@first_by_default
@pytest.mark.parametrize("name", games())
def test_describe_as_json_says_what_the_library_says(name: str) -> None:
    game = load_game(name)

    told = json.loads(output_of("describe", name, "--json"))

    assert (told["name"], told["title"], told["version"]) == (game.name, game.title, game.version)
    assert told["table_hash"] == game.table_hash
    assert tuple(point["label"] for point in told["board"]["points"]) == game.board.labels
    assert tuple((point["x"], point["y"]) for point in told["board"]["points"]) == game.board.points
    assert tuple(map(tuple, told["board"]["lines"])) == game.board.lines
    assert tuple(None if action is None else tuple(action) for action in told["actions"]) == game.actions
    assert told["num_actions"] == game.num_actions
    assert {option["name"]: option["value"] for option in told["options"]} == dict(game.options)
    assert [(plane["name"], plane["maximum"]) for plane in told["planes"]] == [plane[:2] for plane in planes(game)]
    assert [plane["index"] for plane in told["planes"]] == list(range(len(planes(game))))
    assert told["start"]["position"] == Match(game).position
    assert told["symmetries"] == len(game.symmetries)
    assert told["sources"] == list(game.sources)


@first_by_default
@pytest.mark.parametrize("name", games())
def test_describe_names_every_option_plane_line_and_source(name: str) -> None:
    game = load_game(name)

    shown = " ".join(output_of("describe", name).split())

    for option in game.option_table.values():
        assert f"- {option.name}=" in shown
        assert option.question in shown
        assert option.source in shown
    for plane in planes(game):
        assert f"{plane.name}, 0 to {plane.maximum}: {plane.meaning}" in shown
    for line in game.board.lines:
        assert "-".join(game.board.labels[point] for point in line) in shown
    assert all(source in shown for source in game.sources)
    assert f"{game.num_actions} actions" in shown
    assert f"version 1, table {game.table_hash}" in shown


def test_describe_shows_chosen_values_beside_the_defaults() -> None:
    shown = output_of("describe", "fetaix", "--option", "chain=optional", "--option", "no_progress_limit=7")

    assert "- chain=optional (default compulsory)" in shown
    assert "- no_progress_limit=7 (default 80)" in shown
    assert "After 7 turns in a row" in shown
    assert "512: pass, which ends a turn that could go on capturing" in shown


def test_describe_lists_the_endings_in_order_of_precedence() -> None:
    options = ["--option", "repetition=threefold_draw", "--option", "no_progress_result=majority"]

    told = json.loads(output_of("describe", "fetaix", "--json", *options))

    assert [ending["reason"] for ending in told["endings"]] == ["captured", "blocked", "repetition", "majority"]


def test_rollouts_prints_what_the_library_finds() -> None:
    arguments = ("rollouts", "awithlaknannai_mosona", "--matches", "500", "--seed", "3", "--branching")
    found = measure_branching("awithlaknannai_mosona", 500, seed=3)
    ends = found.rollouts
    shown = " ".join(output_of(*arguments).split())
    assert f"South wins {ends.share(0):.1%}" in shown
    assert f"drawn {ends.share(-1):.1%}" in shown
    assert f"legal actions {found.factor:.1f} (at most {found.most})" in shown
    told = json.loads(output_of(*arguments, "--json"))
    assert told["wins"] == [ends.share(0), ends.share(1)]
    assert told["endings"] == ends.endings()
    assert sum(told["endings"].values()) == told["matches"] == 500
    assert told["turns"]["mean"] == found.turns.mean()
    assert told["legal_actions"] == {"mean": found.factor, "most": found.most}
    found = rollouts("awithlaknannai_mosona", 500, seed=3)
    plain = json.loads(output_of(*arguments[:-1], "--json"))
    assert (plain["endings"], plain["actions"]["mean"]) == (found.endings(), found.length.mean())


@pytest.mark.parametrize("turns", [False, True])
def test_perft_prints_the_parts_of_what_it_counts(turns: bool) -> None:
    arguments = ["perft", "fetaix", "--depth", "2", "--divide", "--option", "man_capture_dirs=all"]
    arguments += ["--turns"] * turns
    game = load_game("fetaix", man_capture_dirs="all")

    *parts, total = output_of(*arguments).splitlines()
    told = json.loads(output_of(*arguments, "--json"))

    assert {line.split()[0]: int(line.split()[1]) for line in parts} == told["divide"]
    assert told["divide"] == divide(game, 2, turns=turns)
    assert total.split() == ["total", str(perft(game, 2, turns=turns))]
    assert (told["game"], told["depth"], told["turns"], told["count"]) == ("fetaix", 2, turns, int(total.split()[1]))
    assert told["options"]["man_capture_dirs"] == "all"
    assert told["position"] == Match(game).position


def test_a_match_that_is_over_divides_into_nothing() -> None:
    assert output_of("perft", "fetaix", "--depth", "2", "--divide", "--position", "W:W:Ba5").split() == ["total", "0"]


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_compile_says_that_there_is_no_room_for_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "unkept", [])
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(compile_module, "TASKS", {"it": lambda _game: kernel_cache.unkept.append(full)})

    result = run("compile")
    assert result.exit_code == 1
    assert f"{len(games())} kernels cannot be kept in {cache_root()}: No space left on device; fix" in result.stderr


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_the_second_compile_waits_for_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_module, "TASKS", {})
    told: list[str] = []
    with ExitStack() as held:
        held.enter_context(locked_file(cache_root()))

        def echo(text: str, err: bool) -> None:
            assert err
            told.append(text)
            held.close()

        monkeypatch.setattr(click, "echo", echo)
        assert run("compile").exit_code == 0

    (sentence,) = told
    assert f"is in use by process {os.getpid()} on " in sentence


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.slow
def test_compile_fills_the_cache_that_doctor_shows() -> None:
    lines = output_of("compile").splitlines()

    assert [line.split("  ")[0] for line in lines] == ["environments", "bots", "rollouts", "tables"]
    assert "kernels        compiled, cached in " in output_of("doctor")


@pytest.mark.skipif(JIT, reason="kernels are compiled")
def test_compile_is_refused_if_compilation_is_switched_off() -> None:
    assert "switches compilation off" in run("compile").stderr


def test_doctor_says_what_is_installed_on_one_screen() -> None:
    names = [line.split()[0] for line in output_of("doctor").splitlines()]
    assert len(names) <= 27
    assert {"python", "numpy", "gymnasium", "pettingzoo", "torch", "onnxruntime", "kernels"} <= set(names)
    found = json.loads(output_of("doctor", "--json"))["findings"]
    assert [finding["name"] for finding in found] == names
    assert not any(finding["is_broken"] for finding in found)


def test_doctor_says_how_many_of_the_processors_it_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PACKAGES", ())
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    for allowed, said in ((3, ", 3 of 4 cores\n"), (4, ", 4 cores\n")):
        monkeypatch.setattr(doctor, "count_processors", lambda allowed=allowed: allowed)
        assert said in output_of("doctor")


def test_doctor_ends_with_status_1_where_a_package_is_missing_or_broken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "broken_package.py").write_text("raise RuntimeError('two\\nlines')")
    monkeypatch.syspath_prepend(tmp_path)
    for package, status, words in (
        (("no-such-base", "no_such_base", None), 1, f"not installed; {install_command('')}\n"),
        (("no-such-extra", "no_such_extra", "web"), 0, f"not installed; {install_command('web')}\n"),
        (("broken-package", "broken_package", "web"), 1, "broken: two lines"),
    ):
        monkeypatch.setattr(doctor, "PACKAGES", (package,))
        result = run("doctor")
        assert result.exit_code == status
        assert words in result.stdout
