"""The seed of a reset, in every environment."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import alquerque_env
from alquerque_env.errors import AlquerqueError
from tests.sets import first_by_default

MAKERS = {
    "AEC": lambda: alquerque_env.env("fetaix"),
    "AEC without wrappers": lambda: alquerque_env.fetaix_v0.raw_env(),
    "one agent": lambda: gymnasium.make("alquerque/Fetaix-v0"),
    "many of one agent": lambda: gymnasium.make_vec("alquerque/Fetaix-v0", num_envs=2),
    "self-play": lambda: alquerque_env.SelfPlayVectorEnv("fetaix", 2),
}
TORCH = {"self-play by PyTorch": lambda: alquerque_env.SelfPlayVectorEnv("fetaix", 2, backend="torch")}


def drawn(environment: Any) -> int:
    return int(environment.unwrapped.np_random.integers(2**62))


@first_by_default
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.uint64])
def test_an_integer_of_numpy_is_the_same_seed_as_that_of_python(name: str, kind: Any) -> None:
    first, second = MAKERS[name](), MAKERS[name]()
    first.reset(seed=kind(7))
    second.reset(seed=7)
    assert drawn(first) == drawn(second)


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_may_have_any_number_of_digits(name: str) -> None:
    first, second = MAKERS[name](), MAKERS[name]()
    first.reset(seed=2**100)
    second.reset(seed=2**100 + 1)
    assert drawn(first) != drawn(second)


@pytest.mark.parametrize("name", [*MAKERS, *TORCH])
def test_a_seed_a_match_is_refused_because_one_generator_serves_all(name: str) -> None:
    if name in TORCH:
        pytest.importorskip("torch")
    environment = (MAKERS | TORCH)[name]()
    for seeds in ([1, 2], (1, 2), np.array([1, 2]), [None, 3]):
        with pytest.raises(AlquerqueError, match="expected one integer: one generator draws for all matches"):
            environment.reset(seed=seeds)


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_that_is_no_natural_number_is_refused_and_nothing_changes(name: str) -> None:
    environment = MAKERS[name]()
    environment.reset(seed=3)
    state = environment.unwrapped.np_random.bit_generator.state
    for wrong in (-1, np.int64(-1), 1.0, np.float64(2), True, np.bool_(True), "3"):
        with pytest.raises(AlquerqueError, match=r"^seed is .*, expected an integer of at least 0$"):
            environment.reset(seed=wrong)
    assert environment.unwrapped.np_random.bit_generator.state == state
