"""The exported player: the checkpoint's choices without any package, its program, and the file itself."""

import ast
import builtins
import contextlib
import importlib.util
import json
import os
import random
import re
import shutil
import signal
import subprocess
import symtable
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from alquerque_training.checkpoints.checkpoint import META
from alquerque_training.checkpoints.torch_bot import load_checkpoint_bot
from alquerque_training.export.exported_file import ExportError
from alquerque_training.export.exporter import export_player
from alquerque_training.export.packing import WeightReader, pack_weights
from alquerque_training.export.player.bigint_vectors import Layer
from click.testing import CliRunner

from alquerque_env import Match, games, load_bot, load_game
from alquerque_env.bots.network.numpy_bot import load_numpy_bot
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.cli.main import main
from alquerque_env.game.game import Game
from alquerque_env.match.records import read_records
from tests.drawn_matches import matches
from tests.option_values import CORE, core_first, marks_of
from tests.own_games import write_game
from tests.position_images import images
from tests.sets import first_by_default, first_case
from tests.training.random_checkpoints import save_random_checkpoint

CASES = [
    *((name, {}) for name in games()),
    ("alquerque", {"undo_scope": "never_revisit", "last_rank_frozen": True, "capture_removal": "end_of_turn"}),
    ("alquerque", {"undo_cleared_by_jump": False, "capture": "optional"}),
    ("fetaix", {"repetition": "threefold_draw", "man_capture_dirs": "all", "max_capture": "most_pieces"}),
    ("fetaix", {"chain": "optional", "opening": "straight_only", "midchain_promotion": "promote_and_continue"}),
    ("fetaix", {"mullah_landing": "must_continue", "no_moves": "pass", "capture_removal": "end_of_turn"}),
    ("alquerque_murray", {"no_moves": "majority", "no_progress_limit": 9, "no_progress_result": "majority"}),
    ("awithlaknannai_mosona", {"chain": "optional", "chain_may_return_to_start": False, "board": "zigzag"}),
]
# Cases whose network has search features: where captures are optional, plain Python takes long to compute them.
SEARCH_FEATURES = {
    case
    for case in range(len(games()), len(CASES))
    if "optional" not in CASES[case][1].values() and CASES[case][0] in {"alquerque", "fetaix"}
}
CORE_CASES = [case for case, (name, _) in enumerate(CASES) if name in CORE]
every_case = pytest.mark.parametrize(
    "case", [pytest.param(case, marks=marks_of(name)) for case, (name, _) in enumerate(CASES)]
)
POSITIONS, SEARCHED = 100, 8
SIMULATIONS = 30
MID_CHAIN = "W:Wc3:Bd3,e4,b2:Cc3"


