"""Games as the contract promises them: names, options, points, actions, boards; and that they copy and load lightly."""

import copy
import hashlib
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from alquerque_env import Match, games, load_bot, load_game, load_table, perft
from alquerque_env.errors import AlquerqueError, RulesError, UnknownNameError
from alquerque_env.game.game import Game
from alquerque_env.game.options import RULE_NAMES, Rules, contradictions
from alquerque_env.game.planes import planes
from alquerque_env.game.ruleset import Ply
from alquerque_env.game.table_layout import DROPS, REMOVES
from tests.option_values import CORE, core_or_long, under_option_values, values_of
from tests.reference import Reference
from tests.sets import first_by_default

MOSONA = "awithlaknannai_mosona"
DAVIS = "awithlaknannai_mosona_davis"


# Names.


def test_the_games_of_the_contract_are_there_in_alphabetical_order():
    assert {"alquerque", "fetaix", MOSONA, DAVIS, "alquerque_alfonso_x", "alquerque_murray"} <= set(games())
    assert games() == tuple(sorted(games()))


@pytest.mark.parametrize(
    ("name", "near"),
    [("fetaixx", "fetaix"), ("alquerqe", "alquerque"), ("awithlaknannai", MOSONA), ("Fetaix", "fetaix")],
)
def test_an_unknown_game_is_refused_with_the_nearest_and_all_names(name, near):
    with pytest.raises(UnknownNameError) as caught:
        load_game(name)

    assert str(caught.value) == f"no game {name!r}; did you mean {near!r}?"


@pytest.mark.parametrize("name", ["", "chess", None, 7, ["xyz"]])
def test_a_name_unlike_any_other_is_refused_without_a_guess(name):
    with pytest.raises(UnknownNameError, match=r"^no game .*known: aadu_puli_attam, ") as caught:
        load_game(name)
    assert repr(name) in str(caught.value)


# Options.


def test_every_option_value_and_source_is_explained():
    for game in map(load_game, games()):
        for option in game.option_table.values():
            assert option.question.endswith("?"), game
            assert option.source, game
            assert all(option.values.values()), game


def test_options_are_a_read_only_mapping_with_the_chosen_values_and_the_defaults():
    game = load_game("fetaix", man_capture_dirs="all")

    assert isinstance(game.options, Mapping)
    assert game.options["man_capture_dirs"] == "all"
    assert game.options["chain"] == "compulsory"
    assert dict(game.options) == dict(load_game("fetaix").options) | {"man_capture_dirs": "all"}
    with pytest.raises(TypeError, match="does not support item assignment"):
        game.options["chain"] = "optional"
    with pytest.raises(TypeError, match="does not support item assignment"):
        game.option_table["chain"] = None


