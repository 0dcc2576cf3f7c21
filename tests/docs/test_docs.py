"""README, CONTRIBUTING and docs/ are right: examples, commands, links, tables and pictures.

Every line of every `sh` block is checked. A command of the package is parsed by the real command line; all but those of
`ONLY_PARSED` are run as well, one page after another from top to bottom, in a form that `shortened` makes quick. So are
the examples that the help of the commands shows.
"""

import doctest
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path, PurePosixPath
from types import ModuleType

import click
import pytest
import yaml
from click.testing import CliRunner

from alquerque_env import Match, games, load_bot, load_game
from alquerque_env.batch.rollouts import measure_branching
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.cli.main import COMMANDS, main
from alquerque_env.game.definition import GameFile
from alquerque_env.game.rules_text import rule_sentences
from tests.own_games import write_game
from tests.sets import first_case

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = {
    file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8")
    for file in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted(DOCS.glob("*.md")),
        *sorted(DOCS.glob("games/*.md")),
    )
}
GAME_PAGES = {f"docs/games/{game}.md": game for game in games()}
NEEDS_TRAINER = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")

LARGEST_PICTURE = 500_000
"""Bytes."""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^ *```{language}\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


def files_of(text: str) -> dict[str, str]:
    """Files that a page shows, marked `<!-- file: NAME -->`."""
    return dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


def write_files(page: str, folder: Path) -> None:
    for name, source in files_of(PAGES[page]).items():
        (folder / name).write_text(source, encoding="utf-8")


def commands(text: str) -> list[list[str]]:
    """The words of every command in the `sh` blocks of a page, environment variables left out."""
    lines = "".join(blocks(text, "sh")).replace("\\\n", " ").splitlines()
    found = [shlex.split(part, comments=True) for line in lines for part in line.split(" && ")]
    return [[word for word in words if not re.match(r"[A-Z_]+=", word)] for words in found if words]


# Pages as a whole


def test_the_index_links_to_every_page() -> None:
    linked = set(re.findall(r"\]\((\w+\.md)", PAGES["docs/index.md"]))
    missing = {PurePosixPath(page).name for page in PAGES if PurePosixPath(page).parent.name == "docs"} - linked
    assert missing <= {"index.md", "versions.md"}  # which other pages link to


def test_the_list_of_games_links_to_the_page_of_each_game_and_there_are_no_other_pages() -> None:
    listed = re.findall(
        r"^\| \[!\[Start of [^|]* \| \[[^|]*\]\(games/(\w+)\.md\) `\1` \|", PAGES["docs/games.md"], re.MULTILINE
    )
    assert sorted(listed) == list(games())
    assert {page for page in PAGES if page.startswith("docs/games/")} == set(GAME_PAGES)


def test_a_page_has_one_title_and_no_line_with_trailing_spaces() -> None:
    for page, whole in PAGES.items():
        text = re.sub(r"^```.*?^```", "", whole, flags=re.DOTALL | re.MULTILINE)
        assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1, page
        assert not re.search(r"[ \t]$", text, re.MULTILINE), page


# Links and pictures


def anchors(text: str) -> set[str]:
    """The anchors that GitHub, MkDocs and MyST give to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(text: str) -> Iterator[str]:
    yield from re.findall(r"\]\(([^)\s]+)\)", without_code(text))
    yield from re.findall(r'src="([^"]+)"', text)


def test_links_lead_somewhere() -> None:
    for page, link in ((page, link) for page, text in PAGES.items() for link in links(text)):
        path, _, anchor = link.partition("#")
        if path.startswith("https://"):
            continue
        # A builder of sites rewrites links of Markdown and not those of HTML.
        assert page == "README.md" or 'src="' not in PAGES[page], page
        target = ((ROOT / page).parent / path).resolve() if path else ROOT / page
        assert target.exists(), f"{page}: {link}"
        # A site is built from docs/ alone.
        assert page in ("README.md", "CONTRIBUTING.md") or target.is_relative_to(DOCS), f"{page}: {link} leaves docs/"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{page}: {link}"


def test_every_picture_is_shown_and_small() -> None:
    shown = {(ROOT / page).parent.joinpath(link).resolve() for page, text in PAGES.items() for link in links(text)}
    for picture in (*(DOCS / "images").iterdir(), *(DOCS / "games").glob("*.svg")):
        assert picture in shown
        assert picture.stat().st_size < LARGEST_PICTURE


def load_script(name: str) -> ModuleType:
    if str(DOCS) not in sys.path:  # the scripts import each other
        sys.path.append(str(DOCS))
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("game", first_case(games()))
def test_the_start_of_each_game_is_drawn_by_the_package(game: str) -> None:
    picture = DOCS / "images" / f"{game}.svg"
    assert picture.read_text(encoding="utf-8") == load_script("make_pictures").start(game)


def test_the_moving_picture_shows_the_match_of_the_script() -> None:
    image = pytest.importorskip("PIL.Image")
    script = load_script("make_pictures")
    shown = list(script.match_pictures())
    with image.open(DOCS / "images" / "match.gif") as animation:
        assert animation.n_frames == len(shown)
        assert animation.size == (script.LARGE, script.LARGE)
    whole = script.play("fetaix", script.MATCH)
    assert whole.outcome is not None
    assert len(shown) == len(whole.steps) + 1


# Tables


@NEEDS_TRAINER
@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if "<!-- table:" in text])
def test_tables_say_what_the_package_says(page: str) -> None:
    assert PAGES[page] == load_script("fill_tables").filled(PAGES[page]), "run python docs/fill_tables.py"


def test_a_table_of_keys_has_a_row_for_every_key() -> None:
    rows = load_script("schema_table").schema_table(GameFile, {"SideFile": {"piece": "A name."}}).splitlines()

    assert rows[0] == "| key | type | meaning | default |"
    assert "| `version` | an integer from 1 to 1000000 |  | required |" in rows
    assert "| `starts.NAME.south` | a string |  | required |" in rows
    assert "| `promotion` | a table or null |  |  |" in rows
    assert "| `promotion.south` | a string, not empty |  | required |" in rows
    assert '| `north.piece` | a string, not empty | A name. | `"man"` |' in rows


@pytest.mark.parametrize("page", first_case(GAME_PAGES))
def test_the_page_of_a_game_says_what_the_package_says(page: str, tmp_path: Path) -> None:
    script, game = load_script("make_game_pages"), GAME_PAGES[page]
    measured = script.measure_games.read(DOCS / "games")
    assert not script.measure_games.missing(measured, load_game(game)), f"run python docs/make_game_pages.py {game}"
    script.write_page(game, tmp_path, measured)
    for name in (f"{game}.md", f"{game}.svg"):
        assert (DOCS / "games" / name).read_text(encoding="utf-8") == (tmp_path / name).read_text(encoding="utf-8")
    for rule in rule_sentences(load_game(game)):
        assert rule in " ".join(PAGES[page].split())


def test_the_page_of_a_game_makes_its_environments_and_tells_their_spaces() -> None:
    for game in ("fetaix", "awithlaknannai_mosona"):
        page, made = PAGES[f"docs/games/{game}.md"], {}
        exec(blocks(page, "python")[0], made)
        space, observed = made["env"].action_space, made["env"].observation_space
        assert made["envs"].single_action_space == space
        assert made["envs"].single_observation_space == observed
        assert f"| action space | `{space}` |" in page
        assert f"| observation | {observed.dtype} `{observed.shape}`: " in page


def test_only_games_of_the_package_are_measured() -> None:
    assert set(load_script("make_game_pages").measure_games.read(DOCS / "games")) == set(games())


def test_the_measured_figures_are_those_of_the_commands() -> None:
    script, game = load_script("make_game_pages"), "felli_simplified"
    kept = script.measure_games.read(DOCS / "games")[game]
    found = measure_branching(game, 10_000, seed=0)
    assert kept["random_play"]["wins"] == [found.rollouts.share(0), found.rollouts.share(1)]
    assert kept["random_play"]["turns"]["mean"] == found.turns.mean()
    assert kept["random_play"]["legal_actions"] == {"mean": found.factor, "most": found.most}
    assert kept["random_play"]["endings"] == found.rollouts.endings()


def test_model_cards_say_what_was_measured_in_the_yaml_that_hubs_read(tmp_path: Path) -> None:
    script = load_script("model_cards")
    cards = {file.parent.name: file.read_text(encoding="utf-8") for file in script.CHECKPOINTS.glob("*/README.md")}
    assert set(cards) == {folder.parent.name for folder in script.bots_of_games().values()} | {"family"}
    named = []
    for game, text in cards.items():
        assert text == script.model_card(game), "run python docs/model_cards.py"
        head = yaml.safe_load(text.split("---\n")[1])
        assert (head["license"], head["library_name"]) == ("mit", "alquerque-env")
        named += [entry["name"] for entry in head["model-index"]]
        metrics = [each for entry in head["model-index"] for each in entry["results"][0]["metrics"]]
        assert metrics
        assert all(0 <= metric["value"] <= 1 for metric in metrics)
    assert sorted(named) == sorted(shipped_bots())

    second = next(
        game for game, first in load_script("bot_cards").second_names().items()
    )  # its weights are those of another game
    result = CliRunner().invoke(script.main, [second, "--hub", str(tmp_path / "hub")])
    assert result.exit_code == 0, result.output
    for bot in (tmp_path / "hub").glob("*/meta.json"):
        assert load_bot(str(bot.parent), second, seed=1).choose(Match(second)) in Match(second).legal_steps
    assert {"README.md", "LICENSE"} < {file.name for file in (tmp_path / "hub").iterdir()}


@pytest.mark.long
def test_a_game_of_ones_own_gets_a_page(tmp_path: Path) -> None:
    write_files("docs/add_a_game.md", tmp_path)
    words = [str(DOCS / "make_game_pages.py"), "small_alquerque.toml", "-o", "pages"]
    # The script imports those beside it, which the safe path of the tests leaves out.
    environment = {**os.environ, "PYTHONSAFEPATH": ""}
    subprocess.run([sys.executable, *words], cwd=tmp_path, env=environment, check=True, timeout=300)
    text = (tmp_path / "pages" / "small_alquerque.md").read_text(encoding="utf-8")
    assert text.startswith("# Small Alquerque\n")
    assert (tmp_path / "pages" / "small_alquerque.svg").exists()


def test_the_page_of_a_game_of_ones_own_needs_a_folder(tmp_path: Path) -> None:
    file = write_game(tmp_path)
    before = {file: file.read_bytes() for file in (DOCS / "games").iterdir()}
    for words in ([], ["-o", str(DOCS / "images" / ".." / "games")]):
        result = CliRunner().invoke(load_script("make_game_pages").main, [str(file), *words])
        assert result.exit_code == 2
        assert f"{str(file)!r} is the path of a game of your own: give its page another folder with -o" in result.stderr
    assert before == {file: file.read_bytes() for file in (DOCS / "games").iterdir()}
    assert [file.name for file in tmp_path.iterdir()] == ["mine.toml"]


def test_the_readme_shows_games_and_leads_to_the_list_of_all() -> None:
    shown = re.findall(r"^\| <img [^|]* \| [^|]* `(\w+)` \|", PAGES["README.md"], re.MULTILINE)
    assert {"alquerque", "fetaix", "awithlaknannai_mosona"} <= set(shown) <= set(games())
    assert "](docs/games.md)" in PAGES["README.md"]


def test_the_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = re.findall(r"^\| `(\w+)` \|", PAGES["docs/install.md"].partition("## Compiled")[0], re.MULTILINE)
    assert set(listed) == set(project["optional-dependencies"])


# Examples


@pytest.mark.parametrize(
    "page",
    [page for page, text in PAGES.items() if ">>> " in text and page != "docs/environments.md"],  # which takes long
)
def test_examples_give_what_is_printed(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(page, tmp_path)
    source = "\n".join(block for block in blocks(PAGES[page], "python") if block.startswith(">>> "))
    test = doctest.DocTestParser().get_doctest(source, {}, page, page, 0)
    assert test.examples
    printed: list[str] = []
    runner = doctest.DocTestRunner()
    runner.run(test, out=printed.append)
    assert runner.failures == 0, "".join(printed)


LISTINGS = ("docs/how_it_works.md", "docs/tour.md")
"""Pages whose blocks are lines of the package."""


def quick(block: str) -> str:
    """A block that does the same with less work; where a cluster is needed, the imports alone."""
    return re.sub(r"^with connect.*", "", block, flags=re.DOTALL | re.MULTILINE).replace("learn(10_000)", "learn(64)")


@NEEDS_TRAINER
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that are copies of another")
def test_each_block_runs_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in commands(PAGES["docs/training.md"]):
        if words[1] == "export":  # the files that its blocks read
            run_command(words)
    found = []
    for page, text in PAGES.items():
        if page not in (*LISTINGS, *list(GAME_PAGES)[1:]):  # pages of games differ in names alone
            write_files(page, tmp_path)
            found += [
                (f"{page}, block {number}", quick(block)) for number, block in enumerate(blocks(text, "python"), 1)
            ]
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("run_blocks.py"))],
        input=json.dumps(found),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# Commands


def parse(words: list[str]) -> None:
    """Parses the words of an `alquerque` command as the program does, without running it."""
    command: click.Command = main
    # Without its settings the group would keep a help option without `-h`, and later tests would see that.
    context, rest = click.Context(main, info_name="alquerque", **main.context_settings), words[1:]
    while isinstance(command, click.Group):
        name, command, rest = command.resolve_command(context, rest)
        if isinstance(command, click.Group):
            context = click.Context(command, parent=context, info_name=name)
    command.make_context(name, rest, parent=context)


COMMANDS_OF_PAGES = [(page, words) for page, text in PAGES.items() for words in commands(text)]
OF_HELP = [shlex.split(line) for line in re.findall(r"^  (alquerque .*)", PAGES["docs/command_line.md"], re.MULTILINE)]
"""The examples of every `--help`, which the page repeats."""


def test_commands_are_those_of_the_program() -> None:
    for page, words in COMMANDS_OF_PAGES:
        if words[0] == "alquerque":
            try:
                parse(words)
            except click.ClickException as error:
                pytest.fail(f"{page}: {shlex.join(words)}: {error.format_message()}")


def test_the_command_line_page_has_every_command() -> None:
    headings = re.findall(r"^## alquerque (\w+)$", PAGES["docs/command_line.md"], re.MULTILINE)
    assert headings == list(COMMANDS)


def test_other_commands_name_what_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for page, words in COMMANDS_OF_PAGES:
        program, *arguments = words[: words.index(">")] if ">" in words else words
        files = []
        if program == "pip":
            (wanted,) = re.findall(r"\[(.*)\]", arguments[-1])
            assert set(wanted.split(",")) <= set(extras), page
            files = [file for option, file in pairwise(arguments) if option == "-c"]
        elif program in ("python", "pytest", "bash"):
            files = [word for word in arguments if "/" in word or word.endswith(".py")]
        elif arguments[:3] != ["-I", "-S", "bot.py"]:  # written by the command before, and run with it below
            known = {"alquerque", "ruff", "mypy", "pre-commit", "git", "gh", "twine", "ray", "sphinx-build"}
            assert program in known, f"{page}: {words}"
        assert all((ROOT / file).exists() for file in files), f"{page}: {words}"


ONLY_PARSED = ("web", "mcp", "compile")
"""Commands that do not end by themselves, or take long however little there is to do. So does a result that `benchmark
check` accepts, and a study of some options, which has no smaller table."""

NEED_FILES = [["benchmark", name] for name in ("check", "curve", "record", "leaderboard")]
"""Commands that read what somebody else has made."""

TYPED = {"play": "quit\n", "puzzles": "quit\n", "engine": "ugi\nquit\n"}
"""What a command is given to read."""

SMALLER = {
    "--games": "2",
    "--matches": "100",
    "--count": "2",
    "--pieces": "2",
    "--positions": "500",
    "--memory": "0.25",
    "--delay": "0",
    "--seconds": "0.01",
    "--senders": "2",
    "--ray": "local",
}
"""Values of options that make a command quick, or that need no other machine."""

ADDED = {
    "solve": {
        "--from-start": ["--seconds", "0.5", "--memory", "0.25"],
        "--each-option": ["--option", "chain=single", "--option", "capture=optional", "--option", "no_moves=pass"],
    },
    "exploit": {"perfect": ["--minutes", "0.02"]},
    "benchmark": {"run": ["--quick"], "curve": ["--quick"]},
    "openings": {"": ["--judge", "alphabeta:1"]},
    "dataset": {"fetaix": ["--positions", "500"]},
    "export": {"-o": ["--force"]},
}
"""Arguments that make a command quick, added where a word is present; the empty word always is."""

SETTINGS = {
    "run.total_steps": "512",
    "run.checkpoint_every": "1",
    "self_play.num_games": "16",
    "self_play.rollout_steps": "8",
    "self_play.bots": "[]",
    "self_play.bots_share": "0.0",
    "ppo.minibatch_size": "64",
    "ppo.pool_share": "0.0",
    "search.simulations": "2",
    "search.final_simulations": "2",
    "alphazero.processes": "1",
    "alphazero.batch_size": "8",
    "alphazero.window": "1000",
    "alphazero.warmup_positions": "8",
    "network.width": "8",
    "network.search_features": "off",
    "evaluation.games_per_seat": "1",
    "evaluation.opponents": "[]",
}
"""Settings that make a training run quick."""


def shortened(words: list[str]) -> list[str]:
    """A command that does the same with less work."""
    words = words[: words.index(">")] if ">" in words else words
    name = words[1]
    if name == "train" and not {"--resume", "--print-config"} & set(words):
        settings = SETTINGS | ({"alphazero.processes": "2"} if "--ray" in words else {})
        if any(word.startswith("run.start=") for word in words):  # the network is that of the checkpoint
            settings = {key: value for key, value in settings.items() if not key.startswith("network.")}
        given = [word for word in words if word.partition("=")[0] not in settings]
        asked = ["train", "small"] if "--minutes" in words else words[1:]  # `--minutes` chooses AlphaZero here
        config = tomllib.loads(CliRunner().invoke(main, [*asked, "--print-config"]).output)
        known = [name for name in settings if name.partition(".")[0] in config]  # learners have settings of their own
        words = [*given, *(f"{name}={settings[name]}" for name in known)]
    if "--leaderboard" in words:
        return words
    words = [SMALLER.get(before, word) for before, word in zip(["", *words], words, strict=False)]
    words = [re.sub(r"^alphabeta:[4-9]$", "alphabeta:2", re.sub(r"^mcts:\d+$", "mcts:5", word)) for word in words]
    words = [re.sub(r"^(\w+-(?:small|strong)|family):\d+$", r"\1:2", word) for word in words]
    if name == "exploit" and "--minutes" in words:
        words[words.index("--minutes") + 1] = "0.05"
    for word, added in ADDED.get(name, {}).items():
        if (word or name) in words and added[0] not in words:
            words = [*words, *added]
    if words[1:3] == ["benchmark", "run"] and not set(games()) & set(words[1:]):
        words = [*words, "alquerque"]
    return words


def is_run(words: list[str]) -> bool:
    """Whether a command of the package is run, and not only parsed."""
    missing = "wandb" in words and find_spec("wandb") is None
    return words[1] not in ONLY_PARSED and words[1:3] not in NEED_FILES and "--vary" not in words and not missing


def run_command(words: list[str]) -> None:
    words = shortened(words)
    result = CliRunner().invoke(main, words[1:], input=TYPED.get(words[1]))
    if "--resume" in words:  # a run of a command before, which was so short that it has ended
        assert "is finished" in result.output
    else:
        assert result.exit_code == 0, f"{shlex.join(words)}: {result.output}"


@NEEDS_TRAINER
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            marks=pytest.mark.long if page in GAME_PAGES else pytest.mark.slow,
        )
        for page, text in PAGES.items()
        if commands(text)
    ],
)
def test_commands_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path / "tables"))
    monkeypatch.setenv("WANDB_MODE", "offline")
    if any("--ray" in words for words in commands(PAGES[page])):
        pytest.importorskip("ray", reason="the extra `ray` is not installed")
    write_files(page, tmp_path)
    for words in commands(PAGES[page]):
        if "cuda" in words and not pytest.importorskip("torch").cuda.is_available():
            continue
        if words[0] == "python3":
            run = subprocess.run(
                [sys.executable, *words[1:]], input="quit\n", capture_output=True, text=True, timeout=120, check=False
            )
            assert run.returncode == 0, f"{words}: {run.stderr}"
        elif words[0] == "alquerque" and is_run(words):
            run_command(words)


def test_the_examples_of_help_are_commands_of_the_program() -> None:
    assert {words[1] for words in OF_HELP} == set(COMMANDS)
    for words in OF_HELP:
        parse(words[: words.index(">")] if ">" in words else words)


RUN = "alquerque train ppo"
NEEDED = {
    "dataset": ["alquerque solve fetaix --pieces 2", "alquerque solve alquerque --pieces 2"],
    "export": [RUN],
    "plot": [RUN],
    "report": ["alquerque play felli_simplified --watch random --opponent random --save match.pdn"],
}
"""What makes the files that the examples of a command read."""


@NEEDS_TRAINER
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ONLY_PARSED])
def test_the_examples_of_help_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but those with `--ray`, of which `docs/ray.md` has some, and those that pages have as well."""
    elsewhere = [words for page, words in COMMANDS_OF_PAGES if page not in GAME_PAGES]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path / "tables"))
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "my_module.py").write_text("def choose(observation, action_mask):\n    return action_mask.argmax()\n")
    for line in NEEDED.get(name, ()):
        run_command(shlex.split(line))
    if name == "report":
        (tmp_path / "matches.pdn").write_text(3 * (tmp_path / "match.pdn").read_text())
    for words in OF_HELP:
        if words[1] == name and is_run(words) and "--ray" not in words and words not in elsewhere:
            run_command(words)


# The tour quotes its files as they are.

TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
STATIONS = re.findall(r"^## \d\. [^`\n]*: `([^`\n]*)`\n(.*?)(?=^## )", TOUR, re.DOTALL | re.MULTILINE)


def test_the_tour_has_five_files() -> None:
    assert len(STATIONS) == len(re.findall(r"^## \d", TOUR, re.MULTILINE)) == 5


@pytest.mark.parametrize(("file", "text"), STATIONS, ids=[file for file, _ in STATIONS])
def test_the_lines_that_the_tour_quotes_stand_in_their_file_in_that_order(file: str, text: str) -> None:
    lines = iter((ROOT / file).read_text(encoding="utf-8").splitlines())
    quotes = re.findall(r"^```\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert quotes
    for line in "".join(quotes).splitlines():
        if line.strip() != "...":
            assert line in lines, f"{file} has no line {line!r} after the one quoted before"


