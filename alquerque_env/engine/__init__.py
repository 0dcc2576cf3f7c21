"""The rules of play on one state: legal actions, apply, outcome, observe."""
