"""Kinds of files that people publish: each is read or asked about, and never read in silence."""

import io

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import Reading
from tests.datasets import files
from tests.datasets.here import read_here

RNG = np.random.default_rng(0)


def csv_of(frame: pd.DataFrame, **options: object) -> bytes:
    stream = io.StringIO()
    frame.to_csv(stream, index=False, **options)  # type: ignore[call-overload]
    return stream.getvalue().encode()


def read(frame: pd.DataFrame, name: str = "a.csv", **answers: object) -> Reading:
    return read_here(csv_of(frame), name, **answers)


def counts(n_taxa: int, n_samples: int) -> np.ndarray:
    return RNG.poisson(RNG.gamma(0.3, 30, size=(n_taxa, 1)), size=(n_taxa, n_samples))


def test_lineages_of_taxa_name_features_and_no_classes() -> None:
    frame = pd.DataFrame(counts(40, 9), columns=[f"td_{100 + at}" for at in range(9)])
    lineages = [f"Root;p__{'AB'[at % 2]};c__C{at % 5}" for at in range(40)]
    frame = frame.assign(taxonomy=lineages)
    frame.insert(0, "OTU ID", RNG.permutation(1000)[:40])
    reading = read(frame)
    assert reading.questions["samples"].value == "columns"
    assert "“taxonomy” says of each row which taxon it is." in reading.questions["samples"].sentence
    assert reading.dataset.data.shape == (9, 40)
    assert reading.dataset.target is None


def test_numbers_of_features_are_no_axis() -> None:
    frame = pd.DataFrame(counts(40, 9), columns=[f"td_{100 + at}" for at in range(9)])
    frame.insert(0, "OTU ID", np.sort(RNG.permutation(100)[:40]))
    frame = frame.assign(taxonomy=[f"k__Bacteria;p__P{at}" for at in range(40)])
    reading = read(frame)
    assert reading.questions["features"].value == "columns"
    assert reading.dataset.data.shape == (9, 40)


def test_equal_lineages_are_features_of_their_own() -> None:
    frame = pd.DataFrame(counts(40, 9), columns=[f"{600 + at}.wt.f" for at in range(9)])
    frame.insert(0, "Kingdom;Phylum;Class", [f"Bacteria;P{at % 4};" for at in range(40)])
    reading = read(frame, "otu.csv")
    assert reading.dataset.data.shape == (9, 40)
    assert reading.dataset.target is None


def test_lineages_over_the_columns_name_features() -> None:
    values = RNG.dirichlet(np.ones(12), size=18)
    frame = pd.DataFrame(values, columns=[f"k__Bacteria;p__P{at}" for at in range(12)])
    frame = frame.assign(Group=["CK", "L", "H"] * 6)
    frame.insert(0, "Taxon", [f"CK{at}" for at in range(18)])
    reading = read(frame)
    assert not reading.open_questions
    assert reading.dataset.data.shape == (18, 12)
    assert reading.dataset.n_classes == 3


@pytest.mark.parametrize(("head", "is_open"), [("Wavelength_nm", False), ("Spectra", True)])
def test_curves_may_stand_in_columns_behind_their_axis(head: str, is_open: bool) -> None:
    axis = 4 + np.cumsum(RNG.uniform(0.05, 0.2, 120))
    peaks = [np.exp(-((axis - place) ** 2)) for place in (7, 10, 13, 16)]
    frame = pd.DataFrame(
        {head: axis} | dict(zip(["LED365", "LED430", "QE", "B"], peaks, strict=True))
    )
    question = read(frame).questions["samples"]
    assert (question.value, question.is_open) == ("columns", is_open)
    reading = read(frame, samples="columns")
    assert reading.dataset.data.shape == (4, 120)
    assert reading.questions["features"].value == "axis"


def test_a_clock_before_curves_is_no_axis() -> None:
    time = np.cumsum(RNG.uniform(0.05, 0.2, 120))
    frame = pd.DataFrame({"time": time, "a": np.sin(time), "b": np.cos(time), "c": time**2})
    assert read(frame).questions["samples"].value == "rows"


