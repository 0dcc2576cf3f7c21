"""Game files drawn at random: boards and rules that no game of the package has, and that nobody would think of.

A game is drawn as the tables of its file. Many draws contradict themselves; those the package refuses.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import MISSING, fields
from itertools import pairwise
from typing import Any, Literal, get_args, get_origin, get_type_hints

from alquerque_env.drawn import boards
from alquerque_env.drawn.boards import BoardDraft, Place, half_turn
from alquerque_env.files.toml_text import format_toml
from alquerque_env.game.options import Rules, allowed, contradictions, spell, vocabulary

Tables = dict[str, Any]
Chance = random.Random

NUMBERS: dict[str, tuple[Any, ...]] = {
    "no_progress_limit": ("off", 1, 2, 5, 9, 20, 130),
    "loses_at": (*["none"] * 5, 1, 2),
}
"""Answers to questions for a number. One of the limits needs two planes of the observation."""


def random_game(seed: int) -> Tables:
    """The tables of the game file with this number."""
    chance = Chance(seed)
    boards = (chance.choice((_grid, _grid, _wheel, _scatter))(chance) for _ in iter(int, 1))
    board = next(board for board in boards if len(board.labels) > 2)
    if chance.random() < 0.2:
        _renumber(chance, board)
    places = dict(zip(board.labels, board.places, strict=True))
    tables: Tables = {
        "title": f"Random game {seed}",
        "version": 1,
        "sources": ["chance"],
        "board": _tables(chance, board),
    }
    if chance.random() < 0.2:
        tables["sanctuary"] = " ".join(chance.sample(board.labels, chance.randint(1, 2)))
    if chance.random() < 0.3:
        tables["promoted_piece"] = "king"
    tables["start"] = _sides(chance, places, most=max(1, (len(places) - 1) // 2))
    rules = _rules(chance)
    if "sanctuary" not in tables:
        rules.pop("centre_safe", None)
    if chance.random() < 0.15:
        rules["opening"] = "first"
        tables["openings"] = {"first": _opening(chance, tables["start"], board)}
    if chance.random() < 0.4:
        tables |= {side: _side(chance, board.labels, rules) for side in ("south", "north")}
    if chance.random() < 0.9:
        _settle(chance, tables, rules)
    if rules["promotion"] == "points":
        near_south, near_north = _sides(chance, places, most=3).values()
        tables["promotion"] = {"south": near_north, "north": near_south}
    if chance.random() < 0.3:
        _add_schedule(chance, tables, rules, board.labels)
    tables["rules"] = rules
    tables["options"] = {name: _option(chance, name, rules.pop(name)) for name in _open_questions(chance, rules)}
    if chance.random() < 0.1:
        _add_start(chance, tables, places)
    if chance.random() < 0.3:
        _add_double_steps(chance, tables, board)
    return tables


def game_text(tables: Tables) -> str:
    """The game file."""
    return format_toml(tables) + "\n"


def random_options(tables: Tables, seed: int) -> dict[str, object]:
    """A value for some of the options of a game."""
    chance = Chance(seed)
    return {
        name: 3 if value == "N" else value
        for name, option in tables["options"].items()
        if chance.random() < 0.5
        for value in [chance.choice(option["values"])]
    }


def simpler(tables: Tables) -> Iterator[Tables]:
    """The game with one thing less: a key, a rule, a line, or a piece."""
    for key in ("sanctuary", "promoted_piece", "openings", "starts", "south", "north", "schedule", "double_steps"):
        if key in tables:
            yield {name: value for name, value in tables.items() if name != key}
    for side in ("south", "north"):
        for key in tables.get(side, {}):
            yield {**tables, side: {name: value for name, value in tables[side].items() if name != key}}
    for place, line in enumerate(tables.get("schedule", [])):
        for less in ([], [line.partition(" times: ")[2]], line.partition(" times: ")[2].split(", ")[:1]):
            lines = [*tables["schedule"][:place], *filter(None, less), *tables["schedule"][place + 1 :]]
            if lines != tables["schedule"]:
                yield {**tables, "schedule": lines}
    for name, option in tables["options"].items():
        others = {other: value for other, value in tables["options"].items() if other != name}
        yield {**tables, "rules": {**tables["rules"], name: option["default"]}, "options": others}
    for rule, answer in tables["rules"].items():
        others = {name: value for name, value in tables["rules"].items() if name != rule}
        plain = PLAIN.get(rule)
        if plain is None:
            yield {**tables, "rules": others}
        elif answer != plain:
            changed = {**tables, "rules": {**others, rule: plain}}
            yield {name: value for name, value in changed.items() if rule != "promotion" or name != "promotion"}
    for table, keys in (("board", ("circles", "end_arcs", "bends", "lines")), ("start", ("south", "north"))):
        for key in keys:
            given = tables[table].get(key, [])
            parts = given.split() if isinstance(given, str) else given
            for place in range(len(parts)):
                left = [*parts[:place], *parts[place + 1 :]]
                yield {**tables, table: {**tables[table], key: " ".join(left) if isinstance(given, str) else left}}


# Rules: the answers are those that the package knows, so that a new rule is drawn without a change here.

_NOT_ANSWERS = ("board", "dash_sides", "pieces", "opening", "drop_order")
"""Rules whose answers are a game's own."""


