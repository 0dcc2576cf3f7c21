"""The strength of training runs over time: the table in the documentation is that of the results."""

import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from alquerque_env.arena.ratings import elo_difference, expected_score
from alquerque_env.bots.network.model_card import read_card
from alquerque_env.bots.shipped import shipped_bots

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = Path(__file__).parent.parent.parent / "benchmarks" / "strength.py"
    spec = spec_from_file_location("strength", path)
    module = sys.modules["strength"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_the_documentation_is_that_of_the_results(script: ModuleType) -> None:
    page = script.PAGE.read_text(encoding="utf-8")
    assert page == script.filled(page), "run python benchmarks/strength.py report"


def test_the_last_point_is_the_bot_that_ships(script: ModuleType) -> None:
    results = script.read_results("alquerque")
    card = read_card(shipped_bots()["alquerque-plain"])
    assert results[-1]["sha256"] == card.sha256["weights.safetensors"]
    assert results[-1]["command"] == card.command
    assert all(card.command.startswith(each["command"]) for each in results)
    assert [each["steps"] for each in results] == sorted({each["steps"] for each in results})
    for each in results:
        for value, low, high in (each[key] for key in script.SIMULATIONS):
            assert 0 <= low <= value <= high <= 1


def test_a_run_that_gains_by_a_law_is_extrapolated_by_it(script: ModuleType) -> None:
    gain, begin, goal = 40, -100, elo_difference(script.GOALS["0"])
    rows = [
        {"processor_seconds": 60 * 2**doublings, "0": [expected_score(begin + gain * doublings)]}
        for doublings in range(4)
    ]
    slope, minutes = script.extrapolate(rows, "0")
    assert slope == pytest.approx(gain)
    assert minutes == pytest.approx(2 ** ((goal - begin) / gain))
