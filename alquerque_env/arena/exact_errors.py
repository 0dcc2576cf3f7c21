"""Measures players by exact values: how often they choose wrongly where that is possible, and what they lose by it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..batch.batch import HOLD, PLAY, RESET
from ..batch.make_batch import make_batch
from ..bots.bot import Bot
from ..bots.load import as_bot
from ..bots.policy import Policy
from ..errors import TableError, UnknownNameError
from ..game import state_layout as STATE
from ..game.array_check import check_at_least
from ..game.game import Game, GameId, as_game
from ..game.outcomes import ONGOING
from ..match.match import Match
from ..match.records import Record
from ..search import SearchFeatures
from ..solve.tables import EndgameTable
from ..solve.tables.whole import large_table, present_large_table
from .match_runner import choose_many
from .score import Estimate, estimate_by_bootstrap, estimate_share

PLAYERS = "random", "material:0", "material:1", "material:2"
"""Who plays: steps at random, or those that gain most pieces after so many further turns and all captures."""
RANDOM_STEPS = 0.2
"""Share of the steps that those who search draw at random."""
LONGEST = 256
"""Steps after which a match is broken off."""

_MATCHES = 1024  # in a lot
_FEWEST = 0.02  # share of new positions in a lot below which matches lead to hardly any others
_DEPTHS = len(PLAYERS) - 1


def natural_states(game: Game | GameId, count: int, *, seed: int = 0) -> np.ndarray:
    """Positions of matches between weak and middling players, in which there is a choice.

    Each side of each match draws one of `PLAYERS`. Those who search take a random step every fifth time, and draw
    among equal steps. No two positions differ in the plies without progress alone; that number is as in the match.

    Example:
      >>> natural_states("felli_simplified", 1000).shape
      (1000, 9)

    Args:
      game: The game, its id, or the path of a game file.
      count: How many different positions; fewer are returned where matches lead to hardly any others.
      seed: Seed of the matches.

    Returns:
      int64 `[N, S]`, states as in `Match.state`.

    Raises:
      AlquerqueError: If `count` is not a positive integer, or `seed` not a natural number.
      RulesError: If the board has too many points for the compiled search.
    """
    parts, left = [], check_at_least(1, "count", count)
    for states in natural_lots(as_game(game), seed):
        parts.append(states[:left])
        left -= len(parts[-1])
        if not left:
            break
    return np.concatenate(parts)


def natural_lots(game: Game, seed: int) -> Iterator[np.ndarray]:
    """Yields different positions, see `natural_states`, as those of one lot of matches after another, shuffled."""
    generator = np.random.default_rng(check_at_least(0, "seed", seed))
    seen: set[bytes] = set()
    number_of_new, visited = 1, 1
    while number_of_new >= _FEWEST * visited:
        states = _play_matches(game, generator)
        clockless = states.copy()
        clockless[:, STATE.QUIET] = 0
        new = {state.tobytes(): place for place, state in reversed(list(enumerate(clockless)))}
        places = [place for key, place in new.items() if key not in seen]
        seen.update(new)
        number_of_new, visited = len(places), len(states)
        yield states[generator.permutation(np.array(places, np.int64))]


def _play_matches(game: Game, generator: np.random.Generator) -> np.ndarray:
    """Plays a lot of matches; returns their positions with a choice."""
    batch, swings = make_batch(game, _MATCHES), SearchFeatures(game)
    depths = generator.integers(-1, _DEPTHS, size=(_MATCHES, 2))  # how far each player searches, -1 for random steps
    seen = batch.step(np.zeros(_MATCHES, np.int64), np.full(_MATCHES, RESET, np.int8))
    states = [np.zeros((0, len(game.table.start)), np.int64)]
    for _ in range(LONGEST):
        is_ongoing = seen.outcome == ONGOING
        if not is_ongoing.any():
            break
        has_choice = is_ongoing & (seen.mask.sum(1) > 1)
        states.append(np.array(batch.states[has_choice], np.int64))
        depth = depths[np.arange(_MATCHES), seen.player]
        depth[~has_choice | (generator.random(_MATCHES) < RANDOM_STEPS)] = -1
        scores = generator.random(seen.mask.shape) - np.where(seen.mask == 1, 0, 1)
        for turns in range(_DEPTHS):
            asked = depth == turns
            scores[asked] += swings(seen.observation[asked], turns)
        seen = batch.step(scores.argmax(1), np.where(is_ongoing, PLAY, HOLD).astype(np.int8))
    return np.concatenate(states)


KINDS = UNIFORM, NATURAL = "uniform", "natural"
"""Positions drawn uniformly from all, or from matches."""
ENDINGS = "endings"
"""Positions from matches with as many pieces as a table of few pieces knows."""
POSITIONS = 20_000
_RESAMPLES = 1_000
_AT_ONCE = 4_096
_MISSES = 20  # lots without a critical position after which a table has none
ILLEGAL = -9  # in place of the value of an action that is not legal
_WORST = 2  # the most value that a choice can lose, from a win to a loss


@dataclass(frozen=True)
class ExactErrors:
    """What a player's choices lose in critical positions, those in which some step loses value.

    Attributes:
      positions: How many critical positions it was asked in.
      wrong: Share of choices that lose value, with Wilson's interval.
      regret: Mean value lost by a choice, from 0 to 2, with a bootstrap interval.
      chance: Share of random steps that lose value.
    """

    positions: int
    wrong: Estimate
    regret: Estimate
    chance: float


def measure_errors(
    player: str | Bot | Policy,
    game: Game | GameId,
    positions: int | Sequence[str] = POSITIONS,
    *,
    kind: str = UNIFORM,
    observation: str = "planes",
    batched: bool = False,
    table: EndgameTable | None = None,
    seed: int = 0,
) -> ExactErrors:
    """Measures the errors of a player in positions of an endgame table.

    Example:
      >>> measure_errors("greedy", "felli_simplified", 500).positions
      500

    Args:
      player: A bot's spec, a bot, or a function from an observation and an action mask to an action, see `PolicyBot`.
        It looks up no table, but for `perfect`.
      game: The game, its id, or the path of a game file.
      positions: How many critical positions to draw; or texts of positions, of which those are used that are critical
        and have known values.
      kind: "uniform" draws from all positions of the table, some perhaps more than once; "natural" different ones from
        matches, or fewer where these lead to no more, see `natural_states`; "endings" those of them with the most
        pieces of the table.
      observation: "planes", "grid" or "flat": the form of the observations that a function receives.
      batched: Whether a function takes many positions at once, see `PolicyBot`.
      table: The table; None for that of the whole game, or the largest in the user's cache directory.
      seed: Seed of the positions, the intervals and the random choices of a bot.

    Returns:
      The share of wrong choices and what they cost, with 95% intervals.

    Raises:
      TableError: If there is no table, or it has no critical positions.
      UnknownNameError: If there is no such kind of positions or form of observations.
      PositionError: If a text is no position of the game.
      BotError: If the spec names no bot, or the player answers with an illegal action.
    """
    rules = as_game(game)
    found = large_table(rules) if table is None else table
    bot = as_bot(player, rules, seed=seed, observation=observation, batched=batched)
    if isinstance(positions, int):
        states, values = draw_critical(found, check_at_least(1, "positions", positions), kind, seed)
    else:
        matches = [Match(rules, text) for text in positions]
        ongoing = np.array([match.state for match in matches if not match.is_over], np.int64)
        states, values = _keep_critical(found, ongoing.reshape(-1, len(rules.table.start)))
        if not len(states):
            raise TableError("no step loses value in any of the positions, or their values are not known")
    chosen = []
    for first in range(0, len(states), _AT_ONCE):
        asked = Match.of_engine(rules, states[first : first + _AT_ONCE])
        chosen += [step.action for step in choose_many(bot, asked)]
    return summarise_choices(values, np.array(chosen, np.int64), seed)


def summarise_choices(values: np.ndarray, chosen: np.ndarray, seed: int) -> ExactErrors:
    """The errors of choices in critical positions.

    Args:
      values: int64 `[N, A]`, see `draw_critical`.
      chosen: int64 `[N]`, actions; -1 counts as the worst one.
      seed: Seed of the interval of the regret.
    """
    return summarise_losses(find_losses(values, chosen), find_chance(values), seed)


def find_losses(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The value that each choice loses, int64 `[N]`, 0 to 2; arguments as of `summarise_choices`."""
    worst = np.where(values > ILLEGAL, values, _WORST).min(1)
    kept = np.where(chosen < 0, worst, values[np.arange(len(values)), chosen])
    losses: np.ndarray = values.max(1) - kept
    return losses