def _answers() -> dict[str, tuple[Any, ...]]:
    hints = get_type_hints(Rules)
    found: dict[str, tuple[Any, ...]] = {}
    for name, kind in hints.items():
        if name in _NOT_ANSWERS:
            continue
        if name in NUMBERS:
            found[name] = NUMBERS[name]
        else:
            found[name] = (False, True) if kind is bool else get_args(kind)
            assert kind is bool or get_origin(kind) is Literal, f"{name} has answers of an unknown kind"
    return found


ANSWERS = _answers()
PLAIN = {rule.name: ANSWERS[rule.name][0] for rule in fields(Rules) if rule.default is MISSING} | {
    "no_progress_limit": 5
}
"""A plain answer to each question that every game answers."""


def _rules(chance: Chance) -> dict[str, Any]:
    """An answer to every question that a game must answer, and to some of the others."""
    rules = {
        name: chance.choice(answers) for name, answers in ANSWERS.items() if name in PLAIN or chance.random() < 0.4
    }
    for name in ("captures", "man_steps"):  # of most games in which nobody captures or steps, the same is true
        if rules.get(name) == "none" and chance.random() < 0.5:
            rules[name] = ANSWERS[name][0]
    if rules["progress"] == "capture_or_man_step" and chance.random() < 0.8:
        rules["man_steps"] = "forward"
    return rules


def _open_questions(chance: Chance, rules: dict[str, Any]) -> list[str]:
    known = [name for name, answer in rules.items() if name in ANSWERS and _may_be_left_open(name, answer)]
    return chance.sample(known, min(len(known), chance.choice((0, 0, 1, 2, 4))))


def _may_be_left_open(name: str, answer: Any) -> bool:
    return name in vocabulary() and (spell(answer) in vocabulary()[name].values or type(answer) is int)


def _option(chance: Chance, name: str, default: Any) -> Tables:
    known = ["N"] if name in NUMBERS else ANSWERS[name]
    others = [answer for answer in known if answer != default and spell(answer) in vocabulary()[name].values]
    values = [default, *chance.sample(others, chance.randint(0, len(others)))]
    return {"default": default, "values": values, "source": "chance"}


def _side(chance: Chance, labels: list[str], rules: Tables) -> Tables:
    """Answers for one side alone."""
    captures = ("none", rules.get("captures", "leap")) if chance.random() < 0.9 else ANSWERS["captures"]
    answers = {
        "piece": "tiger",
        "captures": chance.choice(captures),
        "man_steps": chance.choice(ANSWERS["man_steps"]),
        "loses_at": chance.choice((0, 0, 0, 1, 2)),
        "no_moves": chance.choice(ANSWERS["no_moves"]),
        "goal": " ".join(chance.sample(labels, min(len(labels), chance.randint(1, 2)))),
    }
    return {name: answer for name, answer in answers.items() if chance.random() < 0.4}


def _settle(chance: Chance, tables: Tables, rules: Tables) -> None:
    """Draws answers anew until none excludes another, and captures fit the board."""
    asked = [rules, *(tables[side] for side in ("south", "north") if side in tables)]
    is_ordered = "rows" in tables["board"] and "circles" not in tables["board"]
    if is_ordered and chance.random() < 0.15:
        rules["captures"] = "approach_withdrawal"
    while (found := next(contradictions(_all_answers(tables, rules)), None)) is not None:
        exclusion, name, _ = found
        name, excluded = chance.choice([(name, exclusion.never[name]), *exclusion.when.items()])
        for answers in asked:
            if answers is rules or name in answers:
                answers[name] = chance.choice(allowed(name, excluded))
    for answers in [] if is_ordered else asked:
        if answers.get("captures") == "approach_withdrawal":
            answers["captures"] = "leap"
            rules["chain_must_turn"] = False


