"""A page with nothing but stages, for the tests of the component."""

import numpy as np
import streamlit as st

from cspca.figures.style import DIVERGING, IMPORTANCE
from cspca.figures.words import from_optimum
from cspca.ui.components.film import put_on_shelf
from cspca.ui.components.stage import beside, stage

best = int(st.number_input("best", value=100))
scale = st.number_input("scale", value=1.0)
with st.container(key="square"):
    stage(
        scale * np.arange(1024.0),
        (32, 32),
        key="map",
        selected="pixel",
        top_k=best,
        k_moves=best,
        proven=(
            np.r_[np.inf, np.inf, 0.26, np.full(1021, np.inf)],
            5,
            "1 pixel: at most 5 % of the best score (proven)",
        ),
        stale=scale > 5,
    )
st.write(f"picked {st.session_state.get('pixel')}")


@st.fragment(run_every=None if "still" in st.query_params else 0.3)
def moving() -> None:
    tick = st.session_state["tick"] = st.session_state.get("tick", 0) + 1
    with st.container(key="moving"):
        stage(
            np.roll(np.arange(1.0, 1025.0), tick), (32, 32), key="live", selected="none", height=160
        )


moving()
with st.container(key="bars"):
    stage(
        np.array([1.0, 0.0, 3.0, 2.0]),
        None,
        key="bar map",
        selected="bar",
        names=["<img src=x onerror=alert(1)>", "b", "c", "d"],
    )
with st.container(key="held"):
    stage(
        np.array([1.0, 0.0, 3.0, 2.0]),
        None,
        key="held bars",
        selected="held bar",
        numbers=[("in use", "3 of 4", "")],
        pinned={
            "scores": np.array([2.0, 1.0, 0.0, 2.0], "<f4"),
            "name": "A: α = 0.1, β = 0.02",
            "numbers": ["3 of 4"],
            "colours": IMPORTANCE,
            "signed": DIVERGING,
        },
    )


# A film of 200 frames: at frame i the pixels from 5 i on are in use.

FRAMES = 200
VALUES = [round(0.01 * 10 ** (2 * at / (FRAMES - 1)), 6) for at in range(FRAMES)]


def levels(at: int) -> np.ndarray:
    """Levels of a frame: its pixel 5 at is the first in use, the strongest is the last."""
    there = np.arange(1024)
    return np.where(there >= 5 * at, 1 + there * 254 // 1023, 0).astype(np.uint8)


@st.cache_data
def film(count: int) -> dict[str, object]:
    """The first film, or so many of its frames, evenly."""
    there = np.unique(np.linspace(0, FRAMES - 1, count).astype(int)).tolist()
    track = {
        "title": "Certified",
        "colour": "#0072B2",
        "top": 2.0,
        "scores": np.stack([levels(at) for at in there]),
        "rebuilt": np.stack([levels(at)[::-1] for at in there]),
        "objective": [1000.0 + at for at in there],
        "bound": [999.0 + at for at in there],
        "proven": [from_optimum(1 / (1000 + at)) for at in there],
        "used": [1024 - 5 * at for at in there],
        "rank": [max(1, 30 - at // 8) for at in there],
    }
    colours = np.vstack([[32, 34, 38], IMPORTANCE[1:]]).astype(np.uint8)
    return {
        "along": "alpha",
        "title": "The objective along α",
        "values": VALUES,
        "there": there,
        "tracks": [track],
        "colours": colours,
    }


alpha = st.session_state.setdefault("alpha", VALUES[0])
frames = st.number_input("frames", value=FRAMES, min_value=1)


def take(along: str, value: float) -> None:
    st.session_state[along] = value


index = VALUES.index(alpha)
with st.container(key="played"):
    stage(
        levels(index) / 255.0,
        (32, 32),
        key="player",
        selected="played_pixel",
        on_let_go=take,
        top_k=100,
        picture=beside(np.linspace(0, 1, 1024).reshape(32, 32), "Picture 1"),
        course={
            "title": "How close?",
            "alt": "",
            "across": "Iteration",
            "quiet": "#4b5563",
            "lines": [
                {
                    "name": "Certified",
                    "colour": "#0072B2",
                    "x": [1, 2, 3],
                    "best": [1100, 1020, 1001],
                    "bound": [None, 900, 1000],
                    "proven": [from_optimum(one) for one in (0.1, 0.02, 0.001)],
                }
            ],
        },
        numbers=[
            (name, "1", "", name in ("objective", "limit"))
            for name in ("pixels in use", "rank", "objective", "limit")
        ],
        films={"alpha": {"key": "first", "there": True, "now": alpha}},
        asked={"alpha": alpha},
    )
put_on_shelf("first", film(int(frames)), str(frames))
st.write(f"alpha is {alpha}")
