"""The rules of play: legal actions, the state after an action, the outcome, what an observation shows.

They are written here once. `binding.py` binds this text to two kinds of words: integers for one match, in
`rules_scalar.py`, and tensors for many matches at once, in `rules_torch.py`. It reads as if it were for one match. At
`if any_of(flag)` one match takes the branch if its flag is set; many matches take every branch, and `where` chooses for
each.

The rules know no game. They read a step table, which `game/step_table.py` compiles from a game. A state holds
everything that they look at, except earlier positions of the match. Arguments are not checked: actions must be legal.

| File | |
|---|---|
| `actions.py` | the legal actions |
| `transition.py` | the state after an action |
| `ends.py` | the outcome: whether a match has ended, why, and who has won |
| `victims.py` | the enemies that a capture takes |
| `compared_captures.py` | rules that compare captures with each other |
| `undo_memory.py` | the no-undo rule: which steps back a piece may not take |
| `states.py` | whole states: copied, compared, hashed; and the points that no piece may enter |
| `observation.py` | what a plane of the observation shows |

Steps are found, listed and read in one way for one match, in `moves.py`, and in another for many matches, in
`torch_moves.py`.

Arguments that many functions share:
  rules: The step table.
  state: A state, see `fields.py`.
  scratch: What the functions that find steps read and write.
  actions: Where they leave the actions.
"""

from .actions import legal_actions as legal_actions
from .ends import outcome as outcome, reward_of as reward_of, winner_of as winner_of
from .observation import in_frame as in_frame, shown as shown
from .states import (
    closed_points as closed_points,
    copy_state as copy_state,
    is_start as is_start,
    mix as mix,
    position_key as position_key,
)
from .transition import apply_action as apply_action
