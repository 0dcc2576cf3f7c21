"""What an agent sees: the same from both sides, nothing missing; symmetries. `tests/all_forms.py` has each plane."""

import re
from itertools import islice

import numpy as np
import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.engine import rules_scalar as rules
from alquerque_env.engine.compiler import entry_kernel
from alquerque_env.engine.observation_form import ObservationForm
from alquerque_env.envs.arguments import observation_space
from alquerque_env.game import table_layout as TABLE
from alquerque_env.game.board import LABEL
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import words
from alquerque_env.game.planes import plane_scale, planes
from tests.chosen_steps import random_match
from tests.observed import MARGIN, UNWRITTEN, mask_of, observe, write_observation
from tests.option_values import under_option_values
from tests.sets import first_by_default
from tests.small_games import BOARDS, small_game

MOSONA = "awithlaknannai_mosona"
under_sampled_values = under_option_values(sample=2)


recall_observation = entry_kernel(rules.recall)
list_actions = entry_kernel(rules.legal_actions)


def outcome_of(match: Match) -> tuple[int | None, str] | None:
    """The outcome with the winner as 0 for the player to move and 1 for the other."""
    if match.outcome is None:
        return None
    winner = match.outcome.winner
    return None if winner is None else int(winner != match.player), match.outcome.reason


@first_by_default
@pytest.mark.parametrize("board", BOARDS)
def test_nothing_is_written_beside_the_observation_of_a_small_board(board: str) -> None:
    labels = BOARDS[board].labels
    for base in games():
        observation = observe(Match(small_game(base, board, labels[0], labels[-1])))
        assert observation[0].sum() == observation[1].sum() == 1


# Plane by plane.


@under_sampled_values
def test_a_state_comes_back_from_what_is_seen_of_it(variants):
    """With the same steps, and looking the same once more: so nothing that the rules look at is missing."""
    for game in variants:
        t = game.table.words
        state, scratch, room = (
            words(t, t[TABLE.STATE_SIZE]),
            words(t, t[TABLE.SCRATCH_SIZE]),
            words(t, game.num_actions),
        )
        for match in islice(random_match(game, 4), 120):
            seen = np.concatenate([np.ones(MARGIN, np.int8), observe(match).ravel()])
            recall_observation(t, seen, MARGIN, state)
            again = seen.copy()
            again[MARGIN:] = UNWRITTEN
            write_observation(t, state, match.occurrences() - 1 if match.chain is None else 0, again, MARGIN)
            count = list_actions(t, state, scratch, room)

            assert np.array_equal(again, seen)
            if not match.is_over:
                assert sorted(room[:count]) == np.flatnonzero(mask_of(match)).tolist()


@pytest.mark.parametrize("options", [{"undo_scope": "never_revisit"}, {"undo_cleared_by_jump": False}])
def test_planes_of_remembered_points_say_whose_points_they_show(options):
    game = load_game("alquerque", **options)
    meanings = {plane.name: plane.meaning for plane in planes(game)}
    order = [plane.name for plane in planes(game)]
    seen = observe(Match(game, "W:Wb3:Be5:Ub3-c3"))

    (name,) = [name for name, plane in zip(order, seen, strict=True) if "remembered" in name and plane.any()]
    assert np.flatnonzero(seen[order.index(name)]).tolist() == [game.board.index["c3"]]
    assert name == "remembered_b3"
    assert "the piece on b3" in meanings[name]


@pytest.mark.parametrize("limit", [1, 127, 128, 129, 255, 256, 10_000])
def test_clocks_fit_into_bytes_up_to_the_limit(limit):
    game = load_game("fetaix", no_progress_limit=limit)
    space = observation_space(ObservationForm(game))
    order = [plane.name for plane in planes(game)]
    for quiet in {0, 1, 126, 127, 128, limit - 1, limit} & set(range(limit + 1)):
        seen = observe(Match(game, f"W:Wa1:Be5:H{quiet}"))
        high = int(seen[order.index("clock_high"), 0]) if "clock_high" in order else 0
        assert seen in space
        assert 128 * high + int(seen[order.index("clock"), 0]) == quiet


@under_option_values()
def test_every_plane_has_a_name_a_meaning_and_a_maximum_that_scales_it_into_0_to_1(variants):
    for game in variants:
        shown = planes(game)

        assert len({plane.name for plane in shown}) == len(shown)
        assert len({plane.meaning for plane in shown}) == len(shown)
        assert plane_scale(game).tolist() == [plane.maximum for plane in shown]
        assert all(1 <= plane.maximum <= 127 for plane in shown)


# From both sides.


def moved(game: Game, text: str, points: tuple[int, ...], swap: bool) -> str:
    """Position text with every point moved and, if asked, the sides changed."""
    labels = game.board.labels
    mover, south, north, *fields = text.split(":")

    def place(part: str) -> str:
        return re.sub(LABEL, lambda label: labels[points[game.board.index[label[0]]]], part)

    fields = [place(field) if field[0] not in "HD" else field for field in fields]
    if swap:
        mover, south, north = "WB"["BW".index(mover)], "W" + north[1:], "B" + south[1:]
        fields = [re.sub(r"D([0-9]+),([0-9]+)", r"D\2,\1", field) for field in fields]
    return ":".join([mover, place(south), place(north), *fields])


