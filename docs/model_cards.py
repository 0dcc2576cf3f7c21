"""Writes a model card for the bots of each game: `python docs/model_cards.py`, into `checkpoints/<game>/README.md`.

`python docs/model_cards.py GAME --hub FOLDER` lays out a folder that a hub of models takes as it is: the card, which
begins with the YAML that hubs read, the licence, and each bot with its weights. `family` plays all games.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from bot_cards import bot_rows, bots_of_games, network_name, read_card, wrong_shares
from markdown_parts import code, paragraph, rows

from alquerque_env import load_game
from alquerque_env.bots.shipped import FAMILY, shipped_bots, weights_file

ROOT = Path(__file__).parent.parent
CHECKPOINTS = ROOT / "checkpoints"
ERRORS = "wrong choices in {kind} positions where a step loses value, {simulations} simulations"


def bots_of(game: str) -> dict[str, Path]:
    """The bots of a game by name."""
    return {name: folder for name, folder in shipped_bots().items() if game in (folder.parent.name, folder.name)}


def model_card(game: str) -> str:
    """The card of the bots of a game, or of `family`."""
    bots = bots_of(game)
    title = "all games" if game == FAMILY else load_game(game).title
    plays = "fetaix" if game == FAMILY else game
    first = next(iter(bots))
    # JSON is YAML as well.
    head = {
        "license": "mit",
        "library_name": "alquerque-env",
        "pipeline_tag": "reinforcement-learning",
        "tags": ["reinforcement-learning", "self-play", "board-games", "alquerque", game],
        "model-index": [{"name": name, "results": list(results(game, folder))} for name, folder in bots.items()],
    }
    parts = [
        "---\n" + "".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items()) + "---\n",
        f"# Bots for {title}\n",
        paragraph(
            "Networks of [alquerque-env](https://github.com/alquerque-env/alquerque-env), trained by self-play or by "
            "exact values. Weights are `safetensors`; `meta.json` has the whole training with its command, and all "
            "measurements with their intervals."
        ),
        strength(bots),
        code(
            "python",
            "from alquerque_env import Match, load_bot",
            "",
            f'bot = load_bot("{first}", "{plays}")  # or the path of its folder',
            f'print(bot.choose(Match("{plays}")))',
        ),
        *(f"`{name}` was trained by:\n\n{code('text', read_card(bot)['command'])}" for name, bot in bots.items()),
    ]
    return "\n".join(parts)


def strength(bots: dict[str, Path]) -> str:
    """The table of what was measured."""
    if FAMILY not in bots:
        return bot_rows(bots)
    card = read_card(bots[FAMILY])
    return rows(
        ("bot", "network", "natural, policy alone", "uniform, policy alone"),
        [(f"`{FAMILY}`", network_name(card["network"]), *wrong_shares(card)[:2])],
    )


def results(game: str, folder: Path) -> Iterator[dict[str, Any]]:
    """What was measured of a bot, in the words of a model index."""
    card = read_card(folder)
    metrics = [
        {"type": "score", "name": f"score against {entry['opponent']}, {entry['player']}", "value": entry["score"]}
        for entry in card["strength"]
        if "score" in entry
    ]
    metrics += [
        {"type": "error_rate", "name": ERRORS.format(**entry), "value": entry["wrong"]}
        for entry in card.get("exact_errors", ())
    ]
    yield {
        "task": {"type": "reinforcement-learning", "name": "reinforcement-learning"},
        "dataset": {"name": f"alquerque-env, {game}", "type": game},
        "metrics": metrics,
    }


def lay_out(game: str, folder: Path) -> None:
    """Writes the folder for a hub."""
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(model_card(game), encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", folder)
    for name, bot in bots_of(game).items():
        place = folder / (FAMILY if name == FAMILY else bot.name)
        place.mkdir()
        shutil.copy(bot / "meta.json", place)
        shutil.copy(weights_file(bot), place)


@click.command()
@click.argument("games", metavar="[GAME]...", nargs=-1)
@click.option("--hub", type=click.Path(exists=False, path_type=Path), metavar="FOLDER", help="A new folder to lay out.")
def main(games: tuple[str, ...], hub: Path | None) -> None:
    """Writes model cards."""
    known = sorted({FAMILY, *(folder.parent.name for folder in bots_of_games().values())})
    if unknown := set(games) - set(known):
        raise click.UsageError(f"no bots of {', '.join(sorted(unknown))}")
    for game in games or known:
        if hub is None:
            (CHECKPOINTS / game / "README.md").write_text(model_card(game), encoding="utf-8")
        else:
            lay_out(game, hub if len(games) == 1 else hub / game)


if __name__ == "__main__":
    main()
