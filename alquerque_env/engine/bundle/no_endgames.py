"""What searches ask of an endgame table, for programs that carry none."""

from typing import Any

INDEX_HEAD = 142
"""The words of the head of an index, all 0, which says that no position is known."""


class Endgames:
    """Replaces `alquerque_env.solve.tables.search_probe.Endgames`."""

    def __init__(self, _table: None) -> None:
        self.index = [0] * INDEX_HEAD
        self.codes = [0]

    def best(self, _match: Any) -> list[Any]:
        """No steps: none are known to be best."""
        return []

    def keeping(self, match: Any) -> frozenset[int]:
        """All steps."""
        return frozenset([step.action for step in match.legal_steps])
