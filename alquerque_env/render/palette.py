"""The colours of all pictures.

The two sides differ in lightness and the marks differ in shape, so that no meaning depends on hue alone. The accents
are blue and orange, which people with any common form of colour blindness can tell apart.
"""

FRAME = "url(#alquerque-frame)"
FRAME_BOTTOM = "#4a3326"
FIELD = "url(#alquerque-field)"
FIELD_EDGE = "#35241a"
LINE = "#5f432d"
DARK_SQUARE = "#b7875a"
LIGHT_SQUARE = "#f1dfba"
LABEL = "#e8d3b0"
POINT_LABEL = "#4a3326"
SQUARE_LABEL = "#301d10"
CLOSED = "#8a8a8a"

# One for each player: South is ivory, North is slate.
PIECE_FILL = ("url(#alquerque-south)", "url(#alquerque-north)")
PIECE_RIM = ("#6e5a3c", "#0d0f12")
PIECE_GROOVE = ("#c9b88f", "#4b535e")
ANIMAL = ("#3a2713", "#f4ead2")
CROWN = "#f2bb3a"
CROWN_EDGE = ("#6b4705", "#2a1d02")
CROWN_RING = ("#c98d12", "#e9b53a")
SHADOW = "#2a1a0e"
SHADOW_SOFT = "#2a1a0e4d"

TRAVEL = "#1f5f9e"
LEGAL = "#0a5a9c"
LEGAL_RIM = "#f4faff"
GLOW = "#fffbe0"
VICTIM = "#a63c00"
VICTIM_RIM = "#fff8f0"

# Frame and field are shaded from top to bottom, pieces from a bright spot at their upper left.
_DOWN = 'linearGradient x2="0" y2="1"'
_ROUND = 'radialGradient fx="0.33" fy="0.3"'
_SHADINGS = {
    "frame": (_DOWN, "#5b4030", FRAME_BOTTOM),
    "field": (_DOWN, "#e2c396", "#d3ad78"),
    "south": (_ROUND, "#fffdf6", "#dccfb2"),
    "north": (_ROUND, "#5d6672", "#1d2127"),
}


def gradient(name: str) -> str:
    """Returns the SVG element that defines a fill, such as "frame" for `url(#alquerque-frame)`."""
    shading, first, last = _SHADINGS[name]
    element, *attributes = shading.split()
    stops = f'<stop offset="0" stop-color="{first}"/><stop offset="1" stop-color="{last}"/>'
    return f'<{element} id="alquerque-{name}" {" ".join(attributes)}>{stops}</{element}>'
