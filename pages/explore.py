"""Explore: move the penalties and see which pixels stay."""

from cspca.datasets import PICTURE_NOUNS, Nouns
from cspca.ui import frame
from cspca.ui.explore_page import body


def lead(nouns: Nouns) -> str:
    """Say what the page shows."""
    if nouns == PICTURE_NOUNS:
        scores = "The brighter a pixel"
    else:
        scores = f"The higher the score of a {nouns.feature}"
    # One line on a small screen, where all of the stage has to be in sight.
    return f"{scores}, the more the map uses it, for itself and for others, at these α, β."


frame.page("explore", lambda nouns: f"Which {nouns.features} matter?", lead, body)
