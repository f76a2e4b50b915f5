"""The visitor's own samples: a ranking by suspicion, each in detail, and a refit without some."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset
from cspca.datasets.numbering import numbers_as_text
from cspca.evaluation.outliers import SCORES, three_scores
from cspca.experiments.exports import File, sample_columns, to_csv
from cspca.experiments.fit import influence_text, influential, is_rebuilt_well, weight_words
from cspca.experiments.jobs import Job
from cspca.experiments.live import LiveFit
from cspca.figures import pictures as drawn
from cspca.figures.pictures import grey, image_alt
from cspca.figures.words import capitalised
from cspca.ui import along, export, fields, fit_parts, follow, keys, pictures, state
from cspca.ui.components.picks import Pick, picks
from cspca.ui.data_page.changes import refit_without, restore
from cspca.ui.plain import button, is_dark, plain, table

_RANKED_BY: Final = {**SCORES, "influence": "Influence"}
_SHOWN: Final = 24
_NAMED: Final = 3


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    progress = fit_parts.attach(view, dataset)
    restore(dataset)
    follow.follow_job(progress)
    _status(progress, dataset)
    result = state.last_result(dataset)
    if result is None:
        st.skeleton(height=420)
        return
    fit_parts.earlier(progress, dataset)
    score, scores = _score(dataset, result)
    order = np.argsort(-scores[score], kind="stable")
    # A row of pictures is wide, and a table of samples narrow beside a curve.
    widths = [7, 4] if dataset.kind == "pixels" else [5, 6]
    left, right = st.columns(widths, gap="large")
    with left:
        picked = _ranking(dataset, order, scores[score], stale=not progress.snapshot.fits)
    with right:
        _sample(dataset, result, picked, scores, order)
    if state.bare():
        return
    _leaving(dataset, order)
    st.header("Export", anchor=False)
    description = f"Every {dataset.nouns.sample}, the most suspicious first, with its four scores."
    frame = partial(_list, dataset, scores, order)
    export.offer(
        result.outcome(dataset),
        lines=(
            "print(model.sample_residuals_.argsort()[::-1][:10] + 1)  # the most suspicious\n"
            "print(model.sample_influence_.argsort()[::-1][:10] + 1)  # of the most influence"
        ),
        ready=bool(progress.snapshot.fits),
        page_files=[
            File(
                f"{dataset.nouns.samples.capitalize()}, CSV",
                "ranking.csv",
                lambda: to_csv(frame()),
                description,
            )
        ],
    )


def _status(now: Job, dataset: Dataset) -> None:
    if now.state == "failed":
        st.error(plain(now.error or "The fit failed."), icon=":material/error:")
        return
    fit: LiveFit = now.snapshot
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        fit_parts.badge(now, dataset.nouns)
        scale = " of their limits" if fit.asked.penalty_scale == "relative" else ""
        description = f"The fit in use: α = {fit.asked.alpha:g}, β = {fit.asked.beta:g}{scale}."
        if fit.asked.keep is not None:
            description = f"The fit in use keeps {dataset.nouns.count_features(fit.asked.keep)}."
        st.html(description, width="content")
        state.link("explore", "Change them on Explore", ":material/tune:")


def _score(dataset: Dataset, result: LiveFit) -> tuple[str, dict[str, NDArray[np.float64]]]:
    fit, nouns = result.fit, dataset.nouns
    noun, measured = nouns.a_sample, ", from their mean" if result.asked.center else ""
    scores = three_scores(dataset.data, fit.sample_residuals)
    scores["influence"] = np.asarray(fit.sample_influence, dtype=np.float64)
    name = fields.views("Ranked by", _RANKED_BY, "odd_score", wrap=True)
    st.caption(
        "A large residual says that this map, at these penalties, does not rebuild this "
        f"{nouns.sample}: it may be wrong, rare, or only of a large norm. A small one is no "
        f"evidence that {noun} belongs: it may be rebuilt for its weight alone. Residual ÷ norm is "
        f"the error as a share of the {nouns.sample}’s own length. Influence is the norm against "
        f"those of all others together{measured}: a large one is a reason to look, a small one no "
        f"clearance for {noun} in a direction of its own, nor for several that hide each other. "
        "The norm alone is the control: where it gives the same list, the fit adds nothing."
    )
    for number in influential(fit)[:_NAMED].tolist():
        st.markdown(_place_by_residual(dataset, scores, number))
    common = _common(scores, name)
    if name != "norm":
        are = "is" if common == 1 else "are"
        st.markdown(
            f"Of the first {_SHOWN} by {_RANKED_BY[name].lower()}, {common} {are} among the "
            f"first {_SHOWN} by norm too."
        )
    return name, scores


def _place_by_residual(
    dataset: Dataset, scores: dict[str, NDArray[np.float64]], number: int
) -> str:
    """Return a sentence on the rank by residual of a sample of large influence."""
    name, residuals = capitalised(dataset.sample_name(number)), scores["residual"]
    influence = influence_text(float(scores["influence"][number]))
    place = 1 + np.count_nonzero(residuals > residuals[number])
    return (
        f"**{plain(name)} is worth a look:** its influence is {influence}. By residual "
        f"it is number {place:,} of {dataset.n_samples:,}."
    )


def _common(scores: dict[str, NDArray[np.float64]], name: str) -> int:
    first, norm = (set(np.argsort(-scores[score])[:_SHOWN].tolist()) for score in (name, "norm"))
    return len(first & norm)


def _ranking(
    dataset: Dataset, order: NDArray[np.intp], values: NDArray[np.float64], *, stale: bool
) -> int:
    """Draw the most suspicious samples first; return the index of the picked one."""
    out = _out()
    shown = order[:_SHOWN].tolist()
    images = dataset.kind == "pixels"
    st.markdown("**Most suspicious first.** Choose one to see what is not explained.")
    choices = [
        Pick(
            number,
            dataset.image(number) if images else None,
            f"{dataset.sample_name(number)}\n{_figure(values[number])}",
            "out" if number in out else "",
        )
        for number in shown
    ]
    picked = picks(
        choices,
        key="odd",
        label="Ranking",
        n_samples=dataset.n_samples,
        title_of=lambda index: capitalised(dataset.sample_name(index)),
        stale=stale,
    )
    if not images:
        _places(dataset, shown, values)
    return picked


def _places(dataset: Dataset, shown: list[int], values: NDArray[np.float64]) -> None:
    """List the most suspicious samples with their scores, where they have no pictures."""
    columns: dict[str, list[Any]] = {
        "Place": list(range(1, len(shown) + 1)),
        dataset.nouns.sample.capitalize(): [dataset.sample_number(number) for number in shown],
    }
    if dataset.sample_names is not None:
        columns["Name"] = [dataset.sample_names[number] for number in shown]
    target = dataset.target
    if target is not None:
        columns["Class"] = [dataset.class_name(int(target[number])) for number in shown]
    columns["Score"] = [_figure(values[number]) for number in shown]
    with st.container(key="odd_places"):
        table(pd.DataFrame(columns), "The most suspicious first")


def _figure(value: float) -> str:
    """Return a score with three significant digits, including trailing zeros."""
    return f"{value:#.3g}".removesuffix(".")


def _sample(
    dataset: Dataset,
    result: LiveFit,
    number: int,
    scores: dict[str, NDArray[np.float64]],
    order: NDArray[np.intp],
) -> None:
    """Draw one sample, its reconstruction, its residual and its scores."""
    place = int(np.flatnonzero(order == number)[0]) + 1
    st.markdown(
        f"**{plain(pictures.sample_title(dataset, number))}**, number {place:,} of "
        f"{dataset.n_samples:,}"
    )
    if dataset.kind == "pixels":
        image, rebuilt = dataset.image(number), pictures.rebuilt(dataset, result, number)
        three(image, rebuilt)
    along.rebuilt_by_index(dataset, result, number, box="odd_rebuilt")
    lines = [f"{title}: {scores[name][number]:.4g}" for name, title in _RANKED_BY.items()]
    st.caption(" · ".join(lines))
    if number in influential(result.fit):
        st.markdown(_influence_words(dataset, result, number))
    is_marked = number in _out()
    button(
        "Keep it after all" if is_marked else "Leave it out",
        "odd_toggle",
        "undo" if is_marked else "person_remove",
        _toggle,
        number,
    )


def _influence_words(dataset: Dataset, result: LiveFit, number: int) -> str:
    """Return what the residual of a sample of large influence means."""
    fit, center = result.fit, result.asked.center
    weight = weight_words(fit, number, dataset.nouns, center)
    if fit.regime != "reproduced" and not is_rebuilt_well(fit, number):
        return f"It weighs much: {weight}. Its own error is not small."
    return (
        "Its own error is small. **That is no evidence that it belongs:** "
        f"{weight}. Leave it out, and see what the others say."
    )


def three(image: NDArray[Any], rebuilt: NDArray[Any]) -> None:
    """Draw an image, its reconstruction and its residual."""
    rest = image - rebuilt
    dark = is_dark()
    pictures.row(
        [
            pictures.figure(grey(image), image_alt(image), "Original"),
            pictures.figure(grey(rebuilt), image_alt(rebuilt, "Rebuilt"), "Rebuilt"),
            pictures.figure(
                drawn.signed_rgb(rest, dark=dark),
                f"Residual: from {rest.min():.2f} to {rest.max():.2f}, largest where it is most "
                "coloured.",
                f"Residual: orange brighter, blue darker than rebuilt, up to "
                f"{np.abs(rest).max():.2f}",
            ),
        ]
    )


def _out() -> list[int]:
    """Return the samples that are marked to be left out."""
    marked: list[int] = st.session_state.setdefault(keys.ODD_OUT, [])
    return marked


def _toggle(number: int) -> None:
    out = _out()
    if number in out:
        out.remove(number)
    else:
        out.append(number)


def _leaving(dataset: Dataset, order: NDArray[np.intp]) -> None:
    """Draw the samples marked to be left out, and the button to refit without them."""
    nouns, out = dataset.nouns, _out()
    st.header(f"Without some {nouns.samples}", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        most = max(1, min(200, dataset.n_samples - 2))
        first = st.number_input(
            "The first", 1, most, min(5, most), key="odd_first", width=120, help="Of the ranking."
        )
        label = f"Mark the first {first:,}"
        button(label, "odd_mark", "playlist_add", _mark, order[:first].tolist())
        button("Mark none", "odd_none", "clear", _mark, [], disabled=not out)
        words = nouns.count_samples(len(out)) if out else f"marked {nouns.samples}"
        options: dict[str, Any] = {"type": "primary", "disabled": not out}
        options["help"] = (
            "Takes the set without them in use, on all pages. Links, exports and the lines of "
            "Python carry it."
        )
        label = f"Refit without {words}"
        button(label, "odd_refit", "restart_alt", refit_without, dataset, tuple(out), **options)
    if out:
        numbers = numbers_as_text(dataset.numbers[sorted(out)])
        st.caption(f"To be left out: {numbers}.")


def _mark(numbers: list[int]) -> None:
    st.session_state[keys.ODD_OUT] = [*dict.fromkeys([*_out(), *numbers])] if numbers else []


def _list(
    dataset: Dataset, scores: dict[str, NDArray[np.float64]], order: NDArray[np.intp]
) -> pd.DataFrame:
    """Return the whole ranking as a table."""
    return pd.DataFrame(
        {
            "place": np.arange(1, len(order) + 1),
            **sample_columns(dataset, order),
            **{name: values[order] for name, values in scores.items()},
            "left_out": np.isin(order, _out()).astype(int),
        }
    )
