"""A face as a matrix: what shrinking its singular values, the step of the trace norm, leaves."""

import numpy as np

from cspca.datasets import make_faces
from cspca.proximal import count_rank, shrink_singular_values

face = make_faces(n_people=2, n_per_person=1, image_size=24).data[1].reshape(24, 24)
mean = face.mean()
before = np.linalg.svd(face - mean, compute_uv=False)
betas = 1.6 * np.linspace(0.02, 1, 33) ** 2
shrunk = [shrink_singular_values(face - mean, beta).value for beta in betas]
after = np.array([np.linalg.svd(matrix, compute_uv=False) for matrix in shrunk])
ranks = [count_rank(sigma) for sigma in after]
