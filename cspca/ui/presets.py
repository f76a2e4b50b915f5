"""The presets that teach, as data: one click opens Explore with something to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import streamlit as st

from cspca.experiments.fit import Fit
from cspca.ui import keys, state


@dataclass(frozen=True)
class Preset:
    """A view worth opening: its `teaser` on the card, its `lesson` above what is to be seen."""

    name: str
    title: str
    teaser: str
    lesson: str
    icon: str
    data: str
    fit: Fit
    top_k: int
    mode: state.Mode = "penalties"
    truth: bool = False


PRESETS: Final = (
    Preset(
        name="identity-pixels",
        title="Find the identity pixels",
        teaser="The faces are rendered, so it is known which pixels tell people apart. "
        "Does the fit find them?",
        lesson="The known maps below come from rendering the same faces again with one thing "
        "changing at a time; the fit never sees a name. Raise α and watch which pixels stay "
        "longest, and with which known map their order agrees.",
        icon=":material/face:",
        data="faces",
        fit=Fit(alpha=0.1, beta=0.02),
        top_k=100,
        truth=True,
    ),
    Preset(
        name="too-little-too-much",
        title="Too little, too much",
        teaser="One drag from every pixel to none: the three regimes of the two penalties.",
        lesson="Drag the penalty from left to right. At the left end every pixel is kept as it is "
        "and all tie; in the middle some are exactly zero, and only there a ranking means "
        "something; at the right end nothing is left.",
        icon=":material/swap_horiz:",
        data="digits",
        fit=Fit(alpha=0.02, beta=0.02),
        top_k=20,
        mode="path",
    ),
    Preset(
        name="ten-iterations",
        title="Is ten iterations enough?",
        teaser="The paper's Algorithm 1 looks flat after ten steps. The certificate says how far "
        "from the optimum it is.",
        lesson="Both solvers on one chart. Algorithm 1 flattens early, yet its objective stays "
        "above the optimum; the certified solver's bound rises to meet its objective, which "
        "proves that nothing better exists.",
        icon=":material/show_chart:",
        data="faces",
        fit=Fit(alpha=0.1, beta=0.02, solver="both"),
        top_k=100,
    ),
    Preset(
        name="digit-strokes",
        title="Digits: which strokes matter?",
        teaser="Handwritten digits of 8 × 8 pixels: which of the 64 are needed to rebuild them?",
        lesson="The left and right edges of the frame are dark: hardly a digit is drawn there. "
        "Click a pixel of the map to see what it is used for, and move k to see which strokes "
        "survive.",
        icon=":material/draw:",
        data="digits",
        fit=Fit(alpha=0.4, beta=0.02),
        top_k=20,
    ),
)


def find(name: str | None) -> Preset | None:
    """Return the preset of that name, if there is one."""
    return next((preset for preset in PRESETS if preset.name == name), None)


def apply(preset: Preset) -> None:
    """Set the view to a preset (a button's callback)."""
    state.use_data(preset.data)
    state.open_fit(preset.fit, preset.top_k)
    values = {
        keys.PRESET: preset.name,
        keys.MODE: preset.mode,
        keys.AXIS: "iteration",
        keys.TRUTH: preset.truth,
    }
    for key, value in values.items():
        st.session_state[key] = value


def cards() -> None:
    """Draw one card a preset; a click opens it on Explore."""
    chosen = None
    with st.container(key=keys.BOX_PRESETS):
        for preset, cell in zip(PRESETS, st.columns(len(PRESETS)), strict=True):
            with cell.container(border=True, height="stretch"):
                if st.button(
                    preset.title,
                    key=f"preset_{preset.name}",
                    icon=preset.icon,
                    on_click=apply,
                    args=(preset,),
                    width="stretch",
                ):
                    chosen = preset
                st.caption(preset.teaser)
    if chosen is not None:
        st.switch_page("pages/explore.py", query_params=state.address())
