"""Residuals of a fit are those of its W, whether a check had them or not."""

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import make_faces


@pytest.mark.parametrize("penalties", [(0.1, 0.05), (0.01, 0.002), (0.02, 0.0), (2.0, 0.1)])
@pytest.mark.parametrize("max_iter", [1, 500])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_residuals_belong_to_the_map(penalties, max_iter) -> None:
    A = make_faces(n_people=8, n_per_person=8, image_size=16).data.astype(np.float64)
    model = CSPCA(*penalties, max_iter=max_iter).fit(A)
    away = model.reconstruct(A) - A
    np.testing.assert_allclose(model.sample_residuals_, np.linalg.norm(away, axis=1), atol=2e-5)
    again = CSPCA(*penalties, max_iter=max_iter, warm_start=True).fit(A).set_params(tol=1e-6).fit(A)
    away = again.reconstruct(A) - A
    np.testing.assert_allclose(again.sample_residuals_, np.linalg.norm(away, axis=1), atol=2e-5)
    assert (again.dual_scores_[again.feature_scores_ > 0] == 1.0).all()
