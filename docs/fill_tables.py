"""Writes the tables of README and documentation that repeat what the package says: `python docs/fill_tables.py`.

A page marks the place of a table with two comments, `<!-- table: NAME ARGUMENT -->` and `<!-- end of table -->`; what
stands between them is replaced. `tests/docs/test_docs.py` checks that every table is up to date.
"""

import inspect
import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import click
import measure_games
from alquerque_training.config.settings import COMMON
from alquerque_training.measure.metrics import METRICS
from alquerque_training.run.config_file import shipped_configs
from alquerque_training.run.learner import LEARNERS
from bot_cards import bot_rows, bots_of_games, is_proved, plays_alone, read_card, search_feature_depth, second_names
from drawn_table import deepest_table, drawn_sentence
from make_game_pages import PAGES
from markdown_parts import rows
from option_answers import answer_list, deep_table, every_table, study_sentence
from puzzle_table import puzzle_table
from schema_table import schema_table
from solved_tables import (
    best_play,
    few_table,
    left_out_table,
    option_table,
    proof_table,
    proved_table,
    second_name_sentence,
    solved_table,
    whole_table,
)
from unseen_tables import unseen_ablations, unseen_drawn, unseen_learning, unseen_matches, unseen_settings

from alquerque_env import games, load_game
from alquerque_env.bots.levels import levels
from alquerque_env.bots.network.model_card import ModelCard
from alquerque_env.bots.spec import spec_forms
from alquerque_env.cli.main import COMMANDS, main
from alquerque_env.envs.registration import camel_case
from alquerque_env.game.board_file import BoardFile
from alquerque_env.game.definition import GameFile
from alquerque_env.game.game import Game
from alquerque_env.game.options import Listed, Rules, as_tuple, exclusions, vocabulary

ROOT = Path(__file__).parent.parent
PLACE = re.compile(r"(<!-- table: (\w+) ?([\w-]*) -->\n).*?(<!-- end of table -->)", re.DOTALL)

KINDS = {
    "alquerque": (
        *("alquerque", "alquerque_alfonso_x", "alquerque_murray", "fetaix", "fetach", "dama_comoros"),
        "terhuchu_small",
    ),
    "larger": (
        *("sixteen_soldiers", "permainan_tabal", "kotu_ellima", "peralikatuma", "kharbaga", "fanorona", "tuknanavuhpi"),
        "tukvnanawopi",
    ),
    "wide": ("tiger_game_forty", "zamma", "terhuchu_large"),
    "triangles": (
        *("lau_kata_kati", "butterfly", "dash_guti", "egara_guti", "felli", "felli_bouhajbane"),
        "felli_simplified",
    ),
    "circles": ("pretwa", "gol_skuish"),
    "long": ("awithlaknannai_mosona", "awithlaknannai_mosona_davis", "kolowis_awithlaknannai"),
    "draughts": ("draughts_english", "draughts_international"),
}
"""Games by kind or board. Games of two roles are in the table `hunts`, all others in the table `other`."""
SHOWN = ("fetaix", "awithlaknannai_mosona", "alquerque")
"""Games in the README."""
HELP_WIDTH = 100
SAID_ABOVE = re.compile(
    r"^  (?:GAME +Id of a game|SPEC +A bot; its forms|--option NAME=VALUE  |--json  |-h, --help  )[^[]*?\n(?! {8})"
    r"|^Bots \(SPEC\):\n.*?\n\n",
    re.MULTILINE | re.DOTALL,
)
"""What the help of many commands repeats, and `command_line.md` says once."""


def game_table(kind: str) -> str:
    """The games on a kind of board with links to their pages; for `readme` some, with small pictures."""
    if kind == "readme":
        names, picture = list(SHOWN), '<img src="docs/images/{name}.svg" alt="{alt}" width="120">'
    else:
        others = [
            name
            for name in games()
            if not any(name in listed for listed in KINDS.values()) and not load_game(name).has_roles
        ]
        names, picture = list(KINDS.get(kind, others)), "[![{alt}](images/{name}.svg)](games/{name}.md)"
    folder = "docs/games" if kind == "readme" else "games"
    return rows(
        ("", "game", "", "points", "pieces", "actions", "best play"),
        (
            (
                picture.format(name=name, alt=f"Start of {game.title}"),
                f"[{game.title}]({folder}/{name}.md) `{name}`",
                game.about,
                str(len(game.board.points)),
                " and ".join(dict.fromkeys(map(str, game.most_pieces))),
                str(game.num_actions),
                best_play(game),
            )
            for name, game in ((name, load_game(name)) for name in names)
        ),
    )


