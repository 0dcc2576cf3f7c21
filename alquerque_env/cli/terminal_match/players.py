"""Who plays a match in the terminal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ... import load_bot
from ...bots.load import find_bot
from ...bots.shipped import shipped_bots
from ...errors import AlquerqueError
from ...game.game import Game
from ...match.records.record import UNKNOWN_NAME
from ..console.interruptible import work

if TYPE_CHECKING:
    from ...bots.bot import Bot

HUMAN = "human"
OWN_KINDS = ("random", "greedy", "alphabeta", "mcts")


@dataclass(frozen=True)
class Seat:
    """Who plays a side.

    Attributes:
      spec: The bot's spec, or `human`.
      bot: The bot, None for a person.
      called: What a person is called in records, None for nobody in particular.
      seed: Makes the bot's choices repeatable; None for another course each time.
      seconds: That the bot may take for a turn, as `load_bot` says.
    """

    spec: str
    bot: "Bot | None"
    seed: int | None = None
    seconds: float | None = None
    called: str | None = None

    @property
    def name(self) -> str:
        """Who it is for records, without characters that none can hold."""
        name = self.called or self.spec
        return name if name.isprintable() else ascii(name)

    def at(self, game: Game) -> "Seat":
        """The same player for another game.

        Raises:
          BotError: If the bot cannot play it.
        """
        return take_seat(self.spec, game, self.seed, self.seconds)


def is_own_bot(name: str) -> bool:
    """Whether a name in a record is a bot of this package. Other programs do not run because a file names them."""
    try:
        find_bot(name)
    except AlquerqueError:
        return False
    return name.partition(":")[0] in (*OWN_KINDS, *shipped_bots())


def is_person(name: str) -> bool:
    """Whether a name in a record is that of a person, as far as one can tell."""
    is_program = name.startswith("ugi:") or "/" in name or "\\" in name or name.endswith(".py")
    return name != UNKNOWN_NAME and not is_program and not is_own_bot(name)


def take_seat(spec: str, game: Game, seed: int | None = None, seconds: float | None = None) -> Seat:
    """A player for a game.

    Args:
      spec: A bot's spec, or `human`.
      game: What is played.
      seed: Makes the bot's choices repeatable.
      seconds: That the bot may take for a turn, as `load_bot` says.

    Raises:
      BotError: If the spec names no bot, or the bot cannot play the game.
    """
    bot = None
    if spec != HUMAN:
        bot = work(lambda: load_bot(spec, game, seed=seed, time_limit=seconds), f"loading {spec} ...")
    return Seat(spec, bot, seed, seconds)
