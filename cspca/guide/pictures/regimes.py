"""Small faces from all pixels to none: one fit for every value of α = β."""

import numpy as np

from cspca import CSPCA
from cspca.datasets import make_faces

faces = make_faces(n_people=20, n_per_person=20, image_size=8)
varying = int(np.count_nonzero(np.ptp(faces.data, axis=0)))
penalties = np.geomspace(1e-6, 1, 25)
model = CSPCA(warm_start=True)
# From the largest penalty down: each fit starts from the one before.
fits = [
    model.set_params(alpha=penalty, beta=penalty).fit(faces.data).fit_
    for penalty in penalties[::-1]
]
fits = fits[::-1]
used = [int(np.count_nonzero(fit.feature_scores)) for fit in fits]
