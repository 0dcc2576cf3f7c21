"""Checks a result that somebody else has measured: against the files of the protocol, and its numbers with each other.

The file of a result holds counts, as shares of known numbers of positions and as won, drawn and lost matches. Shares,
losses, ratings and most intervals follow from them and are computed again. Intervals of scores and ratings do not
follow, because they depend on the points of each opening; they must contain their value. Numbers that are wrong and fit
each other are found only by asking the agent again.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import numpy as np

from ..arena.arena_result import ANCHOR, round_numbers
from ..arena.exact_errors import (
    ILLEGAL,
    KINDS,
    ExactErrors,
    count_losses,
    find_chance as find_chance_of_errors,
    summarise_losses,
)
from ..arena.intervals import Estimate, count_of, estimate_share
from ..arena.progress import Watch, unwatched
from ..arena.ratings import fit_ratings
from ..bots.shipped import shipped_bots
from ..errors import BenchmarkError, UnknownNameError, require
from ..files.schema import show
from ..game.game import games, load_text
from ..solve.tables import EndgameTable
from .against_ladder import Opponents
from .against_truth import MISTAKES, Share, Truth, ask_all, estimate_loss, find_chance, name_mistake, summarise
from .agent_facts import find_checkpoint, read_facts
from .agent_result import GameResult, Result, TrackedResult, TrackResult, read_file, round_number
from .agents.agent import Agent, find_agent
from .agents.fault_count import CheckedPlayer
from .calibration import Calibration
from .ladder import Ladder, read_ladder
from .protocol import Protocol, versions
from .puzzle_track import puzzle_errors
from .response import find_responses, response_errors
from .suite import Suite, SuitePosition, read_suite
from .tracks import Entry, ExactTrack, ask_in_critical_positions, draw_positions, find_entries, unpack_choices

_ROUNDED = 1e-4  # what numbers of five digits may differ by after a few operations
_ELO = 0.5  # what fits of the same ratings may differ by
_COMMAND = ["alquerque", "benchmark"]
_SAME = "makes the same choices again"
_FLIPPED = 0.001  # share of choices that may differ on a machine that rounds sums otherwise
_RESAMPLED = 0.2
"""What the ends of a bootstrap interval may differ by, as a share of its length, if the sample has another order."""


def check_file(path: Path, protocol: Protocol, note: Callable[[str], object] = lambda _: None) -> list[Result]:
    """Checks the results in a file.

    Args:
      path: The file.
      protocol: The protocol by which they were measured.
      note: Is called with a sentence for each setting whose table is missing. Its exact figures are not checked.

    Returns:
      The results.

    Raises:
      BenchmarkError: If the file is no result of the protocol, or its numbers do not fit each other.
      MissingExtraError: If choix is not installed.
      OSError: If it cannot be read.
    """
    require("choix", "arena")
    results = read_file(path)
    for result in results:
        for error in _find_errors(result, protocol, note):
            raise BenchmarkError(f"{str(path)!r}: {result.name}: {error}")
    return results


def check_choices(
    result: Result, spec: str, names: Sequence[str], protocol: Protocol, watch: Watch = unwatched
) -> dict[str, str]:
    """Asks an agent again in all positions of a result that `check_file` has accepted.

    An agent that draws its steps without a seed may choose otherwise within the intervals of the result. `names` are
    games or settings as the result names them; if there are none, all that can be asked again are.

    Returns:
      For each name what the agent did, such as "makes the same choices again".

    Raises:
      UnknownNameError: If the result does not have a name.
      BenchmarkError: If the agent has other weights, chooses otherwise, or is beaten where the result says that it is
        not; or the table of a setting in `names` is missing.
    """
    for name in names:
        if name not in result.games:
            raise UnknownNameError("game", name, result.games, of=f"the result of {result.name}")
    agent = find_agent(spec, protocol)
    found: dict[str, str] = {}
    try:
        if agent.facts.weights != result.facts.weights:
            raise BenchmarkError(f"{spec!r} has other weights than the result of {result.name}")
        entries = find_entries(_games_of(result), protocol, "kept") if isinstance(result, TrackedResult) else {}
        for name in dict.fromkeys(names or result.games):
            if not isinstance(result, TrackedResult):
                found[name] = _ask_in_suite(agent, name, result.games[name].truth, protocol, watch)
            elif entries[name].missing is not None and not names:
                found[name] = f"was not asked again: {entries[name].missing}"
            elif (table := entries[name].table) is None:
                found[name] = "was not asked again: there are no exact values"
            else:
                found[name] = _ask_again(agent, name, table, result.games[name], protocol, watch)
    finally:
        agent.close()
    return found


def _ask_in_suite(agent: Agent, name: str, told: Truth, protocol: Protocol, watch: Watch) -> str:
    game = load_text(name)
    player = CheckedPlayer(agent.open(game), protocol.limits)
    decisions = ask_all(player, game, read_suite(protocol, game).positions, watch)
    truth = summarise(decisions, protocol, has_roles=game.has_roles)
    now, before = truth.all.optimal, told.all.optimal
    if now.low > before.high or before.low > now.high:
        raise BenchmarkError(
            f"{name}: {agent.spec} now makes {now.value:.1%} optimal choices, the result says {before.value:.1%}"
        )
    if _rounded(truth) == _rounded(told):
        return _SAME
    return f"chooses otherwise: {now.value:.1%} are optimal now, {before.value:.1%} were; it may draw at random"


def _ask_again(
    agent: Agent, name: str, table: EndgameTable, told: TrackResult, protocol: Protocol, watch: Watch
) -> str:
    """Compares an agent's choices in all positions of a setting, and what the best response achieves, with a result."""
    before = told.exact
    assert before is not None
    player = CheckedPlayer(agent.open(table.game), protocol.limits)
    now, _ = ask_in_critical_positions(player, table, protocol, watch)
    asked = now.uniform.positions + now.natural.positions
    chosen, known = (unpack_choices(each.choices, asked) for each in (now, before))
    if chosen is not None and known is not None:
        changed = int(np.count_nonzero(chosen != known))
    else:  # the figures are of the same positions
        changed = 0 if all(_rounded(getattr(now, kind)) == _rounded(getattr(before, kind)) for kind in KINDS) else asked
    wrong = {kind: (getattr(now, kind).wrong, getattr(before, kind).wrong) for kind in KINDS}
    shares = " and ".join(f"in {a.value:.2%} of {kind} ones, {b.value:.2%} before" for kind, (a, b) in wrong.items())
    otherwise = f"chooses otherwise in {f'{changed:,} of ' * (known is not None)}{asked:,} positions: wrong {shares}"
    if changed > _FLIPPED * asked:
        # A bot begins again with its seed; a function goes on, and shows whether it draws its steps.
        afresh = CheckedPlayer(agent.open(table.game), protocol.limits)
        again, _ = ask_in_critical_positions(afresh, table, protocol, watch)
        if again.choices == now.choices or any(a.low > b.high or b.low > a.high for a, b in wrong.values()):
            raise BenchmarkError(f"{name}: {agent.spec} {otherwise}")
        return f"{otherwise}; it draws at random"
    assert protocol.exact is not None
    responses = find_responses(agent.spec, player, table, protocol.exact.response_seconds) if told.responses else None
    for old, new in zip(told.responses or (), responses or (), strict=False):
        if None not in (old.kept, new.kept) and old.kept != new.kept:
            does = "keeps" if new.kept else "does not keep"
            raise BenchmarkError(f"{name}: {agent.spec} {does} what the start is worth in seat {new.seat}")
    return otherwise if changed else _SAME


