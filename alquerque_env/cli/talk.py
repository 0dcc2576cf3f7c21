"""What may be typed while a match is played in the terminal."""

HELP = (
    ("c2-c3, c2xc4", "play a step"),
    ("c2xc4xe4", "play a whole turn"),
    ("f1xf3^e2", "say which piece is captured where there are two"),
    ("3", "play the third step of the list"),
    ("c2", "show where the piece on c2 can go"),
    ("pass", "end the turn, where that is allowed"),
    ("undo", "go back to your previous turn"),
    ("hint", "ask a bot what it would play"),
    ("board", "show the board and the steps again"),
    ("rules", "show the rules of this game"),
    ("position", "show the position as text"),
    ("quit", "leave; the match is kept, and how to go on is printed"),
)
