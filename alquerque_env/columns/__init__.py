"""The second reader of step tables: plays many matches of a game at once, a word of each in a column.

`engine.py` looks at one match and branches as it needs; here no match goes a way of its own, so that vectors, or NumPy,
can do the same to all. The rules in which captures are compared with each other, and memory kept point by point, are
left to the engine. The tests hold both equal, on every game and option.
"""
