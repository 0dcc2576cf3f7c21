"""Compiles a game into a step table: the array that the engine reads.

Every step, slide or leap that the board and the rules permit is a template, see `templates.py`. Templates with the same
conditions at the same distances share a lane: a bitboard of origins. Each block keeps those origins that see an empty
point or an enemy at one distance. Points are numbered row by row, so on a regular board a direction is one distance and
a table has few lanes; an irregular board needs more.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from ..files.schema import literals
from . import scratch_layout as SCRATCH, state_layout as STATE, table_layout as TABLE
from .kernel_arrays import constants
from .options import RULE_KINDS
from .planes import planes
from .ruleset import NORTH, SOUTH, Ruleset
from .templates import Template, find_templates

Action = tuple[int | None, int | None, int | None]
"""Origin, target, and the victim's point if the first two can have several victims; in the mover's frame.

A drop has a target only, and a removal a victim only.
"""


class Block(NamedTuple):
    """Keeps the origins of each lane that see an empty point or an enemy; see `engine.moves`."""

    parents: int  # scratch words with the origins so far
    sees: int  # scratch words with the points that may be seen
    words: int  # scratch words for the origins that are kept
    actions: int  # index into `action_at` of the actions of lanes and points, -1 if no step ends here
    skip: int  # number of the next block if no origin is kept
    distances: tuple[int, ...]  # for each lane, distance to the seen point
    origins: tuple[int, ...]  # for each lane, the origins that have a point there


class Section(NamedTuple):
    """A run of blocks: those of men from `begin`, those of kings from `kings` to `end`."""

    begin: int
    kings: int
    end: int


class TableStep(NamedTuple):
    """What an action does for one player, in points of the board."""

    origin: int
    target: int
    over: int  # the victim's point, or NO_POINT
    undo: int  # relation that leads back, or -1
    opens: int  # 1 if the opening rule allows it, else 0


@dataclass(frozen=True, eq=False)
class StepTable:
    """The compiled form of a game."""

    # what each action does, in the mover's frame; None for the pass, which is the last action
    actions: tuple[Action | None, ...]
    templates: tuple[tuple[Template, ...], tuple[Template, ...]]  # templates of `player_0` and of `player_1`
    blocks: tuple[Block, ...]  # the blocks of both players
    # the blocks of first leaps, next leaps, steps, drops and removals, for `player_0` and then for `player_1`
    sections: tuple[Section, ...]
    action_at: tuple[int, ...]  # actions by lane and point of the blocks at which steps end
    steps: tuple[TableStep, ...]  # what each action does, for `player_0` and then for `player_1`
    words: Any  # the table as the engine reads it; see `table_layout`

    @cached_property
    def plain_words(self) -> tuple[int, ...]:
        """The table for kernels that run as plain Python."""
        return tuple(int(word) for word in self.words)

    @property
    def start(self) -> tuple[int, ...]:
        """The state at the start of the game."""
        return self.plain_words[self.plain_words[TABLE.START] :][: self.plain_words[TABLE.STATE_SIZE]]

    @cached_property
    def over(self) -> tuple[int | None, ...]:
        """The victim's point of each action in the mover's frame; None for steps and the pass."""
        points = (step.over for step in self.steps[: len(self.actions)])
        return tuple(None if point == STATE.NO_POINT else point for point in points)

    @cached_property
    def has_two_victims(self) -> tuple[bool, ...]:
        """For each action, whether the same points can be those of captures of different pieces in one position.

        One player of a game that looks different from either side is enough, so that both have one notation.
        """
        unclear = tuple(_ends_of_several(templates) for templates in self.templates)
        count = len(self.actions)
        return tuple(
            any(
                step.over != STATE.NO_POINT and (step.origin, step.target) in unclear[player]
                for player, step in enumerate(self.steps[action::count])
            )
            for action in range(count)
        )

    @cached_property
    def number(self) -> dict[tuple[int | None, int | None, int | None], int]:
        """Action of each `(origin, target, victim)` in the mover's frame."""
        return {
            (action[0], action[1], over): index
            for index, (action, over) in enumerate(zip(self.actions, self.over, strict=True))
            if action is not None
        }


