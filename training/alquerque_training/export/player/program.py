"""The program of an exported player: its command line, and its functions as a module."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NoReturn

from alquerque_env.bots.network.network_bot import Chooser
from alquerque_env.cli.console.capabilities import find_terminal
from alquerque_env.engine.bundle.carried_game import read_game
from alquerque_env.errors import AlquerqueError, PositionError
from alquerque_env.match.match import Match
from alquerque_env.search.puct import MAX_SIMULATIONS
from alquerque_training.export.packing import unpack
from alquerque_training.export.player.placeholders import EXPLORATION, GAME, NETWORK, WEIGHTS
from alquerque_training.export.player.plain_mlp import Mlp
from alquerque_training.export.player.terminal import TerminalMatch

BAD_ARGUMENT, FAILED, INTERRUPTED = 2, 1, 130

# Simulations of each level.
LEVELS = MappingProxyType({1: 0, 2: 10, 3: 40, 4: 160, 5: 640})
DEFAULT_LEVEL = 3


def choose(position_text: str, simulations: int = 0) -> str:
    """The whole turn that the player chooses.

    Args:
      position_text: A position such as `W:Wa1,b2:Bc3`.
      simulations: Simulations for each step; with 0 the network's policy decides without a tree search.

    Returns:
      The turn in notation, such as `b2xd4xd2`.

    Raises:
      ValueError: If the text is no position of the game, or the match is over there.
    """
    return make_chooser(_checked(simulations)).choose_turn(_match(position_text))


def analyse(position_text: str, simulations: int = 0) -> dict[str, Any]:
    """Turn, value and policy of a position, as `--json` prints them. Arguments and errors are those of `choose`."""
    match = _match(position_text)
    chooser = make_chooser(_checked(simulations))
    decision = chooser.decide(match)
    return {
        "game": played_game().name,
        "position": match.position,
        "simulations": simulations,
        "turn": chooser.choose_turn(match, decision.action),
        "value": decision.value,
        "policy": {
            step.text: probability for step, probability in zip(match.legal_steps, decision.policy, strict=True)
        },
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit status."""
    for stream, errors in ((sys.stdout, "replace"), (sys.stderr, "backslashreplace"), (sys.stdin, "replace")):
        if hasattr(stream, "reconfigure"):  # a missing or replaced stream has no such method
            stream.reconfigure(errors=errors)
    parser = _parser()
    try:
        try:
            _run(parser, arguments)
        finally:
            print(end="", flush=True)
    except AlquerqueError as error:
        print(f"{parser.prog}: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_ARGUMENT
    except KeyboardInterrupt:
        print()
        return INTERRUPTED
    except BrokenPipeError:
        os._exit(FAILED)  # the reader has gone; an ordinary exit would write again
    return 0


def _run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> None:
    chosen = parser.parse_args(arguments)
    if chosen.json and chosen.position is None:
        parser.error("--json needs --position")
    if chosen.position is not None and chosen.seat is not None:
        parser.error("--seat is for a match, not for --position")
    simulations = LEVELS[chosen.level] if chosen.level else chosen.simulations
    if chosen.position is None:
        game = played_game()
        chooser = make_chooser(LEVELS[DEFAULT_LEVEL] if simulations is None else simulations)
        print(f"{game.title}. Type help for the commands.")
        terminal = find_terminal(ascii_only=chosen.ascii)
        TerminalMatch(Match(game), chooser, terminal, chosen.seat or 0, game.sentences).play()
    elif chosen.json:
        print(json.dumps(analyse(chosen.position, simulations or 0)))
    else:
        print(choose(chosen.position, simulations or 0))


class _Parser(argparse.ArgumentParser):
    """Reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Ends the program."""
        print(f"{self.prog}: {' '.join(message.split())} (see --help)", file=sys.stderr)
        sys.exit(BAD_ARGUMENT)


def _parser() -> _Parser:
    levels = ", ".join(f"{level}: {count}" for level, count in LEVELS.items())
    parser = _Parser(
        allow_abbrev=False,
        description=f"A trained player of {played_game().title}. Without --position it plays a match in the terminal.",
    )
    parser.add_argument("--position", metavar="TEXT", help="print the turn chosen here, e.g. W:Wa1,b2:Bc3, and end")
    parser.add_argument("--json", action="store_true", help="with --position: print turn, value and policy as JSON")
    strength = parser.add_mutually_exclusive_group()
    strength.add_argument(
        "--simulations", type=_whole_number, metavar="N", help="simulations for each step (default with --position: 0)"
    )
    strength.add_argument(
        "--level",
        type=int,
        choices=LEVELS,
        help=f"strength by name, each a number of simulations ({levels}; in a match {DEFAULT_LEVEL})",
    )
    parser.add_argument("--seat", type=int, choices=(0, 1), help="your side in a match: 0 South (default), 1 North")
    parser.add_argument("--ascii", action="store_true", help="draw the board with plain characters")
    return parser


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text) <= MAX_SIMULATIONS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {MAX_SIMULATIONS}")
    return int(text)


def _checked(simulations: int) -> int:
    if not isinstance(simulations, int) or not 0 <= simulations <= MAX_SIMULATIONS:
        raise AlquerqueError(f"simulations is {simulations!r}, expected a whole number from 0 to {MAX_SIMULATIONS}")
    return simulations


def _match(position: str) -> Match:
    match = Match(played_game(), position)
    if match.outcome is not None:
        raise PositionError(f"the match is over ({match.outcome.reason}) in position {position!r}")
    return match


@cache
def played_game() -> Any:
    """The game that the player was trained for."""
    return read_game(json.loads(unpack(GAME)))


def make_chooser(simulations: int) -> Chooser:
    """The player with this many simulations for each step."""
    network = evaluator()
    return Chooser(network, simulations, EXPLORATION, sees_clock=network.sees_clock, symmetries=network.symmetries)


@cache
def evaluator() -> Mlp:
    """The network with its weights."""
    return Mlp(played_game().table.words, json.loads(unpack(NETWORK)), WEIGHTS)
