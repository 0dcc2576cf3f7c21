"""Bots in a process of their own: UGI engines and exported players."""
