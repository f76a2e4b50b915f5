"""Two results beside each other: in pairs over the seeds that both have."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.evaluation import chosen_on_other_starts, paired_difference
from cspca.experiments import (
    Cell,
    Compare,
    Convergence,
    Experiment,
    Outcome,
    Result,
    Sensitivity,
    setting,
)
from cspca.experiments.differences import asked, differences, metrics, shared_seeds
from tests.evaluation.fakes import blobs

X, Y = blobs(n=60, d=12, c=3)
#: Without what is not clustered, and without random picks.
PLAIN: dict[str, Any] = {"n_draws": 0, "beside": False}
DATA = Dataset((X - X.min()) / np.ptp(X), Y, name="blobs")


def outcome(experiment: Experiment) -> Outcome:
    results: dict = {}
    for cell in experiment.cells(DATA):
        results[cell] = experiment.compute(cell, DATA, {need: results[need] for need in cell.needs})
    return Outcome(experiment, DATA, results)


def test_comparisons_are_paired_over_the_seeds_that_both_have() -> None:
    first = outcome(Compare(methods=("all", "variance"), n_features=(3, 6), n_seeds=10, **PLAIN))
    second = outcome(
        Compare(
            methods=("all", "variance", "laplacian"),
            n_features=(3, 6),
            n_seeds=12,
            init="k-means++",
            **PLAIN,
        )
    )
    assert shared_seeds(first, second) == list(range(10))
    assert metrics(first, second) == ("accuracy", "nmi", "nmi_max", "silhouette")
    found = differences(first, second, "nmi").set_index("label")
    assert list(found.index) == ["All features", "Max variance"]
    tables = []
    for one in (first, second):
        done = one.experiment.comparison(one.results, DATA)
        tables.append(done.scores("variance", "nmi")[list(range(10))])
    runs = [chosen_on_other_starts(table)[0] for table in tables]
    line = found.loc["Max variance"]
    assert (line["first"], line["second"]) == (runs[0].mean(), runs[1].mean())
    apart = paired_difference(tables[1], tables[0])
    assert (line["difference"], line["low"], line["high"]) == (
        apart.difference, apart.low, apart.high,
    )  # fmt: skip
    words = asked(first, second)
    different = words[words["first"] != words["second"]].set_index("name")
    assert set(different.index) == {"Methods", "Repetitions", "Starts of K-means"}
    assert tuple(different.loc["Repetitions"]) == ("10", "12")


def test_the_certified_solver_is_not_said_to_take_the_most_that_it_may() -> None:
    called = Convergence().called
    certified = {"solver": "admm", "init": "diagonal-1", "iterations": 2000}
    assert called(certified) == "Certified solver, Diagonal 1"
    assert (
        called(certified | {"solver": "reweighted"}) == "Algorithm 1, Diagonal 1, 2,000 iterations"
    )


@pytest.mark.parametrize("n_seeds", [1, 2, 9])
def test_with_fewer_than_ten_seeds_in_common_there_is_no_interval(n_seeds: int) -> None:
    few = {"methods": ("variance",), "n_features": (3, 5), **PLAIN}
    first = outcome(Compare(n_seeds=n_seeds, **few))
    second = outcome(Compare(n_seeds=11, init="k-means++", **few))
    (line,) = differences(first, second).to_dict("records")
    assert np.isnan([line["low"], line["high"]]).all()
    assert 0 < line["first"] <= 1


def test_grids_are_held_against_each_other_point_by_point() -> None:
    first = outcome(Sensitivity(alphas=(0.1, 0.3), betas=(0.01,), n_features=4, n_seeds=4))
    second = outcome(Sensitivity(alphas=(0.1, 0.3, 0.5), betas=(0.01,), n_features=8, n_seeds=4))
    found = differences(first, second)
    assert found["label"].tolist() == [
        "Mean of the 2 that both have", "α = 0.1, β = 0.01", "α = 0.3, β = 0.01",
    ]  # fmt: skip
    wanted = second.table.query("alpha < 0.4")["accuracy"].mean()
    assert found["second"].iloc[0] == pytest.approx(wanted)


@dataclass(frozen=True)
class Numbers(Experiment):
    kind = "numbers"
    title = "Numbers"
    value: float = setting(1.0)

    def cells(self, data):
        return [Cell("numbers", {"value": self.value})]

    def compute(self, cell, data, needed):
        return Result(({"objective": self.value, "n_iter": 3, "regime": "sparse"},))


def test_what_was_not_clustered_is_told_apart_by_its_numbers() -> None:
    found = differences(outcome(Numbers(1.0)), outcome(Numbers(3.5))).set_index("label")
    assert found.loc["objective", ["first", "second", "difference"]].tolist() == [1.0, 3.5, 2.5]
    assert list(found.index) == ["objective", "n iter"]


def test_two_kinds_are_not_compared() -> None:
    other = outcome(Compare(methods=("variance",), n_features=(3,), n_seeds=1, **PLAIN))
    with pytest.raises(ValueError, match="choose two of one kind"):
        differences(outcome(Numbers()), other)


def test_other_halves_are_another_measure() -> None:
    """It was −0.009 (−0.009 to −0.009), over ten seeds, between one method and itself."""
    wishes: dict = {"methods": ("all", "variance"), "n_features": (3,), "n_seeds": 10, "n_draws": 0}
    plain = outcome(Compare(**wishes))
    pens = tuple(number // 3 for number in range(DATA.n_samples))
    for other in (Compare(**wishes, random_state=4), Compare(**wishes, groups=pens)):
        for metric in ("reconstruction_error", "neighbour_accuracy"):
            found = differences(plain, outcome(other), metric)
            assert found[["difference", "low", "high"]].isna().all(axis=None)
    same = differences(plain, plain, "reconstruction_error")
    assert (same["difference"] == 0).all()
    assert same[["low", "high"]].isna().all(axis=None)
