"""Who plays a match in the terminal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import load_bot
from ..game import Game
from .working import work

if TYPE_CHECKING:
    from ..bots.bot import Bot

HUMAN = "human"


@dataclass(frozen=True)
class Seat:
    """Who plays a side.

    Attributes:
      spec: The bot's spec, or `human`.
      bot: The bot, None for a person.
      seed: Makes the bot's choices repeatable; None for another course each time.
    """

    spec: str
    bot: "Bot | None"
    seed: int | None = None

    @property
    def name(self) -> str:
        """The spec, without characters that no record can hold."""
        return self.spec if self.spec.isprintable() else ascii(self.spec)

    def at(self, game: Game) -> "Seat":
        """The same player for another game.

        Raises:
          BotError: If the bot cannot play it.
        """
        return take_seat(self.spec, game, self.seed)


def take_seat(spec: str, game: Game, seed: int | None = None) -> Seat:
    """A player for a game.

    Args:
      spec: A bot's spec, or `human`.
      game: What is played.
      seed: Makes the bot's choices repeatable.

    Raises:
      BotError: If the spec names no bot, or the bot cannot play the game.
    """
    bot = None if spec == HUMAN else work(lambda: load_bot(spec, game, seed=seed), f"loading {spec} ...")
    return Seat(spec, bot, seed)
