"""The report of one fit: which features matter, how sure it is, and everything behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets import Skeleton
from cspca.figures.bars import MOST_BARS, best_features
from cspca.figures.colours import ACCENT, CONTRAST
from cspca.figures.convergence import Course, convergence
from cspca.figures.importance import MOST_POINTED, importance_map
from cspca.figures.pictures import (
    face_alt,
    grey,
    importance_alt,
    importance_rgb,
    mask_alt,
    mask_rgb,
    masked_rgb,
    top_mask,
)
from cspca.figures.scores import score_curve
from cspca.figures.skeleton import skeleton_svg
from cspca.figures.words import percent
from cspca.runs.export import NUMBERS
from cspca.runs.records import FitResult
from cspca.runs.report.about import About, closing
from cspca.runs.report.blocks import (
    Block,
    Chart,
    Drawing,
    Facts,
    Images,
    Notice,
    Row,
    Section,
    Stack,
    Table,
    Words,
)
from cspca.runs.report.document import document
from cspca.runs.report.names import stem_of

__all__ = ["SOLVERS", "Example", "FitFindings", "fit_report"]

SOLVERS: Final[dict[str, tuple[str, str]]] = {
    "admm": ("certified solver", ACCENT),
    "reweighted": ("Algorithm 1", CONTRAST),
}
"""Name and colour of each solver."""

_LISTED = 20

_UNRANKED = ("zero", "identity")


@dataclass(frozen=True, eq=False)
class FitFindings:
    """What a fit found.

    Attributes
    ----------
    numbers : mapping
        objective, dual_objective, duality_gap, n_iter, rank, alpha, beta, alpha_max, beta_max,
        regime and converged.
    feature_scores, selection_scores : ndarray of shape (n_features,)
    order : ndarray of int of shape (n_features,)
        Best first.
    courses : mapping of str to mapping of str to sequence
        By solver: number, seconds, objective, dual_bound and gap.
    top_k : int or None
        How many features are marked; None is those that are not exactly zero.
    """

    numbers: Mapping[str, Any]
    feature_scores: NDArray[Any]
    selection_scores: NDArray[Any]
    order: NDArray[Any]
    courses: Mapping[str, Mapping[str, Any]]
    top_k: int | None = None

    @classmethod
    def of_result(cls, result: FitResult, top_k: int | None = None) -> FitFindings:
        """Read them off a fit of the dashboard.

        Parameters
        ----------
        result : FitResult
        top_k : int, optional
        """
        numbers = {name: getattr(result.model, f"{name}_") for name in NUMBERS}
        numbers |= {"regime": result.model.regime_, "converged": result.certified}
        columns = ("number", "seconds", "objective", "dual_bound", "gap")
        return cls(
            numbers,
            result.feature_scores,
            np.asarray(result.selection_scores, dtype=np.float64),
            result.order,
            {
                trace.solver: {name: getattr(trace, name) for name in columns}
                for trace in result.traces
            },
            top_k,
        )

    @classmethod
    def of_arrays(
        cls, details: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], solver: str
    ) -> FitFindings:
        """Read them off a fit of the store.

        Parameters
        ----------
        details, arrays
            As :func:`cspca.runs.sweeps.fit_of` returns them.
        solver : str
        """
        course = {
            name.removeprefix("history_"): column
            for name, column in arrays.items()
            if name.startswith("history_")
        }
        return cls(
            details,
            arrays["feature_scores"],
            arrays["scores"],
            arrays["order"],
            {solver: course} if course else {},
        )

    @property
    def n_kept(self) -> int:
        """Features that are not exactly zero."""
        return int(np.count_nonzero(self.feature_scores))

    @property
    def ranked(self) -> bool:
        """Whether there is an order to speak of."""
        return self.numbers["regime"] not in _UNRANKED

    @property
    def n_alike(self) -> int:
        """Features whose score is that of the best to a thousandth; 0 where all are zero."""
        top = float(self.feature_scores.max())
        return int(np.count_nonzero(self.feature_scores >= (1.0 - _ALIKE) * top)) if top else 0

    @property
    def k(self) -> int:
        """How many features are marked."""
        return self.n_kept if self.top_k is None else self.top_k


@dataclass(frozen=True, eq=False)
class Example:
    """One image of the data, for those who may pass it on.

    Attributes
    ----------
    image : ndarray of shape (h, w)
    reconstruction : ndarray of shape (h, w) or None
    name : str
    """

    image: NDArray[Any]
    reconstruction: NDArray[Any] | None
    name: str


def fit_report(
    found: FitFindings,
    about: About,
    *,
    names: Sequence[str] | None = None,
    skeleton: Skeleton | None = None,
    example: Example | None = None,
) -> str:
    """Write the report of a fit.

    Parameters
    ----------
    found : FitFindings
    about : About
    names : sequence of str, optional
        Of the features.
    skeleton : Skeleton, optional
        Behind pose descriptors.
    example : Example, optional
        Only with it is an image of the data shown; without, maps and masks alone.

    Returns
    -------
    str
        HTML that needs nothing beside it.
    """
    sections = [_answer(found, about), _which(found, about, names, skeleton)]
    if example is not None and found.ranked and about.data.image_shape is not None:
        sections.append(_example(found, about.data.image_shape, example))
    sections += [_sure(found), _best(found, about, names), *closing(about)]
    return document(
        f"Which {about.nouns.features} matter in {about.data.name}?",
        _lead(found, about),
        sections,
        stem=stem_of(about.data.name),
    )


def _lead(found: FitFindings, about: About) -> str:
    nouns, n = about.nouns, about.data.n_features
    gap = found.numbers["duality_gap"]
    where = {
        "zero": f"every {nouns.feature} is exactly zero: the penalties leave nothing",
        "identity": f"W is the identity: all {nouns.features} tie, and there is no ranking to read",
    }.get(
        str(found.numbers["regime"]),
        f"{found.n_kept:,} of {nouns.count_features(n)} are used, "
        f"{n - found.n_kept:,} are exactly zero",
    )
    sure = (
        f"This fit is proven to be within {percent(gap)} of the global optimum."
        if math.isfinite(gap)
        else "No bound on the optimum was proved."
    )
    return f"Convex sparse PCA: {where}. {sure}"


def _answer(found: FitFindings, about: About) -> Section:
    numbers = found.numbers
    return Section(
        "The answer in numbers",
        [
            Facts(
                [
                    ("within, of the optimum", percent(numbers["duality_gap"])),
                    (f"{about.nouns.features} used", f"{found.n_kept:,}"),
                    ("rank of W", f"{int(numbers['rank']):,}"),
                    ("iterations", f"{int(numbers['n_iter']):,}"),
                    *(
                        _penalty(numbers, name, sign)
                        for name, sign in (("alpha", "α"), ("beta", "β"))
                    ),
                ],
                large=True,
            )
        ],
    )


def _penalty(numbers: Mapping[str, Any], name: str, sign: str) -> tuple[str, str]:
    """Say a penalty as a fraction of the one at which nothing is left, and absolute."""
    value, limit = float(numbers[name]), float(numbers[f"{name}_max"])
    if limit <= 0:
        return f"{sign}, absolute", f"{value:.4g}"
    return f"of {sign}_max: {sign} = {value:.5g}", f"{value / limit:.4g}"


def _which(
    found: FitFindings,
    about: About,
    names: Sequence[str] | None,
    skeleton: Skeleton | None,
) -> Section:
    shape, nouns = about.data.image_shape, about.nouns
    ordered = np.sort(found.feature_scores)[::-1]
    k = found.k if found.ranked and found.k <= ordered.size else None
    fall = Chart(
        "scores",
        lambda dark: score_curve(ordered, k, dark=dark, feature=nouns.feature),
        "How fast does importance fall off?",
        f"All {len(ordered):,} scores ‖w_j‖ from the best on; grey: exactly zero.",
    )
    blocks: list[Block] = []
    if shape is None and skeleton is not None:
        blocks += [Stack([_body(found, skeleton), fall]), _named(found, names)]
    elif shape is None:
        blocks += [_named(found, names), fall]
    elif found.feature_scores.size > MOST_POINTED:
        plane = found.feature_scores.reshape(shape)
        blocks += [_large(plane), fall]
    else:
        blocks += [_map(found, shape), fall]
    if shape is not None and found.ranked:
        mask = top_mask(found.order, found.k, shape)
        words = f"The best {found.k:,} pixels, light."
        blocks = [blocks[0], Stack([fall, Images([(mask_rgb(mask), mask_alt(mask), words)])])]
    return Section(f"Which {nouns.features}?", [Row(blocks)])


def _body(found: FitFindings, skeleton: Skeleton) -> Drawing:
    light, dark = (
        skeleton_svg(
            found.feature_scores, skeleton.joints, skeleton.bones, skeleton.pose, dark=dark
        )
        for dark in (False, True)
    )
    return Drawing(light, dark)


def _map(found: FitFindings, shape: tuple[int, int]) -> Chart:
    plane = found.feature_scores.reshape(shape)
    ranks = np.ones(plane.size, dtype=np.int64)
    if found.ranked:
        ranks[found.order] = np.arange(1, plane.size + 1)
    return Chart(
        "importance",
        lambda dark: importance_map(plane, ranks.reshape(shape), dark=dark),
        "Importance of every pixel",
        "Point at a pixel for its score and rank. Darkest, without hue: exactly zero.",
    )


def _large(plane: NDArray[Any]) -> Images:
    words = "Importance of every pixel. Darkest, without hue: exactly zero."
    return Images([(importance_rgb(plane), importance_alt(plane), words)], large=True)


def _named(found: FitFindings, names: Sequence[str] | None) -> Chart:
    best = found.order[:MOST_BARS].tolist()
    shown = [_name(j, names) for j in best]
    scores = found.feature_scores[best]
    return Chart(
        "best-features",
        lambda dark: best_features(shown, scores, dark=dark),
        f"The best {len(shown)} features",
    )


def _example(found: FitFindings, shape: tuple[int, int], example: Example) -> Section:
    image, mask = np.asarray(example.image), top_mask(found.order, found.k, shape)
    shown = [
        (grey(image), face_alt(image), f"Original: {example.name}"),
        (masked_rgb(image, mask), mask_alt(mask), f"Seen through the best {found.k:,} pixels"),
    ]
    if example.reconstruction is not None:
        again = np.clip(example.reconstruction, 0.0, 1.0)
        shown.append((grey(again), face_alt(again, "Reconstruction"), "Reconstruction"))
    words = "An image of the data is in this report: mind their terms when you pass it on."
    return Section("What is left of one picture?", [Images(shown), Words(words, small=True)])


def _sure(found: FitFindings) -> Section:
    courses = [Course(*SOLVERS[solver], course) for solver, course in found.courses.items()]
    numbers = found.numbers
    facts = Facts(
        [
            ("Objective", f"{numbers['objective']:.10g}"),
            ("Lower bound of the optimum", f"{numbers['dual_objective']:.10g}"),
            ("Relative gap", f"{numbers['duality_gap']:.3e}"),
            ("Within its tolerance", "yes" if numbers["converged"] else "no"),
        ]
    )
    words = Words(
        "No W, by any method, has an objective below the bound. What lies between the two lines "
        "is all that could still be gained."
    )
    if not courses:
        return Section("How close is this to the best possible?", [words, facts])
    chart = Chart(
        "convergence",
        lambda dark: convergence(courses, dark=dark),
        "Objective and bound",
    )
    return Section("How close is this to the best possible?", [words, Row([chart, facts])])


_ALIKE = 1e-3
"""Relative difference of scores below which an order is that of the solver, not of the data."""

_TIED = 4
"""So many features as important as the first must be spoken of."""


def _best(found: FitFindings, about: About, names: Sequence[str] | None) -> Section:
    one = about.nouns.feature
    if not found.ranked:
        return Section(
            f"The best {about.nouns.features}", [Notice(f"Every {one} ties: there is no order.")]
        )
    shape = about.data.image_shape
    rows = [
        [
            _name(j, names)
            if shape is None
            else f"row {j // shape[1] + 1}, column {j % shape[1] + 1}",
            f"{rank}",
            f"{j}",
            f"{found.feature_scores[j]:.6g}",
        ]
        for rank, j in enumerate(found.order[:_LISTED].tolist(), 1)
    ]
    heads = [one.capitalize(), "Rank", "Column, from 0", "Score ‖w_j‖"]
    alike = found.n_alike
    notice = Notice(
        f"{alike:,} of {about.nouns.count_features(len(found.feature_scores))} have the importance "
        "of the first to a thousandth: which of them come first means nothing. Larger penalties "
        "tell them apart."
    )
    table = Table(heads, rows)
    return Section(
        f"The best {about.nouns.features}", [notice, table] if alike >= _TIED else [table]
    )


def _name(feature: int, names: Sequence[str] | None) -> str:
    return f"feature {feature + 1}" if names is None else names[feature]