def _games_of(result: Result) -> tuple[str, ...]:
    """The ids of the games of a result."""
    return tuple(dict.fromkeys(name.partition(" ")[0] for name in result.games))


def _find_errors(result: Result, protocol: Protocol, note: Callable[[str], object]) -> Iterator[str]:
    """What is wrong with a result, in sentences."""
    if result.benchmark != protocol.version:
        instead = f": check it with --protocol {result.benchmark}" if result.benchmark in versions() else ""
        yield f"is of benchmark {result.benchmark}, expected {protocol.version}{instead}"
    if result.quick:
        yield "is a quick run, whose figures are not comparable"
    yield from _fact_errors(result)
    if isinstance(result, TrackedResult):
        entries = find_entries(_games_of(result), protocol, "kept")
        for name, tracks in result.games.items():
            if name not in entries:
                yield f"{name!r} is not measured"
            yield from (f"{name}: {error}" for error in _track_errors(result, tracks, entries[name], protocol))
            if entries[name].missing is not None:
                note(f"{name}: the exact figures are not checked: {entries[name].missing}")
        return
    for name, game_result in result.games.items():
        if name not in games():
            yield f"there is no game {name!r}"
        game = load_text(name)
        suite, ladder = read_suite(protocol, game), read_ladder(protocol, game)
        # One after the other, since each takes for granted what those before it have checked.
        for error in chain(
            _digest_errors(game_result, suite, ladder),
            _truth_errors(game_result.truth, suite, protocol),
            _calibration_errors(game_result.calibration, suite),
            _match_errors(result.spec, game_result.opponents, ladder, protocol, has_roles=game.has_roles),
            _decision_errors(game_result, suite, protocol),
        ):
            yield f"{name}: {error}"


