"""The dashboard with few of the digits, whose experiments take a second or two."""

from pathlib import Path

import streamlit as st

from cspca.experiments import memory
from cspca.ui import serving
from tests.few import load_few

memory.load = load_few

app = st.App(
    Path(__file__).parents[2] / "cspca" / "ui" / "entry" / "main.py",
    routes=serving.ROUTES,
    middleware=serving.MIDDLEWARE,
    lifespan=serving.lifespan,
)
