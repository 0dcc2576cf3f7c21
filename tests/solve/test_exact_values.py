"""Where exact values are used: matches, descriptions, bots, the page."""

import json
import random

import pytest
from click.testing import CliRunner

from alquerque_env import Match, load_bot, load_game
from alquerque_env.bots.alphabeta import AlphaBetaBot
from alquerque_env.bots.mcts import MctsBot
from alquerque_env.cli.main import main
from alquerque_env.match.status_text import exact_sentence
from alquerque_env.solve.proof import solve_position
from alquerque_env.solve.solutions import known_solution
from alquerque_env.solve.tables import build_table, load_table, present_table
from tests.sets import first_by_default, first_case

PIECES = 3
GAMES = ("fetaix", "alquerque", "awithlaknannai_mosona_davis", "alquerque_murray")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(params=first_case(GAMES))
def table(request, folder, monkeypatch):
    """The table of a game, in the place where bots look for it."""
    monkeypatch.setenv("ALQUERQUE_TABLES", str(folder))
    game = load_game(request.param)
    if present_table(game) is None:
        build_table(game, PIECES)
    return present_table(game)


def endings(game, count, seed=0):
    """Positions of random matches that the table knows and in which it matters what is played."""
    table = present_table(game)
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        match = Match(game)
        while not match.is_over:
            match.push(rng.choice(match.legal_steps))
            steps = () if match.is_over else table.steps(match)
            if steps and steps[0].value != steps[-1].value:
                found.append(Match(game, match.position))
                break
    return found


@first_by_default
@pytest.mark.parametrize(
    "spec", ["alphabeta:1", "alphabeta:3", "mcts:2", "mcts:30", "{game}-small:0", "{game}-small:8"]
)
def test_bots_never_give_a_known_value_away(table, spec):
    bot = load_bot(spec.format(game=table.game.name), table.game, seed=0)
    matches = endings(table.game, 12)

    for match in matches:
        assert bot.choose(match) in table.best_steps(match), match.position
        assert bot.analyse(match).candidates[0].step in table.best_steps(match), match.position
    if "small" in spec:
        assert bot.choose_many(matches) == [bot.choose(match) for match in matches]


@first_by_default
@pytest.mark.parametrize("spec", ["alphabeta:2", "mcts:30"])
def test_bots_win_within_the_distance_of_the_table(table, spec):
    bot = load_bot(spec, table.game, seed=0)

    for match in endings(table.game, 8, seed=1):
        if table.value(match) != 1 or table.distance(match) is None:
            continue
        winner, plies = match.player, table.distance(match)
        while not match.is_over:
            match.push(bot.choose(match))

        assert match.outcome.winner == winner
        assert len(match.turns) <= plies


def test_a_match_has_the_value_of_its_table(table):
    for match in endings(table.game, 5):
        known = Match(table.game, match.position, table=table)

        assert (known.value, known.distance) == (table.value(match), table.distance(match))
        assert match.value is None
        assert match.distance is None
        assert known.copy().value == known.value


@pytest.mark.parametrize(
    ("name", "position", "sentence"),
    [
        ("fetaix", "W:Wa1,Kc3:Bd4", "South wins under best play in 1 turn,"),
        ("fetaix", "B:Wa1,Kc3:Be5", "wins under best play in "),
        ("awithlaknannai_mosona_davis", "W:Wb1,d1:Bp3", "South wins under best play"),
        ("awithlaknannai_mosona_davis", "W:Wb1:Bp3", "A draw under best play."),
    ],
)
def test_exact_values_in_words(name, position, sentence, folder, monkeypatch):
    monkeypatch.setenv("ALQUERQUE_TABLES", str(folder))
    game = load_game(name)
    if present_table(game) is None:
        build_table(game, PIECES)

    assert sentence in exact_sentence(Match(game, position, table=present_table(game)))


