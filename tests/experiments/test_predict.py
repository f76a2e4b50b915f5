"""Predict, then reveal: who rebuilds best, what is common, and what is said of it."""

from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import PICTURE_NOUNS, Dataset
from cspca.evaluation.rebuilding import Rebuilding
from cspca.experiments.predict import DRAWS, Reveal, how_measured, most_painted, reveal, verdict


@pytest.fixture(scope="module")
def data() -> Dataset:
    """Pixels 0 and 1 tell all others but the last two, which vary most and tell nothing."""
    rng = np.random.default_rng(0)
    told = rng.random((80, 2)) @ np.array([[0.3, 0.0, *[0.2] * 12], [0.0, 0.3, *[0.1] * 12]])
    return Dataset(np.c_[told, rng.random((80, 2)) * 0.5], image_shape=(4, 4))


def mask(*pixels: int) -> np.ndarray:
    marked = np.zeros((4, 4), dtype=bool)
    marked.ravel()[list(pixels)] = True
    return marked


def test_the_same_number_by_each_and_the_errors_of_the_measure(data):
    found = reveal(data, np.arange(16), mask(1, 15))
    assert {name: set(one.tolist()) for name, one in found.chosen.items() if name != "chance"} == {
        "yours": {1, 15},
        "cspca": {0, 1},
        "variance": {14, 15},
    }
    assert (found.k, found.common, found.common_by_chance) == (2, 1, 4 / 16)
    assert found.side_by_side == 2
    assert reveal(data, [0, 3, 8, 4], mask(0, 1, 2)).side_by_side == 0
    measure = Rebuilding(data.data)
    for name in ("yours", "cspca", "variance"):
        assert found.errors[name] == pytest.approx(measure.errors([found.chosen[name]])[0])
    assert found.errors["chance"] == pytest.approx(found.draws.mean())
    assert len(found.draws) == DRAWS
    assert measure.errors([found.chosen["chance"]])[0] in found.draws
    assert np.flatnonzero(found.mask("yours")).tolist() == [1, 15]


def test_chance_is_uniform_and_the_same_for_everybody(data):
    first, again = (reveal(data, np.arange(16), mask(0, one)) for one in (1, 9))
    assert (first.draws == again.draws).all()
    assert not (reveal(data, np.arange(16), mask(0, 1, 2)).draws == first.draws).any()


@pytest.mark.parametrize(
    ("errors", "better", "who"),
    [
        ((0.3, 0.2, 0.5, 0.4), ("100", "all", "100"), "By this measure nobody here beats CSPCA."),
        ((0.1, 0.2, 0.5, 0.4), ("all", "all", "100"), "You beat CSPCA by this measure. CSPCA"),
        ((0.6, 0.2, 0.1, 0.4), ("none", "all", "all"), "Plain variance beats CSPCA by this"),
        ((0.1, 0.5, 0.6, 0.4), ("all", "100", "none"), "You and chance beat CSPCA by this"),
    ],
)
def test_it_says_who_is_ahead_and_kindly_why(errors, better, who):
    chosen = dict.fromkeys(("yours", "cspca", "variance", "chance"), np.arange(3))
    draws = np.repeat([0.25, 0.55], 100)
    found = Reveal(chosen, dict(zip(chosen, errors, strict=True)), draws, 3, 2, 16, 80, 80, 0)
    first, second = verdict(found, PICTURE_NOUNS)
    yours, cspca, variance = better
    assert first == (
        f"Your pixels beat {yours} of 200 random draws, CSPCA’s {cspca}, those of largest variance "
        f"{variance}."
    )
    assert second.startswith(who)
    assert ("(2 of CSPCA’s 3 touch another one" in second) == ("chance" in who)
    assert "a random half of the images" in how_measured(found, PICTURE_NOUNS)
    assert "copies" not in how_measured(found, PICTURE_NOUNS)
    said = how_measured(replace(found, n_copies=12), PICTURE_NOUNS)
    assert said.endswith(
        "12 of 80 images are copies of others, and each is in the half of its original."
    )


@pytest.mark.parametrize(("n", "most"), [(1, 1), (13, 6), (64, 32), (1024, 256), (10_304, 2576)])
def test_what_may_be_painted_is_a_choice(n, most):
    assert most_painted(n) == most


def test_classes_have_no_part_in_the_measure(data):
    """Halves by class let labels into what is called label-free."""
    labelled = Dataset(data.data, np.arange(80) // 8, image_shape=(4, 4))
    one, other = (reveal(each, np.arange(16), mask(1, 15)) for each in (data, labelled))
    assert one.errors == other.errors
