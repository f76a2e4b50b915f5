"""What the robust methods must find: known answers, certificates, and the hidden subspace."""

import numpy as np
import pytest

from cspca.datasets import load, thinned
from cspca.problem import ReducedData
from cspca.problem.identity import identity_edge
from cspca.robust import PCP, GeometricMedianSubspace, OutlierPursuit
from tests.oracles import conic
from tests.real_data import pixels, why_absent
from tests.soak import counted


def _planted_rows(rank, share, n=200, p=100):
    """Inliers in a subspace and then outliers, as long; and how many outliers."""
    rng = np.random.default_rng(2)
    basis, _ = np.linalg.qr(rng.normal(size=(p, rank)))
    wrong = round(share * n)
    inliers = rng.normal(size=(n - wrong, rank)) @ basis.T
    return np.vstack([inliers, rng.normal(size=(wrong, p)) * np.sqrt(rank / p)]), wrong


@pytest.mark.parametrize(("rank", "share", "objective"), [(3, 0.05, 48.3406), (10, 0.1, 159.3589)])
def test_outlier_pursuit_finds_rank_and_outliers(rank, share, objective):
    A, wrong = _planted_rows(rank, share)
    model = OutlierPursuit().fit(A)
    assert model.sparsity_ == pytest.approx(0.4344, abs=1e-4)
    assert model.objective_ == pytest.approx(objective, rel=1e-5)
    assert model.rank_ == rank
    np.testing.assert_array_equal(
        np.flatnonzero(model.sample_residuals_), np.arange(len(A) - wrong, len(A))
    )
    assert 0 <= model.duality_gap_ <= 1e-5


def test_pcp_finds_rank_and_wrong_entries():
    rng, n = np.random.default_rng(0), 250
    low_rank = rng.normal(size=(n, 12)) @ rng.normal(size=(12, n)) / np.sqrt(n)
    wrong = np.zeros((n, n))
    places = rng.choice(n * n, n * n // 20, replace=False)
    wrong.flat[places] = rng.choice([-1.0, 1.0], len(places))
    model = PCP().fit(low_rank + wrong)
    assert model.rank_ == 12
    np.testing.assert_array_equal(model.sparse_ != 0.0, wrong != 0.0)
    error = np.linalg.norm(model.low_rank_ - low_rank) / np.linalg.norm(low_rank)
    assert error <= 1e-6
    assert model.duality_gap_ <= 1e-5


def _random(seed, wide=True):
    """Few rows near a line or a plane, some of them not, of any size."""
    rng = np.random.default_rng(seed)
    n, d = rng.integers(3, 12), rng.integers(2, 7)
    n = n if wide else d + n
    near = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d))
    A = near + rng.choice([1e-3, 0.3]) * rng.normal(size=(n, d))
    A[rng.random(n) < 0.3] = rng.normal(size=d)
    return A * 10.0 ** rng.integers(-2, 3)


@pytest.mark.parametrize(("method", "norm"), [(PCP, conic.entries), (OutlierPursuit, conic.rows)])
def test_no_split_is_cheaper_than_its_bound(method, norm):
    gaps = []
    for seed in range(counted(12, 200)):
        A = _random(seed)
        found = [method(growth=growth).fit(A) for growth in (1.5, 1.02)]
        optimum = conic.split(A, found[0].sparsity_, norm)
        for one in found:
            assert one.dual_objective_ <= optimum * (1 + 1e-7), seed
            assert one.objective_ >= optimum * (1 - 1e-6), seed
        assert found[1].dual_objective_ <= found[0].objective_
        gaps.append(found[1].duality_gap_)
    assert np.median(gaps) <= 1e-4


def test_on_pictures_too_a_split_is_proven_as_it_comes():
    """Faces are of low rank and sparse only nearly, and the gap stays small."""
    faces = thinned(load("faces"), 100)
    for method in (PCP, OutlierPursuit):
        model = method(center=True).fit(faces.data)
        assert model.duality_gap_ <= 1.5e-3
        assert model.n_iter_ <= 70


def test_t_star_is_in_its_interval():
    gaps = []
    for seed in range(counted(12, 200)):
        A = _random(seed, wide=False)
        optimum = conic.identity_edge(A)
        rough, tight = (identity_edge(ReducedData(A), tol) for tol in (0.3, 1e-6))
        for one in (rough, tight):
            assert one.low <= optimum * (1 + 1e-7), seed
            # As near as that solver comes.
            assert one.high >= optimum - 1e-6 * np.abs(A).max(), seed
            assert np.trace(one.V) == pytest.approx(1.0, rel=1e-9)
        gaps.append(tight.gap)
    assert np.median(gaps) <= 1e-6


def test_t_star_is_where_the_identity_ends():
    """CSPCA on both sides of it."""
    from cspca import CSPCA

    A = _random(3, wide=False)
    edge = identity_edge(ReducedData(A), 1e-6)
    for share, expected in ((0.99, True), (1.02, False)):
        penalty = 0.5 * share * edge.high
        model = CSPCA(penalty, penalty, penalty_scale="absolute", center=False, tol=1e-8)
        model.set_params(max_iter=20_000).fit(A)
        identity = 2 * penalty * A.shape[1]
        assert (model.objective_ >= identity * (1 - 1e-8)) == expected


def test_t_star_of_dependent_pixels_is_zero_and_dead_ones_are_left_out():
    A = _random(3, wide=False)
    edge = identity_edge(ReducedData(A))
    dead = np.insert(A, 1, 0.0, axis=1)
    assert identity_edge(ReducedData(dead)).high == pytest.approx(edge.high, rel=1e-9)
    twin = np.hstack([A, A[:, :1]])
    assert identity_edge(ReducedData(twin)).high == 0.0
    model = GeometricMedianSubspace(2).fit(twin)
    assert model.t_star_ == model.t_star_bound_ == 0.0 < model.dual_objective_


def test_t_star_of_digits_is_its_cheap_bounds():
    model = GeometricMedianSubspace().fit(pixels("digits"))
    assert model.t_star_ == pytest.approx(0.0625, rel=1e-9)
    assert model.t_star_bound_ == pytest.approx(0.0625, rel=1e-6)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.skipif(counted(True, False), reason="python -m tests.soak asks it")
@pytest.mark.skipif(bool(why_absent("USPS")), reason=str(why_absent("USPS")))
def test_t_star_of_usps():
    model = GeometricMedianSubspace().fit(pixels("USPS")[:7291])
    assert model.duality_gap_ <= 1e-3
    assert 10.653 <= model.t_star_bound_ <= model.t_star_ <= 10.6541


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
def test_t_star_by_hand(scale):
    """Of a rotation's rows, each there k times: tr W = Σ ⟨q_i W, q_i⟩ ≤ Σ ‖q_i W‖, so t* is k."""
    rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(12, 12)))
    edge = identity_edge(ReducedData(scale * np.vstack([rotation] * 3)), 1e-9)
    # Rounding of the data themselves: of three units in the last place at most.
    assert edge.low <= 3.0 * scale * (1 + 1e-15)
    assert edge.high >= 3.0 * scale * (1 - 1e-15)
    assert edge.gap <= 1e-9
