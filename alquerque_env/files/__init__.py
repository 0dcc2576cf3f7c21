"""Files written whole, locked, grown line by line, or read as typed objects; and the folders of a user."""
