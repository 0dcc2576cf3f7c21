"""Analyses of bots: against an exhaustive search, in whole turns, within their limits."""

import random
import threading
from functools import cache
from pathlib import Path

import pytest

from alquerque_env import Match, games, load_bot, load_game
from alquerque_env.bots import Limits, mcts
from alquerque_env.errors import BotError
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT
from alquerque_env.search import puct
from tests.drawn_matches import matches
from tests.option_values import few_first
from tests.sets import first_by_default

VARIANTS = [
    *((name, {}) for name in games()),
    ("alquerque", {"repetition": "threefold_draw", "capture": "optional"}),
    ("alquerque_murray", {"no_moves": "pass", "repetition": "threefold_draw", "no_progress_limit": 6}),
    ("fetaix", {"chain": "optional", "no_moves": "pass", "no_progress_limit": 5}),
    ("fetaix", {"midchain_promotion": "promote_and_continue", "max_capture": "most_pieces", "no_progress_limit": 5}),
    ("awithlaknannai_mosona", {"no_moves": "pass", "repetition": "threefold_draw", "no_progress_limit": 6}),
]
# Without Numba a search is slow, and looks at less.
SPECS = (f"alphabeta:{3 if JIT else 1}", f"mcts:{200 if JIT else 12}", "network", f"network:{24 if JIT else 6}")
MANY = 1 if JIT else 4


@pytest.fixture(scope="module")
def make_bot(tmp_path_factory):
    """Makes bots; `network` is one that knows nothing yet, a new one for each game."""

    @cache
    def checkpoint(game: Game) -> Path:
        pytest.importorskip("torch")
        from tests.training.random_checkpoints import save_random_checkpoint

        return save_random_checkpoint(tmp_path_factory.mktemp("network"), game, width=8)

    def make(spec: str, game: Game, seed: int | None = 1):
        return load_bot(spec.replace("network", str(checkpoint(game))) if "network" in spec else spec, game, seed=seed)

    return make


