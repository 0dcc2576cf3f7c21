"""Lines of standard input, as the tools of any system write them."""

import io
import sys

import pytest
from click.testing import CliRunner

from alquerque_env.bots.external.process import Process
from alquerque_env.cli.main import main
from alquerque_env.files.input_lines import read_lines

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]


class Slowly(io.BytesIO):
    """A stream of which one byte is there at a time."""

    def read1(self, _size: int, /) -> bytes:
        return super().read1(1)


@pytest.mark.parametrize("stream", [io.BytesIO, Slowly])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lines_are_read_in_every_encoding_with_every_end(encoding, end, stream):
    lines = ["position startpos", "", "\tgo \f depth 1", "Mühle \u4e00\u0a0a.toml", "isready"]
    text = end.join(lines)
    assert list(read_lines(stream(text.encode(encoding)), 100)) == lines
    assert list(read_lines(stream((text + end).encode(encoding)), 100)) == lines


def test_a_line_that_is_too_long_is_none_and_the_next_one_is_read():
    assert list(read_lines(io.BytesIO(b"x" * 11 + b"\n" + b"y" * 10 + b"\n" + b"z" * 300_000), 10)) == [
        None,
        "y" * 10,
        None,
    ]


@pytest.mark.parametrize(
    ("data", "lines"),
    [(b"", []), (b"\n", [""]), (b"a", ["a"]), (b"\0\n2\n", ["\0", "2"]), (b"\xff\xfe", []), (b"\xef\xbb\xbf", [])],
)
def test_short_inputs_are_read(data, lines):
    assert list(read_lines(io.BytesIO(data), 10)) == lines


def test_bytes_that_are_no_text_are_replaced():
    assert list(read_lines(io.BytesIO(b"a\x80b\nc\0d"), 10)) == ["a\ufffdb", "c\0d"]
    assert list(read_lines(io.BytesIO("größe".encode("cp1252")), 10, "cp1252")) == ["größe"]


def test_a_line_is_read_before_the_next_one_is_there():
    class Stream(io.BytesIO):
        def read1(self, _size: int, /) -> bytes:
            return chunks.pop(0)

    chunks = [b"isready\n"]
    assert next(read_lines(Stream(), 10)) == "isready"
    assert chunks == []


def test_the_engine_reads_commands_in_another_encoding():
    commands = "position startpos moves c2-c3\r\n\r\nquery p1turn\r\nquery gameover".encode("utf-16")
    result = CliRunner().invoke(main, ["engine", "random"], input=commands)
    assert (result.exit_code, result.stdout.splitlines()) == (0, ["response false", "response false"])


def test_a_match_in_the_terminal_reads_turns_in_another_encoding(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    typed = f"c2-c3\r\n\t\r\n{'x' * 70_000}\r\nturns".encode("utf-16")
    result = CliRunner().invoke(main, ["play", "alquerque", "--opponent", "human"], input=typed)
    assert result.exit_code == 0
    assert "South> c2-c3\n" in result.stdout
    assert "cannot read '...'" in result.stdout
    assert "North> turns\n" in result.stdout


def test_what_another_program_says_is_read_in_another_encoding():
    said = "ugiok\r\nbestmove c2-c3\r\n".encode("utf-16")
    process = Process([sys.executable, "-c", f"import sys; sys.stdout.buffer.write({said!r})"])
    assert [process.read(60), process.read(60)] == ["ugiok", "bestmove c2-c3"]
    process.kill()
