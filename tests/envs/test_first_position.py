"""`reset(options={"position": TEXT})`: matches that begin in a given position go on as `Match(game, TEXT)` does."""

import copy
import pickle
from contextlib import suppress
from importlib import import_module
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers
from pettingzoo.utils import turn_based_aec_to_parallel

import alquerque_env
from alquerque_env import Match, SelfPlayVectorEnv, load_game
from alquerque_env.envs.aec import MatchEnv
from alquerque_env.envs.opponent import VersusEnv
from alquerque_env.envs.opponent_vector import VersusVectorEnv
from alquerque_env.errors import PositionError, RulesError
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import unpacked
from tests.all_forms import Watched
from tests.chosen_steps import random_match
from tests.envs.drawn import draw, step
from tests.reference import Reference
from tests.sets import first_by_default

CASES: list[tuple[str, dict[str, Any]]] = [
    ("fetaix", {"repetition": "threefold_draw"}),
    ("fetaix", {"man_capture_dirs": "all", "capture_removal": "end_of_turn", "chain": "optional"}),
    ("alquerque", {"undo_scope": "per_player_last_move", "repetition": "threefold_draw", "no_progress_limit": 30}),
    ("awithlaknannai_mosona", {"chain_may_return_to_start": False, "capture_removal": "end_of_turn"}),
    ("alquerque", {"undo_scope": "never_revisit", "undo_cleared_by_jump": False, "no_progress_limit": 12}),
    ("alquerque_alfonso_x", {"no_progress_limit": 5, "no_progress_result": "majority"}),
    ("draughts_english", {}),
    ("sixteen_soldiers", {}),
    ("draughts_international", {}),
]
every_case = pytest.mark.parametrize(
    ("name", "options"),
    [pytest.param(*case, marks=() if place < 3 else pytest.mark.slow) for place, case in enumerate(CASES)],
    ids=str,
)
modes = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)

COUNT = 16
"""Matches in a batch: with so many, all kinds of batches play many at once."""
LONG = 60
"""Steps after which a comparison ends."""

ENDING = "B:WKc3:BKd1,e5:H4"
"""A position of Fetaix."""
WRONG = ("nonsense", "W:Wa9:Be5", "W:Wa1:Be5:H81", "W:Wc3:Bc3", "W:Wa1:Bi2", 3, b"W:Wa1:Be5", {"W:Wa1:Be5"}, {})
OVER = ("W:W:Be5", "W:Wa1:B", "W:Wa1,Kc3:BKe5:H80")
"""Positions of Fetaix in which the match is over: South or North has no pieces, and there is no progress."""


