"""What the player to move should see, from a state of the reference: an observation worked out on sets of points."""

from dataclasses import dataclass
from functools import cache

from alquerque_env.game.game import Game
from tests.reference import Reference, RefState


@cache
def start_of(game: Game) -> RefState:
    return Reference(game).start()


@dataclass
class Sight:
    """What the reference says that the player to move should see."""

    game: Game
    state: RefState
    earlier: int

    def frame(self, points: object) -> set[int]:
        turn = self.game.turn if self.state.player == 1 else range(len(self.game.board.points))
        return {turn[point] for point in points}

    def plane(self, name: str) -> object:
        """Points of ones, or the number that stands on every point."""
        state, own = self.state, self.state.player
        memory = {(*self.frame([piece]), *self.frame([point])) for piece, point in state.memory}
        kind, _, which = name.rpartition("_")
        limit = self.game.rules.no_progress_limit
        shown = {
            "own_men": lambda: self.frame(state.men[own]),
            "enemy_men": lambda: self.frame(state.men[1 - own]),
            "own_kings": lambda: self.frame(state.kings[own]),
            "enemy_kings": lambda: self.frame(state.kings[1 - own]),
            "chain": lambda: set() if state.chain is None else self.frame([state.chain]),
            "captured": lambda: self.frame(state.captured),
            "chain_start": lambda: set() if state.chain_start is None else self.frame([state.chain_start]),
            "visited": lambda: self.frame(state.visited),
            "ahead": lambda: set() if state.ahead is None else self.frame([state.ahead]),
            "own_hand": lambda: state.hands[own],
            "enemy_hand": lambda: state.hands[1 - own],
            "closed": lambda: self.frame(state.closed),
            "stage": lambda: state.stage,
            "clock": lambda: state.quiet if limit < 128 else state.quiet % 128,
            "clock_high": lambda: state.quiet // 128,
            "earlier": lambda: self.earlier,
            "player": lambda: own,
            "opening": lambda: int(state == start_of(self.game)),
        }
        if name in shown:
            return shown[name]()
        if kind == "remembered":
            return {point for piece, point in memory if piece == self.game.board.index[which]}
        assert kind == "no_undo"
        return {piece for piece, point in memory if self.game.relations[int(which)].get(piece) == point}
