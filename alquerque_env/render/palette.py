"""The colours of all pictures.

The sides differ in lightness and the marks in shape, so that no meaning hangs on hue alone; the accents are blue and
orange, which all common kinds of colour vision keep apart.
"""

from .shapes import Radial, Vertical

FRAME = Vertical("frame", "#5b4030", "#4a3326")
FRAME_EDGE = "#3a281e"
FIELD = Vertical("field", "#e2c396", "#d3ad78")
FIELD_EDGE = "#35241a"
LINE = "#5f432d"
LABEL = "#e8d3b0"
POINT_LABEL = "#4a3326"

# One for each player: South is ivory, North is slate.
PIECE_FILL = (
    Radial("south", "#fffdf6", "#dccfb2", (-0.35, -0.4)),
    Radial("north", "#5d6672", "#1d2127", (-0.35, -0.4)),
)
PIECE_RIM = ("#6e5a3c", "#0d0f12")
PIECE_GROOVE = ("#c9b88f", "#4b535e")
CROWN = "#f2bb3a"
CROWN_EDGE = ("#6b4705", "#2a1d02")
CROWN_RING = ("#c98d12", "#e9b53a")
SHADOW = "#2a1a0e"
SHADOW_SOFT = "#2a1a0e4d"

TRAVEL = "#1f5f9e"
LEGAL = "#0a5a9c"
LEGAL_RIM = "#f4faff"
GLOW = "#fffbe0"
VICTIM = "#cc4a00"
VICTIM_RIM = "#fff3e6"
