"""What numbers mean: the line of Python of each gives the number that is explained."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import cspca.evaluation
from cspca import CSPCA
from cspca.datasets import PICTURE_NOUNS, load
from cspca.evaluation import compare
from cspca.experiments import run
from cspca.experiments.fit import Fit
from cspca.figures.meanings import MEANINGS
from cspca.figures.words import above


@pytest.fixture(scope="module")
def here():
    """What a reader has at hand: data, a fit, clusters."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:200] / 16, y[:200]
    model = CSPCA(alpha=0.1, beta=0.01).fit(X)
    rng = np.random.default_rng(0)

    def few(X, y):
        methods = ["all", "variance"]
        return compare(X, y, methods=methods, n_features=[30], n_seeds=2)

    clusters = KMeans(10, n_init=1, random_state=0).fit_predict(X)
    known = {name: getattr(cspca.evaluation, name) for name in cspca.evaluation.__all__}
    own = {"np": np, "CSPCA": CSPCA, "model": model, "X": X, "y": y, "clusters": clusters}
    own |= {"pixels": np.arange(5), "k": 5, "outcome": run(Fit(alpha=0.4), load("digits"))}
    package = SimpleNamespace(evaluation=SimpleNamespace(**known | {"compare": few}))
    return known | own | {"rng": rng, "cspca": package}


@pytest.mark.parametrize("name", MEANINGS)
def test_the_line_of_python_runs_and_the_words_stand_by_themselves(here, name):
    meaning = MEANINGS[name].said(PICTURE_NOUNS)
    found = eval(meaning.python, dict(here))
    # All features have no difference from themselves.
    assert found is not None or name == "difference"
    assert not meaning.numbers or "{" not in meaning.numbers
    assert "{" not in meaning.definition
    assert meaning.definition or name in ("alpha", "beta")


def test_what_is_put_in_adds_up(here):
    """The objective is the sum of its three terms, computed here from W itself."""
    model, X = here["model"], here["X"]
    fit, A = model.fit_, X - X.mean(axis=0)
    W = fit.Z @ fit.U.T
    errors = np.linalg.norm(A @ W - A, axis=1).sum()
    lengths, trace = np.linalg.norm(W, axis=1).sum(), np.linalg.svd(W, compute_uv=False).sum()
    assert errors + fit.alpha * lengths + fit.beta * trace == pytest.approx(fit.objective)
    known = {"errors": errors, "lengths": lengths, "trace": trace, "objective": fit.objective}
    said = (
        MEANINGS["objective"].said(PICTURE_NOUNS, **known, alpha=fit.alpha, beta=fit.beta).numbers
    )
    terms, total = said.split(" = ")
    value = eval(terms.replace(",", "").replace("×", "*"))
    assert value == pytest.approx(float(total.replace(",", "")), rel=1e-6)
    assert MEANINGS["objective"].said(PICTURE_NOUNS, errors=errors).numbers == ""


def test_a_gap_that_is_put_in_can_be_computed_again(here):
    fit = here["model"].fit_
    known = {
        "objective": fit.objective,
        "bound": fit.dual_objective,
        "gap": above(fit.duality_gap),
    }
    terms, said = MEANINGS["gap"].said(PICTURE_NOUNS, **known).numbers.split(" = ")
    value = eval(terms.replace(",", "").replace("−", "-"))
    assert value == pytest.approx(float(said), rel=1e-2)
