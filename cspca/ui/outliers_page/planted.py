"""Images of which some are ruined on purpose: rankings of methods that should put them first."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from cspca.datasets import Dataset
from cspca.datasets.scenes import WRONGS
from cspca.evaluation.outliers import SCORES
from cspca.experiments import suspects
from cspca.experiments.exports import File, to_csv
from cspca.experiments.jobs import Job
from cspca.experiments.suspects import JUDGES, Judgement, Planted
from cspca.figures.outliers import ranking_curves
from cspca.figures.pictures import grey, image_alt
from cspca.paper.numbers import recognised
from cspca.robust import ROBUST
from cspca.ui import asking, export, fields, follow, keys, pictures, state
from cspca.ui.components.picks import Pick, picks
from cspca.ui.plain import button, table
from cspca.ui.services import services

_SHOWN: Final = 24
"""Images shown of a ranking."""

_REBUILT: Final = ("pca", "pcp", "op", "cspca", "squared")
"""Methods whose reconstructions stand side by side."""

_WORDS: Final = {
    "ruined": "Ruined",
    "blocks": "Blocks",
    "noise": "Noise",
    "swapped": "Halves swapped",
    "strangers": "Strangers",
}

_DAMAGED: Final = (
    "In our measurements on ORL (one seed) blocks of noise are found by plain PCA as well as by "
    "any robust method (AUC 1.000; the norm 0.85)."
)
_STRANGERS: Final = (
    "Of photographs among other photographs nothing has beaten the norm yet, in our "
    "measurements (one seed): the objects of COIL-20 among ORL faces are ranked by the norm alone "
    "with AUC 1.000, and with all norms equal every method falls below 0.5, for objects are easier "
    "to rebuild than faces."
)
_SWAPPED: Final = (
    "The norm cannot tell these, for it stays what it is. A few of them are hard to "
    "rebuild; where they are as many as the others, nothing says which ones are wrong."
)
_SHARES: Final = tuple(round(0.05 * k, 2) for k in range(1, 19))
_BETAS: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
_COMPONENTS: Final = (2, 5, 10, 20, 40, 60)
_MOST: Final = (200, 400, 1000, 2000)


def _measured(wrong: str, dataset: Dataset) -> str:
    """Return a note on other measurements; those on ORL are shown for ORL only."""
    if wrong == "swapped":
        return _SWAPPED
    paper_set = recognised(dataset).paper_set
    if paper_set is None or paper_set.key != "orl":
        return ""
    return _STRANGERS if wrong == "strangers" else _DAMAGED


def share_stops(n_images: int) -> tuple[float, ...]:
    """Return the shares of ruined images to choose from: from one image to all but two."""
    larger = [
        share
        for share in _SHARES
        if round(share * n_images) > 1 and n_images - round(share * n_images) >= 2
    ]
    return (round(1 / n_images, 6), *larger)


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    fields.show(state.section_settings(Planted), only_missing=True)
    with st.container(key="experiment_columns"):
        side, main = st.columns([4, 11], gap="large")
    with side:
        _controls(view, dataset)
    settings = state.section_settings(Planted)
    strangers = (
        services().library.get(settings.strangers) if settings.wrong == "strangers" else None
    )

    def work(job: Job) -> None:
        suspects.judge(settings, dataset, strangers, job.stop_requested, job.publish)

    with main:
        now = asking.ask("planted", (settings, dataset.sha256), work)
        follow.follow_job(now)
        _answer(now, dataset)
    judgement: Judgement | None = now.snapshot
    if judgement is not None and judgement.complete and not state.bare():
        _export(judgement)


def _export(judgement: Judgement) -> None:
    st.header("Export", anchor=False)
    description = "Every image, whether it is wrong, its norm and its residual by every method."
    files = [File("Images, CSV", "images.csv", lambda: to_csv(judgement.ranking()), description)]
    export.offer(judgement.outcome(), page_files=files)


def _controls(view: state.View, dataset: Dataset) -> None:
    fields.choice(Planted, "wrong", _WORDS)
    st.caption(WRONGS[st.session_state[fields.key(Planted, "wrong")]].capitalize() + ".")
    if st.session_state[fields.key(Planted, "wrong")] == "strangers":
        others = {"digits": "Digits", "faces": "Rendered faces"}
        # A set is no stranger to itself.
        others.pop(view.data, None)
        fields.choice(Planted, "strangers", others)
    share_slider = st.container()
    most = max(_COMPONENTS[0], min(dataset.data.shape) - 1)
    components = [count for count in _COMPONENTS if count <= most]
    fields.slider(Planted, "components", components, str)
    fields.slider(Planted, "beta", _BETAS, "{:g}".format)
    if dataset.n_samples > _MOST[0]:
        fewer = [count for count in _MOST if count < dataset.n_samples]
        counts = [*fewer, dataset.n_samples] if dataset.n_samples < _MOST[-1] else _MOST
        fields.slider(Planted, "most", counts, "{:,}".format)
    n_images = min(dataset.n_samples, int(st.session_state[fields.key(Planted, "most")]))
    stops = share_stops(n_images)
    with share_slider:
        fields.slider(
            Planted,
            "share",
            stops,
            lambda share: "1 image" if share == stops[0] else f"{100 * share:.0f} %",
        )


def _answer(now: Job, dataset: Dataset) -> None:
    asking.answer(
        "planted",
        now,
        dataset,
        lambda judgement: _results(judgement, dataset),
        above=lambda judgement: _progress(now, judgement),
    )


def _progress(now: Job, judgement: Judgement | None) -> None:
    """Draw how many methods have answered, and Stop; its height is fixed."""
    done = 0 if judgement is None else len(judgement.found)
    with st.container(height=52, border=False):
        if not now.active:
            st.caption(
                f"{done} of {len(JUDGES)} methods have answered. None is told which images are "
                "wrong."
            )
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(done / len(JUDGES), text=f"{done} of {len(JUDGES)} methods")
            stop = services().jobs.cancel
            button("Stop", "planted_stop", "stop_circle", stop, now.id, width="content")


def _results(judgement: Judgement, dataset: Dataset) -> None:
    st.markdown(" ".join(suspects.comparison(judgement)))
    names = {name: ROBUST[name].title for name in JUDGES}
    left, right = st.columns(2)
    with left:
        method = fields.switch(
            "Ranked by", names, "planted_method", draw=st.selectbox, start="cspca"
        )
    with right:
        score = fields.switch("Score", SCORES, "planted_score", draw=st.selectbox)
    if method not in judgement.found:
        st.caption(f"{names[method]} has not answered yet; by the norm so far:")
        method = "norm"
    score = "norm" if method == "norm" else score
    scores = judgement.found[method].scores(judgement.scene, score)
    order = np.argsort(-scores, kind="stable")
    picked = _ranking(judgement, order, dataset)
    _side_by_side(judgement, picked, dataset)
    table(_table(judgement), "How well each ranks", best=[])
    measured = _measured(judgement.asked.wrong, dataset)
    if measured:
        st.caption(measured)
    if judgement.one_wrong:
        # For one wrong image the curves are a single step: its place is all information.
        return
    if judgement.complete:
        _curves(judgement, score)
    else:
        st.skeleton(height=420)


def _ranking(judgement: Judgement, order: Any, dataset: Dataset) -> int:
    """Draw the most suspicious images first; return the index of the picked one."""
    shape = dataset.picture_shape
    wrong = judgement.scene.outlier
    n = int(wrong.sum())
    hits = int(wrong[order[:n]].sum())
    shown = dict(enumerate(order[:_SHOWN].tolist(), 1))
    if judgement.one_wrong:
        number = int(np.flatnonzero(wrong)[0])
        at = int(np.flatnonzero(order == number)[0]) + 1
        st.markdown(
            f"**Most suspicious first**, the wrong one in a frame: it is number {at:,} of "
            f"{len(wrong):,}."
        )
        # The wrong image is picked at first, whatever its rank.
        shown[at] = number
        st.session_state.setdefault(keys.PLANTED_PICKED, number)
    else:
        st.markdown(
            f"**Most suspicious first**, wrong ones in a frame. {n:,} of {len(wrong):,} images "
            f"are wrong; {hits:,} of them are among the first {n:,}, by chance "
            f"{n * n / len(wrong):.0f}."
        )
    choices = [
        Pick(
            number,
            judgement.scene.X[number].reshape(shape),
            f"{place:,}",
            "marked" if wrong[number] else "",
        )
        for place, number in shown.items()
    ]
    return picks(
        choices,
        key="planted",
        label="Ranking",
        n_samples=len(wrong),
        title_of=lambda index: f"Image {index + 1:,}",
    )


def _side_by_side(judgement: Judgement, number: int, dataset: Dataset) -> None:
    shape, scene = dataset.picture_shape, judgement.scene
    assert scene.clean is not None
    what = "Corrupted" if scene.outlier[number] else "As it is shown"
    drawn = []
    for words, row in (("Original", scene.clean[number]), (what, scene.X[number])):
        picture = row.reshape(shape)
        drawn.append(pictures.figure(grey(picture), image_alt(picture, words), words))
    for name in _REBUILT:
        words, judged = ROBUST[name].title, judgement.found.get(name)
        if judged is None or judged.rebuilt is None:
            drawn.append(pictures.blank(shape, words))
            continue
        picture = np.clip(judged.rebuilt[number].reshape(shape), 0.0, 1.0)
        drawn.append(pictures.figure(grey(picture), image_alt(picture, f"By {words}"), words))
    pictures.row(drawn)


def _table(judgement: Judgement) -> pd.DataFrame:
    """Return the scores of each finished method; rankings are by residual, the control by norm."""
    rows = []
    for name in JUDGES:
        judged = judgement.found.get(name)
        if judged is None:
            continue
        main = "norm" if name == "norm" else "residual"
        numbers = judged.numbers[main]
        row = {"Method": ROBUST[name].title}
        if judgement.one_wrong:
            places = suspects.places(judgement, name)
            row["Place"] = f"{places[main]:,}"
            row["Place, residual ÷ norm"] = _or_dash(places.get("relative"), "{:,}")
        else:
            relative = judged.numbers.get("relative")
            row["AUC"] = _with_interval(numbers, "auc")
            row["AUC, residual ÷ norm"] = (
                "–" if relative is None else _with_interval(relative, "auc")
            )
            row["Av. precision"] = _with_interval(numbers, "average_precision")
        row["Rank"] = _or_dash(numbers["rank_found"], "{:.0f}")
        row["Clean"] = _or_dash(numbers["clean_error"], "{:.3f}")
        row["Never saw"] = _or_dash(numbers["clean_error_alone"], "{:.3f}")
        rows.append(row)
    frame = pd.DataFrame(rows)
    frame.attrs["note"] = _note(judgement)
    return frame


def _or_dash(value: float | None, form: str) -> str:
    """Return a number as text, or a dash if there is none."""
    return "–" if value is None or np.isnan(value) else form.format(value)


def _note(judgement: Judgement) -> str:
    """Return the explanation of the columns of the table."""
    if judgement.one_wrong:
        ranking = (
            f"Place: that of the wrong image among {len(judgement.scene.outlier):,}, 1 is the most "
            "suspicious; by residual, of the norm alone by norm."
        )
    else:
        ranking = (
            "AUC: the share of pairs of a wrong image and another one in the right order, by "
            "residual, of the norm alone by norm. 0.5 is chance, below it the wrong ones look "
            "better than the others. Average precision: the share of wrong ones among the first, "
            "averaged over the places of the wrong ones. In small: 95 % intervals over images."
        )
    note = (
        f"{ranking} Residual ÷ norm: the error as a share of the image’s own length. Rank: the "
        "directions that a method uses. Clean: the error of the clean images, relative to their "
        "spread; “never saw”: by the same method fitted without the wrong ones."
    )
    never = [judged.numbers.get("residual", {}) for judged in judgement.found.values()]
    if any(numbers.get("clean_error_alone", 1.0) < 5e-4 for numbers in never):
        note += " It is 0 where the clean ones are so few that the method rebuilds each of them."
    return note


def _with_interval(row: Any, name: str) -> str:
    return f"{row[name]:.3f}\n{row[f'{name}_low']:.3f}–{row[f'{name}_high']:.3f}"


def _curves(judgement: Judgement, score: str) -> None:
    there = [name for name in JUDGES if name in judgement.found]
    curves = {
        ROBUST[name].title: judgement.found[name].curve(judgement.scene, score)
        for name in there
        if name != "norm"
    }
    curves["Norm alone"] = judgement.found["norm"].curve(judgement.scene, "norm")
    colours = {ROBUST[name].title: ROBUST[name].colour for name in there}
    chance = float(judgement.scene.outlier.mean())
    titles = {"roc": "ROC", "precision": "Precision over recall"}
    which = fields.views("Curve", titles, "planted_curve")
    drawn = ranking_curves(curves, colours, roc=which == "roc", chance=chance)
    export.show(drawn, f"planted_{which}", of="outliers", heading=True)
