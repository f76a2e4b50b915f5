"""The dashboard with few of the digits, whose Compare begins by itself with one number of pixels.

With the usual four its preview takes as long as all other pages together.
"""

from pathlib import Path

import streamlit as st

from cspca.experiments import memory
from cspca.ui import compare_page, serving
from tests.few import load_few

memory.load = load_few
compare_page.usual_counts = lambda n_features: (n_features // 8,)

app = st.App(
    Path(__file__).parents[2] / "cspca" / "ui" / "entry" / "main.py",
    routes=serving.ROUTES,
    middleware=serving.MIDDLEWARE,
    lifespan=serving.lifespan,
)
