"""Pictures of which some are made wrong, so that it is known which: who ranks them first?"""

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
from cspca.ui import export, fields, fit_parts, pictures, state
from cspca.ui.components.picks import Pick, picks
from cspca.ui.outliers_page import asking
from cspca.ui.plain import button, plain, table
from cspca.ui.services import services

_SHOWN: Final = 24
"""Pictures of a ranking."""

_REBUILT: Final = ("pca", "pcp", "op", "cspca", "squared")
"""Whose reconstructions stand side by side."""

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
_OF_ANY_DATA: Final = {"strangers": _STRANGERS, "swapped": _SWAPPED}

_SHARES: Final = tuple(round(0.05 * k, 2) for k in range(1, 19))
_BETAS: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
_COMPONENTS: Final = (2, 5, 10, 20, 40, 60)
_MOST: Final = (200, 400, 1000, 2000)


def _measured(wrong: str, dataset: Dataset) -> str:
    """What is known beyond what is seen; measurements on ORL are told of ORL alone."""
    if wrong in _OF_ANY_DATA:
        return _OF_ANY_DATA[wrong]
    paper_set = recognised(dataset).paper_set
    if paper_set is None or paper_set.key != "orl":
        return ""
    return _DAMAGED


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    if dataset.image_shape is None:
        st.info(
            f"{plain(dataset.name)} has no pictures that could be made wrong: take a set of "
            "images in use, on the Data page.",
            icon=":material/image:",
        )
        return
    fields.show(asking.asked_for(Planted), only_missing=True)
    with st.container(key="experiment_columns"):
        side, main = st.columns([4, 11], gap="large")
    with side:
        _controls(view, dataset)
    asked = asking.asked_for(Planted)
    strangers = services().library.get(asked.strangers) if asked.wrong == "strangers" else None

    def work(job: Job) -> None:
        suspects.judge(asked, dataset, strangers, job.stop_requested, job.publish)

    with main:
        now = asking.ask("planted", (asked, dataset.sha256), work)
        fit_parts.live(now, lambda now: _answer(now, dataset))
    found: Judgement | None = now.snapshot
    if found is not None and found.complete and not state.bare():
        _export(found)


def _export(found: Judgement) -> None:
    st.header("Export", anchor=False)
    said = "Every picture, whether it is wrong, its norm and its residual by every method."
    more = [File("Pictures, CSV", "pictures.csv", lambda: to_csv(found.ranking()), said)]
    export.offer(found.outcome(), more=more)


def _controls(view: state.View, dataset: Dataset) -> None:
    fields.choice(Planted, "wrong", _WORDS)
    st.caption(WRONGS[st.session_state[fields.key(Planted, "wrong")]].capitalize() + ".")
    if st.session_state[fields.key(Planted, "wrong")] == "strangers":
        others = {"digits": "Digits", "faces": "Rendered faces"}
        # A set is no stranger to itself.
        others.pop(view.data, None)
        fields.choice(Planted, "strangers", others)
    fields.slider(Planted, "share", _SHARES, lambda one: f"{100 * one:.0f} %")
    fields.slider(Planted, "components", _COMPONENTS, str)
    fields.slider(Planted, "beta", _BETAS, "{:g}".format)
    if dataset.n_samples > _MOST[0]:
        fewer = [count for count in _MOST if count < dataset.n_samples]
        counts = [*fewer, dataset.n_samples] if dataset.n_samples < _MOST[-1] else _MOST
        fields.slider(Planted, "most", counts, "{:,}".format)


def _answer(now: Job, dataset: Dataset) -> None:
    asking.answer(
        "planted",
        now,
        dataset,
        lambda found: _found(found, dataset),
        above=lambda found: _progress(now, found),
    )


def _progress(now: Job, found: Judgement | None) -> None:
    """How many have answered, and Stop; it takes the same room when all have."""
    done = 0 if found is None else len(found.found)
    with st.container(height=52, border=False):
        if not now.active:
            st.caption(
                f"{done} of {len(JUDGES)} methods have answered. Nobody is told which pictures are "
                "wrong."
            )
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(done / len(JUDGES), text=f"{done} of {len(JUDGES)} methods")
            stop = services().jobs.cancel
            button("Stop", "planted_stop", "stop_circle", stop, now.id, width="content")


def _found(found: Judgement, dataset: Dataset) -> None:
    st.markdown(" ".join(suspects.comparison(found)))
    names = {name: ROBUST[name].title for name in JUDGES}
    left, right = st.columns(2)
    with left:
        method = fields.switch(
            "Ranked by", names, "planted_method", draw=st.selectbox, start="cspca"
        )
    with right:
        score = fields.switch("Score", SCORES, "planted_score", draw=st.selectbox)
    if method not in found.found:
        st.caption(f"{names[method]} has not answered yet; by the norm so far:")
        method = "norm"
    score = "norm" if method == "norm" else score
    scores = found.found[method].scores(found.scene, score)
    order = np.argsort(-scores, kind="stable")
    picked = _ranking(found, order, dataset)
    _side_by_side(found, picked, dataset)
    table(_table(found), "How well each ranks", best=[])
    measured = _measured(found.asked.wrong, dataset)
    if measured:
        st.caption(measured)
    if found.complete:
        _curves(found, score)
    else:
        st.skeleton(height=420)