class Player:
    """An exported player, beside its checkpoint and the bot of that."""

    def __init__(self, folder: Path, game: Game, checkpoint: Path, *, is_named: bool = False) -> None:
        self.game, self.checkpoint = game, checkpoint
        self.file = folder / "player.py"
        self.written = export_player(self.checkpoint, self.file, game=game if is_named else None)
        self.module = load_module(self.file)

    def run(self, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        return run(self.file, *arguments, **options)


def load_module(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("exported_player", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(file: Path, *arguments: str, python: str = sys.executable, **options: object) -> subprocess.CompletedProcess:
    """Runs an exported player in an empty folder, without site packages."""
    empty = file.parent / "empty"
    empty.mkdir(exist_ok=True)
    command = [python, "-I", "-S", str(file), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=empty, **options)


@pytest.fixture(scope="module")
def make_player(tmp_path_factory: pytest.TempPathFactory):
    @cache
    def make(case: int) -> Player:
        name, options = CASES[case]
        depth = int("mullah_landing" in options) if case in SEARCH_FEATURES else "off"
        folder, game = tmp_path_factory.mktemp("player"), load_game(name, **options)
        exploration = (0.3, 1.2)[case % 2]
        checkpoint = save_random_checkpoint(folder / "checkpoint", game, search_features=depth, exploration=exploration)
        return Player(folder, game, checkpoint)

    return make


@pytest.fixture(scope="module")
def fetaix(make_player) -> Player:
    return make_player(games().index("fetaix"))


@pytest.fixture(scope="module")
def murray(make_player) -> Player:
    return make_player(games().index("alquerque_murray"))


def forget_history(match: Match) -> Match:
    return Match(match.game, position=match.position)


@first_by_default
@pytest.mark.parametrize("positions", [POSITIONS, pytest.param(1000, marks=pytest.mark.long)])
@every_case
def test_the_file_says_and_chooses_what_its_checkpoint_does(make_player, case: int, positions: int) -> None:
    player = make_player(case)
    found = [forget_history(match) for match in matches(player.game, positions, seed=case)]
    mid_chain = sum(match.chain is not None for match in found)
    assert mid_chain > 2 or player.game.rules.chain == "single" or player.game.board.is_wide
    for simulations, some in ((0, found), (SIMULATIONS, found[:SEARCHED])):
        bot = load_checkpoint_bot(player.checkpoint, player.game, simulations)
        for match in some:
            thought = think_alike(player, bot, match, simulations, 1e-6)
            assert thought["turn"] == player.module.choose(match.position, simulations) == turn_of(bot, match)
            whole = match.copy()
            whole.push(thought["turn"])
            if whole.chain is not None:
                whole.push("pass")  # a single leap is also the text of a turn that stops there
            assert whole.is_over or whole.player != match.player or player.game.rules.no_moves == "pass"


def think_alike(player: Player, bot, match: Match, simulations: int, tolerance: float) -> dict:
    """What a player thinks of a position, after checking that the bot of its checkpoint thinks the same."""
    thought = player.module.analyse(match.position, simulations)
    policy, value = bot.evaluate(match)
    assert thought["value"] == pytest.approx(value, abs=tolerance)
    assert list(thought["policy"]) == list(policy)
    assert thought["policy"] == pytest.approx(policy, abs=tolerance)
    return thought


def turn_of(bot, match: Match) -> str:
    """The whole turn that a bot plays."""
    ahead, player = match.copy(), match.player
    while not ahead.is_over and ahead.player == player:
        ahead.push(bot.choose(ahead))
    return ahead.turns[0]


@pytest.mark.parametrize("unit", [1.0, 2.0**-9, 2.0**40, 2.0**-100])
@pytest.mark.parametrize("largest", [0, 1, 127, 128, 32767, 32768, 2**23])
def test_weights_on_a_grid_are_packed_exactly(unit: float, largest: int) -> None:
    whole = np.random.default_rng(0).integers(-largest, largest, 300, endpoint=True)
    numbers = [0.0, largest * unit, -largest * unit, *(whole * unit).tolist()]
    reader = WeightReader(pack_weights([numbers, [3.0, -0.5]]))

    assert reader.read(len(numbers)).values == numbers
    assert reader.read(2).values == [3.0, -0.5]


def test_weights_off_a_grid_are_packed_to_27_bits_of_the_largest() -> None:
    numbers = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    numbers[:3] = 1e-30, -1e-40, 0
    found = np.array(WeightReader(pack_weights([numbers.tolist()])).read(1000).values)

    assert np.abs(found - numbers).max() <= 2.0**-27 * np.abs(numbers).max()


def test_a_weight_of_eight_bits_takes_a_byte_at_most() -> None:
    whole = np.random.default_rng(0).integers(-127, 127, 100_000, endpoint=True)

    assert len(pack_weights([(whole / 256).tolist()])) < 100_000 * 5 / 4 * 1.02


@pytest.mark.parametrize("most", [1, 127, 2**15, 2**16, 2**30, 2**38])
@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e-20, 1e9])
def test_products_in_lanes_are_those_of_numpy(most: int, scale: float) -> None:
    generator = np.random.default_rng(most)
    weight = generator.integers(-most, most, (40, 300), endpoint=True)
    weight[:4] = [[most], [-most], [0], [-1]]
    bias = generator.normal(size=40) * most * scale
    layer = Layer(weight.T.tolist(), 0.5, bias.tolist())
    for share, least in ((1.0, 0), (0.5, 0), (0.01, 0), (0.0, 0), (1.0, -1), (0.5, -3)):
        vector = generator.uniform(least, 1, 300) * (generator.random(300) < share)
        vector[0] = share > 0
        expected = weight @ vector * 0.5 * scale + bias
        assert np.abs(layer((vector * scale).tolist()) - expected).max() <= 1e-9 * most * scale * (1 - least)


SMALL = [name.removesuffix("-small") for name in shipped_bots() if name.endswith("-small")]


@pytest.fixture(scope="module", params=first_case(core_first((name,) for name in SMALL)))
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Player:
    game = load_game(request.param)
    return Player(tmp_path_factory.mktemp("small"), game, shipped_bots()[f"{game.name}-small"])


@first_by_default
@pytest.mark.parametrize(
    ("simulations", "positions"),
    [(0, 50), (50, 3), *(pytest.param(*case, marks=pytest.mark.long) for case in ((0, 1000), (50, 100)))],
)
def test_a_small_player_decides_as_its_checkpoint(small: Player, simulations: int, positions: int) -> None:
    bot = load_checkpoint_bot(small.checkpoint, small.game, simulations)
    for match in map(forget_history, matches(small.game, positions, seed=11)):
        # Biases, which are not rounded to a byte, are packed to 27 bits of the largest.
        think_alike(small, bot, match, simulations, 1e-7)


# The network for all games.

OF_ALL_GAMES: list[tuple[str, dict, dict]] = [
    ("own", {}, {"search_features": 0}),
    ("bagh_chal", {}, {"search_features": 0}),  # a hunt with two views, drops and a schedule
    ("alquerque_murray", {}, {"search_features": "off"}),  # a pass
    ("seega_5x5", {}, {"search_features": 0}),  # drops and a pass
    ("fetaix", {"repetition": "threefold_draw"}, {"search_features": 2, "sees_clock": False}),
    ("draughts_english", {}, {"search_features": 1}),  # promotion and one-way steps
    ("fanorona", {}, {"search_features": "off"}),  # approach, withdrawal and undo
    ("terhuchu_large", {}, {"search_features": 0}),  # more than 63 points
]


@first_by_default
@pytest.mark.parametrize(("name", "options", "network"), OF_ALL_GAMES, ids=[name for name, *_ in OF_ALL_GAMES])
def test_a_player_of_the_network_for_all_games_decides_as_its_checkpoint_with_numpy(
    name: str, options: dict, network: dict, tmp_path: Path
) -> None:
    game = load_game(write_game(tmp_path) if name == "own" else name, **options)
    checkpoint = save_random_checkpoint(tmp_path / "all", load_game("felli"), kind="family", blocks=2, **network)
    player = Player(tmp_path, game, checkpoint, is_named=True)
    found = [Match(game), *(forget_history(match) for match in matches(game, 11, seed=4))]
    for simulations, some in ((0, found), (6, found[:2])):
        bot = load_numpy_bot(checkpoint, game, simulations)
        for match in some:
            thought = think_alike(player, bot, match, simulations, 1e-6)
            assert thought["turn"] == player.module.choose(match.position, simulations) == turn_of(bot, match)
    assert undefined(player.file) == set()
    told = player.run("--position", found[0].position)
    assert (told.returncode, told.stdout, told.stderr) == (0, player.module.choose(found[0].position) + "\n", "")


def test_a_game_is_named_for_a_checkpoint_of_all_games_and_for_no_other(tmp_path: Path) -> None:
    one, every = (
        str(save_random_checkpoint(tmp_path / kind, load_game("felli"), kind=kind)) for kind in ("mlp", "family")
    )
    mine = ["--game", str(write_game(tmp_path))]
    for checkpoint, given, message in (
        (every, [], "plays all games: choose one with --game"),
        (one, mine, "belongs to one game: leave --game out"),
        (every, ["--option", "chain=single"], "--option is for the game that --game names"),
        (every, [*mine, "--onnx", str(tmp_path / "network.onnx")], "give one file to write"),
    ):
        refused = CliRunner().invoke(main, ["export", checkpoint, "-o", str(tmp_path / "bot.py"), *given])
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert message in refused.stderr
    written = CliRunner().invoke(
        main, ["export", every, "-o", str(tmp_path / "bot.py"), *mine, "--option", "chain=single"]
    )
    assert written.exit_code == 0, written.stderr
    assert "a player of mine; play against it: python3 " in written.output
    document = ast.get_docstring(ast.parse((tmp_path / "bot.py").read_text(encoding="utf-8")))
    assert re.search("Options: .*chain=single", document)
    assert "Strength: not measured" in document
    assert load_bot(str(tmp_path / "bot.py"), load_game(mine[1], chain="single")).sees_clock


def test_the_program_prints_the_turn_or_all_it_thinks_without_any_package_in_an_empty_folder(fetaix: Player) -> None:
    told = fetaix.run("--position", MID_CHAIN)
    assert (told.returncode, told.stdout, told.stderr) == (0, fetaix.module.choose(MID_CHAIN) + "\n", "")
    for arguments, simulations in (((), 0), (("--simulations", "7"), 7), (("--level", "2"), 10)):
        result = fetaix.run("--position", MID_CHAIN, "--json", *arguments)
        assert result.returncode == 0, result.stderr
        data = json.loads(result.stdout)
        assert data == fetaix.module.analyse(MID_CHAIN, simulations)
        assert data["turn"] == fetaix.module.choose(MID_CHAIN, simulations)
        match = Match(fetaix.game, position=MID_CHAIN)
        assert list(data["policy"]) == [step.text for step in match.legal_steps]
        assert sum(data["policy"].values()) == pytest.approx(1)
        assert -1 <= data["value"] <= 1
    assert list((fetaix.file.parent / "empty").iterdir()) == []


BAD_ARGUMENTS = [
    (["--position", ""], "expected mover:W<pieces>:B<pieces>"),
    (["--position", "W:Wz9:Ba1"], "unknown point 'z9' in W's pieces (points are a1 to e5) in position 'W:Wz9:Ba1'"),
    (["--position", "W:Wa1:B"], "the match is over (captured)"),
    (["--position", "W:Wa1:Be5\nnext"], "unknown point"),
    (["--position"], "expected one argument"),
    (["--position", "W:Wa1:Be5", "--simulations", "-1"], "'-1' is not a whole number from 0"),
    (["--position", "W:Wa1:Be5", "--simulations", "1e3"], "'1e3' is not a whole number from 0"),
    (["--position", "W:Wa1:Be5", "--simulations", "99999999"], "is not a whole number from 0 to 100000"),
    (["--position", "W:Wa1:Be5", "--level", "6"], "invalid choice"),
    (["--position", "W:Wa1:Be5", "--level", "1", "--simulations", "1"], "not allowed with"),
    (["--position", "W:Wa1:Be5", "--seat", "1"], "--seat is for a match"),
    (["--json"], "--json needs --position"),
    (["--seat", "2"], "invalid choice"),
    (["--nonsense"], "unrecognized arguments: --nonsense"),
    (["W:Wa1:Be5"], "unrecognized arguments"),
]


@first_by_default
@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
def test_a_bad_argument_ends_with_status_2_and_one_line(fetaix: Player, arguments: list[str], message: str) -> None:
    result = fetaix.run(*arguments)

    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("player.py: ")
    assert result.stderr.count("\n") == 1


def test_as_a_module_it_refuses_a_fraction_of_simulations(fetaix: Player) -> None:
    for choose in (fetaix.module.choose, fetaix.module.analyse):
        with pytest.raises(ValueError, match=r"^simulations is 1\.5, expected a whole number from 0 to "):
            choose("W:Wa1:Be5", 1.5)


@first_by_default
@every_case
def test_it_refuses_the_positions_that_a_match_refuses(make_player, case: int) -> None:
    """Text of positions with a field cut out, doubled or taken from another position."""
    player, rng = make_player(case), random.Random(case)
    texts = [match.position for match in matches(player.game, 60, seed=case)]
    for text in texts:
        fields, others = text.split(":"), rng.choice(texts).split(":")
        where = rng.randrange(len(fields))
        instead = rng.choice([[], [rng.choice(others)], fields[where:]])
        spoilt = ":".join([*fields[:where], *instead, *fields[where + 1 :]])
        error = refusal(lambda: Match(player.game, position=spoilt))  # noqa: B023
        is_over = error is None and Match(player.game, position=spoilt).is_over
        assert is_over or refusal(lambda: player.module.choose(spoilt)) == error  # noqa: B023


def refusal(attempt: Callable[[], object]) -> str | None:
    try:
        attempt()
    except ValueError as error:
        return str(error)
    return None


def other_pythons() -> Iterator[str]:
    for version in ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14"):
        homes = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
        python = shutil.which(f"python{version}") if not homes else str(homes[-1])
        if python is not None:
            yield python


@pytest.mark.parametrize("python", list(other_pythons()))
@pytest.mark.slow
def test_every_python_from_3_9_chooses_alike(make_player, python: str) -> None:
    """Those that this machine has."""
    for case in CORE_CASES:
        player = make_player(case)
        match = next(match for match in matches(player.game, 30, seed=3) if len(match.legal_steps) > 3)
        result = run(player.file, "--position", match.position, "--json", "--simulations", "20", python=python)
        if "bad interpreter" in result.stderr or "not installed" in result.stderr:
            pytest.skip(f"{python} is not usable here")
        assert result.returncode == 0, result.stderr
        data, expected = json.loads(result.stdout), player.module.analyse(match.position, 20)
        assert data["turn"] == expected["turn"]
        assert data["policy"] == expected["policy"]
        assert data["value"] == pytest.approx(expected["value"], abs=1e-9)


@first_by_default
@every_case
def test_the_file_is_python_3_9_and_defines_every_name_that_it_uses(make_player, case: int) -> None:
    assert undefined(make_player(case).file) == set()


def undefined(file: Path) -> set[str]:
    """The names that a file of Python 3.9 uses and does not define."""
    text = file.read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 9))
    top = symtable.symtable(text, "player.py", "exec")
    defined = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    defined |= {table.get_name() for table in top.get_children()} | set(dir(builtins)) | {"__name__"}
    tables, used = [top], set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        used |= {s.get_name() for s in table.get_symbols() if s.is_global() or (table is top and s.is_referenced())}
    return used - defined


