"""Samples that a fit never saw, mapped by Wᵀx, and their errors among those of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets import Dataset, NewSamples, leave_out, read_like
from cspca.datasets.files.foreign import is_picture
from cspca.experiments.memory import once
from cspca.figures.words import listed

if TYPE_CHECKING:
    from cspca import fitted
    from cspca.experiments.fit import Fit
    from cspca.experiments.live import LiveFit

EVERY = 10
"""Where there are no classes, each so manieth sample is held out."""


@dataclass(frozen=True, eq=False)
class Unseen:
    """Samples, what a fit makes of them, and their errors; `trained` are those of its own.

    `n_seen` of them have the values of a sample of the fit.
    """

    X: NDArray[Any]
    names: tuple[str, ...]
    rebuilt: NDArray[Any]
    errors: NDArray[np.float64]
    trained: NDArray[np.float64]
    sentences: tuple[str, ...] = ()
    n_seen: int = 0

    @property
    def percentiles(self) -> NDArray[np.float64]:
        """How many of a hundred of the fit's own samples have a smaller error."""
        below = np.searchsorted(np.sort(self.trained), self.errors, side="left")
        return np.asarray(100 * below / len(self.trained))

    def table(self) -> pd.DataFrame:
        """A sample a line, the largest error first."""
        columns = {
            "name": self.names,
            "error": self.errors,
            "percentile": self.percentiles,
            "norm": np.linalg.norm(np.asarray(self.X, dtype=np.float64), axis=1),
        }
        return pd.DataFrame(columns).sort_values("error", ascending=False)


def mapped(
    fit: fitted.Fit, X: NDArray[Any], names: Sequence[str], sentences: Sequence[str] = ()
) -> Unseen:
    """Map samples by a fit; their errors are measured as the fit measures its own.

    `sentences` say what was done to the samples before.
    """
    rebuilt = fit.reconstruct(X)
    errors = np.linalg.norm(np.asarray(X - rebuilt, dtype=np.float64), axis=1)
    if fit.normalize:
        norms = np.linalg.norm(np.asarray(X, dtype=np.float64), axis=1)
        errors /= np.where(norms > 0.0, norms, 1.0)
    trained = np.asarray(fit.sample_residuals, dtype=np.float64)
    return Unseen(X, tuple(names), rebuilt, errors, trained, tuple(sentences))


def count_seen(new: NDArray[Any], fitted_samples: NDArray[Any]) -> int:
    """Count the new samples whose values, to six decimals, are those of one of the fit's."""
    fitted_rows = {row.tobytes() for row in _rounded(fitted_samples)}
    return sum(row.tobytes() in fitted_rows for row in _rounded(new))


def _rounded(samples: NDArray[Any]) -> NDArray[np.float32]:
    """Return values in single precision to six decimals; adding 0 makes −0 of it 0."""
    rounded: NDArray[np.float32] = samples.astype(np.float32).round(6) + np.float32(0.0)
    return rounded


def read_new(
    files: Sequence[tuple[str, bytes]], data: Dataset, crop: bool = False, **watching: Any
) -> NewSamples:
    """Read new samples by the steps of a data set; where pictures are among the files, only those.

    Each has a name: its own, or its number in the file.
    """
    name = files[0][0] if len(files) == 1 else f"{len(files)} files"
    pictures = [file for file in files if is_picture(file[1])]
    new = with_names(read_like(pictures or files, data, name, crop=crop, **watching), data, name)
    others = [file_name for file_name, content in files if not is_picture(content)]
    if not pictures or not others:
        return new
    sentence = f"Left out: {listed(others)}, for only pictures are read together."
    return replace(new, sentences=(*new.sentences, sentence))


def with_names(new: NewSamples, data: Dataset, file: str) -> NewSamples:
    """Name samples that have no names by their number in a file, from 1."""
    noun = data.nouns.sample
    numbered = tuple(f"{file}, {noun} {number}" for number in new.numbers)
    return replace(new, names=new.names or numbered)


def held_out(data: Dataset, label: int | None) -> list[int]:
    """The samples of a class, or every tenth where there is none."""
    if label is None or data.target is None:
        return list(range(0, data.n_samples, EVERY))
    indices: list[int] = np.flatnonzero(data.target == label).tolist()
    return indices


def hold_out(data: Dataset, result: LiveFit, label: int | None, names: Sequence[str]) -> Unseen:
    """Fit again without some samples, by the same penalties, and map those; fitted once."""
    from cspca import CSPCA

    out, fit = held_out(data, label), result.fit

    def make() -> fitted.Fit:
        model = CSPCA(
            fit.alpha / fit.alpha_max,
            fit.beta / fit.beta_max,
            center=result.asked.center,
            normalize=result.asked.normalize,
            tol=result.asked.tol,
        ).fit(leave_out(data, out).data)
        full_fit: fitted.Fit = model.fit_
        return full_fit

    held_out_fit = once(data, make, "held out", label, result.asked, fit.alpha)
    return mapped(held_out_fit, data.data[out], [names[index] for index in out])


def snippet_of_files(
    data: Dataset, settings: Fit, names: Sequence[str], *, crop: bool = False
) -> str:
    """Lines of Python that read new samples from files and give their errors."""
    lines = settings.snippet(data).splitlines()
    at = next((at for at, line in enumerate(lines) if line.startswith("model = CSPCA(")), None)
    if at is None:
        return ""
    files = repr(names[0]) if len(names) == 1 else repr([*names])
    unit = " / np.linalg.norm(new.data, axis=1)" if settings.normalize else ""
    return "\n".join(
        [
            "import numpy as np",
            "from cspca.datasets import read_like",
            *lines[: at + 1],
            f"new = read_like({files}, d{', crop=True' if crop else ''})",
            f"print(np.linalg.norm(new.data - model.reconstruct(new.data), axis=1){unit})",
        ]
    )


def snippet(data: Dataset, settings: Fit, label: int | None) -> str:
    """Lines of Python that give the errors of what was held out; none where a fit takes more."""
    lines = settings.snippet(data).splitlines()
    fitted = [line for line in lines if line.startswith("model = CSPCA(")]
    if not fitted:
        return ""
    is_labelled = label is not None and data.target is not None
    out = f"d.target == {label}" if is_labelled else f"np.arange(d.n_samples) % {EVERY} == 0"
    unit = " / np.linalg.norm(d.data[out], axis=1)" if settings.normalize else ""
    return "\n".join(
        [
            "import numpy as np",
            *lines[: lines.index(fitted[0])],
            f"out = {out}",
            fitted[0].replace(".fit(d.data)", ".fit(d.data[~out])"),
            "rest = d.data[out] - model.reconstruct(d.data[out])",
            f"print(np.linalg.norm(rest, axis=1){unit})",
        ]
    )
