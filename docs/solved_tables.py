"""Tables of solved games and of the bots that are proved in them, from the data of the package."""

import json
import lzma
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bot_cards import EXACT_HEADS, bots_of_games, network_name, read_card, second_names, wrong_shares
from markdown_parts import paragraph, rows

from alquerque_env import games, load_game
from alquerque_env.arena.exploit.kept_choices import FORMAT
from alquerque_env.bots.shipped import weights_file
from alquerque_env.errors import AlquerqueError
from alquerque_env.files.release import PARTS
from alquerque_env.game.game import Game
from alquerque_env.game.rules_text import SIDES
from alquerque_env.solve.proved_steps import SHIPPED as PROOFS
from alquerque_env.solve.solutions import known_solution
from alquerque_env.solve.tables.build import plan
from alquerque_env.solve.tables.table_file import SUFFIX, TableFile
from alquerque_env.solve.tables.whole import seconds_needed, whole_pieces

ROOT = Path(__file__).parent.parent
TABLES, FEW = (ROOT / "alquerque_env" / "solve" / name for name in ("whole", "few"))  # some are not in a wheel
CERTIFICATES = ROOT / "tests" / "certificates"
_STEPS = 3  # first steps that are shown
_SEATS = ("South", "North")
_ANY_NUMBER = "N"  # in an option's values


class _Entry(NamedTuple):
    """What the table of a game with its options says, as `whole/GAME.json` has it."""

    game: Game
    is_default: bool
    content: Mapping[str, Any]

    @property
    def ships(self) -> str:
        """Whether its table comes with the package, or is fetched."""
        found = [*TABLES.glob(f"{self.game.name}-{self.content['table_hash']}-*{SUFFIX}")]
        parts = [name for name, part in PARTS.items() for file in found if str(file.relative_to(ROOT)) in part["files"]]
        return f"`alquerque fetch {parts[0]}`" if parts else "yes" if found else "no"

    @property
    def seconds(self) -> str:
        found = self.content["processor_seconds"]
        return "not measured" if found is None else f"{found:,.0f} s"

    def counts(self, *names: str) -> tuple[str, ...]:
        return tuple(f"{self.content[name]:,}" for name in names)


def who_wins(winner: int | str | None) -> str:
    """The value of a start: "South wins", "North wins", "draw", or nothing if it is not known."""
    if winner is None:
        return ""
    return "draw" if winner == "draw" else f"{SIDES[int(winner)]} wins"


def best_play(game: Game) -> str:
    """The value of the start of a game; nothing if it is not known."""
    known = known_solution(game)
    return "" if known is None else who_wins(known.winner)


def solved_table(_: str) -> str:
    """Every solved game with its default options: who wins, in how many plies, and how that is found."""

    def cells(name: str) -> tuple[str, ...]:
        game = load_game(name)
        known = known_solution(game)
        assert known is not None
        if known.published:
            return "", "", known.published, ""
        if known.whole is None:
            first = f"for example `{known.line[0]}`" if known.winner == game.first_player else ""
            return "", first, "[proof](#proofs)", f"`alquerque solve {name} --from-start`"
        steps = [f"`{step}`" for step in known.whole.steps]
        left = len(steps) - _STEPS
        first = ", ".join(steps[:_STEPS]) + (f" and {left} more" if left > 0 else "")
        plies = "" if known.whole.plies is None else str(known.whole.plies)
        return plies, first, "[table](#tables)", f"`{known.whole.command}`"

    second = second_names()
    solved = [name for name in games() if best_play(load_game(name)) and name not in second]
    return rows(
        ("game", "start", "plies", "first steps that keep it", "how", "command"),
        ((f"[`{name}`](games/{name}.md)", best_play(load_game(name)), *cells(name)) for name in solved),
    )


def few_table(_: str) -> str:
    """The tables of few pieces that come with the package."""
    files = [TableFile(path) for path in sorted(FEW.glob(f"*{SUFFIX}"))]
    return rows(
        ("game", "pieces", "positions", "longest win", "bytes"),
        (
            (
                f"[{load_game(file.header.game).title}](games/{file.header.game}.md) `{file.header.game}`",
                str(file.header.pieces),
                f"{sum(part.positions for part in file.header.slices):,}",
                f"{max(part.longest for part in file.header.slices)} plies",
                f"{file.path.stat().st_size:,}",
            )
            for file in files
        ),
    )


def whole_table(_: str) -> str:
    """The tables of whole games with their default options."""
    return rows(
        ("game", "positions", "won", "drawn", "lost", "bytes", "in the package", "checksum", "processor time"),
        (
            (
                f"`{entry.game.name}`",
                *entry.counts("positions", "won", "drawn", "lost", "bytes"),
                entry.ships,
                f"`{entry.content['digest']}`",
                entry.seconds,
            )
            for entry in _entries()
            if entry.is_default
        ),
    )


