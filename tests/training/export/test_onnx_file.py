"""An exported ONNX file computes what the checkpoint's bot does, for any number of positions."""

import json
from pathlib import Path

import numpy as np
import pytest
from alquerque_training.checkpoints.torch_bot import load_checkpoint_bot
from click.testing import CliRunner

from alquerque_env import load_game
from alquerque_env.bots.network.numpy_bot import load_numpy_bot
from alquerque_env.bots.shipped import WEIGHTS
from alquerque_env.cli.main import main
from alquerque_env.game.planes import planes
from alquerque_env.search import SearchFeatures
from tests.drawn_matches import matches
from tests.training.random_checkpoints import save_random_checkpoint

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")
from alquerque_training.export.onnx_file import export_onnx  # noqa: E402

pytestmark = pytest.mark.slow  # the exporter of torch takes seconds to begin

CONV = "conv_network:ResidualConv"
# Games with passes, promotion, two roles, and planes of links, and one with twelve symmetries.
CASES = [
    ("alquerque", {"kind": "mlp"}),
    ("alquerque", {"kind": "mlp", "search_features": 1}),
    ("alquerque", {"kind": CONV}),
    ("pretwa", {"kind": "mlp", "canonical": True}),
    ("pretwa", {"kind": "mlp", "canonical": True, "search_features": 1}),
    ("fetaix", {"kind": "mlp", "sees_clock": False}),
    ("fetaix", {"kind": CONV, "sees_clock": False}),
    ("bagh_chal", {"kind": "mlp"}),
    ("bagh_chal", {"kind": CONV}),
]


def session(file: Path) -> "onnxruntime.InferenceSession":
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


@pytest.mark.parametrize(("name", "settings"), CASES)
def test_the_file_computes_what_the_bot_does(name: str, settings: dict, tmp_path: Path) -> None:
    game = load_game(name)
    checkpoint = save_random_checkpoint(tmp_path / "checkpoint", game, **settings)
    load = load_numpy_bot if settings["kind"] == "mlp" else load_checkpoint_bot
    network = load(checkpoint, game).evaluator
    seen = np.stack([match.observation() for match in matches(game, 9)])
    logits, values = network.evaluate(seen)

    file = export_onnx(checkpoint, tmp_path / "network.onnx").path
    assert b".py" not in file.read_bytes()  # no lines of source code, and no paths of this machine
    run = session(file)

    depth = settings.get("search_features")
    given = {"planes": seen}
    if depth is not None:
        given["codes"] = SearchFeatures(game)(seen, depth)
    for count in (1, 2, 9):
        found = run.run(["logits", "value"], {key: array[:count] for key, array in given.items()})
        np.testing.assert_allclose(found[0], logits[:count], rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(found[1], values[:count], rtol=1e-4, atol=1e-4)
    assert np.ptp(values) > 0.01  # so that the comparison says something
    facts = run.get_modelmeta().custom_metadata_map
    assert (facts["game"], facts["table_hash"], facts.get("search_features")) == (
        game.name,
        game.table_hash,
        None if depth is None else str(depth),
    )
    assert json.loads(facts["options"]) == dict(game.options)
    assert json.loads(facts["planes"]) == [plane.name for plane in planes(game)]


def test_the_command_writes_the_whole_file_or_none(tmp_path: Path) -> None:
    game = load_game("felli")
    checkpoint = save_random_checkpoint(tmp_path / "checkpoint", game)
    file = tmp_path / "network.onnx"

    (checkpoint / WEIGHTS).rename(tmp_path / "weights")
    damaged = CliRunner().invoke(main, ["export", str(checkpoint), "--onnx", str(file)])
    assert damaged.exit_code != 0
    assert not file.exists()
    (tmp_path / "weights").rename(checkpoint / WEIGHTS)

    both = CliRunner().invoke(main, ["export", str(checkpoint), "--onnx", str(file), "-o", str(tmp_path / "bot.py")])
    assert both.exit_code == 2
    assert not file.exists()

    written = CliRunner().invoke(main, ["export", str(checkpoint), "--onnx", str(file)])
    assert (written.exit_code, written.output) == (0, f"wrote {file}, a network of felli for ONNX\n")
    model = session(file)
    assert [(one.name, one.shape, one.type) for one in (*model.get_inputs(), *model.get_outputs())] == [
        ("planes", ["batch", len(planes(game)), len(game.board.points)], "tensor(int8)"),
        ("logits", ["batch", game.num_actions], "tensor(float)"),
        ("value", ["batch"], "tensor(float)"),
    ]
    assert [path.name for path in tmp_path.iterdir() if path != checkpoint] == ["network.onnx"]
