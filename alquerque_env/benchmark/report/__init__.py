"""Results of the benchmark as tables, charts and a leaderboard."""
