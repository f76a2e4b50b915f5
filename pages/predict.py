"""Predict, then reveal: paint the pixels you would keep, and see how they do."""

from cspca.ui import frame
from cspca.ui.predict_page import body

frame.page(
    title=lambda nouns: f"Which {nouns.features} would you keep?",
    lead=lambda nouns: (
        f"Choose the {nouns.features} that you think matter, then see them beside CSPCA’s, "
        "variance’s and chance’s."
    ),
    body=body,
)