def test_the_file_imports_the_standard_library_only_and_opens_no_file(fetaix: Player) -> None:
    tree = ast.parse(fetaix.file.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}

    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names
    assert not imported & {"socket", "urllib", "http", "ssl", "subprocess", "pathlib", "pickle", "tempfile"}
    assert not called & {"open", "exec", "eval", "compile", "__import__"}


@pytest.mark.slow
def test_the_header_says_what_the_file_is(fetaix: Player, tmp_path: Path) -> None:
    document = ast.get_docstring(ast.parse(fetaix.file.read_text(encoding="utf-8")))
    assert document is not None
    for part in (
        "Fetaix",
        "fetaix, version 1",
        "man_capture_dirs=forward_sideways",
        "--position",
        "not measured",
        "Network: mlp ",
        "MIT",
    ):
        assert part in document

    meta = json.loads((fetaix.checkpoint / META).read_text())
    measured = {"opponent": "random", "player": "policy alone", "games": 200, "win_rate": 0.9}
    meta["strength"] = [
        {**measured, "low": 0.85, "high": 0.94, "confidence": 0.95},
        {"note": 'odd """ \\ entry'},
    ]
    changed = tmp_path / "changed"
    shutil.copytree(fetaix.checkpoint, changed)
    (changed / META).write_text(json.dumps(meta))
    export_player(changed, tmp_path / "changed.py")
    document = ast.get_docstring(ast.parse((tmp_path / "changed.py").read_text(encoding="utf-8")))
    assert document is not None
    assert "policy alone: won 90.0% of 200 games against random (95% interval 85.0% to 94.0%)" in document
    assert json.dumps(meta["strength"][1]) in document


