"""One match, for people: steps, undo, position text, records and perft."""
