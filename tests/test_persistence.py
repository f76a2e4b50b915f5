"""Every estimator goes through what models are stored and sent by, and gives the same after it."""

import inspect
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_digits

import cspca.robust
import cspca.selection
from cspca import CSPCA
from cspca.datasets import load
from cspca.experiments import Fit, run
from cspca.selection import METHODS
from cspca.selection.given import GivenScores
from cspca.selection.registry import REFERENCES

PIXELS = load_digits().data[:120] / 16
"""Some of them constant."""


def _is_an_estimator(value):
    bases = ("FeatureSelector", "RobustMethod", "RobustSubspace")
    is_model = inspect.isclass(value) and issubclass(value, BaseEstimator)
    return is_model and value.__name__ not in bases


SELECTORS = {
    key: method.make(10, n_features_to_select=8)
    for key, method in {**METHODS, **REFERENCES}.items()
}
ROBUST = {name: value() for name, value in vars(cspca.robust).items() if _is_an_estimator(value)}
ESTIMATORS = {
    "CSPCA": CSPCA(0.3),
    "plain": CSPCA(0.3, solver="plain", loss="squared"),
    "Algorithm 1": CSPCA(0.3, solver="reweighted", max_iter=20),
    "scores": GivenScores(PIXELS.var(axis=0)),
    **SELECTORS,
    **ROBUST,
}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_no_estimator_is_left_out():
    named = {type(estimator).__name__ for estimator in ESTIMATORS.values()}
    public = {
        name
        for module in (cspca.selection, cspca.robust)
        for name in module.__all__
        if _is_an_estimator(getattr(module, name))
    }
    assert public <= named


@pytest.fixture(scope="module")
def fitted():
    cached = {}

    def fit(name):
        if name not in cached:
            cached[name] = clone(ESTIMATORS[name]).fit(PIXELS)
        return cached[name]

    return fit


def _is_the_same(again, model):
    for name, value in vars(model).items():
        if isinstance(value, np.ndarray):
            found = getattr(again, name)
            assert type(found) in (np.ndarray, np.memmap)
            assert (found.dtype, found.shape) == (value.dtype, value.shape)
            assert found.tobytes() == value.tobytes(), name
    if hasattr(model, "transform"):
        np.testing.assert_array_equal(again.transform(PIXELS), model.transform(PIXELS))


def _types(data):
    """What somebody has to trust to load a model."""
    from skops.io import get_untrusted_types

    return get_untrusted_types(data=data)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_it_goes_through_skops(name, fitted):
    skops = pytest.importorskip("skops.io", reason="pip install skops")
    data = skops.dumps(fitted(name))
    types = _types(data)
    # Its own class, and one more where it holds a fit of CSPCA.
    assert all(one.startswith("cspca.") for one in types), types
    assert len(types) <= 3
    _is_the_same(skops.loads(data, trusted=types), fitted(name))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_it_works_on_memory_that_cannot_be_written(name, fitted, tmp_path):
    model, file = fitted(name), tmp_path / "model.joblib"
    joblib.dump(model, file)
    again = joblib.load(file, mmap_mode="r")
    assert any(isinstance(value, np.memmap) for value in vars(again).values())
    _is_the_same(again, model)
    joblib.dump(PIXELS, tmp_path / "X.joblib")
    pixels = joblib.load(tmp_path / "X.joblib", mmap_mode="r")
    assert not pixels.flags.writeable
    refitted = clone(model).fit(pixels)
    np.testing.assert_array_equal(np.asarray(pixels), PIXELS)
    for attribute in ("selection_scores_", "sample_residuals_"):
        if hasattr(model, attribute):
            np.testing.assert_allclose(
                getattr(refitted, attribute), getattr(model, attribute), rtol=1e-6, atol=1e-12
            )


_UNPICKLE = """
import pickle, sys
import numpy as np
models, outcome, pixels = pickle.load(sys.stdin.buffer)
answers = {name: model.transform(pixels) for name, model in models.items()}
tables = [frame.to_csv() for frame in outcome.tables.values()]
pickle.dump((answers, tables, outcome.snippet), sys.stdout.buffer)
"""


def test_another_process_unpickles_models_and_outcomes_as_they_were(fitted):
    models = {name: fitted(name) for name in ("CSPCA", "Algorithm 1", "cspca", "mcfs", "R1PCA")}
    outcome = run(Fit(alpha=0.3), load("digits"))
    # With the kernels of this process: others round in another way.
    answer = subprocess.run(
        [sys.executable, "-c", _UNPICKLE],
        input=pickle.dumps((models, outcome, PIXELS)),
        capture_output=True,
        check=True,
        timeout=120,
    )
    predictions, tables, snippet = pickle.loads(answer.stdout)  # noqa: S301
    for name, model in models.items():
        np.testing.assert_array_equal(predictions[name], model.transform(PIXELS))
    assert tables == [frame.to_csv() for frame in outcome.tables.values()]
    assert snippet == outcome.snippet


KEEP_NO_DATA = ("CSPCA", "plain", "Algorithm 1", "cspca", "variance", "laplacian", "pca")


@pytest.mark.parametrize("name", KEEP_NO_DATA)
def test_a_pickled_model_holds_no_training_data(name):
    X = np.random.default_rng(0).normal(size=(3000, 40))
    content = pickle.dumps(clone(ESTIMATORS[name]).fit(X))
    # Solver states are features × features, and a few numbers are kept of each sample.
    assert len(content) < X.nbytes / 5
    for samples in (X, X - X.mean(axis=0)):
        assert samples[7].tobytes() not in content
        assert samples[:, 7].tobytes() not in content
