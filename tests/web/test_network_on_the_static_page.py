"""The network for all games on the static page: it says what it says with NumPy, and plays as itself or not at all."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from alquerque_env import load_bot, load_game
from alquerque_env.search.puct import Position
from alquerque_env.web.site.site_folder import WEIGHTS, write_site
from tests.browser import CHROMIUM
from tests.web.file_host import ask, body_of, hosted, random_match
from tests.web.on_the_page import begin, move_somehow, open_tab, turns, wait_until_still

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

POSITIONS = {
    "felli": 200,  # promotion at points
    "draughts_english": 200,
    "butterfly": 150,
    "indian_and_jackrabbits_tiwa": 150,  # sides that differ
    "fetaix": 100,
    "high_jump": 80,  # a pass
    "aadu_puli_attam": 80,  # a hunt with drops and a schedule
    "seega_5x5": 30,  # drops, a pass, and captures by flanking
    "rimau": 10,  # a removal
}

JUDGE = """
def judge(body, host):
    match = _replayed(body, host)
    policy, value = make_bot("family:64", match.game).judge(Position.of(match))
    return {"policy": policy, "value": value}
MATCH_ANSWERS["judge"] = judge
"""


def test_the_network_says_what_it_says_with_numpy(browser: Browser, tmp_path: Path) -> None:
    games = [load_game(name) for name in POSITIONS]
    write_site(tmp_path / "site", games, games[0])
    with (tmp_path / "site" / "engine" / "engine.txt").open("a", encoding="utf-8") as program:
        program.write(JUDGE)
    with hosted(tmp_path / "site") as host:
        page = open_tab(browser, host.address)
        for game in games:
            found = (random_match(game.name, seed, seed % 50) for seed in range(4 * POSITIONS[game.name]))
            matches = [match for match in found if not match.is_over][: POSITIONS[game.name]]
            assert len(matches) == POSITIONS[game.name]
            network = load_bot("family", game, seed=0, tables=False).evaluator
            for match, said in zip(matches, ask(page, [("judge", body_of(match)) for match in matches]), strict=True):
                policy, value = network(Position.of(match))
                assert said["policy"] == pytest.approx(policy, abs=1e-3), match.position
                assert said["value"] == pytest.approx(value, abs=1e-3), match.position
        page.close()
        assert sum(WEIGHTS in path for path in host.sent) == 1


def test_trained_plays_by_its_own_weights_or_says_why_it_does_not(browser: Browser, tmp_path: Path) -> None:
    game = load_game("fetaix")
    write_site(tmp_path / "site", [game], game)
    file = tmp_path / "site" / WEIGHTS
    whole = file.read_bytes()
    with hosted(tmp_path / "site") as host:
        page = open_tab(browser, host.address)
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        begin(page, game.name, north="Trained")
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        move_somehow(page)
        for fault in ("cuts", "is_down", "nothing"):
            expect(page.locator("#problem")).to_contain_text("Trained cannot play, since its weights were not fetched")
            assert len(turns(page)) == 1
            file.write_bytes(whole)
            setattr(host, fault, True)
            page.click("#ask-again")
            wait_until_still(page)
            setattr(host, fault, False)
        expect(page.locator("#turns button")).to_have_count(2)
        host.is_down = True  # from now on it needs no network
        page.reload()
        wait_until_still(page)
        move_somehow(page)
        expect(page.locator("#turns button")).to_have_count(4)
        page.close()
