"""The rules in sentences say what the game's data say, in words that a newcomer knows."""

import re
from dataclasses import replace
from pathlib import Path
from types import UnionType
from typing import get_args, get_type_hints

import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.game.game import Game
from alquerque_env.game.options import Rules, vocabulary
from alquerque_env.game.rules_text import play_sentences, rule_sentences, sentence, start_sentence
from alquerque_env.match.status_text import outcome_sentence
from tests.option_values import core_games
from tests.own_games import write_rules


def sentences(game: Game | str, **options: object) -> str:
    return " ".join(rule_sentences(load_game(game, **options) if isinstance(game, str) else game))


def small(folder: Path, who: str) -> Game:
    lines = ["a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3"]
    more = {"promoted_piece": "officer", "openings": {"left": ["a1-a2", "*-b2"]}}
    rules = {"promotion": "last_rank", "opening": "left", "who_starts": who}
    board = {"rows": [[0, 1, 2]] * 3, "lines": lines}
    return load_game(write_rules(folder, "small", board, "a1 b1 c1", "a3 b3 c3", more, **rules))


def answers(kind: object) -> list[object]:
    """The answers of a rule, with one number and one name for those that are not listed."""
    if isinstance(kind, UnionType):
        return [answer for part in get_args(kind) for answer in answers(part)]
    return {bool: [False, True], int: [40], str: ["any", "straight_only"]}.get(kind) or list(get_args(kind))


def test_every_answer_has_its_sentence() -> None:
    game = load_game("fetaix", opening="straight_only", no_progress_limit=40)
    # Answers that contradict no other answer.
    plain = {"man_steps": "forward", "mullah_captures": "next_point", "repetition": "threefold_draw"}
    needed = {
        ("captures", "custodial"): {"promotion": "none", "capture": "optional"},
        ("chain_must_turn", True): {"captures": "approach_withdrawal", "promotion": "none"},
        ("chain_must_turn", False): {"captures": "approach_withdrawal", "promotion": "none"},
    }
    for name, kind in get_type_hints(Rules).items():
        told = []
        for answer in answers(kind):
            changed = plain | needed.get((name, answer), {}) | {name: answer}
            told.append(sentence(replace(game, rules=replace(game.rules, **changed)), name))
        assert all(re.fullmatch(r"[A-Z][^{}]*\.|", text) and "None" not in text for text in told)
        assert len(vocabulary()[name].sentences) == len(told) or name in ("board", "drop_order")
        # The board of Fetaix has no line that bends.
        assert len(set(told)) == len(told) or name in ("board", "drop_order", "leap", "progress")


@pytest.mark.parametrize("name", core_games())
def test_a_rule_is_told_once(name: str) -> None:
    told = rule_sentences(load_game(name))
    assert all(re.fullmatch(r"\S.*\.", text) and "?" not in text for text in told)
    assert len(set(told)) == len(told)


def test_the_rules_come_in_the_order_in_which_a_player_needs_them() -> None:
    told = play_sentences(load_game("fetaix"))
    beginnings = (
        "The aim",
        "The players take turns",
        "A man steps",
        "A man captures",
        "A player must",
        "After a capture",
    )
    places = [next(place for place, text in enumerate(told) if text.startswith(words)) for words in beginnings]
    promotion = next(place for place, text in enumerate(told) if "is promoted" in text)
    assert places == sorted(places)
    assert places[-1] < promotion < told.index(next(text for text in told if text.startswith("A mullah steps")))


def test_the_start_names_vacant_points_where_they_are_few() -> None:
    assert (
        start_sentence(load_game("fetaix"))
        == "Alquerque board: 25 points. Each side begins with 12 pieces; c3 is vacant."
    )
    assert start_sentence(load_game("kolowis_awithlaknannai")).endswith("; a2, q2 and ag2 are vacant.")
    assert start_sentence(load_game("draughts_english")).endswith("; the other 8 points are vacant.")


