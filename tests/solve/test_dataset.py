"""Positions with exact values for supervised learning, against the table and the rules."""

import re
import shlex
from hashlib import sha256
from pathlib import Path

import mlcroissant
import numpy as np
import pytest
from click.testing import CliRunner
from pyarrow.parquet import read_table

from alquerque_env import Match, load_game, load_table
from alquerque_env.cli.main import main
from alquerque_env.engine.observation_form import ARRAYS, ObservationForm
from alquerque_env.errors import TableError
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.solve.dataset import Dataset, make_dataset
from alquerque_env.solve.tables import EndgameTable, build_table
from tests.sets import first_by_default, first_case

pytestmark = pytest.mark.skipif(not JIT, reason="long without Numba")

RULES = [("fetaix", {}), ("felli", {}), ("alquerque_murray", {}), ("awithlaknannai_mosona", {"no_progress_limit": 3})]


@pytest.fixture(scope="module", params=first_case(RULES), ids=lambda rules: rules[0])
def table(request, tmp_path_factory) -> EndgameTable:
    name, options = request.param
    game = load_game(name, **options)
    return EndgameTable(game, build_table(game, 3, tmp_path_factory.mktemp("table") / "table.aqt"))


@pytest.mark.slow
def test_every_row_is_what_match_and_table_say(table):
    data = make_dataset(table, 400, seed=1)
    assert len(set(data.position.tolist())) == 400
    values = set()
    for place, text in enumerate(data.position.tolist()):
        match = Match(table.game, text)
        assert match.outcome is None
        assert match.chain is None
        assert match.player == data.player[place]
        assert np.array_equal(match.observation(), data.observation[place])
        assert np.array_equal(match.action_mask(), data.action_mask[place])
        assert table.value(match) == data.value[place]
        distance = table.distance(match)
        assert data.distance[place] == (-1 if distance is None else distance)
        best = sorted(step.action for step in table.best_steps(match))
        assert np.flatnonzero(data.best[place]).tolist() == best
        assert best or table.value(match) is not None
        values.add(int(data.value[place]))
        steps = {step.step.action: step for step in table.steps(match)}
        for action in range(table.game.num_actions):
            step = steps.get(action)
            is_known = step is not None and step.value is not None
            assert data.action_known[place, action] == is_known
            assert data.action_value[place, action] == (step.value if is_known else 0)
            assert data.action_distance[place, action] == (step.distance if is_known and step.distance else -1)
    assert {1, -1} <= values


@first_by_default
@pytest.mark.parametrize("form", ARRAYS)
def test_observations_have_the_form_that_was_asked_for(table, form):
    plain, formed = make_dataset(table, 50), make_dataset(table, 50, observation=form)
    assert np.array_equal(ObservationForm(table.game, form)(plain.observation), formed.observation)


def test_the_seed_decides_the_draw(table):
    one, again, other = (make_dataset(table, 60, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(*columns) for columns in zip(one, again, strict=True))
    assert not np.array_equal(one.position, other.position)


@pytest.mark.slow
def test_more_positions_than_there_are_are_refused(tmp_path):
    game = load_game("awithlaknannai_mosona")
    small = EndgameTable(game, build_table(game, 2, tmp_path / "table.aqt"))
    with pytest.raises(TableError, match=r"only [\d,]+ positions of known value, not 9,000,000: ask for fewer"):
        make_dataset(small, 9_000_000)


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["dataset", *arguments], standalone_mode=True)
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "table.aqt"
    build_table(load_game("fetaix", chain="optional"), 3, path)
    return path


