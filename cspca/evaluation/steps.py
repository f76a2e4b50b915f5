"""The pure steps of every comparison: plan, rank the features, cluster on the best of them.

A plan is made of rankings, and each is clustered at several numbers of features from all seeds at
once. What comes out are rows of one long table. :func:`compare` is a loop over the steps.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import ParameterGrid

from cspca.estimator import CSPCA
from cspca.evaluation.comparison import Comparison, Plan, Ranking, Task, long_table
from cspca.evaluation.halves import (
    SampleGroups,
    check_seed,
    check_units,
    copies_across_groups_words,
    draw_pair,
    number_groups,
    sample_groups,
)
from cspca.evaluation.kmeans import (
    INITS,
    check_clusters,
    check_range,
    check_samples,
    clusterings,
    n_distinct,
)
from cspca.evaluation.metrics import (
    Silhouette,
    agreement,
    has_split_class,
    nearest_of_class,
    reconstruction_error,
    resampled_agreement,
)
from cspca.evaluation.reading import needs_labels, read_order
from cspca.labels import UNLABELLED, class_numbers, nearly_one_each
from cspca.selection import METHODS, AllFeatures, CSPCASelector
from cspca.selection.given import GivenScores, checked, own_scores
from cspca.selection.rankings import RankedFeatures
from cspca.selection.registry import (
    METHODS_IN_PAPER,
    RANDOM,
    REFERENCES,
    Method,
    is_own,
    method_of,
    own_key,
)
from cspca.threads import blas_threads


@dataclass(frozen=True)
class EstimatorMethod:
    """A caller's estimator as a method without a grid."""

    title: str
    estimator: Any
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def make(self, n_clusters: int | None = None, **parameters: Any) -> Any:
        """Copy it; it knows its own number of clusters and seed."""
        copy = clone(self.estimator)
        # Not in one line: set_params of scikit-learn's FrozenEstimator returns None.
        copy.set_params(**parameters)
        return copy


def check_data(
    X: ArrayLike, y: ArrayLike | None, n_clusters: int | None
) -> tuple[NDArray[Any], NDArray[np.intp] | None, int]:
    """Samples, classes from 0 or None, and the number of clusters, once they fit together.

    Of labels of which nearly every sample has its own there are no classes to be scored against.
    """
    samples = check_samples(X)
    check_range(samples)
    classes = None
    if y is not None:
        if np.ndim(y) == 1 and np.size(y) != len(samples):
            raise ValueError(
                f"y has {np.size(y)} labels for {len(samples)} samples: give one a sample."
            )
        classes = class_numbers(y)
        if not classes.any():
            raise ValueError(
                "All samples have the same label: ACC and NMI need at least two classes. Leave y "
                "out to compare without labels."
            )
        n_classes = int(classes.max()) + 1
        if nearly_one_each(len(classes), n_classes):
            if n_clusters is None:
                raise ValueError(
                    f"y has {n_classes} classes for {len(classes)} samples, nearly one a sample, "
                    "so that clusters cannot be scored against them: set n_clusters to compare "
                    "without labels."
                )
            classes = None
        else:
            n_clusters = n_classes if n_clusters is None else n_clusters
    elif n_clusters is None:
        raise ValueError("Without labels the number of clusters is unknown: set n_clusters.")
    check_clusters(n_clusters, len(samples))
    return samples, classes, int(n_clusters)


def resolve_methods(
    methods: Iterable[str] | Mapping[str, Any] | None,
    scores: Mapping[str, ArrayLike] | None = None,
) -> dict[str, Method | EstimatorMethod]:
    """Methods by key: of the registry, or a mapping of names to estimators; None is the paper's.

    Rankings that are brought, as `scores` by name, come after them.
    """
    if methods is None:
        methods = METHODS_IN_PAPER
    resolved: dict[str, Method | EstimatorMethod] = {}
    if hasattr(methods, "fit"):
        raise ValueError(
            f"methods is a selector, {type(methods).__name__}: give it a name, as in "
            '{"mine": selector}.'
        )
    if isinstance(methods, Mapping):
        for name, selector in methods.items():
            if not isinstance(selector, Method | EstimatorMethod):
                _check_selector(name, selector)
            resolved[name] = (
                selector
                if isinstance(selector, Method | EstimatorMethod)
                else EstimatorMethod(name, selector)
            )
    else:
        for key in [methods] if isinstance(methods, str) else methods:
            if key not in METHODS:
                raise ValueError(f"Unknown method {key!r}: choose from {', '.join(METHODS)}.")
            resolved[key] = METHODS[key]
    if not resolved:
        raise ValueError(f"No method is chosen: choose from {', '.join(METHODS)}.")
    if taken := resolved.keys() & REFERENCES.keys():
        raise ValueError(f"{taken.pop()!r} is the name of a reference: give another.")
    for name, values in sorted((scores or {}).items()):
        resolved[own_key(name)] = EstimatorMethod(
            method_of(own_key(name)).title, GivenScores(values)
        )
    return resolved


