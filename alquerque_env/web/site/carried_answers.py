"""The program of the static page: answers requests about matches as the server does. It runs in MicroPython.

The page sends the name and the JSON object of a request, and gets a JSON object. An answer with `needs` has the name of
a function below without `take_`, which the page has to call before it asks again, and the name of a game.
"""

import json
from typing import Any

from ...engine.bundle.carried_game import Needed, add_game, load_game, refuse_game
from ...errors import AlquerqueError, UnknownNameError
from ..answers import MATCH_ANSWERS, show_error
from .carried_host import HOST
from .carried_tables import add_table, forget_missing


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
    """Takes the network of a game, its facts for `plain_inputs` and what evaluates them."""
    load_game(name).network = json.loads(facts), evaluate


def answer(name: str, text: str) -> str:
    """Answers a request with a JSON object."""
    try:
        if name not in MATCH_ANSWERS:
            raise UnknownNameError("request", name, MATCH_ANSWERS)
        found = MATCH_ANSWERS[name](json.loads(text), HOST)
    except Needed as missing:
        found = {"needs": missing.args}
    except AlquerqueError as error:
        found = show_error(error)
    forget_missing()
    return json.dumps(found)
