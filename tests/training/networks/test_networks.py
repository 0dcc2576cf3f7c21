"""The networks behind their interface: what they take and give, what they cannot see, and that they learn."""

import itertools
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from alquerque_training.checkpoints.checkpoint import META, CheckpointError, load_checkpoint, make_meta, save_checkpoint
from alquerque_training.checkpoints.torch_bot import load_checkpoint_bot
from alquerque_training.config.loader import ConfigError, parse_config
from alquerque_training.config.settings import Config, NetworkConfig
from alquerque_training.export.exported_file import ExportError
from alquerque_training.export.exporter import export_player
from alquerque_training.networks import NETWORKS, Geometry, NetworkError, PolicyValueNetwork, Shape, build_network
from alquerque_training.networks.board_geometry import Maker, Move
from alquerque_training.networks.inference import Inference
from alquerque_training.ppo import PPOLearner
from torch import Tensor, nn

from alquerque_env import Match, SelfPlayVectorEnv, games, load_game
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.game.planes import plane_scale, planes
from alquerque_env.search import PUCT, BatchSearch, Rule
from alquerque_env.search.both_masks import BothMasks
from alquerque_env.search.quiescence import EVEN, SearchFeatures
from tests.game.test_planes import SYMMETRIC, observe
from tests.option_values import few_first, few_games
from tests.sets import first_by_default

CULIN = ("awithlaknannai_mosona", {"board": "culin"})
GAMES = [*((name, {}) for name in games()), CULIN, ("alquerque", {"undo_scope": "never_revisit"})]
FEATURES = "mlp with search features"
KINDS = (*NETWORKS, FEATURES)
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]
of_every_kind = pytest.mark.parametrize("kind", KINDS)
in_every_game = pytest.mark.parametrize(
    ("name", "options"), few_first(GAMES), ids=[f"{name}-{len(rest)}" for name, rest in GAMES]
)


@cache
def load(name: str, *options: tuple[str, object]) -> Game:
    return load_game(name, **dict(options))


def load_for(kind: str, name: str, options: dict[str, object]) -> Game:
    game = load(name, *options.items())
    if kind == FEATURES and game.board.is_wide and JIT:
        pytest.skip("the compiled search of search features takes at most 63 points")
    return game


def settings(kind: str) -> dict[str, object]:
    return {"kind": "mlp", "search_features": 0} if kind == FEATURES else {"kind": kind}


def network(
    kind: str, game: Game, *, width: int = 16, blocks: int = 2, seed: int = 0, **others: bool
) -> PolicyValueNetwork:
    config = NetworkConfig(**settings(kind), width=width, blocks=blocks, **others)
    generator = torch.Generator().manual_seed(seed)
    return build_network(config, Shape.of(game), torch.from_numpy(plane_scale(game)), generator)


def opinionated(kind: str, game: Game, seed: int = 0, *, canonical: bool = False) -> PolicyValueNetwork:
    """A network that has left its cautious beginnings: logits and values differ from position to position."""
    made, generator = network(kind, game, seed=seed, canonical=canonical), torch.Generator().manual_seed(seed + 1)
    for name, parameter in made.named_parameters():
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=generator)
        if name.split(".")[0] in {"policy", "origin", "target", "stop"}:
            parameter.data *= 3
    return made.eval()


