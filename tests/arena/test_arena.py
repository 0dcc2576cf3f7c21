"""The arena: openings, many matches at once, ratings, early stop, its file, its command."""

import errno
import io
import json
import math
import multiprocessing as mp
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from alquerque_env import Match, load_bot, load_game
from alquerque_env.arena import Meeting, Question, Settings, openings, play_arena
from alquerque_env.arena.match_runner import End, play_matches
from alquerque_env.arena.openings import Opening, draw_lines, extend_list, find_openings
from alquerque_env.arena.ratings import elo_difference, expected_score, rate, rate_by_seat
from alquerque_env.arena.report import draw_cross_table, print_result
from alquerque_env.arena.schedule import AHEAD, derive_seed, in_order, make_batches
from alquerque_env.arena.sprt import decide, log_likelihood_ratio
from alquerque_env.bots.bot import GameBot
from alquerque_env.bots.shipped import shipped_bots
from alquerque_env.cli.main import main
from alquerque_env.errors import AlquerqueError, BotError
from alquerque_env.progress import Progress
from tests.chosen_steps import random_match
from tests.fake_engines import Fake, assert_ended, wait_for
from tests.full_disk import files_up_to
from tests.option_values import few_games
from tests.position_images import images
from tests.sets import first_by_default

pytest.importorskip("choix")
pytest.importorskip("matplotlib")

FETAIX = load_game("fetaix")
QUICK = Settings(games=12, plies=6, seed=3, judge="random", batch=4, resamples=20)


class CountingBot(GameBot):
    """Plays the first legal step; notes how many matches it was asked for at once."""

    def __init__(self, game, name="counting"):
        super().__init__(name, game, 0)
        self.asked = []

    def choose_many(self, matches):
        self.asked.append(len(matches))
        return super().choose_many(matches)

    def _decide(self, match):
        assert len(match.legal_steps) > 1
        return match.legal_steps[0]


class FailingBot(GameBot):
    """Fails when a match has gone on for a while."""

    def __init__(self, game, error):
        super().__init__("failing", game, 0)
        self._error = error

    def _decide(self, match):
        if len(match.steps) >= 10:
            raise self._error
        return match.legal_steps[0]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def pairs_between(first, second, elo, count, generator, draws=0.3):
    """Simulated pairs: independent matches, of which some are drawn, with the expected score that the ratings say."""
    score = expected_score(elo)
    draws = min(draws, score, 1 - score)
    chances = [score - draws / 2, draws, 1 - score - draws / 2]
    points = generator.choice([1.0, 0.5, 0.0], (count, 2), p=chances)
    return Meeting(str(first), str(second), tuple(map(tuple, points.tolist())))


# Openings


def judge_by(monkeypatch, end_of):
    """Openings are judged by a function of a match and of its place among those that are judged together."""

    def play(matches, _seats, _max_steps):
        return ((place, end_of(place, match)) for place, match in enumerate(matches))

    monkeypatch.setattr(openings, "play_matches", play)


@first_by_default
@pytest.mark.parametrize("name", few_games())
def test_openings_are_whole_turns_legal_distinct_and_the_same_for_the_same_seed(name, monkeypatch):
    monkeypatch.setattr(openings, "JUDGED_AT_ONCE", 6)
    game = load_game(name)

    found, again, other = (
        find_openings(game, 6, 6, seed=seed, judge="random", max_steps=40).list for seed in (1, 1, 2)
    )

    assert found == again
    assert found != other
    matches = [opening.begin(game) for opening in found]
    assert [len(match.turns) for match in matches] == [6] * 6
    assert all(not match.turn_goes_on and not match.is_over for match in matches)
    for one, two in combinations(matches, 2):
        assert next(images(game, one.position)) not in set(images(game, two.position))


def test_all_openings_of_a_length_are_drawn_once():
    """Those of two turns, found by trying all of them."""

    def after_a_turn(match):
        for step in match.legal_steps:
            after = match.copy()
            after.push(step)
            yield from after_a_turn(after) if after.turn_goes_on else [after]

    positions = {
        min(str((mover, *map(sorted, sides))) for mover, *sides in images(FETAIX, second.position))
        for first in after_a_turn(Match(FETAIX))
        for second in after_a_turn(first)
    }

    assert len(list(draw_lines(FETAIX, [2], np.random.default_rng(0)))) == len(positions)


def test_an_opening_is_balanced_unless_the_same_side_wins_both_matches(monkeypatch):
    verdicts = [(0, 0), (0, 1), (1, 1), (None, 0), (1, None), (None, None), (1, 0)]
    winners = chain.from_iterable(verdicts * 3)
    judge_by(monkeypatch, lambda _place, _match: End(next(winners), "captured"))
    monkeypatch.setattr(openings, "JUDGED_AT_ONCE", len(verdicts))

    lines = list(draw_lines(FETAIX, [6], np.random.default_rng(derive_seed(0, "openings"))))[: len(verdicts)]
    found = find_openings(FETAIX, 5, 6, seed=0, judge="random", max_steps=300)

    assert [opening.steps for opening in found.list] == [
        line for line, won in zip(lines, verdicts, strict=True) if len(set(won)) > 1 or won[0] is None
    ]
    assert (found.num_balanced, found.tried) == (5, len(verdicts))


