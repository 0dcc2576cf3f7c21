"""Writes one page a game: `python docs/make_game_pages.py [GAME ...] [-o FOLDER] [--measure]`.

    docs/games/<game>.md         environments, rules, options, sources, actions, planes, random play, perft counts,
                                 exact value, bots
    docs/games/<game>.svg        the start; docs/images/<game>.svg is a smaller one
    docs/games/measured.json     what was measured for the pages, see `measure_games.py`

GAME is a game's id or the path of a game file; without one, every game of the package gets its page. With `-o`, pages,
pictures and measurements go to another folder, as those of your own games must. Only what was not measured yet with
the same rules and bots is measured, which takes about a minute a game; `--measure` measures again.
"""

import json
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click
import measure_games
from bot_cards import bot_rows
from make_pictures import start
from markdown_parts import bullets, code, numbered, paragraph, rows

from alquerque_env import games, load_game
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.cli.commands.describe import action_ranges, action_text, names_victims
from alquerque_env.cli.console.capabilities import join_words
from alquerque_env.envs.registration import camel_case
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.game_file import names_file
from alquerque_env.game.options import spell
from alquerque_env.game.planes import planes
from alquerque_env.game.rules_text import (
    SIDES,
    endings,
    notation_sentences,
    pass_meanings,
    play_sentences,
    start_sentence,
)
from alquerque_env.game.schedule_text import VERBS
from alquerque_env.solve.solutions import known_solution

DOCS = Path(__file__).parent
PAGES, IMAGES = DOCS / "games", DOCS / "images"

REASONS = {
    "captured": "a side has lost its pieces",
    "goal": "a side holds its goal",
    "blocked": "a side cannot move",
    "repetition": "a position occurs for the third time",
    "no_progress": "the no-progress limit is reached, a draw",
    "majority": "the no-progress limit is reached, and pieces are counted",
}
"""How matches end, by the reason in `Outcome`."""


def page(game: Game, picture: str, measured: Any) -> str:
    """The page of a game.

    Args:
      game: The game with its default options.
      picture: The address of its picture from the page.
      measured: What `measure_games` has measured of it.
    """
    sections = {
        "Rules": rules(game),
        "Options": options(game),
        "Sources": bullets([*game.sources, board_source(game)]),
        "Actions": actions(game),
        "Observations": observations(game),
        "Random play": random_play(game, measured),
        "Perft": perft_table(game, measured),
        "Exact value": exact_value(game),
        "Bots": bots(game, measured),
    }
    head = [f"# {game.title}\n", environments(game), f"![Start of {game.title}]({picture})\n"]
    if game.about:
        head.insert(1, paragraph(game.about))
    return "\n".join([*head, *(f"## {title}\n\n{text}" for title, text in sections.items())])


def environments(game: Game) -> str:
    """How to make the environments, what their spaces are, and how to play the game."""
    argument, shown = json.dumps(game.argument), planes(game)
    aec, single = f"{game.name}_v0.env()", f'"alquerque/{camel_case(game.name)}-v0"'
    if game.path:
        aec, single = f"env({argument})", f'"alquerque/Game-v0", game={argument}'
    facts = {
        "action space": f"`Discrete({game.num_actions})`",
        "action mask": f'int8 `({game.num_actions},)` in `info["action_mask"]`',
        "observation": f"int8 `({len(shown)}, {len(game.board.points)})`: a row of points for each of the planes "
        + ", ".join(f"`{plane.name}`" for plane in shown),
        "agents": "`player_0` (South), `player_1` (North)",
        "rewards": "1 for the winner, -1 for the loser, 0 for a draw and before the end",
        "version": str(game.version),
    }
    made = code(
        "python",
        "import alquerque_env",
        "import gymnasium",
        "",
        f"env = alquerque_env.{aec}  # PettingZoo",
        f'env = gymnasium.make({single}, opponent="greedy")  # Gymnasium, against a bot',
        f"envs = alquerque_env.SelfPlayVectorEnv({argument}, num_envs=256)  # Gymnasium, self-play",
    )
    played = code("sh", f"alquerque describe {game.argument}", f"alquerque play {game.argument}")
    return "\n".join([made, rows(("", ""), facts.items()), played])