def _check_selector(name: str, selector: Any) -> None:
    """Refuse what cannot be copied and fitted."""
    if isinstance(selector, type):
        raise ValueError(f"{name!r} is a class: give an object of it, {selector.__name__}().")
    if not hasattr(selector, "fit"):
        raise ValueError(
            f"{name!r} is {selector!r:.60}, and no selector: it has no fit. Scores of the features "
            "are for scores=, and built-in methods are named in a list."
        )
    if not hasattr(selector, "get_params"):
        kind = type(selector).__name__
        raise ValueError(
            f"{name!r} cannot be copied to be fitted: derive its class {kind} from "
            "sklearn.base.BaseEstimator, or fit it and give sklearn.frozen.FrozenEstimator of it."
        )


def plan(
    X: ArrayLike,
    y: ArrayLike | None = None,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    n_features: int | Sequence[int] | None = None,
    *,
    n_seeds: int = 30,
    seeds: Sequence[int] | None = None,
    n_clusters: int | None = None,
    init: str = "random",
    tune: bool = False,
    grids: Mapping[str, Iterable[Mapping[str, Any]]] | None = None,
    silhouette: bool = True,
    beside: bool = True,
    n_pairs: int = 0,
    n_draws: int = 30,
    bootstrap: int = 200,
    image_shape: tuple[int, int] | None = None,
    scores: Mapping[str, ArrayLike] | None = None,
    groups: ArrayLike | None = None,
    random_state: int = 0,
) -> Plan:
    """Plan a comparison; see :func:`cspca.evaluation.compare` for what is asked."""
    samples, _, n_clusters = check_data(X, y, n_clusters)
    scores = _in_order(scores, X)
    chosen = resolve_methods(methods, scores)
    for name, values in scores.items():
        checked(values, samples.shape[1], name)
    counts = _feature_counts(n_features, samples.shape[1])
    if init not in INITS:
        raise ValueError(f"init must be one of {', '.join(INITS)}, got {init!r}.")
    runs = tuple(int(seed) for seed in (range(n_seeds) if seeds is None else seeds))
    if not runs or min(runs) < 0 or len(set(runs)) < len(runs):
        raise ValueError("Ask for at least one seed; seeds are different whole numbers from 0.")
    numbers = None if groups is None else number_groups(groups, len(samples))
    if not isinstance(n_pairs, Integral) or n_pairs < 0:
        raise ValueError(f"n_pairs must be a whole number from 0, got {n_pairs!r}.")
    random_state = check_seed(random_state)
    unknown = set(grids or {}) - set(chosen)
    if unknown:
        raise ValueError(f"grids names methods that are not compared: {', '.join(unknown)}.")
    tasks: list[Task] = []
    baseline = None
    for key, method in chosen.items():
        sets: Iterable[Mapping[str, Any]] = (grids or {}).get(
            key, ParameterGrid(method.grid) if tune else [{}]
        )
        where = counts
        if issubclass(_kind(method), AllFeatures):
            # The baseline is clustered once, with every feature.
            where, baseline = (samples.shape[1],), baseline or key
        tasks += _tasks(key, method, sets, where)
    if n_draws and set(chosen) - {baseline}:
        if image_shape is not None:
            shape = {"image_shape": tuple(image_shape)}
            tasks += _tasks("grid", REFERENCES["grid"], [shape], counts)
        draws = [{"random_state": number} for number in range(n_draws)]
        tasks += _tasks(RANDOM, REFERENCES[RANDOM], draws, counts)
    return Plan(
        tasks=tuple(tasks),
        seeds=runs,
        n_clusters=n_clusters,
        init=init,
        silhouette=silhouette,
        beside=beside,
        n_pairs=n_pairs,
        bootstrap=bootstrap,
        baseline=baseline,
        n_samples=len(samples),
        groups=() if numbers is None else tuple(numbers.tolist()),
        random_state=random_state,
    )