def test_where_no_opening_is_balanced_those_come_along_that_took_the_judge_longest(monkeypatch):
    lengths = {}

    def end_of(place, match):
        line = tuple(step.text for step in match.steps)
        for _ in range(place // 2 % 5 + 1):
            match.push(match.legal_steps[0])
        lengths[line] = len(match.steps)
        return End(1, "captured")

    judge_by(monkeypatch, end_of)
    monkeypatch.setattr(openings, "JUDGED_AT_ONCE", 10)

    found = find_openings(FETAIX, 4, 6, seed=0, judge="random", max_steps=300)

    assert (found.num_balanced, found.tried) == (0, len(lengths))
    assert found.tried >= openings.TRIED_PER_OPENING * 4
    assert [lengths[opening.steps] for opening in found.list] == sorted(lengths.values(), reverse=True)[:4]


def test_a_lopsided_game_is_reported():
    """North wins Alquerque from most openings, from those of two turns more often still."""
    settings = Settings(games=8, plies=2, judge="alphabeta:3", resamples=10)

    result = play_arena(load_game("alquerque"), ["greedy", "random"], settings)

    balanced, tried = result.openings["balanced"], result.openings["tried"]
    assert balanced < result.openings["played"] == 4
    assert f"only {balanced} of {tried} openings were balanced; {4 - balanced} of the 4 played" in result.notes[0]
    assert "--plies" in result.notes[0]


def test_where_no_length_is_asked_for_longer_openings_are_drawn_when_too_few_are_balanced(monkeypatch):
    """All of one turn are judged first, and those of three are not needed."""
    judge_by(monkeypatch, lambda _place, match: End(None if len(match.turns) == 2 else 1, "captured"))
    monkeypatch.setattr(openings, "PLIES", range(1, 4))
    count = len(list(draw_lines(FETAIX, [1], np.random.default_rng(0))))

    found = find_openings(FETAIX, 4, None, seed=0, judge="random", max_steps=300)
    asked = find_openings(FETAIX, count, 1, seed=0, judge="random", max_steps=300)

    assert (found.num_balanced, asked.num_balanced) == (4, 0)
    assert {len(opening.begin(FETAIX).turns) for opening in found.list} == {2}
    assert found.tried > count
    assert {len(opening.begin(FETAIX).turns) for opening in asked.list} == {1}
    with pytest.raises(
        AlquerqueError, match=f"only {count} openings of 1 plies in fetaix, expected 100: ask for fewer games"
    ):
        find_openings(FETAIX, 100, None, seed=0, judge="random", max_steps=2)
    with pytest.raises(AlquerqueError, match="openings of 1 to 3 plies in alquerque, expected"):
        find_openings(load_game("alquerque"), 100_000, None, seed=0, judge="random", max_steps=300)


# Matches


def test_many_matches_are_asked_for_at_once_and_forced_steps_not_at_all():
    bot = CountingBot(FETAIX)
    lines = list(draw_lines(FETAIX, [6], np.random.default_rng(0)))[:16]
    matches = [Opening(line, True).begin(FETAIX) for line in lines]

    ends = dict(play_matches(matches, [(bot, bot)] * 16, 300))

    assert len(ends) == 16
    assert max(bot.asked) == 16
    assert len(bot.asked) < sum(bot.asked) / 4
    for place, end in ends.items():
        outcome = matches[place].outcome
        assert end == (End(None, "cut") if outcome is None else End(outcome.winner, outcome.reason))


@pytest.mark.parametrize("spec", ["random", "alphabeta:1", "fetaix-small"])
def test_a_bot_chooses_in_many_matches_as_in_each_and_the_one_that_it_cannot_play_is_named(spec):
    bot, same = (load_bot(spec, FETAIX, seed=7) for _ in range(2))
    over = Match(FETAIX, "W:Wa1:B")
    begun = [match.copy() for match in random_match(FETAIX, 1)][:4]

    assert bot.choose_many(iter(begun)) == [same.choose(match) for match in begun]
    assert bot.choose_many([]) == []
    with pytest.raises(BotError, match=r"match 1: .* the match is over"):
        bot.choose_many([Match(FETAIX), over])
    with pytest.raises(BotError, match=r"match 2: .* plays"):
        bot.choose_many([Match(FETAIX), Match(FETAIX), Match("alquerque")])


def test_a_match_that_goes_on_for_too_long_is_cut_and_drawn():
    match = Match(FETAIX)
    bots = (load_bot("random", FETAIX, seed=1), load_bot("random", FETAIX, seed=2))

    assert list(play_matches([match], [bots], 5)) == [(0, End(None, "cut"))]
    assert len(match.steps) == 5


@pytest.mark.parametrize(
    ("error", "words"),
    [(BotError("no idea"), "no idea"), (ZeroDivisionError("by zero"), "failing: ZeroDivisionError: by zero")],
)
def test_a_bot_that_fails_loses_that_match_and_the_arena_goes_on(error, words):
    result = play_arena(FETAIX, ["random", FailingBot(FETAIX, error), "greedy"], QUICK)

    failing = next(player for player in result.players if player.name == "failing")
    assert failing.faults > 0
    assert failing.total.losses >= failing.faults
    assert sum(player.faults for player in result.players) == failing.faults
    assert all(player.total.games == 2 * QUICK.games for player in result.players)
    assert any(note.endswith(words) and "failing failed in" in note for note in result.notes)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([], "did not choose a step for each of 1 matches"),
        (["nothing"], "did not choose a step for each of 1 matches"),
        (None, "TypeError"),
        ([Match(FETAIX).legal_steps[0]], "is not legal in"),
    ],
)
def test_a_bot_that_answers_with_nonsense_or_an_illegal_step_loses(answer, words):
    bot = CountingBot(FETAIX)
    bot.choose_many = lambda matches: answer
    match = Match(FETAIX)
    match.push(match.legal_steps[0])

    ((_, end),) = play_matches([match], [(load_bot("random", FETAIX, seed=1), bot)], 300)

    assert (end.winner, end.reason) == (0, "fault")
    assert words in end.fault