def opens(match: Match) -> bool:
    """Whether an opening rule holds here or would hold if the sides were changed: it looks at who has begun."""
    pieces = [{point for point, piece in match.picture().pieces.items() if piece[0] == player} for player in (0, 1)]
    return match.game.opening is not None and pieces == [set(side) for side in match.game.start]


# Nothing missing.


def other_to_move(game: Game) -> str:
    """The start position with the wrong player to move, where an opening rule does not hold."""
    text = Match(game).position
    return "WB"["BW".index(text[0])] + text[1:]


@under_sampled_values
def test_what_looks_the_same_is_the_same(variants):
    """Equal observations mean equal masks and outcomes, and the same position but for the side that one sits on."""
    for game in variants:
        known: dict[bytes, tuple[object, ...]] = {}
        again = 0
        for seed in range(2):
            others = [] if game.schedule else [Match(game, other_to_move(game))]  # a schedule says who is to move
            for match in (*others, *islice(random_match(game, seed), 100)):
                text = match.position
                if match.player == 1 and game.is_symmetric:
                    text = Match(game, moved(game, text, game.turn, swap=True)).position
                what = mask_of(match).tobytes(), outcome_of(match), text
                view = observe(match).tobytes()
                again += view in known
                assert known.setdefault(view, what) == what, match.position

        assert again > 0


# Symmetries.

MIRROR_5 = tuple(5 * (point // 5) + 4 - point % 5 for point in range(25))
MIRROR_MOSONA = (*range(7, -1, -1), *range(16, 7, -1), *range(24, 16, -1))
SYMMETRIC = [
    ("alquerque", {}, 2),
    ("alquerque", {"last_rank_frozen": True}, 2),
    ("alquerque", {"undo_scope": "never_revisit"}, 2),
    ("alquerque", {"undo_scope": "per_player_last_move", "no_progress_limit": 40}, 2),
    ("alquerque", {"undo_scope": "never_revisit", "undo_cleared_by_jump": False}, 2),
    ("fetaix", {}, 2),
    ("fetaix", {"man_capture_dirs": "all", "mullah_lines": "long_diagonals", "capture_removal": "end_of_turn"}, 2),
    ("fetaix", {"opening": "straight_only", "who_starts": "player_1"}, 2),
    ("alquerque_alfonso_x", {}, 8),
    ("alquerque_murray", {}, 8),
    ("alquerque_murray", {"capture_removal": "end_of_turn", "repetition": "threefold_draw"}, 8),
    (MOSONA, {}, 4),
    (MOSONA, {"board": "zigzag", "chain": "optional"}, 4),
    (MOSONA, {"board": "culin", "chain_may_return_to_start": False, "capture_removal": "end_of_turn"}, 4),
    ("awithlaknannai_mosona_davis", {}, 4),
]


@pytest.mark.parametrize(("name", "options", "count"), SYMMETRIC)
def test_a_game_has_the_symmetries_that_its_rules_leave_to_the_board(name, options, count):
    """Where men go forward only the mirror from left to right; else all that the board has."""
    game = load_game(name, **options)
    permutations = [symmetry.points for symmetry in game.symmetries]
    mirror = MIRROR_MOSONA if name.startswith(MOSONA) else MIRROR_5

    assert permutations[0] == tuple(range(25))
    assert len(set(permutations)) == len(permutations) == count
    assert mirror in permutations
    assert count == 2 or game.board.half_turn in permutations
    assert set(permutations) <= set(game.board.reflections)


@pytest.mark.parametrize(("name", "options", "count"), SYMMETRIC)
def test_the_image_of_a_position_has_the_image_of_its_mask_and_observation_and_the_same_outcome(name, options, count):
    game = load_game(name, **options)
    checked = 0
    for seed in range(2):
        for match in islice(random_match(game, seed), 0, 120, 3):
            if opens(match) or (match.outcome is not None and match.outcome.reason == "repetition"):
                continue
            here = Match(game, match.position)
            for symmetry in game.symmetries:
                there = Match(
                    game, moved(game, match.position, absolute(game, match.player, symmetry.points), swap=False)
                )
                mask, seen = np.zeros_like(mask_of(here)), np.zeros_like(observe(here))
                mask[np.array(symmetry.actions)] = mask_of(here)
                seen[np.array(symmetry.planes)[:, None], np.array(symmetry.points)] = observe(here)
                assert (mask_of(there) == mask).all(), match.position
                assert (observe(there) == seen).all(), match.position
                assert there.outcome == here.outcome
                checked += 1

    assert checked > 8 * count


def absolute(game: Game, player: int, points: tuple[int, ...]) -> tuple[int, ...]:
    """A permutation of the mover's frame as one of the board."""
    turn = game.turn if player == 1 else tuple(range(len(points)))
    return tuple(turn.index(points[turn[point]]) for point in range(len(points)))


@pytest.mark.parametrize(("name", "options", "count"), SYMMETRIC)
def test_no_reflection_of_the_board_that_keeps_the_rules_is_left_out(name, options, count):
    """Each other reflection is shown to break the mask of some position."""
    game = load_game(name, **options)
    kept = {symmetry.points for symmetry in game.symmetries}
    for points in set(game.board.reflections) - kept:
        breaks = 0
        for text in ("W:Wc2:Bd4", "W:Wb3,c2:Bd4"):
            here, there = (Match(game, position) for position in (text, moved(game, text, points, swap=False)))
            images = {(points[step.origin], points[step.target]) for step in here.legal_steps}
            breaks += {(step.origin, step.target) for step in there.legal_steps} != images
        assert breaks