def _fact_errors(result: Result) -> Iterator[str]:
    """A command that does not repeat a result, and facts that its agent cannot have."""
    try:
        words = shlex.split(result.command)
    except ValueError:
        words = []
    if words[:2] != _COMMAND or not {result.spec, "--curve"} & {*words} or shlex.join(words) != result.command:
        yield f"command is {show(result.command)}, expected {' '.join(_COMMAND)} {result.spec}"
    told = {name: value for name, value in asdict(result.facts).items() if value is not None}
    known: dict[str, Any] = told
    if (checkpoint := find_checkpoint(result.spec)) is not None:
        facts = read_facts(*checkpoint)[1]
        known = _rounded(facts) if facts.weights == result.facts.weights else told
    elif result.facts.kind in ("bot", "exported", "engine"):
        known = {"kind": result.facts.kind}
    for name, value in round_numbers(told, round_number).items():
        if known.get(name) != value:
            yield f"facts.{name} is {show(value)}, expected {show(known.get(name))}"


def _track_errors(result: Result, found: TrackResult, entry: Entry, protocol: Protocol) -> Iterator[str]:
    spec, is_bot = result.spec, result.facts.kind in ("bot", "checkpoint")
    if (found.exact is not None) != entry.is_exact:
        yield f"exact should {'' if entry.is_exact else 'not '}be there"
    if found.ladder != (None if entry.ladder is None else entry.ladder.sha256):
        yield f"ladder has SHA-256 {found.ladder}, which is not that of the file"
    if (found.opponents is None) != (entry.ladder is None):
        yield f"opponents should {'not ' if entry.ladder is None else ''}be there"
        return
    if found.opponents is not None and entry.ladder is not None:
        yield from _match_errors(spec, found.opponents, entry.ladder, protocol, has_roles=entry.game.has_roles)
    yield from puzzle_errors(found.puzzles, entry.game)
    if found.exact is None:
        if found.responses is not None or found.timing is not None:
            yield "responses and timing should not be there without exact"
    elif found.responses is None and is_bot:
        yield "responses should be there: a bot chooses alike when it is asked again"
    elif entry.missing is None and (table := entry.table) is not None:
        yield from _exact_errors(found.exact, found, table, protocol)
        yield from response_errors(found.responses or (), spec, table) if found.responses is not None else ()
    wanted = [*["choices", "best response"] * entry.is_exact, "puzzles", *["matches"] * (entry.ladder is not None)]
    if [*found.processor_seconds] != wanted:
        yield f"processor_seconds are of {', '.join(found.processor_seconds)}, expected {', '.join(wanted)}"
    yield from _fault_errors(found, protocol)


