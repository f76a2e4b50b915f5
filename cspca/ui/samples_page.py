"""The tab Samples of Explore: samples on two components, and what tells two groups apart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.datasets.numbering import numbers_as_text, samples_in_text
from cspca.experiments.film import Film
from cspca.experiments.fit import feature_name
from cspca.experiments.jobs import Job
from cspca.experiments.live import LiveFit
from cspca.experiments.memory import of_data
from cspca.experiments.samples import (
    ComparedClasses,
    axis_title,
    coordinates,
    density,
    extent,
    has_film,
    samples_film,
)
from cspca.figures.curves import value_curve
from cspca.figures.samples import (
    CLASS_COLOURS,
    CLASS_SHAPES,
    class_marks,
    contrast_alt,
    contrast_bars,
    contrast_rgb,
    density_rgba,
)
from cspca.figures.words import minus
from cspca.labels import UNLABELLED
from cspca.ui import explore_page, export, fields, films, fit_parts, follow, keys, pictures, state
from cspca.ui.components.cloud import MOST_PICTURED, Mark, cloud, send_thumbnails
from cspca.ui.components.paint import Mask
from cspca.ui.data_page.changes import refit_without, restore
from cspca.ui.plain import button, is_dark, plain, table

if TYPE_CHECKING:
    from cspca.evaluation import GroupContrast

Floats = NDArray[np.float64]

MOST_POINTS: Final = 20_000
"""Most samples that are drawn one by one; more are counted in cells."""

MOST_COLOURED: Final = len(CLASS_COLOURS) * len(CLASS_SHAPES)
"""Most classes that are told apart by colour and shape."""

LISTED: Final = 10
"""Features that tell two groups apart and are listed."""

_CELLS: Final = (90, 150)
"""Rows and columns of a density."""

_ALL: Final = -2
"""In place of a class: all samples."""


def body(view: state.View, dataset: Dataset) -> None:
    """Draw the tab below its title."""
    progress = fit_parts.attach(view, dataset)
    with st.container(key="experiment_columns"):
        side, main = st.columns([4, 11], gap="large")
    result, stale = state.last_result(dataset), not progress.snapshot.fits
    with side:
        explore_page.penalty_sliders(view, dataset, progress)
    with main:
        follow.follow_job(progress)
        fit_parts.status(progress, dataset)
        if result is None:
            st.skeleton(height=520)
            return
        fit_parts.earlier(progress, dataset)
        if not result.fit.rank:
            st.info(
                f"W = 0 at these penalties: there is no component to place {dataset.nouns.samples} "
                "on.",
                icon=":material/info:",
            )
            return
    with side:
        pair = _choose_components(result)
        cells_of = _choose_cells(dataset)
    with main:
        points = _points(dataset, result, pair)
        _cloud(view, progress, dataset, result, pair, points, cells_of)
        _say(dataset, result, pair)
        if state.bare():
            return
        _as_text(dataset, pair, points)
        restore(dataset)
    _groups(dataset, result, stale=stale)


def _choose_components(result: LiveFit) -> tuple[int, ...]:
    """Draw the choice of components, and return their numbers from 0; one where there is one."""
    shares = result.fit.explained_variance_ratio
    labels = {
        number: f"{number + 1}: {100 * share:.1f} %" for number, share in enumerate(shares.tolist())
    }
    if len(labels) == 1:
        st.caption("There is one component: it runs across, and nothing runs up.")
        return (0,)
    help = "With the share that it takes off what is left unexplained."
    across = fields.switch(
        "Across", labels, keys.SAMPLES_ACROSS, start=0, draw=st.selectbox, help=help
    )
    up = fields.switch("Up", labels, keys.SAMPLES_UP, start=1, draw=st.selectbox, help=help)
    return int(across), int(up)


def _choose_cells(dataset: Dataset) -> int:
    """Draw the choice of whose density is drawn, where one is, and return the class."""
    if dataset.n_samples <= MOST_POINTS:
        return _ALL
    nouns = dataset.nouns
    options = {_ALL: f"All {nouns.samples}"}
    if dataset.n_classes > 1:
        options |= {number: dataset.class_name(number) for number in range(dataset.n_classes)}
    chosen = fields.switch("Density of", options, keys.SAMPLES_CELLS, draw=st.selectbox)
    st.caption(
        f"More than {nouns.count_samples(MOST_POINTS)} are not drawn one by one: the brighter a "
        f"cell, the more {nouns.samples} lie in it, by the logarithm of their number."
    )
    return int(chosen)


def _points(dataset: Dataset, result: LiveFit, pair: tuple[int, ...]) -> Floats:
    """Return the coordinates of all samples on a pair of components.

    They are kept for the next drawing of the page, which may be of the same fit.
    """
    fit, session = result.fit, st.session_state
    drawn = session.get(keys.SAMPLES_DRAWN)
    if drawn is not None and drawn[0] is fit and drawn[1] == pair:
        points: Floats = drawn[2]
        return points
    points = coordinates(fit, dataset.data, pair)
    if len(pair) == 1:
        points = np.column_stack([points, np.zeros(len(points))])
    session[keys.SAMPLES_DRAWN] = fit, pair, points
    return points


def _cloud(
    view: state.View,
    progress: Job,
    dataset: Dataset,
    result: LiveFit,
    pair: tuple[int, ...],
    points: Floats,
    cells_of: int,
) -> None:
    """Draw the samples, or their density, and the film that moves them."""
    are_counted = dataset.n_samples > MOST_POINTS
    classes, named = _classes(dataset, apart=not are_counted)
    marks = class_marks(len(named), is_dark())
    legend = [Mark(name, *mark, n) for (name, n), mark in zip(named, marks, strict=True)]
    of, within = dataset.sha256[:16], extent(points)
    cells, seen = None, np.ones(len(points), dtype=bool)
    if are_counted:
        if cells_of != _ALL and dataset.target is not None:
            seen = dataset.target == cells_of
        counts = density(points[seen], _CELLS, within)
        cells = {
            "rows": _CELLS[0],
            "columns": _CELLS[1],
            "colours": density_rgba(counts),
            "counts": counts.astype("<i4"),
        }
    nouns, both = dataset.nouns, (pair[0], pair[-1])
    titles = [axis_title(result.fit.explained_variance_ratio, number) for number in pair]

    def content(film: Film) -> dict[str, Any]:
        return samples_film(film, result.fit, dataset.data, both)

    shown = films.Shown(f"samples {both}", "", content)
    moves = (
        not are_counted and len(pair) == 2 and has_film(dataset.n_samples, dataset.n_features, both)
    )
    acted = cloud(
        points,
        classes,
        legend,
        key="cloud",
        of=of,
        group=_chosen(dataset),
        on_group=lambda mask: _choose(dataset, mask & seen),
        axes=(titles[0], titles[1] if len(titles) > 1 else ""),
        axes_key=str(pair),
        extent=within,
        density=cells,
        nouns=(nouns.sample, nouns.samples),
        numbers=None if dataset.sample_numbers is None else dataset.numbers,
        names=dataset.sample_names,
        pictured=dataset.kind == "pixels" and dataset.n_samples <= MOST_PICTURED,
        description=f"{_shown(dataset, result, pair)} {_sizes(dataset)}",
        stale=not progress.snapshot.fits,
        films=films.offers(view, dataset, progress, shown) if moves else None,
        asked={"alpha": view.fit.alpha, "beta": view.fit.beta},
        on_let_go=partial(films.take, view),
        on_wish=partial(films.wish, view, dataset, progress),
    )
    if not are_counted:
        send_thumbnails(dataset, of)
    if moves:
        films.feed(view, dataset, progress, shown)
    if acted:
        # The sliders are above: they show where the film was let go.
        st.rerun()


@of_data
def _classes(
    dataset: Dataset, *, apart: bool = True
) -> tuple[NDArray[np.int64], list[tuple[str, int]]]:
    """Return the place of each sample's class in a list of names and numbers of samples.

    All are of one class where classes are not told `apart`, or cannot be.
    """
    everything = np.zeros(dataset.n_samples, dtype=np.int64)
    target = dataset.target
    if target is None or not apart or not 1 < dataset.n_classes <= MOST_COLOURED:
        return everything, [(dataset.nouns.samples, dataset.n_samples)]
    # Samples without a label come last.
    places = np.where(target == UNLABELLED, dataset.n_classes, target)
    counts = np.bincount(places, minlength=dataset.n_classes).tolist()
    labels = [*range(dataset.n_classes), UNLABELLED]
    named = [
        (dataset.class_name(label), count) for label, count in zip(labels, counts, strict=False)
    ]
    return places, named


def _shown(dataset: Dataset, result: LiveFit, pair: tuple[int, ...]) -> str:
    """Say in a sentence what the cloud shows."""
    samples = dataset.nouns.count_samples(dataset.n_samples)
    shares = [100 * float(result.fit.explained_variance_ratio[number]) for number in pair]
    if len(pair) == 1:
        return f"{samples} on component 1 of 1, which explains {shares[0]:.1f} %."
    return (
        f"{samples} on components {pair[0] + 1} (across, explains {shares[0]:.1f} %) and "
        f"{pair[1] + 1} (up, {shares[1]:.1f} %) of {result.fit.rank:,}."
    )


def _sizes(dataset: Dataset) -> str:
    """Say how many samples are chosen."""
    n_chosen = int(np.count_nonzero(_chosen(dataset)))
    if not n_chosen:
        return "None is chosen."
    return f"{n_chosen:,} chosen, {dataset.n_samples - n_chosen:,} others."


def _say(dataset: Dataset, result: LiveFit, pair: tuple[int, ...]) -> None:
    """Say what is shown, and what it does not say."""
    nouns = dataset.nouns
    st.markdown(plain(f"{_shown(dataset, result, pair)} {_sizes(dataset)}"))
    note = ""
    if dataset.n_classes > MOST_COLOURED:
        note = f" {dataset.n_classes:,} classes are too many to be told apart by colour."
    st.caption(
        f"{nouns.samples.capitalize()} that lie together here are alike in two components, and "
        "need not be in the others. What components explain is a share of the squares and no "
        f"accuracy. An empty space between groups says nothing of {nouns.samples} never seen. The "
        "sign of a component is free: each points along the one of PCA that it is nearest to."
        f"{note}"
    )


def _as_text(dataset: Dataset, pair: tuple[int, ...], points: Floats) -> None:
    """Draw the mean coordinates of the classes and of the chosen samples as a table."""
    classes, named = _classes(dataset)
    rows: list[tuple[str, Mask]] = []
    if len(named) > 1:
        rows = [(name, classes == place) for place, (name, _) in enumerate(named)]
    chosen = _chosen(dataset)
    if chosen.any():
        rows += [("Chosen", chosen), ("Others", ~chosen)]
    rows.append((f"All {dataset.nouns.samples}", np.ones(len(points), dtype=bool)))
    with st.expander(
        "The cloud as text: where classes and groups lie", icon=":material/format_list_numbered:"
    ):
        lines = []
        for name, members in rows:
            means = ["–", "–"]
            if members.any():
                # Without the sign of a rounded zero.
                places = np.round(points[members].mean(axis=0), 3) + 0.0
                means = [minus(f"{place:+.3f}") for place in places.tolist()]
            axes = {
                f"Mean on component {number + 1}": means[at]
                for at, number in enumerate(dict.fromkeys(pair))
            }
            count = f"{np.count_nonzero(members):,}"
            lines.append({"Group": name, dataset.nouns.samples.capitalize(): count, **axes})
        table(pd.DataFrame(lines), "Mean coordinates of classes and groups")


# -- groups ----------------------------------------------------------------------------------------


def _chosen(dataset: Dataset) -> Mask:
    """Return the marks of the chosen samples of this data set."""
    stored: tuple[str, Mask] | None = st.session_state.get(keys.SAMPLES_CHOSEN)
    if stored is None or stored[0] != dataset.sha256:
        return np.zeros(dataset.n_samples, dtype=bool)
    return stored[1]


def _choose(dataset: Dataset, mask: Mask) -> None:
    """Store the chosen samples, as marks and as text."""
    session = st.session_state
    session[keys.SAMPLES_CHOSEN] = dataset.sha256, mask
    session[_text_key(dataset)] = numbers_as_text(dataset.numbers[mask])
    session[keys.SAMPLES_GROUPS] = "chosen"
    session.pop(keys.SAMPLES_REFUSED, None)


def _text_key(dataset: Dataset) -> str:
    return f"samples_text_{dataset.sha256[:8]}"


def _take_text(dataset: Dataset) -> None:
    """Choose the samples whose numbers were typed; an error is shown below them."""
    session = st.session_state
    try:
        mask = samples_in_text(session[_text_key(dataset)], dataset.numbers, dataset.nouns)
    except ValueError as problem:
        session[keys.SAMPLES_REFUSED] = session[_text_key(dataset)], str(problem)
    else:
        _choose(dataset, mask)


def _groups(dataset: Dataset, result: LiveFit, *, stale: bool) -> None:
    """Draw the choice of two groups, and what tells them apart."""
    nouns = dataset.nouns
    st.header(f"Which {nouns.features} tell them apart?", anchor=False)
    side, main = st.columns([4, 11], gap="large")
    with side:
        by_class = False
        if dataset.has_classes:
            _follow_link(dataset)
            options = {"chosen": "Chosen and others", "classes": "Two classes"}
            by_class = fields.switch("Compared", options, keys.SAMPLES_GROUPS) == "classes"
        first, second, names = _two_classes(dataset) if by_class else _own_group(dataset)
    with main:
        if first is None:
            st.info(
                f"Draw a line around some {nouns.samples} of the cloud, press one, or write their "
                "numbers.",
                icon=":material/gesture:",
            )
            return
        try:
            contrast = _contrast(
                dataset, np.packbits(first).tobytes(), np.packbits(second).tobytes()
            )
        except ValueError as problem:
            st.info(plain(str(problem)), icon=":material/info:")
            return
        counts = int(np.count_nonzero(first)), int(np.count_nonzero(second))
        _tell_apart(dataset, result, contrast, names, counts, stale=stale)


def _follow_link(dataset: Dataset) -> None:
    """Compare what a link says, and have the address say what is compared."""
    compared = state.section_settings(ComparedClasses)
    last = dataset.n_classes - 1
    missing = [number for number in (compared.first, compared.second) if number > last]
    for number in missing:
        state.add_notice(
            f"The link asks for class {number:,}; the classes here are 0 to {last:,}, counted "
            "from 0, so the usual one is compared."
        )
    if missing:
        # Notices stand at the top of the page, which is drawn already.
        for key in (keys.SAMPLES_FIRST, keys.SAMPLES_SECOND):
            if st.session_state[key] > last:
                del st.session_state[key]
        st.rerun()


def _two_classes(dataset: Dataset) -> tuple[Mask, Mask, tuple[str, str]]:
    """Draw the choice of two classes, and return their samples and names."""
    target = dataset.target
    assert target is not None
    classes = {number: dataset.class_name(number) for number in range(dataset.n_classes)}
    first = fields.switch("First class", classes, keys.SAMPLES_FIRST, start=0, draw=st.selectbox)
    second = fields.switch("Second class", classes, keys.SAMPLES_SECOND, start=1, draw=st.selectbox)
    return target == first, target == second, (classes[first], classes[second])


def _own_group(dataset: Dataset) -> tuple[Mask | None, Mask, tuple[str, str]]:
    """Draw the chosen samples as text, and return them and the others; None where there are none.

    They can be left out.
    """
    nouns, chosen = dataset.nouns, _chosen(dataset)
    # It is gone from the session where the field was not drawn for a while.
    st.session_state.setdefault(_text_key(dataset), numbers_as_text(dataset.numbers[chosen]))
    st.text_input(
        f"Chosen {nouns.samples}",
        key=_text_key(dataset),
        placeholder="1-12, 40",
        help=f"Numbers from 1 to {dataset.numbers[-1]:,}, and ranges. What is chosen on the cloud "
        "stands here.",
        on_change=_take_text,
        args=(dataset,),
    )
    text, refusal = st.session_state.get(keys.SAMPLES_REFUSED, ("", ""))
    if refusal and text == st.session_state.get(_text_key(dataset)):
        st.error(plain(refusal), icon=":material/error:")
    n_chosen = int(np.count_nonzero(chosen))
    st.markdown(_sizes(dataset))
    numbers = tuple(np.flatnonzero(chosen).tolist())
    with st.container(horizontal=True, gap="small"):
        options: dict[str, Any] = {"disabled": not n_chosen}
        none = np.zeros_like(chosen)
        button("Choose none", "samples_none", "clear", _choose, dataset, none, **options)
        options["help"] = (
            "The set without them is taken in use on all pages; links, exports and the lines of "
            "Python carry it."
        )
        call = (refit_without, dataset, numbers)
        button("Leave these out", "samples_leave_out", "person_remove", *call, **options)
    return (chosen if n_chosen else None), ~chosen, ("the chosen", "the others")


@of_data
def _contrast(dataset: Dataset, first: bytes, second: bytes) -> GroupContrast:
    """Compare two groups, given as packed marks."""
    # Loads scikit-learn, which no page needs to be drawn.
    from cspca.evaluation import group_contrast

    marks = (
        np.unpackbits(np.frombuffer(packed, np.uint8), count=dataset.n_samples).astype(bool)
        for packed in (first, second)
    )
    return group_contrast(dataset.data, *marks)


def _tell_apart(
    dataset: Dataset,
    result: LiveFit,
    contrast: GroupContrast,
    names: tuple[str, str],
    counts: tuple[int, int],
    *,
    stale: bool,
) -> None:
    """Draw what tells two groups apart: a picture or bars, and the most different features."""
    nouns, values, shape = dataset.nouns, contrast.values, dataset.image_shape
    used = result.fit.feature_scores > 0
    n_without = int(np.count_nonzero(np.isnan(values)))
    sizes = [f"{name} ({nouns.count_samples(n)})" for name, n in zip(names, counts, strict=True)]
    st.markdown(plain(f"Mean of {sizes[0]} minus mean of {sizes[1]}:"))
    if shape is not None:
        plane, dark = values.reshape(shape), is_dark()
        shown = {
            f"All {nouns.features}: orange where the first mean is brighter, blue where darker": (
                np.ones(shape, dtype=bool)
            ),
            f"The {int(used.sum()):,} that the map uses": used.reshape(shape),
        }
        with st.container(key="samples_apart"):
            pictures.row(
                [
                    pictures.figure(
                        contrast_rgb(plane, drawn, dark),
                        contrast_alt(plane, drawn),
                        caption,
                        kind="stale" if stale and place else "",
                    )
                    for place, (caption, drawn) in enumerate(shown.items())
                ]
            )
    best = contrast.order[:LISTED]
    if dataset.axis is not None:
        ranges = dataset.axis.ranges(np.flatnonzero(used))
        question = f"{names[0]} minus {names[1]}, along the axis"
        curve = value_curve(dataset.axis, values, question, "Difference in deviations", ranges)
        export.show(curve, "samples_curve", of=dataset.name, heading=True)
    if dataset.kind != "pixels":
        export.show(
            contrast_bars(
                [feature_name(dataset, int(feature)) for feature in best],
                values[best],
                f"The {len(best)} most different {nouns.features}",
                nouns,
            ),
            "samples_bars",
            of=dataset.name,
            heading=True,
        )
    without = ""
    if n_without:
        without = (
            f" For {nouns.count_features(n_without)} it is not defined, since nothing varies "
            "within the groups, also where their means differ."
        )
    if dataset.kind == "pixels":
        without += " Grey is not defined, or not used by the map."
    st.caption(
        "Difference of the means over the pooled standard deviation within the groups, "
        "(m₁ − m₂) ÷ √((S₁ + S₂) ÷ (n₁ + n₂ − 2)), S the sum of squared distances from the mean. "
        f"It describes these {nouns.samples} and is no test: a group that was chosen by looking "
        f"at them differs already because it was so chosen, and other {nouns.samples} need not "
        f"differ so.{without}"
    )
    if len(best):
        lines = [_line(dataset, contrast, int(feature), names, used) for feature in best.tolist()]
        with st.container(key="group_entries"):
            table(pd.DataFrame(lines), f"The {len(best)} most different {nouns.features}")


def _line(
    dataset: Dataset,
    contrast: GroupContrast,
    feature: int,
    names: tuple[str, str],
    used: NDArray[np.bool_],
) -> dict[str, str]:
    """Return a line of the table of the most different features."""
    return {
        dataset.nouns.feature.capitalize(): feature_name(dataset, feature),
        "Difference ÷ deviation": minus(f"{contrast.values[feature]:+.2f}"),
        f"Mean of {names[0]}": f"{contrast.first_mean[feature]:.4g}",
        f"Mean of {names[1]}": f"{contrast.second_mean[feature]:.4g}",
        "Used by the map": "yes" if used[feature] else "no",
    }