def find_chance(values: np.ndarray) -> float:
    """The share of random steps that lose value in critical positions, see `draw_critical`."""
    return float((find_losing(values).sum(1) / (values > ILLEGAL).sum(1)).mean())


def find_losing(values: np.ndarray) -> np.ndarray:
    """Which legal actions lose value, bool `[N, A]`, of the values of all, int64 `[N, A]`, see `draw_critical`."""
    losing: np.ndarray = (values < values.max(1, initial=ILLEGAL)[:, None]) & (values > ILLEGAL)
    return losing


def summarise_losses(losses: np.ndarray, chance: float, seed: int) -> ExactErrors:
    """The errors of choices that lost some values, int64 `[N]`."""
    counts = np.bincount(losses, minlength=_WORST + 1)
    wrong = estimate_share(int(counts[1:].sum()), len(losses))
    return ExactErrors(len(losses), wrong, _estimate_regret(counts, seed), chance)


@lru_cache(maxsize=len(KINDS))  # a training is measured again and again in the same positions
def draw_critical(table: EndgameTable, count: int, kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draws critical positions: int64 `[count, S]` and the values of their actions, int64 `[count, A]`.

    Values are 1, 0 or -1 for the player to move, and `ILLEGAL` for actions that are not legal. Where matches lead to
    fewer natural positions, fewer are returned.

    Raises:
      TableError, UnknownNameError: As `measure_errors`.
    """
    if kind not in (*KINDS, ENDINGS):
        raise UnknownNameError("kind of positions", kind, (*KINDS, ENDINGS))
    found: list[tuple[np.ndarray, np.ndarray]] = []
    drawn, missed = 0, 0
    for states in uniform_lots(table, seed) if kind == UNIFORM else natural_lots(table.game, seed):
        asked = states[_count_pieces(states) == table.pieces] if kind == ENDINGS else states
        found.append(_keep_critical(table, asked))
        drawn += len(found[-1][0])
        missed = 0 if len(found[-1][0]) else missed + 1
        if drawn >= count or missed == _MISSES:
            break
    if not drawn:
        raise TableError(f"no step loses value in {len(found)} lots of positions of the table of {table.game.name}")
    states, values = (np.concatenate(parts)[:count] for parts in zip(*found, strict=True))
    return states, values


def uniform_lots(table: EndgameTable, seed: int) -> Iterator[np.ndarray]:
    """Yields positions of a table, drawn uniformly, without end."""
    generator = np.random.default_rng(seed)
    while True:
        yield table.sample(_AT_ONCE, generator)


def _count_pieces(states: np.ndarray) -> np.ndarray:
    counts: np.ndarray = np.bitwise_count(states[:, STATE.MEN : STATE.PLAYER].astype(np.uint64)).sum(1)
    return counts


def _keep_critical(table: EndgameTable, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of states, those in which all values are known and some step loses value: int64 `[N, S]`, `[N, A]` values."""
    values, is_known = judge(table, states)
    kept = is_known & find_losing(values).any(1)
    return states[kept], values[kept]


def judge(table: EndgameTable, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values of actions, int64 `[N, A]` as in `draw_critical`, and bool `[N]`, whether all legal ones are known."""
    after = table.action_values(states)
    legal = make_batch(table.game, len(states)).set(states).mask == 1 if len(states) else after.known
    return np.where(legal, after.value.astype(np.int64), ILLEGAL), (after.known == legal).all(1)


def _estimate_regret(counts: np.ndarray, seed: int) -> Estimate:
    """The mean of values lost, of which `counts` says how often each occurred.

    The resamples also draw from one value of the worst, so that a loss that was never seen is not ruled out.
    """
    number, lost = counts.sum(), np.arange(len(counts))
    widened = counts + (lost == _WORST)
    drawn = np.random.default_rng(seed).multinomial(number, widened / widened.sum(), size=_RESAMPLES)
    (regret,) = estimate_by_bootstrap([counts @ lost / number], (drawn @ lost / number)[:, None])
    return regret


@dataclass(frozen=True)
class RecordScore:
    """What the steps of a player lose in the recorded matches of a game with the same options.

    Attributes:
      player: The name of the player.
      game: The game and its chosen options, such as `pretwa capture=optional`.
      matches: How many matches the player played.
      moves: How many steps, where there was a choice.
      known: How many of them were made where the values of all steps are known.
      regret: Mean value lost by these steps, from 0 to 2; None if there are none.
      critical: The errors where some step loses value; None if there are no such steps.
    """

    player: str
    game: str
    matches: int
    moves: int
    known: int
    regret: float | None
    critical: ExactErrors | None


def score_records(records: Iterable[Record]) -> list[RecordScore]:
    """Scores the steps of all players in recorded matches, by the largest table of each game that is present."""
    found: dict[tuple[str, str], list[tuple[int, np.ndarray, np.ndarray]]] = {}
    for record in records:
        match, game = record.match.copy(), record.match.game
        table = present_large_table(game)
        steps: tuple[list[tuple[list[int], int]], list[tuple[list[int], int]]] = ([], [])
        for step in reversed(match.steps):
            match.pop()
            if len(match.legal_steps) > 1:
                steps[match.player].append(([int(word) for word in match.state], step.action))
        name = " ".join([game.name, *game.option_texts])
        for player, made in zip((record.south, record.north), steps, strict=True):
            states = np.array([state for state, _ in made], np.int64).reshape(len(made), -1)
            chosen = np.array([action for _, action in made], np.int64)
            values = np.zeros((0, game.num_actions), np.int64)
            if table is not None and made:
                values, is_known = judge(table, states)
                values, chosen = values[is_known], chosen[is_known]
            found.setdefault((player, name), []).append((len(made), values, chosen[: len(values)]))
    return [_score(player, name, parts) for (player, name), parts in found.items()]


def _score(player: str, name: str, parts: list[tuple[int, np.ndarray, np.ndarray]]) -> RecordScore:
    moves, values, chosen = zip(*parts, strict=True)
    all_values, all_chosen = np.concatenate(values), np.concatenate(chosen)
    known = len(all_chosen)
    critical, regret = None, None
    if known:
        regret = float((all_values.max(1) - all_values[np.arange(known), all_chosen]).mean())
        is_critical = find_losing(all_values).any(1)
        if is_critical.any():
            critical = summarise_choices(all_values[is_critical], all_chosen[is_critical], seed=0)
    return RecordScore(player, name, len(parts), sum(moves), known, regret, critical)
