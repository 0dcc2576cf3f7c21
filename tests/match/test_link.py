"""Links to matches: they hold whole matches, and say what is wrong with a bad one."""

import re
from pathlib import Path

import pytest

from alquerque_env import Match, format_link, load_game, read_link
from alquerque_env.errors import AlquerqueError, LinkError
from alquerque_env.match.link import MAX_STEPS
from tests.chosen_steps import random_match


def test_only_characters_that_stay_as_they_are_in_an_address() -> None:
    *_, match = random_match(load_game("fetaix"), 3, "W:Wa1,Kc3:Be5:H4")

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
