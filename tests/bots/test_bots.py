"""Bots as users meet them: by their specs, in every game, against each other."""

import tracemalloc
from collections import Counter

import pytest

from alquerque_env import Match, evaluate, games, load_bot, load_game
from alquerque_env.errors import BotError
from alquerque_env.game.kernel_arrays import JIT
from tests.option_values import MIXED, few_first
from tests.own_games import game_text
from tests.sets import first_by_default

SPECS = ("random", "greedy", "features:1", "alphabeta:2", "mcts:20")

CASES = [
    *few_first((name, {}) for name in games()),
    *(pytest.param(*case, marks=pytest.mark.slow) for case in MIXED),
]

COUNT = 2000  # no match of bots takes as many steps


def play(game, specs, seed):
    """The match that two bots play."""
    match = Match(game)
    bots = [load_bot(spec, game, seed=seed + seat) for seat, spec in enumerate(specs)]
    while not match.is_over and len(match.steps) < COUNT:
        before = match.position
        step = bots[match.player].choose(match)
        assert match.position == before
        assert step in match.legal_steps
        match.push(step)
    return match


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_every_bot_plays_every_game_under_every_kind_of_option_to_its_end(name, options, spec):
    if not JIT and spec.startswith("mcts"):
        spec = "mcts:2"
    assert play(load_game(name, **options), (spec, "random"), seed=3).is_over
    assert play(load_game(name, **options), ("random", spec), seed=4).is_over


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_seed_plays_the_same_match(spec):
    if not JIT and spec.startswith("mcts"):
        spec = "mcts:3"
    game = load_game("fetaix")
    first, again, other = (play(game, (spec, "random"), seed).turns for seed in (7, 7, 8))
    assert first == again != other


def test_random_plays_every_legal_step_about_as_often():
    match = Match(load_game("alquerque"))
    bot = load_bot("random", match.game, seed=0)
    counts = Counter(str(bot.choose(match)) for _ in range(2000))
    assert set(counts) == {str(step) for step in match.legal_steps}
    assert all(abs(count - 500) < 110 for count in counts.values())  # more than five deviations


def test_greedy_takes_the_most_by_the_end_of_its_turn():
    """One leap takes one piece and ends; two others begin chains of two and of three."""
    game = load_game("alquerque_murray", chain="compulsory", capture="compulsory")
    match = Match(game, "W:Wa1,e1,e3:Bb2,b3,d1,d3,d5")
    best = {}
    for step in match.legal_steps:
        paths, most = [[step.action]], 0
        while paths:
            path = paths.pop()
            after = match.copy()
            for action in path:
                after.push(action)
            most = max(most, len(path))
            if after.chain is not None:
                paths += [[*path, following.action] for following in after.legal_steps]
        best[str(step)] = most
    assert len(set(best.values())) > 1
    most = {text for text, count in best.items() if count == max(best.values())}
    assert {str(load_bot("greedy", game, seed=seed).choose(match)) for seed in range(30)} == most


def test_search_features_give_nothing_away_where_that_is_possible():
    """One of four steps puts a piece where it is taken. The others are equal, and drawn from."""
    game = load_game("alquerque_murray")
    match = Match(game, "W:Wc2:Bc4,a5")
    lost = {
        str(step)
        for step in match.legal_steps
        for after in [match.copy()]
        if not after.push(step) and any(reply.captured for reply in after.legal_steps)
    }
    assert lost == {"c2-c3"}
    chosen = {str(load_bot("features:0", game, seed=seed).choose(match)) for seed in range(60)}
    assert chosen == {str(step) for step in match.legal_steps} - lost


def test_greedy_goes_on_where_it_could_stop_and_breaks_ties_at_random():
    game = load_game("alquerque_murray")
    match = Match(game, "W:Wa1,e5:Bb2,b3")
    bot = load_bot("greedy", game, seed=0)
    match.push(bot.choose(match))
    assert [str(step) for step in match.legal_steps] == ["c3xa3", "pass"]
    assert str(bot.choose(match)) == "c3xa3"
    quiet = Match(game, "W:Wa1,e1:Be5")
    assert len({str(bot.choose(quiet)) for _ in range(60)}) == len(quiet.legal_steps)


@pytest.mark.parametrize("spec", SPECS)
def test_a_match_that_is_over_has_nothing_to_choose(spec):
    match = Match(load_game("alquerque"), "W:Wa1:Bb2")
    match.push("a1xc3")
    bot = load_bot(spec, match.game)
    with pytest.raises(BotError, match=r"^" + spec + r" cannot choose: the match is over \(captured\)$"):
        bot.choose(match)
    with pytest.raises(BotError, match="the match is over" if bot.can_analyse else "does not evaluate positions"):
        bot.analyse(match)


