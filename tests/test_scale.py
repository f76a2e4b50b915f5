"""Values at the edge of double precision: the answer in another unit, or one sentence."""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from cspca import CSPCA
from cspca.selection import METHODS, CSPCASelector, FeatureSelector
from cspca.selection.registry import REFERENCES
from tests.robust.methods import robust_methods

ROBUST = robust_methods(3)
CSPCAS = {
    solver + ", " + loss: CSPCA(0.1, 0.05, solver=solver, loss=loss, tol=1e-4, max_iter=max_iter)
    for solver, loss, max_iter in [
        ("admm", "norms", 3000), ("plain", "norms", 3000), ("reweighted", "norms", 100),
        ("plain", "squared", 3000),
    ]
}  # fmt: skip
SELECTORS = {
    key: method.make(3, n_features_to_select=4) for key, method in {**METHODS, **REFERENCES}.items()
}
ESTIMATORS = {f"selector {key}": model for key, model in SELECTORS.items()}
ESTIMATORS |= {f"robust {key}": model for key, model in ROBUST.items()}
ESTIMATORS |= {f"CSPCA {key}": model for key, model in CSPCAS.items()}

UNIT_MATTERS = {
    *(f"selector {key}" for key in ("mcfs", "udfs", "ndfs", "sparse-pca", "spca-psd", "spcafs")),
    "CSPCA reweighted, norms",
}
"""With a parameter in the unit of the data: in another unit they are another method."""


@cache
def _samples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 8)) * np.linspace(1, 2, 8)
    X[:, :3] += 3.0 * rng.standard_normal((4, 3)).repeat(10, axis=0)
    return X


@pytest.fixture
def samples():
    return _samples()


@cache
def _usual_answer(name):
    return _answer(ESTIMATORS[name], _samples())


def _answer(model, X, unit=1.0):
    """Numbers that do not go with the unit, where there are such."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    if hasattr(model, "low_rank_"):
        return model.low_rank_ / unit
    scores = model.feature_scores_
    return scores / scores.max() if scores.max() > 0.0 else scores


def _refuses(model, unit):
    """Whether the fourth power of such data, or their square, is out of range."""
    fourth = isinstance(model, FeatureSelector) and not isinstance(model, CSPCASelector)
    fourth |= getattr(model, "loss", "norms") == "squared"
    return abs(np.log10(unit)) > (69 if fourth else 150)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("unit", [1e-300, 1e-100, 1e-60, 1e60, 1e100, 1e160])
def test_in_any_unit_there_is_the_answer_or_one_sentence(name, unit, samples):
    model = ESTIMATORS[name]
    if _refuses(model, unit):
        sentence = r"leaves the range of double precision: divide the data by it\."
        with pytest.raises(ValueError, match=sentence):
            model.fit(samples * unit)
        return
    with np.errstate(all="raise", under="ignore"):
        answer = _answer(model, samples * unit, unit)
    assert np.isfinite(answer).all()
    if name not in UNIT_MATTERS:
        near = 1e-3 if name.startswith("CSPCA") or name == "selector cspca" else 1e-6
        np.testing.assert_allclose(answer, _usual_answer(name), rtol=0, atol=near)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("unit", [1e-30, 1e30])
def test_single_precision_of_any_unit_is_fitted(name, unit, samples):
    X = (samples * unit).astype(np.float32)
    answer = _answer(ESTIMATORS[name], X, unit)
    assert np.isfinite(answer).all()
    if name not in UNIT_MATTERS:
        near = 1e-3 if name.startswith("CSPCA") or name == "selector cspca" else 1e-5
        np.testing.assert_allclose(answer, _usual_answer(name), rtol=0, atol=near)


@pytest.mark.parametrize("solver", ["admm", "plain", "reweighted"])
@pytest.mark.parametrize("weight", [1e60, 1e300])
def test_a_start_of_enormous_weights_is_refused(solver, weight, samples):
    with pytest.raises(ValueError, match=r"init has weights of up to 1\.0e"):
        CSPCA(solver=solver, init=np.full((8, 8), weight)).fit(samples)


@pytest.mark.parametrize("solver", ["admm", "plain"])
def test_a_start_of_large_weights_is_none_to_fear(solver, samples):
    model = CSPCA(solver=solver, init=np.full((8, 8), 1e40))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(samples * 1e90)
    assert np.isfinite(model.objective_)


def test_a_constant_feature_does_not_hide_that_the_others_are_too_small(samples):
    X = np.c_[1e-200 * samples, np.ones(len(samples))]
    for key in ("variance", "greedy", "laplacian"):
        with pytest.raises(ValueError, match="The largest range of a feature is"):
            SELECTORS[key].fit(X)