@pytest.mark.parametrize(
    ("name", "option", "text", "value"),
    [
        (MOSONA, "end_arc", "true", True),
        (MOSONA, "end_arc", "false", False),
        ("fetaix", "no_progress_limit", "80", 80),
        ("fetaix", "no_progress_limit", "1", 1),
        ("fetaix", "no_progress_limit", 10_000, 10_000),
        ("alquerque", "no_progress_limit", "off", "off"),
        ("alquerque", "who_starts", "player_1", "player_1"),
    ],
)
def test_a_value_is_given_as_itself_or_as_text(name, option, text, value):
    chosen = load_game(name, **{option: text}).options[option]

    assert chosen == value
    assert type(chosen) is type(value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"no_such_option": 1}, "no option 'no_such_option' of fetaix (known: man_capture_dirs, "),
        ({"chian": "single"}, "no option 'chian' of fetaix; did you mean 'chain'? (known: "),
        ({"leap": "straight"}, "no option 'leap' of fetaix"),
        ({"chain": "often"}, "fetaix: chain cannot be 'often' (known: compulsory, optional, single)"),
        ({"chain": "optionnal"}, "fetaix: chain cannot be 'optionnal'; did you mean 'optional'? (known: "),
        ({"capture": "huff"}, "fetaix: capture cannot be 'huff' (known: compulsory, optional)"),
        ({"chain": None}, "fetaix: chain cannot be None"),
        ({"chain": ["single"]}, "fetaix: chain cannot be ['single']"),
        ({"no_progress_limit": 0}, "fetaix: no_progress_limit cannot be 0 (known: off, an integer from 1 to 10000)"),
        ({"no_progress_limit": -1}, "no_progress_limit cannot be -1"),
        ({"no_progress_limit": "-1"}, "no_progress_limit cannot be '-1'"),
        ({"no_progress_limit": 10_001}, "no_progress_limit cannot be 10001"),
        ({"no_progress_limit": 80.0}, "no_progress_limit cannot be 80.0"),
        ({"no_progress_limit": True}, "no_progress_limit cannot be True"),
        ({"no_progress_limit": "N"}, "no_progress_limit cannot be 'N'"),
        ({"no_progress_limit": "9" * 5000}, "no_progress_limit cannot be '999"),
        ({"no_progress_limit": "\N{SUPERSCRIPT TWO}"}, "no_progress_limit cannot be"),
        ({"no_progress_limit": "off", "repetition": "off"}, "fetaix: a match could go on for ever: set repetition="),
    ],
)
def test_an_unknown_option_or_value_is_refused_with_the_known_ones(options, message):
    with pytest.raises(AlquerqueError) as caught:
        load_game("fetaix", **options)

    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("value", [1, 0, "True", "yes", ""])
def test_a_flag_is_true_or_false_and_nothing_like_it(value):
    with pytest.raises(RulesError, match=r"end_arc cannot be .* \(known: true, false\)"):
        load_game(MOSONA, end_arc=value)


def test_a_game_can_be_had_with_other_options():
    game = load_game("fetaix", chain="optional").with_options(capture="optional")

    assert (game.options["chain"], game.options["capture"]) == ("optional", "optional")
    with pytest.raises(UnknownNameError):
        game.with_options(leap="straight")


# Actions.


Ends = tuple[int | None, int | None, int | None]


def reference_actions(game: Game) -> set[Ends]:
    """Every action that a player might have, as (origin, target, victim) in the mover's frame, read off the board."""
    points = range(len(game.board.points))
    return {
        tuple(None if point is None else frame[point] for point in ends)
        for player, frame in ((0, points), (1, game.turn))
        for ends in reference_ends(game, player)
    }


def reference_ends(game: Game, player: int) -> set[Ends]:
    """Every step, capture, drop and removal that a player might make, on the board as it is."""
    reference, rules = Reference(game), game.rules
    rows = [y for _, y in game.board.points]
    found: set[Ends] = {
        (origin, target, None) for origin in range(len(rows)) for target in reference.man_steps[player][origin]
    }
    if reference.captures[player] == "leap":
        least = {"forward_sideways": 0, "forward": 1}.get(rules.man_capture_dirs, -len(rows))
        found |= {(a, c, b) for a, b, c in reference.leaps if reference.rise(player, a, c) >= least}
    elif reference.captures[player] == "odd_rows":
        rays = [(origin, ray) for origin, each in enumerate(reference.rays) for ray, _ in each]
        found |= {(origin, target, ray[0]) for origin, ray in rays for target in ray[1::2]}
    elif reference.captures[player] == "approach_withdrawal":
        for line in game.board.lines:
            for a, b, c in (*zip(line, line[1:], line[2:], strict=False), *zip(line[2:], line[1:], line, strict=False)):
                found |= {(a, b, c), (b, c, a)}
    for origin, rays in enumerate(reference.rays if rules.promotion != "none" else ()):
        for ray, flies in rays:
            steps_far, captures_far = (
                flies and answer == "any_distance" for answer in (rules.mullah_steps, rules.mullah_captures)
            )
            found |= {(origin, target, None) for target in (ray if steps_far else ray[:1])}
            for place, victim in enumerate(ray if captures_far else ray[:1]):
                behind = ray[place + 1 :] if captures_far else ray[1:2]
                found |= {(origin, target, victim) for target in behind}
    found = {(origin, target, victim) for origin, target, victim in found if victim not in game.sanctuary}
    for ply in game.schedule:
        if ply.player == player and ply.does == DROPS:
            found |= {(None, point, None) for point in ply.points}
        elif ply.player == player and ply.does == REMOVES:
            found |= {(None, None, point) for point in ply.points}
    return found


