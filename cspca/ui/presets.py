"""The presets that teach, as data: one click opens Explore with something to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import streamlit as st

from cspca.experiments.fit import Fit
from cspca.ui import state
from cspca.ui.state import View


@dataclass(frozen=True)
class Preset:
    """A view worth opening: its `teaser` on the card, its `lesson` above what is to be seen."""

    title: str
    teaser: str
    lesson: str
    icon: str
    view: View


PRESETS: Final = (
    Preset(
        title="Find the identity pixels",
        teaser="The faces are rendered, so it is known which pixels tell people apart. "
        "Does the fit find them?",
        lesson="The known maps below come from rendering the same faces again with one thing "
        "changing at a time; the fit never sees a name. Raise α and watch which pixels stay "
        "longest, and with which known map their order agrees.",
        icon=":material/face:",
        view=View(
            preset="identity-pixels",
            data="faces",
            fit=Fit(alpha=0.1, beta=0.02),
            k=100,
            truth=True,
        ),
    ),
    Preset(
        title="Too little, too much",
        teaser="One drag from every pixel to none: the three regimes of the two penalties.",
        lesson="Drag the penalty from left to right. At the left end every pixel is kept as it is "
        "and all tie; in the middle some are exactly zero, and only there a ranking means "
        "something; at the right end nothing is left.",
        icon=":material/swap_horiz:",
        view=View(
            preset="too-little-too-much",
            data="digits",
            fit=Fit(alpha=0.02, beta=0.02),
            k=20,
            mode="path",
        ),
    ),
    Preset(
        title="Is ten iterations enough?",
        teaser="The paper's Algorithm 1 looks flat after ten steps. The certificate says how far "
        "from the optimum it is.",
        lesson="Both solvers on one chart. Algorithm 1 flattens early, yet its objective stays "
        "above the optimum; the certified solver's bound rises to meet its objective, which "
        "proves that nothing better exists.",
        icon=":material/show_chart:",
        view=View(
            preset="ten-iterations",
            data="faces",
            fit=Fit(alpha=0.1, beta=0.02, solver="both"),
            k=100,
        ),
    ),
    Preset(
        title="Digits: which strokes matter?",
        teaser="Handwritten digits of 8 × 8 pixels: which of the 64 are needed to rebuild them?",
        lesson="The left and right edges of the frame are dark: hardly a digit is drawn there. "
        "Click a pixel of the map to see what it is used for, and move k to see which strokes "
        "survive.",
        icon=":material/draw:",
        view=View(
            preset="digit-strokes",
            data="digits",
            fit=Fit(alpha=0.4, beta=0.02),
            k=20,
        ),
    ),
)


def find(name: str) -> Preset | None:
    """Return the preset of that name, if there is one."""
    return next((preset for preset in PRESETS if preset.view.preset == name), None)


def cards() -> None:
    """Draw one card a preset; a click opens it on Explore."""
    with st.container(key="presets"):
        for preset, cell in zip(PRESETS, st.columns(len(PRESETS)), strict=True):
            with cell.container(border=True, height="stretch"):
                if st.button(
                    preset.title,
                    key=f"preset_{preset.view.preset}",
                    icon=preset.icon,
                    width="stretch",
                ):
                    opened = state.address_of(preset.view)
                    st.switch_page("pages/explore.py", query_params=opened)
                st.caption(preset.teaser)