class TestCommand:
    def test_the_file_holds_the_dataset(self, path, tmp_path):
        rules = ["fetaix", "--option", "chain=optional", "--table", str(path)]
        said = run(*rules, "-o", str(tmp_path / "a.npz"), "--positions", "30", "--seed", "4", "--observation", "flat")
        assert "wrote 30 positions of fetaix with at most 3 pieces" in said
        table = load_table(load_game("fetaix", chain="optional"), path)
        with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
            for name, column in make_dataset(table, 30, seed=4, observation="flat")._asdict().items():
                assert np.array_equal(found[name], column)
            assert found["game"] == "fetaix"
            assert found["options"].tolist() == ["chain=optional"]

    @pytest.mark.parametrize("name", ["a.npz", "a.npz.md"])
    def test_an_existing_file_is_kept_without_force(self, path, tmp_path, name):
        rules = ["fetaix", "--option", "chain=optional", "--table", str(path), "--positions", "5"]
        file, existing = tmp_path / "a.npz", tmp_path / name
        existing.write_text("mine")
        assert "exists; --force replaces it" in run(*rules, "-o", str(file), code=2)
        assert existing.read_text() == "mine"
        run(*rules, "-o", str(file), "--force")
        assert len(np.load(file)["value"]) == 5

    def test_all_positions_are_written_with_a_card_that_describes_the_file(self, tmp_path):
        game = load_game("felli_simplified", capture="optional")
        table = EndgameTable(game, build_table(game, 2, tmp_path / "table.aqt"))
        file = tmp_path / "a.npz"
        run(game.name, *game.option_arguments, "--table", str(tmp_path / "table.aqt"), "--all", "-o", str(file))
        ongoing = [state for state in table.positions() if not Match.from_state(game, state).is_over]
        data = dict(np.load(file))
        assert len(data["value"]) == len({*data["position"].tolist()}) == len(ongoing) > 0
        assert {*make_dataset(table, 20).position.tolist()} <= {*data["position"].tolist()}
        card = (tmp_path / "a.npz.md").read_text(encoding="utf-8")
        assert sha256(file.read_bytes()).hexdigest() in card
        assert f"{(data['value'] == 1).sum()} won" in card
        assert "capture=optional" in card
        for name, column in make_dataset(table, None)._asdict().items():
            assert np.array_equal(data[name], column)
            assert f"| `{name}` | {column.dtype} | {list(column.shape)} | " in card
        command = shlex.split(re.findall(r"`alquerque dataset ([^`]*)`", card)[0])
        run(*command, "--force")
        assert sha256(file.read_bytes()).hexdigest() in card

    @pytest.mark.filterwarnings("default")  # what mlcroissant uses warns
    def test_parquet_has_the_same_columns_and_metadata_that_croissant_accepts(self, path, tmp_path):
        rules = ["fetaix", "--option", "chain=optional", "--table", str(path), "--positions", "30"]
        for name in ("a.npz", "a.parquet"):
            run(*rules, "-o", str(tmp_path / name))
        table, plain = read_table(tmp_path / "a.parquet"), np.load(tmp_path / "a.npz")
        assert table.column_names == list(Dataset._fields)
        for name in Dataset._fields:
            assert table[name].to_pylist() == plain[name].reshape(30, -1).squeeze().tolist()
        said = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
        assert said == {"game": "fetaix", "options": "chain=optional", "game_file": ""}

        described = mlcroissant.Dataset(jsonld=tmp_path / "a.parquet.json")
        assert described.metadata.issues.report() == ""
        rows = list(described.records("rows"))
        assert [row["rows/position"].decode() for row in rows] == plain["position"].tolist()
        assert [list(row["rows/action_value"]) for row in rows] == plain["action_value"].tolist()
        card = (tmp_path / "a.parquet.md").read_text(encoding="utf-8")
        assert 'configs: [{config_name: default, data_files: "a.parquet"}]' in card.split("---\n")[1]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--all", "--positions", "9"], "--all takes every position: leave --positions out"),
            (["--table", "{folder}/none.aqt"], "none.aqt"),
            (["-o", "{folder}/no/a.npz"], "does not exist"),
        ],
        ids=str,
    )
    def test_bad_arguments_are_one_line(self, path, tmp_path, arguments, message):
        given = [argument.format(folder=tmp_path) for argument in arguments]
        usual = ["--table", str(path)] if "--table" not in given else []
        output = ["-o", str(tmp_path / "a.npz")] if "-o" not in given else []
        said = run("fetaix", "--option", "chain=optional", *usual, *output, *given, code=2)
        assert message in said
        assert not list(tmp_path.iterdir())