@cache
def positions(game: Game, count: int = 48) -> tuple[Tensor, Tensor]:
    """int8 `[N, C, P]` planes and bool `[N, A]` masks of positions of random play, some of them after all drops."""
    env = SelfPlayVectorEnv(game, 8)
    shown, info = env.reset(seed=3)
    seen = []
    for _ in range(4 * count // 8 + len(game.schedule)):
        seen.append((shown, info["action_mask"].astype(bool)))
        shown, *_, info = env.step(env.sample_actions())
    kept = [(one, mask) for rows in seen[1::4] for one, mask in zip(*rows, strict=True) if mask.any()]
    return torch.from_numpy(np.stack([one for one, _ in kept])), torch.from_numpy(np.stack([mask for _, mask in kept]))


# What they take and give.


@first_by_default
@of_every_kind
@in_every_game
def test_a_new_network_has_nearly_uniform_policies_and_small_values(kind, name, options) -> None:
    """But for what is told that steps gain: two for each piece."""
    game = load_for(kind, name, options)
    shown, mask = positions(game)

    logits, values = network(kind, game)(shown)

    assert logits.shape == (len(shown), game.num_actions)
    assert values.shape == (len(shown),)
    assert logits.dtype == values.dtype == torch.float32
    assert logits.is_contiguous()  # a transposed view would be copied at every evaluation of a search
    if kind == FEATURES:
        codes = torch.from_numpy(SearchFeatures(game)(shown.numpy()))
        assert codes[mask].unique().numel() >= 2
        logits = logits - 2 * (codes - EVEN) * mask
    assert (logits.amax(1) - logits.amin(1)).max() < 0.3
    assert values.abs().max() < 0.3


@first_by_default
@of_every_kind
@in_every_game
def test_every_parameter_is_learned(kind, name, options) -> None:
    game = load_for(kind, name, options)
    shown, _ = positions(game)
    made, generator = opinionated(kind, game), torch.Generator().manual_seed(0)

    logits, values = made(shown)
    wanted = torch.randn(logits.shape, generator=generator), torch.randn(values.shape, generator=generator)
    ((logits * wanted[0]).sum() + (values * wanted[1]).sum()).backward()

    assert {name: bool(weight.grad.any()) for name, weight in made.named_parameters()} == {
        name: True for name, _ in made.named_parameters()
    }


def test_a_network_with_masks_is_given_the_steps_of_both_players() -> None:
    """Without the weights of the planes it judges two positions alike where both have the same steps, only there."""
    game = load("fetaix")
    made = network("mlp", game, masks=True).eval()
    shown, mask = positions(game, 480)
    made.input.weight.data[:, : len(planes(game)) * len(game.board.points)] = 0

    values = made(shown)[1].tolist()

    masks = BothMasks(game)(shown.numpy())
    assert np.array_equal(masks[:, 0], mask.numpy())
    same = [(left == right).all() for left, right in itertools.combinations(masks, 2)]
    assert same == [left == pytest.approx(right, abs=1e-7) for left, right in itertools.combinations(values, 2)]
    assert 0 < sum(same) < len(same)


@of_every_kind
def test_the_seed_says_what_the_weights_are(kind) -> None:
    game = load("alquerque")
    one, again, other = (network(kind, game, seed=seed).state_dict() for seed in (1, 1, 2))

    assert all(torch.equal(one[name], again[name]) for name in one)
    assert all(not torch.equal(one[name], other[name]) for name in one if name.endswith("weight"))


@first_by_default
@of_every_kind
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-5), (torch.bfloat16, 0.06)])
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona"])
def test_another_number_type_gives_the_same_answers_in_that_type(kind, device, dtype, tolerance, name) -> None:
    game = load(name)
    made, shown = opinionated(kind, game), positions(game)[0]
    with torch.inference_mode():
        logits, values = made(shown)
        other_logits, other_values = made.to(device, dtype)(shown.to(device))

    assert other_logits.dtype == other_values.dtype == dtype
    assert (other_logits.cpu() - logits).abs().max() < tolerance * logits.std() * 5
    assert (other_values.cpu() - values).abs().max() < tolerance
    assert logits.std() > 0.1
    assert values.std() > 0.003


@of_every_kind
def test_a_position_is_answered_alike_in_any_batch(kind) -> None:
    game = load("fetaix")
    made, shown = opinionated(kind, game), positions(game)[0]

    logits, values = made(shown)

    for row in (0, 7):
        alone = made(shown[row : row + 1])
        assert torch.allclose(alone[0][0], logits[row], atol=1e-5)
        assert torch.allclose(alone[1][0], values[row], atol=1e-5)


@of_every_kind
def test_no_positions_have_no_answers(kind) -> None:
    """PPO asks about none where every player has a single legal step, as at the start of `felli`."""
    game = load("fetaix")
    logits, values = opinionated(kind, game)(positions(game)[0][:0])

    assert logits.shape == (0, game.num_actions)
    assert values.shape == (0,)


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        ("conv", "network.kind = 'conv'"),
        ("graph", "network.kind = 'graph'"),
        (FEATURES, "network.search_features"),
    ],
)
def test_a_network_of_the_board_is_refused_without_one(kind, setting) -> None:
    shape = Shape(planes=2, points=3, actions=4)

    with pytest.raises(NetworkError, match=f"{setting} needs the geometry of a game"):
        build_network(NetworkConfig(**settings(kind)), shape, torch.ones(2), torch.Generator())


def test_sizes_that_are_left_out_suit_the_kind() -> None:
    found = {kind: parse_config({"network": settings(kind)}, "test").network for kind in KINDS}

    assert {kind: (config.width, config.blocks) for kind, config in found.items()} == {
        "mlp": (128, 2),
        "conv": (32, 4),
        "graph": (64, 4),
        FEATURES: (128, 2),
    }
    assert parse_config({"network": {"kind": "conv", "width": 9}}, "test").network.width == 9
    assert NetworkConfig() == NetworkConfig(kind="mlp", width=128, blocks=2)
    with pytest.raises(ConfigError, match=r"network\.kind is 7, expected 'mlp', 'conv' or 'graph'"):
        parse_config({"network": {"kind": 7}}, "test")


