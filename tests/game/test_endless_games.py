"""Games whose matches might not end or begin are refused, and no others: what men and passes do for ever."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from alquerque_env import Match, load_game
from alquerque_env.errors import RulesError
from alquerque_env.game.game import Game
from tests.own_games import write_rules
from tests.random_games import random_game
from tests.reference import Reference, RefState
from tools.play_random_games import load_tables

ENDS = {"repetition": "threefold_draw", "no_progress_limit": 10}

# Boards, with a start.
ROW = {"rows": [[0, 1, 2, 3, 4]], "lines": ["a1 b1 c1 d1 e1"]}, "a1", "e1"
SQUARE = {"rows": [[0, 1], [0, 1]], "lines": ["a1 b1", "a2 b2", "a1 a2", "b1 b2"]}, "a1", "b2"
# An arc closes the first row to a ring, whose middle point lies in the row but for what rounding leaves, or above it.
RING, UNEVEN_RING = (
    (
        {
            "points": [[0, 0], [1, height], [2, 0], [0, 1], [1, 1], [2, 1]],
            "labels": "a1 b1 c1 a2 b2 c2",
            "lines": ["a1 b1", "b1 c1", "a2 b2 c2", "a1 a2", "b1 b2", "c1 c2"],
            "end_arcs": ["a1 c1 b2"],
        },
        "a1",
        "a2",
    )
    for height in (0.003, 0.02)
)


def write(folder: Path, board: tuple[dict[str, object], str, str], **rules: object) -> Path:
    answers = {"capture": "optional", "chain": "single", "no_progress_limit": "off"} | rules
    return write_rules(folder, "endless", *board, **answers)


# What no rule of the game ends.
ENDLESS = [
    (SQUARE, {}),
    (SQUARE, {"undo_scope": "per_coin"}),
    (ROW, {"undo_scope": "per_player_last_move"}),
    (ROW, {"man_steps": "forward_sideways"}),
    (RING, {"man_steps": "forward_sideways", "undo_scope": "per_coin"}),
]
MEN_STOP = [
    (SQUARE, {"man_steps": "forward"}),
    (SQUARE, {"man_steps": "forward_sideways", "undo_scope": "per_coin"}),
    (SQUARE, {"undo_scope": "never_revisit"}),
    (SQUARE, {"undo_scope": "never_revisit", "undo_cleared_by_jump": True}),
    (ROW, {"undo_scope": "per_coin"}),
    (UNEVEN_RING, {"man_steps": "forward_sideways", "undo_scope": "per_coin"}),
]


@pytest.mark.parametrize(("board", "rules"), ENDLESS)
def test_men_that_can_go_round_for_ever_need_a_rule_that_ends_the_match(board, rules, tmp_path) -> None:
    with pytest.raises(
        RulesError, match="a match could go on for ever: set repetition='threefold_draw' or no_progress_limit=80"
    ):
        load_game(write(tmp_path, board, **rules))
    assert load_game(write(tmp_path, board, **rules, no_progress_limit=10)).can_shuffle


@pytest.mark.parametrize(("board", "rules"), MEN_STOP)
def test_men_that_cannot_go_round_need_no_such_rule(board, rules, tmp_path) -> None:
    assert not load_game(write(tmp_path, board, **rules)).can_shuffle


@pytest.mark.parametrize("rules", [{"no_moves": "pass"}, {"promotion": "last_rank"}])
def test_passes_and_promoted_pieces_go_on_for_ever_where_men_do_not(rules, tmp_path) -> None:
    with pytest.raises(RulesError, match="a match could go on for ever"):
        load_game(write(tmp_path, SQUARE, man_steps="forward", **rules))


@pytest.mark.parametrize("ends", [ENDS, {"repetition": "threefold_draw"}, {"no_progress_limit": 10}])
@pytest.mark.parametrize(("board", "rules"), ENDLESS)
def test_men_that_can_go_round_for_ever_make_no_progress(board, rules, ends, tmp_path) -> None:
    with pytest.raises(RulesError) as caught:
        load_game(write(tmp_path, board, **rules, **ends, progress="capture_or_man_step"))
    scope, steps = rules.get("undo_scope", "off"), rules.get("man_steps", "all")
    assert str(caught.value).endswith(
        f"progress='capture_or_man_step' with man_steps={steps!r} and undo_scope={scope!r} lets men make progress for "
        "ever, so a match might not end: set progress='capture' or man_steps='forward'"
    )


@pytest.mark.parametrize(("board", "rules"), MEN_STOP)
def test_men_that_cannot_go_round_make_progress(board, rules, tmp_path) -> None:
    game = load_game(write(tmp_path, board, **rules, **ENDS, progress="capture_or_man_step"))
    match = Match(game)
    while not match.is_over:
        match.push(match.legal_steps[0])
        assert len(match.steps) < 1000


def test_one_player_alone_cannot_go_on_for_ever(tmp_path) -> None:
    """Men of South may go round the ring in the first row, those of North may not; somebody must move between."""
    frozen = {"man_steps": "forward_sideways", "undo_scope": "per_coin", "last_rank_frozen": True}
    progress = {"progress": "capture_or_man_step", "no_progress_limit": 10}
    assert not load_game(write(tmp_path, RING, **frozen)).can_shuffle
    assert load_game(write(tmp_path, RING, **frozen, **progress))
    with pytest.raises(RulesError, match="make progress for ever"):
        load_game(write(tmp_path, RING, **frozen, **progress, no_moves="pass"))


def test_an_option_that_leaves_the_first_player_without_a_step_is_refused(tmp_path) -> None:
    board = RING[0], "b2", "b1"
    file = write(tmp_path, board, man_steps="forward_sideways", undo_scope="per_coin", no_progress_limit=9)
    asked = '[options]\nlast_rank_frozen = { default = false, values = [false, true], source = "an example" }\n'
    file.write_text(file.read_text(encoding="utf-8") + asked, encoding="utf-8")
    with pytest.raises(RulesError, match="who begins, without a step with last_rank_frozen=true"):
        load_game(file)


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.long) for first in (1000, 2000))])
def test_no_state_recurs_where_a_match_is_said_to_end(first: int) -> None:
    checked = 0
    for number in range(first, first + (180 if first == 0 else 1000)):
        tables = random_game(number)
        rules = {
            **tables["rules"],
            "promotion": "none",
            "no_moves": "loss",
            "progress": "capture",
            "undo_scope": "per_coin",
        }
        rules |= {"no_progress_limit": 5, "repetition": "off"}
        for name in (
            "opening",
            "captures",
            "chain_must_turn",
            "max_capture",
            "mullah_landing",
        ):  # without effect on steps
            rules.pop(name, None)
        plain = {name: tables[name] for name in ("title", "version", "sources", "board", "start")}
        game = load_tables({**plain, "rules": rules, "options": {}}, {})
        if game is not None and len(game.board.points) < 8 and not game.can_shuffle:
            checked += 1
            assert not any(recurs(game, state) for state in starts(game)), number
    assert checked > 5


def starts(game: Game) -> Iterator[RefState]:
    """All positions of a man against a man."""
    for points in combinations(range(len(game.board.points)), 2):
        for south, north in (points, points[::-1]):
            yield RefState(men=(frozenset({south}), frozenset({north})))


def recurs(game: Game, start: RefState) -> bool:
    """Whether some way of steps without captures leads from a state back to one that it has passed."""
    reference = Reference(replace(game, rules=replace(game.rules, no_progress_limit=10_000)))
    finished: set[RefState] = set()
    on_the_way = {start}
    ahead = [(start, iter(quiet_steps(reference, start)))]
    while ahead:
        state, following = ahead[-1]
        after = next(following, None)
        if after is None:
            ahead.pop()
            on_the_way.discard(state)
            finished.add(state)
        elif after in on_the_way:
            return True
        elif after not in finished:
            on_the_way.add(after)
            ahead.append((after, iter(quiet_steps(reference, after))))
    return False


def quiet_steps(reference: Reference, state: RefState) -> list[RefState]:
    steps = [step for step in reference.legal(state) if step.victim is None]
    return [reference.play(state, step)._replace(quiet=0) for step in steps]
