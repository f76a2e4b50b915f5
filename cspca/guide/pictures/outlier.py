"""One image of two pixels is dragged away from a cloud of twenty: what PCA and CSPCA keep."""

import numpy as np

from cspca import CSPCA

rng = np.random.default_rng(1)
cloud = rng.standard_normal((20, 2)) * [1.5, 0.15]
cloud -= cloud.mean(axis=0)
far = np.array([2, 4, 6, 8, 12, 16, 20, 28])
across, up = (np.concatenate([-steps[::-1], [0], steps]) for steps in (far[1::2], far))


def look(image):
    """PCA's map of rank 1 and CSPCA's, its rank, the image's share not rebuilt, its influence."""
    images = np.vstack([cloud, image])
    axis = np.linalg.svd(images - images.mean(axis=0))[2][0]
    model = CSPCA(alpha=0, beta=0.6, solver="plain", tol=1e-5, max_iter=5000).fit(images)
    Z, U = model.fit_.map
    error = model.sample_residuals_[-1] / max(np.linalg.norm(image - model.mean_), 1e-12)
    return np.outer(axis, axis), Z @ U.T, model.rank_, error, model.sample_influence_[-1]


looks = [[look([x, y]) for y in up] for x in across]
pca, cspca_map, rank, error, influence = (
    np.array([[line[part] for line in row] for row in looks]) for part in range(5)
)


def turn(maps):
    """Degrees from the first axis of the cloud to that of a map."""
    axis = np.linalg.svd(maps)[0][..., 0]
    return np.degrees(np.arccos(np.minimum(1, np.abs(axis @ np.linalg.svd(cloud)[2][0]))))


turned = np.stack([turn(pca), turn(cspca_map)], axis=-1)
