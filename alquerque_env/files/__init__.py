"""Files written whole, locked, grown line by line, or read as typed objects; JSON for browsers; the folders of a user."""