def _ends_of_several(templates: tuple[Template, ...]) -> set[tuple[int, int]]:
    """Origins and targets between which a player may have captures of different pieces to choose from."""
    paths: dict[tuple[int, int], list[Template]] = {}
    for template in templates:
        if template.victim != STATE.NO_POINT:
            paths.setdefault((template.origin, template.target), []).append(template)
    return {ends for ends, ways in paths.items() if any(_compatible(*pair) for pair in combinations(ways, 2))}


def _compatible(a: Template, b: Template) -> bool:
    """Whether two captures of different pieces can be open at once."""
    needs = {point: what for what, point in a.path}
    return a.victim != b.victim and all(needs.get(point, what) == what for what, point in b.path)


def compile_table(game: Ruleset) -> StepTable:
    """Builds the step table of a game."""
    templates = tuple(find_templates(game, SOUTH)), tuple(find_templates(game, NORTH))
    keys = _action_keys(game, templates)
    relations = {next(target - origin for origin, target in pairs.items()): pairs for pairs in game.relations}
    builder = _BlockBuilder(game, keys, list(relations))
    for player in (SOUTH, NORTH):
        builder.add_player(player, templates[player])
    steps = tuple(step for player in (SOUTH, NORTH) for step in _steps(game, player, keys, relations))
    ways = Counter(key[:2] for key in keys if key is not None)
    return StepTable(
        actions=tuple(None if key is None else _name_action(key, ways[key[:2]]) for key in keys),
        templates=templates,
        blocks=tuple(builder.blocks),
        sections=tuple(builder.sections),
        action_at=tuple(builder.action_at),
        steps=steps,
        words=_flatten(game, keys, relations, builder, steps, templates),
    )


Key = tuple[int, int, int] | None


def _action_keys(game: Ruleset, templates: tuple[tuple[Template, ...], ...]) -> tuple[Key, ...]:
    """The actions in order, each as (origin, target, victim), in the mover's frame.

    The order is: simple steps, captures, drops, removals, pass.
    """
    found = {_in_frame(game, player, template) for player in (SOUTH, NORTH) for template in templates[player]}
    ordered = sorted(found, key=lambda key: (_is_placing(key), key[2] != STATE.NO_POINT, key))
    return (*ordered, None) if _has_pass(game) else tuple(ordered)


def _is_placing(step: tuple[Any, ...]) -> bool:
    """Whether a key or a template is a drop or a removal: it begins where it ends."""
    return bool(step[0] == step[1])


def _in_frame(game: Ruleset, player: int, template: Template) -> tuple[int, int, int]:
    """Origin, target and victim in the frame of the player."""
    if player == SOUTH:
        return template[:3]
    turn = game.turn
    victim = STATE.NO_POINT if template.victim == STATE.NO_POINT else turn[template.victim]
    return turn[template.origin], turn[template.target], victim


def _has_pass(game: Ruleset) -> bool:
    return game.rules.chain == "optional" or "pass" in game.no_moves


def _name_action(key: tuple[int, int, int], ways: int) -> Action:
    """Leaves the victim out where origin and target determine it."""
    origin, target, over = key
    victim = None if over == STATE.NO_POINT else over
    if _is_placing(key):
        return (None, target, None) if victim is None else (None, None, victim)
    return origin, target, victim if ways > 1 else None


def _steps(
    game: Ruleset, player: int, keys: tuple[Key, ...], relations: dict[int, dict[int, int]]
) -> Iterator[TableStep]:
    numbers = {distance: index for index, distance in enumerate(relations)}
    turn = game.turn if player == NORTH else tuple(range(len(game.board.points)))
    open_steps = set(game.man_steps(player))
    for key in keys:
        if key is None:
            yield TableStep(STATE.NO_POINT, STATE.NO_POINT, STATE.NO_POINT, -1, 0)
            continue
        origin, target = turn[key[0]], turn[key[1]]
        over = STATE.NO_POINT if key[2] == STATE.NO_POINT else turn[key[2]]
        # Memory of a step that this player may not take anyway would say nothing; the enemy may have that step.
        leads_back = over == STATE.NO_POINT and origin - target in relations and (target, origin) in open_steps
        undo = numbers[origin - target] if leads_back else -1
        yield TableStep(origin, target, over, undo, int(over == STATE.NO_POINT and _opens(game, key)))