def test_an_interrupt_is_no_fault():
    with pytest.raises(KeyboardInterrupt):
        list(play_matches([Match(FETAIX)], [(FailingBot(FETAIX, KeyboardInterrupt()),) * 2], 300))


# Who meets whom


@pytest.mark.parametrize(("num_openings", "batch_size"), [(7, 4), (8, 4), (1, 64), (5, 2)])
def test_every_opening_of_every_pairing_is_played_once_from_both_seats(num_openings, batch_size):
    batches = list(make_batches(3, num_openings, batch_size))

    keys = [tuple(key) for batch in batches for key in batch.keys]
    assert sorted(keys) == [(p, o, s) for p in range(3) for o in range(num_openings) for s in (0, 1)]
    assert all(len(batch.keys) <= batch_size for batch in batches)


# Ratings


def test_three_quarters_of_the_points_are_191_elo():
    assert elo_difference(0.75) == pytest.approx(190.85, abs=0.01)
    assert expected_score(190.85) == pytest.approx(0.75, abs=1e-4)
    ratings, _ = rate([Meeting("0", "1", ((1.0, 0.5),) * 2000)], "1", 0, 10)
    assert ratings["0"].value == pytest.approx(190.85, abs=0.1)
    assert (elo_difference(1.0), elo_difference(0.0)) == (math.inf, -math.inf)


def test_a_draw_counts_as_half_a_win_for_each():
    """400 drawn matches are as 200 won and 200 lost."""
    ratings, _ = rate([Meeting("0", "1", ((0.5, 0.5),) * 200)], "0", 1, 10)
    assert ratings["1"].value == pytest.approx(0, abs=1e-6)


def test_who_wins_everything_is_rated_all_the_same():
    meetings = [Meeting(*players, ((1.0, 1.0),) * 50) for players in (("a", "b"), ("b", "c"), ("a", "c"))]
    ratings, _ = rate(meetings, "c", 1, 10)

    assert np.isfinite([each.value for each in ratings.values()]).all()
    assert ratings["a"].value > ratings["b"].value + 300
    assert ratings["b"].value > 300


def test_the_ratings_of_simulated_players_are_found_again():
    truth = [0.0, 120.0, 300.0, -80.0]
    generator = np.random.default_rng(5)
    results = [pairs_between(i, j, truth[i] - truth[j], 250, generator) for i, j in combinations(range(4), 2)]

    ratings, scores = rate(results, "0", 1, 100)

    assert (ratings["0"].value, ratings["0"].low, ratings["0"].high) == (0, 0, 0)
    for estimate, true in zip(ratings.values(), truth, strict=True):
        assert estimate.value == pytest.approx(true, abs=35)
        assert estimate.low - 10 <= true <= estimate.high + 10
    for estimate, result in zip(scores, results, strict=True):
        assert estimate.low < result.total.points / 500 < estimate.high


@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """They say 95%; of 100, fewer than 88 are three deviations away from that."""
    generator = np.random.default_rng(9)
    hits = {"rating": 0, "score": 0}
    for seed in range(100):
        results = [pairs_between(0, 1, 70, 40, generator)]
        ratings, scores = rate(results, "1", seed, 100)
        hits["rating"] += ratings["0"].low <= 70 <= ratings["0"].high
        hits["score"] += scores[0].low <= expected_score(70) <= scores[0].high

    assert all(88 <= count < 100 for count in hits.values()), hits


@pytest.mark.long
def test_intervals_hold_the_truth_for_players_far_above_the_anchor():
    """As random does; of 100 intervals of 95%, fewer than 88 are three deviations away from that."""
    truth, generator = [0, 600, 750, 900], np.random.default_rng(4)
    hits = np.zeros(4)
    for seed in range(100):
        results = [pairs_between(i, j, truth[i] - truth[j], 30, generator) for i, j in combinations(range(4), 2)]
        ratings = [*rate(results, "0", seed, 100)[0].values()]
        assert all(estimate.low < estimate.value < estimate.high for estimate in ratings[1:])
        hits += [estimate.low <= true <= estimate.high for estimate, true in zip(ratings, truth, strict=True)]

    assert hits.min() >= 88


