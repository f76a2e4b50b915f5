"""The presets that teach, as data: one click opens Explore with something to see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from cspca.experiments.fit import Fit
from cspca.ui.state import STARTS, View


@dataclass(frozen=True)
class Preset:
    """A view worth opening: its `teaser` on the card, its `lesson` above what is to be seen."""

    title: str
    teaser: str
    lesson: str
    icon: str
    view: View


_FACES, _DIGITS = STARTS["faces"], STARTS["digits"]

PRESETS: Final = (
    Preset(
        "Find the identity pixels",
        "The faces are rendered, so it is known which pixels tell people apart. "
        "Does the fit find them?",
        "The known maps below come from rendering the same faces again with one thing "
        "changing at a time; the fit never sees a name. Raise α and watch which pixels stay "
        "longest, and with which known map their order agrees.",
        ":material/face:",
        View("faces", preset="identity-pixels", fit=_FACES, k=100, truth=True),
    ),
    Preset(
        "Too little, too much",
        "One drag from every pixel to none: the three regimes of the two penalties.",
        "Drag the penalty from left to right. At the left end every pixel is kept as it is "
        "and all tie; in the middle some are exactly zero, and only there a ranking means "
        "something; at the right end nothing is left.",
        ":material/swap_horiz:",
        View("digits", "path", preset="too-little-too-much", fit=Fit(0.02, 0.02), k=20),
    ),
    Preset(
        "Is ten iterations enough?",
        "The paper's Algorithm 1 looks flat after ten steps. The certificate says how far "
        "from the optimum it is.",
        "Both solvers on one chart. Algorithm 1 flattens early, yet its objective stays "
        "above the optimum; the certified solver's bound rises to meet its objective, which "
        "proves that nothing better exists.",
        ":material/show_chart:",
        View("faces", preset="ten-iterations", fit=replace(_FACES, solver="both"), k=100),
    ),
    Preset(
        "Digits: which strokes matter?",
        "Handwritten digits of 8 × 8 pixels: which of the 64 are needed to rebuild them?",
        "The left and right edges of the frame are dark: hardly a digit is drawn there. "
        "Click a pixel of the map to see what it is used for, and move k to see which strokes "
        "survive.",
        ":material/draw:",
        View("digits", preset="digit-strokes", fit=_DIGITS, k=20),
    ),
)