@under_option_values()
def test_actions_are_steps_captures_drops_removals_and_the_pass_and_name_a_victim_where_they_must(variants):
    """The order within each of these is by points."""
    for game in variants:
        steps = reference_actions(game)
        ways = Counter((origin, target) for origin, target, _ in steps)
        ordered = sorted(steps, key=lambda ends: (ends[0] is None, ends[2] is not None, *(end or 0 for end in ends)))
        expected = [
            (origin, target, victim if origin is None or ways[origin, target] > 1 else None)
            for origin, target, victim in ordered
        ]
        has_pass = game.rules.chain == "optional" or "pass" in game.no_moves

        assert list(game.actions) == expected + [None] * has_pass, game
        assert len(set(game.actions)) == game.num_actions, game


PINNED = {
    # version, number of actions, digest of the actions, number of planes, digest of their names and maxima
    "aadu_puli_attam": (1, 155, "2db8ff7892abc9ee", 7, "4b716eaf"),
    "adugo": (1, 228, "8c29d93932513ab1", 4, "16126ca1"),
    "alquerque": (1, 156, "0ce8a8bc5169a2ea", 5, "3eeacb72"),
    "alquerque_alfonso_x": (1, 192, "4296384d1de87c27", 3, "923ff451"),
    "alquerque_murray": (1, 193, "f795aec49fd272ed", 4, "28283aaf"),
    "awithlaknannai_mosona": (1, 334, "639e0eef153851e8", 5, "77716a83"),
    "awithlaknannai_mosona_davis": (1, 178, "825dc795749c6d00", 5, "77716a83"),
    "bagh_chal": (1, 217, "9745b6a1ae35f84f", 8, "bc76847c"),
    "butterfly": (1, 102, "cdccd711b2638fc8", 4, "364f86d9"),
    "catch_the_hare": (1, 192, "4296384d1de87c27", 5, "de50fe65"),
    "dama_comoros": (1, 512, "a62824c0ebe5a612", 6, "61e76387"),
    "dash_guti": (1, 108, "7428196ca99fb76f", 4, "364f86d9"),
    "draughts_english": (1, 170, "400e6a184b4d0c7e", 6, "61e76387"),
    "draughts_international": (1, 1650, "18438f972c2877ce", 8, "b369cdcf"),
    "egara_guti": (1, 138, "484cb7d3565f1b0b", 4, "364f86d9"),
    "fanorona": (1, 553, "3dfcfce50f431185", 6, "970073e3"),
    "felli": (1, 152, "e99d11265074063c", 6, "61e76387"),
    "felli_bouhajbane": (1, 110, "0b0ba77dde74755e", 5, "6684cee4"),
    "felli_simplified": (1, 66, "59a64cfc104e264f", 4, "364f86d9"),
    "fetach": (1, 244, "dc448d86cded5d30", 7, "5197d3ef"),
    "fetaix": (1, 512, "a62824c0ebe5a612", 6, "61e76387"),
    "fox_and_geese": (1, 281, "e5d4b4d825c0fd23", 7, "80f65731"),
    "gol_skuish": (1, 330, "8bf2e027f201edfa", 4, "364f86d9"),
    "high_jump": (1, 137, "82a85e9fe69ad587", 4, "364f86d9"),
    "indian_and_jackrabbits_tiwa": (1, 140, "210210bc178013d5", 4, "16126ca1"),
    "indian_and_jackrabbits_tohono": (1, 192, "4296384d1de87c27", 4, "16126ca1"),
    "kharbaga": (1, 1520, "a06fe9199b7fa72d", 6, "61e76387"),
    "kolowis_awithlaknannai": (1, 1042, "f70a7802f50e2b3f", 5, "77716a83"),
    "kotu_ellima": (1, 336, "a45b641a6f9fbb21", 4, "364f86d9"),
    "lau_kata_kati": (1, 102, "cdccd711b2638fc8", 4, "364f86d9"),
    "lay_gwet_kyah": (1, 165, "4d9139092940d70c", 7, "3f5437d2"),
    "main_tapal_empat": (1, 369, "45d69ed1236ae41a", 7, "09202af4"),
    "main_tapal_empat_straits": (1, 369, "45d69ed1236ae41a", 7, "131c0042"),
    "peralikatuma": (1, 336, "a45b641a6f9fbb21", 4, "364f86d9"),
    "permainan_tabal": (1, 872, "0f6b0189fdd52944", 6, "61e76387"),
    "pretwa": (1, 138, "fd1ae5eb6a90c031", 4, "364f86d9"),
    "rimau": (1, 386, "0f715cc1427cdac8", 7, "96d8aadf"),
    "rimau_rimau": (1, 338, "5bd20423a726328b", 7, "f6b1747d"),
    "rimau_rimau_malaysia": (1, 386, "0f715cc1427cdac8", 7, "5fca2524"),
    "seega_5x5": (1, 105, "2fd29683e4dd5ceb", 7, "febef356"),
    "sixteen_soldiers": (1, 264, "7528e95478271169", 4, "364f86d9"),
    "sua_ghin_gnua": (1, 165, "4d9139092940d70c", 7, "3f5437d2"),
    "terhuchu_large": (1, 561, "869fc6b3c2bc3064", 4, "c9caf7a6"),
    "terhuchu_small": (1, 193, "f795aec49fd272ed", 4, "364f86d9"),
    "tiger_and_buffaloes": (1, 96, "c004c4a04a797d18", 7, "d7aedddd"),
    "tiger_game_forty": (1, 769, "e3f2cbf9321fd15f", 4, "c9caf7a6"),
    "tuknanavuhpi": (1, 369, "f1d6d4508f034a48", 5, "6f7ba690"),
    "tukvnanawopi": (1, 369, "f1d6d4508f034a48", 5, "6f7ba690"),
    "zamma": (1, 5440, "220a6b52ed6437b4", 7, "d5070bb9"),
}