def test_intervals_take_the_two_matches_of_an_opening_together():
    """Openings that the seat decides say nothing about the players, however many matches they are."""
    decided = Meeting("0", "1", ((1.0, 0.0),) * 100)
    contested = Meeting("0", "1", ((0.0, 0.0), (1.0, 1.0)) * 50)

    widths = [score.high - score.low for each in (decided, contested) for score in rate([each], "0", 0, 200)[1]]

    assert widths[0] < 0.03
    assert widths[1] == pytest.approx(4 * 0.5 / math.sqrt(100), rel=0.2)


def test_ten_wins_out_of_ten_are_no_certainty():
    _, (score,) = rate([Meeting("0", "1", ((1.0, 1.0),) * 5)], "1", 0, 200)

    assert score.value == score.high == 1
    assert 0.4 < score.low < 0.85


# Early stop

PENTANOMIAL = np.array([0.05, 0.2, 0.5, 0.2, 0.05])


def tilted(elo):
    """Chances of 0, 1/2, 1, 3/2 and 2 points with the expected score of a difference in strength."""
    chances = PENTANOMIAL.copy()
    shift = expected_score(elo) - 0.5
    # One fifth of the weight that moves by half a point each moves the mean by a tenth of a match.
    moved = 4 * abs(shift) * np.array([0.1, 0.2, 0.4, 0.3])
    for place in range(4):
        source, target = (place, place + 1) if shift > 0 else (4 - place, 3 - place)
        chances[source] -= moved[place]
        chances[target] += moved[place]
    return chances


def test_the_ratio_is_near_that_of_normal_scores():
    """Van den Bergh's approximation, which holds for many pairs and hypotheses near what was seen."""
    counts = [120, 490, 1200, 560, 130]
    question = Question(0, 10)
    scores, weights = np.arange(5) / 4, np.array(counts)
    mean = (scores * weights).sum() / weights.sum()
    variance = ((scores - mean) ** 2 * weights).sum() / weights.sum()
    low, high = expected_score(0), expected_score(10)

    approximation = weights.sum() * (high - low) * (2 * mean - low - high) / (2 * variance)

    assert log_likelihood_ratio(question, counts) == pytest.approx(approximation, rel=0.02)


def test_the_ratio_changes_sign_with_the_seats():
    counts = [3, 9, 20, 15, 8]

    ratio = log_likelihood_ratio(Question(0, 30), counts)

    assert ratio == pytest.approx(-log_likelihood_ratio(Question(-30, 0), counts[::-1]))
    assert log_likelihood_ratio(Question(0, 30), [0] * 5) == 0


def test_one_pair_decides_nothing():
    assert decide(Question(0, 100), [0, 0, 0, 0, 1]).accepted is None


@pytest.mark.parametrize(("elo", "right"), [(0, "elo0"), (80, "elo1")])
@pytest.mark.slow
def test_the_test_is_wrong_about_as_often_as_it_may_be(elo, right):
    """One in twenty; of 200, more than 20 wrong answers have a chance below one in a thousand."""
    chances = tilted(elo)
    assert (chances * np.arange(5)).sum() / 4 == pytest.approx(expected_score(elo))
    generator = np.random.default_rng(elo)
    wrong = lengths = 0
    for _ in range(200):
        counts = np.zeros(5, int)
        verdict = decide(Question(0, 80), counts.tolist())
        while verdict.accepted is None:
            counts += generator.multinomial(4, chances)
            verdict = decide(Question(0, 80), counts.tolist())
            assert counts.sum() < 2000
        wrong += verdict.accepted != right
        lengths += counts.sum()

    assert wrong <= 20
    assert lengths / 200 < 100


# Whole arenas


def test_what_is_reported_adds_up_and_random_is_the_anchor():
    result = play_arena(FETAIX, ["alphabeta:1", "random", "greedy"], QUICK)

    assert result.anchor == "random"
    assert next(player for player in result.players if player.name == "random").rating.value == 0
    assert [player.rating.value for player in result.players] == sorted(
        (player.rating.value for player in result.players), reverse=True
    )
    for player in result.players:
        assert player.total.games == 24
        assert [seat.games for seat in player.seats] == [12, 12]
        assert 6 < player.mean_steps < 1000
    for pairing in result.pairings:
        assert sum(pairing.pairs) == 6
        points = sum(count * place / 2 for place, count in enumerate(pairing.pairs))
        assert points == pairing.total.points
        assert pairing.score.value == points / 12
    assert sum(player.total.wins for player in result.players) == sum(player.total.losses for player in result.players)


