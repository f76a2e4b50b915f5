"""The server: ``streamlit run app.py``."""

from pathlib import Path

import streamlit as st

from cspca.ui import serving

app = st.App(
    Path(__file__).parent / "cspca" / "ui" / "entry" / "main.py",
    routes=serving.ROUTES,
    middleware=serving.MIDDLEWARE,
    lifespan=serving.lifespan,
)
