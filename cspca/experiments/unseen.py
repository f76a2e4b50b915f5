"""Samples that a fit never saw, mapped by Wᵀx, and their errors among those of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets import (
    NONE,
    Answers,
    Dataset,
    DatasetError,
    Question,
    Reading,
    leave_out,
    read_files,
)
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
    """Samples, what a fit makes of them, and their errors; `trained` are those of its own."""

    X: NDArray[Any]
    names: tuple[str, ...]
    rebuilt: NDArray[Any]
    errors: NDArray[np.float64]
    trained: NDArray[np.float64]
    sentences: tuple[str, ...] = ()

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
    again = fit.reconstruct(X)
    errors = np.linalg.norm(np.asarray(X - again, dtype=np.float64), axis=1)
    if fit.normalize:
        norms = np.linalg.norm(np.asarray(X, dtype=np.float64), axis=1)
        errors /= np.where(norms > 0.0, norms, 1.0)
    trained = np.asarray(fit.sample_residuals, dtype=np.float64)
    return Unseen(X, tuple(names), again, errors, trained, tuple(sentences))


def read_like(
    files: Sequence[tuple[str, bytes]], data: Dataset, crop: bool = False, **watching: Any
) -> tuple[NDArray[Any], list[str], list[str]]:
    """Read new samples as those of a data set are: of its size, grey, from 0 to 1.

    Returns them, their names, and a sentence on each thing that was done to them; a DatasetError
    says why they cannot be read.
    """
    name = files[0][0] if len(files) == 1 else f"{len(files)} files"
    pictures = [file for file in files if is_picture(file[1])]
    others = [file_name for file_name, content in files if not is_picture(content)]
    # A set has two pictures at least: a single one is read twice.
    is_single = len(pictures) == 1
    reading = _read_alike(
        pictures * 2 if is_single else pictures or files, name, data, crop, watching
    )
    new = reading.dataset
    if new.image_shape != data.image_shape or new.n_features != data.n_features:
        raise DatasetError(
            f"{name} holds {new.summary}; the fit is of {_each(data)}: bring "
            f"{data.nouns.samples} of that kind."
        )
    X = new.data[:1] if is_single else new.data
    # Pictures are read in the natural order of their names, in whatever order they have come.
    names = list(reading.sample_names[: len(X)])
    if not pictures or len(names) < len(X):
        names = [f"{name}, {data.nouns.sample} {number + 1}" for number in range(len(X))]
    # What the set of the fit has answered is said as well.
    sentences = [
        f"{question.text} {question.words}."
        for question in reading.questions.values()
        if question.confidence == "given" and question.name != "classes_from"
    ]
    sentences += reading.sentences
    if reading.left_out:
        sentences.append(f"Left out: {listed(list(reading.left_out))}.")
    if pictures and others:
        sentences.append(f"Left out: {listed(others)}, for only pictures are read together.")
    return X, names, sentences


def _read_alike(
    files: Sequence[tuple[str, bytes]],
    name: str,
    data: Dataset,
    crop: bool,
    watching: dict[str, Any],
) -> Reading:
    """Read files, and answer every open question so that samples like those of `data` come out."""
    answers = Answers.of(classes_from=NONE, size=data.image_shape, crop=crop)
    reading = read_files(files, name, answers, **watching)
    # Each round answers one question, and no answer opens an earlier one again.
    while reading.open_questions:
        question = next(iter(reading.open_questions.values()))
        readings = [
            read_files(
                files,
                name,
                replace(answers, values={**answers.values, question.name: value}),
                **watching,
            )
            for value in _fitting_answers(question, data)
        ]
        alike = [
            candidate
            for candidate in readings
            if candidate.proposed is not None and candidate.proposed.n_features == data.n_features
        ]
        if not alike:
            raise DatasetError(
                f"{name} holds nothing of the kind; the fit is of {_each(data)}: bring "
                f"{data.nouns.samples} of that kind."
            )
        reading = alike[0]
        answers = reading.answers
    return reading


def _fitting_answers(question: Question, data: Dataset) -> list[Any]:
    """Return the answers that may give samples like those of a data set."""
    values = [answer.value for answer in question.answers]
    if question.name == "features":
        alike = ["columns", "axis"] if data.image_shape is None else ["pixels"]
        return [value for value in alike if value in values]
    if question.name == "shape":
        return [data.image_shape] if data.image_shape in values else []
    return values if question.name in ("samples", "order") else []


def _each(data: Dataset) -> str:
    if data.image_shape is None:
        return f"samples of {data.nouns.count_features(data.n_features)}"
    return f"pictures of {data.image_shape[0]} × {data.image_shape[1]} pixels"


def held_out(data: Dataset, label: int | None) -> list[int]:
    """The samples of a class, or every tenth where there is none."""
    if label is None or data.target is None:
        return list(range(0, data.n_samples, EVERY))
    found: list[int] = np.flatnonzero(data.target == label).tolist()
    return found


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
        found: fitted.Fit = model.fit_
        return found

    found = once(data, make, "held out", label, result.asked, fit.alpha)
    return mapped(found, data.data[out], [names[one] for one in out])


def snippet(data: Dataset, asked: Fit, label: int | None) -> str:
    """Lines of Python that give the errors of what was held out; none where a fit takes more."""
    lines = asked.snippet(data).splitlines()
    fitted = [line for line in lines if line.startswith("model = CSPCA(")]
    if not fitted:
        return ""
    known = label is not None and data.target is not None
    out = f"d.target == {label}" if known else f"np.arange(d.n_samples) % {EVERY} == 0"
    unit = " / np.linalg.norm(d.data[out], axis=1)" if asked.normalize else ""
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
