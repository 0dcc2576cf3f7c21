"""A function from an observation and an action mask to an action plays as a bot.

The bot can be given to `alquerque_env.evaluate`, to an arena, and to the environments as an opponent.
"""

from ..bots.policy import Policy, PolicyBot

__all__ = ["Policy", "PolicyBot"]
