"""Random first steps of the matches that PPO learns from."""

import torch
from alquerque_training.experience.numbers_ahead import NumbersAhead
from alquerque_training.experience.opponents import RandomOpenings
from alquerque_training.run.config_file import parse_config

from tests.training.heap_game import HeapEnv, heap_config, heap_learner


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
