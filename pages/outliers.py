"""Outliers: where a subspace is found exactly, where it is not, and which pictures are odd."""

from cspca.ui import frame
from cspca.ui.outliers_page.sections import body

frame.page(
    title=lambda nouns: f"Which {nouns.samples} do not belong?",
    lead=lambda nouns: (
        "A loss that is not squared can find a hidden subspace exactly, in a window of β, among "
        f"wrong {nouns.samples} of usual norm. On photographs it hardly helps, and against one "
        f"{nouns.sample} of a very large norm not at all."
    ),
    body=body,
)
