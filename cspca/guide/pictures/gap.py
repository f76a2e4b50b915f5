"""The plain solver from W = 0 on: best objective and best proven bound after every iteration."""

from itertools import islice

import numpy as np

from cspca.datasets import make_faces
from cspca.preprocessing import reduce_data
from cspca.problem import Problem
from cspca.solvers.plain import Plain, PlainState

faces = make_faces(n_people=10, n_per_person=8, image_size=12)
reduced = reduce_data(faces.data)
problem = Problem(reduced, alpha=0.1 * reduced.alpha_max, beta=0.02 * reduced.beta_max)
# At W = 0 every image is an error.
course = [[float(reduced.sample_norms.sum()), 0.0]]
for iterate in islice(Plain().iterate(problem), 24):
    state = iterate.state
    assert isinstance(state, PlainState)
    state.check()
    course.append([state.best_objective, state.bound.value])
objective, bound = np.array(course).T
gap = (objective - bound) / objective
