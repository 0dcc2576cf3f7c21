"""What a run shows: a live table in a terminal, plain lines elsewhere."""

import io

import pytest
from alquerque_training.run.live_table import TrainingProgress
from rich.console import Console

from alquerque_env.progress import Progress

RECORD = {
    "iteration": 10,
    "steps": 10_000,
    "steps_per_second": 2_000.0,
    "policy_loss": -0.0123,
    "value_loss": 0.25,
    "entropy": 1.5,
    "approx_kl": 0.01,
    "game_length": 33.3,
    "draws": 0.0,
    "win_rate_player_0": 0.97,
    "win_rate_player_1": 0.9,
}
MEASURED = ("iteration", "steps", "steps_per_second")
in_both = pytest.mark.parametrize("terminal", [False, True])


def progress(terminal: bool, roles: tuple[str, str] | None = None) -> tuple[TrainingProgress, io.StringIO]:
    text = io.StringIO()
    console = Console(file=text, force_terminal=terminal, width=120)
    return TrainingProgress("alquerque", iterations=40, steps_per_iteration=1000, console=console, roles=roles), text


def shown(*records: dict[str, float], terminal: bool, roles: tuple[str, str] | None = None) -> str:
    display, text = progress(terminal, roles)
    with display:
        for record in records:
            display.show_record(record)
    return text.getvalue()


def test_a_plain_line_has_all_figures_of_a_record() -> None:
    assert shown(RECORD, terminal=False) == (
        "iterations 10/40  steps 10,000  steps/s 2,000  time left 0:15  policy loss -0.0123  value loss 0.2500  "
        "entropy 1.500  steps per game 33.3  draws 0%  simulations -  wins v. random 97% / 90%\n"
    )


def test_the_live_table_says_the_same() -> None:
    text = shown(RECORD, terminal=True)

    for words in ("alquerque", "2,000", "-0.0123", "0.2500", "97% / 90%", "0:15", "10,000", "33.3", "25%"):
        assert words in text, words


@in_both
def test_in_a_hunt_players_are_named_by_their_pieces_and_draws_are_shown(terminal: bool) -> None:
    record = {**RECORD, "draw_rate_player_0": 0.0, "draw_rate_player_1": 0.05}
    text = shown(record, terminal=terminal, roles=("tiger", "goat"))

    assert "as tiger / goat" in text
    assert "97% (0% drawn) / 90% (5% drawn)" in text
    assert "player_" not in text


def test_plain_lines_are_seconds_apart_but_the_last_one_is_shown() -> None:
    text = shown(RECORD, {**RECORD, "iteration": 11}, {**RECORD, "iteration": 40}, terminal=False)

    assert [line.split("/")[0] for line in text.splitlines()] == ["iterations 10", "iterations 40"]
    assert "time left 0:00" in text.splitlines()[-1]


@in_both
def test_what_is_measured_now_and_then_stays_and_what_is_not_there_is_a_dash(terminal: bool) -> None:
    bare = {name: RECORD[name] for name in MEASURED}
    assert "not measured yet" in shown(bare, terminal=terminal)
    assert "policy loss" in shown(bare, terminal=terminal)

    text = shown({**RECORD, "exact_error": 0.1234}, {**bare, "iteration": 40}, terminal=terminal)
    last = text.rpartition("40/40")[2]
    assert "97% / 90%" in last
    assert "12.3%" in last
    assert "-0.0123" not in last


def test_an_arena_is_shown_below_what_the_run_does_and_its_rating_stays() -> None:
    display, text = progress(terminal=True)
    with display:
        display.show_record({**RECORD, "iteration": 40})
        display.show_arena(Progress("matches played", 7, 80))
    assert "in the arena: 7 of 80 matches played" in text.getvalue().rpartition("steps/s")[2]

    display, text = progress(terminal=True)
    with display:
        display.show_record({**RECORD, "iteration": 40})
        display.show_arena(Progress("matches played", 80, 80))
        display.show_rating(-48.2)
    last = text.getvalue().rpartition("steps/s")[2]
    assert "-48 Elo" in last
    assert "in the arena" not in last

    plain, text = progress(terminal=False)
    with plain:
        plain.show_arena(Progress("balanced openings found", 3, 20))
        plain.show_rating(-48.2)
        plain.show_record({**RECORD, "iteration": 40})
    assert text.getvalue().startswith("in the arena: 3 of 20 balanced openings found\n")
    assert "rating -48 Elo" in text.getvalue()
