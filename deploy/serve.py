"""The dashboard for more than one: ``streamlit run deploy/serve.py``, options as for app.py."""

from pathlib import Path

import streamlit as st

from cspca.ui import serving

app = st.App(
    Path(__file__).parents[1] / "app.py",
    routes=serving.ROUTES,
    middleware=serving.MIDDLEWARE,
    lifespan=serving.lifespan,
)
