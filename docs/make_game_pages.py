"""Writes one page a game: `python docs/make_game_pages.py [GAME ...] [-o FOLDER] [--measure]`.

    docs/games/<game>.md         rules, options, sources, actions, planes, random play, exact value and bots
    docs/games/<game>.svg        the start; docs/images/<game>.svg is a smaller one
    docs/games/measured.json     what was measured for the pages, see `measure_games.py`

GAME is a game's id or the path of a game file; without one, every game of the package gets its page. With `-o`, pages,
pictures and measurements go to another folder, as those of your own games must. Only what was not measured yet with
the same rules and bots is measured, which takes about a minute a game; `--measure` measures again.
"""

from collections.abc import Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import takewhile
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
from alquerque_env.errors import AlquerqueError
from alquerque_env.game.game import Game
from alquerque_env.game.game_source import names_file
from alquerque_env.game.options import Option, OptionValue, spell
from alquerque_env.game.planes import planes
from alquerque_env.game.rules_text import (
    SIDES,
    answer,
    endings,
    fixed_sentences,
    notation_sentences,
    open_questions,
    pass_meanings,
)
from alquerque_env.game.ruleset import NORTH, SOUTH
from alquerque_env.match.position_text import in_order
from alquerque_env.solve.solutions import known_solution

DOCS = Path(__file__).parent
PAGES, IMAGES = DOCS / "games", DOCS / "images"

REASONS = {
    "captured": "a side has lost its pieces",
    "blocked": "a side cannot move",
    "repetition": "a position occurs for the third time",
    "no_progress": "the no-progress limit is reached, a draw",
    "majority": "the no-progress limit is reached, and pieces are counted",
}
"""How matches end, by the reason in `Outcome`."""


def game_file(name: str) -> Traversable:
    """The file of a game, which a path or its id names."""
    if names_file(name):
        return Path(name).expanduser()
    return resources.files("alquerque_env.game") / "games" / f"{name}.toml"


def introduction_of(file: Traversable) -> str:
    """What a game is, from the comment at the top of its file. Empty without one."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return " ".join(line.removeprefix("#").strip() for line in takewhile(lambda line: line.startswith("#"), lines))


def page(game: Game, introduction: str, picture: str, measured: Any) -> str:
    """The page of a game.

    Args:
      game: The game with its default options.
      introduction: What the game is; empty if nobody says it.
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
        "Exact value": exact_value(game),
        "Bots": bots(game, measured),
    }
    head = [f"# {game.title}\n", f"![Start of {game.title}]({picture})\n"]
    if introduction:
        head.insert(1, paragraph(introduction))
    return "\n".join([*head, facts(game), *(f"## {title}\n\n{text}" for title, text in sections.items())])


def facts(game: Game) -> str:
    """How the match begins, and how to see and play the game."""
    men = [len(side) for side in game.start]
    sides = f"Each side begins with {men[SOUTH]} men"
    if men[SOUTH] != men[NORTH]:
        sides = f"{SIDES[SOUTH]} begins with {men[SOUTH]} men and {SIDES[NORTH]} with {men[NORTH]}"
    labels = game.board.labels
    points = in_order(sorted(set(range(len(labels))) - game.start[SOUTH] - game.start[NORTH]), labels)
    vacant = join_words([labels[point] for point in points] or ["no point"], "and")
    begins = (
        f"The board has {len(labels)} points. {sides}; {vacant} {'are' if len(points) > 1 else 'is'} vacant. "
        f"{SIDES[game.first_player]} moves first."
    )
    return "\n".join(
        [paragraph(begins), code("sh", f"alquerque describe {game.argument}", f"alquerque play {game.argument}")]
    )


def rules(game: Game) -> str:
    """The rules under the default options."""
    answers = [f"{answer(game, name)} (`{name}`)" for name in open_questions(game)]
    return "\n".join(
        [
            bullets([*fixed_sentences(game), *answers]),
            "After each turn, the first of these that applies ends the match:\n",
            numbered(f"{ending.sentence} (`{ending.reason}`)" for ending in endings(game)),
            "In texts:\n",
            bullets(notation_sentences(game)),
        ]
    )