def test_a_match_of_another_game_is_refused_and_one_of_an_equal_game_is_not():
    bot = load_bot("alphabeta:1", load_game("alquerque"))
    assert bot.choose(Match(load_game("alquerque")))
    for ask in (bot.choose, bot.analyse):
        with pytest.raises(BotError, match=r"^alphabeta:1 plays load_game\('alquerque'\), not load_game\('fetaix'\)$"):
            ask(Match(load_game("fetaix")))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("rando", "did you mean 'random'"),
        ("alfabeta:3", "did you mean 'alphabeta'"),
        ("", "no bot and no file ''"),
        ("a\0b", "no bot and no file"),
        ("nobody", "known: random, greedy, alphabeta:DEPTH"),
        ("ugi:", "needs the command that starts the engine after the colon, as in ugi:./engine"),
        ("ugi:  ", "needs the command"),
        ("ugi:'./engine", "the command cannot be read (no closing quotation); quote it as in a shell"),
        ("ugi:./no/such/engine --fast", "cannot be started: ./no/such/engine: No such file or directory"),
        ("ugi:a\0b", "cannot be started"),
        ("uggi:./engine", "did you mean 'ugi'?"),
        ("fetaix-small:", "needs a number of simulations from 0 after the colon"),
        ("fetaix-small:many", "needs a number of simulations from 0 after the colon"),
        ("fetaix-small:99999999", "expected a whole number from 0 to 100000"),
        ("fetaix-../alquerque/small", "no bot and no file"),
        ("random:3", "random takes no number"),
        ("greedy:", "greedy takes no number"),
        ("features", "a depth from 0 to 4, as in features:1"),
        ("features:5", "a depth from 0 to 4"),
        ("alphabeta", "a depth from 1 to 99, as in alphabeta:5"),
        ("alphabeta:0", "a depth from 1 to 99"),
        ("alphabeta:٣", "a depth from 1 to 99"),
        ("alphabeta:100", "a depth from 1 to 99"),
        ("alphabeta:" + "9" * 5000, "a depth from 1 to 99"),
        ("mcts:0", "a number of simulations from 1 to"),
        ("mcts:99999999999", "a number of simulations from 1 to"),
        ("no/such/folder", "no bot and no file 'no/such/folder'"),
        ("Hard", "no bot and no file 'Hard'; the level of this name is alphabeta:3 (known: "),
        ("master", "the level of this name is patterns:99 with a time limit"),
        ("player.py:5", "no bot and no file 'player.py:5'"),
        (3, "a bot's spec is text, not int"),
        (None, "a bot's spec is text, not NoneType"),
    ],
)
def test_a_spec_that_names_no_bot_is_refused_in_one_line(spec, words):
    with pytest.raises(BotError) as caught:
        load_bot(spec, load_game("alquerque"))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_limit_is_a_number_of_seconds(seconds):
    with pytest.raises(BotError, match="expected a number of seconds above 0"):
        load_bot("alphabeta:2", load_game("alquerque"), time_limit=seconds)


def test_a_path_that_is_no_player_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("")
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "weights.safetensors").write_bytes(b"")
    (tmp_path / "player.py").write_text("")
    for path, words in (
        (folder, "has no meta.json"),
        (tmp_path / "notes.txt", "neither the folder of a checkpoint nor an exported player"),
        (f"{tmp_path / 'player.py'}:many", "needs a number of simulations"),
    ):
        with pytest.raises(BotError, match=words):
            load_bot(str(path), load_game("alquerque"))


PLAYER = """
import sys
arguments = sys.argv[1:]
position = arguments[arguments.index("--position") + 1]
open({log!r}, "a").write(repr(arguments) + "\\n")
print({answers!r}[position])
"""


def exported(tmp_path, answers):
    file, log = tmp_path / "player.py", tmp_path / "log.txt"
    file.write_text(PLAYER.format(log=str(log), answers=answers))
    return file, log


def test_an_exported_player_is_asked_once_for_a_turn(tmp_path):
    game = load_game("alquerque")
    match = Match(game, "W:Wa1,e1:Bb2,b3,d3,e2")
    file, log = exported(tmp_path, {match.position: "a1xc3xe3"})
    bot = load_bot(f"{file}:16", game)
    for text in ("a1xc3", "c3xe3"):
        assert len(match.legal_steps) == 2
        assert str(bot.choose(match)) == text
        match.push(text)
    assert log.read_text().splitlines() == ["['--position', 'W:Wa1,e1:Bb2,e2,b3,d3', '--simulations', '16']"]
    assert bot.name == f"{file}:16"


