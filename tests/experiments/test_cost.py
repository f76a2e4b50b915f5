"""What a page says that something will take, beside what it took."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from cspca.datasets import load, make_faces
from cspca.experiments import Compare, Convergence, Outliers, Paper, Sensitivity, steps
from cspca.experiments.cost import Rates, outline
from cspca.experiments.experiment import Cell
from cspca.experiments.film import film_by_size
from cspca.selection import METHODS

TOY = Cell("cluster", {})

# Seconds of one core for all 41 frames, the mean of α and β, and for two solvers in step.
TOOK = {
    "faces": (400, 1024, 4.4, 10.0),
    "digits": (1797, 64, 1.3, 0.23),
    "motion": (2000, 168, 1.7, 1.25),
    "ORL": (400, 1024, 5.3, 11.0),
    "USPS": (9298, 256, 23.0, 8.6),
    "COIL20": (1440, 1024, 25.0, 100.0),
    "native ORL": (100, 10304, 21.0, 9.0),
}


@pytest.mark.parametrize("name", TOOK)
def test_a_film_takes_about_what_is_said_of_it(name):
    n, d, *took = TOOK[name]
    data = SimpleNamespace(n_samples=n, n_features=d)
    for along, seconds in zip(("alpha", "iterations"), took, strict=True):
        assert seconds / 2 < film_by_size(data, along) < 2 * seconds


@pytest.mark.parametrize(
    "asked",
    [
        Compare(),
        Compare(tune=True, n_pairs=3, n_features=(10, 20, 50), own=(0.1, 0.2)),
        Compare(methods=("all",), n_draws=0),
        Sensitivity(n_seeds=3),
        Sensitivity(alphas=(0.1,), betas=(0.001, 0.1)),
        Convergence(),
        Paper(),
        Outliers(),
    ],
    ids=lambda asked: asked.words() or asked.kind,
)
def test_an_outline_says_how_many_cells_there_are_and_about_what_they_take(asked):
    digits = load("digits")
    cells, some = list(asked.cells(digits)), outline(asked, digits)
    assert sum(alike for _, alike in some) == len(cells)
    assert {cell.name for cell, _ in some} <= {cell.name for cell in cells}
    rates = Rates(digits)
    rough = sum(alike * rates.seconds([cell]) for cell, alike in some)
    assert rough == pytest.approx(rates.seconds(cells), rel=0.25)


def test_too_much_is_refused_without_a_plan(monkeypatch):
    faces, made = make_faces(3, 4, 32), []
    monkeypatch.setattr(steps, "cluster_cell", lambda *given, **more: made.append(1) or TOY)
    counts = tuple(range(1, 1001))
    huge = Compare(tuple(METHODS), counts, tune=True, n_draws=1000, n_pairs=200)
    with pytest.raises(ValueError, match="more than 500,000 fits"):
        outline(huge, faces)
    assert len(made) < 10_000
