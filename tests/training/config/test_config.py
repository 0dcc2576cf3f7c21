"""Settings of a run: what is read, and every way to be wrong, each with its own line."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from alquerque_training.config.settings import Config, first_difference
from alquerque_training.ppo import PpoConfig
from alquerque_training.run.config_file import ConfigError, find_config, load_config, parse_config, shipped_configs

from alquerque_env.errors import UnknownNameError

CONFIGS = Path(__file__).parents[3] / "configs"


@pytest.fixture
def write(tmp_path: Path):
    def write_config(text: str) -> Path:
        path = tmp_path / "smoke.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_config


def test_what_a_file_leaves_out_keeps_its_default(write) -> None:
    config = load_config(write("[ppo]\nclip = 0.1\n"))

    assert config.of(PpoConfig).clip == 0.1
    assert config.of(PpoConfig).epochs == PpoConfig().epochs
    assert config.run == Config().run


def test_an_override_replaces_what_the_file_says(write) -> None:
    path = write('[run]\ngame = "fetaix"\nseed = 3\n')

    config = load_config(
        path, ["run.seed=4", "run.game=alquerque", "run.options.last_rank_frozen=true", "ppo.clip=1e-1"]
    )

    assert (config.run.seed, config.run.game, config.of(PpoConfig).clip) == (4, "alquerque", 0.1)
    assert config.run.options == {"last_rank_frozen": True}


def test_total_steps_are_rounded_up_to_whole_iterations() -> None:
    config = parse_config({"run": {"total_steps": 70_000}}, "test")

    assert config.steps_per_iteration == 32_768
    assert config.iterations == 3


@pytest.mark.parametrize(
    ("text", "overrides", "message"),
    [
        (
            "[ppo]\nlearning_rat = 1.0",
            [],
            "smoke.toml: [ppo] has unknown key 'learning_rat'; did you mean 'learning_rate'? (known: learning_rate, ",
        ),
        ("[ppo]\nepochs = 0\nclipp = 0.1", [], "smoke.toml: [ppo] has unknown key 'clipp'"),  # before a bad value
        ("[pppo]", [], "smoke.toml: unknown section 'pppo'; did you mean 'ppo'? (known: run, self_play, network, "),
        ("[xyz]", [], "smoke.toml: unknown section 'xyz' (known: run, self_play, network, "),
        ("ppo = 3", [], "smoke.toml: ppo is 3, expected a section [ppo]"),
        ("[ppo]\nclip = -1", [], "smoke.toml: ppo.clip is -1, expected greater than 0"),
        ("[ppo]\nclip = nan", [], "smoke.toml: ppo.clip is nan, expected a finite number"),
        ("[ppo]\nclip = '0.1'", [], "smoke.toml: ppo.clip is '0.1', expected a number"),
        (
            "[ppo]\nepochs = 1.5",
            [],
            "smoke.toml: ppo.epochs is 1.5, expected an integer",
        ),
        ("[run]\nseed = true", [], "smoke.toml: run.seed is True, expected an integer"),
        ("[run]\ngame = 3", [], "smoke.toml: run.game is 3, expected a string"),
        ("[run]\noptions = 3", [], "smoke.toml: run.options is 3, expected a table"),
        (
            "[run.options]\nx = [1]",
            [],
            "smoke.toml: run.options.x is [1], expected a string or an integer or a boolean",
        ),
        (
            "[ppo]\nprocesses = 3",
            [],
            "smoke.toml: self_play.num_games is 1024, expected a multiple of ppo.processes = 3, such as 1023",
        ),
        (
            "[network]\nkind = 'mpl'",
            [],
            "smoke.toml: network.kind is 'mpl', expected 'mlp', 'family' or module:name of your own",
        ),
        (
            "[self_play]\nmax_cycles = 0",
            [],
            "smoke.toml: self_play.max_cycles is 0, expected greater than or equal to 1",
        ),
        (
            "[ppo]\nminibatch_size = 40000",
            [],
            "smoke.toml: ppo.minibatch_size is 40000, expected at most "
            "self_play.num_games x self_play.rollout_steps = 32768",
        ),
        (
            "[network]\nsearch_features = 2",
            ["network.kind=masks_network:MasksMlp"],
            "smoke.toml: network.search_features is 2, expected 'off' with network.kind = 'masks_network:MasksMlp': "
            "only 'mlp' and 'family' take search features",
        ),
        (
            "[network]\nsearch_features = 5",
            [],
            "smoke.toml: network.search_features is 5, expected 'off' or less than or equal to 4",
        ),
        (
            "[ppo]\n[alphazero]\n[search]\nsimulations = 8",
            [],
            "smoke.toml: [alphazero] has settings of alphazero, and run.algorithm is 'ppo': leave them out",
        ),
        (
            "[search]\nrule = 'best'",
            ["run.algorithm=alphazero"],
            "smoke.toml: search.rule is 'best', expected 'gumbel', 'puct' or module:name of your own",
        ),
        (
            "",
            ["run.algorithm=alphago"],
            "smoke.toml: run.algorithm is 'alphago', expected ppo, alphazero, exact, imitation or module:name",
        ),
        ("", ["run.algorithm=math:make"], "smoke.toml: run.algorithm is 'math:make', which cannot be imported"),
        (
            "",
            ["run.algorithm=nowhere:Learner"],
            "smoke.toml: run.algorithm is 'nowhere:Learner', which cannot be imported: No module named 'nowhere'; "
            "for a module of training/research run the command with PYTHONPATH=training/research",
        ),
        ("[self_play]\nbots = 3", [], "smoke.toml: self_play.bots is 3, expected a list"),
        ("", ["evaluation.opponents=[1]"], "smoke.toml: evaluation.opponents is 1, expected a string"),
        ("[run", [], "smoke.toml: not valid TOML: "),
        ("", ["seed=3"], "override 'seed=3' is not of the form section.key=value"),
        ("", ["run.seed"], "override 'run.seed' is not of the form section.key=value"),
        ("", ["run..seed=1"], "override 'run..seed=1' is not of the form section.key=value"),
        ("[run]\ngame = 'x'", ["run.game.y=1"], "override 'run.game.y=1' goes into 'game', which is a value"),
        ("", ["ppo.clip=wide"], "smoke.toml: ppo.clip is 'wide', expected a number"),
    ],
)
def test_every_mistake_has_one_clear_line(write, text: str, overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        load_config(write(text), overrides)

    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_missing_or_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no config '.*nothing\.toml' \(known: .*quickstart"):
        load_config(tmp_path / "nothing.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(ConfigError, match=r"latin\.toml: line 1 is not UTF-8 text"):
        load_config(tmp_path / "latin.toml")


def test_a_config_survives_its_json_and_its_first_difference_from_another_is_named() -> None:
    config = parse_config({"run": {"options": {"undo_scope": "per_coin"}}, "self_play": {"max_cycles": 90}}, "test")

    assert parse_config(config.as_data(), "again") == config
    assert first_difference(config.as_data(), config.as_data()) is None
    one, other = (
        parse_config(data, "test").as_data() for data in ({}, {"ppo": {"clip": 0.5}, "network": {"width": 9}})
    )
    assert first_difference(one, other) == ("ppo.clip", 0.2, 0.5)


@pytest.mark.parametrize("text", ['extends = "fetaix"\n', "[start]\n"])
def test_a_game_file_is_no_config(write, text: str) -> None:
    with pytest.raises(ConfigError, match=r"is a game file and not a config: alquerque train .* --minutes 10$"):
        load_config(write(text))


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("run", "algorithm", '"closed_set:ClosedSetLearner"'),
        ("network", "kind", '"masks_network:MasksMlp"'),
        ("self_play", "bots", '["random", "ugi:engine"]'),
        ("evaluation", "opponents", '["player.py:30"]'),
    ],
)
def test_a_file_cannot_start_programs_and_the_command_line_can(write, section: str, key: str, value: str) -> None:
    with pytest.raises(
        ConfigError, match=rf"smoke.toml: {section}.{key} has .*, which runs a program.*command line: "
    ) as caught:
        load_config(write(f"[{section}]\n{key} = {value}\n"))
    assert f"{section}.{key}={value}" in str(caught.value).replace("'", "")
    more = ["self_play.bots_share=0.5"] if key == "bots" else []
    config = load_config(write(""), [f"{section}.{key}={value}", *more])
    assert config.as_data()[section][key] == tomllib.loads(f"given = {value}")["given"]


# By name, and all settings as TOML.


def test_every_config_of_the_checkout_is_known_by_its_name() -> None:
    assert {name: path.read_text(encoding="utf-8") for name, path in shipped_configs().items()} == {
        path.stem: path.read_text(encoding="utf-8") for path in CONFIGS.glob("*.toml")
    }


def test_a_name_goes_before_a_file_of_the_same_name_and_a_path_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "quickstart").write_text("[run]\nseed = 77\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert load_config("quickstart") == load_config(CONFIGS / "quickstart.toml")
    assert load_config("./quickstart").run.seed == 77
    assert find_config(tmp_path / "quickstart") == tmp_path / "quickstart"


@pytest.mark.parametrize("given", ["quickstar", "configs/quickstart.tom"])
def test_an_unknown_name_is_refused_with_the_known_ones(given: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        find_config(given)

    assert str(caught.value) == (
        f"no config {given!r}; did you mean 'quickstart'? (known: {', '.join(sorted(shipped_configs()))})"
    )


@pytest.mark.parametrize("name", sorted(shipped_configs()))
def test_settings_survive_their_toml(name: str) -> None:
    config = load_config(name, ["run.options.undo_scope=per_coin", 'run.directory=a "quoted" \\ pläce', "run.seed=5"])

    assert parse_config(tomllib.loads(config.toml()), "printed") == config


def test_toml_has_every_setting() -> None:
    printed = Config().toml()

    for section, table in Config().as_data().items():
        assert f"[{section}]" in printed
        assert all(f"\n{key} = " in printed or f"\n# {key} is not set" in printed for key in table)


@pytest.mark.slow
def test_print_config_prints_what_the_run_would_use_and_trains_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "alquerque_env", "train", "quickstart", "run.seed=8", "--print-config"]

    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert parse_config(tomllib.loads(done.stdout), "printed") == load_config("quickstart", ["run.seed=8"])
    assert list(tmp_path.iterdir()) == []
