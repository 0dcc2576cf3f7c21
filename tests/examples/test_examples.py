"""The examples are short, documented and name what they need; two of them are run."""

import ast
import asyncio
import re
import runpy
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from alquerque_env import Match, load_table

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
NAMES = sorted(file.stem for file in EXAMPLES.glob("*.py"))
every_example = pytest.mark.parametrize("name", NAMES)

IMPORTED_AS = {"dm-tree": "tree", "open_spiel": "open_spiel", "ray": "ray", "sb3-contrib": "sb3_contrib"}
"""What a distribution is imported as, if that is not its name."""

LONGEST = {"alphazero_in_one_file": 400, "conv_network": 150, "maskable_ppo_graph": 120, "ppo_in_one_file": 250}
"""Lines, where an example may have more than 91: these do without the library that the others show."""


def source(name: str) -> str:
    return (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")


def requirements(name: str) -> dict[str, str]:
    """The versions of distributions in a requirements file."""
    lines = (EXAMPLES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return {re.sub(r"\[.*\]", "", line.partition("==")[0]): line.partition("==")[2] for line in lines}


def imports(name: str) -> set[str]:
    """The top-level packages that an example imports."""
    found = set()
    for node in ast.walk(ast.parse(source(name))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add(node.module.partition(".")[0])
    return found


@every_example
def test_an_example_is_short_and_documented_and_says_where_it_is_from(name: str) -> None:
    text = source(name)
    assert f"`{name}`" in PAGE
    assert len(text.splitlines()) <= LONGEST.get(name, 91)
    assert re.search(r"^Sources?: https://", ast.get_docstring(ast.parse(text)), re.MULTILINE)


@every_example
def test_an_example_has_a_file_of_requirements_with_one_version_each(name: str) -> None:
    assert all(re.fullmatch(r"\d+(\.\d+)+", version) for version in requirements(name).values())
    known = {"alquerque_env", "alquerque_training", "gymnasium", "numpy", "pettingzoo", *sys.stdlib_module_names}
    brought = {IMPORTED_AS.get(each, each) for each in requirements(name)}
    # OpenSpiel brings pyspiel, and sb3-contrib Stable-Baselines3.
    brought |= {"pyspiel"} if "open_spiel" in brought else set()
    brought |= {"stable_baselines3"} if "sb3_contrib" in brought else set()
    assert imports(name) <= known | brought


def test_every_file_of_requirements_is_that_of_an_example() -> None:
    assert sorted(file.stem for file in EXAMPLES.glob("*.txt")) == NAMES


@every_example
def test_no_example_hides_a_package_that_an_example_imports(name: str) -> None:
    # The folder of a script comes first on the path: a file named like a package is imported in its place.
    everything = set().union(*map(imports, NAMES), *map(requirements, NAMES), IMPORTED_AS.values())
    assert name not in {each.lower().replace("-", "_") for each in everything}


@every_example
def test_examples_of_libraries_that_fit_the_pins_use_the_pinned_versions(name: str) -> None:
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in constraints if not line.startswith("#"))
    assert all(pinned.get(each, version) == version for each, version in requirements(name).items())


@pytest.mark.parametrize(
    ("name", "library", "arguments", "least"),
    [
        ("maskable_ppo_opponent", "sb3_contrib", ["--steps", "10000"], 140),
        ("openspiel_mcts", "pyspiel", ["--simulations", "8"], 140),
    ],
)
@pytest.mark.slow
def test_a_short_run_beats_random_play(name: str, library: str, arguments: list[str], least: int) -> None:
    pytest.importorskip(library)
    command = [sys.executable, EXAMPLES / f"{name}.py", "fetaix", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    found = re.search(r"^fetaix: won (\d+) of 200", done.stdout, re.MULTILINE)
    assert found, done.stdout
    assert int(found[1]) >= least, done.stdout


# Short runs of AlphaZero and PPO in one file each.


SHORT = {
    "alphazero_in_one_file": shlex.split("--iterations 4 --matches 32 --batch 64 --simulations 8 --width 64"),
    "ppo_in_one_file": shlex.split("--iterations 12 --matches 128 --batch 512 --width 64"),
}


def each(test: Callable[..., None]) -> Callable[..., None]:
    """A test of each of them, which takes long and needs torch."""
    needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
    return pytest.mark.slow(needs_torch(pytest.mark.parametrize("name", SHORT)(test)))


def run(folder: Path, name: str, *arguments: str) -> str:
    """What an example prints, run in a folder."""
    command = [sys.executable, EXAMPLES / f"{name}.py", *arguments, "--opponent", "random"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@each
def test_a_short_run_writes_weights_that_beat_random_play(tmp_path, name):
    printed = run(tmp_path, name, "alquerque", *SHORT[name], "--weights", "first", "--opponent-matches", "60")
    won = re.search(r"^alquerque: won (\d+) of 60 against random", printed, re.MULTILINE)
    assert won, printed
    assert int(won[1]) > 40, printed

    again = run(tmp_path, name, *SHORT[name], "--evaluate", "--weights", "first", "--opponent-matches", "60")
    assert again.splitlines()[-1] == printed.splitlines()[-1]


@each
def test_a_game_with_draws_by_repetition_is_learned_too_and_the_same_seed_gives_the_same(tmp_path, name):
    short = ["--iterations", "1", "--matches", "8", "--width", "16", "--opponent-matches", "2"]
    for weights in ("first", "second"):
        printed = run(tmp_path, name, "draughts_international", *short, "--weights", weights)
        assert "draughts_international: won" in printed
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


@each
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent Ctrl-C alone there")
def test_ctrl_c_ends_a_run_in_one_line_and_saves_the_weights(tmp_path, name):
    command = [sys.executable, EXAMPLES / f"{name}.py", *SHORT[name][2:], "--weights", "saved"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline().startswith("iteration 1")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert errors.splitlines() == ["stopped by Ctrl-C"]
    assert (tmp_path / "saved").stat().st_size > 0


@each
@pytest.mark.parametrize(
    "wrong",
    [
        ["alquerqe"],
        ["--opponent", "gredy"],
        ["--weights", "no/folder"],
        ["--evaluate", "--weights", EXAMPLES / "run"],
        ["--evaluate", "--weights", EXAMPLES.parent / "checkpoints" / "alquerque" / "small" / "weights.safetensors"],
    ],
    ids=["game", "bot", "folder", "text", "checkpoint"],
)
def test_a_wrong_argument_is_refused_in_one_sentence_before_the_training(tmp_path, monkeypatch, capsys, name, wrong):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, wrong)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed, told = capsys.readouterr()
    assert (ended.value.code, printed) == (2, "")
    assert re.fullmatch(r"usage: .*\n.*: error: [^\n]*\n", told, re.DOTALL), told


# One network for all games.


@pytest.mark.slow
def test_a_short_run_in_drawn_games_ends() -> None:
    pytest.importorskip("sb3_contrib")
    command = [sys.executable, EXAMPLES / "maskable_ppo_graph.py", "--steps", "512", "--games", "9", "--matches", "4"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^[\d.]+% before, [\d.]+% after$", done.stdout, re.MULTILINE)


@pytest.mark.slow
def test_the_network_for_all_games_learns_with_ppo_in_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the network is another one: it turns the planes that it is given into graphs."""
    pytest.importorskip("sb3_contrib")
    import maskable_ppo_graph
    import numpy as np
    import ppo_in_one_file
    import torch

    from alquerque_env import GraphForm, evaluate, load_game

    class Network(ppo_in_one_file.Network):
        def __init__(self, game: object) -> None:
            torch.nn.Module.__init__(self)
            self.game, self.form = game, GraphForm(game)
            self.register_buffer("scale", torch.ones(1))
            sizes = (self.form.shape[name][-1] for name in ("points", "links", "facts"))
            self.graph = maskable_ppo_graph.GraphNetwork(*sizes)
            self.value = torch.nn.Linear(self.graph.width, 1)

        def forward(self, planes: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            seen = self.form(np.ascontiguousarray(planes.numpy()))
            logits, summary = self.graph({name: torch.from_numpy(part) for name, part in seen.items()})
            logits = logits[:, : mask.shape[1]].masked_fill(mask == 0, ppo_in_one_file.ILLEGAL)
            return logits.log_softmax(1), self.value(summary).tanh().squeeze(1)

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = Network(load_game("felli_simplified"))
    told = {"iterations": 10, "seed": 0, "matches": 64, "steps": 32, "batch": 512, "learning_rate": 2e-3}
    before = evaluate(network.best, network.game, "random", 200, batched=True)
    ppo_in_one_file.train(network, type("Arguments", (), told))
    after = evaluate(network.best, network.game, "random", 200, batched=True)
    assert after.wins > max(120, before.wins)


# Positions for language models.


@pytest.fixture
def positions(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES / "alquerque_values")
    return import_module("alquerque_positions")


@pytest.mark.slow
def test_the_reward_of_a_text_is_whether_its_step_keeps_the_exact_value(positions):
    table = load_table("pretwa")
    asked = list(positions.questions("obscure", 60))
    for each in asked:
        match = Match(each.game, each.position, table=table)
        values = {step.step.text: step.value for step in table.steps(match)}
        for text, value in values.items():
            assert each.reward(f"Not [a1-a1], but [{text}].") == (value == match.value)
            assert each.is_legal(f"[{text}]")
        assert len(set(values.values())) > 1
        assert each.reward("[zz]") == each.reward("none") == each.is_legal("[zz]") == 0
        assert ("The legal steps are: " in each.prompt(shows_legal=True)) > (
            "legal steps are" in each.prompt(shows_legal=False)
        )
    assert positions.score("random", asked) < 0.75 < 0.85 < positions.score("alphabeta:3", asked)
    assert {each.game.name for each in positions.questions("famous", 2)} == {"draughts_english"}


@pytest.mark.slow
def test_the_taskset_for_verifiers_gives_the_same_reward(positions):
    vf = pytest.importorskip("verifiers.v1")
    values = import_module("alquerque_values")
    for task in values.AlquerqueTaskset(values.Config(positions=3)):
        asked = vf.TraceTask(type="AlquerqueTask", data=task.data, key=task.key, hash=task.hash)
        for reply, reward in ((f"[{task.data.keeping[0]}]", 1.0), ("[zz]", 0.0)):
            agent = vf.AgentInfo(config=vf.AgentConfig())
            trace = vf.Trace(task=asked, agent=agent, root_reply=reply, state=vf.State())
            asyncio.run(task.score(trace))
            assert (trace.rewards["keeps_value"].score, trace.metrics["is_legal"]) == (reward, reward)
