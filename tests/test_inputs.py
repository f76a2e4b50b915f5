"""Data as other libraries hold them: taken as they are, or refused with what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from cspca import CSPCA
from cspca.keep import fit_keeping
from cspca.preprocessing import reduce_data
from cspca.robust import PCP, R1PCA
from cspca.selection import MaxVariance


def data() -> NDArray[Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 12)) + 0.1 * rng.normal(size=(60, 12))
    return X * np.linspace(0.2, 2, 12)


FITS: dict[str, Callable[[Any], Any]] = {
    "CSPCA": lambda X: CSPCA(alpha=0.2).fit(X).feature_scores_,
    "plain": lambda X: CSPCA(alpha=0.2, solver="plain").fit(X).feature_scores_,
    "selector": lambda X: MaxVariance(3).fit(X).feature_scores_,
    "robust": lambda X: PCP().fit(X).components_,
    "keep": lambda X: fit_keeping(X, 4).feature_scores_,
    "reduced": lambda X: reduce_data(X).A,
    "transform": lambda X: CSPCA(alpha=0.2).fit(data()).transform(X),
}


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
@pytest.mark.parametrize("chunks", [None, {"sample": 20}])
def test_an_array_of_xarray_is_its_values(fit: Callable[[Any], Any], chunks: Any) -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed here")
    X = data()
    labelled = xarray.DataArray(X, dims=("sample", "wavelength"))
    given = labelled if chunks is None else labelled.chunk(chunks).compute()
    np.testing.assert_array_equal(fit(given), fit(X))


def test_an_array_of_xarray_in_chunks_is_fitted_as_dasks() -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed here")
    pytest.importorskip("distributed", reason="distributed is not installed here")
    labelled = xarray.DataArray(data(), dims=("sample", "wavelength")).chunk(sample=20)
    blocks = CSPCA(alpha=0.2).fit(labelled.data)
    np.testing.assert_array_equal(
        CSPCA(alpha=0.2).fit(labelled).feature_scores_, blocks.feature_scores_
    )
    with pytest.raises(ValueError, match="Dask array is fitted by the certified solver only"):
        CSPCA(alpha=0.2, solver="plain").fit(labelled)


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_a_dataset_of_xarray_is_refused_by_its_name(fit: Callable[[Any], Any]) -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed here")
    several = xarray.DataArray(data(), dims=("sample", "wavelength")).to_dataset(name="absorbance")
    with pytest.raises(
        ValueError, match=r"X is an xarray\.Dataset: give one .* X\[\"absorbance\"\]"
    ):
        fit(several)


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_masked_values_are_refused_as_missing_ones(fit: Callable[[Any], Any]) -> None:
    masked = np.ma.array(data(), copy=True)
    np.testing.assert_array_equal(fit(masked), fit(data()))
    masked[3, 4] = 1e6
    masked[3, 4] = np.ma.masked
    with pytest.raises(ValueError, match="X has 1 masked value: fill it"):
        fit(masked)


@pytest.mark.parametrize("fit", [FITS["CSPCA"], FITS["selector"], FITS["robust"]])
def test_two_columns_of_one_name_are_refused(fit: Callable[[Any], Any]) -> None:
    frame = pd.DataFrame(data(), columns=[*"abcdefghijkk"])
    with pytest.raises(ValueError, match="X has two columns of the name 'k': rename one"):
        fit(frame)


def test_a_search_says_that_it_takes_no_dask_array() -> None:
    dask = pytest.importorskip("dask.array", reason="dask is not installed here")
    with pytest.raises(ValueError, match=r"fit_keeping needs .* in memory: give X\.compute\(\)"):
        fit_keeping(dask.from_array(data()), 4)


@pytest.mark.parametrize("estimator", [CSPCA(alpha=0.05), R1PCA(3), PCA(3)], ids=str)
def test_the_way_back_takes_x_as_everywhere(estimator: Any) -> None:
    X = data()
    coordinates = estimator.fit(X).transform(X)
    np.testing.assert_array_equal(
        estimator.inverse_transform(X=coordinates), estimator.inverse_transform(coordinates)
    )
    assert "inverse_transform" not in repr(estimator.get_metadata_routing())