def _exact_errors(exact: ExactTrack, found: TrackResult, table: EndgameTable, protocol: Protocol) -> Iterator[str]:
    assert protocol.exact is not None
    drawn, sample = draw_positions(table, protocol)
    for what, digest, wanted in (("table", exact.table, table.digest), ("sample", exact.sample, sample)):
        if digest != wanted:
            yield f"exact.{what} is {digest[:12]}…, expected {wanted[:12]}…"
            return
    values = np.concatenate([of_kind for _, of_kind in drawn.values()])
    chosen = unpack_choices(exact.choices, len(values)) if exact.choices else None
    if exact.choices and (
        chosen is None
        or not ((chosen >= -1) & (chosen < values.shape[1])).all()
        or (values[np.arange(len(values)), chosen][chosen >= 0] == ILLEGAL).any()
    ):
        yield f"exact.choices are not legal actions in {len(values)} positions"
        return
    parts = [None, None] if chosen is None else np.split(chosen, [len(drawn[KINDS[0]][1])])
    for (kind, (_, of_kind)), part in zip(drawn.items(), parts, strict=True):
        errors: ExactErrors = getattr(exact, kind)
        wrong, lost = (count_of(each.value, len(of_kind)) for each in (errors.wrong, errors.regret))
        counts = np.array([len(of_kind) - wrong, 2 * wrong - lost, lost - wrong])
        if errors.positions != len(of_kind) or counts.min() < 0:
            yield f"exact.{kind} does not fit {len(of_kind)} positions"
            continue
        if part is not None:
            counts = count_losses(of_kind, part)
        expected = summarise_losses(counts, find_chance_of_errors(of_kind), protocol.exact.seed)
        for name in ("wrong", "regret"):
            told, computed = getattr(errors, name), getattr(expected, name)
            apart = max(abs(told.low - computed.low), abs(told.high - computed.high))
            if told.value != round_number(computed.value) or apart > _ROUNDED:
                yield f"exact.{kind}.{name} is {_show(told)}, expected {_show(computed)}"
        if errors.chance != round_number(expected.chance):
            yield f"exact.{kind}.chance is {errors.chance}, expected {round_number(expected.chance)}"
    timed = found.timing.decisions if found.timing else 0
    failed = len(values) - timed
    if not 0 <= failed <= found.faults.count or (chosen is not None and failed != np.count_nonzero(chosen < 0)):
        yield f"timing.decisions is {timed} of {len(values)}, but there are {found.faults.count} faults"


def _digest_errors(found: GameResult, suite: Suite, ladder: Ladder) -> Iterator[str]:
    for what, digest, expected in (("suite", found.suite, suite.sha256), ("ladder", found.ladder, ladder.sha256)):
        if digest != expected:
            yield f"{what} has SHA-256 {digest[:12]}…, expected {expected[:12]}…"


def _truth_errors(truth: Truth, suite: Suite, protocol: Protocol) -> Iterator[str]:
    critical = [entry for entry in suite.positions if entry.is_critical]
    unique = [entry for entry in critical if entry.unique]
    strata = {key: list(group) for key, group in groupby(critical, key=lambda entry: (entry.pieces, entry.value))}
    if [(stratum.pieces, stratum.value) for stratum in truth.strata] != list(strata):
        yield "truth.strata are not those of the positions"
        return
    if (truth.unique is not None) != bool(unique):
        yield f"truth.unique should {'' if unique else 'not '}be there"
        return
    shares = [("truth.all", truth.all, critical), *([("truth.unique", truth.unique, unique)] if truth.unique else [])]
    shares += [
        (f"truth.strata[{place}]", stratum.share, entries)
        for place, (stratum, entries) in enumerate(zip(truth.strata, strata.values(), strict=True))
    ]
    entries_of = [[entry for entry in critical if entry.player == seat] for seat in (0, 1)]
    wanted = [bool(entries) for entries in entries_of] if suite.game.has_roles else []
    if [share is not None for share in truth.by_seat or ()] != wanted:
        yield f"truth.by_seat should {'' if wanted else 'not '}be there, with a share where a seat has positions"
        return
    shares += [
        (f"truth.by_seat[{seat}]", share, entries_of[seat])
        for seat, share in enumerate(truth.by_seat or ())
        if share is not None
    ]
    for where, share, entries in shares:
        yield from (f"{where}.{error}" for error in _share_errors(share, entries, protocol))

    kinds = {pair: truth.mistakes.get(name_mistake(*pair), -1) for pair in MISTAKES}
    if len(truth.mistakes) != len(kinds) or min(kinds.values()) < 0:
        yield f"truth.mistakes are {truth.mistakes}, expected a number of each kind"
        return
    for value in (None, 1, 0):  # all positions, won ones, drawn ones
        shares_of = [truth.all] if value is None else [each.share for each in truth.strata if each.value == value]
        counts = {pair: count for pair, count in kinds.items() if value in (None, pair[0])}
        wrong = sum(share.positions - _optimal(share) for share in shares_of)
        lost = sum(_lost(share) for share in shares_of)
        if sum(counts.values()) != wrong:
            yield f"truth.mistakes add up to {sum(counts.values())}, but {wrong} choices are not optimal"
        if sum((best - kept) * count for (best, kept), count in counts.items()) != lost:
            yield f"truth.mistakes lose another value than {lost}, which the positions lose"


