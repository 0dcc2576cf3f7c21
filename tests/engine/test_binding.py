"""The text of the rules is bound to integers and to vectors: names become places, and nothing of it is left out."""

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest

from alquerque_env.engine import fields, moves, rules, rules_scalar
from alquerque_env.engine.binding import bind, bound_in, inlined, print_bound
from alquerque_env.engine.fields import Rules, State
from alquerque_env.engine.words import integers
from alquerque_env.engine.words.integers import any_of, give_to_player, no, of_player, where
from alquerque_env.game import state_layout as STATE, table_layout as TABLE


@inlined
def swap(rules: Rules, state: State, player: int) -> int:
    """Exchanges the men of the players if the rules have an opening; returns the larger memory of two relations."""
    if any_of(rules.has_opening):
        give_to_player(player, state.men, of_player(1 - player, state.men), of_player(player, state.men))
        men = of_player(player, state.men)
        give_to_player(player, state.kings, men, men)
    larger = state.memory[0] > state.memory[1]
    if any_of(no(larger)):
        return where(larger, -1, state.memory[1])
    return state.memory[0]


BOUND = bind(swap, {"__name__": __name__, "inlined": lambda function: function}, integers)


def test_fields_are_places_and_calls_are_written_out():
    source = ast.unparse(bound_in(__name__).functions["swap"])

    assert "where" not in source
    assert f"if rules[{TABLE.HAS_OPENING}]:" in source
    assert f"state[{STATE.MEMORY}] > state[{STATE.MEMORY + 1}]" in source
    assert "return state[10]" in source
    assert f"state[{STATE.KINGS} + player] = men" in source


@pytest.mark.parametrize(("opening", "player"), [(0, 0), (1, 0), (1, 1)])
def test_a_bound_function_does_what_its_text_says(opening, player):
    table = [0] * TABLE.HEAD
    table[TABLE.HAS_OPENING] = opening
    state = list(range(20, 40))
    text = SimpleNamespace(men=state[0:2], memory=state[STATE.MEMORY :])

    assert BOUND(table, state, player) == max(text.memory[:2])
    assert state[:2] == (text.men[::-1] if opening else text.men)
    assert state[2:4] == ([text.men[1 - player]] * 2 if opening else [22, 23])


def test_a_field_of_several_words_is_not_taken_for_one():
    with pytest.raises(SyntaxError, match=r"the field state\.men has several places"):
        bind(wrong, {"__name__": __name__, "inlined": inlined}, integers)


@inlined
def wrong(state: State) -> int:
    return state.men + 1


@pytest.mark.parametrize("name", fields.LAYOUTS)
def test_every_field_has_a_place(name):
    declared = getattr(fields, name).__annotations__
    assert declared
    for field in declared:
        assert isinstance(getattr(fields.LAYOUTS[name], field.upper()), int)


def test_tracebacks_show_the_text():
    for function, text in ((rules_scalar.apply_action, rules.apply_action), (rules_scalar.step_of, moves.step_of)):
        code = getattr(function, "py_func", function).__code__
        assert (code.co_filename, code.co_firstlineno) == (text.__code__.co_filename, text.__code__.co_firstlineno)


@pytest.mark.parametrize("kind", ["integers", "simd", "numpy", "torch"])
def test_the_documentation_shows_a_function_as_it_is_bound_to_each_kind_of_words(kind, capsys):
    page = (Path(__file__).parents[2] / "docs" / "how_it_works.md").read_text(encoding="utf-8")

    print_bound(["_more_pieces", kind])

    body = "".join(capsys.readouterr().out.splitlines(keepends=True)[3:])
    assert body.startswith("    lead = ")
    assert f"```python\n{body}```" in page


def test_a_function_that_is_not_bound_is_refused_with_those_that_are(capsys):
    with pytest.raises(SystemExit):
        print_bound(["aply_action", "integers"])

    assert "no function 'aply_action' is bound to integers (known: " in capsys.readouterr().err
