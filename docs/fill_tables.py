"""Writes the tables of README and documentation that repeat what the package says: `python docs/fill_tables.py`.

A page marks the place of a table with two comments, `<!-- table: NAME ARGUMENT -->` and `<!-- end of table -->`; what
stands between them is replaced. `tests/docs/test_docs.py` checks that every table is up to date.
"""

import inspect
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click
from alquerque_training.config.settings import SECTIONS
from alquerque_training.config.shipped_configs import shipped_configs
from alquerque_training.measure.chart_names import CHARTS, Chart
from alquerque_training.measure.metrics import METRICS

from alquerque_env import games, load_game
from alquerque_env.bots.levels import levels
from alquerque_env.bots.network.model_card import ModelCard, describe_network
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.cli.main import COMMANDS, main
from alquerque_env.files.schema import document
from alquerque_env.game.board_file import BoardFile
from alquerque_env.game.game_file import GameFile
from alquerque_env.game.options import Rules, spell, vocabulary
from alquerque_env.game.planes import planes

ROOT = Path(__file__).parent.parent
PLACE = re.compile(r"(<!-- table: (\w+) ?([\w-]*) -->\n).*?(<!-- end of table -->)", re.DOTALL)

ABOUT = {
    "alquerque": "The piecepack ruleset by J. Eccles and T. L. Davis: captures are compulsory.",
    "alquerque_alfonso_x": "After the book of Alfonso X (1283): captures are optional, a turn is one leap.",
    "alquerque_murray": "After H. J. R. Murray: captures are optional, a chain may stop after any leap.",
    "awithlaknannai_mosona": "The Zuni game of the snakes, on Murray's board: leaps may bend.",
    "awithlaknannai_mosona_davis": "The same in T. L. Davis's ruleset, on Culin's board: leaps stay on a drawn line.",
    "fetaix": "The Moroccan game: men that reach the last rank become flying mullahs.",
}
OPPONENTS = ("alphabeta:3", "alphabeta:5", "mcts:1000")
SIMULATIONS = 64
HELP_WIDTH = 100


def rows(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    lines = [list(head), *(list(cells) for cells in body)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n" for cells in lines)


def game_table(page: str) -> str:
    """Every game with its picture; in the README small, which takes HTML, and in the documentation as Markdown."""
    pictures = {
        "readme": '<img src="docs/images/{name}.svg" alt="{alt}" width="120">',
        "docs": "![{alt}](images/{name}.svg)",
    }
    return rows(
        ("", "id", "game", "actions", "planes"),
        (
            (
                pictures[page].format(name=name, alt=f"Start of {load_game(name).title}"),
                f"`{name}`",
                ABOUT[name],
                str(load_game(name).num_actions),
                str(len(planes(load_game(name)))),
            )
            for name in games()
        ),
    )


def option_table(name: str) -> str:
    """The options of a game."""
    return rows(
        ("option", "question", "default", "other values"),
        (
            (
                f"`{option.name}`",
                option.question,
                f"`{spell(option.default)}`",
                ", ".join(f"`{spell(value)}`" for value in option.values if value != option.default),
            )
            for option in load_game(name).option_table.values()
        ),
    )


def plane_table(name: str) -> str:
    """The planes of a game's observations."""
    return rows(
        ("plane", "name", "values", "meaning"),
        (
            (str(number), f"`{plane.name}`", f"0 to {plane.maximum}", plane.meaning)
            for number, plane in enumerate(planes(load_game(name)))
        ),
    )


def level_table(name: str) -> str:
    """The levels of a game on the page."""
    return rows(
        ("level", "bot", "how it plays"),
        ((level.name, f"`{level.spec}`", level.about) for level in levels(load_game(name))),
    )


def search_feature_depth(network: Mapping[str, Any]) -> int | None:
    """The depth of a network's search features; None for a network without them."""
    return None if network["search_features"] == "off" else int(network["search_features"])


def network_name(network: Mapping[str, Any]) -> str:
    """Architecture and size of a network; the depth of its search features, if it has them."""
    return describe_network(network["kind"], network["width"], network["blocks"], search_feature_depth(network))


def bot_table(kind: str) -> str:
    """The bots that come with the package, with search features or without, as their model cards describe them."""
    body = []
    for name, folder in shipped_bots().items():
        card = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        if (search_feature_depth(card["network"]) is not None) != (kind == "search_features"):
            continue
        scores = {
            entry["opponent"]: "{:.0f} % ({:.0f}–{:.0f})".format(
                *(100 * entry[key] for key in ("score", "low", "high"))
            )
            for entry in card["strength"]
            if entry["simulations"] == SIMULATIONS and "score" in entry
        }
        body.append(
            (
                f"`{name}:{SIMULATIONS}`",
                network_name(card["network"]),
                f"{card['steps'] / 1e6:.1f} M, {card['wall_time'] / 60:.0f} min",
                *(scores[opponent] for opponent in OPPONENTS),
                "{value:+.0f} ({low:+.0f} to {high:+.0f})".format(**card["rating"]),
            )
        )
    return rows(("bot", "network", "decisions, time", *(f"against `{name}`" for name in OPPONENTS), "rating"), body)


def setting_table(name: str) -> str:
    """The settings of one section of a training config, with what its docstring says about them."""
    section = SECTIONS[name]
    text = inspect.getdoc(section).partition("Attributes:\n")[2]
    meanings = {
        key: " ".join(meaning.split())
        for key, meaning in re.findall(r"^  (\w+): (.*?)(?=^  \w|\Z)", text, re.DOTALL | re.MULTILINE)
    }
    values = json.loads(section().model_dump_json())
    return rows(
        ("setting", "default", "meaning"),
        (
            (f"`{name}.{key}`", "" if values[key] is None else f"`{json.dumps(values[key])}`", meanings[key])
            for key in section.model_fields
        ),
    )


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


def chart_table(_: str) -> str:
    """The names of charts in other libraries."""

    def source(chart: Chart) -> str:
        sign = {1.0: "", -1.0: "−"}.get(chart.factor, f"{chart.factor:g} × ")
        return f"{sign}`{chart.metric}`" + (f" / `{chart.per}`" if chart.per else "")

    return rows(
        ("chart", "of", "is", "with"),
        ((f"`{chart.name}`", chart.library, source(chart), "PPO" if chart.is_of_ppo else "any") for chart in CHARTS),
    )


def format_table(name: str) -> str:
    """The keys of a kind of file."""
    questions = {rule: entry.question for rule, entry in vocabulary().items()}
    return document({"game": GameFile, "rules": Rules, "board": BoardFile, "card": ModelCard}[name], questions)


def command_list(_: str) -> str:
    """The help of every command."""
    context = click.Context(main, info_name="alquerque", **main.context_settings)
    return "\n".join(_describe(main.get_command(context, name), context, name, "##") for name in COMMANDS)


def _describe(command: click.Command, parent: click.Context, name: str, heading: str) -> str:
    context = click.Context(command, parent=parent, info_name=name, terminal_width=HELP_WIDTH)
    text = f"{heading} {context.command_path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, click.Group):
        inner = (_describe(found, context, name, f"{heading}#") for name, found in command.commands.items())
        text = "\n".join([text, *inner])
    return text


TABLES: Mapping[str, Callable[[str], str]] = {
    "games": game_table,
    "options": option_table,
    "planes": plane_table,
    "levels": level_table,
    "bots": bot_table,
    "settings": setting_table,
    "configs": config_table,
    "metrics": metric_table,
    "charts": chart_table,
    "commands": command_list,
    "formats": format_table,
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