@pytest.mark.slow
def test_the_same_checkpoint_gives_the_same_file_and_its_size_is_printed(fetaix: Player, tmp_path: Path) -> None:
    again = export_player(fetaix.checkpoint, tmp_path / "another_name.py")

    assert again.path.read_bytes() == fetaix.file.read_bytes()
    assert again.size == fetaix.written.size == fetaix.file.stat().st_size
    assert again.game.table_hash == fetaix.game.table_hash
    assert again.size < 260_000


def test_a_file_that_is_there_is_replaced_only_on_request(fetaix: Player, tmp_path: Path) -> None:
    output = tmp_path / "player.py"
    output.write_text("precious")
    for place, overwrite, message in (
        (output, False, r"player\.py' exists already"),
        (tmp_path, True, "is a folder"),
        (tmp_path / "none" / "player.py", True, r"none/player\.py' cannot be written: No such file or directory"),
    ):
        with pytest.raises(ExportError, match=message):
            export_player(fetaix.checkpoint, place, overwrite=overwrite)
    assert output.read_text() == "precious"
    export_player(fetaix.checkpoint, output, overwrite=True)
    assert output.read_bytes() == fetaix.file.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["player.py"]


def test_a_match_is_played_through_a_pipe_given_up_and_printed_as_a_match_file(murray: Player) -> None:
    typed = ["help", "c2", "1", "hint", "a9", "nonsense", "rules", "undo", "undo", "position"]
    typed += ["resign", "1", "undo", "1", "save", "resign", "save", "quit", ""]
    result = murray.run("--seat", "0", "--simulations", "0", input="\n".join(typed))

    assert (result.returncode, result.stderr) == (0, "")
    for part in (
        "Alquerque (Murray)",
        "a point, board, undo, hint",
        "North plays ",
        "It would play ",
        "cannot read 'nonsense'",
        "the same piece may capture again in the same",
        "there is nothing to take back",
        "Position: W:",
        "the match is over; type undo or quit",
    ):
        assert part in result.stdout
    assert result.stdout.count("You lose. North wins: South resigned. Type undo or quit.") == 2
    files = re.findall(r"\[Game .*? (?:\*|0-1)\n", result.stdout, re.DOTALL)
    begun, given_up = (next(read_records(text)) for text in files)
    assert (begun.result, begun.south, len(begun.match.turns)) == ("*", "human", 2)
    assert (given_up.result, given_up.reason, given_up.match.turns) == ("0-1", "resigned", begun.match.turns)
    assert given_up.match.game.table_hash == murray.game.table_hash