def rules(game: Game) -> str:
    """The rules under the default options."""
    return "\n".join(
        [
            paragraph(start_sentence(game)),
            bullets(play_sentences(game)),
            "After each turn, the first of these that applies ends the match:\n",
            numbered(f"{ending.sentence} (`{ending.reason}`)" for ending in endings(game)),
            "Notation:\n",
            bullets(notation_sentences(game)),
        ]
    )


def options(game: Game) -> str:
    """The options with their values, defaults and sources."""
    body = []
    for name, option in game.option_table.items():
        shown = {value: f"`{spell(value)}`: {option.meaning(value)}" for value in (option.default, *option.values)}
        default = shown.pop(option.default)
        body.append((f"`{name}`", option.question, default, "<br>".join(shown.values()) or "none", option.source))
    return "\n".join(
        [
            paragraph(
                "The rules above are those of the defaults. Other values are keyword arguments of environments and of "
                "`load_game`, and `--option NAME=VALUE` of commands. The last column says what the "
                "[sources](#sources) answer, each named by its letters; *no source* means that none answers the "
                "question."
            ),
            rows(("option", "question", "default", "other values", "source"), body),
        ]
    )


def board_source(game: Game) -> str:
    """Where the board is described."""
    source = game.board.source
    return f"The board: {game.board.title}{f' ({source})' if source else ''}"


def actions(game: Game) -> str:
    """What the actions are."""
    kinds = [
        f"{first} to {last}: {kind}, from {action_text(game, first)} to {action_text(game, last)}"
        for kind, (first, last) in action_ranges(game).items()
    ]
    verbs = ["moves", *sorted({VERBS[ply.does] for ply in game.schedule} - {"moves"})]
    does = " or ".join(verbs)
    if names_victims(game):
        kinds[-1] += "; ^ and a point name the captured piece where origin and target leave it open"
    if None in game.actions:
        kinds.append(f"{game.actions.index(None)}: pass, which {join_words(pass_meanings(game))}")
    return "\n".join(
        [
            paragraph(f"An action {does} one piece once, so a chain of captures takes several. {_turned(game)}"),
            bullets(kinds),
        ]
    )


def observations(game: Game) -> str:
    """The planes of an observation."""
    shown = planes(game)
    return "\n".join(
        [
            paragraph(_turned(game)),
            rows(
                ("plane", "name", "values", "meaning"),
                (
                    (str(number), f"`{plane.name}`", f"0 to {plane.maximum}", plane.meaning)
                    for number, plane in enumerate(shown)
                ),
            ),
        ]
    )


def _turned(game: Game) -> str:
    return f"For North the board is {'turned by 180 degrees' if game.is_symmetric else 'not turned'}."


def random_play(game: Game, measured: Any) -> str:
    """What happens in random matches."""
    found = measured["random_play"]
    matches = sum(found["endings"].values())
    order = [game.first_player, 1 - game.first_player]
    body = [
        *(
            (f"{SIDES[player]}, who moves {when}, wins", f"{found['wins'][player]:.1%}")
            for player, when in zip(order, ("first", "second"), strict=True)
        ),
        ("draws", f"{found['draws']:.1%}"),
        *((f"{kind} per match", _spread(found[kind])) for kind in ("turns", "actions")),
        ("legal actions in a position", "{mean:.1f} (at most {most})".format(**found["legal_actions"])),
        *((f"ends when {REASONS[reason]}", f"{count / matches:.1%}") for reason, count in found["endings"].items()),
    ]
    return "\n".join(
        [
            paragraph(
                f"In {matches:,} matches, both players chose uniformly among the legal actions. Lengths are means, "
                "with the shortest and the longest in brackets."
            ),
            rows(("", ""), body),
            code("sh", found["command"]),
        ]
    )


def _spread(found: Any) -> str:
    return "{mean:.1f} ({least} to {most})".format(**found)


def perft_table(game: Game, measured: Any) -> str:
    """The numbers of sequences from the start, which a move generator of one's own is compared by."""
    found = measured["perft"]
    return "\n".join(
        [
            paragraph(
                "The numbers of [sequences](../matches.md#perft) of whole turns, and of single steps, from the start. "
                "A program for this game must find the same."
            ),
            rows(
                ("depth", "turns", "steps"),
                (
                    (str(depth), *("" if count is None else f"{count:,}" for count in counts))
                    for depth, counts in enumerate(zip_longest(found["turns"], found["steps"]), start=1)
                ),
            ),
            code("sh", f"alquerque perft {game.argument} --depth {len(found['turns'])} --turns"),
        ]
    )