def options(game: Game) -> str:
    """The options with their values, defaults and sources."""

    def other_values(option: Option) -> str:
        return "<br>".join(f"`{spell(value)}`: {option.values[value]}" for value in others(option)) or "none"

    def others(option: Option) -> list[OptionValue]:
        return [value for value in option.values if value != option.default]

    return "\n".join(
        [
            paragraph(
                "These answers can be chosen. The rules above have the meanings of the defaults. The last column says "
                "what the [sources](#sources) answer, each named by its letters; where it says *no source*, none "
                "answers the question."
            ),
            rows(
                ("option", "question", "default", "other values", "source"),
                (
                    (f"`{name}`", option.question, f"`{spell(option.default)}`", other_values(option), option.source)
                    for name, option in game.option_table.items()
                ),
            ),
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
    if names_victims(game):
        kinds[-1] += "; ^ and a point name the captured piece where origin and target leave it open"
    if None in game.actions:
        kinds.append(f"{game.actions.index(None)}: pass, which {join_words(pass_meanings(game))}")
    return "\n".join(
        [
            paragraph(
                f"There are {game.num_actions} actions. An action moves one piece once, so a chain of captures takes "
                f"several. {_turned(game)}"
            ),
            bullets(kinds),
        ]
    )


def observations(game: Game) -> str:
    """The planes of an observation."""
    shown = planes(game)
    return "\n".join(
        [
            paragraph(f"An int8 array of {len(shown)} planes and {len(game.board.points)} points. {_turned(game)}"),
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
    return "For North the board is turned by 180 degrees." if game.is_symmetric else "It is the same for both players."


def random_play(game: Game, measured: Any) -> str:
    """What happens in random matches."""
    found = measured["random_play"]
    matches = sum(found["endings"].values())
    order = [game.first_player, 1 - game.first_player]
    body = [
        *(
            (f"{SIDES[player]}, who moves {when}, wins", _percent(found["wins"][player]))
            for player, when in zip(order, ("first", "second"), strict=True)
        ),
        ("draws", _percent(found["draws"])),
        *((f"{kind} a match", _spread(found[kind])) for kind in ("turns", "actions")),
        ("legal actions in a position", "{mean:.1f} (at most {most})".format(**found["legal_actions"])),
        *((f"ends when {REASONS[reason]}", _percent(count / matches)) for reason, count in found["endings"].items()),
    ]
    return "\n".join(
        [
            paragraph(
                f"In {matches:,} matches both players chose among the legal actions, each with the same probability. "
                "Lengths are means, with the shortest and the longest in brackets."
            ),
            rows(("", ""), body),
            code("sh", found["command"]),
        ]
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _spread(found: Any) -> str:
    return "{mean:.1f} ({least} to {most})".format(**found)


def exact_value(game: Game) -> str:
    """Who wins under best play, if that is known."""
    known = known_solution(game)
    if known is None or known.winner is None:
        losers = () if known is None else known.losers
        cannot = "".join(f" {SIDES[loser]} cannot win." for loser in losers)
        text = f"Who wins under best play is not known.{cannot}"
    else:
        value = "is a draw" if known.winner == "draw" else f"is won by {SIDES[int(known.winner)]}"
        text = (
            f"Under best play the match {value}. The proof searched {known.nodes:,} positions and used an endgame "
            f"table of positions with up to {known.table_pieces} pieces."
        )
    return paragraph(text)


def bots(game: Game, measured: Any) -> str:
    """How strong bots are."""
    found = measured["ladder"]
    parts = [_ladder(found), code("sh", found["command"])] if found["ratings"] else []
    trained = {name: folder for name, folder in shipped_bots().items() if folder.parent.name == game.name}
    if trained:
        parts += [
            paragraph(
                "These trained bots come with the package. Their figures are from other matches, played after their "
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
        return "" if bot == other else f"{100 * scores[bot, other]:.0f} %"

    return "\n".join(
        [
            paragraph(
                f"Every two of these bots played {found['pairs'][0]['games']} matches, which began with random turns. "
                "The table has their Elo ratings with 95 % intervals, where `random` has 0. Column 1 is the score "
                "against the first bot of the table, column 2 against the second, and so on; a draw counts half. "
                "Without a number after its name, a trained bot plays without simulations."
            ),
            rows(
                ("", "bot", "Elo", "95 %", *(str(number) for number in range(1, len(ratings) + 1))),
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
    text = page(game, introduction_of(game_file(name)), picture, measured[game.name])
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
