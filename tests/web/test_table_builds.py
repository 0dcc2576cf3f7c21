"""Tables that the page builds in the background."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from alquerque_env import Match, games, load_game, load_table
from alquerque_env.engine.compiled_parts import BOTS
from alquerque_env.engine.forms import load_kernels
from alquerque_env.errors import TableError
from alquerque_env.solve.tables import build_table, table_file
from alquerque_env.solve.tables.build import plan
from alquerque_env.solve.tables.slices import memory_needed
from alquerque_env.web.app import make_app
from alquerque_env.web.table_builds import TableBuilds, free_memory, show_offer

FOUR = "W:Wa1,b2:Be5,d4"
"""A position of Felli."""
PATIENCE = 300.0


@pytest.fixture(autouse=True)
def no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path / "tables"))
    monkeypatch.setattr(table_file, "FEW", tmp_path / "none")


@pytest.fixture
def builds() -> Iterator[TableBuilds]:
    builds = TableBuilds()
    yield builds
    builds.stop()


def wait(builds: TableBuilds) -> None:
    end = time.monotonic() + PATIENCE
    while builds.state.is_running:
        assert time.monotonic() < end, builds.state
        time.sleep(0.05)


def test_the_table_that_has_the_position_is_offered(builds: TableBuilds) -> None:
    match = Match("felli", position=FOUR)
    offer = builds.offer(match)
    assert (offer.pieces, offer.needed, offer.refusal, offer.is_begun) == (4, 4, "", False)
    assert offer.memory == memory_needed(plan(match.game, 4, 1.0))
    shown = show_offer(offer)
    assert shown["label"] == "Build the table of 4 pieces"
    assert shown["about"].startswith("About 1 s on one core, 1 MB of memory.")


def test_a_smaller_table_is_offered_where_the_memory_does_not_suffice() -> None:
    game = load_game("felli")
    small = TableBuilds(memory=memory_needed(plan(game, 5, 1.0)))
    offer = small.offer(Match(game))
    assert (offer.pieces, offer.needed) == (5, 12)
    assert offer.refusal.startswith("A table of 12 pieces is too large for this machine: one of 6 takes ")
    assert ". That of 5 takes about " in show_offer(offer)["about"]
    assert show_offer(offer)["about"].endswith("It is used once no more than 5 pieces are left.")
    with pytest.raises(TableError, match="too large for this machine"):
        small.start(game, 6)
    assert not small.state.is_running
    assert TableBuilds(memory=1).offer(Match(game)).pieces == 0


def test_every_game_has_an_offer_or_a_reason(builds: TableBuilds) -> None:
    """What a table takes is computed without its index, whose sets of points fill memory on large boards."""
    for name in games():
        match = Match(name)
        offer = builds.offer(match)
        covers = load_kernels("solve.tables", BOTS, match.game).present_table(match.game, shipped=True)
        assert offer.pieces or offer.refusal or covers.pieces >= offer.needed, name


def test_what_no_table_can_have_is_told() -> None:
    builds = TableBuilds(memory=1 << 28)
    assert builds.offer(Match("bagh_chal")).refusal == "Tables have no positions with pieces in hand."
    wide = builds.offer(Match("zamma"))
    assert wide.pieces == 0
    assert "No table has this position: " in wide.refusal


def test_nothing_is_offered_where_a_table_has_the_position(builds: TableBuilds) -> None:
    assert show_offer(builds.offer(Match("felli_simplified"))) == {"pieces": 0, "label": "", "about": ""}


def test_memory_is_counted_in_bytes() -> None:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 1 << 60
    assert 1 << 20 < free_memory() <= pages


@pytest.mark.slow
def test_a_table_is_built_beside_the_server_and_the_analysis_has_it_at_once() -> None:
    game = load_game("felli")
    match = {"game": "felli", "options": {}, "start": FOUR, "steps": []}
    with TestClient(make_app(seconds=0.3), base_url="http://127.0.0.1:8008") as client:

        def ask(path: str, body: object, status: int = 200) -> dict:
            answer = client.post(f"/api/{path}", json=body)
            assert answer.status_code == status, answer.text
            return answer.json()

        known = {"match": match, "evaluator": "exact"}
        assert not any(step["exact"] for step in ask("analysis", known)["candidates"])
        assert ask("table-offer", match)["pieces"] == 4
        began = ask("build-table", {"game": "felli", "options": {}, "pieces": 4})
        assert (began["game"], began["pieces"], began["is_running"]) == ("Felli", 4, True)
        assert "is being built already" in ask("build-table", {"game": "felli", "pieces": 3}, 400)["error"]
        assert ask("turn", {"match": match, "bot": "random"})["steps"]
        end = time.monotonic() + PATIENCE
        while (state := ask("table-state", {}))["is_running"]:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert (state["problem"], state["share"], state["stage"]) == ("", 1.0, "ready")
        table = load_table(game)
        assert table.pieces == 4
        assert table.value(Match(game, position=FOUR)) is not None
        assert all(step["exact"] for step in ask("analysis", known)["candidates"])
        assert ask("table-offer", match)["pieces"] == 0
        for wrong in ({"game": "felli", "pieces": 0}, {"game": "felli", "pieces": "4"}, {"game": "felli"}):
            ask("build-table", wrong, 400)


@pytest.mark.slow
def test_a_stopped_build_goes_on_and_gives_the_same_table(builds: TableBuilds, tmp_path: Path) -> None:
    game = load_game("felli")
    whole = build_table(game, 6, tmp_path / "whole.aqt")
    builds.start(game, 6)
    end = time.monotonic() + PATIENCE
    while builds.state.share < 0.02:
        assert builds.state.is_running
        assert time.monotonic() < end
        time.sleep(0.01)
    assert builds.stop().stage == "stopped"
    assert not builds.state.is_running
    offer = builds.offer(Match(game, position="W:Wa1,b2,c3:Be5,d4,c5"))
    assert (offer.pieces, offer.is_begun) == (6, True)
    builds.start(game, 6)
    wait(builds)
    assert builds.state.problem == ""
    assert load_table(game).digest == load_table(game, whole).digest


@pytest.mark.slow
def test_a_process_that_dies_is_told_and_another_build_may_begin(builds: TableBuilds) -> None:
    game = load_game("felli")
    builds.start(game, 8)
    builds._process.kill()
    wait(builds)
    assert builds.state.problem == "The build ended before its time."
    builds.start(game, 3)
    wait(builds)
    assert builds.state.stage == "ready"