@pytest.mark.parametrize("name", games())
def test_the_action_numbers_and_planes_of_a_version_never_change(name):
    """Who changes them raises the game's version and writes its new row here; who adds a game adds its row."""
    game = load_game(name)
    seen = [plane[:2] for plane in planes(game)]
    actions, shown = (hashlib.sha256(repr(listed).encode()).hexdigest() for listed in (game.actions, seen))
    assert PINNED.get(name) == (game.version, game.num_actions, actions[:16], len(seen), shown[:8])


def changed_copies(game: Game) -> dict[str, Game]:
    """The game with one thing changed, for every thing that the rules depend on."""
    board, (south, north) = game.board, game.start
    vacant = min(set(range(len(board.points))) - south - north)
    copies = {
        "name": replace(game, name="other"),
        "version": replace(game, version=2),
        "start": replace(game, start=(south | {vacant}, north)),
        "goal": replace(game, sides=(replace(game.sides[0], goal=frozenset({0})), game.sides[1])),
        "loses_at of a side": replace(game, sides=(game.sides[0], replace(game.sides[1], loses_at=1))),
        "schedule": replace(game, schedule=(*game.schedule, Ply(0, DROPS, frozenset({0})))),
        "opening": replace(game, opening=((11, 12),)),
        "points": replace(game, board=replace(board, points=((board.points[0][0], -1), *board.points[1:]))),
        "line": replace(game, board=replace(board, lines=board.lines[1:])),
        "arc": replace(game, board=replace(board, end_arcs=(*board.end_arcs, (0, 1, 2)))),
        "bend": replace(game, board=replace(board, bends=(*board.bends, (0, 1, 2)))),
    }
    if south != north:
        copies["sides"] = replace(game, start=(north, south))
    for rule in RULE_NAMES:
        for answer in others(game, rule):
            with suppress(RulesError):
                copies[f"{rule}={answer}"] = replace(game, rules=replace(game.rules, **{rule: answer}))
    return copies