def run(*arguments):
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_describe_shows_the_value_of_each_step(table):
    match = endings(table.game, 1)[0]

    found = json.loads(run("describe", table.game.name, "--position", match.position, "--json"))
    text = run("describe", table.game.name, "--position", match.position)

    known = {step.step.text: (step.value, step.distance) for step in table.steps(match)}
    assert {step["text"]: (step["value"], step["distance"]) for step in found["steps"]} == known
    assert (found["value"], found["distance"]) == (table.value(match), table.distance(match))
    assert "under best play" in text


def test_describe_without_a_table_shows_no_values():
    found = json.loads(run("describe", "alquerque", "--position", "W:Wa1,b1,c1:Be5,d5,c5", "--json"))
    text = run("describe", "alquerque", "--position", "W:Wa1,b1,c1:Be5,d5,c5")

    assert found["value"] is None
    assert {step["value"] for step in found["steps"]} == {None}
    assert "No endgame table" in text


def test_a_damaged_table_is_ignored(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("ALQUERQUE_TABLES", str(tmp_path))
    game = load_game("fetaix")
    path = build_table(game, 2)
    assert present_table(game) is not None
    path.write_bytes(path.read_bytes()[:-1])

    assert present_table(game) is None
    assert load_bot("alphabeta:1", game, seed=0).choose(Match(game)) in Match(game).legal_steps


def test_solutions_of_whole_games_can_be_played():
    names = ("awithlaknannai_mosona", "fetaix", "alquerque", "awithlaknannai_mosona_davis")
    known = {name: known_solution(load_game(name)) for name in names}

    assert known["awithlaknannai_mosona"].winner == known["alquerque"].winner == 0
    assert known["fetaix"].winner == known["awithlaknannai_mosona_davis"].winner == "draw"
    assert "South wins: proved in 58,411,708 positions" in " ".join(run("describe", "alquerque").split())
    assert "It is a draw: proved in 250,524,160 positions" in " ".join(run("describe", "fetaix").split())
    for name, solution in known.items():
        if solution is not None:
            match = Match(load_game(name))
            for turn in solution.line:
                match.push(turn)
    assert known_solution(load_game("awithlaknannai_mosona", no_progress_result="draw")) is None


@pytest.mark.parametrize(
    ("name", "work"),
    [
        ("bagh_chal", "Tigers and Goats is a draw"),
        ("draughts_english", "Checkers is solved"),
        ("fanorona", "Best play in Fanorona leads to draw"),
    ],
)
def test_a_value_that_others_have_published_is_told_with_its_source(name, work):
    known = known_solution(load_game(name))

    assert (known.winner, known.losers, known.line) == ("draw", (0, 1), ())
    assert work in known.published
    assert f"It is a draw under best play ({known.published})." in " ".join(run("describe", name).split())
    assert known_solution(load_game(name, no_progress_limit=60)) is None


@first_by_default
@pytest.mark.parametrize(
    ("position", "winner"),
    [("W:Wd1,a3:BKd5:H6", 0), ("B:Wd2,d3:BKb5:H5", None)],
)
@pytest.mark.parametrize("spec", ["alphabeta:3", "mcts:300"])
def test_a_win_at_the_no_progress_limit_is_not_given_away(position, winner, spec, tmp_path):
    """Where the side with more pieces wins at the end of the clock, a table that leaves it out says otherwise."""
    game = load_game("fetaix", no_progress_result="majority", no_progress_limit=8)
    table = load_table(game, build_table(game, PIECES, tmp_path / "table.aqt"))
    match = Match(game, position)
    assert solve_position(match, memory=0.01).winner == ("draw" if winner is None else winner)
    bot = AlphaBetaBot("ab", game, 3, 0) if spec[0] == "a" else MctsBot("mcts", game, 300, 0)
    bot.use_table(table)

    match.push(bot.choose(match))

    if not match.is_over:
        assert solve_position(match, memory=0.01).winner == ("draw" if winner is None else winner)