def option_table(_: str) -> str:
    """The value of the start by options, of the games that have been solved with more than one choice of them."""
    entries = list(_entries())
    several = {entry.game.name for entry in entries if not entry.is_default}

    def rule(entry: _Entry) -> str:
        usual = load_game(entry.game.name).options
        changed = {key: value for key, value in entry.content["options"].items() if value != usual[key]}
        return ", ".join(f"`{key}={json.dumps(value).strip(chr(34))}`" for key, value in changed.items()) or "defaults"

    return rows(
        ("game", "rule", "start", "plies", "won", "drawn", "lost", "in the package", "checksum", "processor time"),
        (
            (
                f"`{entry.game.name}`",
                rule(entry),
                who_wins(entry.content["winner"]),
                "" if entry.content["plies"] is None else str(entry.content["plies"]),
                *entry.counts("won", "drawn", "lost"),
                entry.ships,
                f"`{entry.content['digest']}`",
                entry.seconds,
            )
            for entry in entries
            if entry.game.name in several
        ),
    )


def left_out_table(_: str) -> str:
    """The option values without a table, one changed at a time, and about how long the table of each would take."""
    known = {entry.content["table_hash"] for entry in _entries()}
    found: dict[tuple[str, str], list[str]] = {}
    for usual in (entry.game for entry in _entries() if entry.is_default):
        for name, option in usual.option_table.items():
            for value in option.values:
                text = f"`{name}={json.dumps(value).strip(chr(34))}`"
                if value in (_ANY_NUMBER, usual.options[name]):
                    continue
                try:
                    game = load_game(usual.name, **{**usual.options, name: value})
                except AlquerqueError:
                    continue  # not without another option
                # The start of a game with a schedule needs a proof, which takes no repetition rule.
                if game.table_hash not in known and not (game.schedule and game.rules.repetition != "off"):
                    minutes = seconds_needed(plan(game, whole_pieces(game), math.inf), verified=True) / 60
                    found.setdefault((usual.name, f"{max(1, round(minutes)):,} min"), []).append(text)
    return rows(
        ("game", "time for each", "rules"),
        ((f"`{game}`", minutes, ", ".join(texts)) for (game, minutes), texts in found.items()),
    )


def proof_table(_: str) -> str:
    """The games whose start was searched over an endgame table."""

    def cells(name: str) -> tuple[str, ...]:
        found = json.loads((PROOFS / f"{name}.json").read_text(encoding="utf-8"))
        searched = sum(question["nodes"] for question in found["questions"])
        proved = sum(part["positions"] for part in found["checked"])
        return f"{searched:,}", f"{found['table_pieces']} pieces", f"{proved:,}", f"{found['seconds']:,.0f} s"

    return rows(
        ("game, default options", "value", "positions searched", "endgame table", "positions of the proof", "time"),
        (
            (f"`{name}`", best_play(load_game(name)), *cells(name))
            for name in games()
            if (PROOFS / f"{name}.json").exists()
        ),
    )


def second_name_sentence(_: str) -> str:
    """Which games have the default rules of another one, and so its bots, under an id of their own."""
    pairs = ", and ".join(f"`{second}` is `{first}`" for second, first in second_names().items())
    return paragraph(
        f"Some games have two ids: {pairs}. With default options both have the same rules, values and bots."
    )


def proved_table(_: str) -> str:
    """The bots with a certificate that nobody gets more against them, and how often they choose wrongly."""

    def cells(name: str, folder: Path, file: Path, header: Mapping[str, Any]) -> tuple[str, ...]:
        card = read_card(folder)
        game = load_game(header["game"], **header["options"])
        player = name + "".join(header["agent"].partition(":")[1:])  # with the simulations, if any
        command = ["alquerque exploit", player, game.name, *game.option_arguments, "--seat", str(header["seat"])]
        return (
            f"`{player}`",
            " ".join([f"`{game.name}`", *(f"`{part}`" for part in game.option_arguments[1::2])]),
            _SEATS[header["seat"]],
            "wins all lines" if header["result"] == 1 else "loses no line",
            f"{header['positions']:,}" if "positions" in header else "",
            f"{header['choices']:,}",
            f"{network_name(card['network'])}, {weights_file(folder).stat().st_size:,} bytes",
            *wrong_shares(card),
            f"`{' '.join(command)}`",
            f"`{file.name}`",
        )

    return rows(
        (
            *("player", "game", "seat", "result", "positions", "choices", "network, weights"),
            *(f"wrong, {head}" for head in EXACT_HEADS),
            *("command", "certificate"),
        ),
        (
            cells(name, folder, file, header)
            for name, folder in bots_of_games().items()
            for file, header in _certificates()
            if _is_of(header, read_card(folder))
        ),
    )


def _is_of(header: Mapping[str, Any], card: Mapping[str, Any]) -> bool:
    """Whether a certificate is that of a bot; under its second name a game has the same weights."""
    weights = header["files"].get("weights.safetensors")
    return bool(weights == card["sha256"]["weights.safetensors"] and header["game"] == card["game"])


def _entries() -> Iterator[_Entry]:
    """What is known of whole games, by the name of the game, the default options first."""
    second = second_names()
    for file in sorted(TABLES.glob("*.json")):
        if file.stem in second:
            continue
        usual = load_game(file.stem)
        found = json.loads(file.read_text(encoding="utf-8"))
        for entry in sorted(found, key=lambda entry: bool(entry["table_hash"] != usual.table_hash)):
            yield _Entry(usual, entry["table_hash"] == usual.table_hash, entry)


def _certificates() -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The certificates of players, with the first line of each."""
    for file in sorted(CERTIFICATES.glob("*.jsonl*")):
        with lzma.open(file, "rt") if file.suffix == ".xz" else file.open(encoding="utf-8") as lines:
            header = json.loads(next(lines))
        if header["format"] == FORMAT:
            yield file, header