def others(game: Game, rule: str) -> list[object]:
    """Other answers to a question."""
    kind = get_type_hints(Rules)[rule]
    answers = get_args(kind) if get_origin(kind) is Literal else {bool: (True, False), str: ("x",)}.get(kind, (7, 8))
    return [answer for answer in answers if answer != getattr(game.rules, rule)]


@first_by_default
@pytest.mark.parametrize("name", core_or_long())
def test_the_table_hash_changes_with_everything_that_the_rules_depend_on(name):
    game = load_game(name)
    # Rules that let most other answers be tried.
    rules = {"repetition": "threefold_draw", "chain": "compulsory", "max_capture": "none", "chain_must_turn": False}
    rules |= {"chain_visits_once": False, "capture": "optional" if game.captures(0) == "custodial" else "compulsory"}
    game = replace(game, rules=replace(game.rules, **rules))
    copies = changed_copies(game)
    hashes = {change: copy.table_hash for change, copy in copies.items()}

    # Not every board lets every answer be tried.
    untried = {
        "undo_scope",
        *(["promotion"] if game.board.circles else []),
        *(["shrink"] if game.board.is_wide else []),
    }
    untried |= {
        rule
        for rule in RULE_NAMES
        if all(any(contradictions(game.answers | {rule: (answer,)})) for answer in others(game, rule))
    }
    assert {change.partition("=")[0] for change in copies} >= set(RULE_NAMES) - untried
    assert game.table_hash not in hashes.values()
    assert len(set(hashes.values())) == len(hashes)
    assert replace(game, title="Another title", sources=()).table_hash == game.table_hash


# Copies.


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
@pytest.mark.parametrize(
    ("name", "options"), [("fetaix", {}), (MOSONA, {"board": "culin", "end_arc": False, "no_progress_limit": 7})]
)
def test_a_copied_or_pickled_game_is_the_same_game(name, options, make):
    game = load_game(name, **options)
    twin = make(game)

    assert (twin.name, twin.version, twin.options) == (game.name, game.version, game.options)
    assert twin.rules == game.rules
    assert twin.board == game.board
    assert twin.actions == game.actions
    assert twin.table_hash == game.table_hash


def test_a_game_shows_itself_as_code_that_loads_it():
    for name in CORE:
        assert repr(load_game(name)) == f"load_game({name!r})"
        for options in values_of(name)[1:3]:
            game = load_game(name, **options)
            assert game.chosen_options
            assert eval(repr(game), {"load_game": load_game}).options == game.options


def test_a_game_that_is_loaded_again_is_not_compiled_again():
    first, again = (load_game("alquerque", no_progress_limit=limit) for limit in (81, "81"))
    assert again.table is first.table
    assert load_game("alquerque", no_progress_limit=82).table is not first.table


def test_a_game_cannot_be_changed():
    game = load_game("fetaix")

    for attribute in ("name", "rules", "options", "board"):
        with pytest.raises(AttributeError):
            setattr(game, attribute, None)


# Import.


HEAVY = ("numba", "torch", "pygame", "starlette", "uvicorn", "matplotlib", "rich", "pydantic", "alquerque_training")


def test_importing_the_package_and_listing_the_games_loads_nothing_heavy():
    code = (
        "import sys, alquerque_env; alquerque_env.load_game('fetaix').options; alquerque_env.games(); "
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)

    assert result.stderr == ""
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("wrong", [None, 5, b"fetaix", ["fetaix"]])
def test_what_is_neither_a_game_nor_an_id_is_refused(wrong: Any) -> None:
    for take in (Match, lambda game: perft(game, 1), lambda game: load_bot("random", game), load_table):
        with pytest.raises(AlquerqueError, match="expected a game's id, the path of a game file"):
            take(wrong)
    with pytest.raises(UnknownNameError, match="no game 'chess'"):
        Match("chess")