# Sentences are short enough to be read once.

LONGEST = 34
"""Words."""

NO_SENTENCE = re.compile(r"^```.*?^```|^\|[^\n]*$|^#[^\n]*$|<!--.*?-->|\]\([^)\s]*\)", re.M | re.S)
"""Blocks of code, rows of tables, headings, comments, and the targets of links."""
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.)\s)")
SENTENCE = re.compile(r"(?<=[.!?:])[\"”)]?\s+(?=[A-Z`\[*\"(])")
MOVE = re.compile(r"@?[a-z]*\d+([-x@^][a-z]*\d+)*\.?")
"""A move in a line of play, which is no word."""


def sentences(text: str) -> Iterator[str]:
    for paragraph in PARAGRAPH.split(NO_SENTENCE.sub("\n", text)):
        yield from SENTENCE.split(" ".join(paragraph.split()))


def test_no_sentence_of_the_documentation_is_long() -> None:
    for page in (*(ROOT / name for name in PAGES), ROOT / "benchmarks" / "README.md", *DOCS.glob("*/*.md")):
        for sentence in sentences(page.read_text(encoding="utf-8")):
            words = [word for word in sentence.split() if re.search(r"\w", word) and not MOVE.fullmatch(word)]
            assert len(words) <= LONGEST, f"{page}: {sentence}"