@pytest.mark.slow
def test_the_end_of_the_input_ends_the_program(murray: Player) -> None:
    for text in ("", "\n", "1\n", "1\n1\n"):
        result = murray.run(input=text)
        assert (result.returncode, result.stderr) == (0, "")
        assert "Position: W:" in result.stdout


def test_plain_characters_are_used_where_others_cannot_be_printed(murray: Player) -> None:
    result = murray.run("--seat", "0", "--level", "1", "--ascii", input="quit\n")

    assert result.stdout.isascii()
    assert "b---b---b" in result.stdout


@first_by_default
@every_case
@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_match_can_be_played_undone_and_ended(
    make_player, case: int, seat: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, rng = make_player(case).module, random.Random(case)
    match, terminal = module.Match(module.played_game()), module.find_terminal(ascii_only=True)
    play = module.TerminalMatch(match, module.make_chooser(0), terminal, seat, ())
    undone = []

    def answer(_: str) -> str:
        if play.match.is_over:
            return "quit" if undone else undone.append(1) or "undo"
        assert len(play.match.steps) < 3000
        steps = play.match.legal_steps
        return rng.choice([str(1 + rng.randrange(len(steps))), rng.choice(steps).text, rng.choice(steps).text.upper()])

    monkeypatch.setattr(builtins, "input", answer)
    play.play()

    output = capsys.readouterr().out
    assert undone
    assert output.count("Type undo or quit.") == 2
    assert play.match.is_over
    winner = play.match.outcome.winner
    assert ("You win!" if winner == seat else "Draw" if winner is None else "You lose.") in output


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
def test_ctrl_c_ends_a_match_without_a_traceback(murray: Player) -> None:
    command = [sys.executable, "-I", "-S", str(murray.file), "--level", "1"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes) as process:
        shown = b""
        while b"South> " not in shown:
            shown += process.stdout.read1() or pytest.fail(process.stderr.read().decode())
        while process.poll() is None:  # CPython misses a signal that comes between its prompt and its reading
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=5)
        assert (process.returncode, process.stderr.read()) == (130, b"")


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX pipes")
def test_a_reader_that_goes_away_gets_no_traceback(murray: Player) -> None:
    command = [sys.executable, "-I", "-S", str(murray.file), "--seat", "0", "--level", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        process.stdin.write(b"board\n" * 5000)
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
    reader = f"{sys.executable} -I -S {murray.file} --help | true"
    assert subprocess.run(reader, shell=True, capture_output=True, timeout=60).stderr == b""


@pytest.mark.parametrize("simulations", [0, 12])
def test_a_player_that_does_not_see_the_clock_chooses_alike_whatever_the_clock_with_every_evaluator(
    tmp_path: Path, simulations: int
) -> None:
    game = load_game("alquerque", repetition="threefold_draw", no_progress_limit=30)
    checkpoint = save_random_checkpoint(tmp_path / "blind", game, sees_clock=False)
    player = Player(tmp_path, game, checkpoint)
    bots = [load(checkpoint, game, simulations) for load in (load_checkpoint_bot, load_numpy_bot)]
    exported = load_bot(f"{player.file}:{simulations}", game)
    assert [bot.sees_clock for bot in (*bots, exported)] == [False] * 3
    seeing = load_checkpoint_bot(save_random_checkpoint(tmp_path / "seeing", game), game, simulations)
    assert seeing.sees_clock
    found, differ = matches(game, 12, seed=2), 0
    for match in found:
        text = re.sub(r":H\d+", "", match.position)
        early, late = Match(game, text), Match(game, text + ("" if match.chain is not None else ":H29"))
        expected = bots[0].evaluate(early)
        for bot in bots:
            for seen in (early, late, match):
                policy, value = bot.evaluate(seen)
                assert policy == pytest.approx(expected[0], abs=1e-9)
                assert value == pytest.approx(expected[1], abs=1e-9)
            assert bot.choose_many([late, early])[0] == bot.choose(early)
        told = [player.module.analyse(seen.position, simulations) for seen in (early, late)]
        assert told[0]["policy"] == told[1]["policy"] == pytest.approx(expected[0], abs=1e-6)
        differ += seeing.evaluate(early) != seeing.evaluate(late)
    assert differ


@pytest.mark.parametrize(
    ("game", "inputs"),
    [
        (load_game("pretwa"), {}),
        (load_game("pretwa"), {"search_features": 1}),
        (load_game("fetaix", capture_removal="end_of_turn"), {}),
    ],
)
def test_a_network_of_canonical_images_judges_all_images_alike_with_every_evaluator(
    tmp_path: Path, game: Game, inputs: dict
) -> None:
    checkpoint = save_random_checkpoint(tmp_path / "canonical", game, canonical=True, **inputs)
    player = Player(tmp_path, game, checkpoint)
    bots = [load(checkpoint, game) for load in (load_checkpoint_bot, load_numpy_bot)]
    other = load_checkpoint_bot(save_random_checkpoint(tmp_path / "other", game, **inputs), game)
    compared, differ = 0, 0
    for match in (match for match in matches(game, 15, seed=2) if match.chain is None):
        shown = [
            Match(game, f"{mover}:W{','.join(sorted(south))}:B{','.join(sorted(north))}")
            for mover, south, north in images(game, match.position)
        ]
        if len({image.position for image in shown}) != len(shown):
            continue  # it is an image of itself, so that its actions have several images
        expected, value = bots[0].evaluate(shown[0])
        for symmetry, image in zip(game.symmetries, shown, strict=True):
            text = {step.action: step.text for step in image.legal_steps}
            turned = {text[symmetry.actions[step.action]]: expected[step.text] for step in shown[0].legal_steps}
            for bot in bots:
                assert bot.evaluate(image) == (pytest.approx(turned, abs=1e-9), pytest.approx(value, abs=1e-9))
            told = player.module.analyse(image.position)
            assert (told["policy"], told["value"]) == (pytest.approx(turned, abs=1e-6), pytest.approx(value, abs=1e-6))
            compared += 1
            differ += other.evaluate(image)[1] != pytest.approx(other.evaluate(shown[0])[1], abs=1e-6)
    assert compared >= 5 * len(game.symmetries)
    assert differ


def test_a_match_of_an_own_game_is_printed_with_its_game_file(tmp_path: Path) -> None:
    game = load_game(write_game(tmp_path))
    player = Player(tmp_path, game, save_random_checkpoint(tmp_path / "checkpoint", game))
    shown = player.run("--seat", "0", "--simulations", "0", input="1\nsave\nquit\n").stdout
    (text,) = re.findall(r"\[Game .*? \*\n", shown, re.DOTALL)
    (record,) = read_records(text)
    assert record.match.turns
    assert (record.match.game.file_text, record.match.game.table_hash) == (game.file_text, game.table_hash)