def _share_errors(share: Share, entries: Sequence[SuitePosition], protocol: Protocol) -> Iterator[str]:
    positions = len(entries)
    if share.positions != positions:
        yield f"positions is {share.positions}, expected {positions}"
        return
    optimal, lost = _optimal(share), _lost(share)
    large = lost - (positions - optimal)  # the mistakes that lose 2
    small = positions - optimal - large
    if not (0 <= optimal <= positions and small >= 0 <= large):
        yield f"loss does not fit {optimal} optimal choices in {positions} positions"
        return
    yield from _share_estimate_errors("optimal", share.optimal, optimal, positions)
    expected = estimate_loss([0] * optimal + [1] * small + [2] * large, protocol)
    leeway = _RESAMPLED * (expected.high - expected.low) + 2 / positions
    if share.loss.value != round_number(expected.value):
        yield f"loss.value is {share.loss.value}, which is no share of {positions}"
    if abs(share.loss.low - expected.low) > leeway or abs(share.loss.high - expected.high) > leeway:
        yield f"loss is {_show(share.loss)}, expected about {_show(expected)}"
    if share.chance != (chance := round_number(find_chance(entries))):
        yield f"chance is {share.chance}, expected {chance}"


def _share_estimate_errors(where: str, found: Estimate, successes: int, trials: int) -> Iterator[str]:
    if not 0 <= successes <= trials:
        yield f"{where} is {_show(found)}, expected a share"
        return
    expected = estimate_share(successes, trials)
    if _rounded(found) != _rounded(expected):
        yield f"{where} is {_show(found)}, expected {_show(expected)} for {successes} of {trials}"


def _calibration_errors(found: Calibration | None, suite: Suite) -> Iterator[str]:
    if found is None:
        return
    positions = sum(each.positions for each in found.bins)
    if found.positions != positions or not 0 < positions <= len(suite.positions):
        yield f"calibration.positions is {found.positions}, the bins have {positions}, the suite {len(suite.positions)}"
        return
    successes = count_of(found.accuracy.value, positions)
    yield from _share_estimate_errors("calibration.accuracy", found.accuracy, successes, positions)
    if any(abs(value) > 1 for each in found.bins for value in (each.expected, each.true)):
        yield "calibration.bins has a value outside -1 to 1"
    bin_error = sum(each.positions * abs(each.expected - each.true) for each in found.bins) / positions
    if abs(found.bin_error - bin_error) > _ROUNDED:
        yield f"calibration.bin_error is {found.bin_error}, expected {round_number(bin_error)}"
    least = sum(each.positions * (each.expected - each.true) ** 2 for each in found.bins) / positions
    if not least - _ROUNDED <= found.squared_error <= 4:
        yield f"calibration.squared_error is {found.squared_error}, expected {round_number(least)} to 4"


