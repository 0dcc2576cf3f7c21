"""What training tells of the games that ended, on games written down by hand."""

import torch
from alquerque_training.experience.self_play_games import GameCounter, describe_games


def lay(*games: str) -> dict[str, torch.Tensor]:
    """Steps of games, a text each, a character a step.

    A decision of player 0 or 1 is `a` or `b`, a step of player 0 without one `.`, and `*` begins a game anew. Behind a
    step stands `+` if it wins, `-` if it loses, `=` if it draws and `/` if it is cut short.
    """
    columns = []
    for game in games:
        steps: list[list[float]] = []
        for character in game:
            if character in "+-=/":
                steps[-1][3:] = [{"+": 1, "-": -1}.get(character, 0), character != "/", character == "/"]
            else:
                steps.append([character != "*", character in "ab", character == "b", 0, False, False])
        columns.append(steps)
    live, decided, players, rewards, terminated, truncated = torch.tensor(columns).permute(2, 1, 0)
    return {
        "live": live.bool(),
        "decided": decided.bool(),
        "players": players.to(torch.int8),
        "rewards": rewards.float(),
        "terminated": terminated.bool(),
        "truncated": truncated.bool(),
    }


def test_a_game_counts_where_it_ends_with_its_steps_of_earlier_rollouts() -> None:
    counter = GameCounter(2)

    nothing = {"player_0_wins": 0.0, "draws": 0.0, "truncated": 0.0}
    assert counter.count(**lay("aba", "ab+*")) == nothing | {"games": 1, "game_length": 2.0}
    assert counter.count(**lay("bab", "aba")) == {"games": 0}
    found = counter.count(**lay("a+*a", "b=*b"))
    assert found == nothing | {"games": 2, "game_length": (7 + 4) / 2, "player_0_wins": 0.5, "draws": 0.5}


def test_a_game_begins_with_its_first_decision() -> None:
    found = GameCounter(1).count(**lay("...a.b.+*..+*.a/*"))

    assert found == {"games": 2, "game_length": (4 + 1) / 2, "player_0_wins": 0.5, "draws": 0.0, "truncated": 0.5}


def test_every_game_is_won_drawn_or_truncated() -> None:
    """Player 0 wins by its own step and by a losing one of player 1."""
    found = GameCounter(1).count(**lay("a+*ab+*ab-*a-*a=*ab/*a/*a/"))

    assert found == {"games": 8, "game_length": 1.38, "player_0_wins": 0.25, "draws": 0.125, "truncated": 0.375}


def test_a_counter_is_restored_from_its_state() -> None:
    counter, other = GameCounter(1), GameCounter(1)
    counter.count(**lay("abab"))
    other.set_state(counter.get_state())
    counter.count(**lay("a"))

    assert other.count(**lay("b+"))["game_length"] == 5
    assert counter.count(**lay("b+"))["game_length"] == 6


def test_without_ended_games_only_their_number_is_logged() -> None:
    assert describe_games(0, 0, draws=0) == {"games": 0}
    assert describe_games(4, 10, draws=1) == {"games": 4, "game_length": 2.5, "draws": 0.25}
