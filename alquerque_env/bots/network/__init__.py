"""Bots that play by a trained network, evaluated with NumPy."""
