"""Games as OpenSpiel games: OpenSpiel's own tests, and agreement with matches."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from alquerque_env import Match, games, load_game
from alquerque_env.engine.observation_form import ObservationForm
from alquerque_env.errors import AlquerqueError, RulesError
from tests.option_values import core_or_long, few_games
from tests.own_games import write_game
from tests.sets import first_by_default

pyspiel = pytest.importorskip("pyspiel")
from alquerque_env.adapters import openspiel  # noqa: E402

openspiel.register()
every_game = pytest.mark.parametrize("name", few_games())


def load(name: str, **parameters: object) -> openspiel.OpenSpielGame:
    game: openspiel.OpenSpielGame = pyspiel.load_game(openspiel.short_name(load_game(name)), parameters)
    return game


@pytest.mark.parametrize("name", core_or_long())
@pytest.mark.slow
def test_openspiels_own_test_of_a_game_passes(name: str) -> None:
    pyspiel.random_sim_test(load(name), num_sims=2, serialize=True, verbose=False)


@every_game
def test_states_are_those_of_a_match(name: str) -> None:
    chains = any(play_beside_a_match(name, seed) for seed in range(20))
    assert chains or load_game(name).rules.chain == "single", "a chain is several turns of one player"


def play_beside_a_match(name: str, seed: int) -> bool:
    """Compares the states of a random match with a `Match`; returns whether it had a chain."""
    game, rng = load(name), np.random.default_rng(seed)
    state, match = game.new_initial_state(), Match(name)
    flat = ObservationForm(match.game, "flat")
    observer = game.make_py_observer()
    repeated = False
    while not match.is_over:
        assert not state.is_terminal()
        assert state.current_player() == match.player
        assert state.legal_actions() == [step.action for step in match.legal_steps]
        assert state.legal_actions(1 - match.player) == []
        assert [state.action_to_string(action) for action in state.legal_actions()] == [
            step.text for step in match.legal_steps
        ]
        assert str(state) == match.position
        assert state.returns() == [0, 0]
        for player in (0, 1):
            observer.set_from(state, player)
            assert np.array_equal(observer.tensor, flat(match.observation(player)))
            assert observer.dict["observation"].shape == match.observation().shape
        player = match.player
        match.push(int(rng.choice(state.legal_actions())))
        state.apply_action(match.steps[-1].action)
        repeated |= match.player == player and not match.is_over
    assert state.is_terminal()
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    winner = match.outcome.winner if match.outcome else None
    assert state.returns() == ([0, 0] if winner is None else [1, -1] if winner == 0 else [-1, 1])
    return repeated


def test_options_are_parameters() -> None:
    game = pyspiel.load_game("python_fetaix(chain=single,no_progress_limit=30)")
    assert game.game.table_hash == load_game("fetaix", chain="single", no_progress_limit=30).table_hash
    assert load("alquerque", undo_cleared_by_jump=False).game.options["undo_cleared_by_jump"] is False
    assert openspiel.OpenSpielGame("fetaix", {"chain": "single"}).game.options["chain"] == "single"
    with pytest.raises(RulesError, match="chain cannot be 'sometimes'"):
        openspiel.OpenSpielGame("fetaix", {"chain": "sometimes"})
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'nothing'"):
        load("fetaix", nothing=1)


def test_a_limit_of_zero_is_off() -> None:
    (alquerque,) = (each for each in pyspiel.registered_games() if each.short_name == "python_alquerque")
    assert alquerque.parameter_specification["no_progress_limit"] == 0
    assert load("alquerque", no_progress_limit=0).game.table_hash == load_game("alquerque").table_hash
    assert load("alquerque", no_progress_limit=30).game.options["no_progress_limit"] == 30
    limitless = load("fetaix", no_progress_limit=0, repetition="threefold_draw")
    assert limitless.game.options["no_progress_limit"] == "off"


@first_by_default
@pytest.mark.parametrize("name", ["mine", "my-game", "fetaix", "alquerque"])
@pytest.mark.slow
def test_a_game_from_a_file_is_played_and_not_taken_for_one_of_the_package(name: str, tmp_path: Path) -> None:
    game = openspiel.OpenSpielGame(load_game(write_game(tmp_path, name)), {"chain": "optional"})
    (tmp_path / f"{name}.toml").unlink()

    pyspiel.random_sim_test(game, 1, serialize=True, verbose=False)
    for copied in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game), pyspiel.load_game(str(game))):
        assert copied.game == game.game
    assert load("fetaix").game == load_game("fetaix")

    # A process that does not know the game gets it with the pickle.
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).game.table_hash)"

    told = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(game), capture_output=True, check=True)

    assert told.stdout.decode().strip() == game.game.table_hash


def test_a_match_of_another_game_is_refused() -> None:
    state = load("fetaix").new_initial_state()
    for other in (Match("alquerque"), Match(load_game("fetaix", chain="single"))):
        with pytest.raises(AlquerqueError, match=r"the match is of load_game\(.*expected one of load_game\('fetaix'\)"):
            state.match = other
    assert state.legal_actions() == load("fetaix").new_initial_state().legal_actions()


def test_a_match_of_the_greatest_length_is_a_draw() -> None:
    game = load("fetaix", max_game_length=3)
    assert game.max_game_length() == 3
    state = game.new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal()
    assert state.returns() == [0, 0]


def test_openspiels_environment_takes_a_state_from_a_position() -> None:
    rl_environment = pytest.importorskip("open_spiel.python.rl_environment")
    game = load("fetaix")
    env = rl_environment.Environment(game)
    env.set_state(game.new_initial_state("B:WKc3:BKd1,e5:H4"))
    assert str(env.get_state) == "B:WKc3:BKd1,e5:H4"


def test_registering_again_has_no_effect() -> None:
    before = pyspiel.registered_names()
    assert openspiel.register() == tuple(f"python_{name}" for name in games())
    assert pyspiel.registered_names() == before


UNKNOWN = dataclasses.replace(load_game("fetaix"), rules=load_game("fetaix", chain="single").rules)


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda _: openspiel.OpenSpielGame(UNKNOWN), "has other rules than the game of this name: write it to a file"),
        (lambda _: openspiel.OpenSpielGame("fetaix", {"max_game_length": 0}), "max_game_length is 0"),
        (
            lambda _: openspiel.OpenSpielGame("fetaix", {"max_game_length": "long"}),
            "max_game_length is 'long', expected an integer",
        ),
        (lambda game: game.new_initial_state("W:Wz9:Ba1"), "unknown point 'z9'"),
        (
            lambda game: game.new_initial_state({"board": []}),
            "a state cannot be made from a struct: give the text of its position",
        ),
        (lambda game: game.make_py_observer(params={"x": 1}), "observations have no parameters"),
    ],
)
def test_what_openspiel_cannot_express_is_refused(
    attempt: Callable[[openspiel.OpenSpielGame], object], message: str
) -> None:
    with pytest.raises(AlquerqueError, match=message):
        attempt(load("fetaix"))
