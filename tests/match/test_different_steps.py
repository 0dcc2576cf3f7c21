"""Two different steps of one position never have the same text, so that what is written is read as what was played."""

from pathlib import Path

import pytest

from alquerque_env import Match, load_game, read_records
from alquerque_env.cli.terminal_match.typed_input import play_typed
from alquerque_env.cli.ugi.ugi_engine import play_moves
from alquerque_env.errors import AmbiguousStepError, IllegalStepError
from alquerque_env.match import match as match_module

WHEEL = Path(__file__).parents[1] / "cases" / "wheel_fwd.toml"


def texts(match: Match) -> list[str]:
    return [step.text for step in match.legal_steps]


def test_a_victim_must_be_named_where_only_one_side_can_have_two(tmp_path: Path) -> None:
    text = WHEEL.read_text(encoding="utf-8").replace('south = "e1 w1"', 'south = "s1"')
    turned = tmp_path / "turned.toml"
    turned.write_text(text.replace('north = "n1"', 'north = "e1 w1"').replace("player_1", "player_0"), encoding="utf-8")

    for file, leap in ((WHEEL, "n1xs1"), (turned, "s1xn1")):
        match = Match(load_game(file))
        assert texts(match) == [f"{leap}^e1", f"{leap}^w1"]
        with pytest.raises(IllegalStepError, match=rf"'{leap}' is ambiguous; say which: {leap}\^e1, {leap}\^w1"):
            match.push(leap)


# Landings left out, as in draughts.


def turns_of(match: Match) -> list[tuple[str, str]]:
    """Every whole turn of captures: the text of its origin and last landing, and its own text."""
    found, labels = [], match.game.board.labels
    for step in match.legal_steps:
        ahead = match.copy()
        ahead.push(step)
        if ahead.chain is not None:
            found += turns_of(ahead)
        elif len(ahead.history[-1][1]) > 1:
            turn = [step for step in ahead.history[-1][1] if not step.is_pass]
            if turn[0].captured:
                found.append((f"{labels[turn[0].origin]}x{labels[turn[-1].target]}", ahead.turns[-1]))
    return found


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("draughts_english", "W:W22,23:B18,11,10"),
        ("draughts_english", "W:WK22:B18,17,9,10"),
        ("draughts_international", "W:W28:B22,23,12,13"),
        ("draughts_international", "W:WK46:B37,19,14,29,28"),
        ("fetaix", "W:WKa1:Bb2,d4,b4,d2"),
        ("awithlaknannai_mosona", "W:Wf1,a2:Be2,g2,n3,k2,j1"),
        ("alquerque_murray", "W:Wa1:Bb1,d1,d2,b2,e4"),
    ],
)
def test_a_turn_is_read_from_its_first_and_last_point_where_all_that_fit_end_alike(name: str, position: str) -> None:
    game = load_game(name)
    match = Match(game, position)
    turns = turns_of(match)
    whole = [turn for _, turn in turns] + texts(match)
    assert turns
    for short in {short for short, _ in turns} - set(whole):
        fitting = [turn for ends, turn in turns if ends == short]
        if short in {text.partition("^")[0] for text in texts(match)}:
            continue  # it is a step too
        ends = {}
        for turn in fitting:
            after = Match(game, position)
            after.push_turn(turn)
            ends.setdefault(after.position, []).append(turn)
        if len(ends) == 1:
            for play in (Match.push, Match.push_turn):
                shortened = Match(game, position)
                play(shortened, short)
                assert shortened.turns[0] in fitting
        else:
            with pytest.raises(AmbiguousStepError) as caught:
                Match(game, position).push(short)
            assert set(caught.value.choices) <= set(fitting)
            assert len(caught.value.choices) == min(len(ends), 8)
            assert short in str(caught.value)


def test_a_king_that_may_land_on_several_squares_between_the_same_captures_needs_no_more_than_its_ends() -> None:
    """Moves in PDN are written like this, since all of them leave the same position."""
    match = Match("draughts_international", "W:WK46:B41,23,20")
    match.push("46x25")

    assert match.turns[0] in ("46x37x14x25", "46x32x14x25", "46x28x14x25")
    assert match.position == "B:WK25:B"


def test_a_step_of_a_longer_turn_stays_a_step() -> None:
    match = Match("draughts_english", "W:W22:B18,11")
    match.push("22x15")

    assert match.chain is not None
    assert texts(match) == ["15x8"]


def test_turns_without_some_landings_are_read_everywhere() -> None:
    position = "W:W22,32:B18,11,1"
    match = Match("draughts_english", position)
    play_moves(match, ["22x8", "1-5"])
    typed = Match("draughts_english", position)
    play_typed(typed, "22 x 8")
    (record,) = read_records(f'[Game "draughts_english"]\n[Position "{position}"]\n\n1. 22x8 1-5 *\n')

    assert match.turns == record.match.turns == ("22x15x8", "1-5")
    assert typed.turns == ("22x15x8",)


def test_points_between_say_which_turn_is_meant() -> None:
    game, position = load_game("draughts_english"), "W:WK31:B27,26,18,19,10,11"
    with pytest.raises(AmbiguousStepError, match=r"'31x6' is ambiguous; say which: 31x22x15x6, 31x24x15x6$"):
        Match(game, position).push("31x6")
    for text, turn in (("31x22x6", "31x22x15x6"), ("31x24x6", "31x24x15x6"), ("31x15x24x31", "31x22x15x24x31")):
        match = Match(game, position)
        match.push(text)
        assert match.turns == (turn,)


def test_a_turn_that_nothing_fits_is_illegal_and_changes_nothing() -> None:
    match = Match("draughts_english", "W:W22:B18,11")
    for text in ("22x7", "22x18x8", "21x8", "22x15x8x1", "22-8"):
        with pytest.raises(IllegalStepError):
            match.push(text)
    assert match.steps == ()


def test_a_text_that_too_many_turns_could_mean_is_refused_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "MOST_TRIED", 3)
    with pytest.raises(IllegalStepError, match="31x6 could be one of too many turns; write every point"):
        Match("draughts_english", "W:WK31:B27,26,18,19,10,11").push("31x6")
