"""Explore: move the penalties and see which pixels stay."""

from cspca.ui import frame
from cspca.ui.explore_page import body

frame.page(
    title="What do α and β keep?",
    lead=lambda nouns: (
        f"The score of a {nouns.feature}: how much the map uses it, for itself and for others, at "
        "these penalties."
    ),
    body=body,
)
