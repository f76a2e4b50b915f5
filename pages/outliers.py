"""Outliers: where a subspace is found exactly, where it is not, and which pictures are odd."""

from cspca.ui import frame
from cspca.ui.outliers_page.sections import body

frame.page(
    title=lambda nouns: f"Which {nouns.samples} do not belong?",
    lead=lambda nouns: (
        f"The ℓ2,1 loss promises that wrong {nouns.samples} do little harm: exactly so in a window "
        "of β on hidden subspaces, hardly on photographs."
    ),
    body=body,
)
