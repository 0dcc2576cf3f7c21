"""A language model plays over MCP, here the client of the official SDK; matches are kept as records."""

import base64
import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from alquerque_env import Match
from alquerque_env.cli.main import main
from alquerque_env.cli.mcp.mcp_server import Server, Tools
from alquerque_env.match.records import load_record

COMMAND = [sys.executable, "-m", "alquerque_env", "mcp", "--folder"]
BEGIN = {"game": "felli_simplified", "opponent": "random", "seed": 1}


class Model:
    """Calls tools, each as a method with keyword arguments that returns the text of the answer."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __getattr__(self, tool: str) -> Any:
        async def call(**arguments: Any) -> str:
            answer = await self.client.call_tool(tool, arguments)
            assert not answer.is_error, answer.content
            return answer.content[-1].text

        return call

    async def error(self, tool: str, **arguments: Any) -> str:
        """The sentence with which a call is refused."""
        answer = await self.client.call_tool(tool, arguments)
        (content,) = answer.content
        assert answer.is_error, content
        assert "\n" not in content.text
        assert "Error executing" not in content.text
        return content.text


def play(folder: Path, journey: Any) -> Any:
    """Lets a journey play with a new server in this process."""

    async def run() -> Any:
        async with Client(Server(Tools((), folder, 5.0))) as client:
            return await journey(Model(client))

    return anyio.run(run)


def play_over_stdio(folder: Path, journey: Any) -> Any:
    """Lets a journey play with `alquerque mcp` in a process of its own."""

    async def run() -> Any:
        server = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], str(folder)], env=dict(os.environ))
        async with Client(stdio_client(server)) as client:
            return await journey(Model(client))

    return anyio.run(run)


@pytest.mark.parametrize("serve", [play, pytest.param(play_over_stdio, marks=pytest.mark.slow)])
def test_a_match_goes_on_in_another_server_and_its_record_counts_what_was_asked(tmp_path: Path, serve: Any) -> None:
    async def first(model: Model) -> None:
        assert "felli_simplified: Felli (simplified)" in await model.list_games()
        rules = await model.rules(game="felli_simplified")
        assert "A player must capture if possible." in rules
        assert "H in it is followed by" in rules
        begun = await model.begin(**BEGIN, name="a model")
        assert begun.startswith(f"Match felli_simplified-1 is kept in {tmp_path}")
        assert "c2-c3" not in begun
        assert "South (a model) is to move." in begun
        assert await model.legal_moves(match="felli_simplified-1") == "b2-c3 c2-c3 d2-c3"
        assert "not legal" in await model.error("play", match="felli_simplified-1", move="a1-b2")
        assert "plays c2-c3." in await model.play(match="felli_simplified-1", move="C2 - c3")

    async def then(model: Model) -> None:
        assert "○───────○───────○" in await model.show(match="felli_simplified-1")
        assert "<svg" in await model.show(match="felli_simplified-1", form="svg")
        assert Match("felli_simplified").position in await model.undo(match="felli_simplified-1")
        assert await model.error("undo", match="felli_simplified-1") == "there is nothing to take back"
        assert "North wins: South resigned." in await model.resign(match="felli_simplified-1")
        assert "the match is over" in await model.error("play", match="felli_simplified-1", move="c2-c3")
        assert "South (a model) is to move." in await model.undo(match="felli_simplified-1")
        await model.play(match="felli_simplified-1", move="c2-c3")
        await model.resign(match="felli_simplified-1")
        assert "1. c2-c3" in await model.record(match="felli_simplified-1")

    serve(tmp_path, first)
    serve(tmp_path, then)
    record = load_record(tmp_path / "felli_simplified-1.pdn")
    assert (record.south, record.north, record.result, record.reason) == ("a model", "random", "0-1", "resigned")
    assert record.match.player == 0
    counts = {"Seat": "0", "Seed": "1", "LegalMovesShown": "1", "Refused": "1", "Undone": "2"}
    assert record.headers == counts


def test_a_refused_call_is_one_sentence_and_changes_nothing(tmp_path: Path) -> None:
    async def journey(model: Model) -> None:
        await model.begin(**BEGIN)
        for move in ("a1-b2", "b2xd4", "a1-a2", "no move", "1", ""):
            said = await model.error("play", match="felli_simplified-1", move=move)
            assert not any(step in said for step in ("b2-c3", "c2-c3", "d2-c3")), said
        assert await model.error("begin", game="felli_simplified") == "opponent is missing"
        for tool, wrong in {
            "show": {"match": "../felli_simplified-1"},
            "play": {"match": "felli_simplified-1"},
            "rules": {"game": "chess"},
            "record": {"match": "felli_simplified-1.pdn"},
        }.items():
            await model.error(tool, **wrong)
        for wrong in (
            {"opponent": "ugi:echo"},
            {"opponent": "no bot"},
            {"seat": 2},
            {"seed": -1},
            {"options": {"capture": "never"}},
            {"game": str(tmp_path / "mine.toml")},
            {"name": "two\nlines"},
        ):
            await model.error("begin", **BEGIN | wrong)

    play(tmp_path, journey)
    (file,) = tmp_path.iterdir()
    record = load_record(file)
    assert record.match.steps == ()
    assert record.headers == {"Seat": "0", "Seed": "1", "Refused": "6"}


def write_record(folder: Path, north: str) -> Path:
    """A match in which South captures twice in one turn."""
    headers = {"Game": "felli_simplified", "South": "a model", "North": north, "Seat": "0", "Seed": "3"}
    headers |= {"Position": "W:Wa1:Bb2,d4,a5", "Result": "*"}
    path = folder / "mine.pdn"
    path.write_text("".join(f'[{name} "{value}"]\n' for name, value in headers.items()) + "\n*\n", encoding="utf-8")
    return path


def test_a_turn_of_two_captures_can_be_played_in_two_calls(tmp_path: Path) -> None:
    path = write_record(tmp_path, "random")

    async def journey(model: Model) -> None:
        said = await model.play(match="mine", move="a1xc3")
        assert "The piece on c3 must go on capturing." in said
        assert load_record(path).match.turn_goes_on
        assert "South (a model) plays c3xe5.\nNorth (random) plays a5-" in await model.play(match="mine", move="c3xe5")
        said = await model.undo(match="mine")
        assert "W:Wa1:Bb2,d4,a5" in said
        assert said.startswith("Taken back: a1xc3 c3xe5 a5-")

    play(tmp_path, journey)


def test_a_bot_that_fails_leaves_the_match_as_it_was_and_no_record_starts_a_program(tmp_path: Path) -> None:
    path = write_record(tmp_path, "ugi:echo")
    before = path.read_bytes()

    async def journey(model: Model) -> None:
        said = await model.error("play", match="mine", move="a1xc3xe5")
        assert said.startswith("ugi:echo failed, so that nothing was played: 'ugi:echo' starts a program")

    play(tmp_path, journey)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_whole_matches_over_standard_input_and_output_are_repeated_by_their_seed(tmp_path: Path) -> None:
    async def journey(model: Model) -> None:
        for number in (1, 2):
            said = await model.begin(**BEGIN, seat=1)
            match = f"felli_simplified-{number}"
            while "is to move" in said:
                steps = await model.legal_moves(match=match)
                said = await model.play(match=match, move=steps.split()[0])
            assert "wins: " in said or "Draw: " in said

    play_over_stdio(tmp_path, journey)
    one, two = (load_record(tmp_path / f"felli_simplified-{number}.pdn") for number in (1, 2))
    assert one.match.is_over
    assert one.match.turns == two.match.turns
    assert (one.south, one.north) == ("random", "language model")


def test_a_game_that_is_offered_anyway_is_refused() -> None:
    done = CliRunner().invoke(main, ["mcp", "--game", "fetaix"])
    assert done.exit_code == 2
    assert "'fetaix' comes with the package" in done.stderr


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    done = CliRunner().invoke(main, ["mcp", "--folder", str(tmp_path / "records")])
    assert done.exit_code == 2
    assert f"the folder of the records, {tmp_path / 'records'}: No space left" in done.stderr


@pytest.mark.slow
def test_a_picture_is_a_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    pytest.importorskip("pygame")

    async def journey(model: Model) -> bytes:
        await model.begin(**BEGIN)
        answer = await model.client.call_tool("show", {"match": "felli_simplified-1", "form": "png"})
        assert answer.content[0].mime_type == "image/png"
        return base64.b64decode(answer.content[0].data)

    assert play(tmp_path, journey).startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_while_it_waits_for_input(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [*COMMAND, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert "matches are kept in" in server.stderr.readline()
        server.send_signal(number)
        assert server.wait(30) == 128 + number
        assert server.stdout.read() == ""