def test_a_turn_may_be_as_long_as_the_names_of_its_points_make_it(tmp_path):
    labels = [f"{'x' * 30}{number}" for number in range(27)]
    line, points = " ".join(labels), [[x, 0] for x in range(len(labels))]
    board = f'[board]\ntitle = "A row"\npoints = {points}\nlabels = "{line}"\nlines = ["{line}"]'
    south, north = f"{labels[0]} {labels[-1]}", " ".join(labels[1::2])
    file = tmp_path / "row.toml"
    file.write_text(game_text(board=board).replace("a1 b1 c1", south).replace("a3 b3 c3", north), encoding="utf-8")
    match = Match(load_game(file))
    turn = "x".join(labels[:-1:2])
    player, _ = exported(tmp_path, {match.position: turn})
    bot = load_bot(str(player), match.game)
    while match.player == 0:
        match.push(bot.choose(match))
    assert match.turns == (turn,)
    assert len(turn) > 300


def test_an_exported_player_may_stop_a_chain(tmp_path):
    game = load_game("alquerque_murray")
    match = Match(game, "W:Wa1,e1:Bb2,b3,e5")
    file, _ = exported(tmp_path, {match.position: "a1xc3"})
    bot = load_bot(str(file), game)
    for text in ("a1xc3", "pass"):
        assert str(bot.choose(match)) == text
        match.push(text)


@pytest.mark.parametrize("answer", ["a1xc3", "a1-b1", "nonsense", ""])
def test_an_answer_that_is_no_legal_turn_is_refused(tmp_path, answer):
    match = Match(load_game("alquerque"), "W:Wa1,e1:Bb2,b3,d2")
    file, _ = exported(tmp_path, {match.position: answer})
    with pytest.raises(BotError, match="answered") as caught:
        load_bot(str(file), match.game).choose(match)
    assert "\n" not in str(caught.value)


@first_by_default
@pytest.mark.parametrize(
    ("program", "message"),
    [
        (r"os.write(1, b'\xff\n')", "answered"),
        (r"while True: os.write(1, b'x' * 65536)", "answered 'x{297}...'"),
        (r"while True: os.write(2, b'x' * 65536)", "has not answered within 1 seconds"),
    ],
)
def test_a_player_that_writes_what_it_likes_is_told_and_takes_little_memory(tmp_path, program, message):
    file = tmp_path / "player.py"
    file.write_text(f"import os\n{program}\n")
    bot = load_bot(str(file), load_game("alquerque"), time_limit=1 if "within 1" in message else 60)
    tracemalloc.start()
    with pytest.raises(BotError, match=message) as caught:
        bot.choose(Match(bot.game))
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()
    assert len(str(caught.value)) < 2000


def test_a_player_that_fails_is_told_with_its_last_line(tmp_path):
    file, _ = exported(tmp_path, {})
    match = Match(load_game("alquerque"))
    with pytest.raises(BotError, match=r"ended with status 1 in .*; last on its error output: .*KeyError") as caught:
        load_bot(str(file), match.game).choose(match)
    assert "\n" not in str(caught.value)


@first_by_default
@pytest.mark.skipif(not JIT, reason="long without Numba")
@pytest.mark.parametrize(
    ("name", "spec", "other", "pairs", "least"),
    [
        ("alquerque", "alphabeta:3", "random", 15, 0.9),
        ("fetaix", "alphabeta:3", "random", 15, 0.9),
        ("alquerque", "alphabeta:3", "greedy", 20, 0.75),
        ("fetaix", "alphabeta:3", "greedy", 20, 0.75),
        ("fetaix", "features:1", "greedy", 20, 0.75),
        ("alquerque", "mcts:200", "random", 15, 0.9),
        ("fetaix", "mcts:200", "random", 15, 0.9),
    ],
)
def test_who_searches_beats_who_does_not(name, spec, other, pairs, least):
    result = evaluate(spec, name, other, games=2 * pairs, opening_plies=4)
    assert result.wins + result.draws / 2 >= least * result.games


@pytest.mark.parametrize("spec", ["ugi:false", "player.py", "some/player.py:30"])
def test_a_spec_from_elsewhere_starts_no_program(spec: str) -> None:
    with pytest.raises(BotError, match="starts a program, which is allowed on the command line and in Python only"):
        load_bot(spec, "fetaix", programs=False)


@pytest.mark.parametrize("spec", ["random", "alphabeta:1", "fetaix-small", "fetaix-small:3"])
def test_a_spec_from_elsewhere_may_name_a_bot_that_is_data(spec: str) -> None:
    assert load_bot(spec, "fetaix", programs=False).name == spec


@pytest.mark.parametrize("spec", ["random", "greedy", "alphabeta:2", "mcts:10", "perfect", "fetaix-small:4"])
def test_the_repr_of_a_bot_names_its_spec_and_its_game(spec):
    game = load_game("fetaix", no_progress_limit=80 if spec.startswith("fetaix") else 12)
    assert repr(load_bot(spec, game)).endswith(f"Bot {spec!r} of {game!r}>")