def _opens(game: Ruleset, key: tuple[int, int, int]) -> bool:
    """Whether the opening rule allows a simple step, in the frame of the first player."""
    if game.opening is None:
        return True
    return any(origin in (None, key[0]) and target in (None, key[1]) for origin, target in game.opening)


Lane = list[Template]


class _BlockBuilder:
    """Lays the templates of both players out as blocks.

    The blocks are a tree in preorder. The children of a block hold the next conditions of its lanes. A lane keeps its
    number: its first continuation is in the first child, further ones in further children.
    """

    def __init__(self, game: Ruleset, keys: tuple[Key, ...], relations: list[int]) -> None:
        self.game = game
        self.number = {key: action for action, key in enumerate(keys)}
        self.relations = relations
        self.blocks: list[Block] = []
        self.sections: list[Section] = []
        self.action_at: list[int] = []

    def add_player(self, player: int, templates: tuple[Template, ...]) -> None:
        moves, placings = ([each for each in templates if _is_placing(each) == wanted] for wanted in (False, True))
        leaps = [template for template in moves if template.victim != STATE.NO_POINT]
        self._add_section(player, [template for template in leaps if template.first])
        self._add_section(player, [template for template in leaps if template.next])
        for kind in (moves, placings):
            self._add_section(player, [template for template in kind if template.victim == STATE.NO_POINT])
        self._add_section(player, [template for template in placings if template.victim != STATE.NO_POINT])

    def _add_section(self, player: int, templates: list[Template]) -> None:
        begin = len(self.blocks)
        self._add_pieces(player, SCRATCH.OWN_MEN, [template for template in templates if not template.is_king])
        kings = len(self.blocks)
        self._add_pieces(player, SCRATCH.OWN_KINGS, [template for template in templates if template.is_king])
        self.sections.append(Section(begin, kings, len(self.blocks)))

    def _add_pieces(self, player: int, pieces: int, templates: list[Template]) -> None:
        for what in (SCRATCH.EMPTY, SCRATCH.ENEMY):
            lanes = _continuations(templates, 0)[what]
            remembered = [distance for distance in lanes if what == SCRATCH.EMPTY and distance in self.relations]
            if remembered and pieces == SCRATCH.OWN_MEN:
                self._add_remembered(player, {distance: lanes.pop(distance) for distance in remembered})
            free = list(lanes.values())
            for first in range(0, len(free), TABLE.LANES):
                self._add_block(player, pieces, what, free[first : first + TABLE.LANES], 0)

    def _add_remembered(self, player: int, lanes: dict[int, Lane]) -> None:
        """Adds the steps that memory can forbid, below a block that keeps the pieces that it allows to move."""
        in_place = [lanes.get(distance, []) for distance in self.relations]
        gate = len(self.blocks)
        words = self._append(SCRATCH.OWN_MEN, SCRATCH.ALLOWED, in_place, [0] * len(in_place), -1)
        self._add_block(player, words, SCRATCH.EMPTY, in_place, 0)
        self.blocks[gate] = self.blocks[gate]._replace(skip=len(self.blocks))

    def _add_block(self, player: int, parents: int, what: int, lanes: list[Lane], depth: int) -> None:
        distances = [lane[0].path[depth][1] - lane[0].origin if lane else 0 for lane in lanes]
        index = len(self.blocks)
        words = self._append(parents, what, lanes, distances, self._actions(player, lanes, depth + 1))
        further = [_continuations(lane, depth + 1) for lane in lanes]
        for next_what in (SCRATCH.EMPTY, SCRATCH.ENEMY):
            branches = [list(found[next_what].values()) for found in further]
            for rank in range(max(len(branch) for branch in branches)):
                going_on = [branch[rank] if rank < len(branch) else [] for branch in branches]
                self._add_block(player, words, next_what, going_on, depth + 1)
        self.blocks[index] = self.blocks[index]._replace(skip=len(self.blocks))

    def _append(self, parents: int, sees: int, lanes: list[Lane], distances: list[int], actions: int) -> int:
        words = SCRATCH.FIRST_BLOCK_WORD + TABLE.LANES * len(self.blocks)
        origins = [_word({template.origin for template in lane}) for lane in lanes]
        idle = [0] * (TABLE.LANES - len(lanes))
        block = Block(parents, sees, words, actions, -1, (*distances, *idle), (*origins, *idle))
        self.blocks.append(block)
        return words

    def _actions(self, player: int, lanes: list[Lane], length: int) -> int:
        """Index into `action_at` of the actions of steps that end at a block; -1 if none does."""
        if not any(len(template.path) == length for lane in lanes for template in lane):
            return -1
        points = len(self.game.board.points)
        first = len(self.action_at)
        self.action_at += [-1] * (TABLE.LANES * points)
        for number, lane in enumerate(lanes):
            ending = [template for template in lane if len(template.path) == length]
            assert {t.origin for t in ending} == {t.origin for t in lane}, "a lane passes a point where no step ends"
            for template in ending:
                key = _in_frame(self.game, player, template)
                self.action_at[first + number * points + template.origin] = self.number[key]
        return first


