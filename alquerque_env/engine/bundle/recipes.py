"""What to change in the sources, so that a program plays matches without NumPy and without the compiler of games."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from .bundler import Origin, Recipe
from .micropython import STANDINS, for_micropython

_PACKAGE = __package__.partition(".")[0]

MATCHES = Recipe(
    packages={_PACKAGE: Path(str(files(_PACKAGE))).parent},
    unchanged=tuple(
        f"{_PACKAGE}.{module}"
        for module in (
            "game.state_layout",
            "game.outcomes",
            "engine.words.plain_words",
            "engine.rules_scalar",
            "game.step",
        )
    ),
    replaced={
        # Without compilation the entry points of the engine are its functions.
        Origin(f"{_PACKAGE}.engine.entry_points", ""): Origin(f"{_PACKAGE}.engine.rules_scalar", ""),
        Origin(f"{_PACKAGE}.game.game", "as_game"): Origin(f"{__package__}.carried_game", "as_game"),
        Origin(f"{_PACKAGE}.engine.compiler", "entry_kernel"): Origin(f"{__package__}.carried_game", "as_it_is"),
        **{
            Origin(f"{_PACKAGE}.game.kernel_arrays", name): Origin(f"{__package__}.carried_game", name)
            for name in ("constants", "short_words", "words", "copied", "word_rows")
        },
    },
    fixed={"JIT": False, "TYPE_CHECKING": False},
    dropped=frozenset({"entry_kernel", "long_kernel", "kernel", "inlined"}),
    left_out=frozenset(
        f"{name}.{member}"
        for name, members in {
            "Board": (
                *("reached_from", "reflections", "half_turn"),
                *("_plane_maps", "_symmetry", "_places", "_drawing", "_permuted"),
            ),
            "Match": (
                *("from_state", "of_engine", "observation", "action_mask", "value", "distance"),
                *("_repr_svg_", "__repr__", "__copy__", "__deepcopy__", "__getstate__", "__setstate__"),
            ),
        }.items()
        for member in members
    ),
)
"""A program that plays matches of games that it carries, under CPython."""

MICROPYTHON = replace(
    MATCHES,
    replaced={
        **MATCHES.replaced,
        Origin(f"{_PACKAGE}.solve.tables.search_probe", "Endgames"): Origin(f"{__package__}.carried_game", "Endgames"),
        **{
            Origin(f"{_PACKAGE}.game.game", name): Origin(f"{__package__}.carried_game", name)
            for name in ("load_game", "load_text")
        },
        Origin(f"{_PACKAGE}.search.static_evaluation", "evaluation_features"): Origin(
            f"{__package__}.carried_game", "evaluation_features"
        ),
        **STANDINS,
    },
    left_out=MATCHES.left_out - {"Match.value", "Match.distance"}
    | {"UniformBot.policy", "GameBot.choose_many", "GameBot.__repr__", "Match.__str__", "PerfectBot.__init__"},
    rewrite=for_micropython,
    has_docstrings=False,
)
"""The same under MicroPython."""
