"""Files written whole, locked, or grown line by line."""
