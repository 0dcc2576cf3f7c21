"""Files of a release that are not in the wheel are fetched whole or not at all."""

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from alquerque_env import Match, load_bot, load_game
from alquerque_env.benchmark import load_protocol
from alquerque_env.benchmark.protocol import read_ladder
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError
from alquerque_env.files import release
from alquerque_env.solve.tables.table_file import shipped_tables
from tests.full_disk import files_up_to

ROOT = Path(__file__).parents[2]
PART = "high_jump"
(PATH,) = release.PARTS[PART]["files"]
WHOLE = (ROOT / PATH).read_bytes()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a wheel keeps what it fetches."""
    monkeypatch.setattr(release, "_CHECKOUT", tmp_path / "site-packages")
    monkeypatch.setenv("ALQUERQUE_FETCHED", str(tmp_path / "fetched"))
    return tmp_path / "fetched"


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of the release on a web server."""
    monkeypatch.setattr(SimpleHTTPRequestHandler, "log_message", lambda *_: None)
    file, handler = tmp_path / "host" / PATH, partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "host"))
    file.parent.mkdir(parents=True)
    file.write_bytes(WHOLE)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv(release.ADDRESS, f"http://127.0.0.1:{server.server_port}/")
        yield file
        server.shutdown()


def test_a_table_of_the_release_is_found_once_it_is_fetched(folder: Path, host: Path) -> None:
    assert "alquerque fetch high_jump" in release.how_to_fetch(PART)
    with ThreadPoolExecutor(2) as two:  # at once
        list(two.map(release.fetch, [PART, PART]))

    assert [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()] == [PATH]
    assert (folder / PATH).read_bytes() == WHOLE
    assert 6 in shipped_tables(load_game(PART))
    assert (release.fetch(PART), release.how_to_fetch(PART)) == ([], "")


def test_a_bot_of_the_release_plays_from_a_checkout(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(release.ADDRESS, ROOT.as_uri())
    release.fetch("alquerque-plain")

    with pytest.raises(AlquerqueError, match=r"strongest player: .* fetch awithlaknannai_mosona_davis-strong"):
        read_ladder(load_protocol(), load_game("awithlaknannai_mosona_davis"))
    monkeypatch.setattr("alquerque_env.bots.shipped.FOLDERS", (folder / "none",))
    assert load_bot("alquerque-plain", "alquerque", seed=0).choose(Match("alquerque")).text
    with pytest.raises(AlquerqueError, match="the bot fetaix-plain is not in the wheel: alquerque fetch fetaix-plain"):
        load_bot("fetaix-plain", "fetaix")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WHOLE[:-1], "it has 440,892 of 440,893 bytes"),
        (WHOLE + b"x", "it is not the file of this release"),
        (bytes(len(WHOLE)), "it is not the file of this release"),
        (None, "cannot fetch .*: File not found; nothing of it is kept, try again"),
    ],
)
def test_another_file_is_refused_and_nothing_is_kept(
    content: bytes | None, message: str, folder: Path, host: Path
) -> None:
    host.unlink()
    if content is not None:
        host.write_bytes(content)
    with pytest.raises(AlquerqueError, match=message):
        release.fetch(PART)
    assert [file for file in folder.rglob("*") if file.is_file()] == []

    host.write_bytes(WHOLE)
    assert release.fetch(PART)


def test_a_full_disk_keeps_nothing(folder: Path, host: Path) -> None:
    with files_up_to(100_000), pytest.raises(OSError, match="File too large"):
        release.fetch(PART)
    assert [file for file in folder.rglob("*") if file.is_file()] == []


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("", "no address is known .*; make it by alquerque solve high_jump --pieces 6, or set ALQUERQUE_RELEASE"),
        ("ftp://127.0.0.1", "expected an address that begins with https://, http:// or file://"),
        ("http://127.0.0.1:1", "Connection refused"),
    ],
)
def test_an_address_that_does_not_answer_is_named(
    address: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(release.ADDRESS, address)
    with pytest.raises(SystemExit, match="2"):
        main(["fetch", PART])
    assert re.search(message, capsys.readouterr().err)
