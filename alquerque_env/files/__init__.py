"""Files written whole, locked, grown line by line or read as typed objects; JSON for browsers; folders of a user."""
