"""Functions from observation and action mask as bots, and how well they play."""

from typing import Any

import numpy as np
import pytest

from alquerque_env import Match, evaluate, load_bot, load_game
from alquerque_env.adapters.bots import PolicyBot
from alquerque_env.engine.observation_form import ARRAYS, ObservationForm
from alquerque_env.errors import AlquerqueError, BotError, UnknownNameError
from tests.option_values import few_games
from tests.sets import first_by_default

every_game = pytest.mark.parametrize("name", few_games())


def first(_observation: np.ndarray, action_mask: np.ndarray) -> int:
    return int(action_mask.argmax())


def last_of_many(_observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
    return action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(1)


def play_on(match: Match, rng: np.random.Generator) -> None:
    match.push(match.legal_steps[rng.integers(len(match.legal_steps))])


@pytest.mark.parametrize("player", [2, -1, "south"])
def test_only_players_observe(player: Any) -> None:
    with pytest.raises(AlquerqueError, match=r"player is .*, expected 0, 1 or None"):
        Match("fetaix").observation(player)


@first_by_default
@every_game
@pytest.mark.parametrize("form", ARRAYS)
def test_a_policy_receives_observations_and_masks(name: str, form: str) -> None:
    game, rng = load_game(name), np.random.default_rng(0)
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def policy(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        seen.append((observation, action_mask))
        return np.array([action_mask.argmax()])  # an array of one, as many libraries answer

    bot, match = PolicyBot(game, policy, observation=form), Match(game)
    change = ObservationForm(game, form)
    while not match.is_over and len(match.steps) < 40:
        step = bot.choose(match)
        assert step.action == match.action_mask().argmax()
        if len(match.legal_steps) > 1:
            observation, mask = seen.pop()
            assert np.array_equal(observation, change(match.observation()))
            assert np.array_equal(mask, match.action_mask())
        assert not seen, "forced steps are not asked for"
        play_on(match, rng)


def test_a_batched_policy_is_asked_once_for_all_matches_with_a_choice() -> None:
    shapes = []

    def policy(observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        shapes.append((observations.shape, action_masks.shape))
        return last_of_many(observations, action_masks)

    bot = PolicyBot("fetaix", policy, batched=True)
    forced = Match("fetaix")
    forced.push("c2-c3")
    assert len(forced.legal_steps) == 1
    steps = bot.choose_many([Match("fetaix"), forced, Match("fetaix")])
    assert [step.action for step in steps] == [steps[0].action, forced.legal_steps[0].action, steps[0].action]
    assert shapes == [((2, 6, 25), (2, 512))]
    assert bot.choose(Match("fetaix")) == steps[0]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (0, "answered 0, which is not legal in"),
        (True, "answered True, expected the number of an action"),
        (10**9, "not legal"),
        (-1, "not legal"),
        ("c2-c3", "expected the number of an action"),
        (None, "expected the number of an action"),
        (1.5, "expected the number of an action"),
        (np.array([1, 2]), "expected the number of an action"),
    ],
    ids=repr,
)
def test_a_wrong_answer_is_told(answer: Any, message: str) -> None:
    with pytest.raises(BotError, match=message):
        PolicyBot("fetaix", lambda *_: answer, name="agent").choose(Match("fetaix"))


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(BotError, match="policy is 5, expected a function"):
        PolicyBot("fetaix", 5)
    with pytest.raises(UnknownNameError, match="did you mean 'flat'"):
        PolicyBot("fetaix", first, observation="falt")
    with pytest.raises(BotError, match=r"answered with shape \(3,\) in 2 positions"):
        PolicyBot("fetaix", lambda *_: np.zeros(3, int), batched=True).choose_many([Match("fetaix")] * 2)


def test_load_bot_takes_a_function() -> None:
    bot = load_bot(first, "fetaix")
    assert bot.name == "first"
    assert bot.choose(Match("fetaix")).action == Match("fetaix").action_mask().argmax()


class TestEvaluate:
    def test_results_are_those_of_matches_from_both_seats(self) -> None:
        result = evaluate(first, "fetaix", last_batched(), games=2)
        counts = [0, 0, 0]
        for seat in (0, 1):
            match = Match("fetaix")
            while not match.is_over:
                mask = match.action_mask()
                legal = np.flatnonzero(mask)
                match.push(int(legal[0] if match.player == seat else legal[-1]))
            winner = match.outcome.winner if match.outcome else None
            counts[1 if winner is None else 0 if winner == seat else 2] += 1
        assert [result.wins, result.draws, result.losses] == counts
        assert [seat.games for seat in result.seats] == [1, 1]

    def test_players_may_be_specs_bots_and_functions(self) -> None:
        by_spec = evaluate("greedy", "fetaix", games=40)
        assert by_spec.games == 40
        assert by_spec.wins > 20
        assert by_spec.opponent == "random"
        assert evaluate("greedy", "fetaix", games=40) == by_spec
        assert evaluate("greedy", "fetaix", games=40, seed=1) != by_spec
        weak = evaluate(load_bot("random", "fetaix", seed=0), load_game("fetaix"), "alphabeta:2", games=20)
        assert weak.losses >= 18
        assert evaluate(first, "fetaix", first, games=3).games == 3

    def test_the_interval_is_that_of_the_share_of_wins(self) -> None:
        result = evaluate("random", "fetaix", games=50)
        rate = result.win_rate
        assert rate.value == result.wins / 50
        assert rate.low < rate.value < rate.high
        assert f"{rate.value:.1%}, 95% interval {rate.low:.1%} to {rate.high:.1%}" in str(result)

    def test_random_openings_make_pairs_of_equal_games(self) -> None:
        starts = []

        def noting(observation: np.ndarray, action_mask: np.ndarray) -> int:
            starts.append(observation.tobytes())
            return int(action_mask.argmax())

        evaluate(noting, "fetaix", noting, games=8, opening_plies=3, max_steps=20)
        assert len(set(starts[:8])) > 2
        once = evaluate(first, "fetaix", first, games=12, opening_plies=4, seed=3)
        assert once == evaluate(first, "fetaix", first, games=12, opening_plies=4, seed=3)
        # The same player in both seats of the same openings.
        assert once.wins == once.losses

    def test_a_policy_that_fails_is_told(self) -> None:
        with pytest.raises(BotError, match="not legal"):
            evaluate(lambda *_: 0, "fetaix")
        with pytest.raises(BotError, match="ZeroDivisionError"):
            evaluate(lambda *_: 1 // 0, "fetaix")

    @pytest.mark.parametrize(
        "arguments", [{"games": 0}, {"games": 2.0}, {"games": True}, {"opening_plies": -1}, {"max_steps": 0}], ids=str
    )
    def test_wrong_numbers_are_told(self, arguments: dict[str, Any]) -> None:
        (name,) = arguments
        with pytest.raises(AlquerqueError, match=f"{name} is .*, expected an integer of at least"):
            evaluate(first, "fetaix", **arguments)


def last_batched() -> PolicyBot:
    return PolicyBot("fetaix", last_of_many, batched=True)
