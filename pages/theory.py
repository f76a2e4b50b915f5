"""Theory: why a shown gap is true, and why rows become zero."""

from cspca.ui import frame
from cspca.ui.theory_page import body

frame.page(
    title="Why is it true?",
    lead="The whole derivation, and eight pictures of it that answer to the hand.",
    body=body,
)
