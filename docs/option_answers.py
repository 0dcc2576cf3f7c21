"""What the options of a game decide, from the rows of `alquerque solve GAME --each-option` in `docs/data`."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markdown_parts import bullets, paragraph, rows

from alquerque_env import load_game
from alquerque_env.arena.option_study import PLAYERS
from alquerque_env.game.options import spell
from alquerque_env.game.rules_text import SIDES

DATA = Path(__file__).parent / "data"
DEEPEST = 5  # rule sets that are named
Row = Mapping[str, Any]


def read_rows(name: str) -> list[Row]:
    """The rows of a game."""
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def answer_list(name: str) -> str:
    """For each option that was varied its question, what the sources say, and what each answer leads to."""
    return bullets(" ".join(_sentences(name, option)) for option in _varied(name))


def study_sentence(name: str) -> str:
    """How many rule sets were solved, and who wins in how many."""
    found = read_rows(name)
    ends = [value_of(name, row) for row in found]
    seconds = sum(row["seconds"] for row in found)
    counted = [f"{ends.count(end)} are {_noun(end)}" for end in sorted(set(ends), key=lambda end: -ends.count(end))]
    told = ", ".join(counted) if len(counted) > 1 else f"all are {_noun(ends[0])}"
    return paragraph(f"{len(found)} rule sets were solved, in {seconds:,.0f} seconds of processor time: {told}.")


def deep_table(name: str) -> str:
    """The drawn rule sets in which a search chooses wrongly most often."""
    drawn = [row for row in read_rows(name) if row["winner"] == "draw" and _begins_as_default(name, row)]
    drawn.sort(key=lambda row: -(row["errors"][PLAYERS[-1]] or 0))
    return _table(name, drawn[:DEEPEST])


def every_table(name: str) -> str:
    """All rule sets in which the same side begins as by default."""
    return _table(name, [row for row in read_rows(name) if _begins_as_default(name, row)])


def value_of(name: str, row: Row) -> str:
    """Who wins, by side where the sides differ."""
    winner, game = row["winner"], load_game(name)
    if winner == "draw":
        return "a draw"
    if game.has_roles:
        return f"{SIDES[winner]} wins"
    first = row["options"].get("who_starts", f"player_{game.first_player}")
    return "the first player wins" if first == f"player_{winner}" else "the second player wins"


def _start(name: str, row: Row) -> str:
    value = value_of(name, row)
    if row["winner"] == "draw" or load_game(name).schedule:
        return value
    return f"{value} at the limit" if row["plies"] is None else f"{value} in {row['plies']} plies"


def _begins_as_default(name: str, row: Row) -> bool:
    return bool(row["options"].get("who_starts") == load_game(name).options.get("who_starts"))


def _varied(name: str) -> list[str]:
    found = read_rows(name)
    return [option for option in load_game(name).options if len({row["options"][option] for row in found}) > 1]


def _sentences(name: str, option: str) -> Iterator[str]:
    game, found = load_game(name), read_rows(name)
    described, default = game.option_table[option], game.options[option]
    values = [default, *(value for value in dict.fromkeys(row["options"][option] for row in found) if value != default)]
    yield f"**{described.question}** (`{option}`) {described.source[0].upper()}{described.source[1:]}."
    starts: dict[str, list[str]] = {}
    for value in values:
        alone = _row_of(found, {**game.options, option: value})
        told = "excluded by the other answers" if alone is None else _start(name, alone)
        starts.setdefault(told, []).append(_answer(described, value, is_default=value == default))
    yield f"{'; '.join(f'{_join(answers)}: {told}' for told, answers in starts.items())}."
    effects: dict[str, list[str]] = {}
    for value in values[1:]:
        effects.setdefault(_effect(name, _pairs(found, option, default, value)), []).append(f"`{spell(value)}`")
    for effect, answers in effects.items():
        several = len(answers) > 1 and effect.startswith("changed the result")
        yield f"{_join(answers)} {'each ' * several}{effect}."


def _effect(name: str, pairs: Sequence[tuple[Row, Row]]) -> str:
    """What another answer changes in pairs of rule sets that differ in it alone."""
    counts = [
        _differing(pairs, key)
        for key in (lambda row: value_of(name, row), lambda row: row["plies"], lambda row: row["digest"], _counts)
    ]
    wins, plies, digests, sums = counts
    if wins:
        return f"changed the result in {wins} of {len(pairs)} rule sets{_cause(name, pairs)}"
    if plies:
        return f"never changed the result, but its number of plies in {plies} of {len(pairs)} rule sets"
    if not digests:
        return "changed no value"
    if not sums:
        return "changed sides alone: as many positions are won, drawn and lost"
    return f"never changed the result, but the value of some other position in {digests} of {len(pairs)} rule sets"


def _cause(name: str, pairs: Sequence[tuple[Row, Row]]) -> str:
    """The answers that all rule sets share whose result changed, and no other rule sets have, with what it became."""
    changed = [pair for pair in pairs if value_of(name, pair[0]) != value_of(name, pair[1])]
    if len(changed) == len(pairs):
        return ""
    shared = {
        option: value
        for option, value in changed[0][0]["options"].items()
        if all(row["options"][option] == value for row, _ in changed)
        and any(row["options"][option] != value for row, _ in pairs)
    }
    if any(shared.items() <= row["options"].items() for row, _ in (pair for pair in pairs if pair not in changed)):
        return ""
    became = {(value_of(name, one), value_of(name, other)) for one, other in changed}
    told = _join([f"`{option}={spell(value)}`" for option, value in shared.items()])
    ways = _join([f"{_noun(one)} becomes {_noun(other)}" for one, other in sorted(became)])
    return f": those with {told}, where {ways}"


def _noun(value: str) -> str:
    """A value such as `North wins` as `a win for North`."""
    return f"a win for {value.removesuffix(' wins')}" if value.endswith(" wins") else value


def _join(words: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _answer(option: Any, value: Any, *, is_default: bool) -> str:
    meaning = option.values[value].partition(";")[0] if value in option.values else ""
    told = "; ".join(filter(None, (meaning, "default" * is_default)))
    return f"`{spell(value)}`" + (f" ({told})" if told else "")


def _row_of(found: Sequence[Row], options: Mapping[str, Any]) -> Any:
    return next((row for row in found if row["options"] == dict(options)), None)


def _differing(pairs: Sequence[tuple[Row, Row]], key: Callable[[Row], Any]) -> int:
    return sum(key(one) != key(other) for one, other in pairs)


def _counts(row: Row) -> list[int]:
    return [row[what] for what in ("won", "drawn", "lost")]


def _pairs(found: Sequence[Row], option: str, default: Any, value: Any) -> list[tuple[Row, Row]]:
    key: Callable[[Row], str] = lambda row: json.dumps({**row["options"], option: None})  # noqa: E731
    others = {key(row): row for row in found if row["options"][option] == value}
    return [(row, others[key(row)]) for row in found if row["options"][option] == default and key(row) in others]


def _table(name: str, found: Sequence[Row]) -> str:
    varied = [option for option in _varied(name) if option != "who_starts"]

    def cells(row: Row) -> list[str]:
        shares = [f"{count / row['positions']:.1%}" for count in _counts(row)]
        errors = ["–" if error is None else f"{error:.1%}" for error in row["errors"].values()]
        return [*(f"`{spell(row['options'][option])}`" for option in varied), _start(name, row), *shares, *errors]

    wrong = [f"`{player}` wrong" for player in PLAYERS]
    return rows([*(f"`{option}`" for option in varied), "start", "won", "drawn", "lost", *wrong], map(cells, found))
