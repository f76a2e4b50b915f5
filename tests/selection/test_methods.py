"""What holds for every method of the registry."""

import inspect
import warnings

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import cspca.selection
from cspca.datasets import make_faces
from cspca.selection import MCFS, METHODS, NDFS, SOGFS, UDFS, FeatureSelector
from cspca.selection.registry import METHODS_IN_PAPER, OWN, REFERENCES

N_PEOPLE = 8


@parametrize_with_checks(
    [method.make(n_clusters=2) for method in (*METHODS.values(), *REFERENCES.values())]
)
def test_scikit_learn_accepts_it(estimator, check):
    with warnings.catch_warnings():
        # the checks fit tiny noise, on which an iterative method need not settle
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


@pytest.mark.parametrize(
    "key", [key for key in METHODS if METHODS[key].noise_last and key != "all"]
)
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
    model = METHODS[key].make(N_PEOPLE).fit(X[:, places])
    rank = np.argsort(model.feature_order_)[np.argsort(places)]
    below = mannwhitneyu(rank[-n_noise:], rank[:-n_noise], alternative="greater")
    chance = below.statistic / (n_noise * signal.shape[1])
    assert below.pvalue < 1e-3, f"noise ranks below signal in {chance:.2f} of all pairs"


@pytest.mark.parametrize(
    ("selector", "sentence"),
    [
        (NDFS(3, beta=0), "The 'beta' parameter of NDFS must be"),
        (UDFS(3, gamma=0), "The 'gamma' parameter of UDFS must be"),
        (NDFS(61), "n_clusters=61 but X has only 60 samples"),
        (NDFS(n_neighbors=60), "n_neighbors=60 needs at least 61 samples, but there are 60"),
        (SOGFS(n_neighbors=59), "needs at least 61 samples, but there are 60"),
        (UDFS(15), r"n_clusters=15 but X has 14 feature\(s\) that vary"),
        (MCFS(60), "60 eigenvectors were asked for"),
        (MCFS(n_nonzero=15), "but X has 14 feature.s. that vary: ask for at most 14"),
        (MCFS(eigenvectors=np.ones((59, 2))), "eigenvectors has 59 rows but X has 60 samples"),
    ],
)
def test_errors_say_what_to_do(samples, selector, sentence):
    with pytest.raises(ValueError, match=sentence):
        selector.fit(samples)


@pytest.mark.parametrize("key", ["laplacian", "spec", "mcfs", "ndfs", "udfs", "sogfs"])
def test_too_few_samples_that_differ_are_refused(key, samples):
    X = np.repeat(samples[::12], 8, axis=0)
    needed = 7 if key == "sogfs" else 6
    sentence = (
        f"n_neighbors=5 needs at least {needed} samples that differ, but there are 5: lower "
        "n_neighbors or give more samples"
    )
    with pytest.raises(ValueError, match=sentence):
        METHODS[key].make(2).fit(X)
    if key not in ("laplacian", "spec"):
        with pytest.raises(ValueError, match="n_clusters=6 but X has only 5 samples that differ"):
            METHODS[key].make(6).fit(X)


def test_what_is_said_of_samples_is_said_of_copies_too(samples):
    X = np.repeat(samples, 6, axis=0)
    for values in (MCFS(2).fit(X).eigenvectors_, NDFS(2).fit(X).indicators_):
        assert values.shape == (360, 2)
        np.testing.assert_array_equal(values, np.repeat(values[::6], 6, axis=0))


def test_the_registry_is_complete_and_in_the_papers_order():
    assert tuple(METHODS)[: len(METHODS_IN_PAPER)] == METHODS_IN_PAPER
    colours = [method.colour for method in (*METHODS.values(), OWN)]
    assert len(set(colours)) == len(colours)
    for method in METHODS.values():
        parameters = method.make(n_clusters=3).get_params()
        assert set(method.grid) <= set(parameters)
        assert method.needs_clusters == ("n_clusters" in parameters)
    exported = {
        thing
        for thing in vars(cspca.selection).values()
        if inspect.isclass(thing) and issubclass(thing, FeatureSelector)
    } - {FeatureSelector}
    assert exported <= {one.selector for one in (*METHODS.values(), *REFERENCES.values())}