def exact_value(game: Game) -> str:
    """Who wins under best play, if that is known."""
    known = known_solution(game)
    return paragraph("Who wins under best play is not known." if known is None else " ".join(known.sentences()))


def bots(game: Game, measured: Any) -> str:
    """How strong bots are."""
    found = measured["ladder"]
    parts = [_ladder(found), code("sh", found["command"])] if found["ratings"] else []
    trained = {name: folder for name, folder in shipped_bots().items() if folder.parent.name == game.name}
    if trained:
        parts += [
            paragraph(
                "These trained bots come with the package. Their figures are from other matches, played after "
                "training; [bots](../bots.md#trained-bots) explains the columns."
            ),
            bot_rows(trained),
        ]
    return "\n".join(parts or [paragraph("No bots have been compared.")])


def _ladder(found: Any) -> str:
    """A cross-table: bots by rating, each with its score against every other."""
    ratings = dict(sorted(found["ratings"].items(), key=lambda item: -item[1]["rating"]))
    scores = {(pair["a"], pair["b"]): pair["score"] for pair in found["pairs"]}
    scores |= {(b, a): 1 - score for (a, b), score in scores.items()}

    def cell(bot: str, other: str) -> str:
        return "" if bot == other else f"{scores[bot, other]:.0%}"

    return "\n".join(
        [
            paragraph(
                f"Each pair played {found['pairs'][0]['games']} matches, which began with random turns. The table "
                "shows Elo ratings with 95% intervals; `random` has 0. Column 1 is the score against the first bot of "
                "the table, column 2 against the second, and so on; a draw counts half. A trained bot without a number "
                "after its name plays without simulations."
            ),
            rows(
                ("", "bot", "Elo", "95%", *(str(number) for number in range(1, len(ratings) + 1))),
                (
                    (
                        str(number),
                        f"`{bot}`",
                        f"{round(rating['rating']):+d}" if bot != "random" else "0",
                        "{low:+.0f} to {high:+.0f}".format(**rating) if bot != "random" else "",
                        *(cell(bot, other) for other in ratings),
                    )
                    for number, (bot, rating) in enumerate(ratings.items(), start=1)
                ),
            ),
        ]
    )


def write_page(name: str, folder: Path, measured: Any) -> None:
    """Writes the page of a game, which its id or the path of its file names, and its picture."""
    game = load_game(name)
    picture = f"{game.name}.svg"
    (folder / picture).write_text(start(game, scale=1), encoding="utf-8")
    text = page(game, picture, measured[game.name])
    (folder / f"{game.name}.md").write_text(text, encoding="utf-8")


@click.command()
@click.argument("names", metavar="[GAME]...", nargs=-1)
@click.option("-o", "folder", type=click.Path(file_okay=False, path_type=Path), default=PAGES, metavar="FOLDER")
@click.option("--measure", is_flag=True, help="Measure again what was measured before.")
def main(names: Sequence[str], folder: Path, measure: bool) -> None:
    """Writes the pages of games."""
    paths = [name for name in names if names_file(name)]
    if paths and folder.resolve() == PAGES.resolve():
        raise click.UsageError(f"{paths[0]!r} is the path of a game of your own: give its page another folder with -o")
    try:
        loaded = {name: load_game(name) for name in names or games()}
    except AlquerqueError as error:
        raise click.UsageError(str(error)) from None
    folder.mkdir(parents=True, exist_ok=True)
    measured = measure_games.read(folder)
    for name, game in loaded.items():
        for measurement in measure_games.missing({} if measure else measured, game):
            click.echo(f"measuring {game.name}: {measurement} ...")
            measured.setdefault(game.name, {})[measurement] = measure_games.measure(game, name, measurement)
            measure_games.write(folder, measured)
        write_page(name, folder, measured)
        if folder == PAGES:
            (IMAGES / f"{game.name}.svg").write_text(start(game), encoding="utf-8")


if __name__ == "__main__":
    main()
