"""The dashboard with few of the digits, whose experiments take a second or two."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from cspca.datasets import Dataset, load
from cspca.experiments import memory
from cspca.ui import serving


def load_few(name: str) -> Dataset:
    """Load a built-in set; of the digits, 150 samples."""
    whole = load(name)
    if name != "digits" or whole.target is None:
        return whole
    return replace(whole, data=whole.data[:150], target=whole.target[:150])


memory.load = load_few

app = st.App(
    Path(__file__).parents[2] / "cspca" / "ui" / "entry" / "main.py",
    routes=serving.ROUTES,
    middleware=serving.MIDDLEWARE,
    lifespan=serving.lifespan,
)
