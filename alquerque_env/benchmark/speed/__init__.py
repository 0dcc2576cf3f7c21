"""Measures of speed, each beside a peer or a limit in the same run."""
