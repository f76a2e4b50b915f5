"""Outliers: exact recovery of a subspace, and rankings of suspicious images."""

from cspca.ui import frame
from cspca.ui.outliers_page.sections import body

frame.page(
    "outliers",
    question=lambda nouns: f"Which {nouns.samples} do not belong?",
    lead=lambda nouns: (
        f"Some {nouns.samples} are wrong, rare, or only of a large norm. Who finds them, and is it "
        "more than their norm?"
    ),
    body=body,
)