def hunt_table(_: str) -> str:
    """The games of two roles: who has what, who begins, and what is known of who is stronger."""
    measured = measure_games.read(PAGES)

    def side(game: Game, player: int) -> str:
        count, own = len(game.start[player]) + game.hands[player], game.sides[player]
        return f"{count} {own.piece if count == 1 else own.pieces}"

    def at_random(name: str) -> str:
        found = measured.get(name, {}).get("random_play")
        return "" if found is None else " : ".join(f"{share:.0%}" for share in found["wins"])

    return rows(
        ("", "game", "", "South", "North", "begins", "points", "actions", "random play", "best play"),
        (
            (
                f"[![Start of {game.title}](images/{name}.svg)](games/{name}.md)",
                f"[{game.title}](games/{name}.md) `{name}`",
                game.about,
                side(game, 0),
                side(game, 1),
                ("South", "North")[game.first_player],
                str(len(game.board.points)),
                str(game.num_actions),
                at_random(name),
                best_play(game),
            )
            for name, game in ((name, load_game(name)) for name in games())
            if game.has_roles
        ),
    )


def id_table(_: str) -> str:
    """The ids of all games and of their environments."""
    return rows(
        ("id", "PettingZoo", "Gymnasium"),
        (
            (f"[`{name}`](games/{name}.md)", f"`alquerque_env.{name}_v0`", f"`alquerque/{camel_case(name)}-v0`")
            for name in games()
        ),
    )


def level_table(name: str) -> str:
    """The levels of a game on the page."""
    return rows(
        ("level", "bot", "how it plays"),
        ((level.name, f"`{level.spec}`", level.about) for level in levels(load_game(name))),
    )


def bot_table(kind: str) -> str:
    """The bots of the package of one kind: with search features, without, measured without search, or proved."""

    def kind_of(name: str, folder: Path) -> str:
        if is_proved(name):
            return "proved"
        if plays_alone(folder):
            return "alone"
        return "plain" if search_feature_depth(read_card(folder)["network"]) is None else "search_features"

    second = second_names()
    bots = {name: folder for name, folder in bots_of_games().items() if folder.parent.name not in second}
    return bot_rows({name: folder for name, folder in bots.items() if kind_of(name, folder) == kind})


def setting_table(name: str) -> str:
    """The settings of one section of a training config, with what its docstring says about them."""
    section = next(found[name] for found in (COMMON, *(each.sections for each in LEARNERS.values())) if name in found)
    text = inspect.getdoc(section).partition("Attributes:\n")[2]
    meanings = {
        key: " ".join(meaning.split())
        for key, meaning in re.findall(r"^  (\w+): (.*?)(?=^  \w|\Z)", text, re.DOTALL | re.MULTILINE)
    }
    meanings = {key: _as_links(meaning) for key, meaning in meanings.items()}
    values = json.loads(section().model_dump_json())
    return rows(
        ("setting", "default", "meaning"),
        (
            (f"`{name}.{key}`", "" if values[key] is None else f"`{json.dumps(values[key])}`", meanings[key])
            for key in section.model_fields
        ),
    )


def _as_links(text: str) -> str:
    """A text with links in the place of names such as `docs/solved_games.md`."""
    return re.sub(r"`docs/(\w+)\.md`", lambda page: f"[{page[1].replace('_', ' ')}]({page[1]}.md)", text)


def config_table(_: str) -> str:
    """The configs that come with the package, with the first sentence of each."""
    first = re.compile(r"# (.*?)(?:[:.,]\s|$)", re.MULTILINE)
    return rows(
        ("config", "what it trains"),
        ((f"`{name}`", first.match(path.read_text(encoding="utf-8"))[1]) for name, path in shipped_configs().items()),
    )


