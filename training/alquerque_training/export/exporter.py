"""Exports a checkpoint as one Python file that plays without any package.

The file contains the source code of the engine, of matches, of the search and of `export.player`, the game's step table
and the weights. Only the evaluation of the network has code of its own.
"""

import ast
import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from alquerque_env.bots.network.family import graph_data
from alquerque_env.bots.network.model_card import ModelCard
from alquerque_env.bots.shipped import FAMILY
from alquerque_env.engine.bundle.bundler import Origin, bundle
from alquerque_env.engine.bundle.game_data import game_data
from alquerque_env.engine.bundle.recipes import MATCHES
from alquerque_env.game.game import Game
from alquerque_env.game.options import spell
from alquerque_training.checkpoints.checkpoint import Checkpoint
from alquerque_training.config.settings import MLP
from alquerque_training.export.exported_file import ExportedFile, ExportError, export_file
from alquerque_training.export.family_data import family_layers
from alquerque_training.export.packing import pack, pack_weights

PLAYER = "alquerque_training.export.player"
PLAYERS = {MLP: Origin(f"{PLAYER}.plain_mlp", "Mlp"), FAMILY: Origin(f"{PLAYER}.plain_family", "Family")}
"""What evaluates each kind of network that can be exported."""
CARRIED = f"{PLAYER}.placeholders"
RECIPE = replace(
    MATCHES,
    packages={**MATCHES.packages, "alquerque_training": Path(str(files("alquerque_training"))).parent},
    given=frozenset({CARRIED}),
    replaced={**MATCHES.replaced, Origin("itertools", "pairwise"): Origin(f"{PLAYER}.python39", "pairwise")},
)


def export_player(checkpoint: Path, output: Path, *, game: Game | None = None, overwrite: bool = False) -> ExportedFile:
    """Writes a checkpoint as one file for CPython 3.9 or newer, which chooses the same steps as the checkpoint.

    A checkpoint that plays all games needs the game. The file is written whole or not at all. The same checkpoint gives
    the same file. Raises `CheckpointError` for a damaged checkpoint, `ExportError` if the file cannot be written or the
    network cannot be exported.
    """
    return export_file(checkpoint, output, lambda *read: make_source(*read).encode(), game=game, overwrite=overwrite)


def make_source(game: Game, checkpoint: Checkpoint) -> str:
    """The source code of an exported player; `ExportError` if plain Python cannot evaluate its network."""
    network, weights = checkpoint.meta.network, checkpoint.network.state_dict()
    if network.kind not in PLAYERS:
        raise ExportError(f"the network is of kind {network.kind!r}, only {' and '.join(PLAYERS)} can be exported")
    facts = {name: getattr(network, name) for name in ("width", "blocks", "feature_depth", "sees_clock")}
    facts["symmetries"] = game.symmetries if network.canonical else []
    if network.kind == FAMILY:
        layers, weights = family_layers(weights)
        facts |= graph_data(game, sees_clock=network.sees_clock) | {"layers": layers}
    header = ast.unparse(ast.Module([ast.Expr(ast.Constant(_header(game, checkpoint.meta)))], []))
    return "\n".join(
        [
            "#!/usr/bin/env python3",
            header,
            "",
            _program(network.kind),
            "",
            "# What differs from one exported player to another.",
            "",
            f'NETWORK = """\n{_pack_json(facts)}\n"""',
            f"EXPLORATION = {checkpoint.meta.exploration!r}",
            f'GAME = """\n{_pack_json(game_data(game))}\n"""',
            f'WEIGHTS = """\n{pack_weights(tensor.flatten().tolist() for tensor in weights.values())}\n"""',
            "",
            'if __name__ == "__main__":',
            "    sys.exit(main())",
            "",
        ]
    )


@cache
def _program(kind: str) -> str:
    """The source code that all exported players with a kind of network share."""
    roots = [Origin(CARRIED, name) for name in ("GAME", "NETWORK", "EXPLORATION", "WEIGHTS")]
    recipe = replace(RECIPE, replaced={**RECIPE.replaced, PLAYERS[MLP]: PLAYERS[kind]})
    return bundle(recipe, roots + [Origin(f"{PLAYER}.program", name) for name in ("main", "choose", "analyse")])


def _pack_json(data: dict[str, Any]) -> str:
    return pack(json.dumps(data, separators=(",", ":")).encode())


def _header(game: Game, meta: ModelCard) -> str:
    """The docstring of the file."""
    options = ", ".join(f"{option}={spell(value)}" for option, value in game.options.items())
    measured = () if meta.plays_all else meta.strength  # in the game of its run
    strength = [_describe_strength(entry) for entry in measured] or ["not measured"]
    return "\n".join(
        [
            f"A trained player of {game.title}, in one file: standard library only, CPython 3.9 or newer.",
            "",
            "    python3 -I -S FILE.py                    play against it in the terminal",
            "    python3 -I -S FILE.py --position TEXT    print its turn; with --json also policy and value",
            "    python3 -I -S FILE.py --help             strength, seat and the rest",
            "",
            "As a module: choose(position_text, simulations=0) returns the turn as text.",
            "",
            f"Game: {game.name}, version {game.version}, rules {game.table_hash}",
            f"Options: {options}",
            f"Network: {meta.network}",
            f"Trained: {meta.steps} steps of self-play, seed {meta.seed}",
            *(f"Strength: {line}" for line in strength),
            f"Licence: {meta.licence}",
            "",
            "Written by `alquerque export` from the sources of alquerque-env: the engine below is the project's own.",
            "",
        ]
    )


def _describe_strength(entry: dict[str, Any]) -> str:
    """A measured result as a sentence; JSON for a result in another form."""
    try:
        share = f"scored {entry['score']:.1%} in" if "score" in entry else f"won {entry['win_rate']:.1%} of"
        return (
            f"{entry['player']}: {share} {entry['games']} games against {entry['opponent']} "
            f"({entry['confidence']:.0%} interval {entry['low']:.1%} to {entry['high']:.1%})"
        )
    except (KeyError, TypeError, ValueError):
        return json.dumps(entry)