def test_both_seats_are_played_from_the_same_openings(tmp_path):
    result = play_arena(FETAIX, ["greedy", "alphabeta:1"], QUICK, output=tmp_path / "a.jsonl")

    assert result.anchor == "greedy"  # the first, where `random` does not play
    _, found, *matches = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert len(found["openings"]) == 6
    assert sorted((match["opening"], match["seat"]) for match in matches) == [(o, s) for o in range(6) for s in (0, 1)]
    for entry in matches:
        replayed, start = Match(FETAIX), Opening(tuple(found["openings"][entry["opening"]]["steps"]), True)
        for turn in entry["turns"].split():
            replayed.push(turn)
        assert replayed.steps[: len(start.steps)] == start.begin(FETAIX).steps
        assert len(replayed.steps) == entry["steps"]
        assert replayed.outcome.winner == entry["winner"]
        assert replayed.outcome.reason == entry["reason"]


# Its file


def whole(path, **others):
    return play_arena(FETAIX, ["alphabeta:1", "random", "greedy"], QUICK, output=path, **others)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("arena") / "whole.jsonl"
    return whole(path).as_dict(), path.read_bytes()


@pytest.mark.parametrize("lines", [0, 1, 2, 3, 9, 30, 38])
def test_an_arena_that_was_cut_short_goes_on_as_if_it_had_not_been(finished, tmp_path, lines):
    expected, content = finished
    parts = content.splitlines(keepends=True)
    assert len(parts) == 38
    path = tmp_path / "part.jsonl"
    path.write_bytes(b"".join(parts[:lines]) + b"".join(parts[lines : lines + 1])[:25])

    seen = []
    assert whole(path, watch=seen.append).as_dict() == expected
    assert lines < 38 or seen == [Progress("matches played", 36, 36)]  # a finished one is not played again
    assert sorted(path.read_bytes().splitlines()) == sorted(content.splitlines())


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({"seed": 4}, {}, "holds an arena with seed 3, this one has 4: choose another file"),
        ({"games": 14}, {}, "holds an arena with games 12, this one has 14"),
        ({"sprt": None, "plies": 5}, {}, "plies 6, this one has 5"),
        (
            {},
            {"man_capture_dirs": "all"},
            f'with options.man_capture_dirs "{FETAIX.options["man_capture_dirs"]}", this one has "all": choose another',
        ),
    ],
)
def test_a_file_of_another_arena_is_refused_and_left_alone(finished, tmp_path, change, options, words):
    path = tmp_path / "whole.jsonl"
    path.write_bytes(finished[1])
    settings, game = replace(QUICK, **change), FETAIX.with_options(**options)

    with pytest.raises(AlquerqueError, match=re.escape(words)):
        play_arena(game, ["alphabeta:1", "random", "greedy"], settings, output=path)
    assert path.read_bytes() == finished[1]


def change_weights(folder):
    shutil.rmtree(folder)
    shutil.copytree(shipped_bots()["fetaix-plain"], folder)


def change_search(folder):
    card = json.loads((folder / "meta.json").read_text())
    card["config"]["evaluation"]["exploration"] = 1.5
    (folder / "meta.json").write_text(json.dumps(card))


@pytest.mark.parametrize("change", [change_weights, change_search])
def test_a_file_of_another_bot_at_the_same_path_is_refused(change, tmp_path):
    settings, path = Settings(games=2, plies=6, judge="random", resamples=10), tmp_path / "whole.jsonl"
    folder = shutil.copytree(shipped_bots()["fetaix-small"], tmp_path / "bot")
    first = play_arena(FETAIX, [str(folder), "random"], settings, output=path)
    assert play_arena(FETAIX, [str(folder), "random"], settings, output=path).as_dict() == first.as_dict()
    content = path.read_bytes()

    change(folder)

    with pytest.raises(AlquerqueError, match="holds an arena with files"):
        play_arena(FETAIX, [str(folder), "random"], settings, output=path)
    assert path.read_bytes() == content


def test_a_damaged_line_in_the_middle_is_refused(finished, tmp_path):
    path = tmp_path / "damaged.jsonl"
    lines = finished[1].splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:5], b'{"pairing": 0}\n', *lines[6:]]))

    with pytest.raises(AlquerqueError, match="line 6 is damaged"):
        whole(path)


# Mistakes


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"games": 7}, "games is 7, expected an even number: openings are played from both seats"),
        ({"games": 0}, "games is 0, expected a whole number from 2"),
        ({"batch": 3}, "batch is 3, expected an even number"),
        ({"seed": -1}, "seed is -1"),
        ({"plies": 1.5}, "plies is 1.5, expected a whole number"),
        ({"max_steps": 8}, "max_steps is 8, expected more than the 8 plies"),
    ],
)
def test_settings_out_of_range_are_refused(settings, words):
    with pytest.raises(AlquerqueError, match=words):
        Settings(**settings)


