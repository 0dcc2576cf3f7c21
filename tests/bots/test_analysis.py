"""What bots say they think: against looking at everything, in whole turns, within their limits."""

import random
import threading
import time
from functools import cache
from pathlib import Path

import pytest

from alquerque_env import Match, games, load_bot, load_game
from alquerque_env.bots import Limits
from alquerque_env.bots.turns import push_turn
from alquerque_env.errors import BotError, IllegalStepError
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import JIT

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
def thinker(tmp_path_factory):
    """Makes bots; `network` is one that knows nothing yet, a new one for each game."""

    @cache
    def checkpoint(game: Game) -> Path:
        pytest.importorskip("torch")
        from test_torch_bot import save_random_checkpoint

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


def random_positions(game: Game, count: int, seed: object) -> list[Match]:
    """Positions from the begin, the middle and the end of random matches."""
    rng = random.Random(f"{seed}")
    found: list[Match] = []
    match = Match(game)
    while len(found) < count:
        if rng.random() < 0.15 or match.chain is not None:
            found.append(match.copy())
        match.push(rng.choice(match.legal_steps))
        if match.is_over:
            match = Match(game)
    return found


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
        value = solve(match, turns - (match.chain is None))
        values.append(value if value is None or match.player == player else -value)
        match.pop()
        if values[-1] == 1:
            return 1
    return None if None in values else max(values)


def solve_step(match: Match, step, turns: int) -> int | None:
    player = match.player
    match.push(step)
    value = solve(match, turns - (match.chain is None))
    value = value if value is None or match.player == player else -value
    match.pop()
    return value


def play_line(match: Match, line: tuple[str, ...]) -> Match:
    """The match after a line; every turn of it must be legal and whole."""
    ahead = match.copy()
    for turn in line:
        push_turn(ahead, turn)
        assert ahead.chain is None
    return ahead


def check(thought, match: Match, *, every: bool) -> None:
    """What holds of every thought."""
    steps = [candidate.step for candidate in thought.candidates]
    assert len(set(steps)) == len(steps)
    assert set(steps) <= set(match.legal_steps)
    assert len(steps) == (len(match.legal_steps) if every else 1)
    assert -1 <= thought.value <= 1
    values = [candidate.value for candidate in thought.candidates]
    assert all(-1 <= value <= 1 for value in values)
    assert values[1:] == sorted(values[1:], reverse=True)
    shares = [candidate.share for candidate in thought.candidates]
    if every and shares[0] is not None:
        assert sum(shares) == pytest.approx(1)
    for candidate in thought.candidates:
        begun = match.copy()
        push_turn(begun, candidate.line[0])
        assert begun.steps[len(match.steps)] == candidate.step
        play_line(match, candidate.line)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda value: str(value)[:40])
