"""Predict, then reveal: paint the pixels you would keep, and compare them with CSPCA's."""

from cspca.ui import frame
from cspca.ui.predict_page import body

frame.page(
    "predict",
    question=lambda nouns: f"Which {nouns.features} would you keep?",
    lead=lambda nouns: (
        f"Choose the {nouns.features} you think matter, then compare them with CSPCA’s, with those "
        "that vary most, and with chance."
    ),
    body=body,
)
