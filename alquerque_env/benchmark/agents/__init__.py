"""Agents that the benchmark measures: bots, and functions from observation and action mask to an action."""