def _continuations(templates: Lane, depth: int) -> dict[int, dict[int, Lane]]:
    """The templates by the condition at this depth of their paths, and then by distance."""
    found: dict[int, dict[int, Lane]] = {SCRATCH.EMPTY: {}, SCRATCH.ENEMY: {}}
    for template in templates:
        path = template.path
        if len(path) > depth:
            what, point = path[depth]
            found[what].setdefault(point - template.origin, []).append(template)
    return {what: dict(sorted(lanes.items())) for what, lanes in found.items()}


def _flatten(
    game: Ruleset,
    keys: tuple[Key, ...],
    relations: dict[int, dict[int, int]],
    builder: _BlockBuilder,
    steps: tuple[TableStep, ...],
    templates: tuple[tuple[Template, ...], ...],
) -> Any:
    """Lays the table out as `table_layout` describes."""
    points = range(len(game.board.points))
    start = _start_state(game)
    head = _answers(game) | {
        TABLE.POINTS: len(points),
        TABLE.ALL_POINTS: _word(points),
        TABLE.NUM_ACTIONS: len(keys),
        TABLE.PASS_ACTION: len(keys) - 1 if _has_pass(game) else -1,
        TABLE.STATE_SIZE: len(start),
        TABLE.SCRATCH_SIZE: SCRATCH.FIRST_BLOCK_WORD + (TABLE.LANES + 1) * len(builder.blocks),
        TABLE.RELATIONS: len(relations),
        TABLE.NUM_PLANES: len(planes(game)),
        TABLE.TURN + NORTH: {(*points,): TABLE.NOT_TURNED, (*reversed(points),): TABLE.HALF_TURN}.get(
            game.turn, TABLE.TURNED
        ),
        TABLE.PROMOTION + SOUTH: _word(game.promotion_points(SOUTH)),
        TABLE.PROMOTION + NORTH: _word(game.promotion_points(NORTH)),
    }
    table = [int(head.get(place, 0)) for place in range(TABLE.HEAD)]
    action_at = len(table)
    table += builder.action_at
    table += [0] * (-len(table) % TABLE.LANES)
    lists = {
        **_block_lists(builder, action_at, len(table)),
        TABLE.STEPS: [value for step in steps for value in step],
        TABLE.START: start,
        TABLE.MAN_STEPS: [
            _word({target for origin, target in man_steps if origin == point})
            for man_steps in (game.man_steps(SOUTH), game.man_steps(NORTH))
            for point in points
        ],
        TABLE.RELATION_TARGET: [pairs.get(point, STATE.NO_POINT) for pairs in relations.values() for point in points],
        TABLE.FRAME: [*points, *game.turn],
        TABLE.PLANES: [value for plane in planes(game) for value in plane.row],
        TABLE.SCHEDULE: _plans(game),
        TABLE.SCHEDULE_POINTS: [*(_word(ply.points) for ply in game.schedule), 0],
        TABLE.PARTS: [_word(part) for part in game.closing_parts],
        TABLE.FLANKS: [value for row in _flanks(game) for value in row],
        TABLE.TAKEN: _taken(game, keys, templates) if head[TABLE.TAKES] else [],
        TABLE.BEYOND: _beyond(game, steps) if game.rules.chain_must_turn else [],
    }
    for place, values in lists.items():
        table[place] = len(table)
        table += values
    return constants(table)


