"""Makes a small proof of a won start from a search that has proved it: few positions, down to few pieces.

    ALQUERQUE_TABLES=tables alquerque solve alquerque --pieces 5
    ALQUERQUE_TABLES=tables alquerque solve alquerque --from-start --memory 6
    ALQUERQUE_TABLES=tables python -m tools.small_proof alquerque alquerque.steps alquerque.xz --pieces 4

The winner needs one step in each position, and of several that win the tool takes one after which the fewest new
positions follow. What wins is known from the table, and above it from what the search has kept; what it has not kept is
searched again. Positions of at most `--pieces` pieces are left to a smaller table, such as one that is shipped. Each
file is one of `open_proof_file`.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from alquerque_env import Match, load_game, load_table
from alquerque_env.arena.exploit.walk import Positions
from alquerque_env.batch.batch import PLAY
from alquerque_env.batch.make_batch import make_batch
from alquerque_env.cli.console.progress_bar import Display
from alquerque_env.game import state_layout as STATE
from alquerque_env.game.game import Game
from alquerque_env.game.kernel_arrays import copied, words
from alquerque_env.game.outcomes import ONGOING
from alquerque_env.solve.proof import dfpn_kernels as k
from alquerque_env.solve.proof.certificate import open_proof_file
from alquerque_env.solve.proof.dfpn import PROVED, ProofSearch
from alquerque_env.solve.proof.verify_proof import ALL_STEPS, BY_TABLE
from alquerque_env.solve.solutions import known_solution
from alquerque_env.solve.tables import EndgameTable
from alquerque_env.solve.tables.table_file import proof_folder

LOT = 128  # positions whose steps are chosen together; later ones see what those before have added
NODES = 1 << 24  # of a search for what was not kept
NO_STEP = -9


class Steps(NamedTuple):
    """All steps from some positions: the places of these, actions, states after, and how matches have ended."""

    rows: np.ndarray
    actions: np.ndarray
    after: np.ndarray
    goes_on: np.ndarray
    winner: np.ndarray


def steps_from(game: Game, states: np.ndarray) -> tuple[np.ndarray, Steps]:
    """The players to move in some states, and all steps from them."""
    seen = make_batch(game, len(states)).set(states)
    rows, actions = np.nonzero(seen.mask == 1)
    movers = seen.player.copy()
    batch = make_batch(game, len(rows))
    batch.set(states[rows])
    after = batch.step(actions.astype(np.int64), np.full(len(rows), PLAY, np.int8))
    return movers, Steps(rows, actions, np.array(batch.states, np.int64), after.outcome == ONGOING, after.winner)


def count_pieces(states: np.ndarray) -> np.ndarray:
    """The pieces on the board, `[N]`."""
    kinds = [states[:, kind + player] for kind in (STATE.MEN, STATE.KINGS) for player in (0, 1)]
    return np.bitwise_count(np.bitwise_or.reduce(kinds)).astype(np.int64)


class SmallProof:
    """The positions of a proof that one player wins from the start.

    Args:
      search: The search that has proved it.
      table: Its table.
      file: What it has kept.
      pieces: The most pieces that a smaller table decides.
    """

    def __init__(self, search: ProofSearch, table: EndgameTable, file: Path, pieces: int) -> None:
        self.search, self._table, self._file, self._pieces = search, table, file, pieces
        self._game, self.winner = search.match.game, search.player
        t = self._game.table.words
        self._room, self._kid = words(t, self._game.num_actions), words(t, k.KID_SIZE)
        start = np.array([search.match.state], np.int64)
        self.positions = Positions(start.shape[1])
        self.positions.add(start)
        self._above, self._within = [np.zeros(1, np.int64)], list[np.ndarray]()
        self.searched_again = 0
        self._chosen: dict[int, int] = {}
        self._edges: list[np.ndarray] = []

    def grow(self) -> Iterator[int]:
        """Adds positions until all follow; yields how many there are now and then."""
        while self._above or self._within:
            if not self._above:  # all positions that the table decides, together, since they have most in common
                self._above, self._within = [np.concatenate(self._within)], []
            numbers = self._above.pop()
            if len(numbers) > LOT:
                self._above.append(numbers[LOT:])
            self._look_at(numbers[:LOT])
            yield len(self.positions)

    def records(self) -> Iterator[tuple[np.ndarray, int]]:
        """Each position with its step, ALL_STEPS or BY_TABLE, after those that it leads to."""
        edges = np.concatenate(self._edges)
        edges = edges[np.argsort(edges[:, 0], kind="stable")]
        begins = np.searchsorted(edges[:, 0], np.arange(len(self.positions) + 1)).tolist()
        targets = edges[:, 1].tolist()
        states, is_done = self.positions.states, bytearray(len(self.positions))
        is_decided = count_pieces(states) <= self._pieces
        line = [(0, begins[0])]
        while line:
            number, at = line.pop()
            if at < begins[number + 1]:
                line.append((number, at + 1))
                if not is_done[targets[at]]:
                    is_done[targets[at]] = 1
                    line.append((targets[at], begins[targets[at]]))
                continue
            step = self._chosen.get(number, ALL_STEPS)
            yield states[number], BY_TABLE if is_decided[number] else step

    def _look_at(self, numbers: np.ndarray) -> None:
        states = self.positions.states[numbers].copy()
        movers, steps = steps_from(self._game, states)
        costs = self._costs(states, movers, steps)
        kept = movers[steps.rows] != self.winner
        for row in np.flatnonzero(movers == self.winner):
            own = slice(*np.searchsorted(steps.rows, [row, row + 1]))
            best = own.start + int(np.argmin(costs[own]))
            if not np.isfinite(costs[best]):
                best = own.start + steps.actions[own].tolist().index(self._search_again(states[row]))
            kept[best] = True
            self._chosen[int(numbers[row])] = int(steps.actions[best])
        onward = np.flatnonzero(kept & steps.goes_on)
        found, added = self.positions.add(steps.after[onward])
        self._edges.append(np.stack([numbers[steps.rows[onward]], found], 1))
        new = found[added]
        pieces = count_pieces(self.positions.states[new])
        in_table = pieces <= self._table.pieces
        for wanted, where in ((~in_table, self._above), (in_table & (pieces > self._pieces), self._within)):
            if wanted.any():
                where.append(new[wanted])

    def _costs(self, states: np.ndarray, movers: np.ndarray, steps: Steps) -> np.ndarray:
        """New positions that follow, then what it takes to win; endless for what is not known to win. `[E]`."""
        costs = np.full(len(steps.rows), np.inf)
        own = movers[steps.rows] == self.winner
        costs[own & ~steps.goes_on & (steps.winner == self.winner)] = 0
        in_table = count_pieces(states) <= self._table.pieces
        if len(asked := np.flatnonzero(own & steps.goes_on & in_table[steps.rows])):
            probed = self._table.probe(steps.after[asked])
            player = make_batch(self._game, len(asked)).set(steps.after[asked]).player
            wins = probed.known & (np.where(player == self.winner, probed.value, -probed.value) == 1)
            costs[asked[wins]] = probed.distance[wins]
        for place in np.flatnonzero(own & steps.goes_on & ~in_table[steps.rows]):
            costs[place] = self._work(steps.after[place])
        wins = np.flatnonzero(np.isfinite(costs) & steps.goes_on & (count_pieces(steps.after) > self._pieces))
        new = wins[~self.positions.contains(steps.after[wins])]
        if len(new):
            follows = np.ones(len(new))
            _, replies = steps_from(self._game, steps.after[new])
            large = replies.goes_on & (count_pieces(replies.after) > self._pieces)
            rows = replies.rows[large][~self.positions.contains(replies.after[large])]
            np.add.at(follows, rows, 1)
            costs[new] += follows * 2.0**40  # more than any work
        return costs

    def _work(self, state: np.ndarray) -> float:
        """The positions that the search took to show that the winner wins a state; endless if it has not kept that."""
        known, kid = self.search.known, self._kid
        k.numbers_of(known, copied(self._game.table.words, state), self._room, kid)
        if kid[k.KID_PROOF] != 0:
            return np.inf
        if kid[k.KID_KEY] == 0:
            return 0
        place = k.find_entry(self.search.memory, known.control, kid[k.KID_KEY], kid[k.KID_CHECK])
        return int(self.search.memory[place + k.E_REST]) >> k.WORK_AT

    def _search_again(self, state: np.ndarray) -> int:
        """Searches a position that the search has not kept, with its memory; returns a step that wins."""
        self.searched_again += 1
        match = Match.from_state(self._game, state)
        again = ProofSearch(match, self.winner, self._table, len(self.search.memory) // k.ENTRY_SIZE, self._file)
        if not again.run(NODES) or again.answer.state != PROVED:
            raise click.ClickException(f"{match.position} is not proved: search with more --memory")
        return again.line(PROVED)[0].action


@click.command()
@click.argument("game")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--pieces", required=True, type=int, help="The most pieces that a table decides.")
def main(game: str, files: tuple[Path, ...], pieces: int) -> None:
    """Writes a small proof of the start of GAME to FILES."""
    match = Match(load_game(game))
    table, solution = load_table(match.game), known_solution(match.game)
    if solution is None or solution.winner not in (0, 1):
        raise click.ClickException(f"the start of {game} is not known to be won")
    file = proof_folder(match, table.pieces) / f"player_{solution.winner}.memory"
    if not file.exists():
        raise click.ClickException(f"{file} is missing: solve {game} --from-start first")
    search = ProofSearch(match, solution.winner, table, file.stat().st_size // 8 // k.ENTRY_SIZE, file)
    proof = SmallProof(search, table, file, pieces)
    with Display("Stopped; nothing was written.", counts=False) as display:
        for count in proof.grow():
            display.update(f"{count:,} positions")
    with ExitStack() as stack:
        opened = [stack.enter_context(open_proof_file(path, match, pieces)) for path in files]
        records = [each.begin_section(proof.winner, wins=True) for each in opened if each is not None]
        for state, step in proof.records():
            for record in records:
                record(state.tolist(), step)
    click.echo(f"{len(proof.positions):,} positions; {proof.searched_again:,} searched again")


if __name__ == "__main__":
    main()
