"""Global optima that were computed independently, in double precision, on real images (MATH §6)."""

import numpy as np
import pytest

from cspca import CSPCA
from tests.soak import counted

# data, centred, α, β, P*, digits of it, non-zero rows (None: not settled), rank
KNOWN = [
    ("digits", False, 20, 20, 1879.693534, 1e-6, 46, 46),
    ("digits", False, 50, 20, 2724.321036, 1e-6, 45, 41),
    ("digits", False, 100, 1, 3346.846968, 1e-6, 32, 32),
    ("digits", True, 20, 20, 1878.444117, 1e-6, 46, 46),
    ("digits", True, 50, 20, 2703.587528, 1e-6, 45, 41),
    ("digits", True, 100, 1, 3263.519401, 1e-6, 30, 30),
    ("ORL", False, 1, 1, 727.56686, 1e-6, 1023, 254),
    ("ORL", False, 10, 10, 1646.0063, 1e-6, None, 30),
    ("COIL20", False, 1, 1, 1524.86, 1e-5, 983, 674),
    ("USPS", False, 100, 100, 28534.527, 1e-6, 220, 108),
]
SLOW = {("ORL", 10, 10), ("COIL20", 1, 1), ("USPS", 100, 100)}
#: For ``python -m tests.soak``.
LONG = {("COIL20", 1, 1), ("ORL", 10, 10)}
ASKED = [row for row in KNOWN if row[:1] + row[2:4] not in counted(LONG, set())]


@pytest.mark.parametrize(
    ("name", "centred", "alpha", "beta", "optimum", "digits", "non_zero", "rank"),
    [
        pytest.param(
            *row,
            marks=[pytest.mark.real_data] * (row[0] != "digits")
            + [pytest.mark.slow] * (row[:1] + row[2:4] in SLOW),
        )
        for row in ASKED
    ],
    ids=[f"{row[0]}{'-centred' * row[1]}-{row[2]}-{row[3]}" for row in ASKED],
)
def test_known_answer(real_pixels, name, centred, alpha, beta, optimum, digits, non_zero, rank):
    # Zero rows of ORL 10/10 settle from a gap of 1e-7 on: four times the iterations, for the soak.
    tol = counted(1e-6, 1e-7 if non_zero is None else 1e-6)
    model = CSPCA(
        *(alpha, beta), penalty_scale="absolute", center=centred, tol=tol, max_iter=5000
    ).fit(real_pixels(name))
    assert model.converged_
    assert model.duality_gap_ <= 1e-6
    assert model.objective_ == pytest.approx(optimum, rel=digits)
    assert model.dual_objective_ <= optimum * (1 + digits)
    if non_zero is None:
        room = counted(12, 3)
        assert 931 - room <= np.count_nonzero(model.feature_scores_) <= 937 + room
    else:
        assert abs(np.count_nonzero(model.feature_scores_) - non_zero) <= 3
    assert abs(model.rank_ - rank) <= 1


@pytest.mark.real_data
def test_the_papers_own_setting_on_usps_is_the_identity(real_pixels):
    """α = β = 1: every pixel ties, and a ranking read from it would be noise (MATH §7)."""
    model = CSPCA(1.0, 1.0, penalty_scale="absolute", center=False, tol=1e-6).fit(
        real_pixels("USPS")
    )
    assert model.regime_ == "identity"
    assert model.objective_ == pytest.approx(512.0, rel=1e-9)
    assert model.rank_ == 256
    np.testing.assert_allclose(model.feature_scores_, 1.0, atol=1e-6)


@pytest.mark.real_data
def test_native_faces_are_certified(real_pixels):
    """100 images of 10,304 pixels: nothing of size d × d may be formed."""
    model = CSPCA(1.0, 1.0, penalty_scale="absolute", tol=1e-3).fit(real_pixels("native ORL"))
    assert model.converged_
    assert 0 < np.count_nonzero(model.feature_scores_) < 10_304
