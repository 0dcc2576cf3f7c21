"""PPO against bots and its earlier selves: who chooses where, what is learned from, and going on after a break."""

import pytest
import torch
from alquerque_training.config.settings import Config
from alquerque_training.experience.numbers_ahead import NumbersAhead
from alquerque_training.experience.opponents import RandomOpenings
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


# Random first steps.


def random_numbers(seed: int, most: int) -> NumbersAhead:
    return NumbersAhead(torch.Generator().manual_seed(seed), most, torch.device("cpu"))


def play(openings: RandomOpenings, ends: list[int], steps: int, seed: int = 0) -> torch.Tensor:
    """`[steps, B]` whether it chose; match `b` ends after `ends[b]` steps and begins anew one step later."""
    numbers = random_numbers(seed, 2 * steps * len(ends))
    lengths, chosen = torch.tensor(ends), []
    for step in range(steps):
        mask = torch.zeros(len(ends), 5, dtype=torch.bool)
        mask[:, 1:4] = (step % (lengths + 1) != lengths)[:, None]
        flags, actions = openings.choose(None, None, mask, None, numbers)
        assert mask.gather(1, actions[:, None])[flags].all()
        chosen.append(flags)
    return torch.stack(chosen)


def test_only_the_first_steps_of_a_match_are_random_and_their_number_is_drawn_for_each() -> None:
    length, most = 9, 4
    chosen = play(RandomOpenings(most, 50), [length] * 50, 20 * (length + 1)).reshape(20, length + 1, 50)
    numbers = chosen.sum(1)
    assert torch.equal(chosen, torch.arange(length + 1)[None, :, None] < numbers[:, None])
    counts = torch.bincount(numbers.flatten(), minlength=most + 1)
    assert len(counts) == most + 1
    assert counts.min() > 1000 / (most + 1) * 0.8


def test_a_match_that_ends_before_its_opening_does_leaves_nothing_to_the_next() -> None:
    chosen = play(RandomOpenings(6, 200), [2] * 200, 300).reshape(100, 3, 200)
    assert not chosen[:, 2].any()
    assert (chosen[:, 0].float().mean() - 6 / 7).abs() < 0.02
    assert (chosen[:, 1].float().mean() - 5 / 7).abs() < 0.02


def test_it_chooses_evenly_among_what_is_legal() -> None:
    openings = RandomOpenings(10**6, 3000)
    mask = torch.tensor([[True, False, True, True]]).expand(3000, 4)
    _, actions = openings.choose(None, None, mask, None, random_numbers(1, 6000))
    counts = torch.bincount(actions, minlength=4).tolist()
    assert counts[1] == 0
    assert all(abs(count - 1000) < 120 for count in (counts[0], counts[2], counts[3]))


def test_nothing_is_learned_from_random_steps_and_opening_plies_may_be_zero() -> None:
    shares = []
    for plies in (0, 4):
        settings = heap_config().as_data()
        settings["self_play"]["opening_plies"] = plies
        learner = heap_learner(parse_config(settings, "test"), HeapEnv(64))
        learner.iterate()
        shares.append((~learner.rollout.own)[learner.rollout.live].float().mean().item())
    assert shares[0] == 0
    assert 0.2 < shares[1] < 0.8


# Random numbers drawn ahead are those that the generator would have given step by step.


CPU = torch.device("cpu")


def test_each_row_takes_the_number_that_the_generator_would_have_given_it() -> None:
    ahead, step_by_step = (torch.Generator().manual_seed(7) for _ in range(2))
    chance = torch.Generator().manual_seed(1)
    numbers = NumbersAhead(ahead, 2000, CPU)
    for share in (1.0, 0.5, 0.0, 0.1, 0.9) * 4:
        flags = torch.rand(50, generator=chance) < share
        count = int(flags.sum())
        assert torch.equal(numbers.uniform(flags)[flags], torch.rand(count, generator=step_by_step))
        for end in (5, 1, 101, 10**6):
            few = flags & (torch.rand(50, generator=chance) < 0.3)
            expected = torch.randint(end, (int(few.sum()),), generator=step_by_step)
            assert torch.equal(numbers.below(end, few)[few], expected)
    numbers.finish()
    assert torch.equal(torch.rand(20, generator=ahead), torch.rand(20, generator=step_by_step))


def test_without_a_number_taken_the_generator_stays_where_it_was() -> None:
    generator = torch.Generator().manual_seed(3)
    before = generator.get_state()
    numbers = NumbersAhead(generator, 100, CPU)
    numbers.uniform(torch.zeros(8, dtype=torch.bool))
    numbers.finish()
    assert torch.equal(generator.get_state(), before)
