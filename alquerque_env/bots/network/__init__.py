"""Bots that a trained network guides, evaluated with NumPy alone."""
