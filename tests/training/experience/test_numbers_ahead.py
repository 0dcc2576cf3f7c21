"""Random numbers drawn ahead are those that the generator would have given step by step."""

import torch
from alquerque_training.experience.numbers_ahead import NumbersAhead

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