def test_every_step_has_a_value_and_a_line_that_can_be_played(thinker, name, options, spec):
    game = load_game(name, **options)
    bot = thinker(spec, game)
    for match in [*random_positions(game, 4 // MANY, spec), *some_positions(game, 6, spec)[::MANY]]:
        before, keys = match.position, match.steps
        check(bot.think(match, every=True), match, every=True)
        check(bot.think(match), match, every=False)
        assert (match.position, match.steps) == (before, keys)


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda value: str(value)[:40])
def test_alphabeta_knows_of_every_step_whether_it_wins(name, options):
    game = load_game(name, **options)
    bot, decided, chains = load_bot("alphabeta:3", game, seed=1), 0, 0
    for match in some_positions(game, 40, "endings")[::MANY]:
        thought = bot.think(match, every=True)
        for candidate in thought.candidates:
            truth = solve_step(match.copy(), candidate.step, 2)
            if truth in (1, -1):
                assert candidate.value == truth, (match.position, candidate)
                end = play_line(match, candidate.line)
                assert end.outcome is not None
                assert end.outcome.winner == (match.player if truth == 1 else 1 - match.player)
                decided += 1
                chains += match.chain is not None
        if solve(match.copy(), 2) == 1:
            assert thought.value == thought.candidates[0].value == 1
    assert decided > 5 / MANY
    assert chains > 2 / MANY or game.rules.chain == "single"


@pytest.mark.parametrize("name", ["alquerque_murray", "fetaix", "awithlaknannai_mosona"])
@pytest.mark.parametrize("spec", [spec for spec in SPECS if not spec.startswith("alphabeta")])
def test_a_step_that_ends_the_match_is_worth_the_result(thinker, name, spec):
    game = load_game(name)
    bot, ends, chains = thinker(spec, game), 0, 0
    for match in some_positions(game, 40, "ends", most=4):
        for candidate in bot.think(match, every=True).candidates:
            after = match.copy()
            after.push(candidate.step)
            if after.is_over:
                assert candidate.value == solve_step(match.copy(), candidate.step, 0)
                ends += 1
                chains += match.chain is not None
    assert ends > 5
    assert chains > 0


@pytest.mark.parametrize("name", ["alquerque_murray", "fetaix"])
def test_a_network_sees_a_step_in_a_chain_with_the_same_eyes_and_one_that_ends_the_turn_with_the_others(thinker, name):
    game = load_game(name)
    bot, kept, turned = thinker("network", game), 0, 0
    for match in some_positions(game, 30, "eyes"):
        for candidate in bot.think(match, every=True).candidates:
            after = match.copy()
            after.push(candidate.step)
            if after.is_over:
                continue
            value = bot.evaluate(after)[1]
            is_kept = after.player == match.player
            assert candidate.value == pytest.approx(value if is_kept else -value)
            kept += is_kept
            turned += not is_kept
    assert kept > 3
    assert turned > 3


@pytest.mark.parametrize("spec", SPECS)
def test_a_bot_thinks_best_of_what_it_plays(thinker, spec):
    game = load_game("alquerque_murray")
    for match in (match for match in random_positions(game, 12, spec) if len(match.legal_steps) > 1):
        bot, twin = thinker(spec, game, 5), thinker(spec, game, 5)
        step, found = bot.choose(match), twin.think(match, every=True)
        if spec.startswith("mcts"):  # breaks ties at random
            assert max(one.share for one in found.candidates) == next(
                one.share for one in found.candidates if one.step == step
            )
        else:
            assert step == found.best.step or (
                spec.startswith("alphabeta") and found.candidates[1].value == found.value
            )


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_seed_thinks_the_same(thinker, spec):
    game = load_game("fetaix")
    match = random_positions(game, 3, 5)[-1]
    for every in (False, True):
        one, other = (thinker(spec, game, 9).think(match, every=every) for _ in range(2))
        assert one == other


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("spec", SPECS)
def test_a_stop_from_another_thread_is_answered_at_once(thinker, spec, every):
    game = load_game("alquerque")
    match, bot, stop = Match(game), thinker(spec, game), threading.Event()
    bot.think(match, Limits(nodes=1), every=every)  # compiles
    stopped: list[float] = []

    def set_stop() -> None:
        stopped.append(time.process_time())
        stop.set()

    timer = threading.Timer(0.3, set_stop)
    timer.start()
    limits = Limits(depth=99, nodes=None if spec.startswith("alphabeta") else 10**7, stop=stop)
    thought = bot.think(match, limits, every=every)
    # Of this process, since others may keep it from its work.
    late = time.process_time() - stopped[0]
    timer.join()
    assert late < (0.5 if JIT else 5)
    check(thought, match, every=every)


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("spec", SPECS)
def test_a_bot_that_is_stopped_before_it_begins_answers_all_the_same(thinker, spec, every):
    game, stop = load_game("fetaix"), threading.Event()
    stop.set()
    match, bot = Match(game), thinker(spec, game)
    check(bot.think(match, Limits(stop=stop), every=every), match, every=every)
    check(bot.think(match, Limits(seconds=0), every=every), match, every=every)
    check(bot.think(match, Limits(nodes=0), every=every), match, every=every)


@pytest.mark.parametrize("every", [False, True])
def test_not_even_one_turn_of_endless_captures_keeps_a_bot_that_is_stopped(every):
    """To look at all that this turn and the captures after it can be takes 300,000 positions."""
    game = load_game("awithlaknannai_mosona", chain="optional", capture_removal="end_of_turn")
    match = Match(game, "W:Wb1,d1,h1,l1,n1,p1,g2,k2,m2,o2,q2:Bj1,a2,c2,e2,b3,d3,f3,h3,j3,l3,n3,p3:Cg2:Xe2")
    found = load_bot("alphabeta:2", game, seed=1).think(match, Limits(nodes=100), every=every)
    assert (found.depth, found.nodes) == (0, 0)
    check(found, match, every=every)


@pytest.mark.parametrize("spec", SPECS)
def test_the_time_is_kept(thinker, spec):
    game = load_game("fetaix")
    match, bot = Match(game), thinker(spec, game)
    bot.think(match, Limits(nodes=1))
    begin = time.monotonic()
    check(bot.think(match, Limits(seconds=0.2, depth=99, nodes=10**7)), match, every=False)
    assert 0.19 <= time.monotonic() - begin < 8


@pytest.mark.parametrize("spec", SPECS)
def test_the_number_of_nodes_is_kept(thinker, spec):
    game = load_game("fetaix")
    match, bot = Match(game), thinker(spec, game)
    for nodes in (400, 900) if JIT else (200,):
        found = bot.think(match, Limits(nodes=nodes, depth=99)).nodes
        # Alpha-beta counts those after which it found something.
        assert nodes / 3 < found <= nodes if spec.startswith("alphabeta") else found == nodes


def test_every_step_is_looked_at_to_the_same_depth_however_soon_the_search_ends():
    """As if the search had been asked for that depth in the first place."""
    game = load_game("alquerque_murray")
    for match in random_positions(game, 5, "depth"):
        for nodes in (200, 300, 2_000):
            found = load_bot("alphabeta:9", game, seed=1).think(match, Limits(nodes=nodes), every=True)
            if found.depth == 0:
                continue
            again = load_bot("alphabeta:9", game, seed=1).think(match, Limits(depth=found.depth), every=True)
            values = [(one.step, one.value) for one in found.candidates]
            assert values == [(one.step, one.value) for one in again.candidates]


@pytest.mark.parametrize("every", [False, True])
def test_a_bot_can_be_asked_to_look_deeper_than_it_does(every):
    """On a full board there is but one line, and it is as long as the search is deep."""
    game = load_game("alquerque_murray", no_moves="pass", no_progress_limit=200)
    labels = game.board.labels
    match = Match(game, f"W:W{','.join(labels[:13])}:B{','.join(labels[13:])}")
    found = load_bot("alphabeta:1", game, seed=1).think(match, Limits(depth=99), every=every)
    assert found.depth == 99
    assert found.best.line == ("pass",) * 99


@pytest.mark.parametrize("spec", SPECS)
def test_the_search_reports_as_it_goes(thinker, spec):
    game = load_game("fetaix")
    match, told = Match(game), []
    nodes = 20_000 if spec.startswith("alphabeta") else 2_000 if spec.startswith("mcts") and JIT else 20
    thought = thinker(spec, game).think(match, Limits(nodes=nodes), report=told.append)
    assert told or spec == "network"
    nodes = [report.nodes for report in told]
    assert nodes == sorted(nodes)
    assert nodes[-1] <= thought.nodes
    if spec.startswith("alphabeta"):
        assert [report.depth for report in told] == list(range(1, thought.depth + 1))


def test_the_score_of_alphabeta_is_that_of_its_analysis():
    game = load_game("fetaix")
    for match in some_positions(game, 10, "score"):
        thought = load_bot("alphabeta:3", game, seed=1).think(match)
        found = load_bot("alphabeta:3", game, seed=1).analyse(match)
        assert (thought.score, thought.value, thought.depth) == (found.score, found.value, found.depth)


@pytest.mark.parametrize("spec", ["random", "greedy"])
def test_a_bot_that_does_not_evaluate_says_so(spec):
    match = Match(load_game("fetaix"))
    bot = load_bot(spec, match.game)
    assert not bot.can_think
    with pytest.raises(BotError, match=f"^{spec} does not evaluate positions; choose a bot that searches, such as "):
        bot.think(match)


@pytest.mark.parametrize("spec", SPECS)
def test_what_cannot_be_played_cannot_be_thought_about(thinker, spec):
    over = Match(load_game("alquerque"), "W:Wa1:Bb2")
    over.push("a1xc3")
    bot = thinker(spec, over.game)
    assert bot.can_think
    with pytest.raises(BotError, match="the match is over"):
        bot.think(over)
    with pytest.raises(BotError, match="plays"):
        bot.think(Match(load_game("fetaix")))


@pytest.mark.parametrize("limits", [{"seconds": -1}, {"seconds": float("nan")}, {"depth": 0}, {"nodes": -1}])
def test_limits_are_checked(limits):
    with pytest.raises(BotError, match=r"^the limit of \w+ is .*, expected \d or more$"):
        Limits(**limits)


def test_a_turn_is_whole_or_refused():
    match = Match(load_game("alquerque_murray"), "W:Wa1,e1:Bb2,b3,e5")
    push_turn(match, "a1xc3")
    assert (match.player, match.chain) == (1, None)
    chained = Match(load_game("alquerque"), "W:Wa1,e1:Bb2,b3,e5")
    before = chained.position
    with pytest.raises(IllegalStepError, match=r"^a1xc3 is not a whole turn in .W:.*.: then c3xa3 must follow$"):
        push_turn(chained, "a1xc3")
    assert chained.position == before
