"""Theorem 1: maps of rank k that rebuild as PCA does, and those that the printed words allow."""

import numpy as np
from scipy import linalg

from cspca.datasets import make_faces

faces = make_faces(n_people=12, n_per_person=5, image_size=16).data
mean = faces.mean(axis=0)
A = faces - mean
rank, k, shown = len(A) - 1, 5, 10
V = linalg.svd(A)[2].T
U, rest, null = V[:, :k], V[:, k:rank], V[:, rank:]
pca = A @ U @ U.T
pca_error = np.linalg.norm(pca - A)

# Q turns, the length of every column of B, the paper's β, grows; both are arbitrary.
rng = np.random.default_rng(0)
skew = rng.standard_normal((k, k))
skew -= skew.T
block = rng.standard_normal((V.shape[1] - k, k))
block /= linalg.norm(block, axis=0)
turns, sizes = np.linspace(0, 1, 6), np.linspace(0, 25, 11)
images, errors, apart = {}, {}, {}
for i, turn in enumerate(turns):
    Q = linalg.expm(turn * skew)
    for j, size in enumerate(sizes):
        B = size * block
        true = A @ (U + null @ B[rank - k :] @ Q.T) @ U.T
        printed = A @ (U + np.hstack([rest, null]) @ B @ Q.T) @ U.T
        images[i, j] = true[shown] + mean, printed[shown] + mean
        errors[i, j] = [np.linalg.norm(rebuilt - A) for rebuilt in (true, printed)]
        apart[i, j] = np.linalg.norm(true - pca) / np.linalg.norm(pca)
