"""`alquerque describe`: everything about a game, printed from its data."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ...errors import AlquerqueError
from ...game import rules_text
from ...game.game import Game
from ...game.options import spell
from ...game.ruleset import NORTH, SOUTH
from ...game.schedule_text import VERBS
from ...match.match import Match
from ...match.status_text import exact_sentence, lasts, outcome_sentence, standing
from ...solve.solutions import known_solution
from ...solve.tables import present_table
from ..command import HelpfulCommand, print_report
from ..console.capabilities import Terminal, align, find_terminal, join_words
from ..parameters import game_argument, json_option, open_match, position_option

if TYPE_CHECKING:
    from ...solve.tables import StepValue

_DECIDES_NOTHING = "This does not arise on this board under the other answers."
_REWARDS = {"win": 1, "loss": -1, "draw": 0, "otherwise": 0}


@click.command(cls=HelpfulCommand)
@game_argument
@position_option
@click.option("--toml", "as_toml", is_flag=True, help="Print the game as one game file, to change or to pass on.")
@json_option
def describe(game: Game, position: str | None, as_toml: bool, as_json: bool) -> None:
    """Describe a game or a position.

    Prints the board, the rules and options, observations, actions, rewards, endings and sources of a game. With
    --position, prints that position and its legal steps, with their exact values if an endgame table has them.
    """
    if as_toml:
        if as_json or position is not None:
            raise AlquerqueError("--toml prints a game file: it goes with neither --json nor --position")
        click.echo(game.to_toml(), nl=False)
        return
    terminal = find_terminal()
    if position is None:
        report, lines = game_json(game), game_text(game, terminal)
    else:
        match = open_match(game, position)
        match.table = present_table(game, shipped=True)
        report, lines = position_json(match), position_text(match, terminal)
    print_report(report, lines, as_json=as_json)


def position_json(match: Match) -> dict[str, Any]:
    """A position as a JSON object; values are None where no endgame table has them."""
    known = {found.step: found for found in _step_values(match)}
    return {
        "game": match.game.name,
        "position": match.position,
        "player": match.player,
        "outcome": None if match.outcome is None else asdict(match.outcome),
        "value": match.value,
        "distance": match.distance,
        "steps": [
            {
                "text": step.text,
                "action": step.action,
                "value": known[step].value if step in known else None,
                "distance": known[step].distance if step in known else None,
            }
            for step in match.legal_steps
        ],
    }


def position_text(match: Match, terminal: Terminal) -> Iterator[str]:
    """A position as lines of text."""
    yield from terminal.draw(match.picture()).split("\n")
    yield ""
    if match.outcome is not None:
        yield outcome_sentence(match, match.outcome)
        return
    yield f"{rules_text.SIDES[match.player]} is to move. {standing(match)}".rstrip()
    values = _step_values(match)
    yield exact_sentence(match) or "No endgame table has this position."
    words = {1: "wins", 0: "draws", -1: "loses"}
    for found in values:
        turns = "" if found.distance is None else f" in {found.distance}"
        if found.value is None:
            words_now = f"{words[found.clockless]}{turns} if the no-progress limit allows"
        else:
            is_in_time = found.distance is not None and lasts(match, found.distance, found.step)
            words_now = words[found.value] + turns * (found.value == found.clockless and is_in_time)
        yield f"  {found.step.text:<8} {words_now}"
    if not values:
        yield terminal.wrap(f"Steps: {', '.join(step.text for step in match.legal_steps)}.")


def _step_values(match: Match) -> "tuple[StepValue, ...]":
    table: Any = match.table
    return () if table is None else table.steps(match)


def game_json(game: Game) -> dict[str, Any]:
    """A game as a JSON object. Points are numbers; `board` has their labels and coordinates."""
    board = game.board
    return {
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "table_hash": game.table_hash,
        "sources": list(game.sources),
        "board": {
            "title": board.title,
            "source": board.source,
            "points": [{"label": board.labels[point], "x": x, "y": y} for point, (x, y) in enumerate(board.points)],
            "lines": [list(line) for line in board.lines],
            "end_arcs": [list(line) for line in board.end_arcs],
            "bends": [list(line) for line in board.bends],
            "circles": [list(line) for line in board.circles],
        },
        "start": {
            "position": open_match(game).position,
            "player": game.first_player,
            "pieces": [sorted(game.start[SOUTH]), sorted(game.start[NORTH])],
        },
        "sides": [
            {
                "piece": side.piece,
                "captures": game.captures(player),
                "man_steps": game.step_directions(player),
                "loses_at": game.loses_at[player],
                "goal": sorted(side.goal),
            }
            for player, side in enumerate(game.sides)
        ],
        "schedule": [
            {"player": ply.player, "does": VERBS[ply.does], "points": sorted(ply.points)} for ply in game.schedule
        ],
        "rules": [rule._asdict() for rule in rules_text.fixed_rules(game)],
        "options": [option.as_dict() | {"value": game.options[name]} for name, option in game.option_table.items()],
        "num_actions": game.num_actions,
        "actions": [None if action is None else list(action) for action in game.actions],
        "victims": list(game.table.over),
        "planes": [
            {"index": index, "name": plane.name, "maximum": plane.maximum, "meaning": plane.meaning}
            for index, plane in enumerate(game.planes)
        ],
        "turned_for_player_1": game.is_symmetric,
        "rewards": _REWARDS,
        "endings": [ending._asdict() for ending in rules_text.endings(game)],
        "symmetries": len(game.symmetries),
        "solution": None if (known := known_solution(game)) is None else known.as_dict(),
    }


def game_text(game: Game, terminal: Terminal) -> Iterator[str]:
    """A game as lines of text."""
    yield f"# {game.title}"
    for title, lines in (
        ("Rules", terminal.bullets(rules_text.play_sentences(game))),
        ("Termination", _termination(game, terminal)),
        ("Board", _drawn_board(game, terminal)),
        ("Start", _start(game, terminal)),
        ("Options", _options(game, terminal)),
        ("Solved", _solved(game, terminal)),
        ("Specs", _specs(game)),
        ("Observation", _observation(game, terminal)),
        ("Action", _actions(game, terminal)),
        ("Rewards", ["The winner gets 1 and the loser -1; draws and all steps before the end give 0."]),
        ("Sources", terminal.bullets(game.sources)),
    ):
        yield from ("", f"## {title}", "")
        yield from lines


def _specs(game: Game) -> list[str]:
    facts: Mapping[str, object] = {
        "id": game.name,
        "version": f"{game.version}, table {game.table_hash}",
        "players": "player_0 South (W in texts), player_1 North (B)",
        "points": len(game.board.points),
        "actions": game.num_actions,
        "observation": f"int8 [{len(game.planes)}, {len(game.board.points)}]: planes, points",
        "symmetries": len(game.symmetries),
        "rewards": "from -1 to 1",
    }
    return list(align(facts.items()))


def _drawn_board(game: Game, terminal: Terminal) -> Iterator[str]:
    board = game.board
    source = f" ({board.source})" if board.source else ""
    yield from (terminal.wrap(f"{board.title}: {len(board.points)} points{source}."), "")
    yield from terminal.draw(open_match(game).picture()).split("\n")
    yield ""
    closed = [circle + circle[:1] for circle in board.circles]
    kinds = {"lines": board.lines, "circles": closed, "curved lines": board.end_arcs, "bends": board.bends}
    for title, lines in kinds.items():
        if lines:
            drawn = ["-".join(board.labels[point] for point in line) for line in lines]
            counted = f"{len(lines)} {title.removesuffix('s') if len(lines) == 1 else title}"
            yield terminal.wrap(f"{counted}: {', '.join(drawn)}.")


def _start(game: Game, terminal: Terminal) -> Iterator[str]:
    yield terminal.wrap(rules_text.start_sentence(game))
    yield terminal.wrap(open_match(game).position)


def _solved(game: Game, terminal: Terminal) -> Iterator[str]:
    known = known_solution(game)
    if known is None:
        yield f"Who wins under best play is unknown. To try: alquerque solve {game.command_argument} --from-start"
    else:
        yield from map(terminal.wrap, known.sentences())


def _options(game: Game, terminal: Terminal) -> Iterator[str]:
    if not game.option_table:
        yield "The game has none."
    decisive = rules_text.open_questions(game)
    for name, option in game.option_table.items():
        value = game.options[name]
        default = "" if value == option.default else f" (default {spell(option.default)})"
        yield f"- {name}={spell(value)}{default}"
        told = rules_text.answer(game, name) if name in decisive else f"{option.question} {_DECIDES_NOTHING}"
        yield terminal.wrap(told, "    ")
        others = [f"{spell(known)} ({what})" for known, what in option.values.items() if known not in (value, "N")]
        if "N" in option.values:
            others.append(f"{'another' if isinstance(value, int) else 'a'} number ({option.values['N']})")
        if others:
            yield terminal.wrap(f"Other values: {'; '.join(others)}.", "    ")
        yield terminal.wrap(f"Source: {option.source}.", "    ")


def _observation(game: Game, terminal: Terminal) -> Iterator[str]:
    yield terminal.wrap(_frame(game))
    for index, plane in enumerate(game.planes):
        yield terminal.wrap(f"{plane.name}, 0 to {plane.maximum}: {plane.meaning}", "      ", f"{index:>4}  ")


def _actions(game: Game, terminal: Terminal) -> Iterator[str]:
    yield terminal.wrap(
        f"{game.num_actions} actions. An action is one step; a chain of captures is several. {_frame(game)}"
    )
    for kind, ends in action_ranges(game).items():
        examples = ", ".join(f"{action} is {action_text(game, action)}" for action in ends)
        ends_at = "point" if kind in ("drops", "removals") else "origin and target"
        yield f"- {ends[0]} to {ends[1]}: {kind} by {ends_at}; {examples}"
    if names_victims(game):
        victim = "Where origin and target leave open which piece is captured, its point is part of the action."
        yield terminal.wrap(victim, "  ")
    if None in game.actions:
        yield f"- {game.actions.index(None)}: pass, which {join_words(rules_text.pass_meanings(game))}"


def action_ranges(game: Game) -> dict[str, tuple[int, int]]:
    """The first and the last action of each kind that the game has: simple steps, captures, drops, then removals."""
    found: dict[str, tuple[int, int]] = {}
    for number, action in enumerate(game.actions):
        if action is not None:
            is_placing, takes = action[0] is None, game.table.over[number] is not None
            kind = (("simple steps", "captures"), ("drops", "removals"))[is_placing][takes]
            found[kind] = found.get(kind, (number,))[0], number
    return found


def names_victims(game: Game) -> bool:
    """Whether there are actions whose origin and target leave open which piece is captured."""
    return any(action is not None and None not in action for action in game.actions)


def action_text(game: Game, action: int) -> str:
    """An action in the notation of steps, in the frame of the player to move."""
    found = game.actions[action]
    if found is None:
        return "pass"
    origin, target, over = (None if point is None else game.board.labels[point] for point in found)
    if origin is None:
        return f"x{over}" if target is None else f"@{target}"
    victim = "" if over is None else f"^{over}"
    return f"{origin}{'-' if game.table.over[action] is None else 'x'}{target}{victim}"


def _frame(game: Game) -> str:
    if game.is_symmetric:
        return "For player_1 the board is turned by 180 degrees: points are in the frame of the player to move."
    return "The board is the same for both players."


def _termination(game: Game, terminal: Terminal) -> Iterator[str]:
    yield "After each turn, the first of these that applies ends the match:"
    for number, ending in enumerate(rules_text.endings(game), 1):
        yield terminal.wrap(f"{ending.sentence} Reason: {ending.reason}.", "   ", f"{number}. ")
