"""The players of a match in the terminal: people and bots."""

from dataclasses import dataclass

from ...bots.bot import Bot
from ...bots.load import SPEC_KINDS, find_bot, load_bot, starts_program
from ...bots.shipped import shipped_bots
from ...errors import AlquerqueError, control_character
from ...game.game import Game
from ...match.records import Record
from ...match.records.record import UNKNOWN_NAME
from ..console.interruptible import run_interruptible

HUMAN = "human"


@dataclass(frozen=True)
class Player:
    """The player of one side."""

    spec: str  # the bot's spec, or `human`
    bot: Bot | None  # the bot; None for a person
    seed: int | None = None  # makes the bot's choices repeatable; None for different choices each time
    seconds: float | None = None  # time limit of the bot, as in `load_bot`

    def name(self, known: str) -> str:
        """Name in a record that has a name already: that of a person stays. It cannot hold control characters."""
        if self.bot is None:
            return known if is_person(known) else HUMAN
        return self.spec if control_character(self.spec) is None else ascii(self.spec)

    def for_game(self, game: Game) -> "Player":
        """The same player for another game; raises `BotError` if the bot cannot play it."""
        return make_player(self.spec, game, self.seed, self.seconds)


def person_in(record: Record) -> int | None:
    """The side that a person played; None if two people played, or none."""
    sides = [side for side, name in enumerate((record.south, record.north)) if is_person(name)]
    return sides[0] if len(sides) == 1 else None


def is_own_bot(name: str) -> bool:
    """Whether a name in a match file is a bot of this package. No file can make other programs run."""
    try:
        find_bot(name, programs=False)
    except AlquerqueError:
        return False
    return name.partition(":")[0] in (*SPEC_KINDS, *shipped_bots())


def may_beat_a_search(spec: str) -> bool:
    """Whether a player may be stronger than a search of some seconds: trained bots and `perfect`; not programs."""
    prefix = spec.partition(":")[0]
    return prefix == "perfect" or (prefix not in (HUMAN, *SPEC_KINDS) and not starts_program(spec))


def is_person(name: str) -> bool:
    """Whether a name in a match file looks like that of a person."""
    is_bot = starts_program(name) or "/" in name or "\\" in name or is_own_bot(name)
    return name != UNKNOWN_NAME and not is_bot


def make_player(spec: str, game: Game, seed: int | None = None, seconds: float | None = None) -> Player:
    """Makes a player for a game from a bot's spec, which may raise `BotError`, or `human`; see `Player`."""
    bot = None
    if spec != HUMAN:
        bot = run_interruptible(lambda: load_bot(spec, game, seed=seed, time_limit=seconds), f"loading {spec} ...")
    return Player(spec, bot, seed, seconds)
