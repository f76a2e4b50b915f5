"""One image of two pixels is dragged through a cloud of forty: the first axis of PCA and CSPCA."""

import numpy as np

from cspca import CSPCA

rng = np.random.default_rng(1)
cloud = rng.standard_normal((40, 2)) * [1.5, 0.15]
cloud -= cloud.mean(axis=0)
across, up = np.linspace(-12, 12, 13), np.linspace(-10, 10, 11)


def axes(images):
    """The first axis of both."""
    pca = np.linalg.svd(images - images.mean(axis=0))[2][0]
    model = CSPCA(alpha=0, beta=28, penalty_scale="absolute", solver="plain").fit(images)
    return np.array([pca, model.components_[0]])


alone = axes(cloud)
found = np.array([[axes(np.vstack([cloud, [x, y]])) for y in up] for x in across])
turned = np.degrees(np.arccos(np.minimum(1, np.abs((found * alone).sum(axis=-1)))))
