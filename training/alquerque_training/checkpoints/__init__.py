"""Checkpoints: writing, reading, quantising, and the bot that plays one with torch."""