def positions_of(game: Game, seed: int = 0) -> list[str]:
    """Positions of random matches: in chains, with a clock and with memory where the game has these."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[str]] = {}
    for number in range(30):
        for match in random_match(game, 30 * seed + number):
            fields = "".join(field[0] for field in match.position.split(":")[3:])
            if not match.is_over:
                found.setdefault(fields, []).append(match.position)
    kinds = sorted(found)
    return [str(rng.choice(found[kinds[place % len(kinds)]])) for place in range(COUNT)]


def winner_of(match: Match) -> int:
    winner = match.outcome.winner if match.outcome else None
    return -1 if winner is None else winner


def batches(game: Game, count: int, **arguments: Any) -> dict[str, SelfPlayVectorEnv]:
    """Environments of each backend."""
    found = {"auto": SelfPlayVectorEnv(game, count, **arguments)}
    with suppress(RulesError, ImportError):  # PyTorch cannot play all rules, and may be missing
        found["torch"] = SelfPlayVectorEnv(game, count, backend="torch", **arguments)
    return found


@first_by_default
@every_case
@pytest.mark.slow
def test_batched_matches_of_every_kind_are_those_of_single_ones(name: str, options: dict[str, Any]) -> None:
    game = load_game(name, **options)
    texts = positions_of(game)
    matches, envs = [Match(game, text) for text in texts], batches(game, COUNT)
    for env in envs.values():
        env.reset(seed=0)
        for _ in range(6):  # leaves clocks, keys and chains behind
            env.step(env.sample_actions())
        seen, info = env.reset(options={"position": texts})
        assert [env.match(place).position for place in range(COUNT)] == texts
        assert np.array_equal(seen, [match.observation() for match in matches])
        assert np.array_equal(info["action_mask"], [match.action_mask() for match in matches])
        assert np.asarray(info["player"]).tolist() == [match.player for match in matches]
        assert set(np.asarray(info["winner"]).tolist()) == {-1}
        assert np.array_equal(unpacked(env.get_state()["states"]), [match.state for match in matches])


@first_by_default
@every_case
def test_a_pettingzoo_match_goes_on_as_a_single_one(name: str, options: dict[str, Any]) -> None:
    game, rng = load_game(name, **options), np.random.default_rng(2)
    for text in positions_of(game)[:8]:
        watched = Watched(game, Reference(game), text)
        while not watched.match.is_over and len(watched.match.steps) < LONG:
            watched.push(int(draw(watched.match.action_mask(), rng)))


def by_mask(mask: np.ndarray) -> int:
    """A legal action that depends on the legal ones alone."""
    legal = np.flatnonzero(mask)
    return int(legal[int(legal.sum()) * 7 % len(legal)])


def answer(match: Match) -> int:
    return by_mask(match.action_mask())


@first_by_default
@every_case
@pytest.mark.parametrize("seat", [0, 1])
def test_a_match_against_an_opponent_goes_on_as_a_single_one(name: str, options: dict[str, Any], seat: int) -> None:
    game = load_game(name, **options)
    texts = positions_of(game)[:6]
    env = VersusEnv(game, answer, seat)
    all_seen, infos = VersusVectorEnv(len(texts), game, answer, seat).reset(seed=0, options={"position": texts})
    for place, text in enumerate(texts):
        seen, info = env.reset(options={"position": text})
        assert np.array_equal(seen, all_seen[place])
        assert np.array_equal(info["action_mask"], infos["action_mask"][place])
        match, told = Match(game, text), (seen, 0.0, False, False, info)
        while not (told[2] or told[3]):
            told = env.step(by_mask(told[4]["action_mask"]) if told[4]["action_mask"].any() else 0)
        while not match.is_over:
            match.push(answer(match))
        assert env.match.position == match.position
        assert [step.action for step in env.match.steps] == [step.action for step in match.steps]
        winner = winner_of(match)
        assert told[1] == (0 if winner < 0 else 1 if winner == seat else -1)


# Repetition and clocks


def test_positions_of_an_earlier_match_do_not_count() -> None:
    game = load_game("fetaix", repetition="threefold_draw")
    first, later = "W:WKa1:BKe5", "W:WKa1:BKe5:H8"
    played = Match(game, first)
    for text in ("a1-a2", "e5-e4", "a2-a1", "e4-e5"):
        played.push(text)
    actions = [step.action for step in played.steps]
    for kind, env in batches(game, COUNT).items():
        env.reset(options={"position": first})
        for action in actions:
            step(env, np.full(COUNT, action))
        _, info = env.reset(options={"position": later})
        assert np.asarray(info["action_mask"]).any(1).all(), kind
        for action in actions:
            _, _, terminated, _, _ = step(env, np.full(COUNT, action))
            assert not terminated.any(), kind
        for number, action in enumerate(actions, 1):
            _, _, terminated, _, _ = step(env, np.full(COUNT, action))
            assert terminated.all() == (number == 4), kind
    single = MatchEnv(game)
    single.reset(options={"position": first})
    for action in actions:
        single.step(action)
    single.reset(options={"position": later})
    for action in actions:
        single.step(action)
    assert not single.terminations["player_0"]


@pytest.mark.slow
@pytest.mark.parametrize("clock", [900, 1020])
def test_a_third_occurrence_is_found_where_room_for_positions_must_be_made(clock: int) -> None:
    game = load_game("fetaix", repetition="threefold_draw", no_progress_limit=2000)
    text = f"W:WKa1:BKe5:H{clock}"
    single = MatchEnv(game)
    single.reset(options={"position": text})
    envs = batches(game, COUNT)
    for env in envs.values():
        env.reset(options={"position": [text, *[None] * (COUNT - 1)]})
    match = Match(game, text)
    for step_text in ("a1-a2", "e5-e4", "a2-a1", "e4-e5") * 2:
        match.push(step_text)
        single.step(match.steps[-1].action)
        for kind, env in envs.items():
            actions = np.asarray(env.sample_actions()).copy()
            actions[0] = match.steps[-1].action
            assert step(env, actions)[2][0] == match.is_over, kind
    assert match.is_over
    assert single.terminations["player_0"]


def test_max_cycles_counts_from_the_position() -> None:
    text = "W:WKa1:BKe5:H40"
    aec, many = MatchEnv(load_game("fetaix"), max_cycles=3), SelfPlayVectorEnv("fetaix", 2, max_cycles=3)
    aec.reset(options={"position": text})
    many.reset(options={"position": text})
    match = Match("fetaix", text)
    for number, step_text in enumerate(("a1-a2", "e5-e4", "a2-a1"), 1):
        match.push(step_text)
        aec.step(match.steps[-1].action)
        truncated = many.step(np.full(2, match.steps[-1].action))[3]
        assert aec.truncations["player_0"] == (number == 3)
        assert truncated.all() == (number == 3)


# The opening and the end


def test_both_players_see_whether_the_opening_rule_holds() -> None:
    game = load_game("fetaix", opening="straight_only")
    env, plane = MatchEnv(game), [plane.name for plane in game.planes].index("opening")
    start = Match(game).position
    for position, opens in ((start, 1), (f"B{start[1:]}", 0)):  # North to move, which is another position
        env.reset(options={"position": position})
        assert [env.observe(agent)["observation"][plane].max() for agent in env.agents] == [opens, opens]


@pytest.mark.slow
def test_an_opponent_that_ends_the_match_at_once_leaves_its_result_to_the_first_step() -> None:
    text = "B:Wc3:Bc4"  # North captures the only man of South
    for opponent in ("random", answer):
        env = VersusEnv("fetaix", opponent, 0)
        seen, info = env.reset(seed=0, options={"position": text})
        assert not info["action_mask"].any()
        after, reward, terminated, truncated, _ = env.step(5)
        assert np.array_equal(seen, after)
        assert (reward, terminated, truncated) == (-1, True, False)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)
        for mode in AutoresetMode:
            many = VersusVectorEnv(3, "fetaix", opponent, 0, autoreset_mode=mode)
            all_seen, infos = many.reset(seed=0, options={"position": [text, None, text]})
            assert infos["action_mask"].any(1).tolist() == [False, True, False]
            assert np.array_equal(all_seen[2], seen)
            _, rewards, ended, cut, _ = many.step(infos["action_mask"].argmax(1))
            assert rewards.tolist() == [-1, 0, -1]
            assert ended.tolist() == [True, False, True]
            assert not cut.any()


def test_an_opponent_that_can_only_lose_at_once_gives_the_agent_a_win() -> None:
    game = load_game("alquerque_alfonso_x", no_progress_limit=5, no_progress_result="majority")
    text = "B:Wa1,b1,c1,d1,e1:Ba5:H4"  # after North's step South has more pieces
    env, many = VersusEnv(game, "random", 0), VersusVectorEnv(2, game, "random", 0)
    env.reset(seed=0, options={"position": text})
    many.reset(seed=0, options={"position": text})
    assert env.step(0)[1:4] == (1, True, False)
    _, rewards, ended, cut, _ = many.step(np.zeros(2, np.int64))
    assert (rewards.tolist(), ended.tolist(), cut.tolist()) == ([1, 1], [True, True], [False, False])


@modes
@pytest.mark.slow
def test_after_the_match_the_next_one_begins_at_the_start_of_the_game(mode: AutoresetMode) -> None:
    text = "W:Wa1:Bb2"
    start, game = Match("fetaix").position, load_game("fetaix")
    for kind, env in batches(game, COUNT, autoreset_mode=mode).items():
        _, info = env.reset(options={"position": text})
        done = step(env, np.asarray(info["action_mask"]).argmax(1))[2]
        assert done.all(), kind
        if mode is AutoresetMode.NEXT_STEP:
            step(env, np.zeros(COUNT, np.int64))
        if mode is AutoresetMode.DISABLED:
            env.reset(options={"reset_mask": done})
        assert {env.match(place).position for place in range(COUNT)} == {start}, kind


# What `options` may be


def every_environment() -> list[Any]:
    """Environments of each kind, of Fetaix."""
    game = load_game("fetaix")
    return [
        MatchEnv(game),
        alquerque_env.fetaix_v0.env(),
        VersusEnv(game, "random"),
        gymnasium.make("alquerque/Fetaix-v0"),
        VersusVectorEnv(4, game, "random"),
        VersusVectorEnv(4, game, answer),
        *batches(game, 4).values(),
    ]


def state_of(env: Any) -> Any:
    """What an environment is, as a pickle."""
    env = getattr(env, "unwrapped", env)
    if isinstance(env, SelfPlayVectorEnv):
        return pickle.dumps((env.get_state(), env.np_random.bit_generator.state))
    if isinstance(env, VersusVectorEnv):
        twin = copy.deepcopy(env)
        told = twin.step(np.zeros(4, np.int64))
        return pickle.dumps((told, env.np_random.bit_generator.state, twin.np_random.bit_generator.state))
    match, generator = env.match, env.np_random.bit_generator.state
    kept = {
        name: value for name, value in vars(env).items() if name in ("rewards", "terminations", "_player", "_ended")
    }
    return pickle.dumps((match.position, match.turns, generator, kept))


@pytest.mark.parametrize("wrong", [*WRONG, *OVER], ids=str)
def test_a_wrong_text_raises_and_changes_nothing(wrong: Any) -> None:
    for env in every_environment():
        env.reset(seed=0)
        for position in (wrong, [ENDING, wrong, ENDING, ENDING]):
            before = state_of(env)
            sentence = r"no match can begin in position .* over there" if position in OVER else None
            with pytest.raises(PositionError, match=sentence) as raised:
                env.reset(seed=7, options={"position": position})
            assert state_of(env) == before, env
            assert "\n" not in str(raised.value)
            assert "np.str_" not in str(raised.value)


def test_a_wrong_text_at_the_first_reset_leaves_the_environment_unbegun() -> None:
    for env in (*batches(load_game("fetaix"), 4).values(), VersusVectorEnv(4, "fetaix", "random")):
        with pytest.raises(PositionError):
            env.reset(seed=0, options={"position": "nonsense"})
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(np.zeros(4, np.int64))
    twin, env = SelfPlayVectorEnv("fetaix", 4), SelfPlayVectorEnv("fetaix", 4)
    with pytest.raises(PositionError):
        env.reset(seed=5, options={"position": ["W:W:B"] * 4})
    env.reset(seed=3)
    twin.reset(seed=3)
    assert np.array_equal(env.sample_actions(), twin.sample_actions())


def test_a_list_has_one_text_for_each_match() -> None:
    env = SelfPlayVectorEnv("fetaix", 4)
    for position in ([ENDING] * 3, (ENDING,) * 5, [], np.array([ENDING])):
        with pytest.raises(PositionError, match=rf"a list of {len(position)}, expected a text for each of 4 matches"):
            env.reset(options={"position": position})
    for wrong, problem in (("W:Wz9:Ba1", "unknown point 'z9'"), (2.5, "a position is text, not float")):
        with pytest.raises(PositionError, match=f"match 2: {problem}"):
            env.reset(options={"position": [ENDING, None, wrong, ENDING]})
    texts = [ENDING, "W:Wa1,Kc3:Be5:H4", ENDING, ENDING]
    for position in (tuple(texts), np.array(texts), np.array([*texts[:2], None, None], object)):
        env.reset(options={"position": position})
        assert [env.match(place).position for place in (0, 1)] == texts[:2]


def test_no_position_and_unknown_options_begin_at_the_start_of_the_game() -> None:
    start = Match("fetaix").position
    for options in ({"position": None}, {"unknown": 1}):
        for env in every_environment():
            env.reset(options=dict(options))
            env = getattr(env, "unwrapped", env)
            if isinstance(env, SelfPlayVectorEnv):
                assert env.match(0).position == start
            elif isinstance(env, MatchEnv | VersusEnv):
                match = env.match
                while match.steps:
                    match.pop()
                assert match.position == start


# Reset masks


def test_a_mask_chooses_the_matches_that_begin_in_positions() -> None:
    texts = [ENDING, "W:Wa1,Kc3:Be5:H4", "no text", 7]
    mask = np.array([True, True, False, False])
    for kind, env in batches(load_game("fetaix"), 4).items():
        env.reset(seed=0)
        for _ in range(5):
            env.step(env.sample_actions())
        before = [env.match(place).position for place in range(4)]
        env.reset(options={"reset_mask": mask, "position": texts})
        assert [env.match(place).position for place in range(4)] == texts[:2] + before[2:], kind
        env.reset(options={"reset_mask": ~mask, "position": ENDING})
        assert [env.match(place).position for place in range(4)] == [*texts[:2], ENDING, ENDING], kind
        env.reset(options={"reset_mask": mask, "position": [None, ENDING, None, None]})
        start = Match("fetaix").position
        assert [env.match(place).position for place in range(4)] == [start, *[ENDING] * 3], kind


@pytest.mark.parametrize("opponent", ["random", answer])
def test_a_mask_chooses_the_matches_against_an_opponent_that_begin_in_positions(opponent: Any) -> None:
    text = "W:WKa1,c1,d1:Be5,e4,Kd5:H4"
    env, twin = (VersusVectorEnv(4, "fetaix", opponent, 0, autoreset_mode="Disabled") for _ in "12")
    seen, _ = env.reset(seed=0)
    twin.reset(seed=0)
    mask = np.array([False, True, False, True])
    again, info = env.reset(options={"reset_mask": mask, "position": [None, text, 7, text]})
    match = Match("fetaix", text)
    for place in np.flatnonzero(mask):
        assert np.array_equal(again[place], match.observation())
        assert np.array_equal(info["action_mask"][place], match.action_mask())
    assert np.array_equal(again[~mask], seen[~mask])


# Copies, pictures, wrappers


def test_wrappers_of_pettingzoo_pass_the_position_on() -> None:
    wrapped = alquerque_env.fetaix_v0.env()
    wrapped.reset(options={"position": ENDING})
    assert wrapped.unwrapped.position == ENDING
    assert wrapped.agent_selection == "player_1"
    parallel = turn_based_aec_to_parallel(alquerque_env.fetaix_v0.env())
    parallel.reset(options={"position": ENDING})
    assert parallel.unwrapped.position == ENDING


@pytest.mark.filterwarnings("ignore")  # Shimmy knows no bounds of observations
def test_shimmy_begins_at_the_start_of_the_game_as_the_documentation_says() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    shimmy = pytest.importorskip("shimmy.openspiel_compatibility")
    import_module("alquerque_env.adapters.openspiel").register()
    env = shimmy.OpenSpielCompatibilityV0(env=pyspiel.load_game("python_fetaix"))
    env.reset(options={"position": ENDING})
    assert env.agent_selection == "player_0"


@pytest.mark.slow
def test_wrappers_of_gymnasium_pass_the_position_on() -> None:
    env = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("alquerque/Fetaix-v0", seat=1, opponent=answer))
    env.reset(options={"position": ENDING})
    assert env.unwrapped.match.position == ENDING
    envs = vector_wrappers.RecordEpisodeStatistics(SelfPlayVectorEnv("fetaix", 2, autoreset_mode="Disabled"))
    envs.reset(options={"position": ENDING})
    envs.reset(options={"position": "W:Wa1,Kc3:Be5", "reset_mask": np.array([False, True])})
    assert [envs.unwrapped.match(place).position for place in (0, 1)] == [ENDING, "W:Wa1,Kc3:Be5"]
    made = SyncVectorEnv([lambda: VersusEnv("fetaix", answer, 1)] * 2, autoreset_mode=AutoresetMode.DISABLED)
    made.reset(options={"position": ENDING})
    made.reset(options={"position": "B:Wa1,Kc3:Be5", "reset_mask": np.array([False, True])})
    assert [each.match.position for each in made.envs] == [ENDING, "B:Wa1,Kc3:Be5"]
