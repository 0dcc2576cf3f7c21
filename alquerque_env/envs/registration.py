"""Registers the games with Gymnasium and PettingZoo, and makes the modules `alquerque_env.<id>_v0`."""

import sys
from types import ModuleType
from typing import Any

import gymnasium
import pettingzoo

from ..game.game import games

PACKAGE = __package__.partition(".")[0]
AEC = f"{PACKAGE}.envs.aec"


class GameModule(ModuleType):
    """The module `alquerque_env.<id>_v0`, with `env` and `raw_env` of one game, as PettingZoo's modules have them."""

    def __init__(self, game: str) -> None:
        super().__init__(f"{PACKAGE}.{game}_v0", f"The game {game} as a PettingZoo environment; see `{AEC}`.")
        self.game = game
        self.__all__ = ["env", "raw_env"]

    def env(
        self, render_mode: str | None = None, max_cycles: int | None = None, observation: str = "planes", **options: Any
    ) -> Any:
        """Makes the environment with PettingZoo's usual wrappers: see `envs.aec.env`."""
        from .aec import env

        return env(self.game, render_mode=render_mode, max_cycles=max_cycles, observation=observation, **options)

    def raw_env(
        self, render_mode: str | None = None, max_cycles: int | None = None, observation: str = "planes", **options: Any
    ) -> Any:
        """Makes the environment without wrappers: see `envs.aec.raw_env`."""
        from .aec import raw_env

        return raw_env(self.game, render_mode=render_mode, max_cycles=max_cycles, observation=observation, **options)


def camel_case(game: str) -> str:
    """Returns a game's id in camel case: `AwithlaknannaiMosona` for `awithlaknannai_mosona`."""
    return "".join(part.capitalize() for part in game.split("_"))


def register() -> None:
    """Registers every game; has no effect when called again."""
    _register_gymnasium("alquerque/Game-v0", {})
    if "alquerque/Drawn-v0" not in gymnasium.registry:
        gymnasium.register("alquerque/Drawn-v0", entry_point=f"{PACKAGE}.envs.drawn:DrawnEnv")
    for game in games():
        module = GameModule(game)
        sys.modules.setdefault(module.__name__, module)
        setattr(sys.modules[PACKAGE], f"{game}_v0", sys.modules[module.__name__])
        _register_gymnasium(f"alquerque/{camel_case(game)}-v0", {"game": game})
        # PettingZoo has had a registry since 1.27.
        pair = f"alquerque/{game}-v0"
        if hasattr(pettingzoo, "register") and pair not in getattr(pettingzoo, "aec_registry", {}):
            pettingzoo.register("aec", pair, entry_point=f"{AEC}:env", kwargs={"game": game})


def _register_gymnasium(name: str, arguments: dict[str, Any]) -> None:
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point=f"{PACKAGE}.envs.opponent:VersusEnv",
            vector_entry_point=f"{PACKAGE}.envs.opponent_vector:VersusVectorEnv",
            kwargs=arguments,
        )
