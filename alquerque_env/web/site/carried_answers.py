"""The program of the static page: answers requests about matches as the server does. It runs in MicroPython.

The page sends the name and the JSON object of a request, and gets a JSON object. An answer with `needs` names a game
whose data the page has to give to `take_game` before it asks again, one with `needs_table` a game whose table
`take_table` has to be given, and one with `needs_network` a game for which `take_network` has to be given the network.
"""

import json
from typing import Any

from ...engine.bundle.carried_game import GameNeeded, add_game, load_game, refuse_game
from ...errors import AlquerqueError, UnknownNameError
from ..answers import MATCH_ANSWERS, show_error
from .carried_host import HOST
from .carried_network import NetworkNeeded
from .carried_tables import TableNeeded, add_table, forget_missing


def take_game(text: str) -> None:
    """Takes the data of a game, as `game_data` wrote them."""
    add_game(json.loads(text))


def refuse(text: str) -> None:
    """Learns that the page has no game of a name: takes its `name` and the `known` names."""
    refuse_game(**json.loads(text))


def take_table(name: str, header: str, places: Any) -> None:
    """Takes the table of a game, as `table_data` wrote it; an empty header says that it cannot be fetched now.

    The next answer then does without the table, and the one after that needs it again.
    """
    add_table(load_game(name), header, places)


def take_network(name: str, facts: str, evaluate: Any) -> None:
    """Takes the network of a game, see `CarriedNetworkBot`."""
    load_game(name).network = json.loads(facts), evaluate


def answer(name: str, text: str) -> str:
    """Answers a request with a JSON object."""
    try:
        if name not in MATCH_ANSWERS:
            raise UnknownNameError("request", name, MATCH_ANSWERS)
        found = MATCH_ANSWERS[name](json.loads(text), HOST)
    except GameNeeded as missing:
        found = {"needs": str(missing)}
    except TableNeeded as missing:
        found = {"needs_table": str(missing)}
    except NetworkNeeded as missing:
        found = {"needs_network": str(missing)}
    except AlquerqueError as error:
        found = show_error(error)
    forget_missing()
    return json.dumps(found)
