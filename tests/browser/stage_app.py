"""A page with nothing but the pixel map, for the tests of the component."""

import numpy as np
import streamlit as st

from cspca.ui.components.stage import stage

scale = st.number_input("scale", value=1.0)
with st.container(key="square"):
    stage(
        scale * np.arange(1024.0),
        (32, 32),
        key="map",
        selected="pixel",
        top_k=100,
        proven=(
            np.r_[np.inf, np.inf, 0.26, np.full(1021, np.inf)],
            5,
            "Proven at most 5 % of the top: 1",
        ),
        stale=scale > 5,
    )
st.write(f"picked {st.session_state.get('pixel')}")


@st.fragment(run_every=0.3)
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