def _match_errors(spec: str, found: Opponents, ladder: Ladder, protocol: Protocol, *, has_roles: bool) -> Iterator[str]:
    wanted = [rung for rung in ladder.rungs if rung != spec]
    names = [rung.name for rung in found.rungs]
    if len(names) != len(wanted) or not all(map(_is_rung, names, wanted)):
        yield f"opponents.rungs are {', '.join(names)}, expected {', '.join(wanted)}"
        return
    own = {
        meeting.second: ((meeting.wins, meeting.draws, meeting.losses), meeting.by_seat)
        for meeting in (each.seen_from(spec) for each in ladder.meetings if spec in (each.first, each.second))
    }
    points = 0.0
    for name, rung in zip(wanted, found.rungs, strict=True):
        counts = (rung.wins, rung.draws, rung.losses)
        where = f"opponents: against {rung.name}"
        if min(counts) < 0 or sum(counts) != protocol.games:
            yield f"{where} {counts} were won, drawn and lost, expected {protocol.games} together"
        in_ladder, seats_in_ladder = own.get(name, (counts, rung.by_seat))
        if counts != in_ladder:
            yield f"{where} {counts} were won, drawn and lost, expected {in_ladder} as in the ladder"
        seats = rung.by_seat or ()
        if bool(seats) != has_roles:
            yield f"{where} by_seat should {'' if has_roles else 'not '}be there"
        elif any(seat.games != protocol.games // 2 or min(vars(seat).values()) < 0 for seat in seats) or (
            seats and tuple(map(sum, zip(*(vars(seat).values() for seat in seats), strict=True))) != counts
        ):
            yield f"{where} by_seat should have {protocol.games // 2} matches a seat, {counts} together"
        elif rung.by_seat != seats_in_ladder:
            yield f"{where} by_seat is not as in the ladder"
        points += (score := rung.wins + rung.draws / 2)
        share = round_number(score / protocol.games)
        if rung.score.value != share or not _is_ordered(rung.score, 0, 1):
            yield f"{where} the score is {_show(rung.score)}, expected {share} and an interval around it"
    if found.score != round_number(points / (protocol.games * len(wanted))):
        yield f"opponents.score is {found.score}, expected {points / (protocol.games * len(wanted)):.5g}"
    ratings = _fit(spec, found, wanted, ladder)
    for name, rating in ((spec, found.rating), *zip(wanted, (rung.rating for rung in found.rungs), strict=True)):
        if abs(rating.value - ratings[name]) > _ELO or not _is_ordered(rating):
            yield f"opponents: {name} is rated {_show(rating)}, expected {ratings[name]:.5g} and an interval around it"


def _is_rung(name: str, wanted: str) -> bool:
    """Whether a result names a bot of the ladder. Trained bots have had other names; the digest says which they are."""
    known = shipped_bots()
    return name == wanted or (wanted.partition(":")[0] in known and name.partition(":")[0] in known)


def _fit(spec: str, found: Opponents, wanted: Sequence[str], ladder: Ladder) -> dict[str, float]:
    """The ratings that follow from the matches."""
    names = list(dict.fromkeys([*ladder.rungs, spec]))
    played = [
        (names.index(each.first), names.index(each.second), each.wins + each.draws / 2, each.losses + each.draws / 2)
        for each in ladder.meetings
    ]
    if spec not in ladder.rungs:
        played += [
            (names.index(spec), names.index(name), rung.wins + rung.draws / 2, rung.losses + rung.draws / 2)
            for name, rung in zip(wanted, found.rungs, strict=True)
        ]
    ratings = fit_ratings(len(names), played, names.index(ANCHOR))
    return dict(zip(names, map(float, ratings), strict=True))


def _decision_errors(found: GameResult, suite: Suite, protocol: Protocol) -> Iterator[str]:
    timed = found.timing.decisions if found.timing else 0
    failed = len(suite.positions) - timed
    if not 0 <= failed <= found.faults.count:
        yield f"timing.decisions is {timed} of {failed + timed}, but there are {found.faults.count} faults"
    yield from _fault_errors(found, protocol)


def _fault_errors(found: GameResult | TrackResult, protocol: Protocol) -> Iterator[str]:
    limits = protocol.limits
    if (found.faults.first is None) != (found.faults.count == 0):
        yield f"faults.first is {found.faults.first!r}, but there are {found.faults.count} faults"
    if found.faults.gave_up and found.faults.count < limits.patience:
        yield f"faults.gave_up is true after {found.faults.count} faults, expected {limits.patience} or more"
    if found.timing and not found.timing.median <= found.timing.slow <= limits.decision:
        above = "above timing.slow" if found.timing.median > found.timing.slow else "or timing.slow above the limit"
        yield f"timing.median is {above}"


def _optimal(share: Share) -> int:
    return count_of(share.optimal.value, share.positions)


def _lost(share: Share) -> int:
    return count_of(share.loss.value, share.positions)


def _is_ordered(found: Estimate, least: float = -float("inf"), most: float = float("inf")) -> bool:
    return least <= found.low <= found.value <= found.high <= most


def _rounded(found: Any) -> Any:
    return round_numbers(asdict(found), round_number)


def _show(found: Estimate) -> str:
    return f"{found.value:.5g} ({found.low:.5g} to {found.high:.5g})"
