"""What the benchmark measures: bots, and functions of observation and action mask."""