# The geometry.


def test_the_geometry_has_the_steps_of_both_sides() -> None:
    """On b2, where five lines meet, men go west, east and up; a man of the other side goes down."""
    game = load("alquerque")
    index, makers = game.board.index, {link.move: link.makers for link in Geometry.of(game).links}
    own, enemy = Maker(is_enemy=False, is_king=False), Maker(is_enemy=True, is_king=False)

    assert makers[Move(index["b2"], index["b3"], None)] == {own}
    assert makers[Move(index["b3"], index["b2"], None)] == {enemy}
    assert makers[Move(index["b2"], index["c2"], None)] == {own, enemy}
    assert own in makers[Move(index["a1"], index["c3"], index["b2"])]
    assert Move(index["b2"], index["c2"], index["c2"]) not in makers


@in_every_game
def test_every_action_is_a_link_of_the_player_to_move(name, options) -> None:
    geometry = Geometry.of(load(name, *options.items()))
    makers = {link.move: link.makers for link in geometry.links}

    assert len(makers) == len(geometry.links)
    # Where the sides differ, both share the actions, and some belong to one of them alone.
    shared = not load(name, *options.items()).has_roles
    assert all(any(not (maker.is_enemy and shared) for maker in makers[move]) for move in geometry.moves)


def test_men_are_promoted_on_the_far_row_of_the_board() -> None:
    geometry = Geometry.of(load("fetaix"))

    assert geometry.zones == (frozenset(range(20, 25)), frozenset(range(5)))
    assert Geometry.of(load("alquerque_murray")).zones == (frozenset(), frozenset())


@pytest.mark.parametrize("options", [{}, {"undo_scope": "never_revisit"}])
def test_memory_is_found_where_the_observation_shows_it(options) -> None:
    game = load("alquerque", *options.items())
    geometry, seen = Geometry.of(game), observe(Match(game, "W:Wb3:Be5:Ub3-c3"))
    shown = {link.move for link in geometry.links if link.memory is not None and seen[link.memory]}
    order = [plane.name for plane in planes(game)]

    assert shown == {Move(game.board.index["b3"], game.board.index["c3"], None)}
    assert [order[plane] for plane in geometry.fact_planes] == ["own_men", "enemy_men", "chain"]


# What they cannot see.


def image(shown: Tensor, of_planes: tuple[int, ...], of_points: tuple[int, ...]) -> Tensor:
    moved = torch.zeros_like(shown)
    moved[:, torch.tensor(of_planes)[:, None], torch.tensor(of_points)] = shown
    return moved


@first_by_default
@pytest.mark.parametrize(("name", "options", "count"), SYMMETRIC)
def test_a_graph_gives_the_image_of_a_position_the_image_of_its_policy_and_the_same_value(name, options, count) -> None:
    game = load(name, *options.items())
    made, (shown, _) = opinionated("graph", game), positions(game)
    logits, values = made(shown)

    assert len(game.symmetries) == count
    for symmetry in game.symmetries:
        other_logits, other_values = made(image(shown, symmetry.planes, symmetry.points))
        assert torch.allclose(other_logits[:, torch.tensor(symmetry.actions)], logits, atol=1e-4)
        assert torch.allclose(other_values, values, atol=1e-5)
    assert logits.std() > 0.1
    assert values.std() > 0.003


@of_every_kind
@pytest.mark.parametrize(("name", "options"), [("pretwa", {}), ("fetaix", {"capture_removal": "end_of_turn"})])
def test_a_network_of_canonical_images_judges_all_images_alike(name: str, options, kind: str) -> None:
    game = load(name, *options.items())
    shown, _ = positions(game)
    images = [image(shown, symmetry.planes, symmetry.points) for symmetry in game.symmetries]
    # Those that are an image of themselves have more than one image of an action.
    own = torch.stack([(other == shown).flatten(1).all(1) for other in images[1:]]).any(0)
    made, plain = opinionated(kind, game, canonical=True), opinionated(kind, game)
    logits, values = made(shown)

    assert len(images) == {"pretwa": 12, "fetaix": 2}[name]
    assert (~own).sum() > 20
    for symmetry, other in zip(game.symmetries, images, strict=True):
        other_logits, other_values = made(other)
        assert torch.allclose(other_logits[~own][:, torch.tensor(symmetry.actions)], logits[~own], atol=1e-4)
        assert torch.allclose(other_values, values, atol=1e-5)
    if kind in ("mlp", FEATURES):
        assert not torch.allclose(plain(images[-1])[1], plain(shown)[1], atol=1e-3)


