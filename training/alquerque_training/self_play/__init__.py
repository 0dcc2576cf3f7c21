"""Self-play with a search, in one process or several."""