BAD_ARGUMENTS = [
    (["fetaix"], "missing argument 'SPEC SPEC...'"),
    (["fetaix", "random"], "an arena needs two bots or more, got 1"),
    (["fetaix", "random", "greedy", "random"], "'random' is given twice"),
    (["fetaix", "random", "greedy", "--judge", "nobody"], "no bot and no file 'nobody'"),
    (["fetaix", "random", "greedy", "--sprt", "5"], "invalid value for '--sprt': '5' is not two numbers such as 0,20"),
    (["fetaix", "random", "greedy", "--sprt", "10,0"], "sprt is 10,0, expected two numbers from -2000"),
    (["fetaix", "random", "greedy", "--sprt", "nan,1"], "expected two numbers from -2000"),
    (["fetaix", "random", "greedy", "alphabeta:1", "--sprt", "0,10"], "sprt decides between two bots, got 3"),
    (["fetaix", "random", "greedy", "--picture", "a.txt"], "expected a name that ends in .png"),
    (["fetaix", "random", "greedy", "--picture", "no/such/folder/a.png"], "there is no folder"),
]


@pytest.mark.parametrize(("arguments", "words"), BAD_ARGUMENTS)
def test_a_bad_argument_ends_with_status_2_and_one_line(arguments, words):
    result = run("arena", *arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


# The command

ARGUMENTS = ["arena", "fetaix", "alphabeta:1", "random", "greedy", "--games", 8, "--plies", 6, "--judge", "random"]


def test_the_command_prints_json_that_does_not_change():
    first, second = (run(*ARGUMENTS, "--json", "--option", "chain=single", "--gauntlet") for _ in range(2))

    told = json.loads(first.stdout)
    assert first.stdout == second.stdout
    assert told["options"]["chain"] == "single"
    assert [(pair["a"], pair["b"]) for pair in told["pairs"]] == [
        ("alphabeta:1", "random"),
        ("alphabeta:1", "greedy"),
    ]
    assert told["settings"]["games"] == 8
    assert [pair["games"] for pair in told["pairs"]] == [8, 8]
    assert sorted(told["players"]) == sorted(told["ratings"]) == ["alphabeta:1", "greedy", "random"]
    assert all(rating["low"] <= rating["rating"] <= rating["high"] for rating in told["ratings"].values())
    assert all(pair["wins"] + pair["draws"] + pair["losses"] == 8 for pair in told["pairs"])


@pytest.mark.slow
def test_the_command_prints_tables_draws_a_picture_and_goes_on(tmp_path):
    more = ["-o", tmp_path / "a.jsonl", "--picture", tmp_path / "a.png"]

    first, second = (run(*ARGUMENTS, *more) for _ in range(2))

    assert first.exit_code == second.exit_code == 0, first.output
    assert first.stdout == second.stdout
    assert "\x1b" not in first.stdout
    assert re.search(r"^ random +0 +anchor +16 ", first.stdout, re.MULTILINE)
    assert "alphabeta:1 v. greedy" in first.stdout
    assert second.stderr == "resuming after 24 of 24 matches\n"
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@first_by_default
@pytest.mark.parametrize("name", ["arena.png", "arena.svg", "arena.pdf"])
def test_a_picture_that_cannot_be_written_leaves_the_one_before(tmp_path, name):
    result, path = play_arena(FETAIX, ["random", "greedy"], replace(QUICK, games=4)), tmp_path / name
    draw_cross_table(result, path)
    before = path.read_bytes()
    assert len(before) > 3000

    with files_up_to(2000), pytest.raises(AlquerqueError) as caught:
        draw_cross_table(result, path)

    assert str(caught.value) == (
        f"picture {str(path)!r} cannot be written: {os.strerror(errno.EFBIG)}; correct that and draw it again"
    )
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("width", [60, 80, 100, 140])
@pytest.mark.slow
def test_tables_fit_a_terminal_and_keep_their_names(width):
    names = ["alphabeta:1", "random", "checkpoints/" + "x" * 40 + "/last"]
    bots = [names[0], names[1], CountingBot(FETAIX, names[2])]
    console = Console(width=width, file=io.StringIO())

    print_result(play_arena(FETAIX, bots, QUICK), console)

    shown = console.file.getvalue()
    assert max(map(len, shown.splitlines())) <= width
    assert "\u2026" not in shown
    assert re.search(r"^ alphabeta:1 +[+-]\d+ +[+-]\d+ to [+-]\d+( +24)? +\d+\.\d% ", shown, re.MULTILINE)
    assert ("mean steps" in shown) == (width == 140)
    assert names[2] in "".join(line.strip().partition("  ")[0] for line in shown.splitlines())


def test_the_command_says_what_the_question_came_to():
    result = run("arena", "fetaix", "random", "alphabeta:2", "--games", 128, "--judge", "random", "--sprt", "-100,0")

    assert "SPRT: random is -100 Elo or less from alphabeta:2; log-likelihood ratio -" in result.stdout


def test_a_bot_that_is_gone_when_its_matches_begin_loses_them_and_the_others_are_played(tmp_path: Path) -> None:
    mark, file = str(tmp_path / "mark"), tmp_path / "matches.jsonl"
    flaky = Fake(tmp_path, at_ugi=f"sys.exit('no more') if os.path.exists({mark!r}) else open({mark!r}, 'w')")
    settings = Settings(games=4, judge="random")
    play_arena(load_game("alquerque"), [flaky.spec, "random", "greedy"], settings, output=file)
    played = [line for line in map(json.loads, file.read_text().splitlines()) if "winner" in line]
    faults = [match["fault"] for match in played if match["fault"]]
    assert len(played) == 12
    assert len(faults) == 8
    assert all("ended with status 1" in fault and "no more" in fault for fault in faults)


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals")
@pytest.mark.slow
def test_a_program_that_hangs_ends_with_the_arena(tmp_path: Path) -> None:
    engine = Fake(tmp_path, at_go="time.sleep(600)")
    line = [sys.executable, "-m", "alquerque_env", "arena", "alquerque", engine.spec, "random", "--seconds", "600"]
    program = subprocess.Popen([*line, "--games", "2", "--judge", "random"], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: engine.log.exists() and any(line.startswith("go") for line in engine.heard))
    program.terminate()
    _, told = program.communicate(timeout=60)
    assert program.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in told
    assert_ended(engine.pid)


def test_ctrl_c_while_ratings_are_worked_out_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library catches whatever is raised within it."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scipy.linalg.solve_triangular", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rate([Meeting("0", "1", ((1.0, 0.0),))], "0", 0, 10)


# Ratings and scores by seat, in games whose sides differ


def meetings_by_seat(truth: list[tuple[float, float]], openings: int, seed: int) -> list[Meeting]:
    """Simulated pairs of matches between players with these ratings in each seat."""
    generator, found = np.random.default_rng(seed), []
    for (first, one), (second, other) in combinations(enumerate(truth), 2):
        chances = expected_score(one[0] - other[1]), expected_score(one[1] - other[0])
        points = (generator.random((openings, 2)) < chances).astype(float)
        found.append(Meeting(str(first), str(second), tuple(map(tuple, points.tolist()))))
    return found


def test_ratings_by_seat_recover_the_strength_of_each_role() -> None:
    truth = [(0.0, -200.0), (150.0, -150.0), (200.0, 100.0)]
    ratings = rate_by_seat(meetings_by_seat(truth, 3000, 1), "0", 1, 20)
    assert ratings is not None
    for estimates, true in zip(ratings.values(), truth, strict=True):
        for estimate, rating in zip(estimates, true, strict=True):
            assert estimate.value == pytest.approx(rating, abs=30)


def test_intervals_by_seat_hold_the_truth_nearly_always() -> None:
    truth = [(0.0, -100.0), (80.0, -50.0), (100.0, 60.0)]
    hits = []
    for seed in range(12):
        ratings = rate_by_seat(meetings_by_seat(truth, 60, seed), "0", seed, 100)
        assert ratings is not None
        hits += [
            estimate.low <= rating <= estimate.high
            for estimates, true in zip(ratings.values(), truth, strict=True)
            for estimate, rating in zip(estimates, true, strict=True)
            if rating != 0
        ]
    assert np.mean(hits) > 0.85


def test_two_players_do_not_connect_the_seats() -> None:
    assert rate_by_seat(meetings_by_seat([(0, 0), (0, 0)], 4, 0), "0", 0, 1) is None


@pytest.mark.parametrize(("game", "has_roles"), [("catch_the_hare", True), ("felli_simplified", False)])
def test_an_arena_tells_the_score_of_each_seat(game: str, has_roles: bool) -> None:
    settings = Settings(games=2, resamples=20, judge="random", plies=0)
    result = play_arena(load_game(game), ["random", "greedy", "mcts:4"], settings)
    told = result.as_dict()
    for pair in told["pairs"]:
        assert 2 * pair["score"] == pytest.approx(sum(pair["seats"]), abs=1e-3)
    assert set(told["ratings_by_seat"]) == (set(told["players"]) if has_roles else set())
    for ratings in told["ratings_by_seat"].values():
        assert all(rating["low"] <= rating["rating"] <= rating["high"] for rating in ratings)
    output = io.StringIO()
    print_result(result, Console(file=output, width=140))
    assert ("Elo as hunter" in output.getvalue()) == has_roles


def test_a_gauntlet_in_a_game_of_two_roles_is_rated_and_counts_by_seat() -> None:
    """Its pairings never connect the first player in one seat with itself in the other."""
    settings = Settings(games=4, resamples=20, judge="random", plies=1, gauntlet=True)
    result = play_arena(load_game("catch_the_hare"), ["greedy", "random", "mcts:4"], settings)
    assert [player.seat_ratings for player in result.players] == [None] * 3
    for pairing in result.pairings:
        seats = pairing.seats
        assert [seat.games for seat in seats] == [2, 2]
        assert pairing.seen_from(pairing.second).seats == (seats[1].mirrored, seats[0].mirrored)
        assert pairing.seen_from(pairing.second).pairs == pairing.pairs[::-1]
        assert Meeting.read(pairing.first, pairing.second, pairing.signs).points == pairing.points


@pytest.mark.parametrize("signs", ["+", "+?", "1=", " +"])
def test_other_texts_than_the_signs_of_pairs_are_no_meeting(signs: str) -> None:
    with pytest.raises(ValueError, match="is not two signs for each opening"):
        Meeting.read("a", "b", signs)


# Batches that other processes play: the same result and file, to the byte

LONGER = replace(QUICK, games=24)


@pytest.fixture(scope="module", params=["thread", pytest.param("processes", marks=pytest.mark.slow)])
def pool(request: pytest.FixtureRequest) -> Iterator[Executor]:
    is_thread = request.param == "thread"
    with ThreadPoolExecutor(1) if is_thread else ProcessPoolExecutor(2, mp.get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained bot under a path that the package does not know."""
    folder = tmp_path_factory.mktemp("trained") / "mine"
    return shutil.copytree(shipped_bots()["fetaix-small"], folder)


def play(path: Path, bots: list[str], settings: Settings = LONGER, **others: Any) -> tuple[dict[str, Any], bytes]:
    result = play_arena(FETAIX, bots, settings, output=path, **others)
    return result.as_dict(), path.read_bytes()


def test_processes_play_an_arena_as_one_does(pool: Executor, checkpoint: Path, tmp_path: Path) -> None:
    bots = ["greedy", str(checkpoint), "alphabeta:1"]
    settings = replace(QUICK, games=4, batch=2)

    assert play(tmp_path / "far", bots, settings, executor=pool) == play(tmp_path / "here", bots, settings)


def test_a_bot_that_fails_loses_in_the_same_words(pool: Executor, checkpoint: Path, tmp_path: Path) -> None:
    cheat = tmp_path / "cheat.py"
    cheat.write_text("import sys; sys.exit('no turn today')")
    settings = replace(QUICK, games=4)
    far = play(tmp_path / "far", [str(cheat), "greedy"], settings, executor=pool)

    assert far == play(tmp_path / "here", [str(cheat), "greedy"], settings)
    faults = [json.loads(line)["fault"] for line in far[1].splitlines()[2:]]
    assert all(str(cheat) in fault and "no turn today" in fault for fault in faults)


def test_a_sequential_test_stops_after_the_same_match(pool: Executor, tmp_path: Path) -> None:
    settings = replace(QUICK, games=120, sprt=Question(0, 100))
    result, content = play(tmp_path / "far", ["alphabeta:2", "random"], settings, executor=pool)

    assert (result, content) == play(tmp_path / "here", ["alphabeta:2", "random"], settings)
    assert len(content.splitlines()) < 2 + settings.games


@pytest.mark.parametrize("lines", [1, 2, 9, 20])
@pytest.mark.slow
def test_who_is_interrupted_goes_on_here_or_elsewhere(pool: Executor, lines: int, tmp_path: Path) -> None:
    whole = play(tmp_path / "whole", ["greedy", "random"])
    begun = b"".join(whole[1].splitlines(keepends=True)[:lines])
    for name, executor in (("far", pool), ("here", None)):
        (tmp_path / name).write_bytes(begun)
        assert play(tmp_path / name, ["greedy", "random"], executor=executor) == whole


@pytest.mark.slow
def test_processes_make_the_same_list(pool: Executor, tmp_path: Path) -> None:
    def extend(name: str, count: int, executor: Executor | None) -> tuple[Any, bytes]:
        found = extend_list(tmp_path / name, FETAIX, count, judges=["random", "random"], executor=executor)
        return found, (tmp_path / name).read_bytes()

    here = extend("here", 40, None)
    assert len(here[1].splitlines()) > 3
    assert extend("far", 40, pool) == here
    extend("both", 10, pool)
    assert extend("both", 40, None) == here


@pytest.mark.slow
def test_objects_and_engines_stay_here(pool: Executor, tmp_path: Path) -> None:
    greedy = load_bot("greedy", FETAIX, seed=0)
    with pytest.raises(AlquerqueError, match="'greedy' is an object, which other machines cannot load"):
        play_arena(FETAIX, [greedy, "random"], QUICK, output=tmp_path / "file", executor=pool)
    engine = f"ugi:{shutil.which('python3') or 'python'} -m alquerque_env engine greedy"
    with pytest.raises(BotError, match="starts a program, which other machines need not have"):
        play_arena(FETAIX, [engine, "random"], QUICK, output=tmp_path / "file", executor=pool)
    assert not (tmp_path / "file").exists()


class Patient(Executor):
    """Answers the first call when it has as many as it may get, and no other."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, _function: Callable[..., Any], *_arguments: Any) -> "Future[Any]":  # type: ignore[override]
        self.futures.append(Future())
        if len(self.futures) == AHEAD:
            self.futures[0].set_result(7)
        return self.futures[-1]


def test_calls_ahead_are_bounded_and_those_without_use_are_cancelled() -> None:
    executor = Patient()
    left = iter(range(10 * AHEAD))

    results = in_order(executor, abs, left)
    assert next(results) == (0, 7)
    assert next(left) == len(executor.futures) == AHEAD
    results.close()
    assert all(future.cancelled() for future in executor.futures[1:])