@pytest.mark.parametrize(("name", "options"), [("alquerque", {}), ("pretwa", {"repetition": "threefold_draw"})])
def test_canonical_images_are_refused_where_a_position_is_more_than_its_pieces(name: str, options) -> None:
    with pytest.raises(AlquerqueError, match=f"pieces alone.* {name} is another") as refused:
        network("mlp", load(name, *options.items()), canonical=True)
    assert "\n" not in str(refused.value)


def test_a_graph_knows_which_way_men_go() -> None:
    """The half-turn is a symmetry of the board and not of the rules."""
    game = load("fetaix")
    made, (shown, _) = opinionated("graph", game), positions(game)

    turned = image(shown, game.symmetries[0].planes, game.board.half_turn)

    assert (made(turned)[1] - made(shown)[1]).abs().max() > 0.01


@pytest.mark.parametrize("name", few_games())
def test_a_convolution_with_its_kernels_mirrored_sees_the_mirror_image(name: str) -> None:
    """So cells, planes and directions are where they should be; on boards with gaps as well."""
    game = load(name)
    _, *mirrors = (
        symmetry
        for symmetry in game.symmetries
        if all(game.board.points[a][1] == game.board.points[b][1] for a, b in enumerate(symmetry.points))
    )
    if not mirrors:
        pytest.skip("the board has no mirror image, as that of draughts, where a corner lies on one diagonal only")
    (mirror,) = mirrors
    made, other, (shown, _) = opinionated("conv", game), opinionated("conv", game), positions(game)
    for layer in other.modules():
        if isinstance(layer, nn.Conv2d):
            layer.weight.data = layer.weight.data.flip(-1)
    renamed = torch.tensor([*mirror.planes, len(mirror.planes)])
    other.input.weight.data[:, renamed] = other.input.weight.data.clone()
    directions = made.origin.out_features
    places = torch.tensor(mirror.actions)[: len(made.starts)]
    for layer in (other.origin, other.target):
        for parameter in (layer.weight, layer.bias):
            parameter.data[made.starts[places] % directions] = parameter.data.clone()[made.starts % directions]

    logits, values = made(shown)
    other_logits, other_values = other(image(shown, mirror.planes, mirror.points))

    assert torch.allclose(other_logits[:, torch.tensor(mirror.actions)], logits, atol=1e-4)
    assert torch.allclose(other_values, values, atol=1e-5)
    assert not torch.allclose(made(image(shown, mirror.planes, mirror.points))[1], values, atol=1e-3)


@pytest.mark.parametrize(("inside", "is_seen"), [(False, False), (True, True)])
def test_cells_outside_the_board_never_affect_the_output(inside, is_seen) -> None:
    game = load("awithlaknannai_mosona")
    made, (shown, _) = opinionated("conv", game), positions(game)
    before = made(shown)
    noise = 1000 * (made.on_board if inside else 1 - made.on_board)
    assert noise.any()

    def disturb(_layer: nn.Module, _inputs: object, output: Tensor) -> Tensor:
        return output + noise

    for layer in made.modules():
        if isinstance(layer, nn.Conv2d):
            layer.register_forward_hook(disturb)
    after = made(shown)

    assert [not torch.equal(one, other) for one, other in zip(before, after, strict=True)] == [is_seen, is_seen]


# Use.


@of_every_kind
@pytest.mark.parametrize("name", ["fetaix", "alquerque"])  # with and without a pass
def test_a_search_plays_by_the_logits_of_its_own_position(kind, name) -> None:
    """Kernels once misread the transposed logits of `graph` as those of other positions and actions."""
    game = load(name)
    made, matches, match = opinionated(kind, game), [], Match(game)
    while len(matches) < 8:
        match.push(match.legal_steps[len(matches) % len(match.legal_steps)])
        matches += [match.copy()] if len(match.legal_steps) > 1 else []
    shown = torch.from_numpy(np.stack([observe(match) for match in matches]))
    states = np.array([match.state for match in matches], np.int64)

    search = BatchSearch(game, len(matches), 0, Rule(kind=PUCT))
    found = search.run(states, np.zeros((8, 1), np.int64), Inference(made, torch.device("cpu"), torch.float32), 0)

    with torch.inference_mode():
        logits = made(shown)[0]
    for row, match in enumerate(matches):
        legal = [step.action for step in match.legal_steps]
        assert found.actions[row] == legal[int(logits[row, legal].argmax())]


