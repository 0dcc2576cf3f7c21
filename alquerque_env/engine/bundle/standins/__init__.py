"""What MicroPython lacks of Python's library, as far as the engine needs it. `bundle.micropython` puts it in its place.

These modules run in the bundle only, where their own source is rewritten too.
"""
