"""The source code of the package as one file, for programs that run without it: under CPython or under MicroPython.

| File | |
|---|---|
| `bundler.py` | takes the definitions that a program needs |
| `recipes.py` | what to change in them, so that a program plays matches without the compiler of games |
| `game_data.py`, `carried_game.py` | writes a compiled game as data, and reads it there; lists in place of arrays |
| `micropython.py`, `standins/` | rewrites what MicroPython lacks |
"""