def some_positions(game: Game, count: int, seed: object, most: int = 6) -> list[Match]:
    """Endings that are not over; half of them in the middle of a chain where the game has chains."""
    rng, labels = random.Random(f"{seed}"), game.board.labels
    quiet: list[Match] = []
    chains: list[Match] = []
    for _ in range(3000):
        points = rng.sample(range(len(labels)), rng.randint(3, most))
        first = rng.randint(1, len(points) - 1)
        sides = []
        for player, own in enumerate((points[:first], points[first:])):
            ends = game.promotion_points(player) if game.rules.promotion != "none" else ()
            sides.append(",".join("K" * (point in ends) + labels[point] for point in own))
        try:
            match = Match(game, f"{rng.choice('WB')}:W{sides[0]}:B{sides[1]}")
        except ValueError:
            continue
        if not match.is_over and len(quiet) < count:
            quiet.append(match.copy())
        for step in match.legal_steps:
            match.push(step)
            if match.chain is not None:
                chains.append(match)
                break
            match.pop()
        if len(chains) == count:
            break
    half = min(count // 2, len(chains))
    return [*chains[:half], *quiet[: count - half]]


def solve(match: Match, turns: int) -> int | None:
    """Result for the player to move by looking at everything within some turns; None where that is not enough."""
    if match.is_over:
        winner = match.outcome.winner
        return 0 if winner is None else 1 if winner == match.player else -1
    if turns == 0:
        return None
    player, values = match.player, []
    for step in match.legal_steps:
        match.push(step)
        value = solve(match, turns - (not match.turn_goes_on))
        values.append(value if value is None or match.player == player else -value)
        match.pop()
        if values[-1] == 1:
            return 1
    return None if None in values else max(values)


def solve_step(match: Match, step, turns: int) -> int | None:
    player = match.player
    match.push(step)
    value = solve(match, turns - (not match.turn_goes_on))
    value = value if value is None or match.player == player else -value
    match.pop()
    return value


def play_line(match: Match, line: tuple[str, ...]) -> Match:
    """The match after a line; every turn of it must be legal and whole."""
    ahead = match.copy()
    for turn in line:
        ahead.push_turn(turn)
        assert not ahead.turn_goes_on
    return ahead


def check(analysis, match: Match, *, all_steps: bool) -> None:
    """Checks what holds for every analysis."""
    steps = [candidate.step for candidate in analysis.candidates]
    assert len(set(steps)) == len(steps)
    assert set(steps) <= set(match.legal_steps)
    assert len(steps) == (len(match.legal_steps) if all_steps else 1)
    assert -1 <= analysis.value <= 1
    values = [candidate.value for candidate in analysis.candidates]
    assert all(-1 <= value <= 1 for value in values)
    assert values[1:] == sorted(values[1:], reverse=True)
    shares = [candidate.share for candidate in analysis.candidates]
    if all_steps and shares[0] is not None:
        assert sum(shares) == pytest.approx(1)
    for candidate in analysis.candidates:
        begun = match.copy()
        begun.push_turn(candidate.line[0])
        assert begun.steps[len(match.steps)] == candidate.step
        play_line(match, candidate.line)


@first_by_default
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("name", "options"), few_first(VARIANTS), ids=lambda value: str(value)[:40])
def test_every_step_has_a_value_and_a_line_that_can_be_played(make_bot, name, options, spec):
    game = load_game(name, **options)
    bot = make_bot(spec, game)
    for match in [*matches(game, 4 // MANY, spec), *some_positions(game, 6, spec)[::MANY]]:
        before, keys = match.position, match.steps
        check(bot.analyse(match, all_steps=True), match, all_steps=True)
        check(bot.analyse(match), match, all_steps=False)
        assert (match.position, match.steps) == (before, keys)


@first_by_default
@pytest.mark.parametrize(("name", "options"), few_first(VARIANTS), ids=lambda value: str(value)[:40])
def test_alphabeta_finds_which_steps_win(name, options):
    game = load_game(name, **options)
    bot, decided, chains = load_bot("alphabeta:3", game, seed=1), 0, 0
    for match in some_positions(game, max(40, 2 * len(game.board.points)), "endings")[::MANY]:
        analysis = bot.analyse(match, all_steps=True)
        for candidate in analysis.candidates:
            truth = solve_step(match.copy(), candidate.step, 2)
            if truth in (1, -1):
                assert candidate.value == truth, (match.position, candidate)
                end = play_line(match, candidate.line)
                assert end.outcome is not None
                assert end.outcome.winner == (match.player if truth == 1 else 1 - match.player)
                decided += 1
                chains += match.chain is not None
        if solve(match.copy(), 2) == 1:
            assert analysis.value == analysis.candidates[0].value == 1
    # In a hunt no random match is near its end for long, and after drops few are.
    assert decided > 5 / MANY or game.has_roles or game.schedule
    assert chains > 2 / MANY or game.rules.chain == "single" or game.schedule


@first_by_default
@pytest.mark.parametrize("name", ["alquerque_murray", "fetaix", "awithlaknannai_mosona"])
@pytest.mark.parametrize("spec", [spec for spec in SPECS if not spec.startswith("alphabeta")])
def test_a_step_that_ends_the_match_is_worth_the_result(make_bot, name, spec):
    game = load_game(name)
    bot, ends, chains = make_bot(spec, game), 0, 0
    for match in some_positions(game, 40, "ends", most=4):
        for candidate in bot.analyse(match, all_steps=True).candidates:
            after = match.copy()
            after.push(candidate.step)
            if after.is_over:
                assert candidate.value == solve_step(match.copy(), candidate.step, 0)
                ends += 1
                chains += match.chain is not None
    assert ends > 5
    assert chains > 0


@first_by_default
@pytest.mark.parametrize("spec", SPECS)
def test_the_best_candidate_is_what_the_bot_plays(make_bot, spec):
    game = load_game("alquerque_murray")
    for match in (match for match in matches(game, 12, spec) if len(match.legal_steps) > 1):
        bot, twin = make_bot(spec, game, 5), make_bot(spec, game, 5)
        step, found = bot.choose(match), twin.analyse(match, all_steps=True)
        if spec.startswith("mcts"):  # breaks ties at random
            assert max(one.share for one in found.candidates) == next(
                one.share for one in found.candidates if one.step == step
            )
        else:
            assert step == found.best.step or (
                spec.startswith("alphabeta") and found.candidates[1].value == found.value
            )


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_seed_gives_the_same_analysis(make_bot, spec):
    game = load_game("fetaix")
    match = matches(game, 3, 5)[-1]
    for all_steps in (False, True):
        one, other = (make_bot(spec, game, 9).analyse(match, all_steps=all_steps) for _ in range(2))
        assert one == other


@first_by_default
@pytest.mark.parametrize("all_steps", [False, True])
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.slow
def test_a_stop_from_another_thread_ends_the_search(make_bot, spec, all_steps):
    game = load_game("alquerque")
    match, bot, stop = Match(game), make_bot(spec, game), threading.Event()
    bot.analyse(match, Limits(nodes=1), all_steps=all_steps)  # compiles
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    limits = Limits(depth=99, nodes=None if spec.startswith("alphabeta") else 10**7, stop=stop)
    analysis = bot.analyse(match, limits, all_steps=all_steps)
    timer.join()
    assert_cut_short(analysis, spec)
    check(analysis, match, all_steps=all_steps)


def assert_cut_short(analysis, spec: str) -> None:
    """Fails if a search of depth 99 and 10**7 nodes came to its end, which takes much longer than the stop."""
    if analysis.depth is None:
        assert analysis.nodes < (mcts if spec.startswith("mcts") else puct).MAX_SIMULATIONS
    else:
        assert analysis.depth < 99


@pytest.mark.parametrize("all_steps", [False, True])
@pytest.mark.parametrize("spec", SPECS)
def test_a_search_that_is_stopped_before_it_starts_has_a_result(make_bot, spec, all_steps):
    game, stop = load_game("fetaix"), threading.Event()
    stop.set()
    match, bot = Match(game), make_bot(spec, game)
    check(bot.analyse(match, Limits(stop=stop), all_steps=all_steps), match, all_steps=all_steps)
    check(bot.analyse(match, Limits(seconds=0), all_steps=all_steps), match, all_steps=all_steps)
    check(bot.analyse(match, Limits(nodes=0), all_steps=all_steps), match, all_steps=all_steps)


@pytest.mark.parametrize("all_steps", [False, True])
def test_a_node_limit_holds_within_the_first_turn(all_steps):
    """This turn and the captures after it have 300,000 positions."""
    game = load_game("awithlaknannai_mosona", chain="optional", capture_removal="end_of_turn")
    match = Match(game, "W:Wb1,d1,h1,l1,n1,p1,g2,k2,m2,o2,q2:Bj1,a2,c2,e2,b3,d3,f3,h3,j3,l3,n3,p3:Cg2:Xe2")
    found = load_bot("alphabeta:2", game, seed=1).analyse(match, Limits(nodes=100), all_steps=all_steps)
    assert (found.depth, found.nodes) == (0, 0)
    check(found, match, all_steps=all_steps)


@first_by_default
@pytest.mark.parametrize("spec", SPECS)
def test_a_time_limit_ends_an_analysis(make_bot, spec):
    """One that is asked for, and that of a bot that has one."""
    game = load_game("fetaix")
    match, bot = Match(game), make_bot(spec, game)
    bot.analyse(match, Limits(nodes=1))  # compiles
    found = [bot.analyse(match, Limits(seconds=0.1, depth=99, nodes=10**7))]
    if not spec.startswith("network"):
        bot.time_limit = 0.1
        found.append(bot.analyse(match, Limits(depth=99, nodes=10**7)))
    for analysis in found:
        assert_cut_short(analysis, spec)
        check(analysis, match, all_steps=False)


@first_by_default
@pytest.mark.parametrize("spec", SPECS)
def test_a_node_limit_holds(make_bot, spec):
    game = load_game("fetaix")
    match, bot = Match(game), make_bot(spec, game)
    for nodes in (400, 900) if JIT else (200,):
        found = bot.analyse(match, Limits(nodes=nodes, depth=99)).nodes
        # Alpha-beta counts those after which it found something.
        assert (nodes / 3 < found <= nodes) if spec.startswith("alphabeta") else (found == nodes)


def test_all_steps_are_searched_to_the_same_depth_when_the_search_is_cut_short():
    """As if the search had been asked for that depth in the first place."""
    game = load_game("alquerque_murray")
    for match in matches(game, 5, "depth"):
        for nodes in (200, 300, 2_000):
            found = load_bot("alphabeta:9", game, seed=1).analyse(match, Limits(nodes=nodes), all_steps=True)
            if found.depth == 0:
                continue
            again = load_bot("alphabeta:9", game, seed=1).analyse(match, Limits(depth=found.depth), all_steps=True)
            values = [(one.step, one.value) for one in found.candidates]
            assert values == [(one.step, one.value) for one in again.candidates]


@pytest.mark.parametrize("all_steps", [False, True])
def test_a_depth_limit_may_exceed_the_depth_of_the_bot(all_steps):
    """On a full board there is but one line, and it is as long as the search is deep."""
    game = load_game("alquerque_murray", no_moves="pass", no_progress_limit=200)
    labels = game.board.labels
    match = Match(game, f"W:W{','.join(labels[:13])}:B{','.join(labels[13:])}")
    found = load_bot("alphabeta:1", game, seed=1).analyse(match, Limits(depth=99), all_steps=all_steps)
    assert found.depth == 99
    assert found.best.line == ("pass",) * 99


@pytest.mark.parametrize("spec", SPECS)
def test_the_search_reports_as_it_goes(make_bot, spec):
    game = load_game("fetaix")
    match, told = Match(game), []
    nodes = 20_000 if spec.startswith("alphabeta") else 2_000 if spec.startswith("mcts") and JIT else 20
    analysis = make_bot(spec, game).analyse(match, Limits(nodes=nodes), report=told.append)
    assert told or spec == "network"
    nodes = [report.nodes for report in told]
    assert nodes == sorted(nodes)
    assert nodes[-1] <= analysis.nodes
    if spec.startswith("alphabeta"):
        assert [report.depth for report in told] == list(range(1, analysis.depth + 1))


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_a_bot_that_does_not_evaluate_says_so(spec):
    match = Match(load_game("fetaix"))
    bot = load_bot(spec, match.game)
    assert not bot.can_analyse
    with pytest.raises(BotError, match=f"^{spec} does not evaluate positions; choose a bot that searches, such as "):
        bot.analyse(match)


@pytest.mark.parametrize("limits", [{"seconds": -1}, {"seconds": float("nan")}, {"depth": 0}, {"nodes": -1}])
def test_limits_are_checked(limits):
    with pytest.raises(BotError, match=r"^the limit of \w+ is .*, expected \d or more$"):
        Limits(**limits)