@first_by_default
@of_every_kind
@pytest.mark.parametrize("name", ["alquerque", "awithlaknannai_mosona_davis"])
def test_a_network_can_fit_eight_positions(kind, name) -> None:
    game = load(name)
    shown, masks = (rows[-16:-8] for rows in positions(game))
    actions = torch.multinomial(masks.float(), 1, generator=torch.Generator().manual_seed(0))[:, 0]
    results = torch.tensor([0.6, -0.6, 0, 0.6, -0.6, 0, 0.6, -0.6])
    made = network(kind, game, width=32)
    optimizer = torch.optim.Adam(made.parameters())
    assert len(torch.unique(shown.flatten(1), dim=0)) == len(shown) == 8

    for step in range(300):
        logits, values = made(shown)
        loss = nn.functional.cross_entropy(logits, actions) + 4 * ((values - results) ** 2).mean()
        optimizer.param_groups[0]["lr"] = 3e-3 * (1 - step / 300)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(made.parameters(), 1.0)
        optimizer.step()

    logits, values = made(shown)
    assert torch.softmax(logits, -1).gather(1, actions[:, None]).min() > 0.8
    assert (values - results).abs().max() < 0.1


def saved(path: Path, game: Game, kind: str) -> tuple[Path, PolicyValueNetwork]:
    made = opinionated(kind, game)
    config = Config(network=NetworkConfig(**settings(kind), width=16, blocks=2))
    save_checkpoint(path, make_meta(game, made, config, steps=0, wall_time=0, strength=[]), made)
    return path, made


@first_by_default
@of_every_kind
@pytest.mark.parametrize("name", ["alquerque", "fetaix", "awithlaknannai_mosona"])
def test_a_checkpoint_of_every_kind_is_read_and_plays(tmp_path, kind, name) -> None:
    game = load(name)
    path, made = saved(tmp_path / "one", game, kind)
    loaded, shown = load_checkpoint(path, game), positions(game)[0]

    for one, other in zip(made(shown), loaded.network(shown), strict=True):
        assert torch.equal(one, other)
    match = Match(game)
    policy, value = load_checkpoint_bot(path, game).evaluate(match)
    logits, values = made(torch.from_numpy(observe(match))[None])
    expected = torch.softmax(logits[0, [step.action for step in match.legal_steps]], -1)
    assert list(policy.values()) == pytest.approx(expected.tolist(), abs=1e-5)
    assert value == pytest.approx(values.item(), abs=1e-5)


def test_the_constants_of_the_board_are_not_saved() -> None:
    for kind in KINDS:
        made = network(kind, load("fetaix"))
        assert set(made.state_dict()) == {"plane_scale", *(name for name, _ in made.named_parameters())}


@pytest.mark.parametrize("kind", ["conv", "graph"])
def test_a_checkpoint_with_the_shape_of_another_board_is_refused(tmp_path, kind) -> None:
    game = load("alquerque")
    path, _ = saved(tmp_path / "one", game, kind)
    data = json.loads((path / META).read_text())
    data["shape"]["points"] = 24
    (path / META).write_text(json.dumps(data))

    with pytest.raises(
        CheckpointError, match=r"meta\.json: shape is .*points=24.*, this game has .*points=25"
    ) as error:
        load_checkpoint(path, game)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["conv", "graph"])
def test_only_what_plain_python_can_evaluate_is_exported(tmp_path, kind) -> None:
    path, _ = saved(tmp_path / "one", load("alquerque"), kind)

    with pytest.raises(ExportError, match=f"the network is of kind '{kind}', only 'mlp' can be exported"):
        export_player(path, tmp_path / "bot.py")
    assert not (tmp_path / "bot.py").exists()


@of_every_kind
def test_every_kind_can_be_trained(kind) -> None:
    game = load("awithlaknannai_mosona")
    sizes = {"self_play": {"num_games": 8, "rollout_steps": 8}, "ppo": {"minibatch_size": 32}}
    config = parse_config({**sizes, "network": {**settings(kind), "width": 8, "blocks": 1}}, "test")
    learner = PPOLearner(config, SelfPlayVectorEnv(game, 8), Geometry.of(game))
    before = {name: weight.clone() for name, weight in learner.network.named_parameters()}

    record = learner.iterate()

    assert all(np.isfinite(number) for number in record.values())
    assert all(not torch.equal(weight, before[name]) for name, weight in learner.network.named_parameters())
