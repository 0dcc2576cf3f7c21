"""Takes the specs of bots apart: the texts by which people name them.

A new kind of spec is one more form in `bots.toml`, for errors and help texts, and one more case in `load.py`.
"""

import os
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BotError
from .shipped import META, shipped_bots, weights_file

TEXTS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("bots.toml").read_text(encoding="utf-8"))
"""What people read of the kinds of bots and of the levels."""

FORMS: dict[str, list[str]] = TEXTS["forms"]
"""How the specs that begin with the name of their kind are written, and what they mean."""

CHECKPOINT, EXPORTED, FUNCTION, UNKNOWN = "checkpoint", "exported", "function", "unknown"
"""The other kinds. A spec that is none of a bot may have the form `module:name` of a function."""

_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


class Spec(NamedTuple):
    """The parts of a spec. Whether a bot of its kind can have this number, and its files exist, is not checked."""

    text: str
    kind: str  # a key of `FORMS`, or one of the other kinds
    name: str  # the text without the number
    rest: str | None = None  # what follows the colon behind the name; None without a colon
    path: Path | None = None  # the folder of a checkpoint, or the file of an exported player

    @property
    def number(self) -> int | None:
        """The depth or the simulations; None if there is no number."""
        text = self.rest or ""
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else None

    @property
    def starts_program(self) -> bool:
        """Whether the bot is a program, an engine or an exported player. The one place that decides this."""
        return self.kind in ("ugi", EXPORTED)

    @property
    def is_shipped(self) -> bool:
        """Whether the bot comes with the package."""
        return self.kind in FORMS or self.name in shipped_bots()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that decide how the bot plays: of a checkpoint or exported player; none for other bots."""
        if self.path is None:
            return ()
        files = (self.path / META, weights_file(self.path)) if self.kind == CHECKPOINT else (self.path,)
        return tuple(file for file in files if os.path.isfile(file))


def parse_spec(text: str) -> Spec:
    """Takes a spec apart. Any text has a kind, if only that of an unknown bot."""
    if not isinstance(text, str):
        raise BotError(f"a bot's spec is text, not {type(text).__name__}")
    first, colon, rest = text.partition(":")
    after = rest if colon else None
    if first in FORMS:
        return Spec(text, first, first, after)
    if (shipped := shipped_bots().get(first)) is not None:
        return Spec(text, CHECKPOINT, first, after, shipped)
    name, colon, rest = text.rpartition(":")
    # A path may have a colon, and that of a drive on Windows does.
    name, after = (name, rest) if colon and not os.path.exists(text) and os.path.exists(name) else (text, None)
    if not os.path.isdir(name) and (text.endswith(".py") or text.rpartition(":")[0].endswith(".py")):
        return Spec(text, EXPORTED, name, after, Path(name))
    if _FUNCTION.fullmatch(text) and not os.path.exists(text):
        return Spec(text, FUNCTION, name, after)
    return Spec(text, CHECKPOINT, name, after, Path(name)) if os.path.isdir(name) else Spec(text, UNKNOWN, name, after)


def spec_forms() -> dict[str, str]:
    """Returns the meaning of each form of a spec, for help texts."""
    return dict([*FORMS.values(), *TEXTS["forms_of_paths_and_names"].values()])
