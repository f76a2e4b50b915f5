"""Theory: why a shown gap is true, and why rows become zero."""

from cspca.ui import frame
from cspca.ui.theory_page import body

frame.page(
    "theory",
    question="Why is it true?",
    lead="The whole derivation, and eight interactive figures of it.",
    body=body,
)