def _ranking(found: Judgement, order: Any, dataset: Dataset) -> int:
    """Draw the most suspicious first; return the one that is looked at."""
    shape = dataset.image_shape
    assert shape is not None
    wrong = found.scene.outlier
    n = int(wrong.sum())
    hits = int(wrong[order[:n]].sum())
    st.markdown(
        f"**Most suspicious first**, wrong ones in a frame. {n:,} of {len(wrong):,} pictures are "
        f"wrong; {hits:,} of them are among the first {n:,}, by chance {n * n / len(wrong):.0f}."
    )
    shown = order[:_SHOWN].tolist()
    items = [
        Pick(
            number,
            found.scene.X[number].reshape(shape),
            f"{place}",
            "marked" if wrong[number] else "",
        )
        for place, number in enumerate(shown, 1)
    ]
    return picks(items, key="planted", label="Ranking", among=len(wrong))


def _side_by_side(found: Judgement, number: int, dataset: Dataset) -> None:
    shape, scene = dataset.image_shape, found.scene
    assert shape is not None
    assert scene.clean is not None
    what = "Corrupted" if scene.outlier[number] else "As it is shown"
    drawn = []
    for words, row in (("Original", scene.clean[number]), (what, scene.X[number])):
        picture = row.reshape(shape)
        drawn.append(pictures.figure(grey(picture), image_alt(picture, words), words))
    for name in _REBUILT:
        words, one = ROBUST[name].title, found.found.get(name)
        if one is None or one.rebuilt is None:
            drawn.append(pictures.blank(shape, words))
            continue
        picture = np.clip(one.rebuilt[number].reshape(shape), 0.0, 1.0)
        drawn.append(pictures.figure(grey(picture), image_alt(picture, f"By {words}"), words))
    pictures.row(drawn)


def _table(found: Judgement) -> pd.DataFrame:
    lines = []
    for name in JUDGES:
        one = found.found.get(name)
        if one is None:
            continue
        line = {"Method": ROBUST[name].title}
        for score, title in SCORES.items():
            row = one.numbers.get(score)
            head = title.removeprefix("Residual ").removesuffix(" alone").lower()
            line[f"AUC, {head}"] = "–" if row is None else _with_interval(row, "auc")
        row = one.numbers["norm" if name == "norm" else "residual"]
        line["Av. precision"] = _with_interval(row, "average_precision")
        line["Rank"] = "–" if np.isnan(row["rank_found"]) else f"{row['rank_found']:.0f}"
        for at, title in (("clean_error", "Clean"), ("clean_error_alone", "Never saw")):
            line[title] = "–" if np.isnan(row[at]) else f"{row[at]:.3f}"
        lines.append(line)
    frame = pd.DataFrame(lines)
    never = [one.numbers.get("residual", {}) for one in found.found.values()]
    spanned = any(row.get("clean_error_alone", 1.0) < 5e-4 for row in never)
    frame.attrs["note"] = (
        "AUC: 0.5 is chance, below it the wrong ones look better than the others. In small: 95 % "
        "intervals over pictures. Average precision is by residual. Clean: the error of "
        "the clean pictures, relative to their spread; “never saw”: by the same method fitted "
        "without the wrong ones."
    )
    if spanned:
        frame.attrs["note"] += (
            " It is 0 where the clean ones are so few that the method rebuilds each of them."
        )
    return frame


def _with_interval(row: Any, name: str) -> str:
    return f"{row[name]:.3f}\n{row[f'{name}_low']:.3f}–{row[f'{name}_high']:.3f}"


def _curves(found: Judgement, score: str) -> None:
    there = [name for name in JUDGES if name in found.found]
    curves = {
        ROBUST[name].title: found.found[name].curve(found.scene, score)
        for name in there
        if name != "norm"
    }
    curves["Norm alone"] = found.found["norm"].curve(found.scene, "norm")
    colours = {ROBUST[name].title: ROBUST[name].colour for name in there}
    chance = float(found.scene.outlier.mean())
    titles = {"roc": "ROC", "precision": "Precision over recall"}
    which = fields.views("Curve", titles, "planted_curve")
    drawn = ranking_curves(curves, colours, roc=which == "roc", chance=chance)
    box = f"planted_{which}"
    export.show(drawn, box, of="outliers", label=titles[which], heading=True)