# Games, options, what their text says, and what it does not say, as regular expressions.
TOLD: list[tuple[str, dict[str, object], tuple[str, ...], tuple[str, ...]]] = [
    ("alquerque", {}, ("A piece steps along a line",), (r"\b(man|men)\b",)),
    ("pretwa", {}, ("steps along a line or circle", "on the same line or circle"), ()),
    ("fetaix", {}, ("free to choose among several captures",), ("circle",)),
    ("fetaix", {"max_capture": "most_pieces"}, ("as many pieces as possible in a turn",), ("among several captures",)),
    (
        "felli",
        {},
        (
            "The promotion points are a5 and e5 for South, and a1 and e1 for North.",
            "A man that captures again from there in the same turn stays a man",
        ),
        (),
    ),
    (
        "draughts_english",
        {},
        (
            "A man that ends a turn on the enemy's first rank is promoted to a king",
            "the turn ends even if it could capture again",
        ),
        (),
    ),
    *(
        (
            "fetach",
            options,
            (
                f"A mullah steps along a {line} over any number of vacant points",
                f"A mullah captures from any distance along a {line}",
            ),
            (),
        )
        for line, options in (("long diagonal", {}), ("line", {"mullah_lines": "all"}))
    ),
    ("pretwa", {"lose_at_three": True}, ("The aim is to capture all but three enemy pieces, or to",), ()),
    ("high_jump", {}, (r"The aim is to capture all enemy pieces\.", r"A piece on c3 cannot be captured\."), ()),
]


@pytest.mark.parametrize(("name", "options", "said", "unsaid"), TOLD, ids=str)
def test_the_text_follows_the_rules_of_the_game(
    name: str, options: dict[str, object], said: tuple[str, ...], unsaid: tuple[str, ...]
) -> None:
    told = sentences(name, **options)
    assert all(re.search(part, told) for part in said), told
    assert not any(re.search(part, told) for part in unsaid), told


def test_a_sanctuary_of_several_points_is_named() -> None:
    game = replace(load_game("high_jump"), sanctuary=frozenset({12, 13}))
    assert "on c3 or d3 cannot be captured." in sentences(game)


def test_a_promoted_piece_is_called_by_its_name_in_the_game() -> None:
    for game in map(load_game, games()):
        texts = [*play_sentences(game)]
        texts += [text for option in game.option_table.values() for text in (option.question, *option.values.values())]
        other = {"mullah": "king", "king": "mullah"}[game.promoted_piece]
        assert not any(other in text for text in texts)
        promotes = any(f"is promoted to a {game.promoted_piece}" in text for text in texts)
        assert promotes == (game.rules.promotion != "none")


def test_the_names_before_a_colon_are_sources_of_the_game() -> None:
    for game in map(load_game, games()):
        explained = {key for source in game.sources if ": " in source for key in source.partition(":")[0].split(", ")}
        for option in game.option_table.values():
            assert set(re.findall(r"\b(?:[A-Z]{2,}|W)\b", option.source)) <= explained
            assert "Ludii" not in option.source or any("Ludii" in source for source in game.sources)


@pytest.mark.parametrize(
    ("who", "opening"),
    [("player_0", "a step from a1 to a2 or a step to b2"), ("player_1", "a step from c3 to c2 or a step to b2")],
)
def test_a_first_step_that_no_option_changes_is_named_as_it_is_seen_on_the_board(
    tmp_path: Path, who: str, opening: str
) -> None:
    game = small(tmp_path, who)
    assert f"The first turn of the match is {opening}; captures are not considered." in sentences(game)
    assert "promoted to an officer" in sentences(game)
    first = {(str(step).split("-")[0], str(step).split("-")[1]) for step in Match(game).legal_steps}
    assert first == ({("a1", "a2"), ("b1", "b2")} if who == "player_0" else {("c3", "c2"), ("b3", "b2")})


def test_a_side_reduced_to_three_pieces_is_told_so() -> None:
    match = Match(load_game("pretwa", lose_at_three=True), "W:Wa1,b1,c1,f1:Bo0,e2,f3,d3")
    match.push("a1xd1")
    assert match.outcome is not None
    assert outcome_sentence(match, match.outcome) == "South wins: North has only 3 pieces left."
