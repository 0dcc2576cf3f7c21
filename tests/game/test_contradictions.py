"""Answers that exclude each other are refused, by the sentence of their table `[[excludes]]`."""

from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import get_type_hints

import pytest

from alquerque_env import load_game
from alquerque_env.errors import RulesError
from alquerque_env.files.schema import literals
from alquerque_env.game.options import Exclusion, Rules, allowed, as_tuple, contradictions, exclusions
from tests.own_games import RULES, write_rules

BOARD = {"rows": [[0, 1, 2]] * 3, "lines": ["a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3"]}
PLAIN = {rule.name: (RULES.get(rule.name, rule.default),) for rule in fields(Rules)}


def test_tables_have_questions_and_answers_of_the_rules() -> None:
    kinds = get_type_hints(Rules)
    for each in exclusions():
        for name, listed in (item for table in (each.when, each.never, each.unless) for item in table.items()):
            known = {True, False} if kinds[name] is bool else {*literals(kinds[name]), "N"}
            assert set(as_tuple(listed)) <= known, each


@pytest.mark.parametrize("each", exclusions(), ids=lambda each: "-".join((*each.when, "or", *each.never)))
def test_answers_that_exclude_each_other_are_refused_with_the_reason(each: Exclusion, tmp_path: Path) -> None:
    for number, listed in enumerate(product(*map(as_tuple, each.when.values()), each.never.items())):
        *given, (name, excluded) = listed
        when = {cause: (answer,) for cause, answer in zip(each.when, given, strict=True)}
        for answer in as_tuple(excluded):
            value = 2 if answer == "N" else answer
            answers = PLAIN | when | {name: (*when.get(name, ()), value)}
            assert each.clash(answers) == (name, value)
            for other in allowed(name, excluded):
                assert each.clash(PLAIN | when | {name: (*when.get(name, ()), other)}) is None
            for spared, free in each.unless.items():
                assert each.clash(answers | {spared: (*answers[spared], free)}) is None

            # Where the two answer one question, South has the second answer.
            rules = {rule: found[0] for rule, found in (when | {name: answers[name]}).items()}
            tables = {"promotion": {"south": "a3", "north": "c1"}} if rules.get("promotion") == "points" else {}
            tables |= {"south": {name: value}} if name in when else {}
            file = write_rules(tmp_path, f"mine{number}", BOARD, "a1 b1", "a3 b3", tables, **rules)
            with pytest.raises(RulesError) as caught:
                load_game(file)
            refusal = str(caught.value).removeprefix(f"{file}: ")
            assert refusal in [one.sentence(answers, *clash) for one, *clash in contradictions(answers)]
            assert refusal.count(" needs ") == refusal.count(", not ") == 1


def test_an_option_is_refused_in_the_words_of_the_game_that_offers_it() -> None:
    with pytest.raises(RulesError) as caught:
        load_game("fetaix", max_capture="most_pieces", chain="single")
    assert str(caught.value) == (
        "fetaix: max_capture='most_pieces' needs chain='compulsory', not chain='single': chains of captures are "
        "compared to their ends"
    )
