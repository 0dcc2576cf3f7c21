"""The worked positions of `tests/cases/worked_positions.toml`, by the engine, by the reference and in batches."""

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alquerque_env import Match, load_game
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.game.game import Game
from alquerque_env.game.step import join_turn
from tests.reference import Reference, RefMatch, RefStep

FILE = Path(__file__).parents[1] / "cases" / "worked_positions.toml"
WORKED: dict[str, dict[str, Any]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
KEYS = {"game", "options", "rules", "position", "played", "turns", "allows", "forbids", "reaches", "ends", "occurs"}
WINNERS = {"South": 0, "North": 1, "draw": None}


def cases_of(rule: str) -> Iterator[dict[str, Any]]:
    """The cases of a rule, each with what stands above them."""
    common = {key: value for key, value in WORKED[rule].items() if key != "cases"}
    for case in WORKED[rule]["cases"]:
        assert (common | case).keys() <= KEYS
        yield common | case


def game_of(case: dict[str, Any]) -> Game:
    game = load_game(case["game"], **case.get("options", {}))
    return replace(game, rules=replace(game.rules, **case.get("rules", {})))


def listed(text: str) -> set[str]:
    """Turns by their text; `a1-b1,b2` stands for two."""
    found = [
        origin + "-" + target if targets else origin
        for origin, _, targets in (turn.partition("-") for turn in text.split())
        for target in targets.split(",")
    ]
    assert len(found) == len(set(found)), text
    return set(found)


def ending(case: dict[str, Any]) -> tuple[int | None, str] | None:
    winner, _, reason = case["ends"].partition(" ")
    return None if winner == "no" else (WINNERS[winner], reason)


def check(case: dict[str, Any], turns: list[str], outcome: tuple[int | None, str] | None, occurs: int) -> None:
    """Compares what can be played, how the match ended and how often the position has been there with the table."""
    assert len(turns) == len(set(turns)), f"a turn is listed twice: {turns}"
    assert set(turns) == listed(case.get("turns", " ".join(turns)))
    assert set(turns) >= listed(case.get("allows", ""))
    assert set(turns).isdisjoint(listed(case.get("forbids", "")))
    assert occurs == case.get("occurs", occurs)
    assert "ends" not in case or outcome == ending(case)
    assert outcome is None or not turns


def finished_turns(match: Match) -> Iterator[str]:
    """All whole turns from here; in the middle of a chain, all that begin with what was pushed of it."""
    for step in match.legal_steps:
        match.push(step)
        if match.chain is None:
            yield match.turns[-1]
        else:
            yield from finished_turns(match)
        match.pop()


def played(case: dict[str, Any]) -> Match:
    match = Match(game_of(case), case.get("position"))
    for turn in case.get("played", "").split():
        match.push(turn)
    return match


@pytest.mark.parametrize("rule", WORKED)
def test_the_engine_plays_by_the_rule(rule: str) -> None:
    for case in cases_of(rule):
        match = played(case)
        outcome = None if match.outcome is None else (match.outcome.winner, match.outcome.reason)
        check(case, list(finished_turns(match)), outcome, match.occurrences())
        assert match.position == case.get("reaches", match.position)
        if match.occurrences() < 2:  # what a batch begins with has no earlier positions
            seen = make_batch(match.game, 8).begin(np.ones(8, bool), {0: match})
            assert seen.mask[0].tolist() == match.action_mask().tolist()
            assert bool(seen.outcome[0]) == match.is_over


class Referee:
    """A match by the reference, with turns by their text."""

    def __init__(self, game: Game, position: str | None) -> None:
        self.rules = Reference(game)
        self.match = RefMatch(self.rules, None if position is None else self.rules.parse(position))
        self._begun: list[str] = []

    def spell(self, step: RefStep) -> str:
        """As the engine does: the victim is named where another piece could have been leapt over on the way."""
        labels = self.rules.game.board.labels
        if step.origin is None or step.target is None or step.is_pass:
            return "pass"
        victims = {over for origin, over, target in self.rules.leaps if (origin, target) == (step.origin, step.target)}
        name = f"^{labels[step.victim]}" if step.victim in victims and len(victims) > 1 else ""
        is_step = step.victim is None or "custodial" in self.rules.captures
        return f"{labels[step.origin]}{'-' if is_step else 'x'}{labels[step.target]}{name}"

    def push(self, turn: str) -> None:
        """Plays a whole turn, which ends its chain, or one step."""
        mark = "x" if "x" in turn else "-"
        origin, *landings = turn.split(mark)
        for landing in landings or [turn]:
            self._play(f"{origin}{mark}{landing}" if landings else landing)
            origin = landing.partition("^")[0]
        if len(landings) > 1 and self.match.state.chain is not None:
            self._play("pass")

    def _play(self, text: str) -> None:
        (step,) = (step for step in self.match.legal if text in (self.spell(step), self.spell(step).partition("^")[0]))
        self._begun.append(self.spell(step))
        self.match.push(step)
        if self.match.state.chain is None:
            self._begun = []

    def turns(self) -> list[str]:
        if self.match.outcome is not None:
            return []
        return [join_turn([*self._begun, *map(self.spell, turn)]) for turn in self.rules.turns(self.match.state)]


@pytest.mark.parametrize("rule", WORKED)
def test_the_reference_plays_by_the_rule(rule: str) -> None:
    for case in cases_of(rule):
        referee = Referee(game_of(case), case.get("position"))
        for turn in case.get("played", "").split():
            referee.push(turn)
        check(case, referee.turns(), referee.match.outcome, referee.match.occurrences)
        if "reaches" in case:
            assert referee.match.state == referee.rules.parse(case["reaches"])
