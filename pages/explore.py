"""Explore: move the penalties and see which pixels stay."""

from cspca.ui import frame
from cspca.ui.explore_page import body

frame.page(
    title="What do α and β keep?",
    lead=lambda nouns: (
        f"On the whole, a larger α leaves fewer {nouns.features} and a larger β a lower rank. The "
        f"score of a {nouns.feature} says how much the map uses it, for itself and for others, at "
        "these penalties. Every fit says how close to the best possible it is proven to be."
    ),
    body=body,
)