def _block_lists(builder: _BlockBuilder, action_at: int, first: int) -> dict[int, list[int]]:
    """The blocks, laid out from `first` on, and where each section of them begins."""
    tallies = SCRATCH.FIRST_BLOCK_WORD + TABLE.LANES * len(builder.blocks)
    rows: list[int] = []
    for number, block in enumerate(builder.blocks):
        actions = block.actions + action_at if block.actions >= 0 else 0
        skip = first + TABLE.BLOCK_SIZE * block.skip
        head = [block.parents, block.sees, block.words, tallies + number, actions, skip]
        rows += [*head, *[0] * (TABLE.DISTANCES - len(head)), *block.distances, *block.origins]
    begins = [first + TABLE.BLOCK_SIZE * block for section in builder.sections for block in section]
    return {TABLE.BLOCKS: rows, TABLE.SECTIONS: begins}


def _number(name: str, answer: str) -> int:
    """The place of an answer in `Rules`, whose order is that of its constants in `table_layout`."""
    return literals(RULE_KINDS[name]).index(answer)


def _answers(game: Ruleset) -> dict[int, int | bool]:
    """The answers of the rules in the head of the table."""
    rules, points = game.rules, range(len(game.board.points))
    limit = 0 if rules.no_progress_limit == "off" else rules.no_progress_limit
    return {
        TABLE.CHAIN: _number("chain", rules.chain),
        TABLE.CAPTURE_OPTIONAL: rules.capture == "optional",
        TABLE.REMOVAL_AT_END: rules.capture_removal == "end_of_turn",
        TABLE.MIDCHAIN_PROMOTION: _number("midchain_promotion", rules.midchain_promotion),
        TABLE.PROMOTION_IS_PROGRESS: rules.progress == "capture_or_promotion",
        TABLE.MAN_STEP_IS_PROGRESS: rules.progress == "capture_or_man_step",
        TABLE.LOSES_AT + SOUTH: game.loses_at[SOUTH],
        TABLE.LOSES_AT + NORTH: game.loses_at[NORTH],
        TABLE.MAY_RETURN_TO_START: rules.chain_may_return_to_start and not rules.chain_visits_once,
        TABLE.LANDING_MUST_CONTINUE: rules.mullah_landing == "must_continue",
        TABLE.MOST_PIECES: rules.max_capture == "most_pieces",
        TABLE.HAS_OPENING: game.opening is not None,
        TABLE.COMPARES: rules.mullah_landing == "must_continue" or rules.max_capture == "most_pieces",
        TABLE.NO_MOVES + SOUTH: _number("no_moves", game.no_moves[SOUTH]),
        TABLE.NO_MOVES + NORTH: _number("no_moves", game.no_moves[NORTH]),
        TABLE.THREEFOLD: rules.repetition == "threefold_draw",
        TABLE.NO_PROGRESS_LIMIT: limit,
        TABLE.NO_PROGRESS_MAJORITY: rules.no_progress_result == "majority",
        TABLE.COUNTS_QUIET: limit != 0 or rules.repetition == "threefold_draw",
        TABLE.REMEMBERS: len(game.relations) > 0,
        TABLE.REMEMBERS_POINTS: game.remembers_points,
        TABLE.UNDO_SCOPE: max(0, _number("undo_scope", rules.undo_scope) - 1),
        TABLE.JUMP_CLEARS: rules.undo_cleared_by_jump,
        TABLE.STAGE: game.stage_place,
        TABLE.HAND: game.stage_place + 1,
        TABLE.EXTRAS: any(
            (
                *(game.schedule, game.has_roles, *game.goals, *game.flankers, game.closing_parts, _takes(game)),
                *(rules.chain_visits_once, rules.chain_must_turn),
            )
        ),
        TABLE.STAGES: len(game.schedule),
        TABLE.GOAL + SOUTH: _word(game.goals[SOUTH]),
        TABLE.GOAL + NORTH: _word(game.goals[NORTH]),
        TABLE.DECIDES_AT_ONCE: game.has_roles and any(game.loses_at),
        TABLE.CLOSED: game.closed_place,
        TABLE.NUM_PARTS: len(game.closing_parts),
        TABLE.NUM_FLANKS: len(_flanks(game)),
        TABLE.FLANKERS + SOUTH: _word(points) if game.flankers[SOUTH] else 0,
        TABLE.FLANKERS + NORTH: _word(points) if game.flankers[NORTH] else 0,
        TABLE.TAKES: _takes(game),
        TABLE.VISITS_ONCE: rules.chain_visits_once,
        TABLE.MUST_TURN: rules.chain_must_turn,
        TABLE.AHEAD: game.ahead_place,
    }


