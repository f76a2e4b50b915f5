"""The best of 30 pixels of the digits, once and copied: what each copy keeps (theory.md §19)."""

import numpy as np

from cspca import CSPCA
from cspca.datasets import load

digits = load("digits").data
most_varying = np.sort(np.argsort(-digits.var(axis=0), kind="stable")[:30])
pixels = digits[:, most_varying]
model = CSPCA(tol=1e-5).fit(pixels)
best = int(model.feature_scores_.argmax())
counts = np.arange(1, 5)
scores = [model.feature_scores_]
for count in counts[1:]:
    copies = np.repeat(pixels[:, [best]], count - 1, axis=1)
    # The copies stand last.
    scores.append(CSPCA(tol=1e-5).fit(np.hstack([pixels, copies])).feature_scores_)