def metric_table(_: str) -> str:
    """What a training run logs."""
    return rows(
        ("metric", "unit", "meaning"),
        ((f"`{metric.name}{'.*' if metric.is_family else ''}`", metric.unit, metric.meaning) for metric in METRICS),
    )


def format_table(name: str) -> str:
    """The keys of a kind of file."""
    meanings = tomllib.loads((ROOT / "alquerque_env/game/file_keys.toml").read_text(encoding="utf-8"))
    meanings["Rules"] = {rule: entry.question for rule, entry in vocabulary().items()}
    return schema_table({"game": GameFile, "rules": Rules, "board": BoardFile, "card": ModelCard}[name], meanings)


def exclusion_table(_: str) -> str:
    """The answers that exclude each other."""

    def written(table: Mapping[str, Listed]) -> list[str]:
        return [
            " or ".join(f"`{name} = {'N' if value == 'N' else json.dumps(value)}`" for value in as_tuple(listed))
            for name, listed in table.items()
        ]

    return rows(
        ("a game with", "does not have", "because"),
        (
            (
                " without ".join([", ".join(written(each.when)), *written(each.unless)]),
                ", ".join(written(each.never)),
                each.because,
            )
            for each in exclusions()
        ),
    )


def spec_table(_: str) -> str:
    """The forms of the spec of a bot."""
    return rows(("SPEC", "bot"), ((f"`{form}`", about) for form, about in spec_forms().items()))


def command_list(_: str) -> str:
    """The help of every command, without what the page says above it."""
    context = click.Context(main, info_name="alquerque", **main.context_settings)
    return "\n".join(_describe(main.get_command(context, name), context, name, "##") for name in COMMANDS)


def _describe(command: click.Command, parent: click.Context, name: str, heading: str) -> str:
    context = click.Context(command, parent=parent, info_name=name, terminal_width=HELP_WIDTH)
    shown = re.sub(
        r"^(?:Arguments|Options):\n\n", "", SAID_ABOVE.sub("", command.get_help(context) + "\n"), flags=re.MULTILINE
    )
    text = f"{heading} {context.command_path}\n\n```text\n{shown.rstrip()}\n```\n"
    if isinstance(command, click.Group):
        inner = (_describe(found, context, name, f"{heading}#") for name, found in command.commands.items())
        text = "\n".join([text, *inner])
    return text


TABLES: Mapping[str, Callable[[str], str]] = {
    "games": game_table,
    "hunts": hunt_table,
    "ids": id_table,
    "levels": level_table,
    "bots": bot_table,
    "settings": setting_table,
    "configs": config_table,
    "metrics": metric_table,
    "commands": command_list,
    "specs": spec_table,
    "formats": format_table,
    "excludes": exclusion_table,
    "solved": solved_table,
    "few": few_table,
    "whole": whole_table,
    "options": option_table,
    "left_out": left_out_table,
    "proofs": proof_table,
    "proved": proved_table,
    "second_names": second_name_sentence,
    "study": study_sentence,
    "drawn_sentence": drawn_sentence,
    "deepest": deepest_table,
    "answers": answer_list,
    "deep": deep_table,
    "every": every_table,
    "puzzles": puzzle_table,
    "unseen_drawn": unseen_drawn,
    "unseen_settings": unseen_settings,
    "unseen_matches": unseen_matches,
    "unseen_learning": unseen_learning,
    "unseen_ablations": unseen_ablations,
}


def filled(text: str) -> str:
    """A page with its tables up to date."""
    return PLACE.sub(lambda place: f"{place[1]}\n{TABLES[place[2]](place[3])}\n{place[4]}", text)


def pages() -> list[Path]:
    """The pages that people read."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


if __name__ == "__main__":
    os.environ.setdefault("ALQUERQUE_JIT", "1")  # the pages describe bots whose kernels have been compiled
    for page in pages():
        before = page.read_text(encoding="utf-8")
        page.write_text(filled(before), encoding="utf-8")
        if filled(before) != before:
            print(f"{page.relative_to(ROOT)} changed")
