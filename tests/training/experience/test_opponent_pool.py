"""PPO against bots and its earlier selves: who chooses where, what is learned from, and going on after a break."""

import pytest
import torch
from alquerque_training.config.settings import Config
from alquerque_training.run.config_file import ConfigError, parse_config
from alquerque_training.run.learner import make_learner

from alquerque_env import load_game
from tests.training.heap_game import HeapEnv, heap_config, heap_learner


def config(**ppo: object) -> Config:
    settings = heap_config().as_data()
    settings["self_play"] |= {"opening_plies": 0} | {
        name: ppo.pop(name) for name in ("bots", "bots_share") if name in ppo
    }
    settings["ppo"] |= {"pool_share": 0.5, "pool_every": 1, "pool_size": 2} | ppo
    return parse_config(settings, "test")


def test_an_earlier_self_plays_one_seat_of_its_games_and_nothing_is_learned_from_it() -> None:
    learner = heap_learner(config(), HeapEnv(64))
    learner.iterate()
    assert learner.rollout.own.all()
    learner.iterate()
    rollout = learner.rollout
    players = rollout.players[:-1]
    seats = torch.arange(32) % 2
    live = rollout.live[:, :32]
    assert torch.equal(~rollout.own[:, :32][live], (players[:, :32] == seats)[live])
    assert rollout.own[:, 32:].all()
    assert not (rollout.learned & ~rollout.own).any()
    assert rollout.learned.any(0).all()


def test_it_chooses_by_its_own_policy() -> None:
    """An earlier self that always takes action 0 does so wherever it may."""
    learner = heap_learner(config(pool_every=1000), HeapEnv(64))
    frozen = {name: torch.zeros_like(tensor) for name, tensor in learner.network.state_dict().items()}
    frozen["plane_scale"] = torch.ones_like(frozen["plane_scale"])
    frozen["policy.bias"][0] = 1000.0
    learner.pool.set_state({f"0.{name}": tensor.numpy() for name, tensor in frozen.items()})
    learner.iterate()
    rollout = learner.rollout
    theirs = ~rollout.own & rollout.mask[..., 0]
    assert theirs.sum() > 50
    assert (rollout.actions[theirs] == 0).all()
    mine = rollout.live & rollout.own & rollout.mask[..., 0]
    assert (rollout.actions[mine] != 0).any()


def test_bots_play_the_first_games_and_the_pool_plays_the_next_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """One bot takes all it may, the other a single one; each plays both seats."""
    settings = config(bots=["most", "one"], bots_share=0.25, pool_share=0.25)
    bots = [lambda heap: min(3, heap) - 1, lambda _heap: 0]
    monkeypatch.setattr("alquerque_training.ppo.bot_maker", lambda *_: lambda _seed: bots)
    learner = heap_learner(settings, HeapEnv(64))
    learner.iterate()
    learner.iterate()
    rollout = learner.rollout
    theirs = ~rollout.own
    seats = torch.arange(32) % 2
    live = rollout.live[:, :32]
    assert torch.equal(theirs[:, :32][live], (rollout.players[:-1, :32] == seats)[live])
    assert not theirs[:, 32:].any()
    legal = rollout.mask.sum(-1)
    most, one = (theirs[:, :16] & (torch.arange(16) // 2 % 2 == number) for number in (0, 1))
    assert (rollout.actions[:, :16] == legal[:, :16] - 1)[most].all()
    assert (rollout.actions[:, :16] == 0)[one].all()
    for bot in (most, one):
        assert {int(seat) for seat in rollout.players[:-1, :16][bot]} == {0, 1}
    assert len(rollout.actions[:, 16:32][theirs[:, 16:32]].unique()) > 1


@pytest.mark.slow
def test_bots_are_made_anew_for_each_iteration_from_the_run_s_own_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: tuple[list[int], list[int]] = [], []
    for run in seeds:

        def make(seed: int, run: list[int] = run) -> list[object]:
            run.append(seed)
            return [lambda _heap: 0]

        monkeypatch.setattr("alquerque_training.ppo.bot_maker", lambda *_, make=make: make)
        learner = heap_learner(config(bots=["one"], bots_share=0.5), HeapEnv(64))
        for _ in range(3):
            learner.iterate()
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 3


@pytest.mark.parametrize(
    ("self_play", "pool_share", "message"),
    [
        ({"bots": ["greedy"]}, 0.0, r"self_play.bots is \['greedy'\] and self_play.bots_share is 0.0, expected both"),
        ({"bots_share": 0.5}, 0.0, "expected both or neither"),
        (
            {"bots": ["greedy"], "bots_share": 0.5},
            0.75,
            "self_play.bots_share [+] ppo.pool_share is 1.25, expected at most 1",
        ),
        ({"bots": ["greedi"], "bots_share": 0.5}, 0.0, "self_play.bots: .*'greedi'"),
    ],
)
@pytest.mark.parametrize("algorithm", ["ppo", "alphazero"])
def test_opponents_that_cannot_be_are_refused(
    algorithm: str, self_play: dict[str, object], pool_share: float, message: str
) -> None:
    settings: dict[str, object] = {"run": {"algorithm": algorithm}, "self_play": self_play}
    if pool_share:
        settings |= {"run": {"algorithm": "ppo"}, "ppo": {"pool_share": pool_share}}
    with pytest.raises(ConfigError, match=message):
        make_learner(parse_config(settings, "test"), load_game("alquerque"))


def test_the_pool_keeps_the_newest_versions() -> None:
    learner = heap_learner(config(), HeapEnv(64))
    seen = []
    for _ in range(5):
        learner.iterate()
        seen.append(learner.network.state_dict()["input.weight"].clone())
    kept = [torch.from_numpy(array) for name, array in learner.pool.get_state().items() if "input.weight" in name]
    assert len(kept) == 2
    # What is kept at the start of the fifth iteration is what the fourth left.
    assert all(torch.equal(one, two) for one, two in zip(kept, seen[2:4], strict=True))


def test_the_entropy_bonus_falls_to_its_end() -> None:
    learner = heap_learner(config(entropy_bonus=0.1, final_entropy_bonus=0.02), HeapEnv(64))
    for done, bonus in ((0, 0.1), (0.5, 0.06), (0.75, 0.04)):
        learner.iteration = round(done * learner.config.iterations)
        assert learner.iterate()["entropy_bonus"] == pytest.approx(bonus)