def _in_order(scores: Mapping[str, ArrayLike] | None, X: ArrayLike) -> dict[str, Any]:
    """Rankings by name, each in the order of the columns of X."""
    columns = getattr(X, "columns", None)
    names = None if columns is None else tuple(columns)
    features = RankedFeatures(np.shape(X)[-1], names)
    return {name: own_scores(values, features, name) for name, values in (scores or {}).items()}


def _kind(method: Method | EstimatorMethod) -> type:
    return type(method.estimator) if isinstance(method, EstimatorMethod) else method.selector


def _tasks(
    key: str,
    method: Method | EstimatorMethod,
    sets: Iterable[Mapping[str, Any]],
    counts: tuple[int, ...],
) -> Iterator[Task]:
    """A ranking a parameter set; one a number too where no selection is part of a larger one."""
    for parameters in sets:
        if getattr(_kind(method), "nested", True):
            yield Task(key, method.title, dict(parameters), counts)
            continue
        for k in counts:
            yield Task(key, method.title, {**parameters, "n_features_to_select": k}, (k,))


def usual_counts(available: int) -> tuple[int, ...]:
    """Few features first, where methods differ: 10, 20, 50, 100, 200, 300, … and half of all."""
    half = max(1, available // 2)
    steps = {step * 10**power for power in range(len(str(half))) for step in (1, 2, 5)}
    # 300 is what the paper’s own table is made at.
    usual = {k for k in steps if min(10, half / 8) <= k <= half / 1.5} | {300}
    return *sorted(k for k in usual if k < half), half


def _feature_counts(requested: int | Sequence[int] | None, available: int) -> tuple[int, ...]:
    """Check the numbers of features; None is :func:`usual_counts`."""
    if requested is None:
        return usual_counts(available)
    counts = tuple(int(k) for k in np.atleast_1d(np.asarray(requested)))
    if not counts or min(counts) < 1:
        raise ValueError("n_features must be at least 1.")
    if max(counts) > available:
        raise ValueError(
            f"n_features asks for {max(counts)} of {available} features: ask for at most "
            f"{available}."
        )
    return tuple(sorted(set(counts)))


def rank_features(selector: Any, X: ArrayLike, cuts: Sequence[int] = ()) -> Ranking:
    """Fit a selector and read its order of the features, and what the fit says of itself.

    How the order is read is said in :func:`cspca.evaluation.reading.read_order`.

    Scores of CSPCA that are closer than a thousandth of its tolerance are not told apart. `cuts`
    are numbers of features at which a tighter fit is asked whether it takes the same, where the two
    scores there are near.
    """
    is_fitted = isinstance(selector, FrozenEstimator)
    if not is_fitted and needs_labels(selector):
        raise ValueError(
            f"{type(selector).__name__} needs labels, and no method of a comparison is given any: "
            "fit it, and compare sklearn.frozen.FrozenEstimator(selector)."
        )
    settles = bool(cuts) and isinstance(selector, CSPCA | CSPCASelector)
    if settles:
        # The tighter fit goes on from where this one ends.
        selector = clone(selector).set_params(warm_start=True)
    began = time.perf_counter()
    fitted = selector.estimator if is_fitted else selector.fit(X)
    seconds = time.perf_counter() - began
    if fitted is None:
        # The fit of some selectors returns nothing.
        fitted = selector
    features = read_order(fitted, X)
    own_scores = getattr(fitted, "feature_scores_", getattr(fitted, "selection_scores_", ()))
    details = {"n_zero": float(np.count_nonzero(np.asarray(own_scores) == 0))}
    model = getattr(fitted, "model_", fitted)
    for detail in ("duality_gap", "rank", "objective", "n_iter", "stopped"):
        value = getattr(model, f"{detail}_", None)
        if isinstance(value, int | float | np.number):
            details[detail] = float(value)
    if isinstance(model, CSPCA):
        details["identity"] = float(model.regime_ == "identity")
        if model.regime_ == "reproduced":
            details["reproduced"] = 1.0
    ties = getattr(fitted, "feature_ties_", None)
    if ties is not None and np.shape(ties) != features.scores.shape:
        ties = None
    ranking = Ranking(
        features.order, features.scores, seconds, details, ties, own_size=features.own_size
    )
    if isinstance(model, CSPCA) and model.solver != "reweighted":
        unsettled = close_cuts(ranking, model.tol)
        if settles:
            unsettled += unsettled_cuts(model, X, replace(ranking, unsettled=unsettled), cuts)
        ranking = replace(ranking, unsettled=unsettled)
    return ranking


SETTLED = 2**17
"""Values of a table up to which :func:`compare` has a tighter fit look at cuts by itself."""

_NEAR = 0.01
"""Share of a score within which the next one is near: a tighter fit is made then."""

_TIGHTER = 0.01
"""Share of its tolerance that a fit is tightened to."""

_CLOSE = 1e-3
"""Share of the tolerance of a fit below which it does not tell two scores apart."""


def _cuts_within(ranking: Ranking, share: float, cuts: Iterable[int]) -> tuple[int, ...]:
    """Cuts with a ranking at which the two scores are within a share of the first."""
    scores, order = ranking.scores, ranking.order
    within = []
    for k in cuts:
        if not 0 < k < len(order) or ranking.no_ranking(k):
            continue
        last, first_left_out = scores[order[k - 1 : k + 1]]
        # Zeros are ordered by scores of which the largest is 1.
        if last - first_left_out <= share * (last if first_left_out > 0.0 else 1.0):
            within.append(k)
    return tuple(within)


def close_cuts(ranking: Ranking, tol: float) -> tuple[int, ...]:
    """Cuts at which scores of a fit are closer than a thousandth of its tolerance."""
    return _cuts_within(ranking, _CLOSE * tol, range(1, len(ranking.order)))


def near_cuts(ranking: Ranking, cuts: Sequence[int]) -> tuple[int, ...]:
    """Cuts with a ranking at which the two scores are within a hundredth."""
    return _cuts_within(ranking, _NEAR, cuts)


def unsettled_cuts(
    model: CSPCA, X: ArrayLike, ranking: Ranking, cuts: Sequence[int]
) -> tuple[int, ...]:
    """Cuts at which a fit to a hundredth of the tolerance takes others, or does not tell apart.

    `model` is fitted to X, and `ranking` is its own. Where a cut is near it is fitted on, from its
    solver's state if it has kept it (``warm_start=True``), else from its W, which takes far longer.
    """
    near, order = near_cuts(ranking, cuts), ranking.order
    if not near:
        return ()
    tighter = clone(model).set_params(tol=_TIGHTER * model.tol)
    for _ in tighter.iterate(X, start=model):
        pass
    scores, places = tighter.signed_scores_, tighter.feature_order_
    settled = Ranking(places, scores, 0.0, {}, tighter.feature_ties_)
    distinguished = set(near) - set(_cuts_within(settled, _CLOSE * model.tol, near))
    return tuple(
        k
        for k in near
        if k not in distinguished or settled.no_ranking(k) or set(order[:k]) != set(places[:k])
    )


def looks_at_samples(method: str, planned: Plan) -> bool:
    """Whether what a method selects could be another on halves of the samples."""
    return method not in (*REFERENCES, planned.baseline) and not is_own(method)


def cluster(
    X: ArrayLike,
    classes: NDArray[np.intp] | None,
    order: NDArray[np.intp],
    n_features: int,
    seeds: Sequence[int],
    n_clusters: int,
    *,
    init: str = "random",
    silhouette: Silhouette | None = None,
    bootstrap: int = 0,
    together: SampleGroups | None = None,
    random_state: int = 0,
) -> tuple[list[dict[str, Any]], dict[str, NDArray[np.float32]]]:
    """Cluster from many seeds on the best features of an order, and measure: one row a seed.

    Classes are numbered from 0; samples without a label (`UNLABELLED`) are clustered like the
    others, and agreement is of those that have one. None measures cluster stability and
    reconstruction error instead of agreement, the latter by halves of `random_state` in which the
    samples of `together` are not parted. The numbers of a seed do not depend on which others are
    with it. Beside the rows is the agreement of all seeds on resamples of the samples, or of their
    groups where these were given, if `bootstrap` asks for any.
    """
    if n_features > len(order):
        raise ValueError(f"It orders {len(order)} features, and {n_features} are wanted.")
    samples = np.asarray(X)
    # In the order of their index: what is selected decides, not in which order.
    features = np.sort(order[:n_features])
    chosen = np.ascontiguousarray(samples[:, features], dtype=np.float64)
    starts = list(seeds)
    if classes is None:
        # The second start of each seed, by which cluster stability is measured.
        starts += [seed + (1 << 31) for seed in seeds]
        together = together or sample_groups(samples)
        halved = len(samples) >= 4
        error = reconstruction_error(
            samples,
            features,
            groups=together.numbers if halved else None,
            held_out=halved,
            random_state=random_state,
        )
    else:
        labelled = classes != UNLABELLED
    n = len(seeds)
    began = time.perf_counter()
    outcome = clusterings(chosen, n_clusters, starts, init=init)
    seconds = (time.perf_counter() - began) / n
    distinct = n_distinct(chosen, outcome, n_clusters)
    silhouettes = None if silhouette is None else silhouette.of_all(outcome.labels[:n])
    rows = []
    for i, seed in enumerate(seeds):
        row: dict[str, Any] = {
            "n_features": n_features,
            "seed": seed,
            "n_clusters": n_clusters,
            "init": init,
            "inertia": float(outcome.inertia[i]),
            "n_iter": int(outcome.n_iter[i]),
            "seconds": seconds,
        }
        if classes is None:
            # With a start that belongs to this seed alone: the mean estimates two random runs.
            pair = outcome.labels[i], outcome.labels[i + n]
            row["cluster_stability"] = float(adjusted_rand_score(*pair))
            row["reconstruction_error"] = error
            if together is not None and together.n_copies:
                row["n_copies"] = together.n_copies
        else:
            row |= agreement(classes[labelled], outcome.labels[i][labelled])
        if distinct is not None:
            row["n_distinct"] = distinct
        if silhouettes is not None:
            row["silhouette"] = float(silhouettes[i])
        rows.append(row)
    if classes is None or not bootstrap:
        return rows, {}
    units = None if together is None else together.units
    return rows, resampled_agreement(
        classes[labelled],
        outcome.labels[:, labelled],
        bootstrap,
        None if units is None else units[labelled],
    )


def beside(
    X: ArrayLike,
    classes: NDArray[np.intp],
    order: NDArray[np.intp],
    n_features: int,
    together: SampleGroups | None = None,
    random_state: int = 0,
) -> dict[str, float]:
    """What else the best of an order are good for, beside clusters that are held against classes.

    By halves of `random_state` in which the samples of `together`, or else copies, are not parted.
    Of so few samples that there are no halves nothing is known. Nearest neighbours are among the
    samples that have a label, where a class of theirs lies in several groups.
    """
    features, labelled = order[:n_features], classes != UNLABELLED
    if np.count_nonzero(labelled) < 4:
        return {}
    together = together or sample_groups(X)
    scores = {
        "reconstruction_error": reconstruction_error(
            X, features, groups=together.numbers, random_state=random_state
        )
    }
    few = X if labelled.all() else np.asarray(X)[labelled]
    few_classes, few_groups = classes[labelled], together.numbers[labelled]
    if has_split_class(few_classes, few_groups):
        scores["neighbour_accuracy"] = nearest_of_class(
            few, few_classes, features, few_groups, random_state=random_state
        )
    if together.n_copies:
        scores["n_copies"] = float(together.n_copies)
    return scores


FAILURES = (ValueError, ArithmeticError, RuntimeError, MemoryError)
"""What a method may fail with on data it cannot handle; anything else is a mistake of ours."""


def error_reason(error: BaseException) -> str:
    """First line of an error, with its type where it has no other words."""
    reason = (str(error).strip().splitlines() or [""])[0]
    if not reason or isinstance(error, LookupError):
        # What is missing is all that a KeyError says.
        reason = f"{type(error).__name__} {reason}".rstrip()
    return reason


def failed(title: str, error: BaseException) -> str:
    """Say in one sentence that something failed, and why."""
    return f"{title} failed: {error_reason(error)}"


@dataclass
class _TaskOutcome:
    """What a ranking of a plan comes to, as far as it got before a `problem`, if there is one."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    ranking: Ranking | None = None
    on_halves: list[Ranking] = field(default_factory=list)
    over_images: dict[int, dict[str, NDArray[np.float32]]] = field(default_factory=dict)
    problem: str = ""


def compare(
    X: ArrayLike,
    y: ArrayLike | None = None,
    methods: Iterable[str] | Mapping[str, Any] | None = None,
    n_features: int | Sequence[int] | None = None,
    *,
    confidence: float = 0.95,
    n_jobs: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
    settle: bool | None = None,
    **settings: Any,
) -> Comparison:
    """Compare feature selection methods by K-means on the features they select.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features_in)
    y : array-like of shape (n_samples,) or None, default=None
        Classes, which no method sees: text, whole numbers, booleans or categories, see
        :mod:`cspca.labels`. None compares by silhouette, cluster stability and
        reconstruction error.
    methods : iterable of str, mapping of str to estimator, or None, default=None
        Keys of :data:`cspca.selection.METHODS`, or selectors by name: anything that says after
        ``fit(X)`` which features are best, see :func:`cspca.evaluation.reading.read_order`. One
        that says a selection without an order is scored at its own number of features only; with
        ``nested = False`` in its class and a parameter ``n_features_to_select`` it is fitted for
        each number. A `sklearn.frozen.FrozenEstimator` is taken as it is fitted. None is the
        paper's.
    n_features : int, sequence of int or None, default=None
        Numbers of selected features; None is 10, 20, 50, 100, 200, 300, … and half of all:
        methods differ where they keep few.
    confidence : float, default=0.95
        Of intervals and marks.
    n_jobs : int, default=1
        Threads.
    on_progress : callable or None, default=None
        Called with the clusterings done, or given up, and all of them, after every ranking.
    settle : bool or None, default=None
        Fit CSPCA on to a hundredth of its tolerance where the two scores at a cut are within 1 %:
        a selection that this changes has no score. It takes several times as long; None does it
        for tables of at most 2¹⁷ values.
    n_seeds : int, default=30
        Repetitions of K-means: seeds 0, 1, …, the same for every method and number of features.
    seeds : sequence of int or None, default=None
        Seeds instead of `n_seeds`, below 2³¹.
    n_clusters : int or None, default=None
        None is the number of classes.
    init : {"random", "k-means++"}, default="random"
        Starts of K-means; random ones are the same samples for every method.
    tune : bool, default=False
        Try every method's whole grid of parameters, as the paper does; otherwise its defaults.
    grids : mapping of str to iterable of mapping, or None, default=None
        Parameter sets to try of single methods, in place of their grid or defaults.
    silhouette : bool, default=True
        Measure silhouettes beside labels, so that a choice without labels can be reported.
    beside : bool, default=True
        Measure reconstruction and nearest neighbours beside clusters that are held against labels.
    n_pairs : int, default=0
        Pairs of complementary halves of the samples, the same for every method, to each half of
        which it is fitted again: how far the halves select the same is its reproducibility, see
        :func:`selection_reproducibility` and theory.md §23. 25 are 50 fits a method and
        parameter set.
    n_draws : int, default=30
        Random selections that every figure stands among, see :attr:`Row.percentile`; 0 for none.
    bootstrap : int, default=200
        Resamples of the samples, the same for all, for the spread of agreement with labels over
        samples drawn again, see :attr:`Row.over_images`; 0 for none. With fewer than five `groups`
        there is none.
    image_shape : tuple of two int or None, default=None
        Rows and columns, where features are the pixels of an image: an even grid of them is
        compared too.
    scores : mapping of str to array-like of shape (n_features_in,), or None, default=None
        Rankings of your own by name, large is good: each is compared as "Yours: NAME". A Series
        and a mapping go by the names of the columns of `X`.
    groups : array-like of shape (n_samples,) or None, default=None
        Group of each sample (subject, replicate, video): one half holds a group whole where
        reconstruction and neighbours are measured on held-out halves and where halves are
        fitted, and `bootstrap` draws whole groups. None keeps copies together in the halves, rows
        that are equal in every feature; near copies cannot be known.
    random_state : int, default=0
        Seed of the halves, which are the same for every method.
    **settings
        The fifteen above, by name.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        One sentence, when data and wishes do not fit together. A method that fails on these data
        is reported in ``failures`` and does not end the others.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from cspca.evaluation import compare
    >>> X, y = load_digits(return_X_y=True)
    >>> done = compare(X / 16, y, ["all", "variance"], 20, n_seeds=5)
    >>> [row.title for row in done.table()]
    ['All features', 'Max variance']
    """
    if n_jobs < 1:
        raise ValueError(f"n_jobs must be at least 1, got {n_jobs}.")
    settings["scores"] = _in_order(settings.get("scores"), X)
    resolved = resolve_methods(methods, settings["scores"])
    planned = plan(X, y, resolved, n_features, **settings)
    samples, classes, _ = check_data(X, y, planned.n_clusters)
    if y is not None and classes is None:
        warnings.warn(
            "Nearly every sample has a label of its own in y: clusters are not scored against it.",
            stacklevel=2,
        )
    silhouette = Silhouette(samples) if planned.silhouette or classes is None else None
    settles = samples.size <= SETTLED if settle is None else settle

    together = sample_groups(samples, planned.groups or None)
    if planned.n_pairs:
        check_units(together)
    if together.explicit and together.n_copies:
        warnings.warn(
            copies_across_groups_words(together.n_copies, len(samples), "samples"), stacklevel=2
        )

    def perform(task: Task) -> _TaskOutcome:
        outcome = _TaskOutcome()
        try:
            method = resolved.get(task.method) or method_of(task.method)
            selector = method.make(planned.n_clusters, **task.parameters)
            ranking = rank_features(selector, samples, task.n_features if settles else ())
            outcome.ranking = ranking
            of_task = {
                "method": task.method,
                "title": task.title,
                "parameters": task.text,
                "selection_seconds": ranking.seconds,
            }
            for count in task.n_features:
                clusterings, resampled = cluster(
                    samples,
                    classes,
                    ranking.order,
                    count,
                    planned.seeds,
                    planned.n_clusters,
                    init=planned.init,
                    silhouette=silhouette,
                    bootstrap=planned.bootstrap_of(task),
                    together=together,
                    random_state=planned.random_state,
                )
                outcome.over_images[count] = resampled
                if planned.beside and classes is not None:
                    of_task |= beside(
                        samples, classes, ranking.order, count, together, planned.random_state
                    )
                outcome.rows += [of_task | row for row in clusterings]
            if looks_at_samples(task.method, planned) and not isinstance(selector, FrozenEstimator):
                for number in range(planned.n_pairs):
                    pair = draw_pair(samples, together, number, random_state=planned.random_state)
                    for half in pair:
                        selector = method.make(planned.n_clusters, **task.parameters)
                        outcome.on_halves.append(rank_features(selector, samples[half]))
        except FAILURES as error:
            outcome.problem = failed(task.title, error)
        return outcome

    rows: list[dict[str, Any]] = []
    rankings, failures, rankings_of_halves = {}, {}, {}
    over_images: dict[tuple[str, str, int], dict[str, NDArray[np.float32]]] = {}
    n_done = 0
    # At one setting of threads for all workers, so that sums are taken in the same order.
    with blas_threads():
        work = Parallel(n_jobs, backend="threading", return_as="generator")
        outcomes = work(delayed(perform)(task) for task in planned.tasks)
        for task, of_task in zip(planned.tasks, outcomes, strict=True):
            key = task.method, task.text
            rows += of_task.rows
            rankings_of_halves[key] = of_task.on_halves
            over_images |= {(*key, k): figures for k, figures in of_task.over_images.items()}
            if of_task.ranking is not None:
                rankings[key] = of_task.ranking
            if of_task.problem:
                failures[key] = of_task.problem
            n_done += len(planned.seeds) * len(task.n_features)
            if on_progress is not None:
                on_progress(n_done, planned.n_clusterings)
    outcome = Comparison(
        planned, long_table(rows), rankings, failures, confidence, rankings_of_halves, over_images
    )
    few = outcome.few_distinct()
    if len(few):
        warnings.warn(
            f"By the selected features fewer samples differ than the {planned.n_clusters} clusters "
            f"asked for, in {len(few)} choices, so some clusters are empty: see few_distinct().",
            ConvergenceWarning,
            stacklevel=2,
        )
    return outcome
