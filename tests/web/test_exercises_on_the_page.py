"""Lessons and puzzles in a real browser."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, TimeoutError as NotInTime, expect

from alquerque_env import Match, load_game, load_table
from alquerque_env.exercises.exercise import find_missed_wins
from alquerque_env.exercises.lessons import load_lessons, task
from alquerque_env.exercises.puzzle_set import Puzzle, load_puzzles
from tests.browser import BOTH_ENGINES, CHROMIUM
from tests.lost_match import lost_match
from tests.web.on_the_page import NO_STORAGE, PATIENCE, PHONE, open_page, press_in_header

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]

GAME = "fetaix"


@pytest.fixture(params=["wide", "phone", "no storage"])
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that is not wider than its window."""
    kinds = {"phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True}, "no storage": {"before": NO_STORAGE}}
    for page in open_page(browser, address, **kinds.get(request.param, {})):
        yield page
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.fixture
def wide(browser: Browser, address: str) -> Iterator[Page]:
    yield from open_page(browser, address)


def begin(page: Page, kind: str, game: str = GAME) -> None:
    press_in_header(page, f"#open-{kind}")
    wait_until_still(page)
    if page.locator("#exercise-game").input_value() != game:
        page.select_option("#exercise-game", game)
        expect(page.locator("#exercise-title")).to_contain_text(load_game(game).title)
        wait_until_still(page)


def wait_until_still(page: Page) -> None:
    page.wait_for_selector("#exercise-field[aria-busy=false]", state="attached")


def play(page: Page, match: Match, text: str) -> None:
    """Plays a step on the board by clicks, in the match too."""
    step = next(step for step in match.legal_steps if step.text == text)
    labels = match.game.board.labels
    wait_until_still(page)
    if step.is_pass:
        page.click("#exercise-pass")
    else:
        points = [step.origin, step.captured[0] if step.target is None else step.target]
        for point in points if match.chain is None else points[1:]:
            if point is not None:
                page.locator(f'#exercise .spot[data-at="{labels[point]}"]').click()
        others = [each for each in match.legal_steps if each.origin == step.origin and each.target == step.target]
        if len(others) > 1:
            page.locator(f'#exercise .spot[data-at="{labels[step.captured[0]]}"]').click()
    match.push(step)
    wait_until_still(page)


def status(page: Page) -> object:
    return page.locator("#exercise-status")


def shown_puzzle(page: Page, game: str = GAME) -> object:
    """The puzzle on the board, found by its pieces."""
    at = "spots => Object.fromEntries(spots.map(spot => [spot.dataset.at, spot.ariaLabel.split(', ')[1]]))"
    shown = page.locator("#exercise .spot").evaluate_all(at)
    player = int("dark" in page.inner_text("#exercise-task"))
    found = []
    for puzzle in load_puzzles(game).puzzles:
        match = Match(game, puzzle.position)
        names = {match.game.board.labels[point]: owner for point, (owner, _) in match.picture().pieces.items()}
        sides = {label: ("South", "North").index(what.split()[0]) for label, what in shown.items() if " " in what}
        if names == sides and match.player == player:
            found.append(puzzle)
    return found[0]


def solve(page: Page, puzzle: Puzzle, game: str = GAME) -> None:
    match = Match(game, puzzle.position)
    for number, turn in enumerate(puzzle.exercise.line):
        for text in turn:
            if number % 2:
                match.push(next(step for step in match.legal_steps if step.text == text))
            else:
                play(page, match, text)
        if number % 2 == 0 and number < len(puzzle.exercise.line) - 1:
            expect(status(page)).to_contain_text("Find the only move again.")
    expect(status(page)).to_contain_text("Solved: ")


@pytest.mark.parametrize("game", ["fetaix", "bagh_chal", "fanorona"])
def test_the_lessons_are_solved_by_doing(page: Page, game: str) -> None:
    begin(page, "lessons", game)
    lessons, title = load_lessons(game), load_game(game).title
    for lesson in lessons:
        expect(page.locator("#exercise-task")).to_contain_text(task(load_game(game), lesson))
        match = Match(game, lesson.exercise.position)
        for text in lesson.exercise.line[0]:
            play(page, match, text)
        expect(status(page)).to_have_text("Right." if lesson != lessons[-1] else f"Right. You know {title} now.")
        if lesson != lessons[-1]:
            expect(page.locator("#exercise-play")).to_be_hidden()
            page.click("#exercise-next")
            expect(status(page)).to_have_text("")
            wait_until_still(page)
    expect(page.locator("#exercise-play")).to_be_focused()
    page.get_by_role("button", name="Play a match on Easy").click()
    expect(page.locator("#title")).to_have_text(title)
    expect(page.locator("#seat-1 option:checked")).to_have_text("Bot: Easy")


@BOTH_ENGINES
def test_lessons_that_are_done_stay_marked(wide: Page) -> None:
    begin(wide, "lessons")
    match = Match(GAME, load_lessons(GAME)[0].exercise.position)
    play(wide, match, load_lessons(GAME)[0].exercise.line[0][0])
    wide.reload()
    begin(wide, "lessons")
    expect(wide.locator("#exercise-list li").first).to_contain_text("✓")
    assert wide.locator("#exercise-list").inner_text().count("✓") == 1
    assert wide.locator("#exercise-list [aria-current]").inner_text().lower().startswith(load_lessons(GAME)[1].theme)


def test_nothing_can_be_clicked_before_the_page_is_ready(browser: Browser, address: str) -> None:
    context, held = browser.new_context(reduced_motion="reduce"), []
    page = context.new_page()
    page.route("**/api/games", lambda route: held.append(route))
    page.goto(address)
    with pytest.raises(NotInTime):
        page.click("#open-lessons", timeout=500)
    held[0].continue_()
    page.click("#open-lessons", timeout=PATIENCE)
    expect(page.locator("#exercise-title")).to_contain_text("Learn: ")
    context.close()


def test_a_puzzle_is_solved_and_rated(page: Page) -> None:
    begin(page, "puzzles")
    puzzle = shown_puzzle(page)
    solve(page, puzzle)
    assert "1500" not in page.locator("#exercise-rating").inner_text()  # also where the browser keeps nothing
    page.click("#exercise-next")
    expect(status(page)).to_have_text("")
    wait_until_still(page)
    assert shown_puzzle(page) != puzzle


def test_a_wrong_turn_is_told_at_once_and_tried_again(page: Page) -> None:
    begin(page, "puzzles")
    puzzle = shown_puzzle(page)
    match = Match(GAME, puzzle.position)
    wrong = next(step.text for step in match.legal_steps if step.text != puzzle.exercise.line[0][0])
    empty = page.locator('#exercise .spot[aria-label$=", empty"]').first
    empty.click()
    expect(status(page)).to_have_text(f"There is no piece on {empty.get_attribute('data-at')}. Your turn.")
    play(page, match, wrong)
    expect(status(page)).to_contain_text("Wrong: ")
    expect(page.locator("#exercise-retry")).to_be_visible()
    page.click("#exercise-retry")
    expect(status(page)).to_have_text("")
    assert shown_puzzle(page) == puzzle
    page.click("#exercise-solution")
    expect(status(page)).to_contain_text("The solution: ")
    after = Match(GAME, puzzle.position)
    for turn in puzzle.exercise.line:
        for text in turn:
            after.push(next(step for step in after.legal_steps if step.text == text))
    assert status(page).inner_text() == f"The solution: {', '.join(after.turns)}."


def test_an_answer_that_does_not_come_is_told(wide: Page) -> None:
    wide.route("**/api/puzzles", lambda route: route.fulfill(status=400, json={"error": "not now"}))
    wide.evaluate("addEventListener('error', () => null)")
    wide.click("#open-puzzles")
    expect(status(wide)).to_have_text("not now")
    wide.unroute("**/api/puzzles")
    wide.click("#exercise-close")
    expect(wide.locator("#table")).to_be_visible()


def test_missed_wins_of_kept_matches_become_puzzles(wide: Page) -> None:
    begin(wide, "puzzles")
    wide.click("#exercise-own")
    expect(status(wide)).to_have_text("This browser keeps no match of yours.")
    game, table = load_game("felli_simplified"), load_table("felli_simplified")
    (match, _), state = lost_match(), {"id": "x", "seats": ["human", "greedy"], "match": {"game": game.name}}
    state["match"]["steps"] = [step.text for step in match.steps]
    wide.evaluate("state => localStorage.setItem('alquerque.match.x', JSON.stringify(state))", state)
    wide.click("#exercise-own")
    expect(wide.locator("#exercise-title")).to_contain_text(game.title)
    wait_until_still(wide)
    expect(wide.locator("#exercise-facts")).to_contain_text("in which you missed the only win")
    ((_, exercise),) = find_missed_wins(match, [0], table, None)
    wide.click("#exercise-hint")
    expect(status(wide)).to_have_text(f"The piece on {exercise.line[0][0][:2]} moves.")


def test_back_to_the_match_leaves_it_as_it_was(wide: Page) -> None:
    position = wide.locator("#field .piece").count()
    begin(wide, "puzzles")
    assert wide.locator("#table").is_hidden()
    expect(wide.locator("#title")).to_be_hidden()
    wide.keyboard.press("b")
    expect(wide.locator("#exercise")).to_be_hidden()
    assert wide.locator("#field .piece").count() == position
    assert wide.locator("#exercise .spot").count() == 0
    wide.locator('#field .spot[data-at="c2"]').click()
    expect(wide.locator('#field .spot[data-at="c2"]')).to_have_attribute(
        "aria-label", "c2, South man, can move, selected"
    )


def test_a_wrong_answer_of_a_lesson_is_tried_again_with_the_keyboard(wide: Page) -> None:
    begin(wide, "lessons")
    lesson = load_lessons(load_game(GAME))[0]
    match = Match(GAME, lesson.exercise.position)
    wrong = next(step.text for step in match.legal_steps if step.text != lesson.exercise.line[0][0])
    play(wide, match, wrong)
    expect(status(wide)).to_contain_text("not what is asked for")
    expect(wide.locator("#exercise-retry")).to_be_focused()
    wide.keyboard.press("Enter")
    expect(status(wide)).to_have_text("")
    expect(wide.locator("#exercise-retry")).to_be_hidden()


def test_a_new_game_leaves_the_exercise_and_rules_are_those_of_its_game(wide: Page) -> None:
    begin(wide, "lessons", "alquerque")
    wide.get_by_role("button", name="Win by blocking").click()
    expect(wide.locator("#exercise-task")).to_contain_text("The piece on e1 may not go back to d1.")
    expect(wide.locator("#exercise-board .spot:focus")).to_have_count(1)
    wide.click("#open-rules")
    expect(wide.locator("#rules-title")).to_contain_text(load_game("alquerque").title)
    wide.keyboard.press("Escape")
    wide.click("#open-setup")
    wide.click("#begin")
    expect(wide.locator("#exercise")).to_be_hidden()
    expect(wide.locator("#field .spot:focus")).to_have_count(1)


def test_a_first_visit_is_led_to_the_lessons_until_something_was_played(wide: Page) -> None:
    welcome = wide.locator("#welcome")
    wide.get_by_role("button", name="Learn in two minutes").click()
    expect(wide.locator("#exercise-title")).to_contain_text("Learn: ")
    wide.keyboard.press("b")
    expect(welcome).to_have_text("New here? Learn in two minutes")
    for label in ("c2", "c3"):
        wide.locator(f'#field .spot[data-at="{label}"]').click()
    expect(welcome).to_be_hidden()
    wide.reload()
    expect(wide.locator("#turns button").first).to_have_text("c2-c3")
    expect(welcome).to_be_hidden()


def test_a_lesson_is_done_by_its_solution_too_and_the_next_is_the_first_that_is_not(wide: Page) -> None:
    begin(wide, "lessons")
    wide.locator("#exercise-list button").last.click()
    expect(wide.locator("#exercise-list [aria-current]")).to_contain_text(load_lessons(GAME)[4].theme[1:])
    for number in range(1, 6):
        wait_until_still(wide)
        wide.click("#exercise-solution")
        expect(status(wide)).to_contain_text("The solution: ")
        expect(wide.locator("#exercise-list [role=img]")).to_have_count(number)
        if number < 5:
            wide.click("#exercise-next")
            theme = load_lessons(GAME)[number - 1].theme
            expect(wide.locator("#exercise-list [aria-current]")).to_contain_text(theme[1:])
    expect(status(wide)).to_contain_text("You know Fetaix now.")


@BOTH_ENGINES
def test_the_puzzles_of_the_day_are_counted_in_a_row(wide: Page) -> None:
    wide.clock.install(time="2026-11-26T12:00:00")
    for day, count in ((27, 1), (28, 2), (30, 1)):
        wide.clock.pause_at(f"2026-11-{day}T12:00:00")
        wide.clock.resume()
        wide.click("#open-puzzles")
        wait_until_still(wide)
        wide.click("#exercise-day")
        expect(wide.locator("#exercise-title")).to_contain_text("Puzzle of the day: ")
        wait_until_still(wide)
        *_, game, number = wide.url.split("/")
        solve(wide, load_puzzles(game).puzzles[int(number) - 1], game)
        expect(wide.locator("#exercise-facts li").first).to_have_text(f"Solved today. Days in a row: {count}")
    expect(wide.locator("#exercise-rating")).to_contain_text("3 solved in a row")


def test_a_game_without_puzzles_is_named(wide: Page) -> None:
    wide.evaluate("location.hash = 'bagh_chal;@b1'")
    expect(wide.locator("#title")).to_have_text("Bagh-Chal")
    wide.click("#open-puzzles")
    expect(wide.locator("#exercise-title")).to_contain_text("Puzzle: ")
    other = wide.locator("#exercise-title").inner_text().removeprefix("Puzzle: ")
    expect(status(wide)).to_have_text(f"There are no puzzles of Bagh-Chal. This one is of {other}.")


@pytest.mark.parametrize("kept", ["no json", "[]", '{"rating": "much"}', json.dumps({"rating": 1600, "tried": 5})])
def test_what_is_kept_wrongly_is_no_error(wide: Page, kept: str) -> None:
    wide.evaluate("kept => localStorage.setItem('alquerque.puzzles', kept)", kept)
    wide.evaluate("kept => localStorage.setItem('alquerque.learned', kept)", kept)
    begin(wide, "puzzles")
    expect(wide.locator("#exercise-rating")).to_have_text("Your rating: 1500")
    begin(wide, "lessons")
    expect(wide.locator("#exercise-list li")).to_have_count(5)
