"""The best of 30 pixels of the digits, once and copied: what each copy keeps (theory.md §19)."""

import numpy as np

from cspca import CSPCA
from cspca.datasets import load

digits = load("digits").data
most_varying = np.sort(np.argsort(-digits.var(axis=0), kind="stable")[:30])
pixels = digits[:, most_varying]
model = CSPCA(alpha=0.1, beta=0.1, tol=1e-5)
best = int(model.fit(pixels).feature_order_[0])
counts = np.arange(1, 5)
# The copies stand last.
scores = [
    model.fit(np.hstack([pixels, *[pixels[:, [best]]] * (count - 1)])).feature_scores_
    for count in counts
]