def _all_answers(tables: Tables, rules: Tables) -> dict[str, tuple[Any, ...]]:
    """The answers to every question, as `Ruleset.answers` has them."""
    found = {rule.name: (rules.get(rule.name, rule.default),) for rule in fields(Rules)}
    for name in ("captures", "man_steps"):
        kinds = [tables.get(side, {}).get(name, found[name][0]) for side in ("south", "north")]
        found[name] = tuple(kinds)
    return found | {"captures": tuple(kind for kind in found["captures"] if kind != "none") or ("none",)}


def _add_schedule(chance: Chance, tables: Tables, rules: Tables, labels: list[str]) -> None:
    """A schedule, and fewer men at the start of sides that drop some; in most games without what contradicts it."""
    names = chance.choice((("south", "north"), ("first", "second")))
    tables["schedule"] = _schedule(chance, names, labels)
    for side, name in zip(tables["start"], names, strict=True):
        if chance.random() < 0.6 and any(f"{name} drops" in line for line in tables["schedule"]):
            men = tables["start"][side].split()
            tables["start"][side] = " ".join(men[: chance.choice((0, 0, len(men) // 2))])
    if chance.random() < 0.9:
        tables.pop("openings", None)
        for rule in ("opening", "undo_scope", "shrink", *(["who_starts"] if "south" in names else [])):
            rules.pop(rule, None)


def _schedule(chance: Chance, names: tuple[str, str], labels: list[str]) -> list[str]:
    """The lines of a schedule, in which drops are the most frequent."""
    lines = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        plies = []
        for name in chance.choice((names, names[::-1], names[:1], [*names, names[0]])):
            ply = f"{name} {chance.choice(('drops', 'drops', 'drops', 'moves', 'removes'))}"
            ply += chance.choice(("", "", " 1", " 2"))
            if "moves" not in ply.split() and chance.random() < 0.4:
                ply += f" {chance.choice(('on', 'off'))} {' '.join(chance.sample(labels, chance.randint(1, 3)))}"
            plies.append(ply)
        times = chance.choice((1, 1, 2, 3, 6))
        lines.append(f"{times} times: {', '.join(plies)}" if times > 1 else ", ".join(plies))
    return lines


def _sides(chance: Chance, places: dict[str, Place], most: int) -> dict[str, str]:
    """Points of both players, often those of South in the south, and often the same after a half-turn."""
    image = half_turn(places)
    order = sorted(places, key=lambda label: places[label][1] + (chance.random() - 0.5) * chance.choice((0, 1, 99)))
    south = order[: chance.randint(1, most)]
    north = [image[label] for label in south] if image else []
    if not image or set(south) & set(north) or chance.random() < 0.4:
        left = [label for label in order[::-1] if label not in south]
        north = left[: chance.choice((len(south), chance.randint(1, most)))]
    return {"south": " ".join(south), "north": " ".join(north)}


def _add_start(chance: Chance, tables: Tables, places: dict[str, Place]) -> None:
    """Another start, and the option that chooses it."""
    other = _sides(chance, places, most=max(1, (len(places) - 1) // 2))
    numbers = [len(side["south"].split()) for side in (tables["start"], other)]
    if numbers[0] == numbers[1] or not numbers[0]:
        return
    tables["starts"] = {str(numbers[1]): other}
    tables["options"]["pieces"] = {"default": numbers[0], "values": numbers, "source": "chance"}


def _add_double_steps(chance: Chance, tables: Tables, board: BoardDraft) -> None:
    """Some straight lines along which men step over a point; in most games without what contradicts it."""
    lines = [line for line in board.keys["lines"] if len(line) > 2]
    if not lines:
        return
    chosen = chance.sample(lines, chance.randint(1, len(lines)))
    points = dict.fromkeys(label for line in chosen for label in line)
    tables["double_steps"] = {"place": "the long lines", "points": " ".join(points)}
    if chance.random() < 0.9:
        for answers in (tables["rules"], tables["options"]):
            answers.pop("undo_scope", None)


def _opening(chance: Chance, start: dict[str, str], board: BoardDraft) -> list[str]:
    """First steps, most of them onto vacant points."""
    pieces = f"{start['south']} {start['north']}".split()
    vacant = [label for label in board.labels if label not in pieces] or board.labels
    ways = [f"{a}-{b}" for a, b in board.edges if b in vacant] + [f"*-{label}" for label in vacant]
    return chance.sample(ways, min(len(ways), chance.randint(1, 4)))


# Boards.


def _renumber(chance: Chance, board: BoardDraft) -> None:
    """Puts the points in another order, and lines the other way round."""
    shuffled = chance.sample(list(zip(board.labels, board.places, strict=True)), len(board.labels))
    board.labels, board.places = (list(each) for each in zip(*shuffled, strict=True))
    for key, lines in board.keys.items():
        board.keys[key] = [line[:: chance.choice((1, -1))] for line in chance.sample(lines, len(lines))]


def _tables(chance: Chance, board: BoardDraft) -> Tables:
    """The board as a table of a game file, with a few arcs and bends more."""
    _add_bends(chance, board)
    _add_arcs(chance, board)
    return board.tables("Random board")


def _add_bends(chance: Chance, board: BoardDraft) -> None:
    where = dict(zip(board.labels, board.places, strict=True))
    corners = [
        [a, b, d]
        for a, b in board.edges
        for c, d in board.edges
        if b == c and a < d and abs(_turn(where[a], where[b], where[d])) > 0.1
    ]
    if corners and chance.random() < 0.3:
        board.keys["bends"] = chance.sample(corners, min(len(corners), chance.randint(1, 6)))


def _add_arcs(chance: Chance, board: BoardDraft) -> None:
    if len(board.labels) < 3 or chance.random() < 0.7:
        return
    where = dict(zip(board.labels, board.places, strict=True))
    for _ in range(chance.randint(1, 4)):
        arc = chance.sample(board.labels, 3)
        is_bent = abs(_turn(*(where[label] for label in arc))) > 0.1
        if is_bent and not any(pair in board.edges for pair in pairwise(arc)):
            board.keys.setdefault("end_arcs", []).append(arc)


def _turn(a: Place, b: Place, c: Place) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _grid(chance: Chance) -> BoardDraft:
    """Points in rows and columns with some left out; lines in up to four directions, some of them interrupted."""
    most = 9 if chance.random() < 0.1 else 6
    width, height = chance.randint(1, most), chance.randint(2, min(most, 7))
    places = [(x, y) for y in range(height) for x in range(width)]
    for _ in range(chance.choice((0, 0, 1, 2, 5))):
        gap = chance.choice(places)
        both = {gap, (width - 1 - gap[0], height - 1 - gap[1])} if chance.random() < 0.6 else {gap}
        places = [place for place in places if place not in both] or places
    ways = chance.choice((boards.ACROSS, boards.DIAGONAL, (*boards.ACROSS, *boards.DIAGONAL)))
    ways = ways if chance.random() < 0.8 else tuple(chance.sample(ways, chance.randint(1, len(ways))))
    half, numbers, cuts = chance.random() < 0.5, chance.random() < 0.3, chance.choice((0, 0, 0.1))
    return boards.grid(chance, places, ways, half_the_diagonals=half, cuts=cuts, numbers=numbers)


def _wheel(chance: Chance) -> BoardDraft:
    """Circles round a middle, some of them open or missing, and spokes."""
    spokes, rings = chance.randint(3, 8), chance.randint(1, 3)
    tilt = chance.choice((0, math.pi / 2, math.pi / spokes, chance.random()))
    return boards.wheel(chance, spokes, rings, tilt, ("circles", "circles", "end_arcs", ""), whole=0.9)


def _scatter(chance: Chance) -> BoardDraft:
    """Points anywhere, some of them almost in a row, joined two by two."""
    count = chance.randint(3, 14)
    cells = chance.sample([(x, y) for x in range(5) for y in range(5)], count)
    near = chance.choice((0, 0.002, 0.004, 0.3))
    places = {
        f"{'pqrx'[number % 4]}{number}": (
            round(x + chance.uniform(-near, near), 4),
            round(y + chance.uniform(-near, near), 4),
        )
        for number, (x, y) in enumerate(cells)
    }
    labels = list(places)
    pairs = [(label, chance.choice(labels[:place])) for place, label in enumerate(labels) if place]
    pairs += [tuple(sorted(chance.sample(labels, 2))) for _ in range(chance.randint(0, count))]
    apart = [
        pair for pair in dict.fromkeys(tuple(sorted(pair)) for pair in pairs) if not _passes_a_point(places, *pair)
    ]
    return BoardDraft(places, lines=[list(pair) for pair in apart])


def _passes_a_point(places: dict[str, Place], a: str, b: str) -> bool:
    """Whether a third point lies between two."""
    a_place, b_place = places[a], places[b]
    return any(
        math.dist(a_place, place) + math.dist(place, b_place) < math.dist(a_place, b_place) + 0.001
        for label, place in places.items()
        if label not in (a, b)
    )