def _takes(game: Ruleset) -> int:
    """Which of the pieces on the points of a capture it takes."""
    kinds = {game.captures(player) for player in (SOUTH, NORTH)}
    if "approach_withdrawal" in kinds:
        return TABLE.TAKES_ROW
    return TABLE.TAKES_ALL if "odd_rows" in kinds else TABLE.TAKES_ONE


def _taken(game: Ruleset, keys: tuple[Key, ...], templates: tuple[tuple[Template, ...], ...]) -> list[int]:
    """For each player and action, the points of the pieces that it may take."""
    found = []
    for player in (SOUTH, NORTH):
        # A king that lands farther behind one piece has the action of a man that leaps over a row from there.
        leaps = sorted(templates[player], key=lambda each: len(each.row))
        rows = {_in_frame(game, player, each): each.row or (each.victim,) for each in leaps}
        found += [0 if key is None or key[2] == STATE.NO_POINT else _word(rows.get(key, ())) for key in keys]
    return found


def _beyond(game: Ruleset, steps: tuple[TableStep, ...]) -> list[int]:
    """For each player and action, the point straight ahead of its target."""
    ways = [way for line in game.board.lines for way in (line, line[::-1])]
    ahead = {(a, b): 1 << c for way in ways for a, b, c in zip(way, way[1:], way[2:], strict=False)}
    return [ahead.get((step.origin, step.target), 0) for step in steps]


def _plans(game: Ruleset) -> list[int]:
    """For each ply of the schedule and for what follows, twice what is done, plus 1 if the same player goes on."""
    players = [ply.player for ply in game.schedule]
    goes_on = [*(one == other for one, other in pairwise(players)), False]
    return [2 * ply.does + same for ply, same in zip(game.schedule, goes_on, strict=False)] + [2 * TABLE.MOVES]


def _flanks(game: Ruleset) -> list[tuple[int, int, int]]:
    """The captures by flanking as rows: the distances from a target to the enemy and to the point behind, targets."""
    rows: dict[tuple[int, int], set[int]] = {}
    for target, near, behind in flanking_triples(game) if any(game.flankers) else ():
        rows.setdefault((near - target, behind - target), set()).add(target)
    return [(*distances, _word(targets)) for distances, targets in sorted(rows.items())]


def flanking_triples(game: Ruleset) -> Iterator[tuple[int, int, int]]:
    """Where a piece may come to stand and flank: its point, that of the enemy, and the one behind."""
    lines = (*game.board.lines, *(circle + circle[:2] for circle in game.board.circles))
    for way in (way for line in lines for way in (line, line[::-1])):
        for target, near, behind in zip(way, way[1:], way[2:], strict=False):
            if near not in game.sanctuary:
                yield target, near, behind


def _start_state(game: Ruleset) -> list[int]:
    state = [0] * (game.ahead_place + game.rules.chain_must_turn)
    if game.schedule:
        state[game.stage_place + 1 : game.stage_place + 3] = game.hands
    state[STATE.MEN + SOUTH] = _word(game.start[SOUTH])
    state[STATE.MEN + NORTH] = _word(game.start[NORTH])
    state[STATE.PLAYER] = game.first_player
    state[STATE.CHAIN] = STATE.NO_POINT
    return state


def _word(points: Any) -> int:
    return sum(1 << point for point in points)
