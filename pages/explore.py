"""Explore: move the penalties and see which pixels stay."""

from cspca.ui import frame
from cspca.ui.explore_page import body

frame.page(
    title="What do α and β keep?",
    lead=lambda nouns: (
        f"α sets {nouns.features} to exactly zero, β lowers the rank. Every fit says how close to "
        "the best possible it is proven to be."
    ),
    body=body,
)
