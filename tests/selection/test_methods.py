"""What holds for every method of the registry."""

import inspect
import warnings
from functools import cache

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import cspca.selection
from cspca.datasets import make_faces
from cspca.evaluation import compare
from cspca.selection import METHODS, FeatureSelector, Method
from cspca.selection.base import Scores
from cspca.selection.registry import METHODS_IN_PAPER, OWN, REFERENCES

CHOOSING = [key for key in METHODS if key != "all"]
N_PEOPLE = 8


@pytest.fixture(scope="module")
def faces():
    """Eight people, twelve pictures each, 12 × 12, with two dead pixels."""
    X = np.array(make_faces(N_PEOPLE, 12, 12, random_state=1).data)
    X[:, [5, 100]] = 0.25
    return X


def _make(key, **parameters):
    return METHODS[key].make(N_PEOPLE, **parameters)


@pytest.fixture(scope="module")
def fitted(faces):
    """Every method, fitted once, with 20 features to select."""
    return cache(lambda key: _make(key, n_features_to_select=20).fit(faces))


@parametrize_with_checks([method.make(n_clusters=2) for method in METHODS.values()])
def test_scikit_learn_accepts_it(estimator, check):
    with warnings.catch_warnings():
        # the checks fit tiny noise, on which an iterative method need not settle
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@pytest.mark.parametrize("key", METHODS)
def test_fitted_attributes(key, faces, fitted):
    model = fitted(key)
    n, d = faces.shape
    assert model.feature_scores_.shape == model.selection_scores_.shape == (d,)
    assert sorted(model.feature_order_) == list(range(d))
    assert np.all(np.diff(model.selection_scores_[model.feature_order_]) <= 0)
    assert np.all(np.isfinite(model.selection_scores_))
    scores, ties = model.feature_scores_, model.feature_ties_
    np.testing.assert_array_equal(model.feature_order_, np.argsort(ties, kind="stable"))
    # Within a tie, which may be one but for rounding, the order is that of the columns.
    assert np.all(np.diff(scores[np.lexsort((-scores, ties))]) <= 0), "refines the score"
    assert model.transform(faces).shape == (n, 20)


@pytest.mark.parametrize("key", METHODS)
def test_dead_pixels_are_strictly_last_and_take_no_part(key, faces, fitted):
    model = fitted(key)
    dead = np.ptp(faces, axis=0) == 0
    assert dead[[5, 100]].all()
    assert model.signed_scores_[dead].max() < model.signed_scores_[~dead].min()
    assert model.selection_scores_[dead].max() == 0.0 < model.selection_scores_[~dead].min()
    # Of these all count in a draw or a grid, or are nodes of the graph.
    if key not in ("sparse-pca", "random", "grid", "inf-fs"):
        without = clone(model).fit(faces[:, ~dead])
        np.testing.assert_array_equal(model.get_support()[~dead], without.get_support())


@pytest.mark.parametrize("key", [key for key in CHOOSING if METHODS[key].noise_last])
def test_noise_ranks_below_signal(key):
    """30 % of the pixels are pure noise, half as strong as the median pixel that tells people.

    Half, because a method that asks for variance or for a faithful copy of every pixel is right
    to keep noise as strong as the signal.
    """
    people = make_faces(N_PEOPLE, 15, 12, random_state=0)
    signal = np.array(people.data)[:, people.truth.identity.ravel() > 0.1]
    rng = np.random.default_rng(0)
    n_noise = round(signal.shape[1] * 0.3 / 0.7)
    strength = 0.5 * np.median(signal.std(axis=0))
    noise = 0.5 + strength * rng.standard_normal((len(signal), n_noise))
    X = np.hstack([signal, noise])
    places = rng.permutation(X.shape[1])
    model = _make(key).fit(X[:, places])
    rank = np.argsort(model.feature_order_)[np.argsort(places)]
    below = mannwhitneyu(rank[-n_noise:], rank[:-n_noise], alternative="greater")
    chance = below.statistic / (n_noise * signal.shape[1])
    assert below.pvalue < 1e-3, f"noise ranks below signal in {chance:.2f} of all pairs"


@pytest.mark.parametrize("key", METHODS)
def test_errors_say_what_to_do(key, faces):
    with pytest.raises(ValueError, match="ask for at most 144"):
        _make(key, n_features_to_select=145).fit(faces)
    with pytest.raises(ValueError, match="constant"):
        _make(key).fit(np.ones((20, 4)))


@pytest.mark.parametrize("key", METHODS)
def test_the_registry_line(key):
    method = METHODS[key]
    assert method.key == key
    assert method.note.endswith(".")
    assert [one.colour for one in (*METHODS.values(), OWN)].count(method.colour) == 1
    assert method.revision >= 1
    assert method.needs_clusters == ("n_clusters" in method.make(n_clusters=3).get_params())
    for values in zip(*(method.grid[name] for name in method.grid), strict=False):
        method.make(n_clusters=3, **dict(zip(method.grid, values, strict=True)))
    assert set(method.grid) <= set(method.make(n_clusters=3).get_params())


def test_a_new_method_is_one_class_and_one_line(faces, monkeypatch):
    """Everything that chooses from the registry finds it: here the comparison."""

    class LastPixels(FeatureSelector):
        """The pixels in the order from the last to the first."""

        def _score(self, X):
            return Scores(np.arange(X.shape[1], dtype=float))

    toy = Method("last", "Last pixels", "#123456", "star", "Keeps the last.", LastPixels)
    monkeypatch.setitem(METHODS, "last", toy)
    labels = np.repeat(np.arange(N_PEOPLE), 12)
    done = compare(faces, labels, ["all", "last"], [20], n_seeds=2)
    assert [row.title for row in done.table("accuracy")] == ["All features", "Last pixels"]
    assert not toy.needs_clusters
    assert toy.make(n_clusters=3).fit(faces).feature_order_[0] == faces.shape[1] - 1


def test_the_registry_is_complete_and_in_the_papers_order():
    paper = [key for key in METHODS if key in METHODS_IN_PAPER]
    assert tuple(paper) == METHODS_IN_PAPER
    assert list(METHODS)[: len(paper)] == paper
    exported = {
        thing
        for thing in vars(cspca.selection).values()
        if inspect.isclass(thing) and issubclass(thing, FeatureSelector)
    } - {FeatureSelector}
    assert exported <= {one.selector for one in (*METHODS.values(), *REFERENCES.values())}