def test_reaction_times_are_no_retention_times() -> None:
    frame = pd.DataFrame(RNG.integers(1, 9, size=(200, 4)), columns=["pref", "cal", "cond", "rt"])
    frame["rt"] = RNG.integers(300, 420, 200)
    frame.insert(0, "item", [f"food {at % 100}" for at in range(200)])
    assert read(frame).questions["samples"].value == "rows"


def test_pandas_counts_columns_above_and_rows_beside() -> None:
    frame = pd.DataFrame(RNG.normal(size=(50, 2)) * 1e-6)
    reading = read_here(frame.to_csv().encode(), "eeg.csv")
    assert reading.questions["header"].confidence == "sure"
    assert reading.dataset.data.shape == (50, 2)


def test_a_first_row_that_alone_runs_one_way_is_an_axis() -> None:
    axis = np.cumsum(RNG.exponential(5, size=17)) + 0.1
    rows = RNG.normal(size=(200, 17)) * 4
    content = files.csv([axis, *rows])
    assert read_here(content, "fluxes.csv").questions["header"].value == "axis"
    reading = read_here(content, "fluxes.csv", header="axis")
    assert reading.dataset.data.shape == (200, 17)


def landmarks(coordinates: str) -> pd.DataFrame:
    base = RNG.normal(size=(21, len(coordinates)))
    values = base + 0.1 * RNG.normal(size=(60, 21, len(coordinates)))
    names = [f"{axis}{joint}" for joint in range(21) for axis in coordinates]
    frame = pd.DataFrame(values.reshape(60, -1), columns=names)
    return frame.assign(label=["fist", "palm", "peace"] * 20)


def test_coordinates_called_y_are_no_targets() -> None:
    reading = read(landmarks("xyz"))
    assert not reading.open_questions
    kept = read(landmarks("xyz"), features="columns")
    assert kept.dataset.data.shape == (60, 63)


def test_points_of_two_coordinates_are_kept_on_one_scale() -> None:
    reading = read(landmarks("xy"))
    assert reading.questions["features"].value == "columns"
    assert reading.dataset.data.shape == (60, 42)
    assert "column by column" not in " ".join(reading.sentences)


def test_curves_without_names_are_points_of_an_axis() -> None:
    curves = np.cumsum(np.cumsum(RNG.normal(size=(60, 120)), axis=1), axis=1)
    content = files.npz(X=curves, y=np.repeat([1, 2, 3], 20))
    question = read_here(content, "pulse.npz").questions["features"]
    assert (question.value, question.confidence) == ("axis", "likely")


def test_an_axis_may_be_written_in_two_notations() -> None:
    names = [f"{at:.5f}cm-1" for at in range(900, 1000, 5)]
    names += [f"{at:.5e}cm-1" for at in range(1000, 1200, 5)]
    frame = pd.DataFrame(RNG.random((30, len(names))), columns=names)
    reading = read(frame)
    assert reading.questions["features"].value == "axis"


def test_a_column_called_train_is_no_class() -> None:
    frame = pd.DataFrame(RNG.normal(size=(60, 5)), columns=list("abcde"))
    frame.insert(0, "train", [True, True, False] * 20)
    reading = read(frame)
    assert reading.questions["roles train"].value == "split"
    assert reading.questions["classes_from"].value == "none"


def test_a_grade_of_two_values_among_grades_is_no_class() -> None:
    frame = pd.DataFrame(
        RNG.binomial(4, [0.1, 0.3, 0.5, 0.7, 0.9, 0.5], size=(80, 6)),
        columns=["Body", "Smoky", "Honey", "Nutty", "Malty", "Fl"],
    )
    frame = frame.assign(Tobacco=RNG.integers(0, 2, 80))
    frame.insert(0, "Distillery", [f"D{at}" for at in range(80)])
    reading = read(frame)
    assert not reading.open_questions
    assert reading.dataset.data.shape == (80, 7)
