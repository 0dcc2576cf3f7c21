"""The description of an agent: for checkpoints what their files say, read without torch."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from ...bots.external.exported import read_exported_game
from ...bots.network.model_card import read_card
from ...bots.network.numpy_bot import read_weights
from ...bots.shipped import WEIGHTS, weights_file
from ...bots.spec import CHECKPOINT, EXPORTED, FUNCTION, Spec
from ...errors import BenchmarkError, control_character
from ...files.regular import read_regular
from ...files.schema import Key, show
from ...game.array_check import python_number

LONGEST_TEXT = 100  # characters of the name of a library or an algorithm
MAX_STEPS, MAX_SEED = 10**15, 2**63 - 1

_NOT_LEARNED = "plane_scale"
_Number = Annotated[int, Key(low=0, high=MAX_STEPS)] | None
_Amount = Annotated[float, Key(low=0, high=MAX_STEPS)] | None


@dataclass(frozen=True)
class Training:
    """How a function was trained, as its author says; None for what is not said.

    Attributes:
      library: The library, best with its version, such as `sb3-contrib 2.9.0`.
      algorithm: The algorithm, such as `MaskablePPO`.
      steps: Environment steps.
      seed: Seed of the training.
      trained_on: The games and options of the training, with commas between them, such as
        `felli_simplified, pretwa capture=optional`.

    Raises:
      BenchmarkError: If a text is not one line of 1 to 100 characters, or a number not a whole one in range.
    """

    library: str | None = None
    algorithm: str | None = None
    steps: int | None = None
    seed: int | None = None
    trained_on: str | None = None

    def __post_init__(self) -> None:
        texts = {"library": self.library, "algorithm": self.algorithm, "trained_on": self.trained_on}
        for name, text in texts.items():
            is_text = isinstance(text, str) and control_character(text) is None and text == text.strip()
            if text is not None and not (is_text and 0 < len(text) <= LONGEST_TEXT):
                raise BenchmarkError(f"{name} is {show(text)}, expected one line of 1 to {LONGEST_TEXT} characters")
        for name, number, most in (("steps", self.steps, MAX_STEPS), ("seed", self.seed, MAX_SEED)):
            whole = python_number(number)
            if number is not None and not (type(whole) is int and 0 <= whole <= most):
                raise BenchmarkError(f"{name} is {show(number)}, expected an integer from 0 to {most}")
            object.__setattr__(self, name, whole)


@dataclass(frozen=True)
class Facts:
    """The description of an agent; None for what is not known or does not apply."""

    kind: Literal["bot", "checkpoint", "exported", "engine", "function"]
    algorithm: str | None = None
    steps: int | None = None  # environment steps behind its weights, or in the training of a function
    wall_time: _Amount = None  # seconds of training behind its weights
    parameters: _Number = None  # number of learned parameters
    weights: str | None = None  # SHA-256 of the file of its weights
    simulations: _Number = None  # simulations of its tree search for a step
    exploration: _Amount = None  # exploration constant of its tree search, as its card says
    network: str | None = None  # its network in words, such as `mlp 256x2 with search features, depth 4`
    search_features: _Number = None  # depth in turns of the search whose results its network receives
    library: str | None = None  # the library that trained it, for functions
    seed: int | None = None  # seed of its training
    trained_on: str | None = None  # names of the settings that it was trained in, for functions

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of the settings that it was trained in, as far as they are known."""
        return tuple(name.strip() for name in (self.trained_on or "").split(",") if name.strip())

    @property
    def training(self) -> Training:
        """How it was trained; raises `BenchmarkError` as `Training` does."""
        return Training(self.library, self.algorithm, self.steps, self.seed, self.trained_on)


def read_facts(spec: Spec) -> tuple[str | None, Facts]:
    """The game that an agent plays, None for one that plays all or does not say, and its description.

    Raises:
      CheckpointError: If the card of a checkpoint cannot be read.
    """
    if spec.kind == EXPORTED:
        assert spec.path is not None
        found = read_exported_game(spec.path)
        return found.name if found else None, Facts("exported")
    if spec.kind != CHECKPOINT:
        return None, Facts("function" if spec.kind == FUNCTION else "engine" if spec.starts_program else "bot")
    assert spec.path is not None
    card = read_card(spec.path)
    return card.game or None, Facts(
        kind="checkpoint",
        algorithm=card.config.get("run", {}).get("algorithm"),
        steps=card.steps,
        wall_time=card.wall_time,
        parameters=_count_parameters(spec.path),
        weights=card.sha256[WEIGHTS],
        simulations=spec.number or 0,
        exploration=card.config.get("evaluation", {}).get("exploration"),
        network=str(card.network),
        search_features=card.network.feature_depth,
        seed=card.config.get("run", {}).get("seed"),
    )


def _count_parameters(checkpoint: Path) -> int | None:
    try:
        tensors = read_weights(read_regular(weights_file(checkpoint)))
    except (OSError, ValueError):
        return None  # loading the bot reports what is wrong
    return sum(tensor.size for name, tensor in tensors.items() if name != _NOT_LEARNED)
