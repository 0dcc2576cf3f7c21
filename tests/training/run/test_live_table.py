"""What a run shows: a live table in a terminal, plain lines elsewhere."""

import io

from alquerque_training.run.live_table import TrainingProgress
from rich.console import Console

from alquerque_env.arena import Progress

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


def shown(*records: dict[str, float], terminal: bool, roles: tuple[str, str] | None = None) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=120)
    with TrainingProgress(
        "alquerque", iterations=40, steps_per_iteration=1000, console=console, roles=roles
    ) as progress:
        for record in records:
            progress.show_record(record)
    return console.file.getvalue()


def test_plain_lines_say_speed_losses_win_rates_and_time_left() -> None:
    text = shown(RECORD, terminal=False)

    assert "\x1b" not in text
    assert text == (
        "10/40 iterations  2,000 steps/s  policy loss -0.0123  value loss 0.2500  entropy 1.500  "
        "wins v. random 97% / 90%  0:15 left\n"
    )


def test_in_a_hunt_players_are_named_by_their_pieces_and_draws_are_shown() -> None:
    record = {**RECORD, "draw_rate_player_0": 0.0, "draw_rate_player_1": 0.05}
    for terminal in (False, True):
        text = shown(record, terminal=terminal, roles=("tiger", "goat"))
        assert "as tiger / goat" in text
        assert "97% (0% drawn) / 90% (5% drawn)" in text
        assert "player_" not in text


def test_plain_lines_are_seconds_apart_but_the_last_one_is_shown() -> None:
    text = shown(RECORD, {**RECORD, "iteration": 11}, {**RECORD, "iteration": 40}, terminal=False)

    assert [line.split("/")[0] for line in text.splitlines()] == ["10", "40"]
    assert text.endswith("0:00 left\n")


def test_the_live_table_says_the_same() -> None:
    text = shown(RECORD, terminal=True)

    for words in ("alquerque", "2,000", "-0.0123", "0.2500", "97% / 90%", "0:15", "10,000", "33.3", "25%"):
        assert words in text, words


def test_what_an_iteration_could_not_measure_is_a_dash() -> None:
    measured = ("iteration", "steps", "steps_per_second")
    text = shown({name: RECORD[name] for name in measured}, terminal=False)

    assert "policy loss -  value loss -  entropy -  " in text
    assert "2,000" in shown({name: RECORD[name] for name in measured}, terminal=True)


def test_win_rates_stay_until_they_are_measured_again() -> None:
    later = {name: value for name, value in RECORD.items() if not name.startswith("win_rate")}

    assert "not measured yet" in shown(later, terminal=True)
    assert "97% / 90%" in shown(RECORD, {**later, "iteration": 40}, terminal=False).splitlines()[-1]


def test_wrong_choices_stay_until_they_are_measured_again() -> None:
    for terminal in (False, True):
        text = shown({**RECORD, "exact_error": 0.1234}, {**RECORD, "iteration": 40}, terminal=terminal)
        assert "wrong choices" in text
        assert text.count("12.3%") >= 2


def test_an_arena_says_how_far_it_is() -> None:
    console = Console(file=io.StringIO())
    with TrainingProgress("alquerque", iterations=40, steps_per_iteration=1000, console=console) as progress:
        progress.show_arena(Progress("openings", 3, 20))

    assert console.file.getvalue() == "in the arena: 3 of 20 balanced openings found\n"


def test_an_arena_is_shown_below_what_the_run_does() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with TrainingProgress("alquerque", iterations=40, steps_per_iteration=1000, console=console) as progress:
        progress.show_record(RECORD)
        progress.show_arena(Progress("matches", 7, 80))
    last = console.file.getvalue().rpartition("steps/s")[2]

    assert "in the arena: 7 of 80 matches played" in last


def test_the_last_rating_is_visible() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with TrainingProgress("alquerque", iterations=40, steps_per_iteration=1000, console=console) as progress:
        progress.show_record({**RECORD, "iteration": 40})
        progress.show_arena(Progress("matches", 80, 80))
        progress.show_rating(-48.2)
    last = console.file.getvalue().rpartition("steps/s")[2]

    assert "-48 Elo" in last
    assert "in the arena" not in last


def test_the_rating_stays_once_it_is_known() -> None:
    for terminal in (True, False):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=120)
        with TrainingProgress("alquerque", iterations=40, steps_per_iteration=1000, console=console) as progress:
            progress.show_record({**RECORD, "iteration": 39})
            progress.show_rating(-48.2)
            progress.show_record({**RECORD, "iteration": 40})
        before, after = console.file.getvalue().rsplit("2,000", 1) if not terminal else ("", console.file.getvalue())

        assert "-48 Elo" not in before
        assert "-48 Elo" in after
