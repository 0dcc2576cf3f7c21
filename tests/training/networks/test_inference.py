"""The evaluation of many positions for a search."""

import numpy as np
import pytest
import torch
from alquerque_training.config.settings import NetworkConfig
from alquerque_training.networks import Shape, build_network
from alquerque_training.networks.inference import Inference

from alquerque_env import SelfPlayVectorEnv, load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.planes import plane_scale
from tests.array_forms import LAYOUTS, with_wrong_types

GAME, CONV = load_game("fetaix"), "conv_network:ResidualConv"


def inference(kind: str) -> Inference:
    shape, generator = Shape.of(GAME), torch.Generator().manual_seed(0)
    network = build_network(
        NetworkConfig(kind=kind, width=16, blocks=1), shape, torch.from_numpy(plane_scale(GAME)), generator
    )
    return Inference(network, torch.device("cpu"), torch.float32)


def some_planes() -> np.ndarray:
    env = SelfPlayVectorEnv(GAME, 5)
    env.reset(seed=0)
    for _ in range(5):
        planes, *_ = env.step(env.sample_actions())
    return planes


@pytest.mark.parametrize("form", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("kind", ["mlp", CONV])  # this one is given more rows, to round their number up
def test_observations_in_any_layout_are_evaluated_alike(kind, form):
    evaluate, planes = inference(kind), some_planes()

    for expected, found in zip(evaluate(planes), evaluate(form(planes)), strict=True):
        assert np.array_equal(expected, found)


@pytest.mark.parametrize("kind", ["mlp", CONV])
def test_other_observations_are_refused(kind):
    evaluate, planes = inference(kind), some_planes()

    for wrong in [*with_wrong_types(planes), planes[0], planes[:, 1:], planes[..., 1:], planes > 0]:
        with pytest.raises(AlquerqueError, match=r"^planes are .*, expected int8 \[R, 6, 25\]$"):
            evaluate(wrong)
