"""Links to matches: they hold whole matches, and say what is wrong with a bad one."""

import random
import re
from pathlib import Path

import pytest

from alquerque_env import Match, format_link, load_game, read_link
from alquerque_env.errors import AlquerqueError, LinkError
from alquerque_env.match.link import MAX_STEPS

CHOSEN = [
    ("fetaix", {"man_capture_dirs": "all", "chain": "optional"}, None),
    ("alquerque", {"no_progress_limit": 17, "undo_scope": "per_player_last_move"}, None),
    ("alquerque", {"capture": "optional"}, "W:Wa1,c3:Be5,d4"),
    ("fetaix", {}, "W:Wa1,Kc3:Be5:H4"),
    ("fetaix", {}, "B:Wc3:Be5,Kd4"),
]


def play(match: Match, chance: random.Random, most: int = 60) -> Match:
    while not match.is_over and len(match.steps) < most:
        match.push(chance.choice(match.legal_steps))
    return match


@pytest.mark.parametrize(("name", "options", "position"), CHOSEN)
def test_a_link_holds_options_and_the_first_position(name, options, position) -> None:
    match = play(Match(load_game(name, **options), position), random.Random(5))
    text = format_link(match)
    again = read_link(f"https://example.org/play/#{text}")

    assert (again.game, again.steps, again.position) == (match.game, match.steps, match.position)
    assert again.game.options == match.game.options


def test_each_option_has_a_place_in_a_link() -> None:
    game = load_game("fetaix")
    for option in game.option_table.values():
        for value in option.values:
            try:
                chosen = game.with_options(**{option.name: 23 if value == "N" else value})
            except AlquerqueError:
                continue  # contradicts another default
            assert read_link(format_link(Match(chosen))).game.options == chosen.options


@pytest.mark.parametrize("seed", range(2))
def test_a_match_in_the_middle_of_a_turn_is_read_as_such(seed: int) -> None:
    match, chance = Match(load_game("fetaix", chain="optional")), random.Random(seed)
    while not match.turn_goes_on:
        match = Match(match.game) if match.is_over else match
        match.push(chance.choice(match.legal_steps))
    again = read_link(format_link(match))
    assert (again.steps, again.turn_goes_on) == (match.steps, True)


def test_only_characters_that_stay_as_they_are_in_an_address() -> None:
    match = play(Match("fetaix", "W:Wa1,Kc3:Be5:H4"), random.Random(3))

    assert re.fullmatch(r"[\w.,:;~=-]+", format_link(match), re.ASCII)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no link to a match"),
        ("hello", "is no link to a match"),
        ("https://example.org/", "is no link to a match"),
        ("fetaix.1AAAA.qwE", "is no link to a match"),
        ("checkers;c2-c3", "no game 'checkers'"),
        ("fetaix;c2-c9", "leads to no match of Fetaix: unknown point 'c9'"),
        ("fetaix;c2-c3.c2-c3", "leads to no match of Fetaix: .*c2-c3.* is not legal"),
        ("fetaix;colour=red;c2-c3", "no option 'colour'"),
        ("fetaix;chain=maybe;c2-c3", "chain cannot be 'maybe'"),
        ("fetaix;chain;c2-c3", "as an option; expected NAME=VALUE"),
        ("fetaix;chain=single;chain=optional;c2-c3", "gives an option of the rules twice"),
        ("fetaix;W:Wz9:Be5;", "leads to no match of Fetaix: .*z9"),
        ("fetaix;W:Wa1:Be5;W:Wa1:Be5;", "more than one first position"),
    ],
)
def test_a_wrong_link_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(AlquerqueError, match=said) as caught:
        read_link(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_a_match_of_a_game_from_a_file_has_no_link(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(load_game("fetaix").to_toml(), encoding="utf-8")
    with pytest.raises(LinkError, match="from a game file"):
        format_link(Match(load_game(file)))


def test_a_match_that_no_page_holds_has_no_link() -> None:
    match = Match("fetaix")
    match.push("c2-c3")
    match._played *= MAX_STEPS + 1
    with pytest.raises(LinkError, match="more than 5000 steps"):
        format_link(match)
